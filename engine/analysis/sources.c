/* sources.c — follows the nodes of a graph through the passes.
 *
 * A node whose value is replaced is computed by the node that makes the replacement.  One without a
 * replacement is computed by the node that replaces its reader.  Nodes that only feed such nodes,
 * or replace nothing, count as helpers.  Start reading at hyb_sources_follow().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/analysis/sources.h"

#include "engine/graph/reach.h"

/* Sources that are recorded, per node of a graph: a graph in which each node helps many others has
 * more, and its helpers are then listed incompletely. */
#define MAX_PER_NODE 16
#define MAX_FREE     4096
#define MAX_TARGETS  8 /* nodes that compute one node */

/* A source of a node, before they are sorted by node. */
typedef struct
{
  HybNodeId target;
  HybSource source;
} Entry;

struct _HybSources
{
  guint      n_nodes;
  guint     *first; /* n_nodes + 1: where the sources of each node begin */
  HybSource *all;
  GArray    *moved; /* of Entry: source.node is a loop of the graph before; until the next step */
  GArray    *replaced; /* of Entry: source.node is a node of the graph before; likewise */
};

/* The nodes that compute a node of the earlier graph. */
typedef struct
{
  guint     n;
  HybNodeId id[MAX_TARGETS];
} Targets;

/* One step from a graph to the next. */
typedef struct
{
  const HybSources *sources;
  HybGraph         *before, *after;
  const GArray     *map;
  guint8           *was_needed; /* by node of before */
  guint8           *is_needed;  /* by node of after */
  guint8           *is_image;   /* by value of after: it replaces a value of before */
  Targets          *targets;    /* by node of before */
  GArray           *entries;    /* of Entry */
  guint             limit;      /* of entries and of visits */
  guint             n_visits;
} Step;

/* --- The nodes that compute a node now --- */

static gboolean
is_operator (const HybGraph *graph, HybNodeId id)
{
  return !hyb_node_is_variable (hyb_graph_get_node (graph, id));
}

static void
add_target (Targets *targets, HybNodeId target)
{
  for (guint i = 0; i < targets->n; i++)
    if (targets->id[i] == target)
      return;
  if (targets->n < MAX_TARGETS)
    targets->id[targets->n++] = target;
}

/* The nodes that produce the replacements of a node's values. */
static void
find_replacements (Step *step, HybNodeId id)
{
  const HybNode *node = hyb_graph_get_node (step->before, id);

  for (guint i = 0; i < node->n_outputs; i++)
    {
      HybValueId value = g_array_index (step->map, HybValueId, node->first_output + i);
      HybNodeId  producer =
          value != HYB_NO_ID ? hyb_graph_get_producer (step->after, value) : HYB_NO_ID;

      if (producer == HYB_NO_ID || !step->is_needed[producer])
        continue;
      step->is_image[value] = TRUE;
      if (is_operator (step->after, producer))
        add_target (&step->targets[id], producer);
    }
}

/* A node without a replacement is computed where its readers are. */
static void
find_absorbing (Step *step, HybNodeId id)
{
  const HybNode *node = hyb_graph_get_node (step->before, id);

  for (guint i = 0; i < node->n_outputs; i++)
    {
      guint            n;
      const HybNodeId *users = hyb_graph_get_users (step->before, node->first_output + i, &n);

      for (guint u = 0; u < n && u < step->limit; u++)
        {
          const Targets *of_user = &step->targets[users[u]];

          for (guint t = 0; t < of_user->n; t++)
            add_target (&step->targets[id], of_user->id[t]);
        }
    }
}

/* The pass's statements about nodes whose values it did not replace. */
static void
find_stated (Step *step)
{
  const GArray *replaced = step->sources->replaced;

  for (guint i = 0; i < replaced->len; i++)
    {
      const Entry   *entry = &g_array_index (replaced, Entry, i);
      const HybNode *node = hyb_graph_get_node (step->after, entry->target);

      add_target (&step->targets[entry->source.node], entry->target);
      for (guint k = 0; k < node->n_outputs; k++)
        step->is_image[node->first_output + k] = TRUE;
    }
}

static void
find_targets (Step *step)
{
  guint n = hyb_graph_n_nodes (step->before);

  find_stated (step);
  for (HybNodeId id = 0; id < n; id++)
    if (step->was_needed[id])
      find_replacements (step, id);
  /* Nodes come after their inputs, so the inputs are complete first. */
  for (HybNodeId id = n; id-- > 0;)
    if (step->was_needed[id] && step->targets[id].n == 0 && is_operator (step->before, id))
      find_absorbing (step, id);
}

/* --- Entries --- */

static void
add_entries (Step *step, HybNodeId from, HybNodeId target, gboolean is_helper)
{
  guint            n;
  const HybSource *sources = hyb_sources_get (step->sources, from, &n);

  for (guint i = 0; i < n && step->entries->len < step->limit; i++)
    {
      Entry entry = { target, sources[i] };

      entry.source.is_helper |= is_helper;
      g_array_append_val (step->entries, entry);
    }
}

/* Adds the operators that a node reads and that replace nothing to waiting, unless seen has them. */
static void
add_new_inputs (Step *step, HybNodeId id, GHashTable *seen, GArray *waiting)
{
  const HybValueId *inputs = hyb_graph_get_inputs (step->after, id);

  for (guint i = 0; i < hyb_graph_get_node (step->after, id)->n_inputs; i++)
    {
      HybNodeId producer = hyb_graph_get_producer (step->after, inputs[i]);

      if (!step->is_image[inputs[i]] && is_operator (step->after, producer) &&
          g_hash_table_add (seen, GUINT_TO_POINTER (producer)))
        g_array_append_val (waiting, producer);
    }
}

/* Nodes added in front of a node count as its helpers. */
static void
add_helpers (Step *step, HybNodeId from, HybNodeId target)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr (GArray) waiting = g_array_new (FALSE, FALSE, sizeof (HybNodeId));

  add_new_inputs (step, target, seen, waiting);
  for (guint i = 0; i < waiting->len && step->n_visits < step->limit; i++)
    {
      HybNodeId helper = g_array_index (waiting, HybNodeId, i);

      step->n_visits++;
      add_entries (step, from, helper, TRUE);
      add_new_inputs (step, helper, seen, waiting);
    }
}

static gboolean
reads_new_values (const Step *step, HybNodeId id)
{
  const HybValueId *inputs = hyb_graph_get_inputs (step->after, id);

  for (guint i = 0; i < hyb_graph_get_node (step->after, id)->n_inputs; i++)
    if (!step->is_image[inputs[i]])
      return TRUE;
  return FALSE;
}

/* Adds the sources that the pass has recorded for nodes moved out of a loop. */
static void
add_moved (Step *step)
{
  const GArray *moved = step->sources->moved;

  for (guint i = 0; i < moved->len; i++)
    {
      Entry            entry = g_array_index (moved, Entry, i);
      guint            n;
      const HybSource *loops = hyb_sources_get (step->sources, entry.source.node, &n);

      for (guint k = 0; k < n; k++)
        {
          entry.source.node = loops[k].node;
          if (!loops[k].is_helper && loops[k].inner == HYB_NO_ID)
            g_array_append_val (step->entries, entry);
        }
    }
}

/* Computing nodes come first, so that only helpers are cut off by the limit. */
static void
collect (Step *step)
{
  guint n = hyb_graph_n_nodes (step->before);

  for (HybNodeId id = 0; id < n; id++)
    for (guint i = 0; i < step->targets[id].n; i++)
      add_entries (step, id, step->targets[id].id[i], FALSE);
  add_moved (step);
  for (HybNodeId id = 0; id < n; id++)
    for (guint i = 0; i < step->targets[id].n; i++)
      if (reads_new_values (step, step->targets[id].id[i]))
        add_helpers (step, id, step->targets[id].id[i]);
}

/* --- Sorting --- */

/* By node, then by source; computing nodes come before helpers. */
static int
compare_entries (gconstpointer a, gconstpointer b)
{
  const Entry *x = a, *y = b;

  if (x->target != y->target)
    return x->target < y->target ? -1 : 1;
  if (x->source.node != y->source.node)
    return x->source.node < y->source.node ? -1 : 1;
  if (x->source.inner != y->source.inner)
    return x->source.inner < y->source.inner ? -1 : 1;
  return x->source.is_helper - y->source.is_helper;
}

static void
take_entries (HybSources *sources, GArray *entries, guint n_nodes)
{
  guint at = 0, n = 0;

  g_array_sort (entries, compare_entries);
  g_free (sources->first);
  g_free (sources->all);
  sources->n_nodes = n_nodes;
  sources->first = g_new (guint, (gsize) n_nodes + 1);
  sources->all = g_new (HybSource, MAX (entries->len, 1));
  for (HybNodeId id = 0; id < n_nodes; id++)
    {
      sources->first[id] = n;
      for (; at < entries->len && g_array_index (entries, Entry, at).target == id; at++)
        {
          HybSource source = g_array_index (entries, Entry, at).source;

          if (n == sources->first[id] || sources->all[n - 1].node != source.node ||
              sources->all[n - 1].inner != source.inner)
            sources->all[n++] = source;
        }
    }
  sources->first[n_nodes] = n;
}

void
hyb_sources_follow (HybSources *sources, HybGraph *before, HybGraph *after, const GArray *map)
{
  guint               n_before = hyb_graph_n_nodes (before), n_after = hyb_graph_n_nodes (after);
  g_autofree guint8  *was_needed = hyb_graph_find_needed (before, NULL);
  g_autofree guint8  *is_needed = hyb_graph_find_needed (after, NULL);
  g_autofree guint8  *is_image = g_new0 (guint8, MAX (hyb_graph_n_values (after), 1));
  g_autofree Targets *targets = g_new0 (Targets, MAX (n_before, 1));
  g_autoptr (GArray) entries = g_array_sized_new (FALSE, FALSE, sizeof (Entry), n_after);
  Step step = { .sources = sources,
                .before = before,
                .after = after,
                .map = map,
                .was_needed = was_needed,
                .is_needed = is_needed,
                .is_image = is_image,
                .targets = targets,
                .entries = entries,
                .limit = MAX_FREE + MAX_PER_NODE * MAX (n_before, n_after) };

  find_targets (&step);
  collect (&step);
  take_entries (sources, entries, n_after);
  g_array_set_size (sources->moved, 0);
  g_array_set_size (sources->replaced, 0);
}

/* --- Reading --- */

HybSources *
hyb_sources_new (const HybGraph *graph)
{
  HybSources *sources = g_new0 (HybSources, 1);
  guint       n = hyb_graph_n_nodes (graph), n_sources = 0;

  sources->n_nodes = n;
  sources->first = g_new (guint, (gsize) n + 1);
  sources->all = g_new (HybSource, MAX (n, 1));
  for (HybNodeId id = 0; id < n; id++)
    {
      sources->first[id] = n_sources;
      if (is_operator (graph, id))
        sources->all[n_sources++] = (HybSource){ id, HYB_NO_ID, FALSE };
    }
  sources->first[n] = n_sources;
  sources->moved = g_array_new (FALSE, FALSE, sizeof (Entry));
  sources->replaced = g_array_new (FALSE, FALSE, sizeof (Entry));
  return sources;
}

void
hyb_sources_free (HybSources *sources)
{
  if (!sources)
    return;
  g_free (sources->first);
  g_free (sources->all);
  g_array_unref (sources->moved);
  g_array_unref (sources->replaced);
  g_free (sources);
}

void
hyb_sources_note_moved (HybSources *sources, HybNodeId moved, HybNodeId loop, HybNodeId inner)
{
  Entry entry = { moved, { loop, inner, FALSE } };

  g_array_append_val (sources->moved, entry);
}

void
hyb_sources_note_replaced (HybSources *sources, HybNodeId replacing, HybNodeId replaced)
{
  Entry entry = { replacing, { replaced, HYB_NO_ID, FALSE } };

  g_array_append_val (sources->replaced, entry);
}

const HybSource *
hyb_sources_get (const HybSources *sources, HybNodeId node, guint *n)
{
  if (node >= sources->n_nodes)
    {
      *n = 0;
      return NULL;
    }
  *n = sources->first[node + 1] - sources->first[node];
  return sources->all + sources->first[node];
}
