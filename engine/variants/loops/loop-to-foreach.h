/* loop-to-foreach.h — writes a while_loop that counts its steps as a foreach with the same body.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/variants/loops/rewritten-loop.h"

/* Writes the loop, a while_loop, as a foreach and sets its outputs.  FALSE with an error if that is
 * not possible. */
gboolean hyb_rewrite_as_foreach (HybRewrittenLoop *loop, GError **error);
