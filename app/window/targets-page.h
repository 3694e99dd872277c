/* targets-page.h — the page of the preferences with the machines that runs may be sent to.
 *
 * The list is a file that hscope reads, too (targets/target-list.h).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <adwaita.h>

#define SCOPE_TYPE_TARGETS_PAGE (scope_targets_page_get_type ())
G_DECLARE_FINAL_TYPE (ScopeTargetsPage, scope_targets_page, SCOPE, TARGETS_PAGE, AdwPreferencesPage)
