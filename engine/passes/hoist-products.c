/* hoist-products.c — products of a loop's data with weights, for all steps at once.
 *
 * What a loop multiplies its slices by is often the same in every step.  Such a product is
 * made once before the loop, of all rows, and the loop gets its slices of the result.  The
 * way back, which computes the body again, gets the same ones.
 *
 * Which product may be taken by rows is said by the operators: HybOp.by_rows.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/ops/control-flow.h"
#include "engine/passes/infer-types.h"
#include "engine/passes/pass.h"
#include "engine/passes/rewrite.h"

#include <string.h>

/* More rows in a step than this keep a product busy on their own. */
#define MAX_ROWS 128

/* How a loop's node says what feeds its body; see foreach.c and loop-gradient.c. */
typedef struct
{
  HybInts data, states, captured; /* variables of the body; borrowed */
  guint   first;                  /* input of the node that feeds the first of data */
  guint   n_variables;            /* of the forward body; those of the way back follow */
} LoopPorts;

/* A product that leaves the body. */
typedef struct
{
  HybNodeId  node;  /* of the body */
  HybValueId whole; /* of the new outer graph: (steps, rows, …) */
} Product;

typedef struct
{
  HybGraph  *graph;
  HybFacts  *facts;
  HybRewrite rewrite;
  GError    *error;
  guint      n_hoisted;
} Hoisting;

/* --- What feeds the body --- */

static const HybInts *
find_ints (const HybNode *node, const char *name)
{
  for (const HybParam *param = node->op->params; param->name != NULL; param++)
    if (param->kind == HYB_PARAM_INTS && strcmp (param->name, name) == 0)
      return (const HybInts *) ((const char *) node->params + param->offset);
  return NULL;
}

static gboolean
find_ports (HybGraph *graph, HybNodeId id, LoopPorts *ports)
{
  const HybNode *node = hyb_graph_get_node (graph, id);
  const HybInts *data, *states, *captured;

  if (node->n_bodies != 1 || node->op->params == NULL)
    return FALSE;
  data = find_ints (node, "in_data_locs");
  states = find_ints (node, "in_state_locs");
  captured = find_ints (node, "remain_locs");
  if (data == NULL || states == NULL || captured == NULL)
    return FALSE;

  *ports = (LoopPorts){ *data, *states, *captured, 0, 0 };
  ports->n_variables = (guint) (data->n + states->n + captured->n);
  ports->first = node->n_inputs - ports->n_variables; /* a way back has other inputs first */
  return data->n > 0;
}

/* The input of the node that feeds a variable, if that is one of these. */
static guint
find_input (const HybInts *group, guint first, guint variable)
{
  for (int i = 0; i < group->n; i++)
    if (group->value[i] == variable)
      return first + (guint) i;
  return G_MAXUINT;
}

/* Which variable of the body a value is; G_MAXUINT: none. */
static guint
find_variable (HybGraph *body, HybValueId value)
{
  HybNodeId        id = hyb_graph_get_producer (body, value);
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (body, &n);

  for (guint v = 0; v < n; v++)
    if (variables[v] == id)
      return v;
  return G_MAXUINT;
}

/* The outer value of input i of a product in the body: a slice where it has rows, else
 * captured.  HYB_NO_ID: it changes from step to step in some other way. */
static HybValueId
outer_value (Hoisting *hoisting, HybNodeId loop, const LoopPorts *ports, HybNodeId product, guint i)
{
  HybGraph      *body = hyb_graph_get_bodies (hoisting->graph, loop)[0];
  const HybNode *node = hyb_graph_get_node (body, product);
  guint          variable = find_variable (body, hyb_graph_get_inputs (body, product)[i]);
  guint          captured = ports->first + (guint) (ports->data.n + ports->states.n);
  guint          input;

  if (variable >= ports->n_variables)
    return HYB_NO_ID;
  if (node->op->by_rows >> i & 1)
    input = find_input (&ports->data, ports->first, variable);
  else
    input = find_input (&ports->captured, captured, variable);
  return input == G_MAXUINT ? HYB_NO_ID : hyb_graph_get_inputs (hoisting->graph, loop)[input];
}

static gboolean
can_leave (Hoisting *hoisting, HybNodeId loop, const LoopPorts *ports, HybNodeId product)
{
  HybGraph      *body = hyb_graph_get_bodies (hoisting->graph, loop)[0];
  const HybNode *node = hyb_graph_get_node (body, product);

  if (node->op->by_rows == 0 || node->n_outputs != 1 || node->n_inputs > 32)
    return FALSE;
  for (guint i = 0; i < node->n_inputs; i++)
    {
      HybValueId     value = outer_value (hoisting, loop, ports, product, i);
      const HybType *type = value != HYB_NO_ID ? &hoisting->facts->types[value] : NULL;

      if (type == NULL || !hyb_type_is_known (type))
        return FALSE;
      if (node->op->by_rows >> i & 1 && (type->shape.rank != 3 || type->shape.dim[1] > MAX_ROWS ||
                                         hyb_shape_size (&type->shape) == 0))
        return FALSE;
    }
  return TRUE;
}

/* --- Before the loop --- */

static HybValueId
emit (Hoisting *hoisting, HybNodeSpec *spec)
{
  HybNodeId id;

  if (hoisting->error != NULL)
    return HYB_NO_ID;
  id = hyb_builder_add (hoisting->rewrite.builder, spec, &hoisting->error);
  return id == HYB_NO_ID ? HYB_NO_ID : hyb_builder_output (hoisting->rewrite.builder, id, 0);
}

static HybValueId
emit_reshape (Hoisting *hoisting, const HybNode *loop, HybValueId value, const char *text)
{
  g_autofree char *name = g_strconcat (loop->name, "_reshape", NULL);

  return emit (hoisting,
               &(HybNodeSpec){ .op = hyb_op_find ("Reshape"),
                               .name = name,
                               .attributes = (const char *[]){ "shape", text, NULL },
                               .n_inputs = 1,
                               .inputs = &value,
                               .origin_plus_one = loop->origin + 1 });
}

/* (steps × rows, …) to (steps, rows, …): -1 is what the product makes of a row. */
static HybValueId
part_steps (Hoisting *hoisting, const HybNode *loop, HybValueId value, gint64 steps, gint64 rows)
{
  g_autofree char *text =
      g_strdup_printf ("(%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT ", -1)", steps, rows);

  return emit_reshape (hoisting, loop, value, text);
}

/* (steps, rows, …) becomes (steps × rows, …), the product is made, and parted again. */
static HybValueId
emit_product (Hoisting *hoisting, HybNodeId loop, const LoopPorts *ports, HybNodeId product)
{
  HybGraph              *body = hyb_graph_get_bodies (hoisting->graph, loop)[0];
  const HybNode         *outer = hyb_graph_get_node (hoisting->graph, loop);
  const HybNode         *node = hyb_graph_get_node (body, product);
  g_autofree HybValueId *inputs = g_new (HybValueId, node->n_inputs);
  g_autofree char       *name = g_strconcat (outer->name, "_", node->name, NULL);
  HybNodeSpec            spec = { .op = node->op,
                                  .type = node->type,
                                  .name = name,
                                  .attributes = node->attributes,
                                  .n_inputs = node->n_inputs,
                                  .inputs = inputs,
                                  .origin_plus_one = outer->origin + 1,
                                  .line = node->line };
  gint64                 steps = 0, rows = 0;
  HybValueId             result;

  for (guint i = 0; i < node->n_inputs; i++)
    {
      HybValueId       value = outer_value (hoisting, loop, ports, product, i);
      HybShape         shape = hoisting->facts->types[value].shape;
      g_autofree char *text = NULL;

      inputs[i] = g_array_index (hoisting->rewrite.map, HybValueId, value);
      if (!(node->op->by_rows >> i & 1))
        continue;
      steps = shape.dim[0];
      rows = shape.dim[1];
      shape = hyb_shape_2d (steps * rows, shape.dim[2]);
      text = hyb_shape_to_string (&shape);
      inputs[i] = emit_reshape (hoisting, outer, inputs[i], text);
    }
  if (hoisting->error != NULL)
    return HYB_NO_ID;
  spec.params = hyb_params_ref (node->params);
  result = emit (hoisting, &spec);
  return result == HYB_NO_ID ? HYB_NO_ID : part_steps (hoisting, outer, result, steps, rows);
}

/* --- The loop without them --- */

/* Variables stay what they were; behind those of the forward body comes one a product. */
static HybGraph *
make_body (HybGraph *body, guint n_variables, const GArray *products)
{
  g_autoptr (GArray) map = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  HybRewrite       rewrite;
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (body, &n);

  hyb_rewrite_init (&rewrite, body, map);
  for (guint v = 0; v <= n; v++)
    {
      for (guint p = 0; v == n_variables && p < products->len; p++)
        {
          HybNodeId      id = g_array_index (products, Product, p).node;
          const HybNode *node = hyb_graph_get_node (body, id);

          g_array_index (map, HybValueId, node->first_output) =
              hyb_builder_add_variable (rewrite.builder, node->name, NULL);
        }
      if (v < n)
        hyb_rewrite_copy (&rewrite, variables[v]);
    }
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (body); id++)
    {
      const HybNode *node = hyb_graph_get_node (body, id);

      if (!hyb_node_is_variable (node) &&
          (node->n_outputs != 1 ||
           g_array_index (map, HybValueId, node->first_output) == HYB_NO_ID))
        hyb_rewrite_copy (&rewrite, id);
    }
  return hyb_rewrite_finish (&rewrite);
}

/* The loop's attributes, with the products among its data. */
static char **
make_attributes (const HybNode *loop, const LoopPorts *ports, guint n_products)
{
  g_autoptr (GString) locations = g_string_new ("(");
  g_autofree char *data = NULL;
  g_autofree char *count =
      g_strdup_printf ("%u", ports->n_variables + n_products + 1); /* and the subgraph */
  GPtrArray *pairs = g_ptr_array_new ();

  for (int i = 0; i < ports->data.n; i++)
    g_string_append_printf (locations, "%" G_GINT64_FORMAT ",", ports->data.value[i]);
  for (guint p = 0; p < n_products; p++)
    g_string_append_printf (locations, "%u,", ports->n_variables + p);
  g_string_append_c (locations, ')');

  for (guint i = 0; loop->attributes != NULL && loop->attributes[i] != NULL; i += 2)
    {
      const char *key = loop->attributes[i];
      const char *value = strcmp (key, "in_data_locs") == 0 ? locations->str
                          : strcmp (key, "num_args") == 0   ? count
                                                            : loop->attributes[i + 1];

      g_ptr_array_add (pairs, g_strdup (key));
      g_ptr_array_add (pairs, g_strdup (value));
    }
  g_ptr_array_add (pairs, NULL);
  return (char **) g_ptr_array_free (pairs, FALSE);
}

static void
make_loop (Hoisting *hoisting, HybNodeId id, const LoopPorts *ports, const GArray *products)
{
  const HybNode    *node = hyb_graph_get_node (hoisting->graph, id);
  const HybValueId *old = hyb_rewrite_inputs (&hoisting->rewrite, id);
  guint             before = ports->first + (guint) ports->data.n;
  g_autoptr (GArray) inputs = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  g_auto (GStrv) attributes = make_attributes (node, ports, products->len);
  g_autoptr (HybGraph) body =
      make_body (hyb_graph_get_bodies (hoisting->graph, id)[0], ports->n_variables, products);
  HybNodeSpec spec = { .op = node->op,
                       .type = node->type,
                       .name = node->name,
                       .attributes = (const char *const *) attributes,
                       .n_bodies = 1,
                       .bodies = &body,
                       .key = node->key,
                       .origin_plus_one = node->origin + 1,
                       .line = node->line };
  HybValueId  first;

  g_array_append_vals (inputs, old, before);
  for (guint p = 0; p < products->len; p++)
    g_array_append_val (inputs, g_array_index (products, Product, p).whole);
  g_array_append_vals (inputs, old + before, node->n_inputs - before);
  spec.n_inputs = inputs->len;
  spec.inputs = (const HybValueId *) inputs->data;
  first = emit (hoisting, &spec);
  for (guint i = 0; first != HYB_NO_ID && i < node->n_outputs; i++)
    g_array_index (hoisting->rewrite.map, HybValueId, node->first_output + i) = first + i;
  hoisting->n_hoisted += products->len;
}

static void
visit (Hoisting *hoisting, HybNodeId id)
{
  g_autoptr (GArray) products = g_array_new (FALSE, FALSE, sizeof (Product));
  HybGraph *body;
  LoopPorts ports;

  if (!find_ports (hoisting->graph, id, &ports))
    {
      hyb_rewrite_copy (&hoisting->rewrite, id);
      return;
    }

  body = hyb_graph_get_bodies (hoisting->graph, id)[0];
  for (HybNodeId inner = 0; inner < hyb_graph_n_nodes (body); inner++)
    if (can_leave (hoisting, id, &ports, inner))
      {
        Product product = { inner, emit_product (hoisting, id, &ports, inner) };

        g_array_append_val (products, product);
      }
  if (hoisting->error == NULL && products->len > 0)
    make_loop (hoisting, id, &ports, products);
  else
    hyb_rewrite_copy (&hoisting->rewrite, id);
}

static HybGraph *
hoist_products_run (HybGraph *graph, HybFacts *facts, GArray *map, GError **error)
{
  Hoisting hoisting = { .graph = graph, .facts = facts };
  g_autoptr (HybGraph) result = NULL;

  hyb_rewrite_init (&hoisting.rewrite, graph, map);
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph) && hoisting.error == NULL; id++)
    visit (&hoisting, id);
  if (hoisting.error != NULL)
    {
      g_propagate_error (error, hoisting.error);
      g_clear_pointer (&hoisting.rewrite.builder, hyb_builder_free);
      g_clear_pointer (&hoisting.rewrite.inputs, g_free);
      return NULL;
    }
  result = hyb_rewrite_finish (&hoisting.rewrite);
  return hoisting.n_hoisted > 0 ? g_steal_pointer (&result) : hyb_graph_ref (graph);
}

extern const HybPass hyb_pass_hoist_products;

const HybPass hyb_pass_hoist_products = {
  .name = "hoist-products",
  .doc = "Makes a loop's products of its data and weights for all steps before it.",
  .needs = HYB_FACT_TYPES,
  .optimising = TRUE,
  .run = hoist_products_run,
};
