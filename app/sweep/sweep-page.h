/* sweep-page.h — the tab that shows the folder of a sweep, and updates while workers fill it.
 *
 * Actions have the prefix "sweep.".  Properties: "title" of the tab; "busy" while the folder is read for the first time.
 * Signals: "open-capture" (path), and "said" (text), a short message for the user.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/sweep/sweep-data.h"

#include <adwaita.h>

#define SCOPE_TYPE_SWEEP_PAGE (scope_sweep_page_get_type ())
G_DECLARE_FINAL_TYPE (ScopeSweepPage, scope_sweep_page, SCOPE, SWEEP_PAGE, AdwBin)

/* A page that begins to read and to watch the folder, an absolute path.  (transfer floating) */
GtkWidget *scope_sweep_page_new (const char *folder);
/* The path of the folder. */
const char *scope_sweep_page_get_folder (ScopeSweepPage *self);
/* The data read last; NULL if there are none.  (transfer none) */
const ScopeSweepData *scope_sweep_page_get_data (ScopeSweepPage *self);
