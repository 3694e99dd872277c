/* finish-products.c — the pass that merges a FullyConnected with the rectifier that follows it, in plans for a GPU.
 *
 * cuBLASLt rectifies while it writes the product (engine/cuda/ops/finished-product.c).  The processor's products have no
 * such end, so nothing is merged there.  Other activations are computed by kernels of their own: cuBLASLt has none but GELU.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/analysis/pass.h"
#include "engine/analysis/rewrite.h"

static gboolean
is_rectifier (const HybNode *node)
{
  return node->op == hyb_op_find ("relu") ||
         (node->op == hyb_op_find ("Activation") &&
          g_strcmp0 (hyb_node_get_attribute (node, "act_type"), "relu") == 0);
}

/* The product with a bias that a node alone reads, and rectifies; HYB_NO_ID if it does something else. */
static HybNodeId
find_product (HybGraph *graph, const HybFacts *facts, const guint8 *is_head, HybNodeId id)
{
  const HybNode *node = hyb_graph_get_node (graph, id), *product;
  HybValueId     value;
  HybDType       dtype;
  guint          n;

  if (!is_rectifier (node))
    return HYB_NO_ID;
  value = hyb_graph_get_inputs (graph, id)[0];
  product = hyb_graph_get_node (graph, hyb_graph_get_producer (graph, value));
  dtype = facts->types[value].dtype;
  hyb_graph_get_users (graph, value, &n);
  return product->op == hyb_op_find ("FullyConnected") && product->n_inputs == 3 && n == 1 &&
                 !is_head[value] && (dtype == HYB_F32 || dtype == HYB_F16 || dtype == HYB_BF16)
             ? hyb_graph_get_producer (graph, value)
             : HYB_NO_ID;
}

static gboolean
make_product (HybRewrite *rewrite, HybNodeId rectifier, HybNodeId product, GError **error)
{
  const HybNode *from = hyb_graph_get_node (rewrite->from, product);
  const HybNode *end = hyb_graph_get_node (rewrite->from, rectifier);
  HybNodeId      id = hyb_builder_add (rewrite->builder,
                                       &(HybNodeSpec){ .op = hyb_op_find ("_rectified_fully_connected"),
                                                       .name = end->name,
                                                       .n_inputs = from->n_inputs,
                                                       .inputs = hyb_rewrite_inputs (rewrite, product),
                                                       .attributes = from->attributes,
                                                       .origin_plus_one = from->origin + 1,
                                                       .line = from->line },
                                       error);

  if (id == HYB_NO_ID)
    return FALSE;
  g_array_index (rewrite->map, HybValueId, end->first_output) =
      hyb_builder_output (rewrite->builder, id, 0);
  return TRUE;
}

/* Rewrites the graph; products: by node the product that is rectified there. */
static HybGraph *
rewrite_products (HybGraph *graph, const HybNodeId *products, GArray *map, GError **error)
{
  guint              n_nodes = hyb_graph_n_nodes (graph);
  g_autofree guint8 *is_removed = g_new0 (guint8, n_nodes);
  HybRewrite         rewrite;
  gboolean           is_done = TRUE;

  for (HybNodeId id = 0; id < n_nodes; id++)
    if (products[id] != HYB_NO_ID)
      is_removed[products[id]] = TRUE;
  hyb_rewrite_init (&rewrite, graph, map);
  for (HybNodeId id = 0; is_done && id < n_nodes; id++)
    if (products[id] != HYB_NO_ID)
      is_done = make_product (&rewrite, id, products[id], error);
    else if (!is_removed[id])
      hyb_rewrite_copy (&rewrite, id);
  if (is_done)
    return hyb_rewrite_finish (&rewrite);
  hyb_rewrite_clear (&rewrite);
  return NULL;
}

static HybGraph *
finish_products_run (HybGraph *graph, HybFacts *facts, GArray *map, GError **error)
{
  guint                 n_nodes = MAX (hyb_graph_n_nodes (graph), 1), n_heads, n_found = 0;
  const HybValueId     *heads = hyb_graph_get_heads (graph, &n_heads);
  g_autofree guint8    *is_head = g_new0 (guint8, MAX (hyb_graph_n_values (graph), 1));
  g_autofree HybNodeId *products = g_new (HybNodeId, n_nodes);

  if (!facts->for_device)
    return hyb_graph_ref (graph);
  for (guint i = 0; i < n_heads; i++)
    is_head[heads[i]] = TRUE;
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      products[id] = find_product (graph, facts, is_head, id);
      n_found += products[id] != HYB_NO_ID;
    }
  return n_found > 0 ? rewrite_products (graph, products, map, error) : hyb_graph_ref (graph);
}

extern const HybPass hyb_pass_finish_products;

const HybPass hyb_pass_finish_products = {
  .name = "finish-products",
  .doc = "Merges a FullyConnected with the rectifier that follows it, on a GPU.",
  .needs = HYB_FACT_TYPES,
  .optimising = TRUE,
  .saves = HYB_SAVES_POINTWISE,
  .run = finish_products_run,
};
