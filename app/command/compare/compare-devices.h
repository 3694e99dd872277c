/* compare-devices.h — the devices on which hscope compare measures every candidate.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/adapt/said.h"
#include "app/command/compare/comparison.h"
#include "app/command/frame/json-writer.h"

/* Opens the devices of --devices, or that of --device, and sets ScopeComparison.devices.  A device of
 * --devices that cannot be opened is left out with a message and in ScopeComparison.left_out.  FALSE and an
 * error if none can be opened. */
gboolean scope_compare_open_devices (ScopeComparison *self, GError **error);
/* Frees a device. */
void scope_compared_on_free (gpointer device);

/* Adds the devices, and what was left out on them; nothing if all was measured on the processor. */
void scope_compare_say_devices (ScopeSaid *said, const ScopeComparison *self);
/* Adds the lists "devices" and "left_out". */
void scope_compare_describe_devices (ScopeJson *json, const ScopeComparison *self);
