/* batch-products.c — the pass that computes products with the same weight as one.
 *
 * An unrolled network multiplies its input by the same weight in every step.  Products that do not
 * depend on each other are batched: their rows are stacked (or are parts of one array already),
 * multiplied once, and the result is split, which copies nothing.  Sums of products over rows, which
 * make up the gradients of shared weights, are batched likewise.
 *
 * Operators state what may be batched in HybOp.rowwise_inputs and row_sum_inputs.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/analysis/infer-types.h"
#include "engine/analysis/pass.h"
#include "engine/graph/reach.h"
#include "engine/passes/batch-groups.h"

#include <string.h>

/* --- Stacking rows --- */

/* The array of which a value is a view, and the byte at which it begins. */
static HybValueId
find_root (Batching *batching, HybValueId value, gsize *offset)
{
  *offset = 0;
  for (;;)
    {
      HybNodeId      id = hyb_graph_get_producer (batching->graph, value);
      const HybNode *node = hyb_graph_get_node (batching->graph, id);
      HybCall        call;
      guint          input = 0;
      gsize          part = 0;

      if (!node->op->view)
        return value;
      g_clear_pointer (&batching->room, g_free);
      batching->room = g_new (HybType, node->n_inputs + node->n_outputs);
      hyb_call_init (&call, batching->graph, id, batching->facts->types, batching->room);
      if (!node->op->view (&call, hyb_graph_get_output_index (batching->graph, value), &input,
                           &part))
        return value;
      *offset += part;
      value = hyb_graph_get_inputs (batching->graph, id)[input];
    }
}

/* The array whose consecutive parts are this input of the members, if there is one. */
static HybValueId
find_stack (Batching *batching, const BatchGroup *group, guint input)
{
  HybValueId root = HYB_NO_ID;
  gsize      expected = 0;

  for (guint i = 0; i < group->members->len; i++)
    {
      HybNodeId  id = batch_member (group, i);
      HybValueId value = hyb_graph_get_inputs (batching->graph, id)[input];
      gsize      offset;
      HybValueId own = find_root (batching, value, &offset);

      if ((i > 0 && own != root) || offset != expected)
        return HYB_NO_ID;
      root = own;
      expected += hyb_type_bytes (&batching->facts->types[value]);
    }
  return hyb_type_bytes (&batching->facts->types[root]) == expected ? root : HYB_NO_ID;
}

static HybValueId
emit (Batching *batching, const char *op, HybNodeId origin, const HybNodeSpec *spec)
{
  g_autofree char *name =
      g_strconcat (hyb_graph_get_node (batching->graph, origin)->name, "_", op, NULL);
  HybNodeSpec full = *spec;

  full.op = hyb_op_find (op);
  full.name = name;
  return hyb_rewrite_add (&batching->rewrite, origin, &full);
}

static HybValueId
moved (const Batching *batching, HybValueId value)
{
  return hyb_rewrite_value (&batching->rewrite, value);
}

static HybValueId
stack_rows (Batching *batching, const BatchGroup *group, guint input)
{
  HybNodeId      first = batch_member (group, 0);
  const HybType *type = batch_type_of_input (batching, first, input);
  HybValueId     root = find_stack (batching, group, input);
  guint          n = group->members->len;

  if (root != HYB_NO_ID)
    {
      /* The parts lie behind one another in memory already: (n · rows, …) is the same array with
       * another shape. */
      HybShape         shape = type->shape;
      g_autofree char *text = NULL;
      HybValueId       from = moved (batching, root);

      shape.dim[0] *= n;
      text = hyb_shape_to_string (&shape);
      return emit (batching, "Reshape", first,
                   &(HybNodeSpec){ .n_inputs = 1,
                                   .inputs = &from,
                                   .attributes = (const char *[]){ "shape", text, NULL } });
    }
  else
    {
      g_autofree HybValueId *parts = g_new (HybValueId, n);
      g_autofree char       *count = g_strdup_printf ("%u", n);

      for (guint i = 0; i < n; i++)
        parts[i] = moved (batching,
                          hyb_graph_get_inputs (batching->graph, batch_member (group, i))[input]);
      return emit (batching, "Concat", first,
                   &(HybNodeSpec){ .n_inputs = n,
                                   .inputs = parts,
                                   .attributes =
                                       (const char *[]){ "dim", "0", "num_args", count, NULL } });
    }
}

/* --- Rewriting --- */

static HybValueId
make_product (Batching *batching, const BatchGroup *group)
{
  HybNodeId              first = batch_member (group, 0);
  const HybNode         *node = hyb_graph_get_node (batching->graph, first);
  g_autofree HybValueId *inputs = g_new (HybValueId, node->n_inputs);
  g_autofree char       *name = g_strconcat (node->name, "_batched", NULL);
  HybNodeSpec            spec = { .op = node->op,
                                  .type = node->type,
                                  .name = name,
                                  .attributes = node->attributes,
                                  .n_inputs = node->n_inputs,
                                  .inputs = inputs };

  for (guint i = 0; i < node->n_inputs; i++)
    inputs[i] = batch_row_inputs (node) >> i & 1
                    ? stack_rows (batching, group, i)
                    : moved (batching, hyb_graph_get_inputs (batching->graph, first)[i]);
  spec.params = hyb_params_ref (node->params);
  return hyb_rewrite_add (&batching->rewrite, first, &spec);
}

/* The batched product plus the other terms of the sum. */
static HybValueId
add_rest (Batching *batching, const BatchGroup *group, HybValueId product)
{
  guint                  n = group->rest->len + 1;
  g_autofree HybValueId *addends = g_new (HybValueId, n);
  g_autofree char       *count = g_strdup_printf ("%u", n);

  if (n == 1)
    return product;
  addends[0] = product;
  for (guint i = 1; i < n; i++)
    addends[i] = moved (batching, g_array_index (group->rest, HybValueId, i - 1));
  return emit (batching, "add_n", group->sum,
               &(HybNodeSpec){ .n_inputs = n,
                               .inputs = addends,
                               .attributes = (const char *[]){ "num_args", count, NULL } });
}

static void
make_group (Batching *batching, BatchGroup *group)
{
  GArray          *map = batching->rewrite.map;
  guint            n = group->members->len;
  HybValueId       product = make_product (batching, group), parts;
  g_autofree char *count = g_strdup_printf ("%u", n);

  group->is_done = TRUE;
  if (batching->rewrite.error)
    return;
  if (group->sum != HYB_NO_ID)
    {
      const HybNode *sum = hyb_graph_get_node (batching->graph, group->sum);

      g_array_index (map, HybValueId, sum->first_output) = add_rest (batching, group, product);
      return;
    }

  /* Product of (n · rows, …): each member's result is one of n slices along axis 0. */
  parts = emit (batching, "SliceChannel", batch_member (group, 0),
                &(HybNodeSpec){ .n_inputs = 1,
                                .inputs = &product,
                                .attributes =
                                    (const char *[]){ "axis", "0", "num_outputs", count, NULL } });
  for (guint i = 0; parts != HYB_NO_ID && i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (batching->graph, batch_member (group, i));

      g_array_index (map, HybValueId, node->first_output) = parts + i;
    }
}

static gboolean
wait_for (Batching *batching, guint n, const HybValueId *values, GArray *stack)
{
  guint before = stack->len;

  for (guint i = 0; i < n; i++)
    {
      HybNodeId producer = hyb_graph_get_producer (batching->graph, values[i]);

      if (!batching->is_made[producer])
        g_array_append_val (stack, producer);
    }
  return stack->len > before;
}

/* Queues the nodes that must be copied before this one.  FALSE if there are none. */
static gboolean
wait_for_inputs (Batching *batching, HybNodeId id, GArray *stack)
{
  return wait_for (batching, hyb_graph_get_node (batching->graph, id)->n_inputs,
                   hyb_graph_get_inputs (batching->graph, id), stack);
}

static gboolean
wait_for_group (Batching *batching, const BatchGroup *group, GArray *stack)
{
  gboolean waits = wait_for (batching, group->rest->len, (gconstpointer) group->rest->data, stack);

  for (guint i = 0; i < group->members->len; i++)
    waits |= wait_for_inputs (batching, batch_member (group, i), stack);
  return waits;
}

static void
make_node (Batching *batching, HybNodeId wanted, GArray *stack)
{
  g_array_set_size (stack, 0);
  g_array_append_val (stack, wanted);
  while (stack->len > 0 && !batching->rewrite.error)
    {
      guint       top = stack->len - 1;
      HybNodeId   id = g_array_index (stack, HybNodeId, top);
      BatchGroup *group = hyb_batch_group_at (batching, id);

      if (batching->is_made[id])
        {
          g_array_set_size (stack, top);
          continue;
        }
      /* Members are made together, so the inputs of all must exist first.  Those that are missing
       * lie on the stack now; this node is looked at again after them. */
      if (group ? wait_for_group (batching, group, stack) : wait_for_inputs (batching, id, stack))
        continue;

      g_array_set_size (stack, top);
      if (!group)
        hyb_rewrite_copy (&batching->rewrite, id);
      else if (!group->is_done)
        make_group (batching, group);
      batching->is_made[id] = TRUE;
      for (guint i = 0; group && i < group->members->len; i++)
        batching->is_made[batch_member (group, i)] = TRUE;
      for (guint i = 0; group && i < group->partial->len; i++)
        batching->is_made[g_array_index (group->partial, HybNodeId, i)] = TRUE;
      if (group && group->sum != HYB_NO_ID)
        batching->is_made[group->sum] = TRUE;
    }
}

static HybGraph *
rewrite (Batching *batching, GArray *map, GError **error)
{
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (HybNodeId));

  hyb_rewrite_init (&batching->rewrite, batching->graph, map);
  /* Variables are bound by position, so their order must not change. */
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (batching->graph); id++)
    if (hyb_node_is_variable (hyb_graph_get_node (batching->graph, id)))
      make_node (batching, id, stack);
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (batching->graph); id++)
    make_node (batching, id, stack);
  return hyb_rewrite_finish (&batching->rewrite, error);
}

static HybGraph *
batch_products_run (HybGraph *graph, HybFacts *facts, GArray *map, GError **error)
{
  guint               n_nodes = hyb_graph_n_nodes (graph);
  g_autofree guint32 *group_of = g_new (guint32, MAX (n_nodes, 1));
  g_autofree guint8  *is_made = g_new0 (guint8, MAX (n_nodes, 1));
  g_autofree guint8  *is_head = hyb_graph_find_heads (graph);
  g_autofree guint8  *written = hyb_graph_find_written (graph, TRUE);
  g_autoptr (GPtrArray) groups = g_ptr_array_new_with_free_func (hyb_batch_group_free);
  Batching  batching = { .graph = graph,
                         .facts = facts,
                         .groups = groups,
                         .group_of = group_of,
                         .is_head = is_head,
                         .is_made = is_made,
                         .written = written };
  HybGraph *result;

  memset (group_of, 0xff, n_nodes * sizeof group_of[0]); /* HYB_NO_ID */
  hyb_batch_find_groups (&batching);
  if (groups->len == 0)
    return hyb_graph_ref (graph);

  result = rewrite (&batching, map, error);
  g_clear_pointer (&batching.room, g_free);
  return result;
}

extern const HybPass hyb_pass_batch_products;

const HybPass hyb_pass_batch_products = {
  .name = "batch-products",
  .doc = "Computes independent products with the same weight as one product.",
  .needs = HYB_FACT_TYPES,
  .optimising = TRUE,
  .saves = HYB_SAVES_PRODUCTS,
  .run = batch_products_run,
};
