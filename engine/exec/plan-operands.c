/* plan-operands.c — the types of the operands of all steps of a plan: a table of the shared ones.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/exec/plan-operands.h"

#include "engine/base/arena.h"

#include <string.h>

struct _HybOperands
{
  HybArena   *arena;
  GHashTable *shared; /* of Types, which are their own keys */
};

/* The types of one step. */
typedef struct
{
  guint          n;
  const HybType *types;
} Types;

static guint
hash_types (gconstpointer data)
{
  const Types *list = data;
  guint        hash = list->n;

  for (guint i = 0; i < list->n; i++)
    {
      const HybType *type = &list->types[i];

      hash = hash * 31 + (guint) type->dtype;
      for (int d = 0; d < type->shape.rank; d++)
        hash = hash * 31 + (guint) type->shape.dim[d] + (guint) (type->shape.dim[d] >> 32);
    }
  return hash;
}

static gboolean
equal_types (gconstpointer a, gconstpointer b)
{
  const Types *one = a, *other = b;

  if (one->n != other->n)
    return FALSE;
  for (guint i = 0; i < one->n; i++)
    if (one->types[i].dtype != other->types[i].dtype ||
        !hyb_shape_equal (&one->types[i].shape, &other->types[i].shape))
      return FALSE;
  return TRUE;
}

HybOperands *
hyb_operands_new (void)
{
  HybOperands *operands = g_new (HybOperands, 1);

  operands->arena = hyb_arena_new ();
  operands->shared = g_hash_table_new (hash_types, equal_types);
  return operands;
}

void
hyb_operands_free (HybOperands *operands)
{
  if (!operands)
    return;
  g_hash_table_unref (operands->shared);
  hyb_arena_unref (operands->arena);
  g_free (operands);
}

HybType *
hyb_operands_share (HybOperands *operands, guint n, const HybType *types)
{
  Types *known = g_hash_table_lookup (operands->shared, &(Types){ n, types });

  if (!known)
    {
      HybType *copy = hyb_arena_alloc (operands->arena, sizeof (HybType) * MAX (n, 1));

      memcpy (copy, types, sizeof (HybType) * n);
      known = hyb_arena_alloc (operands->arena, sizeof (Types));
      *known = (Types){ n, copy };
      g_hash_table_add (operands->shared, known);
    }
  return (HybType *) known->types;
}

HybType *
hyb_operands_keep (HybOperands *operands, guint n, const HybType *types)
{
  HybType *copy = hyb_arena_alloc (operands->arena, sizeof (HybType) * MAX (2 * n, 1));

  memcpy (copy, types, sizeof (HybType) * n);
  return copy;
}
