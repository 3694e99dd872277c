/* sheet.h — a column of headings and rows of facts, for panes.
 *
 * Signal "link" (box): a row that leads to a box was activated.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gtk/gtk.h>

#define SCOPE_TYPE_SHEET (scope_sheet_get_type ())
G_DECLARE_FINAL_TYPE (ScopeSheet, scope_sheet, SCOPE, SHEET, GtkBox)

GtkWidget *scope_sheet_new (void); /* (transfer floating) */
/* Removes all rows. */
void scope_sheet_clear (ScopeSheet *self);
/* Adds any widget over the whole width. */
void scope_sheet_add (ScopeSheet *self, GtkWidget *widget);
/* subtitle: (nullable) */
void scope_sheet_add_title (ScopeSheet *self, const char *title, const char *subtitle);
/* A wrapped paragraph.  css_class: (nullable) */
void scope_sheet_add_text (ScopeSheet *self, const char *text, const char *css_class);
/* Adds a heading. */
void scope_sheet_add_heading (ScopeSheet *self, const char *text);
/* Name and value.  hint: (nullable) added to the tooltip.  box: where a click leads; 0: nowhere. */
void scope_sheet_add_row (ScopeSheet *self,
                          const char *name,
                          const char *value,
                          const char *hint,
                          guint32     box);
/* The same with an emphasised name, for values that differ from their default, and for places. */
void scope_sheet_add_strong_row (ScopeSheet *self,
                                 const char *name,
                                 const char *value,
                                 const char *hint,
                                 guint32     box);
