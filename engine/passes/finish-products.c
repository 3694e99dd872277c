/* finish-products.c — the pass that merges a FullyConnected with the rectifier that follows it, in plans for a GPU.
 *
 * cuBLASLt rectifies while it writes the product (engine/cuda/ops/finished-product.c).  The processor's products have no
 * such end, so nothing is merged there.  Other activations are computed by kernels of their own: cuBLASLt has none but GELU.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/analysis/pass.h"
#include "engine/analysis/rewrite.h"
#include "engine/graph/reach.h"

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

typedef struct
{
  HybNodeId *products;   /* by node: the product that is rectified there, or HYB_NO_ID */
  guint8    *is_removed; /* by node: a product that is rectified elsewhere */
} Finishing;

static void
visit (HybRewrite *rewrite, HybNodeId id, gpointer data)
{
  const Finishing *self = data;
  HybNodeId        product = self->products[id];
  const HybNode   *end = hyb_graph_get_node (rewrite->from, id), *from;
  HybValueId       value;

  if (product == HYB_NO_ID)
    {
      if (!self->is_removed[id])
        hyb_rewrite_copy (rewrite, id);
      return;
    }
  from = hyb_graph_get_node (rewrite->from, product);
  value = hyb_rewrite_add (rewrite, product,
                           &(HybNodeSpec){ .op = hyb_op_find ("_rectified_fully_connected"),
                                           .name = end->name,
                                           .n_inputs = from->n_inputs,
                                           .inputs = hyb_rewrite_inputs (rewrite, product),
                                           .attributes = from->attributes });
  hyb_rewrite_set_value (rewrite, end->first_output, value);
}

static HybGraph *
finish_products_run (HybGraph *graph, HybFacts *facts, GArray *map, GError **error)
{
  guint                 n_nodes = MAX (hyb_graph_n_nodes (graph), 1), n_found = 0;
  g_autofree guint8    *is_head = hyb_graph_find_heads (graph);
  g_autofree guint8    *is_removed = g_new0 (guint8, n_nodes);
  g_autofree HybNodeId *products = g_new (HybNodeId, n_nodes);
  Finishing             self = { products, is_removed };

  if (!facts->for_device)
    return hyb_graph_ref (graph);
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      products[id] = find_product (graph, facts, is_head, id);
      if (products[id] != HYB_NO_ID)
        n_found += is_removed[products[id]] = TRUE;
    }
  return n_found > 0 ? hyb_rewrite_graph (graph, visit, &self, map, error) : hyb_graph_ref (graph);
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
