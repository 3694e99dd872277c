/* write-step.h — writes one step of a recurrent cell as Gluon's unrolled cells do.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/variants/cells.h"
#include "engine/variants/rebuild.h"

/* One step of a cell, in Gluon's spelling, with names that begin with prefix. */
typedef struct
{
  HybCellKind kind;
  gint64      hidden;
  const char *prefix; /* "lstm0_" */
  HybValueId  i2h_weight, h2h_weight, i2h_bias, h2h_bias;
} HybUnrolledCell;

/* The new h; *c is the old memory in, the new one out (LSTM). */
HybValueId hyb_write_step (HybRebuild            *rebuild,
                           const HybUnrolledCell *cell,
                           guint                  step,
                           HybValueId             x,
                           HybValueId             h,
                           HybValueId            *c);
