/* infer-lowered.c — types of a graph of another format, from what its nodes are lowered to.
 *
 * Lowering wants sizes, but files leave dimensions open.  So open dimensions get sizes in three turns, and the graph is
 * lowered with each.  A dimension that is the same in all turns is that number; one that follows an open dimension is
 * written in its name (“batch”, “2·time”); all others are unknown.  If the graph does not accept the sizes, others are
 * tried: large ones, because a window must fit into them; small ones, because there may be a limit; and 1, because an
 * export may have frozen a dimension that it declares open.  Start with hyb_lowered_infer_types().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/lower/infer-lowered.h"

#include "engine/analysis/declared-types.h"
#include "engine/base/error.h"
#include "engine/lower/lowering-private.h"
#include "engine/lower/open-dims.h"

#include <string.h>

/* --- Sizes --- */

static HybLowered *
lower_sized (const OpenGraph *open, guint turn)
{
  guint               n_values = hyb_graph_n_values (open->graph), n;
  const HybNodeId    *variables = hyb_graph_get_variables (open->graph, &n);
  g_autofree HybType *types = g_memdup2 (open->types, sizeof (HybType) * MAX (n_values, 1));

  for (guint i = 0; i < n; i++)
    {
      HybShape *shape = &types[hyb_graph_get_node (open->graph, variables[i])->first_output].shape;

      for (int axis = 0; axis < shape->rank; axis++)
        if (shape->dim[axis] < 0)
          shape->dim[axis] =
              g_array_index (open->dims, OpenDim, open->first[i * HYB_MAX_RANK + (guint) axis])
                  .size[turn];
    }
  return hyb_lower (open->graph,
                    &(HybLowerOptions){
                        .types = types, .training = open->training, .is_tolerant = TRUE },
                    NULL);
}

/* --- Results --- */

/* A graph that was lowered with sizes. */
typedef struct
{
  HybLowered *turn[N_TURNS]; /* NULL: not tried */
} Attempt;

/* Whether the first two turns of some sizes are too close for what they agree on to be certain. */
static gboolean
are_close (Sizes sizes)
{
  return sizes == SIZES_MIDDLE || sizes == SIZES_SMALL;
}

/* Takes back dimensions that are others where a graph was lowered with sizes that are far away.  What it could not lower then is
 * unknown there, and refutes nothing. */
static void
refute_type (HybType *type, const HybType *witness)
{
  for (int i = 0; i < type->shape.rank && type->shape.rank == witness->shape.rank; i++)
    if (type->shape.dim[i] >= 0 && witness->shape.dim[i] >= 0 &&
        type->shape.dim[i] != witness->shape.dim[i])
      type->shape.dim[i] = HYB_UNKNOWN;
}

static void
refute_types (const OpenGraph *open, const HybLowered *witness)
{
  guint n_values = hyb_graph_n_values (open->graph);

  for (HybValueId value = 0; value < n_values; value++)
    refute_type (&open->types[value], &witness->value_types[value]);
}

static void
store_types (const OpenGraph *open, const Attempt *attempt, guint32 *fixed_by)
{
  guint n_values = hyb_graph_n_values (open->graph);

  for (HybValueId value = 0; value < n_values; value++)
    {
      HybNodeId producer = hyb_graph_get_producer (open->graph, value);
      gboolean  is_variable = hyb_node_is_variable (hyb_graph_get_node (open->graph, producer));
      const HybType *by_turn[N_TURNS] = { NULL };

      for (guint turn = 0; turn < N_TURNS && attempt->turn[turn]; turn++)
        by_turn[turn] = &attempt->turn[turn]->value_types[value];
      if (fixed_by)
        fixed_by[value] = is_variable ? HYB_NO_ID : producer;
      if (!is_variable)
        open->types[value] = hyb_open_dims_merge (open, by_turn);
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

/* The types inside a body, as all turns in which it runs have them in common; NULL: none can lower it.
 * (transfer full) */
static HybType *
merge_body (const OpenGraph *open, const Attempt *attempt, HybGraph *body)
{
  const HybType *types[N_TURNS] = { NULL };
  guint          n_values = hyb_graph_n_values (body), n = 0;
  HybType       *merged;

  for (guint turn = 0; turn < N_TURNS && attempt->turn[turn]; turn++)
    types[turn] = g_hash_table_lookup (attempt->turn[turn]->entered, body);
  if (!types[0])
    return NULL;
  while (n < N_TURNS && types[n])
    n++;
  merged = g_new (HybType, MAX (n_values, 1));
  for (guint value = 0; value < n_values; value++)
    {
      const HybType *by_turn[N_TURNS] = { NULL };

      for (guint turn = 0; turn < n; turn++)
        by_turn[turn] = &types[turn][value];
      merged[value] = hyb_open_dims_merge (open, by_turn);
    }
  return merged;
}

/* Puts into the first turn what all turns say of bodies. */
static void
unite_bodies (const OpenGraph *open, const Attempt *attempt)
{
  g_autoptr (GHashTable) united = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  GHashTableIter iter;
  gpointer       body;

  for (guint turn = 0; turn < N_TURNS && attempt->turn[turn]; turn++)
    {
      g_hash_table_iter_init (&iter, attempt->turn[turn]->entered);
      while (g_hash_table_iter_next (&iter, &body, NULL))
        if (!g_hash_table_contains (united, body))
          g_hash_table_insert (united, body, merge_body (open, attempt, body));
    }
  g_hash_table_unref (attempt->turn[0]->entered);
  attempt->turn[0]->entered = g_steal_pointer (&united);
}

static guint
n_faults (const Attempt *attempt)
{
  return attempt->turn[0]->faults->len + (attempt->turn[1] ? attempt->turn[1]->faults->len : 0);
}

/* Lowers the graph with two sets of sizes; once if they are the same. */
static void
try_sizes (const OpenGraph *open, Sizes sizes, Attempt *attempt)
{
  hyb_open_dims_set_sizes (open, sizes);
  attempt->turn[0] = lower_sized (open, 0);
  if (open->dims->len > 0 && sizes != SIZES_ONE)
    attempt->turn[1] = lower_sized (open, 1);
}

/* The sizes with the fewest faults. */
static Sizes
choose_sizes (const OpenGraph *open, Attempt *attempts)
{
  Sizes best = SIZES_DISTINCT;

  for (Sizes sizes = SIZES_DISTINCT; sizes < N_SIZES; sizes++)
    {
      try_sizes (open, sizes, &attempts[sizes]);
      if (n_faults (&attempts[sizes]) < n_faults (&attempts[best]))
        best = sizes;
      if (open->dims->len == 0 || n_faults (&attempts[best]) == 0)
        break;
    }
  return best;
}

/* Adds the third turn, unless the graph does not accept its sizes. */
static void
add_third_turn (const OpenGraph *open, Attempt *attempt)
{
  HybLowered *third = lower_sized (open, 2);

  if (third->faults->len <= attempt->turn[0]->faults->len)
    attempt->turn[2] = third;
  else
    hyb_lowered_free (third);
}

/* Infers types; the result is the attempt whose faults count. */
static Sizes
infer (OpenGraph *open, guint32 *fixed_by, Attempt *attempts)
{
  g_autofree guint *first = NULL;
  Sizes             chosen;

  hyb_declared_types_read (open->graph, open->types);
  hyb_open_dims_collect (open);
  first = open->first;
  chosen = choose_sizes (open, attempts);
  hyb_open_dims_set_sizes (open, chosen);
  if (attempts[chosen].turn[1] && !are_close (chosen))
    add_third_turn (open, &attempts[chosen]);
  unite_bodies (open, &attempts[chosen]);
  store_types (open, &attempts[chosen], fixed_by);
  for (Sizes sizes = SIZES_DISTINCT; sizes < chosen && are_close (chosen); sizes++)
    refute_types (open, attempts[sizes].turn[0]);
  return chosen;
}

static void
free_attempts (Attempt *attempts)
{
  for (Sizes sizes = SIZES_DISTINCT; sizes < N_SIZES; sizes++)
    for (guint turn = 0; turn < N_TURNS; turn++)
      hyb_lowered_free (attempts[sizes].turn[turn]);
}

gboolean
hyb_lowered_infer_types (HybGraph *graph,
                         HybType  *types,
                         guint32  *fixed_by,
                         gboolean  training,
                         GError  **error)
{
  g_autoptr (GArray) dims = g_array_new (FALSE, FALSE, sizeof (OpenDim));
  OpenGraph open = { .graph = graph, .types = types, .dims = dims, .training = training };
  Attempt   attempts[N_SIZES] = { 0 };
  Sizes     chosen = infer (&open, fixed_by, attempts);
  gboolean  is_good = report_fault (attempts[chosen].turn[0], error);

  free_attempts (attempts);
  return is_good;
}

/* What the graph says to sizes that it does not accept. */
static GArray *
ref_refusals (const Attempt *attempt)
{
  guint turn = attempt->turn[0]->faults->len > 0 || !attempt->turn[1] ? 0 : 1;

  return g_array_ref (attempt->turn[turn]->faults);
}

void
hyb_lowered_infer (HybGraph *graph, HybType *types, HybLoweredFacts *facts)
{
  static const char *const words[N_SIZES] = { [SIZES_SMALL] = "small sizes",
                                              [SIZES_ONE_BATCH] = "a size of 1 for the first axis",
                                              [SIZES_ONE] = "sizes of 1" };
  g_autoptr (GArray) dims = g_array_new (FALSE, FALSE, sizeof (OpenDim));
  OpenGraph open = { .graph = graph, .types = types, .dims = dims };
  Attempt   attempts[N_SIZES] = { 0 };
  Sizes     chosen = infer (&open, NULL, attempts);

  facts->faults = g_array_ref (attempts[chosen].turn[0]->faults);
  facts->accepted = words[chosen];
  facts->frozen = words[chosen] ? ref_refusals (&attempts[SIZES_DISTINCT]) : NULL;
  facts->is_limit = chosen == SIZES_SMALL;
  free_attempts (attempts);
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
  Attempt     attempts[N_SIZES] = { 0 };
  Sizes       chosen = infer (&open, NULL, attempts);
  HybLowered *lowered = g_steal_pointer (&attempts[chosen].turn[0]);

  free_attempts (attempts);
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
