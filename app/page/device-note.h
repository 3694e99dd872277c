/* device-note.h — the state of the GPU chosen for runs, in a row below the choice.
 *
 * The row shows the result of the last self-test with a button for a new one, or why there is no GPU with a button for
 * the guide.  It is hidden if there is no message.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <adwaita.h>
#include <cjson/cJSON.h>

#define SCOPE_TYPE_DEVICE_NOTE (scope_device_note_get_type ())
G_DECLARE_FINAL_TYPE (ScopeDeviceNote, scope_device_note, SCOPE, DEVICE_NOTE, AdwActionRow)

/* Shows the description of a device by hscope devices --json; NULL hides the row. */
void scope_device_note_show (ScopeDeviceNote *self, const cJSON *device);

/* Says why this machine has no GPU: a whole sentence. */
void scope_device_note_show_absence (ScopeDeviceNote *self, const char *sentence);

/* The signal “tested” is emitted after a self-test, whose result is in the output of hscope devices. */
