/* axes.c — the axes of strided walks over tensors, joined where neighbours lie side by side.
 *
 * Kernels find the place of an element by one division an axis, so fewer axes are faster.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/ops/axes.h"

#include "engine/base/error.h"
#include "engine/device/device.h"

HybAxes
hyb_axes_new (const HybShape *shape, guint n)
{
  HybAxes axes = { .rank = shape->rank, .n = n };

  for (int d = 0; d < shape->rank; d++)
    axes.dim[d] = shape->dim[d];
  return axes;
}

gboolean
hyb_axes_append (HybAxes *axes, gint64 dim, gint64 first, gint64 second)
{
  if (dim == 1)
    return TRUE;
  if (axes->rank == HYB_MAX_RANK)
    return FALSE;
  axes->dim[axes->rank] = dim;
  axes->stride[0][axes->rank] = first;
  axes->stride[1][axes->rank] = second;
  axes->rank++;
  return TRUE;
}

void
hyb_axes_contiguous (const HybShape *shape, gint64 *strides)
{
  gint64 stride = 1;

  for (int d = shape->rank; d-- > 0;)
    {
      strides[d] = stride;
      stride *= shape->dim[d];
    }
}

void
hyb_axes_broadcast (HybAxes *axes, guint operand, const HybShape *shape, gboolean from_left)
{
  gint64 strides[HYB_MAX_RANK];
  int    shift = from_left ? 0 : axes->rank - shape->rank;

  hyb_axes_contiguous (shape, strides);
  for (int d = 0; d < shape->rank; d++)
    if (d + shift >= 0 && d + shift < axes->rank)
      axes->stride[operand][d + shift] = shape->dim[d] == 1 ? 0 : strides[d];
}

/* TRUE if axis d continues axis `last` in all operands. */
static gboolean
continues (const HybAxes *axes, int last, int d)
{
  for (guint i = 0; i < axes->n; i++)
    if (axes->stride[i][last] != axes->stride[i][d] * axes->dim[d])
      return FALSE;
  return TRUE;
}

gboolean
hyb_axes_join (HybAxes *axes)
{
  int rank = 0;

  for (int d = 0; d < axes->rank; d++)
    {
      if (axes->dim[d] == 1)
        continue;
      if (rank > 0 && continues (axes, rank - 1, d))
        {
          axes->dim[rank - 1] *= axes->dim[d];
          for (guint i = 0; i < axes->n; i++)
            axes->stride[i][rank - 1] = axes->stride[i][d];
          continue;
        }
      axes->dim[rank] = axes->dim[d];
      for (guint i = 0; i < axes->n; i++)
        axes->stride[i][rank] = axes->stride[i][d];
      rank++;
    }
  axes->rank = rank;
  return rank <= AXES_MOST;
}

gboolean
hyb_axes_refuse (GError **error)
{
  return hyb_error_at (error, HYB_DEVICE_ERROR, HYB_DEVICE_ERROR_FAILED, NULL, NULL,
                       "it has more axes than a kernel of the GPU module takes");
}
