/* device-memory.h — the sentence about a plan that needs more memory than the device has.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/exec/plan-private.h"

/* Sets an error with the bytes that the plan needs, the bytes that the device has and the
 * largest values; returns FALSE.  held: bytes of the plan that are allocated already. */
gboolean hyb_device_refuse_memory (const HybPlan *plan, gsize held, GError **error);
