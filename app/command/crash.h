/* crash.h — a plug-in that crashes ends the command with a message that names it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* From now on a crash is put down to this plug-in. */
void scope_blame (const char *plugin);
