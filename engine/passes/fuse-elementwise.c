/* fuse-elementwise.c — the pass that merges chains of pointwise operators on large values.
 *
 * The merged node (_elementwise_chain) applies all operators to one block of elements after another,
 * so that intermediate results stay in the cache.  They must have no other reader, so nothing is
 * merged while training: the backward pass reads them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/analysis/pass.h"
#include "engine/analysis/rewrite.h"
#include "engine/graph/reach.h"

/* On the processor, values of at least this many bytes gain from fusing.  Smaller ones stay in the caches anyway, and
 * working in blocks costs more calls: values of 4 MiB took 12 % longer fused, values of 64 MiB were
 * 1.3 to 1.5 times as fast.  All values of a group have the same size. */
#define MIN_VALUE_BYTES (16 << 20)

typedef struct
{
  HybGraph    *graph;
  HybFacts    *facts;
  const HybOp *chain;
  guint8      *is_head;  /* by value */
  guint8      *written;  /* by node: its outputs change during a run */
  guint32     *n_idle;   /* n_nodes + 1: how many nodes before this one need no memory */
  HybNodeId   *group_of; /* by node: the last node of its group; HYB_NO_ID: no group */
  guint       *n_in;     /* by node: number of members of the group that ends there */
  HybValueId  *inside;   /* by value: its id in the body being built */
  GHashTable  *names;    /* names used by variables of that body */
  GArray     **members;  /* by the last node of a group: its nodes that were visited so far */
} Fusing;

/* --- Which nodes can be members --- */

static gboolean
has_type_of (const Fusing *fusing, HybValueId value, HybValueId other)
{
  const HybType *x = &fusing->facts->types[value], *y = &fusing->facts->types[other];

  return x->dtype == y->dtype && hyb_shape_equal (&x->shape, &y->shape);
}

static gboolean
can_join (const Fusing *fusing, HybNodeId id)
{
  const HybNode    *node = hyb_graph_get_node (fusing->graph, id);
  const HybValueId *inputs = hyb_graph_get_inputs (fusing->graph, id);
  const HybType    *type = &fusing->facts->types[node->first_output];

  if (!(node->op->flags & HYB_OP_POINTWISE) || node->n_outputs != 1 || node->n_inputs == 0 ||
      fusing->written[id] || fusing->facts->constants[node->first_output] ||
      !hyb_type_is_known (type) || type->dtype != HYB_F32 ||
      hyb_shape_size (&type->shape) <
          (fusing->facts->for_device ? 1 : MIN_VALUE_BYTES / (gint64) sizeof (float)))
    return FALSE;
  for (guint i = 0; i < node->n_inputs; i++)
    if (!has_type_of (fusing, inputs[i], node->first_output) ||
        fusing->written[hyb_graph_get_producer (fusing->graph, inputs[i])])
      return FALSE;
  return TRUE;
}

static gboolean
is_read_inside_only (const Fusing *fusing, HybValueId value, HybNodeId last)
{
  guint            n;
  const HybNodeId *users = hyb_graph_get_users (fusing->graph, value, &n);

  for (guint i = 0; i < n; i++)
    if (fusing->group_of[users[i]] != last)
      return FALSE;
  return !fusing->is_head[value];
}

/* --- Memory --- */

/* The number of inputs of a node that would stay alive longer if it were computed together with the
 * last node of the group. */
static guint
count_kept_longer (const Fusing *fusing, HybNodeId id, HybNodeId last)
{
  const HybNode    *node = hyb_graph_get_node (fusing->graph, id);
  const HybValueId *inputs = hyb_graph_get_inputs (fusing->graph, id);
  guint             n_kept = 0;

  for (guint i = 0; i < node->n_inputs; i++)
    {
      HybNodeId        producer = hyb_graph_get_producer (fusing->graph, inputs[i]);
      guint            n_users;
      const HybNodeId *users = hyb_graph_get_users (fusing->graph, inputs[i], &n_users);
      gboolean         is_kept = fusing->is_head[inputs[i]] || (i > 0 && inputs[i] == inputs[0]) ||
                         hyb_node_is_variable (hyb_graph_get_node (fusing->graph, producer)) ||
                         fusing->facts->constants[inputs[i]];

      for (guint u = 0; u < n_users && !is_kept; u++)
        is_kept = users[u] >= last || fusing->group_of[users[u]] == last;
      n_kept += !is_kept;
    }
  return n_kept;
}

/* The inputs of a member stay alive until the last node of the group, while its own result needs no
 * memory.  So one longer lifetime is free, and all are if no other node computes in between. */
static gboolean
fits_memory (const Fusing *fusing, HybNodeId id, HybNodeId last)
{
  guint n_between = last - id - 1;
  guint n_idle = fusing->n_idle[last] - fusing->n_idle[id + 1];

  return count_kept_longer (fusing, id, last) <= 1 || n_between == n_idle + fusing->n_in[last] - 1;
}

/* Nodes that need no memory: variables, views and constants. */
static void
count_idle (Fusing *fusing)
{
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (fusing->graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (fusing->graph, id);

      fusing->n_idle[id + 1] =
          fusing->n_idle[id] +
          (hyb_node_is_variable (node) || node->op->view ||
           (node->n_outputs > 0 && fusing->facts->constants[node->first_output]));
    }
}

/* --- Groups --- */

static void
add_producers (const Fusing *fusing, HybNodeId id, GArray *waiting)
{
  const HybValueId *inputs = hyb_graph_get_inputs (fusing->graph, id);

  for (guint i = 0; i < hyb_graph_get_node (fusing->graph, id)->n_inputs; i++)
    {
      HybNodeId producer = hyb_graph_get_producer (fusing->graph, inputs[i]);

      if (fusing->group_of[producer] == HYB_NO_ID && can_join (fusing, producer))
        g_array_append_val (waiting, producer);
    }
}

/* Takes the last waiting node; all its readers have been examined. */
static HybNodeId
take_last (GArray *waiting)
{
  HybNodeId last = 0;

  for (guint i = 0; i < waiting->len; i++)
    last = MAX (last, g_array_index (waiting, HybNodeId, i));
  for (guint i = waiting->len; i-- > 0;)
    if (g_array_index (waiting, HybNodeId, i) == last)
      g_array_remove_index_fast (waiting, i);
  return last;
}

/* Grows a group backwards from its last node. */
static void
grow_group (const Fusing *fusing, HybNodeId last, GArray *waiting)
{
  fusing->group_of[last] = last;
  fusing->n_in[last] = 1;
  g_array_set_size (waiting, 0);
  add_producers (fusing, last, waiting);
  while (waiting->len > 0)
    {
      HybNodeId id = take_last (waiting);

      if (!is_read_inside_only (fusing, hyb_graph_get_node (fusing->graph, id)->first_output,
                                last) ||
          !fits_memory (fusing, id, last))
        continue;
      fusing->group_of[id] = last;
      fusing->n_in[last]++;
      add_producers (fusing, id, waiting);
    }
  if (fusing->n_in[last] == 1)
    fusing->group_of[last] = HYB_NO_ID;
}

static guint
find_groups (const Fusing *fusing)
{
  g_autoptr (GArray) waiting = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  guint n_groups = 0;

  for (HybNodeId id = hyb_graph_n_nodes (fusing->graph); id-- > 0;)
    if (fusing->group_of[id] == HYB_NO_ID && can_join (fusing, id))
      {
        grow_group (fusing, id, waiting);
        n_groups += fusing->group_of[id] == id;
      }
  return n_groups;
}

/* --- Rewriting --- */

/* A name as in the model, made unique: nodes may share a name, variables of a body may not. */
static HybValueId
add_variable (const Fusing *fusing, HybBuilder *builder, HybValueId value)
{
  char *name = hyb_graph_dup_value_name (fusing->graph, value);

  while (g_hash_table_contains (fusing->names, name))
    {
      char *longer = g_strdup_printf ("%s#%u", name, value);

      g_free (name);
      name = longer;
    }
  g_hash_table_add (fusing->names, name);
  return hyb_builder_add_variable (builder, name, NULL);
}

/* Copies a member into the body.  Values from outside become variables and are collected in
 * outer. */
static void
copy_member (const Fusing *fusing, HybBuilder *builder, HybNodeId id, GArray *outer)
{
  const HybNode         *node = hyb_graph_get_node (fusing->graph, id);
  const HybValueId      *inputs = hyb_graph_get_inputs (fusing->graph, id);
  g_autofree HybValueId *copied = g_new (HybValueId, node->n_inputs);

  for (guint i = 0; i < node->n_inputs; i++)
    {
      if (fusing->inside[inputs[i]] == HYB_NO_ID)
        {
          fusing->inside[inputs[i]] = add_variable (fusing, builder, inputs[i]);
          g_array_append_val (outer, inputs[i]);
        }
      copied[i] = fusing->inside[inputs[i]];
    }
  fusing->inside[node->first_output] = hyb_builder_copy (builder, fusing->graph, id, copied);
}

/* Makes the body of a group.  members: in the order of the graph. */
static HybGraph *
make_body (const Fusing *fusing, const GArray *members, GArray *outer)
{
  HybBuilder *builder = hyb_builder_new ();
  HybValueId  last = HYB_NO_ID;

  hyb_builder_set_legacy_shapes (builder, hyb_graph_has_legacy_shapes (fusing->graph));
  for (guint i = 0; i < members->len; i++)
    {
      HybNodeId id = g_array_index (members, HybNodeId, i);

      copy_member (fusing, builder, id, outer);
      last = hyb_graph_get_node (fusing->graph, id)->first_output;
    }
  hyb_builder_add_head (builder, fusing->inside[last]);

  g_hash_table_remove_all (fusing->names);
  /* A group may read the result of another group. */
  for (guint i = 0; i < outer->len; i++)
    fusing->inside[g_array_index (outer, HybValueId, i)] = HYB_NO_ID;
  for (guint i = 0; i < members->len; i++)
    {
      HybNodeId id = g_array_index (members, HybNodeId, i);

      fusing->inside[hyb_graph_get_node (fusing->graph, id)->first_output] = HYB_NO_ID;
    }
  return hyb_builder_freeze (builder);
}

static void
make_chain (const Fusing *fusing, HybRewrite *rewrite, HybNodeId last, const GArray *members)
{
  g_autoptr (GArray) outer = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  g_autoptr (HybGraph) body = make_body (fusing, members, outer);
  g_autofree char *n_inputs = g_strdup_printf ("%u", outer->len);

  for (guint i = 0; i < outer->len; i++)
    {
      HybValueId *value = &g_array_index (outer, HybValueId, i);

      *value = hyb_rewrite_value (rewrite, *value);
    }
  hyb_rewrite_replace (rewrite, last,
                       &(HybNodeSpec){ .op = fusing->chain,
                                       .attributes = (const char *[]){ "num_args", n_inputs, NULL },
                                       .n_inputs = outer->len,
                                       .inputs = (const HybValueId *) (gpointer) outer->data,
                                       .n_bodies = 1,
                                       .bodies = &body });
}

static void
visit (HybRewrite *rewrite, HybNodeId id, gpointer data)
{
  const Fusing *fusing = data;
  HybNodeId     last = fusing->group_of[id];

  if (last == HYB_NO_ID)
    {
      hyb_rewrite_copy (rewrite, id);
      return;
    }
  if (!fusing->members[last])
    fusing->members[last] = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  g_array_append_val (fusing->members[last], id);
  if (id == last)
    make_chain (fusing, rewrite, last, fusing->members[last]);
}

static HybGraph *
rewrite_groups (Fusing *fusing, GArray *map, GError **error)
{
  guint               n_nodes = hyb_graph_n_nodes (fusing->graph);
  g_autofree GArray **members = g_new0 (GArray *, n_nodes);
  HybGraph           *result;

  fusing->members = members;
  result = hyb_rewrite_graph (fusing->graph, visit, fusing, map, error);
  for (HybNodeId id = 0; id < n_nodes; id++)
    g_clear_pointer (&members[id], g_array_unref);
  return result;
}

static HybGraph *
fuse_elementwise_run (HybGraph *graph, HybFacts *facts, GArray *map, GError **error)
{
  gsize                  n_nodes = (gsize) hyb_graph_n_nodes (graph) + 1;
  gsize                  n_values = (gsize) hyb_graph_n_values (graph) + 1;
  g_autofree guint8     *is_head = hyb_graph_find_heads (graph);
  g_autofree guint8     *written = hyb_graph_find_written (graph, facts->training);
  g_autofree guint32    *n_idle = g_new0 (guint32, n_nodes);
  g_autofree HybNodeId  *group_of = g_new (HybNodeId, n_nodes);
  g_autofree guint      *n_in = g_new0 (guint, n_nodes);
  g_autofree HybValueId *inside = g_new (HybValueId, n_values);
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Fusing fusing = { .graph = graph,
                    .facts = facts,
                    .chain = hyb_op_find ("_elementwise_chain"),
                    .is_head = is_head,
                    .written = written,
                    .n_idle = n_idle,
                    .group_of = group_of,
                    .n_in = n_in,
                    .inside = inside,
                    .names = names };

  for (gsize i = 0; i < n_nodes; i++)
    group_of[i] = HYB_NO_ID;
  for (gsize i = 0; i < n_values; i++)
    inside[i] = HYB_NO_ID;
  count_idle (&fusing);
  if (find_groups (&fusing) == 0)
    return hyb_graph_ref (graph);
  return rewrite_groups (&fusing, map, error);
}

extern const HybPass hyb_pass_fuse_elementwise;

const HybPass hyb_pass_fuse_elementwise = {
  .name = "fuse-elementwise",
  .doc = "Applies several pointwise operators to one block of a large value at a time.",
  .needs = HYB_FACT_TYPES,
  .optimising = TRUE,
  .saves = HYB_SAVES_POINTWISE,
  .run = fuse_elementwise_run,
};
