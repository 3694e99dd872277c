/* window.h — a window: header, tabs, pages.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/page/page.h"
#include "app/window/application.h"

G_BEGIN_DECLS

#define SCOPE_TYPE_WINDOW (scope_window_get_type ())
G_DECLARE_FINAL_TYPE (ScopeWindow, scope_window, SCOPE, WINDOW, AdwApplicationWindow)

ScopeWindow *scope_window_new (ScopeApplication *application);
/* In a tab of its own, or in that of the start page. */
void scope_window_open (ScopeWindow *self, GFile *file);
/* What a URI stands for; "gallery:NAME" is an example. */
void scope_window_open_uri (ScopeWindow *self, const char *uri);
/* The same; source and shapes as in scope_workspace_set_source(), nullable. */
void       scope_window_open_as (ScopeWindow       *self,
                                 GFile             *file,
                                 const char        *source,
                                 const char *const *shapes);
ScopePage *scope_window_get_page (ScopeWindow *self); /* NULL: the start page is shown */
/* what: "picture", "view" or "costs"; the format follows from the path. */
void scope_window_export (ScopeWindow *self, const char *what, const char *path);
/* Writes what is shown as the export doctor mends it, and opens that; path: of the symbol file. */
void scope_window_mend (ScopeWindow *self, const char *path);
/* Reads what is shown again with these parameters. */
void scope_window_set_parameters (ScopeWindow *self, const char *path);
/* Folds, cameras and selections of all tabs, written now; it does not touch the display. */
void scope_window_save_state (ScopeWindow *self);
/* "Open again": what stood open at an end that nobody wanted. */
void scope_window_offer_reopen (ScopeWindow *self, const char *const *models);
void scope_window_toast (ScopeWindow *self, const char *text);

G_END_DECLS
