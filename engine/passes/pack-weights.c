/* pack-weights.c — the pass that packs a weight into panels once for several products.
 *
 * For a product of few rows, packing the weight takes as long as multiplying.  If a weight is used by
 * several products (steps of an unrolled network or a loop, or several runs with a constant weight),
 * packing becomes a node of its own, and the products read its panels.  Weights used inside loops are
 * packed before the loop.
 *
 * RNN, whose weights are parts of one vector, packs them itself if this pass is enabled:
 * hyb_plan_options_enable_pass().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/analysis/pass.h"
#include "engine/graph/reach.h"
#include "engine/kernels/matrix/panels.h"
#include "engine/passes/loop-ports.h"

/* Packing pays from this many products on, or for one product of this many rows. */
#define MIN_PRODUCTS 3
#define MANY_ROWS    512
/* Smaller weights are not packed: half of a panel would be empty. */
#define MIN_COLUMNS  (HYB_PANEL_WIDTH / 2)
#define MAX_ELEMENTS ((gint64) 1 << 40)

/* A product that can read panels. */
typedef struct
{
  gboolean   transposed;         /* by the transpose of the weight */
  HybValueId data, weight, bias; /* bias: HYB_NO_ID if there is none */
  gint64     rows, columns;
} Product;

typedef struct
{
  HybGraph   *graph;
  HybFacts   *facts;
  HybRewrite *rewrite;
  guint8     *written;       /* by node */
  gint64     *n_products[2]; /* for each direction, by value: how many products use the weight */
  HybValueId *panels
      [2]; /* for each direction, by value: the panels in the new graph; HYB_NO_ID: not packed */
  const HybOp *forward, *backward;
} Packing;

/* --- Finding products --- */

static const HybType *
type_of (const HybType *types, HybValueId value)
{
  return &types[value];
}

static gboolean
is_matrix (const HybType *type)
{
  return type->dtype == HYB_F32 && type->shape.rank == 2 && hyb_shape_is_known (&type->shape);
}

/* Reads a product.  types: by value of the graph, which may be a body. */
static gboolean
find_product (const Packing *packing,
              HybGraph      *graph,
              const HybType *types,
              HybNodeId      id,
              Product       *product)
{
  const HybNode    *node = hyb_graph_get_node (graph, id);
  const HybValueId *inputs = hyb_graph_get_inputs (graph, id);
  gboolean          is_forward = node->op == packing->forward;
  const HybShape   *weight;

  if ((!is_forward && node->op != packing->backward) || node->n_inputs < 2)
    return FALSE;
  *product = (Product){
    .transposed = is_forward,
    .data = inputs[0],
    .weight = inputs[1],
    .bias = is_forward && node->n_inputs > 2 ? inputs[2] : HYB_NO_ID,
  };
  if (!is_matrix (type_of (types, product->data)) ||
      !is_matrix (type_of (types, product->weight)) ||
      !is_matrix (type_of (types, node->first_output)))
    return FALSE;

  weight = &type_of (types, product->weight)->shape;
  product->rows = type_of (types, product->data)->shape.dim[0];
  product->columns = weight->dim[is_forward ? 0 : 1];
  return product->rows > 1 && product->columns >= MIN_COLUMNS && product->columns <= G_MAXINT32 &&
         weight->dim[is_forward ? 1 : 0] > 0 &&
         weight->dim[is_forward ? 1 : 0] <= MAX_ELEMENTS / product->columns;
}

/* The outer value that feeds the weight of a product in a body, or HYB_NO_ID if it is not
 * captured. */
static HybValueId
outer_weight (const Packing      *packing,
              HybNodeId           loop,
              const HybLoopPorts *ports,
              const Product      *product)
{
  HybGraph *body = hyb_graph_get_bodies (packing->graph, loop)[0];
  guint     variable = hyb_loop_ports_variable (body, product->weight);
  guint     input =
      variable < ports->n_variables ? hyb_loop_ports_captured_input (ports, variable) : G_MAXUINT;

  return input == G_MAXUINT ? HYB_NO_ID : hyb_graph_get_inputs (packing->graph, loop)[input];
}

/* Counts the products of one run; one product of many rows counts as enough. */
static void
count_product (Packing *packing, HybValueId weight, const Product *product, gint64 times)
{
  if (product->rows >= MANY_ROWS)
    times = MIN_PRODUCTS;
  packing->n_products[product->transposed][weight] += times;
}

static void
count_products (Packing *packing)
{
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (packing->graph); id++)
    {
      Product             product;
      HybLoopPorts        ports;
      HybGraph           *body;
      g_autofree HybType *types = NULL;

      if (find_product (packing, packing->graph, packing->facts->types, id, &product))
        count_product (packing, product.weight, &product, 1);
      if (!hyb_loop_ports_find (packing->graph, id, &ports))
        continue;
      types = hyb_loop_ports_body_types (&ports, packing->graph, id, packing->facts);
      body = hyb_graph_get_bodies (packing->graph, id)[0];
      for (HybNodeId inner = 0; types && inner < hyb_graph_n_nodes (body); inner++)
        if (find_product (packing, body, types, inner, &product))
          {
            HybValueId weight = outer_weight (packing, id, &ports, &product);

            if (weight != HYB_NO_ID)
              count_product (packing, weight, &product, MIN_PRODUCTS);
          }
    }
}

/* TRUE if a weight of the outer graph should be packed. */
static gboolean
is_worth_it (const Packing *packing, HybValueId weight, gboolean transposed)
{
  return !packing->written[hyb_graph_get_producer (packing->graph, weight)] &&
         (packing->n_products[transposed][weight] >= MIN_PRODUCTS ||
          (packing->facts->constants[weight] && !packing->facts->same_bytes));
}

/* --- Rewriting --- */

/* The panels of a weight.  The node that packs it is added where they are first needed and has that
 * product as its origin. */
static HybValueId
get_panels (Packing *packing, HybNodeId reader, HybValueId weight, gboolean transposed)
{
  HybNodeId        producer = hyb_graph_get_producer (packing->graph, weight);
  const HybNode   *node = hyb_graph_get_node (packing->graph, producer);
  HybValueId       from = hyb_rewrite_value (packing->rewrite, weight);
  HybValueId      *panels = &packing->panels[transposed][weight];
  g_autofree char *name = g_strconcat (node->name, transposed ? "_panels" : "_panels_back", NULL);
  const char      *attributes[] = { "transposed", transposed ? "True" : "False", NULL };

  if (*panels == HYB_NO_ID)
    *panels = hyb_rewrite_add (packing->rewrite, reader,
                               &(HybNodeSpec){ .op = hyb_op_find ("_weight_panels"),
                                               .name = name,
                                               .attributes = attributes,
                                               .n_inputs = 1,
                                               .inputs = &from });
  return *panels;
}

/* Adds the product that reads panels to the graph of rewrite, which may be a body. */
static void
make_product (HybRewrite *rewrite, HybNodeId id, const Product *product, HybValueId panels)
{
  g_autofree char *n = g_strdup_printf ("%" G_GINT64_FORMAT, product->columns);
  gboolean         has_bias = product->bias != HYB_NO_ID;
  const char      *attributes[] = { "num_hidden", n, "no_bias", has_bias ? "False" : "True", NULL };
  HybValueId       inputs[3] = { hyb_rewrite_value (rewrite, product->data), panels };

  if (has_bias)
    inputs[2] = hyb_rewrite_value (rewrite, product->bias);
  hyb_rewrite_replace (rewrite, id,
                       &(HybNodeSpec){ .op = hyb_op_find ("_panel_product"),
                                       .attributes = attributes,
                                       .n_inputs = has_bias ? 3 : 2,
                                       .inputs = inputs });
}

/* Panels that a loop captures in addition. */
typedef struct
{
  HybValueId weight; /* in the outer graph */
  gboolean   transposed;
  HybValueId panels, variable; /* in the new outer graph, and in the new body */
} Captured;

/* The captured panels that a product of the body reads, or NULL if it stays as it is. */
static Captured *
find_captured (const Packing      *packing,
               HybNodeId           loop,
               const HybLoopPorts *ports,
               const Product      *product,
               GArray             *captured)
{
  HybValueId weight = outer_weight (packing, loop, ports, product);
  Captured new = { .weight = weight, .transposed = product->transposed };

  if (weight == HYB_NO_ID || !is_worth_it (packing, weight, product->transposed))
    return NULL;
  for (guint i = 0; i < captured->len; i++)
    {
      Captured *known = &g_array_index (captured, Captured, i);

      if (known->weight == weight && known->transposed == product->transposed)
        return known;
    }
  g_array_append_val (captured, new);
  return &g_array_index (captured, Captured, captured->len - 1);
}

static HybGraph *
make_body (Packing            *packing,
           HybNodeId           loop,
           const HybLoopPorts *ports,
           const HybType      *types,
           GArray             *captured)
{
  HybGraph *body = hyb_graph_get_bodies (packing->graph, loop)[0];
  g_autoptr (GArray) map = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  g_autofree const char **names = g_new (const char *, captured->len);
  g_autofree HybValueId  *added = g_new (HybValueId, captured->len);
  HybRewrite              rewrite;

  for (guint i = 0; i < captured->len; i++)
    names[i] = "panels";
  hyb_loop_ports_start_body (ports, body,
                             &(HybLoopAddition){
                                 .n = captured->len, .names = names, .values = added },
                             &rewrite, map);
  for (guint i = 0; i < captured->len; i++)
    g_array_index (captured, Captured, i).variable = added[i];
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (body); id++)
    {
      Product   product;
      Captured *panels = NULL;

      if (hyb_node_is_variable (hyb_graph_get_node (body, id)))
        continue;
      if (find_product (packing, body, types, id, &product))
        panels = find_captured (packing, loop, ports, &product, captured);
      if (!panels)
        hyb_rewrite_copy (&rewrite, id);
      else
        make_product (&rewrite, id, &product, panels->variable);
    }
  return hyb_rewrite_finish (&rewrite, &packing->rewrite->error);
}

/* FALSE if no product in the body reads panels. */
static gboolean
visit_loop (Packing *packing, HybNodeId id)
{
  HybGraph           *body;
  HybLoopPorts        ports;
  Product             product;
  g_autofree HybType *types = NULL;
  g_autoptr (GArray) captured = g_array_new (FALSE, FALSE, sizeof (Captured));
  g_autofree HybValueId *added = NULL;
  g_autoptr (HybGraph) new_body = NULL;

  if (!hyb_loop_ports_find (packing->graph, id, &ports))
    return FALSE;
  types = hyb_loop_ports_body_types (&ports, packing->graph, id, packing->facts);
  body = hyb_graph_get_bodies (packing->graph, id)[0];
  /* 1. Find the weights that products in the body read, each once. */
  for (HybNodeId inner = 0; types && inner < hyb_graph_n_nodes (body); inner++)
    if (find_product (packing, body, types, inner, &product))
      find_captured (packing, id, &ports, &product, captured);
  if (captured->len == 0)
    return FALSE;

  /* 2. Pack them in front of the loop, where they are packed once and not in each step. */
  added = g_new (HybValueId, captured->len);
  for (guint i = 0; i < captured->len; i++)
    {
      Captured *one = &g_array_index (captured, Captured, i);

      added[i] = one->panels = get_panels (packing, id, one->weight, one->transposed);
    }
  if (packing->rewrite->error)
    return TRUE;
  /* 3. Write the body with the panels as more captured inputs. */
  new_body = make_body (packing, id, &ports, types, captured);
  if (new_body)
    hyb_loop_ports_make_loop (&ports, packing->rewrite, id,
                              &(HybLoopReplacement){
                                  .body = new_body, .n_added = captured->len, .added = added });
  return TRUE;
}

static void
visit (HybRewrite *rewrite, HybNodeId id, gpointer data)
{
  Packing *packing = data;
  Product  product;

  packing->rewrite = rewrite;
  if (find_product (packing, packing->graph, packing->facts->types, id, &product) &&
      is_worth_it (packing, product.weight, product.transposed))
    make_product (rewrite, id, &product,
                  get_panels (packing, id, product.weight, product.transposed));
  else if (!visit_loop (packing, id))
    hyb_rewrite_copy (rewrite, id);
}

static HybGraph *
pack_weights_run (HybGraph *graph, HybFacts *facts, GArray *map, GError **error)
{
  guint              n_values = MAX (hyb_graph_n_values (graph), 1);
  g_autofree guint8 *written = hyb_graph_find_written (graph, TRUE);
  Packing            packing = { .graph = graph,
                                 .facts = facts,
                                 .written = written,
                                 .forward = hyb_op_find ("FullyConnected"),
                                 .backward = hyb_op_find ("_backward_FullyConnected_data") };
  HybGraph          *result;

  for (guint i = 0; i < 2; i++)
    {
      packing.n_products[i] = g_new0 (gint64, n_values);
      packing.panels[i] = g_new (HybValueId, n_values);
      for (guint v = 0; v < n_values; v++)
        packing.panels[i][v] = HYB_NO_ID;
    }
  count_products (&packing);
  result = hyb_rewrite_graph (graph, visit, &packing, map, error);
  for (guint i = 0; i < 2; i++)
    {
      g_free (packing.n_products[i]);
      g_free (packing.panels[i]);
    }
  return result;
}

extern const HybPass hyb_pass_pack_weights;

const HybPass hyb_pass_pack_weights = {
  .name = "pack-weights",
  .doc = "Packs a weight once that several products of few rows use.",
  .needs = HYB_FACT_TYPES,
  .optimising = TRUE,
  .host_only = TRUE,
  .saves = HYB_SAVES_PRODUCTS,
  .run = pack_weights_run,
};
