/* window.h — a window: header bar, start page, and a tab for each open model.
 *
 * Its functions are actions with the prefix "win.".
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/compare/compare-page.h"
#include "app/page/page.h"
#include "app/sweep/sweep-page.h"

#define SCOPE_TYPE_WINDOW (scope_window_get_type ())
G_DECLARE_FINAL_TYPE (ScopeWindow, scope_window, SCOPE, WINDOW, AdwApplicationWindow)

/* Shows the start page. */
ScopeWindow *scope_window_new (GtkApplication *application);

/* --- Opening --- */

/* Opens a model, or the folder of a sweep, in a new tab; of other folders and of files of parameters a list.  A URI
 * "gallery:NAME" is an example. */
void scope_window_open (ScopeWindow *self, GFile *file);
/* Opens a model by its URI in a new tab. */
void scope_window_open_uri (ScopeWindow *self, const char *uri);
/* Opens a file under another name; source, shapes: (nullable) see scope_workspace_set_source(). */
void scope_window_open_as (ScopeWindow       *self,
                           GFile             *file,
                           const char        *source,
                           const char *const *shapes);
/* The selected page; NULL: the start page or a comparison is shown. */
ScopePage *scope_window_get_page (ScopeWindow *self);
/* The selected comparison; NULL: something else is shown. */
ScopeComparePage *scope_window_get_comparison (ScopeWindow *self);
/* The selected sweep; NULL: something else is shown. */
ScopeSweepPage *scope_window_get_sweep (ScopeWindow *self);

/* --- The selected page --- */

/* Writes a file in a worker; its ending determines the format.  what: "picture" (the whole graph), "view"
 * (the visible part) or "costs". */
void scope_window_export (ScopeWindow *self, const char *what, const char *path);
/* Repairs the model, writes it to path (of the symbol file; parameters beside it) and opens that. */
void scope_window_mend (ScopeWindow *self, const char *path);
/* Prints the graph on one page, after a dialog, or into a PDF file.  path: (nullable) of that file */
void scope_window_print (ScopeWindow *self, const char *path);
/* Shows the changes of a repair, and lets the user choose the file for it.  replacements: (nullable) as
 * in ScopeMendOptions; used by the repair that follows. */
void scope_window_preview_mend (ScopeWindow *self, const char *const *replacements);
/* The same for other attributes of a node: key, value, …, NULL, all that it shall have. */
void scope_window_preview_attributes (ScopeWindow       *self,
                                      const char        *node,
                                      const char *const *attributes);
/* Writes graph and parameters of the model; the ending of the name determines the format, and the pair
 * NAME-symbol.json and NAME-0000.params is the default. */
void scope_window_save_model (ScopeWindow *self, const char *path);
/* Writes the tensor that the view of values shows, in the format that the name selects; of more than two dimensions in a
 * table only the shown slice. */
void scope_window_save_values (ScopeWindow *self, const char *path);
/* Writes the selected comparison with its recordings. */
void scope_window_save_comparison (ScopeWindow *self, const char *path);
/* Colours the selected page by the numbers of a file, which a message refuses if it is of another kind.  path:
 * (nullable) */
void scope_window_open_numbers (ScopeWindow *self, const char *path);
/* Compares files in a new tab: recordings, or models side by side.  files: paths, NULL-terminated. */
void scope_window_open_beside (ScopeWindow *self, const char *const *files);
/* Opens the model again with a parameter file. */
void scope_window_set_parameters (ScopeWindow *self, const char *path);

/* --- The window --- */

/* Writes the state of all pages.  Does not use the display. */
void scope_window_save_state (ScopeWindow *self);
/* Offers to open the models of a session that ended unexpectedly. */
void scope_window_offer_reopen (ScopeWindow *self, const char *const *models);
/* Shows a short message that disappears by itself. */
void scope_window_toast (ScopeWindow *self, const char *text);
