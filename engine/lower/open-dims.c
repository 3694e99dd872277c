/* open-dims.c — primes as sizes of open dimensions, and the search for names of sizes that were computed
 * from them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/lower/open-dims.h"

#include "engine/lower/lowering-private.h"

#include <string.h>

/* Multiples and differences of an open dimension that are recognised. */
#define MAX_FACTOR     64
#define MAX_DIFFERENCE 64

/* --- Open dimensions --- */

static gboolean
is_prime (guint n)
{
  for (guint i = 2; i * i <= n; i++)
    if (n % i == 0)
      return FALSE;
  return n >= 2;
}

static guint
next_prime (guint n)
{
  do
    n++;
  while (!is_prime (n));
  return n;
}

/* The dimension of that name, or a new one. */
static guint
find_dim (GArray *dims, const char *name, guint axis, int rank)
{
  OpenDim dim = { .name = name, .is_batch = axis == 0, .is_extent = rank >= 4 && axis >= 1 };

  for (guint i = 0; name && i < dims->len; i++)
    {
      OpenDim *other = &g_array_index (dims, OpenDim, i);

      if (other->name && strcmp (other->name, name) == 0)
        {
          other->is_extent |= dim.is_extent;
          return i;
        }
    }
  g_array_append_val (dims, dim);
  return dims->len - 1;
}

void
hyb_open_dims_collect (OpenGraph *open)
{
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (open->graph, &n);

  open->first = g_new0 (guint, (gsize) MAX (n, 1) * HYB_MAX_RANK);
  for (guint i = 0; i < n; i++)
    {
      const HybShape *shape =
          &open->types[hyb_graph_get_node (open->graph, variables[i])->first_output].shape;

      for (int axis = 0; axis < shape->rank; axis++)
        if (shape->dim[axis] < 0)
          open->first[i * HYB_MAX_RANK + (guint) axis] =
              find_dim (open->dims, hyb_dim_get_name (shape->dim[axis]), (guint) axis, shape->rank);
    }
}

/* --- Sizes --- */

/* Numbers below the first prime of each turn. */
static const guint below[N_SIZES][N_TURNS] = {
  [SIZES_DISTINCT] = { 10, 72, 4000 },  [SIZES_LARGE] = { 1500, 4000, 9000 },
  [SIZES_MIDDLE] = { 500, 520, 530 },   [SIZES_SMALL] = { 1, 2, 2 },
  [SIZES_ONE_BATCH] = { 10, 72, 4000 },
};
/* The same for extents, which are multiples of EXTENT. */
static const guint extent_below[N_TURNS] = { 6, 30, 120 };
#define EXTENT 32

void
hyb_open_dims_set_sizes (const OpenGraph *open, Sizes sizes)
{
  for (guint turn = 0; turn < N_TURNS; turn++)
    {
      guint prime = below[sizes][turn], extent = extent_below[turn];

      for (guint i = 0; i < open->dims->len; i++)
        {
          OpenDim *dim = &g_array_index (open->dims, OpenDim, i);

          if (sizes == SIZES_ONE || (sizes == SIZES_ONE_BATCH && dim->is_batch))
            dim->size[turn] = 1;
          else if (dim->is_extent && sizes != SIZES_SMALL)
            dim->size[turn] = EXTENT * (gint64) (extent = next_prime (extent));
          else
            dim->size[turn] = prime = next_prime (prime);
        }
    }
}

/* --- Naming --- */

/* A name that consists of another, an operator and a number; either number may be 0: left out. */
static gint64
named (gint64 before, const char *name, const char *operator, gint64 behind)
{
  g_autofree char *factor = before > 0 ? g_strdup_printf ("%" G_GINT64_FORMAT "·", before) : NULL;
  g_autofree char *tail =
      behind > 0 ? g_strdup_printf ("%s%" G_GINT64_FORMAT, operator, behind) : NULL;
  g_autofree char *text = g_strconcat (factor ? factor : "", name, tail, NULL);

  return hyb_dim_named (text);
}

/* A dimension in all turns that were tried. */
typedef struct
{
  guint  n;
  gint64 size[N_TURNS];
} Seen;

/* Whether it is `factor` times another plus a difference in all turns. */
static gboolean
follows (const Seen *seen, const gint64 *size, gint64 factor, gint64 difference)
{
  for (guint turn = 0; turn < seen->n; turn++)
    if (seen->size[turn] != factor * size[turn] + difference)
      return FALSE;
  return TRUE;
}

static gboolean
is_part (const Seen *seen, const gint64 *size, gint64 divisor)
{
  for (guint turn = 0; turn < seen->n; turn++)
    if (divisor * seen->size[turn] != size[turn])
      return FALSE;
  return TRUE;
}

/* In terms of one open dimension; HYB_UNKNOWN if it does not follow from it. */
static gint64
name_by_one (const OpenDim *dim, const Seen *seen)
{
  gint64 difference = seen->size[0] - dim->size[0];

  if (follows (seen, dim->size, 1, 0))
    return hyb_dim_named (dim->name);
  for (gint64 k = 2; k <= MAX_FACTOR; k++)
    {
      if (follows (seen, dim->size, k, 0))
        return named (k, dim->name, "", 0);
      if (is_part (seen, dim->size, k))
        return named (0, dim->name, "/", k);
    }
  if (ABS (difference) <= MAX_DIFFERENCE && follows (seen, dim->size, 1, difference))
    return named (0, dim->name, difference > 0 ? "+" : "−", ABS (difference));
  return HYB_UNKNOWN;
}

static gint64
name_by_two (const OpenDim *x, const OpenDim *y, const Seen *seen)
{
  g_autofree char *text = NULL;

  for (guint turn = 0; turn < seen->n; turn++)
    if (seen->size[turn] != x->size[turn] * y->size[turn])
      return HYB_UNKNOWN;
  text = g_strdup_printf ("%s·%s", x->name, y->name);
  return hyb_dim_named (text);
}

static gint64
merge_dim (const OpenGraph *open, const Seen *seen)
{
  gint64 found = HYB_UNKNOWN;

  for (guint turn = 0; turn < seen->n; turn++)
    if (seen->size[turn] < 0)
      return HYB_UNKNOWN;
  if (seen->n == 1 || follows (seen, seen->size, 0, seen->size[0]))
    return seen->size[0];
  for (guint i = 0; i < open->dims->len && found == HYB_UNKNOWN; i++)
    {
      const OpenDim *dim = &g_array_index (open->dims, OpenDim, i);

      if (dim->name)
        found = name_by_one (dim, seen);
    }
  for (guint i = 0; i < MIN (open->dims->len, 8) && found == HYB_UNKNOWN; i++)
    for (guint k = i; k < MIN (open->dims->len, 8) && found == HYB_UNKNOWN; k++)
      {
        const OpenDim *x = &g_array_index (open->dims, OpenDim, i);
        const OpenDim *y = &g_array_index (open->dims, OpenDim, k);

        if (x->name && y->name)
          found = name_by_two (x, y, seen);
      }
  return found;
}

HybType
hyb_open_dims_merge (const OpenGraph *open, const HybType *const by_turn[N_TURNS])
{
  HybType type = *by_turn[0];
  guint   n = 1;

  while (n < N_TURNS && by_turn[n])
    hyb_type_keep_common (&type, by_turn[n++]);
  for (int i = 0; i < type.shape.rank; i++)
    {
      Seen seen = { .n = n };

      for (guint turn = 0; turn < n; turn++)
        seen.size[turn] = by_turn[turn]->shape.dim[i];
      type.shape.dim[i] = merge_dim (open, &seen);
    }
  return type;
}
