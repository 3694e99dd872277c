/* list-page.h — a tab with a list: the models in a folder, or the arrays in a file of parameters.
 *
 * Properties: "title", "busy" (the folder or file is being read).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <adwaita.h>

#define SCOPE_TYPE_LIST_PAGE (scope_list_page_get_type ())
G_DECLARE_FINAL_TYPE (ScopeListPage, scope_list_page, SCOPE, LIST_PAGE, AdwBin)

/* A list of the models in a folder and in the folders below it.  (transfer floating) */
GtkWidget *scope_list_page_new_of_folder (const char *path);
/* A list of the arrays in a file that has no graph.  (transfer floating) */
GtkWidget *scope_list_page_new_of_arrays (const char *path);
/* The folder or file, owned by the page. */
const char *scope_list_page_get_path (ScopeListPage *self);
