/* param-equal.c — equality and hashes of params structs, for the passes that merge equal nodes.
 *
 * Values are compared byte by byte at the offsets of the table of attributes. Start with
 * hyb_params_equal().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/param.h"

#include "engine/tensor/tensor.h"

#include <string.h>

static guint
hash_bytes (guint hash, gconstpointer data, gsize size)
{
  const guint8 *bytes = data;

  for (gsize i = 0; i < size; i++)
    hash = (hash ^ bytes[i]) * 16777619u; /* FNV */
  return hash;
}

/* The bytes of one attribute's value.  Of a shape or tuple these are its elements only; compare
 * param_count() too. */
static gconstpointer
param_memory (const HybParam *param, gconstpointer params, gsize *size)
{
  gconstpointer field = (const char *) params + param->offset;

  switch (param->kind)
    {
    case HYB_PARAM_INT:
    case HYB_PARAM_OPTIONAL_INT:
      *size = sizeof (gint64);
      return field;
    case HYB_PARAM_FLOAT:
    case HYB_PARAM_OPTIONAL_FLOAT:
      *size = sizeof (double);
      return field;
    case HYB_PARAM_BOOL:
    case HYB_PARAM_OPTIONAL_BOOL:
    case HYB_PARAM_ENUM:
    case HYB_PARAM_DTYPE:
      *size = sizeof (int);
      return field;
    case HYB_PARAM_SHAPE:
      *size = (gsize) MAX (((const HybShape *) field)->rank, 0) * sizeof (gint64);
      return ((const HybShape *) field)->dim;
    case HYB_PARAM_INTS:
      *size = (gsize) MAX (((const HybInts *) field)->n, 0) * sizeof (gint64);
      return ((const HybInts *) field)->value;
    case HYB_PARAM_FLOATS:
      *size = (gsize) MAX (((const HybFloats *) field)->n, 0) * sizeof (double);
      return ((const HybFloats *) field)->value;
    case HYB_PARAM_TENSOR: /* the same tensor, not equal contents */
      *size = sizeof (HybTensor *);
      return field;
    case HYB_PARAM_STRING:
      *size = *(char *const *) field != NULL ? strlen (*(char *const *) field) : 0;
      return *(char *const *) field;
    }
  g_assert_not_reached ();
}

/* The number of elements of a shape or tuple.  It differs between None and an empty tuple, and
 * between a missing string and an empty one, which have equal bytes. */
static int
param_count (const HybParam *param, gconstpointer params)
{
  gconstpointer field = (const char *) params + param->offset;

  if (param->kind == HYB_PARAM_SHAPE)
    return ((const HybShape *) field)->rank;
  if (param->kind == HYB_PARAM_INTS)
    return ((const HybInts *) field)->n;
  if (param->kind == HYB_PARAM_FLOATS)
    return ((const HybFloats *) field)->n;
  return param->kind == HYB_PARAM_STRING && !*(char *const *) field ? HYB_UNKNOWN : 0;
}

guint
hyb_params_hash (guint hash, const HybParam *table, gconstpointer params)
{
  for (; table && params && table->name; table++)
    {
      gsize         size;
      gconstpointer memory = param_memory (table, params, &size);

      hash = hash_bytes (hash, memory, size);
    }
  return hash;
}

gboolean
hyb_params_equal (const HybParam *table, gconstpointer a, gconstpointer b)
{
  if (a == b || !table)
    return TRUE;
  if (!a || !b)
    return FALSE;

  for (; table->name != NULL; table++)
    {
      gsize         a_size, b_size;
      gconstpointer a_memory = param_memory (table, a, &a_size);
      gconstpointer b_memory = param_memory (table, b, &b_size);

      if (param_count (table, a) != param_count (table, b) || a_size != b_size ||
          (a_size > 0 && memcmp (a_memory, b_memory, a_size) != 0))
        return FALSE;
    }
  return TRUE;
}
