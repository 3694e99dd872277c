/* sheet.h — a column of headings and rows of facts, for panes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define SCOPE_TYPE_SHEET (scope_sheet_get_type ())
G_DECLARE_FINAL_TYPE (ScopeSheet, scope_sheet, SCOPE, SHEET, GtkBox)

/* Signal "link" (box): a row that leads somewhere was activated. */

GtkWidget *scope_sheet_new (void);
void       scope_sheet_clear (ScopeSheet *self);
/* Any widget, over the whole width. */
void scope_sheet_add (ScopeSheet *self, GtkWidget *widget);
void scope_sheet_add_title (ScopeSheet *self, const char *title, const char *subtitle);
void scope_sheet_add_text (ScopeSheet *self, const char *text, const char *css_class);
void scope_sheet_add_heading (ScopeSheet *self, const char *text);
/* hint: (nullable) a sentence for who rests on it.  box: where it leads; 0: nowhere. */
void scope_sheet_add_row (ScopeSheet *self,
                          const char *name,
                          const char *value,
                          const char *hint,
                          guint32     box);
/* Like a row, but the name is emphasised: differs from what is usual. */
void scope_sheet_add_strong_row (ScopeSheet *self,
                                 const char *name,
                                 const char *value,
                                 const char *hint);

G_END_DECLS
