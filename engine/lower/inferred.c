/* inferred.c — lowers a graph with sizes in several turns until it accepts them, and keeps the result with the graph.
 *
 * Start with hyb_inferred_get().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/lower/inferred.h"

#include "engine/analysis/declared-types.h"
#include "engine/graph/memo.h"
#include "engine/lower/lowering-private.h"

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

/* TRUE if the first two turns of some sizes are too close for an agreement to be certain. */
static gboolean
are_close (Sizes sizes)
{
  return sizes == SIZES_MIDDLE || sizes == SIZES_SMALL;
}

/* Clears dimensions that differ when the graph is lowered with very different sizes.  Nodes that could not be lowered then
 * have no types and refute nothing. */
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
store_types (const OpenGraph *open, const Attempt *attempt)
{
  guint n_values = hyb_graph_n_values (open->graph);

  for (HybValueId value = 0; value < n_values; value++)
    {
      HybNodeId producer = hyb_graph_get_producer (open->graph, value);
      gboolean  is_variable = hyb_node_is_variable (hyb_graph_get_node (open->graph, producer));
      const HybType *by_turn[N_TURNS] = { NULL };

      for (guint turn = 0; turn < N_TURNS && attempt->turn[turn]; turn++)
        by_turn[turn] = &attempt->turn[turn]->value_types[value];
      if (!is_variable)
        open->types[value] = hyb_open_dims_merge (open, by_turn);
    }
}

/* --- Bodies --- */

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

/* Merges the types of bodies from all turns into the first one. */
static void
unite_bodies (const OpenGraph *open, const Attempt *attempt)
{
  g_autoptr (GHashTable) united = hyb_lowering_bodies_new ();
  GHashTableIter iter;
  gpointer       body;

  for (guint turn = 0; turn < N_TURNS && attempt->turn[turn]; turn++)
    {
      g_hash_table_iter_init (&iter, attempt->turn[turn]->entered);
      while (g_hash_table_iter_next (&iter, &body, NULL))
        if (!g_hash_table_contains (united, body))
          g_hash_table_insert (united, hyb_graph_ref (body), merge_body (open, attempt, body));
    }
  g_hash_table_unref (attempt->turn[0]->entered);
  attempt->turn[0]->entered = g_steal_pointer (&united);
}

/* --- Attempts --- */

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
    hyb_lowered_unref (third);
}

/* Infers types; the result is the attempt whose faults count. */
static Sizes
infer (OpenGraph *open, Attempt *attempts)
{
  g_autofree guint *first = NULL;
  Sizes             chosen;

  hyb_open_dims_collect (open);
  first = open->first;
  chosen = choose_sizes (open, attempts);
  hyb_open_dims_set_sizes (open, chosen);
  if (attempts[chosen].turn[1] && !are_close (chosen))
    add_third_turn (open, &attempts[chosen]);
  unite_bodies (open, &attempts[chosen]);
  store_types (open, &attempts[chosen]);
  for (Sizes sizes = SIZES_DISTINCT; sizes < chosen && are_close (chosen); sizes++)
    refute_types (open, attempts[sizes].turn[0]);
  return chosen;
}

static void
free_attempts (Attempt *attempts)
{
  for (Sizes sizes = SIZES_DISTINCT; sizes < N_SIZES; sizes++)
    for (guint turn = 0; turn < N_TURNS; turn++)
      hyb_lowered_unref (attempts[sizes].turn[turn]);
}

/* The graph's error for sizes that it does not accept. */
static GArray *
ref_refusals (const Attempt *attempt)
{
  guint turn = attempt->turn[0]->faults->len > 0 || !attempt->turn[1] ? 0 : 1;

  return g_array_ref (attempt->turn[turn]->faults);
}

/* --- Results --- */

static void
clear (gpointer memory)
{
  HybInferred *inferred = memory;

  g_free (inferred->given);
  g_free (inferred->types);
  hyb_lowered_unref (inferred->lowered);
  g_clear_pointer (&inferred->refusals, g_array_unref);
}

void
hyb_inferred_unref (HybInferred *inferred)
{
  if (inferred)
    g_atomic_rc_box_release_full (inferred, clear);
}

/* The types of the variables, in their order.  (transfer full) */
static HybType *
dup_given (HybGraph *graph, const HybType *types)
{
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);
  HybType         *given = g_new (HybType, MAX (n, 1));

  for (guint i = 0; i < n; i++)
    given[i] = types[hyb_graph_get_node (graph, variables[i])->first_output];
  return given;
}

static gboolean
fits (const HybInferred *inferred, HybGraph *graph, const HybType *given, gboolean training)
{
  guint n;

  hyb_graph_get_variables (graph, &n);
  if (inferred->training != training)
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (inferred->given[i].dtype != given[i].dtype ||
        !hyb_shape_equal (&inferred->given[i].shape, &given[i].shape))
      return FALSE;
  return TRUE;
}

/* --- Results that stay with the graph --- */

/* Two, since commands ask in turn for what the file declares and for chosen sizes. */
#define N_KEPT 2

/* The last results, the newest first; NULL: none. */
typedef struct
{
  HybInferred *kept[N_KEPT];
} Memo;

static void
clear_memo (gpointer memory)
{
  Memo *memo = memory;

  for (guint i = 0; i < N_KEPT; i++)
    hyb_inferred_unref (memo->kept[i]);
}

static void
drop_memo (gpointer memo)
{
  g_atomic_rc_box_release_full (memo, clear_memo);
}

/* Returns the result that is kept for these types, or NULL if none is.  (transfer full) */
static HybInferred *
find_kept (HybGraph *graph, const HybType *given, gboolean training)
{
  Memo        *memo = hyb_graph_dup_memo (graph);
  HybInferred *found = NULL;

  for (guint i = 0; memo && i < N_KEPT && memo->kept[i] && !found; i++)
    if (fits (memo->kept[i], graph, given, training))
      found = g_atomic_rc_box_acquire (memo->kept[i]);
  if (memo)
    drop_memo (memo);
  return found;
}

/* Keeps a result as the newest one. */
static void
keep (HybGraph *graph, HybInferred *inferred)
{
  Memo *before = hyb_graph_dup_memo (graph), *memo = g_atomic_rc_box_new0 (Memo);
  guint n = 1;

  memo->kept[0] = g_atomic_rc_box_acquire (inferred);
  for (guint i = 0; before && i < N_KEPT && n < N_KEPT && before->kept[i]; i++)
    if (before->kept[i] != inferred)
      memo->kept[n++] = g_atomic_rc_box_acquire (before->kept[i]);
  hyb_graph_set_memo (graph, memo, clear_memo);
  drop_memo (memo);
  if (before)
    drop_memo (before);
}

HybInferred *
hyb_inferred_get (HybGraph *graph, const HybType *types, gboolean training)
{
  gsize               size = sizeof (HybType) * MAX (hyb_graph_n_values (graph), 1);
  g_autofree HybType *own = g_memdup2 (types, size);
  g_autofree HybType *given = NULL;
  g_autoptr (GArray) dims = g_array_new (FALSE, FALSE, sizeof (OpenDim));
  OpenGraph    open = { .graph = graph, .types = own, .dims = dims, .training = training };
  Attempt      attempts[N_SIZES] = { 0 };
  HybInferred *inferred;

  hyb_declared_types_read (graph, own);
  given = dup_given (graph, own);
  inferred = find_kept (graph, given, training);
  if (inferred)
    {
      keep (graph, inferred);
      return inferred;
    }
  inferred = g_atomic_rc_box_new0 (HybInferred);
  inferred->sizes = infer (&open, attempts);
  inferred->training = training;
  inferred->given = g_steal_pointer (&given);
  inferred->types = g_steal_pointer (&own);
  inferred->lowered = g_steal_pointer (&attempts[inferred->sizes].turn[0]);
  if (inferred->sizes != SIZES_DISTINCT)
    inferred->refusals = ref_refusals (&attempts[SIZES_DISTINCT]);
  free_attempts (attempts);
  keep (graph, inferred);
  return inferred;
}
