/* batch-products.c — one product over the rows of many, where a weight is the same.
 *
 * An unrolled network multiplies its input by one weight in every step.  Products that do
 * not wait for each other are taken together: their rows are stacked (or were one array
 * all along), multiplied once, and the result is split again, which copies nothing.  So
 * are sums of products over rows, of which gradients of shared weights are made.
 *
 * What may be taken together is said by the operators: HybOp.by_rows and adds_rows.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/passes/infer-types.h"
#include "engine/passes/pass.h"
#include "engine/passes/reach.h"
#include "engine/passes/rewrite.h"

#include <string.h>

/* More rows than this keep a product busy on their own. */
#define MAX_ROWS 128
/* Each group is one walk over the graph. */
#define MAX_GROUPS 512

typedef struct
{
  GArray   *members; /* of HybNodeId, in order */
  HybNodeId sum;     /* the node that adds the members up; HYB_NO_ID: they stay apart */
  gboolean  is_done;
} Group;

typedef struct
{
  HybGraph  *graph;
  HybFacts  *facts;
  GPtrArray *groups;   /* of Group */
  guint32   *group_of; /* by node, of members and sums; HYB_NO_ID */
  guint8    *is_head;  /* by value */
  guint8    *is_made;  /* by node, while rewriting */
  guint8    *written;  /* by node: when it is read makes a difference */
  HybType   *room;     /* for one call */
  HybRewrite rewrite;
  GError    *error;
} Batching;

static void
group_free (gpointer data)
{
  Group *group = data;

  g_array_unref (group->members);
  g_free (group);
}

static HybNodeId
member (const Group *group, guint index)
{
  return g_array_index (group->members, HybNodeId, index);
}

static Group *
group_at (const Batching *batching, HybNodeId id)
{
  guint32 index = batching->group_of[id];

  return index == HYB_NO_ID ? NULL : batching->groups->pdata[index];
}

/* --- Which products go together --- */

static guint32
row_inputs (const HybNode *node)
{
  return node->op->by_rows | node->op->adds_rows;
}

static const HybType *
type_of_input (const Batching *batching, HybNodeId id, guint input)
{
  return &batching->facts->types[hyb_graph_get_inputs (batching->graph, id)[input]];
}

static gboolean
is_candidate (const Batching *batching, HybNodeId id)
{
  const HybNode    *node = hyb_graph_get_node (batching->graph, id);
  const HybValueId *inputs = hyb_graph_get_inputs (batching->graph, id);
  guint32           rows = row_inputs (node);

  if (rows == 0 || node->n_outputs != 1 || node->n_inputs > 32 || node->n_bodies > 0)
    return FALSE;
  for (guint i = 0; i < node->n_inputs; i++)
    {
      const HybType *type = type_of_input (batching, id, i);

      if (!hyb_type_is_known (type) || hyb_shape_size (&type->shape) == 0 ||
          batching->written[hyb_graph_get_producer (batching->graph, inputs[i])])
        return FALSE;
      if (rows >> i & 1 && (type->shape.rank < 1 || type->shape.dim[0] > MAX_ROWS))
        return FALSE;
    }
  return TRUE;
}

/* Equal but for the contents of rows. */
static gboolean
goes_with (const Batching *batching, HybNodeId a, HybNodeId b)
{
  const HybNode    *x = hyb_graph_get_node (batching->graph, a);
  const HybNode    *y = hyb_graph_get_node (batching->graph, b);
  const HybValueId *x_inputs = hyb_graph_get_inputs (batching->graph, a);
  const HybValueId *y_inputs = hyb_graph_get_inputs (batching->graph, b);
  const HybType    *x_type = &batching->facts->types[x->first_output];
  const HybType    *y_type = &batching->facts->types[y->first_output];

  if (x->op != y->op || x->n_inputs != y->n_inputs ||
      !hyb_params_equal (x->op->params, x->params, y->params) || x_type->dtype != y_type->dtype ||
      !hyb_shape_equal (&x_type->shape, &y_type->shape))
    return FALSE;
  for (guint i = 0; i < x->n_inputs; i++)
    if (row_inputs (x) >> i & 1)
      {
        x_type = type_of_input (batching, a, i);
        y_type = type_of_input (batching, b, i);
        if (x_type->dtype != y_type->dtype || !hyb_shape_equal (&x_type->shape, &y_type->shape))
          return FALSE;
      }
    else if (x_inputs[i] != y_inputs[i] && x->op->adds_rows == 0)
      return FALSE; /* of a sum the others give no more than a shape */
  return TRUE;
}

/* Whether anything that follows from the members comes back to one of them, other groups
 * taken as one node each. */
static gboolean
depend_on_each_other (const Batching *batching, const Group *group)
{
  g_autofree guint8 *seen = g_new0 (guint8, hyb_graph_n_nodes (batching->graph));
  g_autofree guint8 *wanted = g_new0 (guint8, hyb_graph_n_nodes (batching->graph));
  g_autoptr (GArray) queue = g_array_new (FALSE, FALSE, sizeof (HybNodeId));

  for (guint i = 0; i < group->members->len; i++)
    wanted[member (group, i)] = TRUE;
  g_array_append_vals (queue, group->members->data, group->members->len);
  while (queue->len > 0)
    {
      HybNodeId      id = g_array_index (queue, HybNodeId, queue->len - 1);
      const HybNode *node = hyb_graph_get_node (batching->graph, id);

      g_array_set_size (queue, queue->len - 1);
      for (guint o = 0; o < node->n_outputs; o++)
        {
          guint            n;
          const HybNodeId *users =
              hyb_graph_get_users (batching->graph, node->first_output + o, &n);

          for (guint u = 0; u < n; u++)
            {
              const Group *other = group_at (batching, users[u]);

              if (wanted[users[u]])
                return TRUE;
              if (seen[users[u]])
                continue;
              seen[users[u]] = TRUE;
              g_array_append_val (queue, users[u]);
              for (guint i = 0; other != NULL && other->sum == HYB_NO_ID && i < other->members->len;
                   i++)
                if (!seen[member (other, i)])
                  {
                    HybNodeId beside = member (other, i);

                    if (wanted[beside])
                      return TRUE;
                    seen[beside] = TRUE;
                    g_array_append_val (queue, beside);
                  }
            }
        }
    }
  return FALSE;
}

static void
keep_group (Batching *batching, Group *group)
{
  guint32 index = batching->groups->len;

  for (guint i = 0; i < group->members->len; i++)
    batching->group_of[member (group, i)] = index;
  if (group->sum != HYB_NO_ID)
    batching->group_of[group->sum] = index;
  g_ptr_array_add (batching->groups, group);
}

static Group *
group_new (HybNodeId sum)
{
  Group *group = g_new0 (Group, 1);

  group->members = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  group->sum = sum;
  return group;
}

static guint
product_hash (const Batching *batching, HybNodeId id)
{
  const HybNode    *node = hyb_graph_get_node (batching->graph, id);
  const HybValueId *inputs = hyb_graph_get_inputs (batching->graph, id);
  guint             hash = g_direct_hash (node->op);

  for (guint i = 0; i < node->n_inputs; i++)
    if (!(row_inputs (node) >> i & 1))
      hash = hash * 31 + inputs[i];
  return hash;
}

static void
find_parallel_products (Batching *batching)
{
  guint n_nodes = hyb_graph_n_nodes (batching->graph);
  g_autoptr (GHashTable) open = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) found = g_ptr_array_new ();

  for (HybNodeId id = 0; id < n_nodes; id++)
    {
      gpointer key;
      Group   *group;

      if (hyb_graph_get_node (batching->graph, id)->op->by_rows == 0 ||
          !is_candidate (batching, id))
        continue;
      key = GUINT_TO_POINTER (product_hash (batching, id));
      group = g_hash_table_lookup (open, key);
      if (group == NULL || !goes_with (batching, member (group, 0), id))
        {
          group = group_new (HYB_NO_ID);
          g_hash_table_insert (open, key, group);
          g_ptr_array_add (found, group);
        }
      g_array_append_val (group->members, id);
    }

  for (guint i = 0; i < found->len; i++)
    {
      Group *group = found->pdata[i];

      if (group->members->len > 1 && batching->groups->len < MAX_GROUPS &&
          !depend_on_each_other (batching, group))
        keep_group (batching, group);
      else
        group_free (group);
    }
}

/* A product that nobody but its sum reads. */
static gboolean
is_addend (const Batching *batching, HybValueId value)
{
  HybNodeId producer = hyb_graph_get_producer (batching->graph, value);
  guint     n_users;

  hyb_graph_get_users (batching->graph, value, &n_users);
  return n_users == 1 && !batching->is_head[value] &&
         hyb_graph_get_node (batching->graph, producer)->op->adds_rows != 0 &&
         is_candidate (batching, producer) && batching->group_of[producer] == HYB_NO_ID;
}

static void
find_sums_of_products (Batching *batching)
{
  const HybOp *add_two = hyb_op_find ("elemwise_add");
  const HybOp *add_many = hyb_op_find ("add_n");

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (batching->graph); id++)
    {
      const HybNode    *node = hyb_graph_get_node (batching->graph, id);
      const HybValueId *inputs = hyb_graph_get_inputs (batching->graph, id);
      Group            *group;

      if ((node->op != add_two && node->op != add_many) || node->n_inputs < 2)
        continue;
      group = group_new (id);
      for (guint i = 0; i < node->n_inputs; i++)
        {
          HybNodeId producer = hyb_graph_get_producer (batching->graph, inputs[i]);

          if (is_addend (batching, inputs[i]) &&
              (group->members->len == 0 || goes_with (batching, member (group, 0), producer)))
            g_array_append_val (group->members, producer);
        }
      if (group->members->len == node->n_inputs && batching->groups->len < MAX_GROUPS)
        keep_group (batching, group);
      else
        group_free (group);
    }
}

/* --- Stacking rows --- */

/* The array that a value is a part of without having been copied, and from which byte on. */
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

      if (node->op->view == NULL)
        return value;
      g_clear_pointer (&batching->room, g_free);
      batching->room = g_new (HybType, node->n_inputs + node->n_outputs);
      hyb_call_init (&call, batching->graph, id, batching->facts->types, batching->room);
      if (!node->op->view (&call,
                           hyb_graph_get_output_index (batching->graph, value),
                           &input,
                           &part))
        return value;
      *offset += part;
      value = hyb_graph_get_inputs (batching->graph, id)[input];
    }
}

/* The one array whose parts, in order and without gaps, are this input of the members. */
static HybValueId
find_stack (Batching *batching, const Group *group, guint input)
{
  HybValueId root = HYB_NO_ID;
  gsize      expected = 0;

  for (guint i = 0; i < group->members->len; i++)
    {
      HybNodeId  id = member (group, i);
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
emit (Batching          *batching,
      const char        *op,
      HybNodeId          origin,
      guint              n_inputs,
      const HybValueId  *inputs,
      const char *const *attributes)
{
  const HybNode   *from = hyb_graph_get_node (batching->graph, origin);
  g_autofree char *name = g_strconcat (from->name, "_", op, NULL);
  HybNodeSpec      spec = { .op = hyb_op_find (op),
                            .name = name,
                            .attributes = attributes,
                            .n_inputs = n_inputs,
                            .inputs = inputs,
                            .origin_plus_one = from->origin + 1 };
  HybNodeId        id;

  if (batching->error != NULL)
    return HYB_NO_ID;
  id = hyb_builder_add (batching->rewrite.builder, &spec, &batching->error);
  return id == HYB_NO_ID ? HYB_NO_ID : hyb_builder_output (batching->rewrite.builder, id, 0);
}

static HybValueId
moved (const Batching *batching, HybValueId value)
{
  return g_array_index (batching->rewrite.map, HybValueId, value);
}

static HybValueId
stack_rows (Batching *batching, const Group *group, guint input)
{
  HybNodeId      first = member (group, 0);
  const HybType *type = type_of_input (batching, first, input);
  HybValueId     root = find_stack (batching, group, input);
  guint          n = group->members->len;

  if (root != HYB_NO_ID)
    {
      HybShape         shape = type->shape;
      g_autofree char *text = NULL;
      HybValueId       from = moved (batching, root);

      shape.dim[0] *= n;
      text = hyb_shape_to_string (&shape);
      return emit (batching, "Reshape", first, 1, &from, (const char *[]){ "shape", text, NULL });
    }
  else
    {
      g_autofree HybValueId *parts = g_new (HybValueId, n);
      g_autofree char       *count = g_strdup_printf ("%u", n);

      for (guint i = 0; i < n; i++)
        parts[i] =
            moved (batching, hyb_graph_get_inputs (batching->graph, member (group, i))[input]);
      return emit (batching,
                   "Concat",
                   first,
                   n,
                   parts,
                   (const char *[]){ "dim", "0", "num_args", count, NULL });
    }
}

/* --- Rewriting --- */

static HybValueId
make_product (Batching *batching, const Group *group)
{
  HybNodeId              first = member (group, 0);
  const HybNode         *node = hyb_graph_get_node (batching->graph, first);
  g_autofree HybValueId *inputs = g_new (HybValueId, node->n_inputs);
  g_autofree char       *name = g_strconcat (node->name, "_batched", NULL);
  HybNodeSpec            spec = { .op = node->op,
                                  .type = node->type,
                                  .name = name,
                                  .attributes = node->attributes,
                                  .n_inputs = node->n_inputs,
                                  .inputs = inputs,
                                  .origin_plus_one = node->origin + 1,
                                  .line = node->line };
  HybNodeId              id;

  for (guint i = 0; i < node->n_inputs; i++)
    inputs[i] = row_inputs (node) >> i & 1
                    ? stack_rows (batching, group, i)
                    : moved (batching, hyb_graph_get_inputs (batching->graph, first)[i]);
  if (batching->error != NULL)
    return HYB_NO_ID;
  spec.params = hyb_params_ref (node->params);
  id = hyb_builder_add (batching->rewrite.builder, &spec, &batching->error);
  return id == HYB_NO_ID ? HYB_NO_ID : hyb_builder_output (batching->rewrite.builder, id, 0);
}

static void
make_group (Batching *batching, Group *group)
{
  GArray          *map = batching->rewrite.map;
  guint            n = group->members->len;
  HybValueId       product = make_product (batching, group), parts;
  g_autofree char *count = g_strdup_printf ("%u", n);

  group->is_done = TRUE;
  if (batching->error != NULL)
    return;
  if (group->sum != HYB_NO_ID)
    {
      const HybNode *sum = hyb_graph_get_node (batching->graph, group->sum);

      g_array_index (map, HybValueId, sum->first_output) = product;
      return;
    }

  parts = emit (batching,
                "SliceChannel",
                member (group, 0),
                1,
                &product,
                (const char *[]){ "axis", "0", "num_outputs", count, NULL });
  for (guint i = 0; parts != HYB_NO_ID && i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (batching->graph, member (group, i));

      g_array_index (map, HybValueId, node->first_output) = parts + i;
    }
}

/* Queues what the inputs of a node wait for; FALSE: nothing, it can be made. */
static gboolean
wait_for_inputs (Batching *batching, HybNodeId id, GArray *stack)
{
  const HybValueId *inputs = hyb_graph_get_inputs (batching->graph, id);
  guint             before = stack->len;

  for (guint i = 0; i < hyb_graph_get_node (batching->graph, id)->n_inputs; i++)
    {
      HybNodeId producer = hyb_graph_get_producer (batching->graph, inputs[i]);

      if (!batching->is_made[producer])
        g_array_append_val (stack, producer);
    }
  return stack->len > before;
}

static gboolean
wait_for_group (Batching *batching, const Group *group, GArray *stack)
{
  gboolean waits = FALSE;

  for (guint i = 0; i < group->members->len; i++)
    waits |= wait_for_inputs (batching, member (group, i), stack);
  return waits;
}

static void
make_node (Batching *batching, HybNodeId wanted, GArray *stack)
{
  g_array_set_size (stack, 0);
  g_array_append_val (stack, wanted);
  while (stack->len > 0 && batching->error == NULL)
    {
      guint     top = stack->len - 1;
      HybNodeId id = g_array_index (stack, HybNodeId, top);
      Group    *group = group_at (batching, id);

      if (batching->is_made[id])
        {
          g_array_set_size (stack, top);
          continue;
        }
      if (group != NULL ? wait_for_group (batching, group, stack)
                        : wait_for_inputs (batching, id, stack))
        continue;

      g_array_set_size (stack, top);
      if (group == NULL)
        hyb_rewrite_copy (&batching->rewrite, id);
      else if (!group->is_done)
        make_group (batching, group);
      batching->is_made[id] = TRUE;
      for (guint i = 0; group != NULL && i < group->members->len; i++)
        batching->is_made[member (group, i)] = TRUE;
      if (group != NULL && group->sum != HYB_NO_ID)
        batching->is_made[group->sum] = TRUE;
    }
}

static HybGraph *
rewrite (Batching *batching, GArray *map, GError **error)
{
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (HybNodeId));

  hyb_rewrite_init (&batching->rewrite, batching->graph, map);
  /* Variables are bound by position: their order stays. */
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (batching->graph); id++)
    if (hyb_node_is_variable (hyb_graph_get_node (batching->graph, id)))
      make_node (batching, id, stack);
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (batching->graph); id++)
    make_node (batching, id, stack);
  if (batching->error == NULL)
    return hyb_rewrite_finish (&batching->rewrite);

  g_propagate_error (error, g_steal_pointer (&batching->error));
  g_clear_pointer (&batching->rewrite.builder, hyb_builder_free);
  g_clear_pointer (&batching->rewrite.inputs, g_free);
  return NULL;
}

static HybGraph *
batch_products_run (HybGraph *graph, HybFacts *facts, GArray *map, GError **error)
{
  guint               n_nodes = hyb_graph_n_nodes (graph), n_heads;
  const HybValueId   *heads = hyb_graph_get_heads (graph, &n_heads);
  g_autofree guint32 *group_of = g_new (guint32, MAX (n_nodes, 1));
  g_autofree guint8  *is_made = g_new0 (guint8, MAX (n_nodes, 1));
  g_autofree guint8  *is_head = g_new0 (guint8, MAX (hyb_graph_n_values (graph), 1));
  g_autofree guint8  *written = hyb_graph_find_written (graph, TRUE);
  g_autoptr (GPtrArray) groups = g_ptr_array_new_with_free_func (group_free);
  Batching  batching = { .graph = graph,
                         .facts = facts,
                         .groups = groups,
                         .group_of = group_of,
                         .is_head = is_head,
                         .is_made = is_made,
                         .written = written };
  HybGraph *result;

  memset (group_of, 0xff, n_nodes * sizeof group_of[0]); /* HYB_NO_ID */
  for (guint i = 0; i < n_heads; i++)
    is_head[heads[i]] = TRUE;
  find_parallel_products (&batching);
  find_sums_of_products (&batching);
  if (groups->len == 0)
    return hyb_graph_ref (graph);

  result = rewrite (&batching, map, error);
  g_clear_pointer (&batching.room, g_free);
  return result;
}

extern const HybPass hyb_pass_batch_products;

const HybPass hyb_pass_batch_products = {
  .name = "batch-products",
  .doc = "Takes products with one weight together that do not wait for each other.",
  .needs = HYB_FACT_TYPES,
  .optimising = TRUE,
  .run = batch_products_run,
};
