/* loop-to-while.h — writes a foreach as a while_loop with the same body.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/variants/loops/rewritten-loop.h"

/* Writes the loop, a foreach, as a while_loop and sets its outputs.  FALSE with an error if that is
 * not possible. */
gboolean hyb_rewrite_as_while (HybRewrittenLoop *loop, GError **error);
