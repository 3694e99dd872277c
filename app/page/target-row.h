/* target-row.h — chooses the machine of runs from the list of targets.
 *
 * The file of the list is read again whenever the row is shown.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <adwaita.h>

#define SCOPE_TYPE_TARGET_ROW (scope_target_row_get_type ())
G_DECLARE_FINAL_TYPE (ScopeTargetRow, scope_target_row, SCOPE, TARGET_ROW, AdwComboRow)

/* The name of a target; "": this computer.  Owned by the row. */
const char *scope_target_row_get_target (ScopeTargetRow *self);
/* Selects a target; this computer if the list lacks it. */
void scope_target_row_set_target (ScopeTargetRow *self, const char *target);
