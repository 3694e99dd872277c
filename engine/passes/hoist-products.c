/* hoist-products.c — the pass that moves products of a loop's input data in front of the loop.
 *
 * A loop often multiplies its slices by the same weight in every step.  Such a product is computed
 * once before the loop, for the rows of all steps, and the loop reads slices of the result.  The
 * backward loop, which computes the body again, reads the same slices.
 *
 * Operators state which products work row by row in HybOp.rowwise_inputs.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/analysis/pass.h"
#include "engine/passes/loop-ports.h"

#include <string.h>

/* A product with more rows in a step than this is efficient inside the loop. */
#define MAX_ROWS 128

/* A product that is moved out of the body. */
typedef struct
{
  HybNodeId  node;  /* in the body */
  HybValueId whole; /* in the new outer graph: (steps, rows, …) */
} Product;

/* A product computed before a loop, kept because the backward loop needs it as well. */
typedef struct
{
  HybGraph  *body;
  HybNodeId  node;
  HybNodeId  loop;
  HybValueId whole;
  HybNodeId  product; /* in the new outer graph */
} HoistedProduct;

typedef struct
{
  HybGraph   *graph;
  HybFacts   *facts;
  HybRewrite *rewrite;
  GArray     *made; /* of HoistedProduct */
} Hoisting;

/* --- Inputs of the body --- */

/* The outer value that feeds input i of a product in the body: sliced if the input has rows, else
 * captured.  HYB_NO_ID if it changes from step to step in another way. */
static HybValueId
outer_value (Hoisting           *hoisting,
             HybNodeId           loop,
             const HybLoopPorts *ports,
             HybNodeId           product,
             guint               i)
{
  HybGraph      *body = hyb_graph_get_bodies (hoisting->graph, loop)[0];
  const HybNode *node = hyb_graph_get_node (body, product);
  guint          variable = hyb_loop_ports_variable (body, hyb_graph_get_inputs (body, product)[i]);
  guint          input;

  if (variable >= ports->n_variables)
    return HYB_NO_ID;
  if (node->op->rowwise_inputs >> i & 1)
    input = hyb_loop_ports_data_input (ports, variable);
  else
    input = hyb_loop_ports_captured_input (ports, variable);
  return input == G_MAXUINT ? HYB_NO_ID : hyb_graph_get_inputs (hoisting->graph, loop)[input];
}

static gboolean
can_leave (Hoisting *hoisting, HybNodeId loop, const HybLoopPorts *ports, HybNodeId product)
{
  HybGraph      *body = hyb_graph_get_bodies (hoisting->graph, loop)[0];
  const HybNode *node = hyb_graph_get_node (body, product);

  if (node->op->rowwise_inputs == 0 || node->n_outputs != 1 || node->n_inputs > 32)
    return FALSE;
  for (guint i = 0; i < node->n_inputs; i++)
    {
      HybValueId     value = outer_value (hoisting, loop, ports, product, i);
      const HybType *type = value != HYB_NO_ID ? &hoisting->facts->types[value] : NULL;

      if (!type || !hyb_type_is_known (type))
        return FALSE;
      if (node->op->rowwise_inputs >> i & 1 &&
          (type->shape.rank != 3 || type->shape.dim[1] > MAX_ROWS ||
           hyb_shape_size (&type->shape) == 0))
        return FALSE;
    }
  return TRUE;
}

/* --- Before the loop --- */

static HybValueId
emit_reshape (Hoisting *hoisting, HybNodeId loop, HybValueId value, const char *text)
{
  const char      *outer = hyb_graph_get_node (hoisting->graph, loop)->name;
  g_autofree char *name = g_strconcat (outer, "_reshape", NULL);

  return hyb_rewrite_add (hoisting->rewrite, loop,
                          &(HybNodeSpec){ .op = hyb_op_find ("Reshape"),
                                          .name = name,
                                          .attributes = (const char *[]){ "shape", text, NULL },
                                          .n_inputs = 1,
                                          .inputs = &value });
}

/* Reshapes (steps × rows, …) to (steps, rows, …); -1 is the width of a result row. */
static HybValueId
part_steps (Hoisting *hoisting, HybNodeId loop, HybValueId value, gint64 steps, gint64 rows)
{
  g_autofree char *text =
      g_strdup_printf ("(%" G_GINT64_FORMAT ", %" G_GINT64_FORMAT ", -1)", steps, rows);

  return emit_reshape (hoisting, loop, value, text);
}

/* Reshapes (steps, rows, …) to (steps × rows, …), multiplies, and reshapes back. */
static void
emit_product (Hoisting *hoisting, const HybLoopPorts *ports, HoistedProduct *made)
{
  HybNodeId              loop = made->loop, product = made->node;
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
                                  .inputs = inputs };
  gint64                 steps = 0, rows = 0;
  HybValueId             result;

  for (guint i = 0; i < node->n_inputs; i++)
    {
      HybValueId       value = outer_value (hoisting, loop, ports, product, i);
      HybShape         shape = hoisting->facts->types[value].shape;
      g_autofree char *text = NULL;

      inputs[i] = hyb_rewrite_value (hoisting->rewrite, value);
      if (!(node->op->rowwise_inputs >> i & 1))
        continue;
      /* Only the input with rows is per step; the weight and the bias stay as they are. */
      steps = shape.dim[0];
      rows = shape.dim[1];
      shape = hyb_shape_2d (steps * rows, shape.dim[2]);
      text = hyb_shape_to_string (&shape);
      inputs[i] = emit_reshape (hoisting, loop, inputs[i], text);
    }
  spec.params = hyb_params_ref (node->params);
  result = hyb_rewrite_add (hoisting->rewrite, loop, &spec);
  if (result == HYB_NO_ID)
    return;
  made->product = hyb_builder_get_producer (hoisting->rewrite->builder, result);
  made->whole = part_steps (hoisting, loop, result, steps, rows);
}

/* Finds a product of the same values by the same operator. */
static gboolean
is_same (Hoisting             *hoisting,
         const HoistedProduct *made,
         HybNodeId             loop,
         const HybLoopPorts   *ports,
         HybNodeId             product)
{
  HybGraph      *body = hyb_graph_get_bodies (hoisting->graph, loop)[0];
  const HybNode *a = hyb_graph_get_node (made->body, made->node);
  const HybNode *b = hyb_graph_get_node (body, product);
  HybLoopPorts   others;

  if (a->op != b->op || a->n_inputs != b->n_inputs ||
      !hyb_params_equal (a->op->params, a->params, b->params) ||
      !hyb_loop_ports_find (hoisting->graph, made->loop, &others))
    return FALSE;
  for (guint i = 0; i < a->n_inputs; i++)
    if (outer_value (hoisting, made->loop, &others, made->node, i) !=
        outer_value (hoisting, loop, ports, product, i))
      return FALSE;
  return TRUE;
}

/* States that the product before the loop does the work of this one. */
static void
note_moved (Hoisting *hoisting, const HoistedProduct *made, HybNodeId loop, HybNodeId product)
{
  if (hoisting->facts->sources && made->whole != HYB_NO_ID)
    hyb_sources_note_moved (hoisting->facts->sources, made->product, loop, product);
}

static HybValueId
find_or_emit (Hoisting *hoisting, HybNodeId loop, const HybLoopPorts *ports, HybNodeId product)
{
  HoistedProduct made = { hyb_graph_get_bodies (hoisting->graph, loop)[0], product, loop, HYB_NO_ID,
                          HYB_NO_ID };

  for (guint i = 0; i < hoisting->made->len; i++)
    {
      const HoistedProduct *known = &g_array_index (hoisting->made, HoistedProduct, i);

      if (!is_same (hoisting, known, loop, ports, product))
        continue;
      note_moved (hoisting, known, loop, product);
      return known->whole;
    }
  emit_product (hoisting, ports, &made);
  note_moved (hoisting, &made, loop, product);
  g_array_append_val (hoisting->made, made);
  return made.whole;
}

/* --- The remaining loop --- */

static void
make_loop (Hoisting *hoisting, HybNodeId id, const HybLoopPorts *ports, const GArray *products)
{
  g_autofree HybNodeId  *nodes = g_new (HybNodeId, products->len);
  g_autofree HybValueId *added = g_new (HybValueId, products->len);
  g_autoptr (HybGraph) body = NULL;

  for (guint p = 0; p < products->len; p++)
    {
      nodes[p] = g_array_index (products, Product, p).node;
      added[p] = g_array_index (products, Product, p).whole;
    }
  body = hyb_loop_ports_cut_body (ports, hyb_graph_get_bodies (hoisting->graph, id)[0],
                                  products->len, nodes);
  hyb_loop_ports_make_loop (ports, hoisting->rewrite, id,
                            &(HybLoopReplacement){ .body = body,
                                                   .is_sliced = TRUE,
                                                   .n_added = products->len,
                                                   .added = added });
}

static void
visit (HybRewrite *rewrite, HybNodeId id, gpointer data)
{
  Hoisting *hoisting = data;
  g_autoptr (GArray) products = g_array_new (FALSE, FALSE, sizeof (Product));
  HybGraph    *body;
  HybLoopPorts ports;

  if (!hyb_loop_ports_find (hoisting->graph, id, &ports))
    {
      hyb_rewrite_copy (rewrite, id);
      return;
    }

  hoisting->rewrite = rewrite;
  body = hyb_graph_get_bodies (hoisting->graph, id)[0];
  for (HybNodeId inner = 0; inner < hyb_graph_n_nodes (body); inner++)
    if (can_leave (hoisting, id, &ports, inner))
      {
        Product product = { inner, find_or_emit (hoisting, id, &ports, inner) };

        g_array_append_val (products, product);
      }
  if (products->len > 0)
    make_loop (hoisting, id, &ports, products);
  else
    hyb_rewrite_copy (rewrite, id);
}

static HybGraph *
hoist_products_run (HybGraph *graph, HybFacts *facts, GArray *map, GError **error)
{
  g_autoptr (GArray) made = g_array_new (FALSE, FALSE, sizeof (HoistedProduct));
  Hoisting hoisting = { .graph = graph, .facts = facts, .made = made };

  return hyb_rewrite_graph (graph, visit, &hoisting, map, error);
}

extern const HybPass hyb_pass_hoist_products;

const HybPass hyb_pass_hoist_products = {
  .name = "hoist-products",
  .doc = "Computes products of a loop's data with weights for all steps before the loop.",
  .needs = HYB_FACT_TYPES,
  .optimising = TRUE,
  .saves = HYB_SAVES_PRODUCTS,
  .run = hoist_products_run,
};
