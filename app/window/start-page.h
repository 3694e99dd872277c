/* start-page.h — the start page: open a model, recent files, gallery.
 *
 * Shown while no tab is open, and on request.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <adwaita.h>

#define SCOPE_TYPE_START_PAGE (scope_start_page_get_type ())
G_DECLARE_FINAL_TYPE (ScopeStartPage, scope_start_page, SCOPE, START_PAGE, AdwBin)

/* Lists the recent files again. */
void scope_start_page_refresh (ScopeStartPage *self);
