/* infer-lowered.c — types of a graph of another format, from what its nodes are lowered to.
 *
 * Lowering wants sizes, but files leave dimensions open.  So open dimensions get two sets of sizes, and the graph is
 * lowered with each.  A dimension that is the same both times is that number; one that follows an open dimension is
 * written in its name (“batch”, “2·time”); all others are unknown.  If the graph does not accept the sizes, because
 * an export froze a dimension that it declares open, sizes of 1 are tried.  Start with hyb_lowered_infer_types().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/lower/infer-lowered.h"

#include "engine/analysis/declared-types.h"
#include "engine/base/error.h"
#include "engine/lower/lowering.h"

#include <string.h>

/* Multiples and differences of an open dimension that are recognised. */
#define MAX_FACTOR     64
#define MAX_DIFFERENCE 64

/* A dimension of a variable whose size is open. */
typedef struct
{
  const char *name;      /* NULL: it has none */
  gboolean    is_batch;  /* the first axis */
  gboolean    is_extent; /* of an image, which networks halve several times */
  gint64      size[2];
} OpenDim;

typedef struct
{
  HybGraph *graph;
  HybType  *types; /* by value, as given */
  GArray   *dims;  /* of OpenDim */
  guint
      *first; /* by variable: the index of the dimension of each axis, HYB_MAX_RANK entries each */
  gboolean training;
} OpenGraph;

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

static void
collect_dims (OpenGraph *open)
{
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (open->graph, &n);
  guint            small = 10, large = 72, extent = 6;

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
  for (guint i = 0; i < open->dims->len; i++)
    {
      OpenDim *dim = &g_array_index (open->dims, OpenDim, i);

      if (dim->is_extent)
        {
          dim->size[0] = 32 * (gint64) (extent = next_prime (extent));
          dim->size[1] = 32 * (gint64) (extent = next_prime (extent));
        }
      else
        {
          dim->size[0] = small = next_prime (small);
          dim->size[1] = large = next_prime (large);
        }
    }
}

/* --- Two sizes --- */

/* Sizes that are tried one after the other until the graph accepts them. */
typedef enum
{
  SIZES_DISTINCT,  /* every open dimension another prime */
  SIZES_ONE_BATCH, /* 1 for the first axes, where exports freeze most */
  SIZES_ONE,       /* 1 for all */
  N_SIZES,
} Sizes;

static gint64
size_of (const OpenDim *dim, Sizes sizes, guint turn)
{
  return sizes == SIZES_ONE || (sizes == SIZES_ONE_BATCH && dim->is_batch) ? 1 : dim->size[turn];
}

static HybLowered *
lower_sized (const OpenGraph *open, Sizes sizes, guint turn)
{
  guint               n_values = hyb_graph_n_values (open->graph), n;
  const HybNodeId    *variables = hyb_graph_get_variables (open->graph, &n);
  g_autofree HybType *types = g_memdup2 (open->types, sizeof (HybType) * MAX (n_values, 1));

  for (guint i = 0; i < n; i++)
    {
      HybShape *shape = &types[hyb_graph_get_node (open->graph, variables[i])->first_output].shape;

      for (int axis = 0; axis < shape->rank; axis++)
        if (shape->dim[axis] < 0)
          shape->dim[axis] = size_of (&g_array_index (open->dims,
                                                      OpenDim,
                                                      open->first[i * HYB_MAX_RANK + (guint) axis]),
                                      sizes,
                                      turn);
    }
  return hyb_lower (open->graph,
                    &(HybLowerOptions){
                        .types = types, .training = open->training, .is_tolerant = TRUE },
                    NULL);
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

/* The sizes a and b in terms of one open dimension; HYB_UNKNOWN if they do not follow from it. */
static gint64
name_by_one (const OpenDim *dim, gint64 a, gint64 b)
{
  const gint64 *size = dim->size;

  if (a == size[0] && b == size[1])
    return hyb_dim_named (dim->name);
  for (gint64 k = 2; k <= MAX_FACTOR; k++)
    {
      if (a == k * size[0] && b == k * size[1])
        return named (k, dim->name, "", 0);
      if (k * a == size[0] && k * b == size[1])
        return named (0, dim->name, "/", k);
    }
  if (a - size[0] == b - size[1] && ABS (a - size[0]) <= MAX_DIFFERENCE)
    return named (0, dim->name, a > size[0] ? "+" : "−", ABS (a - size[0]));
  return HYB_UNKNOWN;
}

static gint64
name_by_two (const OpenDim *x, const OpenDim *y, gint64 a, gint64 b)
{
  g_autofree char *text = NULL;

  if (a != x->size[0] * y->size[0] || b != x->size[1] * y->size[1])
    return HYB_UNKNOWN;
  text = g_strdup_printf ("%s·%s", x->name, y->name);
  return hyb_dim_named (text);
}

static gint64
merge_dim (const OpenGraph *open, gint64 a, gint64 b)
{
  gint64 found = HYB_UNKNOWN;

  if (a < 0 || b < 0)
    return HYB_UNKNOWN;
  if (a == b)
    return a;
  for (guint i = 0; i < open->dims->len && found == HYB_UNKNOWN; i++)
    {
      const OpenDim *dim = &g_array_index (open->dims, OpenDim, i);

      if (dim->name)
        found = name_by_one (dim, a, b);
    }
  for (guint i = 0; i < MIN (open->dims->len, 8) && found == HYB_UNKNOWN; i++)
    for (guint k = i; k < MIN (open->dims->len, 8) && found == HYB_UNKNOWN; k++)
      {
        const OpenDim *x = &g_array_index (open->dims, OpenDim, i);
        const OpenDim *y = &g_array_index (open->dims, OpenDim, k);

        if (x->name && y->name)
          found = name_by_two (x, y, a, b);
      }
  return found;
}

static HybType
merge_type (const OpenGraph *open, const HybType *a, const HybType *b)
{
  HybType type = *a;

  if (a->dtype != b->dtype)
    type.dtype = HYB_DTYPE_UNKNOWN;
  if (a->shape.rank != b->shape.rank)
    type.shape.rank = HYB_UNKNOWN;
  for (int i = 0; i < type.shape.rank; i++)
    type.shape.dim[i] = merge_dim (open, a->shape.dim[i], b->shape.dim[i]);
  return type;
}

/* --- Results --- */

static void
store_types (const OpenGraph *open, const HybLowered *a, const HybLowered *b, guint32 *fixed_by)
{
  guint n_values = hyb_graph_n_values (open->graph);

  for (HybValueId value = 0; value < n_values; value++)
    {
      HybNodeId producer = hyb_graph_get_producer (open->graph, value);
      gboolean  is_variable = hyb_node_is_variable (hyb_graph_get_node (open->graph, producer));

      if (fixed_by)
        fixed_by[value] = is_variable ? HYB_NO_ID : producer;
      if (!is_variable)
        open->types[value] = merge_type (open, &a->value_types[value], &b->value_types[value]);
    }
}

/* The first fault that is a contradiction.  A node that this program cannot compute is none. */
static gboolean
report_fault (const HybLowered *lowered, GError **error)
{
  for (guint i = 0; i < lowered->faults->len; i++)
    {
      const GError *fault = g_array_index (lowered->faults, HybLoweringFault, i).error;

      if (g_error_matches (fault, HYB_OP_ERROR, HYB_OP_ERROR_UNSUPPORTED))
        continue;
      g_propagate_error (error, g_error_copy (fault));
      return FALSE;
    }
  return TRUE;
}

/* The sizes with the fewest faults.  tried: space for the lowering with each; NULL: not tried. */
static Sizes
choose_sizes (const OpenGraph *open, HybLowered **tried)
{
  Sizes best = SIZES_DISTINCT;

  for (Sizes sizes = SIZES_DISTINCT; sizes < N_SIZES; sizes++)
    {
      tried[sizes] = lower_sized (open, sizes, 0);
      if (tried[sizes]->faults->len < tried[best]->faults->len)
        best = sizes;
      if (open->dims->len == 0 || tried[best]->faults->len == 0)
        break;
    }
  return best;
}

/* Adds the bodies that run with other sizes. */
static void
unite_entered (HybLowered *lowered, const HybLowered *other)
{
  GHashTableIter iter;
  gpointer       body;

  g_hash_table_iter_init (&iter, other->entered);
  while (g_hash_table_iter_next (&iter, &body, NULL))
    g_hash_table_add (lowered->entered, body);
}

/* Infers types; the result is the lowering whose faults count. */
static Sizes
infer (OpenGraph *open, guint32 *fixed_by, HybLowered **tried)
{
  g_autofree guint *first = NULL;
  g_autoptr (HybLowered) other = NULL;
  Sizes chosen;

  hyb_declared_types_read (open->graph, open->types);
  collect_dims (open);
  first = open->first;
  chosen = choose_sizes (open, tried);
  if (open->dims->len > 0 && chosen != SIZES_ONE)
    other = lower_sized (open, chosen, 1);
  if (other)
    unite_entered (tried[chosen], other);
  store_types (open, tried[chosen], other ? other : tried[chosen], fixed_by);
  return chosen;
}

static void
free_tried (HybLowered **tried)
{
  for (Sizes sizes = SIZES_DISTINCT; sizes < N_SIZES; sizes++)
    hyb_lowered_free (tried[sizes]);
}

gboolean
hyb_lowered_infer_types (HybGraph *graph,
                         HybType  *types,
                         guint32  *fixed_by,
                         gboolean  training,
                         GError  **error)
{
  g_autoptr (GArray) dims = g_array_new (FALSE, FALSE, sizeof (OpenDim));
  OpenGraph   open = { .graph = graph, .types = types, .dims = dims, .training = training };
  HybLowered *tried[N_SIZES] = { NULL };
  Sizes       chosen = infer (&open, fixed_by, tried);
  gboolean    is_good = report_fault (tried[chosen], error);

  free_tried (tried);
  return is_good;
}

void
hyb_lowered_infer (HybGraph *graph, HybType *types, HybLoweredFacts *facts)
{
  static const char *const words[] = { "", "a size of 1 for the first axis", "sizes of 1" };
  g_autoptr (GArray) dims = g_array_new (FALSE, FALSE, sizeof (OpenDim));
  OpenGraph   open = { .graph = graph, .types = types, .dims = dims };
  HybLowered *tried[N_SIZES] = { NULL };
  Sizes       chosen = infer (&open, NULL, tried);

  facts->faults = g_array_ref (tried[chosen]->faults);
  facts->frozen = chosen == SIZES_DISTINCT ? NULL : g_array_ref (tried[SIZES_DISTINCT]->faults);
  facts->accepted = words[chosen];
  free_tried (tried);
}

void
hyb_lowered_facts_clear (HybLoweredFacts *facts)
{
  g_clear_pointer (&facts->faults, g_array_unref);
  g_clear_pointer (&facts->frozen, g_array_unref);
}

HybLowered *
hyb_lowered_new (HybGraph *graph, const HybType *types)
{
  gsize               n_values = MAX (hyb_graph_n_values (graph), 1);
  g_autofree HybType *own = g_memdup2 (types, sizeof (HybType) * n_values);
  g_autoptr (GArray) dims = g_array_new (FALSE, FALSE, sizeof (OpenDim));
  OpenGraph   open = { .graph = graph, .types = own, .dims = dims };
  HybLowered *tried[N_SIZES] = { NULL };
  Sizes       chosen = infer (&open, NULL, tried);
  HybLowered *lowered = g_steal_pointer (&tried[chosen]);

  free_tried (tried);
  return lowered;
}

guint8 *
hyb_lowered_find_known (const HybLowered *lowered, HybGraph *graph)
{
  guint8 *known = g_new0 (guint8, MAX (hyb_graph_n_nodes (graph), 1));

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (graph, id);

      known[id] = !hyb_node_is_variable (node) && node->n_bodies == 0 && node->n_outputs > 0;
      for (guint i = 0; known[id] && i < node->n_outputs; i++)
        {
          HybValueId value = g_array_index (lowered->map, HybValueId, node->first_output + i);

          known[id] = value != HYB_NO_ID && lowered->contents[value];
        }
    }
  return known;
}
