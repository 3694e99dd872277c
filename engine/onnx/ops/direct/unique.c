/* unique.c — Unique: the different elements of an array, or the different slices of an axis.
 *
 * Slices of one element are sorted by keys, unsigned integers in the same order; longer ones by comparison.  Start with
 * set_outputs().
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

/* --- Keys --- */

/* An element as an unsigned integer of the same order. */
typedef struct
{
  guint64 key;
  gint64  index;
} Key;

/* Up to this many keys insertion is faster than counting. */
#define MAX_INSERTION 48

static guint64
key_of_double (double value)
{
  double  number = value + 0.0; /* both zeros are equal */
  guint64 bits;

  if (isnan (value))
    return G_MAXUINT64;
  memcpy (&bits, &number, sizeof bits);
  return bits >> 63 ? ~bits : bits | 1ull << 63;
}

static Key *
read_keys (const Slices *slices)
{
  gconstpointer data = hyb_tensor_get_data (slices->x);
  Key          *keys = g_new (Key, MAX (slices->n, 1));
  guint64       sign = slices->dtype == HYB_U64 ? 0 : 1ull << 63;

  for (gint64 i = 0; i < slices->n; i++)
    {
      keys[i].index = i;
      if (hyb_dtype_is_float (slices->dtype))
        keys[i].key = key_of_double (hyb_dtype_get_double (data, slices->dtype, (gsize) i));
      else
        keys[i].key = (guint64) hyb_dtype_get_int (data, slices->dtype, (gsize) i) ^ sign;
    }
  return keys;
}

static void
insert_keys (Key *keys, gint64 n)
{
  for (gint64 i = 1; i < n; i++)
    {
      Key    key = keys[i];
      gint64 at = i;

      for (; at > 0 && keys[at - 1].key > key.key; at--)
        keys[at] = keys[at - 1];
      keys[at] = key;
    }
}

/* Orders the keys by one byte of them into `to`; FALSE if the byte is the same in all. */
static gboolean
sort_by_byte (const Key *keys, gint64 n, int byte, Key *to)
{
  gint64 start[256] = { 0 }, sum = 0;

  for (gint64 i = 0; i < n; i++)
    start[keys[i].key >> (8 * byte) & 0xff]++;
  if (start[keys[0].key >> (8 * byte) & 0xff] == n)
    return FALSE;
  for (int value = 0; value < 256; value++)
    {
      gint64 count = start[value];

      start[value] = sum;
      sum += count;
    }
  for (gint64 i = 0; i < n; i++)
    to[start[keys[i].key >> (8 * byte) & 0xff]++] = keys[i];
  return TRUE;
}

/* Sorts keys, which it frees, byte by byte; equal ones keep their order.  (transfer full) */
static Key *
sort_keys (Key *keys, gint64 n)
{
  Key *spare = n > MAX_INSERTION ? g_new (Key, n) : NULL;

  if (!spare)
    insert_keys (keys, n);
  for (int byte = 0; spare && byte < 8; byte++)
    if (sort_by_byte (keys, n, byte, spare))
      {
        Key *sorted = spare;

        spare = keys;
        keys = sorted;
      }
  g_free (spare);
  return keys;
}

/* --- Groups --- */

/* The slices in ascending order, of which equal ones keep the order of the array; by place whether another group begins. */
typedef struct
{
  gint64   *slice;
  gboolean *begins;
  gint64    n;
} Order;

static void
clear_order (Order *order)
{
  g_free (order->slice);
  g_free (order->begins);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Order, clear_order)

static void
sort_elements (const Slices *slices, Order *order)
{
  Key *keys = sort_keys (read_keys (slices), slices->n);

  for (gint64 i = 0; i < order->n; i++)
    {
      order->slice[i] = keys[i].index;
      order->begins[i] = i == 0 || keys[i].key != keys[i - 1].key;
    }
  g_free (keys);
}

static Order
sort_slices (Slices *slices)
{
  Order order = { g_new (gint64, MAX (slices->n, 1)), g_new (gboolean, MAX (slices->n, 1)),
                  slices->n };

  if (slices->before * slices->after == 1)
    {
      sort_elements (slices, &order);
      return order;
    }
  for (gint64 i = 0; i < order.n; i++)
    order.slice[i] = i;
  g_qsort_with_data (order.slice, (int) order.n, sizeof *order.slice, compare_slices, slices);
  for (gint64 i = 0; i < order.n; i++)
    order.begins[i] = i == 0 || compare_slices (&order.slice[i], &order.slice[i - 1], slices) != 0;
  return order;
}

static int
compare_firsts (gconstpointer a, gconstpointer b)
{
  const Group *x = a, *y = b;

  return x->first < y->first ? -1 : x->first > y->first;
}

/* Groups by value, or by first slice. */
static GArray *
find_groups (const Order *order, gboolean is_sorted)
{
  GArray *groups = g_array_sized_new (FALSE, FALSE, sizeof (Group), (guint) order->n);

  for (gint64 i = 0; i < order->n; i++)
    {
      Group group = { order->slice[i], 1 };

      if (!order->begins[i])
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
find_inverse (const Order *order, const GArray *groups)
{
  GArray            *inverse = g_array_sized_new (FALSE, TRUE, sizeof (gint64), (guint) order->n);
  g_autofree gint64 *by_first = g_new0 (gint64, MAX (order->n, 1));
  gint64             group = 0;

  g_array_set_size (inverse, (guint) order->n);
  for (guint g = 0; g < groups->len; g++)
    by_first[g_array_index (groups, Group, g).first] = g;
  for (gint64 i = 0; i < order->n; i++)
    {
      gint64 slice = order->slice[i];

      if (order->begins[i])
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
  g_auto (Order) order = sort_slices (slices);
  g_autoptr (GArray) groups = find_groups (&order, onnx_direct_int (call, "sorted", 1) != 0);
  gboolean is_done = TRUE;

  for (guint i = 0; i < MIN (call->n_outputs, N_OUTPUTS); i++)
    {
      outputs[i] = NULL;
      if (is_done && i == OUTPUT_Y)
        outputs[i] = copy_slices (slices, groups, axis, error);
      else if (is_done && i == OUTPUT_INVERSE)
        {
          g_autoptr (GArray) inverse = find_inverse (&order, groups);

          outputs[i] = onnx_direct_ints (inverse, 1, error);
        }
      else if (is_done)
        outputs[i] = list_groups (groups, i == OUTPUT_COUNTS, error);
      is_done &= outputs[i] != NULL;
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
