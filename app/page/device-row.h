/* device-row.h — chooses the device of runs from a list.
 *
 * When it is shown it asks hscope for the GPUs of this machine, until there are some.  A note below shows the state of the
 * chosen one, or why there is none.  Runs through a launcher may happen on another machine, whose GPUs are not known.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/page/device-note.h"

#define SCOPE_TYPE_DEVICE_ROW (scope_device_row_get_type ())
G_DECLARE_FINAL_TYPE (ScopeDeviceRow, scope_device_row, SCOPE, DEVICE_ROW, AdwComboRow)

/* "cpu", "gpu:0", …; owned by the row. */
const char *scope_device_row_get_device (ScopeDeviceRow *self);
/* Selects a device, which is added if the list lacks it. */
void scope_device_row_set_device (ScopeDeviceRow *self, const char *device);
/* The row with a note about the chosen device. */
void scope_device_row_set_note (ScopeDeviceRow *self, ScopeDeviceNote *note);
/* Whether runs go through a launcher: then some GPUs are offered without asking. */
void scope_device_row_set_remote (ScopeDeviceRow *self, gboolean is_remote);
