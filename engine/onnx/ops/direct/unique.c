/* unique.c — Unique: the different elements of an array, or the different slices of an axis.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ops/direct.h"

#include <math.h>
#include <string.h>

/* Slices are seen as [before, n, after], with one element of each before and after. */
typedef struct
{
  const HybTensor *x;
  HybDType         dtype;
  gint64           before, n, after;
} Slices;

/* Groups of equal slices. */
typedef struct
{
  gint64 first; /* the first slice of the group */
  gint64 count;
} Group;

enum
{
  OUTPUT_Y,
  OUTPUT_INDICES,
  OUTPUT_INVERSE,
  OUTPUT_COUNTS,
  N_OUTPUTS,
};

/* NaN are equal to each other and larger than all numbers. */
static int
compare_doubles (double a, double b)
{
  if (isnan (a) || isnan (b))
    return isnan (a) - isnan (b);
  return a < b ? -1 : a > b;
}

static int
compare_elements (const Slices *slices, gint64 i, gint64 k)
{
  gconstpointer data = hyb_tensor_get_data (slices->x);
  gint64        a, b;

  if (hyb_dtype_is_float (slices->dtype))
    return compare_doubles (hyb_tensor_get_value (slices->x, i),
                            hyb_tensor_get_value (slices->x, k));
  a = hyb_dtype_get_int (data, slices->dtype, (gsize) i);
  b = hyb_dtype_get_int (data, slices->dtype, (gsize) k);
  if (slices->dtype == HYB_U64)
    return (guint64) a < (guint64) b ? -1 : (guint64) a > (guint64) b;
  return a < b ? -1 : a > b;
}

static int
compare_slices (gconstpointer first, gconstpointer second, gpointer data)
{
  const Slices *slices = data;
  gint64        a = *(const gint64 *) first, b = *(const gint64 *) second;

  for (gint64 i = 0; i < slices->before; i++)
    for (gint64 k = 0; k < slices->after; k++)
      {
        int order = compare_elements (slices, (i * slices->n + a) * slices->after + k,
                                      (i * slices->n + b) * slices->after + k);

        if (order != 0)
          return order;
      }
  return 0;
}

/* The slices in ascending order; equal ones keep the order of the array. */
static GArray *
sort_slices (Slices *slices)
{
  GArray *order = g_array_sized_new (FALSE, FALSE, sizeof (gint64), (guint) slices->n);

  for (gint64 i = 0; i < slices->n; i++)
    g_array_append_val (order, i);
  g_array_sort_with_data (order, compare_slices, slices);
  return order;
}

static int
compare_firsts (gconstpointer a, gconstpointer b)
{
  const Group *x = a, *y = b;

  return x->first < y->first ? -1 : x->first > y->first;
}

/* Groups by value, or by first slice.  g_array_sort() is stable, so that the first of a group is its first in the array. */
static GArray *
find_groups (Slices *slices, const GArray *order, gboolean is_sorted)
{
  GArray *groups = g_array_new (FALSE, FALSE, sizeof (Group));

  for (guint i = 0; i < order->len; i++)
    {
      gint64 slice = g_array_index (order, gint64, i);
      Group  group = { slice, 1 };

      if (i > 0 && compare_slices (&slice, &g_array_index (order, gint64, i - 1), slices) == 0)
        g_array_index (groups, Group, groups->len - 1).count++;
      else
        g_array_append_val (groups, group);
    }
  if (!is_sorted)
    g_array_sort (groups, compare_firsts);
  return groups;
}

/* --- Outputs --- */

/* The first slice of each group, with the other axes as they were. */
static HybTensor *
copy_slices (const Slices *slices, const GArray *groups, int axis, GError **error)
{
  HybType    type = *hyb_tensor_get_type (slices->x);
  gsize      bytes = (gsize) slices->after * hyb_dtype_size (slices->dtype);
  HybTensor *y;
  char      *to;

  if (axis < 0)
    type.shape = hyb_shape_1d (groups->len);
  else
    type.shape.dim[axis] = groups->len;
  y = hyb_tensor_new (&type, error);
  to = hyb_tensor_get_data (y);
  for (gint64 i = 0; y && i < slices->before; i++)
    for (guint g = 0; g < groups->len; g++)
      {
        gint64 from = i * slices->n + g_array_index (groups, Group, g).first;

        memcpy (to, (const char *) hyb_tensor_get_data (slices->x) + (gsize) from * bytes, bytes);
        to += bytes;
      }
  return y;
}

/* For each slice its group. */
static GArray *
find_inverse (Slices *slices, const GArray *order, const GArray *groups)
{
  GArray            *inverse = g_array_sized_new (FALSE, TRUE, sizeof (gint64), order->len);
  g_autofree gint64 *by_first = g_new0 (gint64, MAX (order->len, 1));
  gint64             group = 0;

  g_array_set_size (inverse, order->len);
  for (guint g = 0; g < groups->len; g++)
    by_first[g_array_index (groups, Group, g).first] = g;
  for (guint i = 0; i < order->len; i++)
    {
      gint64 slice = g_array_index (order, gint64, i);

      if (i == 0 || compare_slices (&slice, &g_array_index (order, gint64, i - 1), slices) != 0)
        group = by_first[slice];
      g_array_index (inverse, gint64, slice) = group;
    }
  return inverse;
}

static HybTensor *
list_groups (const GArray *groups, gboolean counts, GError **error)
{
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (gint64));

  for (guint g = 0; g < groups->len; g++)
    {
      const Group *group = &g_array_index (groups, Group, g);

      g_array_append_val (values, *(counts ? &group->count : &group->first));
    }
  return onnx_direct_ints (values, 1, error);
}

static gboolean
set_outputs (const HybCall *call, Slices *slices, int axis, HybTensor **outputs, GError **error)
{
  g_autoptr (GArray) order = sort_slices (slices);
  g_autoptr (GArray) groups = find_groups (slices, order, onnx_direct_int (call, "sorted", 1) != 0);
  g_autoptr (GArray) inverse = find_inverse (slices, order, groups);
  HybTensor *all[N_OUTPUTS];
  gboolean   is_done = TRUE;

  all[OUTPUT_Y] = copy_slices (slices, groups, axis, error);
  all[OUTPUT_INDICES] = all[0] ? list_groups (groups, FALSE, error) : NULL;
  all[OUTPUT_INVERSE] = all[1] ? onnx_direct_ints (inverse, 1, error) : NULL;
  all[OUTPUT_COUNTS] = all[2] ? list_groups (groups, TRUE, error) : NULL;
  for (guint i = 0; i < N_OUTPUTS; i++)
    {
      is_done &= all[i] != NULL;
      if (i < call->n_outputs)
        outputs[i] = all[i];
      else
        hyb_tensor_unref (all[i]);
    }
  return is_done;
}

static gboolean
compute_unique (HybCall          *call,
                const HybRun     *run,
                HybTensor *const *inputs,
                HybTensor       **outputs,
                GError          **error)
{
  HybTensor      *x = onnx_direct_input (call, inputs, 0);
  const HybShape *shape = hyb_tensor_get_shape (x);
  gboolean        has_axis = onnx_direct_attribute (call, "axis", HYB_ONNX_ATTRIBUTE_INT) != NULL;
  gint64          axis = onnx_direct_int (call, "axis", 0);
  Slices          slices = { x, hyb_tensor_get_dtype (x), 1, hyb_tensor_get_size (x), 1 };

  if (!x)
    return onnx_direct_refuse (error, "its input is left out");
  if (!has_axis)
    return set_outputs (call, &slices, -1, outputs, error);
  axis = axis < 0 ? axis + shape->rank : axis;
  if (axis < 0 || axis >= shape->rank)
    return onnx_direct_refuse (error, "its axis is outside of its input");
  slices.before = hyb_shape_count (shape, 0, (int) axis);
  slices.n = shape->dim[axis];
  slices.after = hyb_shape_count (shape, (int) axis + 1, shape->rank);
  return set_outputs (call, &slices, (int) axis, outputs, error);
}

static void
lower_unique (HybLowering *lowering)
{
  HybType  type = *hyb_onnx_type (lowering, 0), vector = { hyb_shape_1d (HYB_UNKNOWN), HYB_I64 };
  gboolean has_axis = hyb_onnx_attribute (lowering, "axis") != NULL;
  int      axis =
      has_axis ? hyb_onnx_axis (lowering, hyb_onnx_int (lowering, "axis", 0), type.shape.rank) : -1;

  if (has_axis && axis < 0)
    return;
  if (has_axis)
    type.shape.dim[axis] = HYB_UNKNOWN;
  else
    type.shape = hyb_shape_1d (HYB_UNKNOWN);
  hyb_lowering_set_type (lowering, 0, &type);
  for (guint i = 1; i < N_OUTPUTS; i++)
    hyb_lowering_set_type (lowering, i, &vector);
}

static const char *const inputs[] = { "X", NULL };
static const char *const outputs[] = { "Y", "indices", "inverse_indices", "counts", NULL };

const HybOnnxOp hyb_onnx_ops_unique[] = {
  { .op = { HYB_ONNX_BODIES_ROW, .name = "Unique",
            .doc = "The different elements, or the different slices of an axis.",
            .category = HYB_CATEGORY_MOVEMENT, .inputs = inputs, .outputs = outputs,
            .lower = lower_unique, .compute = compute_unique },
    .since = 11 },
  { .since = 0 },
};
