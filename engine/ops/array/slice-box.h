/* slice-box.h — the box of an array that begin:end:step selects on each leading axis, for slice and
 * _slice_assign.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/op.h"

/* For every axis the first index and the distance between indices. */
typedef struct
{
  gint64 begin[HYB_MAX_RANK];
  gint64 step[HYB_MAX_RANK];
} HybBox;

/* The attributes begin, end and step: one number for each leading axis. */
typedef struct
{
  HybInts begin, end, step;
} HybSliceParams;

/* The indices that a slice keeps of one axis. */
typedef struct
{
  gint64 begin, step, count;
} HybSliceRange;

/* The table of HybSliceParams. */
extern const HybParam hyb_slice_params[];

/* HybOp.check: FALSE if begin, end and step contradict each other. */
gboolean hyb_slice_check (gconstpointer values, GError **error);
/* Sets *out to the shape of the box inside data, whose dimensions may be unknown.  FALSE if there are
 * more ranges than axes. */
gboolean
hyb_slice_shape (const HybSliceParams *params, const HybShape *data, HybShape *out, GError **error);
/* The box inside data, a known shape; values is a HybSliceParams. */
HybBox hyb_slice_box (gconstpointer values, const HybShape *data);
/* Sets stride[] to the strides of the box inside data, and returns the index of its first element. */
gint64 hyb_box_lay (const HybBox *box, const HybShape *data, gint64 *stride);
