/* unique-zipfian.c — _sample_unique_zipfian: rows of different classes, drawn from a distribution that
 * prefers small numbers, and how many draws each row took.
 *
 * Class c has probability (log (c + 2) − log (c + 1)) / log (range_max + 1).  Numbers are functions of the
 * run's seed, the row and the draw.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/random.h"
#include "engine/op/dimensions.h"
#include "engine/op/op.h"
#include "engine/op/run.h"

#include <math.h>
#include <string.h>

typedef struct
{
  gint64   range_max;
  HybShape shape;
} ZipfianParams;

static const HybParam zipfian_params[] = {
  { HYB_FIELD (ZipfianParams, range_max), HYB_PARAM_INT, NULL, 1, G_MAXINT32,
    .doc = "number of classes" },
  { HYB_FIELD (ZipfianParams, shape), HYB_PARAM_SHAPE, "None",
    .doc = "rows, and classes drawn for each" },
  { 0 },
};

static gboolean
zipfian_check (gconstpointer values, GError **error)
{
  const ZipfianParams *params = values;

  if (params->shape.rank != 2 || params->shape.dim[0] < 0 || params->shape.dim[1] < 0)
    return hyb_refuse_attribute (error, NULL,
                                 "shape should have 2 sizes: rows, and classes for each");
  return params->shape.dim[1] <= params->range_max ||
         hyb_refuse_attribute (error, "They are drawn without replacement",
                               "%" G_GINT64_FORMAT
                               " different classes cannot be drawn from %" G_GINT64_FORMAT,
                               params->shape.dim[1], params->range_max);
}

static gboolean
zipfian_infer_shape (HybCall *call, GError **error)
{
  const ZipfianParams *params = call->params;
  HybShape             rows = hyb_shape_1d (params->shape.dim[0]);

  return hyb_shape_assign (&call->output[0].shape, &params->shape, error) &&
         hyb_shape_assign (&call->output[1].shape, &rows, error);
}

static gboolean
zipfian_infer_dtype (HybCall *call, GError **error)
{
  return hyb_dtype_assign (&call->output[0].dtype, HYB_I64, error) &&
         hyb_dtype_assign (&call->output[1].dtype, HYB_I64, error);
}

/* A bit for each class. */
static gsize
zipfian_workspace (const HybCall *call)
{
  return (gsize) ((const ZipfianParams *) call->params)->range_max / 8 + 1;
}

static gboolean
mark (guint8 *drawn, gint64 class)
{
  gboolean is_new = !(drawn[class / 8] >> class % 8 & 1);

  drawn[class / 8] |= (guint8) (1u << class % 8);
  return is_new;
}

/* Draws one row and returns the number of draws.  If nearly all classes are requested, the last ones
 * are improbable: after 64 draws for each class the smallest missing ones are taken. */
static gint64
draw_row (const ZipfianParams *params, guint64 seed, guint8 *drawn, gint64 *to)
{
  gint64 wanted = params->shape.dim[1], found = 0, draws = 0;
  double scale = log ((double) params->range_max + 1);

  memset (drawn, 0, (gsize) params->range_max / 8 + 1);
  while (found < wanted && draws < 64 * params->range_max)
    {
      double x = exp (hyb_random_uniform (seed, (guint64) draws++) * scale) - 1;
      gint64 class = CLAMP ((gint64) x, 0, params->range_max - 1);

      if (mark (drawn, class))
        to[found++] = class;
    }
  for (gint64 class = 0; found < wanted; class ++)
    if (mark (drawn, class))
      to[found++] = class;
  return draws;
}

static void
zipfian_forward (const HybCall *call, const HybRun *run)
{
  const ZipfianParams *params = call->params;
  guint64              seed = hyb_run_random_seed (run);

  for (gint64 row = 0; row < params->shape.dim[0]; row++)
    ((gint64 *) run->output[1])[row] =
        draw_row (params, hyb_random_mix (seed, (guint64) row), run->workspace,
                  (gint64 *) run->output[0] + row * params->shape.dim[1]);
}

const HybOp hyb_ops_unique_zipfian[] = {
  {
      .name = "_sample_unique_zipfian",
      .doc = "Rows of different classes in which small numbers are frequent, and the draws of each "
             "row.",
      .category = HYB_CATEGORY_DATA,
      .flags = HYB_OP_RANDOM | HYB_OP_NO_GRADIENT,
      .inputs = (const char *const[]){ NULL },
      .outputs = (const char *const[]){ "output0", "output1", NULL },
      HYB_PARAMS (zipfian_params, ZipfianParams),
      .check = zipfian_check,
      .infer_shape = zipfian_infer_shape,
      .infer_dtype = zipfian_infer_dtype,
      .dtypes = HYB_DTYPES_ALL,
      .forward = zipfian_forward,
      .workspace = zipfian_workspace,
  },
  { 0 },
};
