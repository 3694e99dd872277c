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

typedef struct
{
  Group *group;
  gint64 n;
} Groups;

static void
clear_groups (Groups *groups)
{
  g_free (groups->group);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Groups, clear_groups)

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

static void
read_keys (const Slices *slices, Key *keys)
{
  gconstpointer data = hyb_tensor_get_data (slices->x);
  guint64       sign = slices->dtype == HYB_U64 ? 0 : 1ull << 63;

  for (gint64 i = 0; i < slices->n; i++)
    {
      keys[i].index = i;
      if (slices->dtype == HYB_I64)
        keys[i].key = (guint64) ((const gint64 *) data)[i] ^ sign;
      else if (hyb_dtype_is_float (slices->dtype))
        keys[i].key = key_of_double (hyb_dtype_get_double (data, slices->dtype, (gsize) i));
      else
        keys[i].key = (guint64) hyb_dtype_get_int (data, slices->dtype, (gsize) i) ^ sign;
    }
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

/* Orders the keys by one byte of them into `to`. */
static void
sort_by_byte (const Key *keys, gint64 n, int byte, Key *to)
{
  gint64 start[256] = { 0 }, sum = 0;

  for (gint64 i = 0; i < n; i++)
    start[keys[i].key >> (8 * byte) & 0xff]++;
  for (int value = 0; value < 256; value++)
    {
      gint64 count = start[value];

      start[value] = sum;
      sum += count;
    }
  for (gint64 i = 0; i < n; i++)
    to[start[keys[i].key >> (8 * byte) & 0xff]++] = keys[i];
}

/* Sorts n keys by each byte that is not the same in all; equal ones keep their order.  There is room for as many behind them.
 * Returns the sorted ones, which are the first or the second n. */
static const Key *
sort_keys (Key *keys, gint64 n)
{
  Key    *spare = keys + n, *sorted;
  guint64 differing = 0;

  if (n <= MAX_INSERTION)
    {
      insert_keys (keys, n);
      return keys;
    }
  for (gint64 i = 1; i < n; i++)
    differing |= keys[i].key ^ keys[0].key;
  for (int byte = 0; byte < 8; byte++)
    if (differing >> (8 * byte) & 0xff)
      {
        sort_by_byte (keys, n, byte, spare);
        sorted = spare;
        spare = keys;
        keys = sorted;
      }
  return keys;
}

/* --- Groups --- */

/* The slices in ascending order, of which equal ones keep the order of the array; by place whether another group begins. */
typedef struct
{
  gint64 *slice;
  guint8 *begins;
  gint64  n;
} Order;

static void
clear_order (Order *order)
{
  g_free (order->slice);
  g_free (order->begins);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Order, clear_order)

/* FALSE if memory is short. */
static gboolean
sort_elements (const Slices *slices, Order *order)
{
  g_autofree Key *room = g_try_new (Key, 2 * MAX (slices->n, 1));
  const Key      *keys;

  if (!room)
    return FALSE;
  read_keys (slices, room);
  keys = sort_keys (room, slices->n);
  for (gint64 i = 0; i < order->n; i++)
    {
      order->slice[i] = keys[i].index;
      order->begins[i] = i == 0 || keys[i].key != keys[i - 1].key;
    }
  return TRUE;
}

static void
compare_all (Slices *slices, Order *order)
{
  for (gint64 i = 0; i < order->n; i++)
    order->slice[i] = i;
  g_qsort_with_data (order->slice, (int) order->n, sizeof *order->slice, compare_slices, slices);
  for (gint64 i = 0; i < order->n; i++)
    order->begins[i] =
        i == 0 || compare_slices (&order->slice[i], &order->slice[i - 1], slices) != 0;
}

static gboolean
sort_slices (Slices *slices, Order *order, GError **error)
{
  gboolean is_done = TRUE;

  if (slices->n > G_MAXINT)
    return onnx_direct_refuse (error, "it has more than 2147483647 elements or slices to sort");
  *order = (Order){ g_try_new (gint64, MAX (slices->n, 1)), g_try_new (guint8, MAX (slices->n, 1)),
                    slices->n };
  if (!order->slice || !order->begins)
    is_done = FALSE;
  else if (slices->before * slices->after == 1)
    is_done = sort_elements (slices, order);
  else
    compare_all (slices, order);
  return is_done || onnx_direct_refuse (error, "memory is short for the order of its elements");
}

static int
compare_firsts (gconstpointer a, gconstpointer b, gpointer data)
{
  const Group *x = a, *y = b;

  return x->first < y->first ? -1 : x->first > y->first;
}

/* Groups by value, or by first slice.  FALSE if memory is short. */
static gboolean
find_groups (const Order *order, gboolean is_sorted, Groups *groups)
{
  gint64 n = 0;

  for (gint64 i = 0; i < order->n; i++)
    n += order->begins[i];
  groups->group = g_try_new (Group, MAX (n, 1));
  if (!groups->group)
    return FALSE;
  for (gint64 i = 0; i < order->n; i++)
    if (order->begins[i])
      groups->group[groups->n++] = (Group){ order->slice[i], 1 };
    else
      groups->group[groups->n - 1].count++;
  if (!is_sorted)
    g_qsort_with_data (groups->group, (int) n, sizeof *groups->group, compare_firsts, NULL);
  return TRUE;
}

/* --- Outputs --- */

/* The first slice of each group, with the other axes as they were. */
static HybTensor *
copy_slices (const Slices *slices, const Groups *groups, int axis, GError **error)
{
  HybType    type = *hyb_tensor_get_type (slices->x);
  gsize      bytes = (gsize) slices->after * hyb_dtype_size (slices->dtype);
  HybTensor *y;
  char      *to;

  if (axis < 0)
    type.shape = hyb_shape_1d (groups->n);
  else
    type.shape.dim[axis] = groups->n;
  y = hyb_tensor_new (&type, error);
  to = hyb_tensor_get_data (y);
  for (gint64 i = 0; y && i < slices->before; i++)
    for (gint64 g = 0; g < groups->n; g++)
      {
        gint64 from = i * slices->n + groups->group[g].first;

        memcpy (to, (const char *) hyb_tensor_get_data (slices->x) + (gsize) from * bytes, bytes);
        to += bytes;
      }
  return y;
}

/* For each slice its group. */
static HybTensor *
find_inverse (const Order *order, const Groups *groups, GError **error)
{
  HybType    type = { hyb_shape_1d (order->n), HYB_I64 };
  HybTensor *inverse = hyb_tensor_new (&type, error);
  gint64    *to = inverse ? hyb_tensor_get_data (inverse) : NULL, group = 0;

  if (!inverse)
    return NULL;
  /* The first slice of a group is read before it is written: it begins the group. */
  for (gint64 g = 0; g < groups->n; g++)
    to[groups->group[g].first] = g;
  for (gint64 i = 0; i < order->n; i++)
    {
      gint64 slice = order->slice[i];

      if (order->begins[i])
        group = to[slice];
      to[slice] = group;
    }
  return inverse;
}

static HybTensor *
list_groups (const Groups *groups, gboolean counts, GError **error)
{
  HybType    type = { hyb_shape_1d (groups->n), HYB_I64 };
  HybTensor *list = hyb_tensor_new (&type, error);

  for (gint64 g = 0; list && g < groups->n; g++)
    ((gint64 *) hyb_tensor_get_data (list))[g] =
        counts ? groups->group[g].count : groups->group[g].first;
  return list;
}

static gboolean
set_outputs (const HybCall *call, Slices *slices, int axis, HybTensor **outputs, GError **error)
{
  g_auto (Order) order = { 0 };
  g_auto (Groups) groups = { 0 };
  gboolean is_done = TRUE;

  if (!sort_slices (slices, &order, error))
    return FALSE;
  if (!find_groups (&order, onnx_direct_int (call, "sorted", 1) != 0, &groups))
    return onnx_direct_refuse (error, "memory is short for its groups");
  for (guint i = 0; i < MIN (call->n_outputs, N_OUTPUTS); i++)
    {
      outputs[i] = NULL;
      if (is_done && i == OUTPUT_Y)
        outputs[i] = copy_slices (slices, &groups, axis, error);
      else if (is_done && i == OUTPUT_INVERSE)
        outputs[i] = find_inverse (&order, &groups, error);
      else if (is_done)
        outputs[i] = list_groups (&groups, i == OUTPUT_COUNTS, error);
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
