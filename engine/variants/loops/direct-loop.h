/* direct-loop.h — writes a foreach as a while_loop with the same body, and the other way round.
 *
 * For loops whose steps are not known cells and share no weight, so that they are not found again
 * once they are written out.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/variants/conversion.h"

/* Writes all loops of the other kind in this form, foreach or while, and finishes the conversion.
 * FALSE with an error if there is none or one of them cannot be written. */
gboolean hyb_write_loops_directly (HybConversion *conversion, HybForm form, GError **error);
