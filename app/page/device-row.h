/* device-row.h — chooses the device of runs from a list.
 *
 * Runs may happen on another host, so the list has devices that this machine lacks.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define SCOPE_TYPE_DEVICE_ROW (scope_device_row_get_type ())
G_DECLARE_FINAL_TYPE (ScopeDeviceRow, scope_device_row, SCOPE, DEVICE_ROW, AdwComboRow)

/* "cpu", "gpu:0", …; owned by the row. */
const char *scope_device_row_get_device (ScopeDeviceRow *self);
/* Selects a device, which is added if the list lacks it. */
void scope_device_row_set_device (ScopeDeviceRow *self, const char *device);

G_END_DECLS
