/* generate.c — values for variables that no file gives.
 *
 * They depend on the seed and the variable's name only.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/frame/generate.h"

#include "engine/base/error.h"
#include "engine/base/limits.h"
#include "engine/base/random.h"

#include <math.h>
#include <string.h>

/* MXNet's initialisers first look at the end of a parameter's name. */
static const struct
{
  const char *ending;
  double      value;
} constants_by_ending[] = {
  { "bias", 0 },         { "gamma", 1 },       { "beta", 0 },        { "moving_mean", 0 },
  { "running_mean", 0 }, { "moving_var", 1 },  { "running_var", 1 }, { "moving_avg", 0 },
  { "label", 0 },        { "begin_state", 0 }, { "state", 0 },
};

static void
fill_constant (HybTensor *tensor, double value)
{
  for (gint64 i = 0; i < hyb_tensor_get_size (tensor); i++)
    hyb_dtype_set_double (hyb_tensor_get_data (tensor), hyb_tensor_get_dtype (tensor), (gsize) i,
                          value);
}

static void
fill_uniform (HybTensor *tensor, guint64 seed, double low, double high)
{
  for (gint64 i = 0; i < hyb_tensor_get_size (tensor); i++)
    hyb_dtype_set_double (hyb_tensor_get_data (tensor), hyb_tensor_get_dtype (tensor), (gsize) i,
                          low + (high - low) * hyb_random_uniform (seed, (guint64) i));
}

/* Bound of MXNet's Xavier initialiser (uniform, magnitude 3): √(6 / (fan_in + fan_out)).  The shape
 * is (outputs, inputs, kernel …). */
static double
xavier_scale (const HybShape *shape)
{
  double area;

  if (shape->rank < 2)
    return 0.07;

  area = (double) hyb_shape_count (shape, 2, shape->rank);
  return sqrt (6.0 / (area * (double) (shape->dim[0] + shape->dim[1])));
}

void
scope_generate_value (const ScopeCommonOptions *common,
                      const char               *name,
                      HybRole                   role,
                      HybTensor                *tensor)
{
  guint64 seed = hyb_random_mix ((guint64) common->seed, g_str_hash (name));
  double  scale;

  for (guint i = 0; i < G_N_ELEMENTS (constants_by_ending); i++)
    if (g_str_has_suffix (name, constants_by_ending[i].ending))
      {
        fill_constant (tensor, constants_by_ending[i].value);
        return;
      }

  if (!common->init || strcmp (common->init, "zeros") == 0 || role == HYB_ROLE_STATE ||
      role == HYB_ROLE_LABEL)
    fill_constant (tensor, 0);
  else if (role == HYB_ROLE_DATA)
    fill_uniform (tensor, seed, 0, 1);
  else
    {
      scale = strcmp (common->init, "xavier") == 0 ? xavier_scale (hyb_tensor_get_shape (tensor))
                                                   : 0.07;
      fill_uniform (tensor, seed, -scale, scale);
    }
}

HybTensor *
scope_allocate_value (const char *name, const HybType *type, gsize *total, GError **error)
{
  gsize      limit = (gsize) hyb_limits_get_run_memory ();
  gsize      bytes = 0;
  HybTensor *tensor = NULL;

  if (hyb_shape_bytes (&type->shape, type->dtype, &bytes, error))
    {
      *total += MIN (bytes, limit);
      if (bytes >= limit || *total >= limit)
        hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MEMORY, NULL,
                      "Give smaller shapes, or raise the limit",
                      "it needs %" G_GSIZE_FORMAT
                      " bytes; all variables together may take %" G_GSIZE_FORMAT
                      " bytes: the memory of this machine, --limit-memory, or what a limit of the "
                      "process (ulimit -v) leaves",
                      bytes, limit);
      else
        tensor = hyb_tensor_new (type, error);
    }
  if (!tensor)
    g_prefix_error (error, "variable “%s”: ", name);
  return tensor;
}
