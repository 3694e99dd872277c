/* keep-products.c — the pass that saves products of a loop for its backward pass.
 *
 * The backward loop computes each step again from the recorded states.  Products with weights are
 * most of that work, so they become additional outputs of the forward loop and additional slices of
 * the backward loop; cheap operators are still recomputed.
 *
 * Products of both loops are matched by their inputs: the body of the backward loop begins with a
 * copy of the forward body, and both read the same values.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/analysis/pass.h"
#include "engine/graph/with-heads.h"
#include "engine/passes/loop-ports.h"

#include <string.h>

/* Products that take more bytes than this over all steps are computed again. */
#define MAX_KEPT_BYTES ((gsize) 512 << 20)
/* Limit of nodes in a body, because bodies are compared node by node. */
#define MAX_BODY_NODES 4096

/* A backward loop and the products that it reads instead of computing. */
typedef struct
{
  HybNodeId loop;
  GArray   *nodes;   /* of HybNodeId, in its body */
  GArray   *outputs; /* for each of nodes: number of the additional output of the forward loop */
} BackwardLoop;

typedef struct
{
  HybGraph     *graph;
  HybFacts     *facts;
  GArray      **kept; /* by node: kept products of a forward loop's body, HybNodeId; NULL: none */
  BackwardLoop *back; /* by node; nodes is NULL if the node is not a backward loop */
} KeepPass;

/* --- Matching forward and backward loops --- */

/* An integer attribute of a loop; -1 if the loop has none of this name. */
static gint64
get_int (const HybNode *node, const char *name)
{
  return hyb_params_get_int (node->op->params, node->params, name, -1);
}

/* TRUE if the backward loop reads the states that this loop recorded, and everything that the loop
 * reads. */
static gboolean
belongs_to (KeepPass *keeping, HybNodeId id, const HybLoopPorts *back, HybNodeId loop)
{
  const HybNode    *node = hyb_graph_get_node (keeping->graph, loop);
  const HybValueId *inputs = hyb_graph_get_inputs (keeping->graph, id);
  HybLoopPorts      ports;
  gint64            n_outputs = get_int (node, "num_outputs");
  guint             n_states = (guint) back->states.n;

  if (!hyb_loop_ports_find (keeping->graph, loop, &ports) || ports.first != 0 ||
      ports.n_variables != back->n_variables || n_outputs < 0 ||
      node->n_outputs != (guint) n_outputs + 1 + n_states || back->first < n_states + 1)
    return FALSE;
  for (guint k = 0; k < n_states; k++)
    if (inputs[back->first - 1 - n_states + k] != node->first_output + (guint) n_outputs + 1 + k)
      return FALSE;
  return memcmp (inputs + back->first, hyb_graph_get_inputs (keeping->graph, loop),
                 node->n_inputs * sizeof inputs[0]) == 0;
}

/* The forward loop of a backward loop.  HYB_NO_ID if there is none or the node is not one. */
static HybNodeId
find_loop (KeepPass *keeping, HybNodeId id, HybLoopPorts *ports)
{
  const HybValueId *inputs = hyb_graph_get_inputs (keeping->graph, id);

  if (!hyb_loop_ports_find (keeping->graph, id, ports))
    return HYB_NO_ID;
  for (guint i = 0; i < ports->first; i++)
    {
      HybNodeId producer = hyb_graph_get_producer (keeping->graph, inputs[i]);

      if (hyb_graph_get_node (keeping->graph, producer)->n_bodies == 1 &&
          belongs_to (keeping, id, ports, producer))
        return producer;
    }
  return HYB_NO_ID;
}

/* --- Products that both loops compute --- */

static gboolean
are_equal (HybGraph *a, HybNodeId id, HybGraph *b, HybNodeId other, const HybValueId *map)
{
  const HybNode    *x = hyb_graph_get_node (a, id), *y = hyb_graph_get_node (b, other);
  const HybValueId *x_inputs = hyb_graph_get_inputs (a, id);
  const HybValueId *y_inputs = hyb_graph_get_inputs (b, other);

  if (x->op != y->op || x->key != y->key || x->n_inputs != y->n_inputs ||
      x->n_outputs != y->n_outputs || x->n_bodies > 0 || y->n_bodies > 0 || x->op->mutates != 0 ||
      !hyb_params_equal (x->op->params, x->params, y->params))
    return FALSE;
  for (guint i = 0; i < x->n_inputs; i++)
    if (map[x_inputs[i]] != y_inputs[i])
      return FALSE;
  return TRUE;
}

/* For each value of body a the value of body b that is equal in every step, or HYB_NO_ID. */
static HybValueId *
match_bodies (HybGraph *a, HybGraph *b)
{
  HybValueId      *map = g_new (HybValueId, MAX (hyb_graph_n_values (a), 1));
  guint            n, m;
  const HybNodeId *variables = hyb_graph_get_variables (a, &n);
  const HybNodeId *others = hyb_graph_get_variables (b, &m);
  HybNodeId        next = 0;

  for (guint v = 0; v < hyb_graph_n_values (a); v++)
    map[v] = HYB_NO_ID;
  for (guint v = 0; v < MIN (n, m); v++)
    map[hyb_graph_get_node (a, variables[v])->first_output] =
        hyb_graph_get_node (b, others[v])->first_output;
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (a); id++)
    {
      const HybNode *node = hyb_graph_get_node (a, id);
      guint          n_nodes = hyb_graph_n_nodes (b);

      if (hyb_node_is_variable (node))
        continue;
      /* Copies are mostly in the same order. */
      for (guint tried = 0; tried < n_nodes; tried++, next++)
        if (are_equal (a, id, b, next % n_nodes, map))
          {
            HybValueId first = hyb_graph_get_node (b, next % n_nodes)->first_output;

            for (guint i = 0; i < node->n_outputs; i++)
              map[node->first_output + i] = first + i;
            break;
          }
    }
  return map;
}

/* The bytes of a product over all steps.  0 if the node is not a product or must not be kept. */
static gsize
bytes_of_product (KeepPass *keeping, HybNodeId loop, const HybType *types, HybNodeId id)
{
  HybGraph      *body = hyb_graph_get_bodies (keeping->graph, loop)[0];
  const HybNode *node = hyb_graph_get_node (body, id);
  const HybType *data = &keeping->facts->types[hyb_graph_get_inputs (keeping->graph, loop)[0]];
  HybType        type;
  gsize          bytes;

  if (hyb_node_is_variable (node) || node->op->rowwise_inputs == 0 || node->n_outputs != 1 ||
      node->op->category != HYB_CATEGORY_LINEAR ||
      !hyb_type_is_known (&types[node->first_output]) || !hyb_type_is_known (data) ||
      data->shape.rank < 1 || data->shape.dim[0] < 1)
    return 0;
  type = types[node->first_output];
  if (type.shape.rank < 1 || type.shape.rank >= HYB_MAX_RANK || type.shape.dim[0] < 1 ||
      data->shape.dim[0] > G_MAXINT32 || type.shape.dim[0] > G_MAXINT32)
    return 0;
  type.shape.dim[0] *= data->shape.dim[0];
  return hyb_shape_bytes (&type.shape, type.dtype, &bytes, NULL) && bytes <= MAX_KEPT_BYTES ? bytes
                                                                                            : 0;
}

/* The index of a product among the kept ones of the forward loop; adds it if it is new. */
static guint
keep (KeepPass *keeping, HybNodeId loop, HybNodeId product)
{
  GArray *kept = keeping->kept[loop];

  if (!kept)
    kept = keeping->kept[loop] = g_array_new (FALSE, FALSE, sizeof (HybNodeId));
  for (guint i = 0; i < kept->len; i++)
    if (g_array_index (kept, HybNodeId, i) == product)
      return i;
  g_array_append_val (kept, product);
  return kept->len - 1;
}

static void
collect_products (KeepPass *keeping, HybNodeId id)
{
  HybLoopPorts           ports;
  HybNodeId              loop = find_loop (keeping, id, &ports);
  HybGraph              *body, *own;
  g_autofree HybType    *types = NULL;
  g_autofree HybValueId *map = NULL;
  gsize                  total = 0;
  BackwardLoop          *back = &keeping->back[id];

  if (loop == HYB_NO_ID || !hyb_loop_ports_find (keeping->graph, loop, &ports))
    return;
  body = hyb_graph_get_bodies (keeping->graph, loop)[0];
  own = hyb_graph_get_bodies (keeping->graph, id)[0];
  types = hyb_loop_ports_body_types (&ports, keeping->graph, loop, keeping->facts);
  if (!types || hyb_graph_n_nodes (own) > MAX_BODY_NODES)
    return;

  *back = (BackwardLoop){ .loop = loop,
                          .nodes = g_array_new (FALSE, FALSE, sizeof (HybNodeId)),
                          .outputs = g_array_new (FALSE, FALSE, sizeof (guint)) };
  /* map: the value of the backward body that repeats each value of the forward one.  Products are kept in the order of the
   * body, as long as their bytes in all steps fit MAX_KEPT_BYTES. */
  map = match_bodies (body, own);
  for (HybNodeId inner = 0; inner < hyb_graph_n_nodes (body); inner++)
    {
      HybValueId value = hyb_graph_get_node (body, inner)->first_output;
      gsize      bytes = bytes_of_product (keeping, loop, types, inner);
      HybNodeId  node;
      guint      output;

      if (bytes == 0 || map[value] == HYB_NO_ID || bytes > MAX_KEPT_BYTES - total)
        continue;
      total += bytes;
      node = hyb_graph_get_producer (own, map[value]);
      output = keep (keeping, loop, inner);
      g_array_append_val (back->nodes, node);
      g_array_append_val (back->outputs, output);
    }
}

/* --- Rewriting --- */

/* The loop's attributes with n more outputs. */
static char **
make_attributes (const HybNode *loop, guint n_added)
{
  GPtrArray *pairs = g_ptr_array_new ();

  for (guint i = 0; loop->attributes && loop->attributes[i]; i += 2)
    {
      const char *key = loop->attributes[i], *value = loop->attributes[i + 1];
      gboolean    counts = strcmp (key, "num_outputs") == 0 || strcmp (key, "num_out_data") == 0;

      g_ptr_array_add (pairs, g_strdup (key));
      g_ptr_array_add (pairs, counts ? g_strdup_printf ("%" G_GINT64_FORMAT,
                                                        g_ascii_strtoll (value, NULL, 10) + n_added)
                                     : g_strdup (value));
    }
  g_ptr_array_add (pairs, NULL);
  return (char **) g_ptr_array_free (pairs, FALSE);
}

/* Kept products follow the stacked outputs and precede the states. */
static HybGraph *
make_body (HybGraph *body, guint n_rows, const GArray *kept)
{
  guint                  n;
  const HybValueId      *heads = hyb_graph_get_heads (body, &n);
  g_autofree HybValueId *chosen = g_new (HybValueId, n + kept->len);

  memcpy (chosen, heads, n_rows * sizeof chosen[0]);
  for (guint i = 0; i < kept->len; i++)
    chosen[n_rows + i] =
        hyb_graph_get_node (body, g_array_index (kept, HybNodeId, i))->first_output;
  memcpy (chosen + n_rows + kept->len, heads + n_rows, (n - n_rows) * sizeof chosen[0]);
  return hyb_graph_with_heads (body, n + kept->len, chosen);
}

static void
make_loop (KeepPass *keeping, HybRewrite *rewrite, HybNodeId id)
{
  const HybNode *node = hyb_graph_get_node (keeping->graph, id);
  const GArray  *kept = keeping->kept[id];
  gint64         n_rows = 0;
  g_auto (GStrv) attributes = make_attributes (node, kept->len);
  g_autoptr (HybGraph) body = NULL;
  HybNodeSpec spec = { .op = node->op,
                       .type = node->type,
                       .attributes = (const char *const *) attributes,
                       .n_inputs = node->n_inputs,
                       .inputs = hyb_rewrite_inputs (rewrite, id),
                       .n_bodies = 1,
                       .bodies = &body,
                       .key = node->key };
  HybValueId  first;

  n_rows = get_int (node, "num_out_data");
  body = make_body (hyb_graph_get_bodies (keeping->graph, id)[0], (guint) n_rows, kept);
  first = hyb_rewrite_add (rewrite, id, &spec);
  for (guint i = 0; i < node->n_outputs; i++)
    hyb_rewrite_set_value (rewrite, node->first_output + i,
                           first + (i < n_rows ? i : i + kept->len));
}

/* Kept product number `index` of a loop, in the new graph, counted back from the states. */
static HybValueId
find_kept (KeepPass *keeping, HybRewrite *rewrite, HybNodeId loop, guint index)
{
  const HybNode *node = hyb_graph_get_node (keeping->graph, loop);
  guint          n_kept = keeping->kept[loop]->len;
  gint64         n_rows = get_int (node, "num_out_data");

  return hyb_rewrite_value (rewrite, node->first_output + (guint) n_rows) - n_kept + index;
}

static void
make_backward_loop (KeepPass *keeping, HybRewrite *rewrite, HybNodeId id)
{
  const BackwardLoop    *back = &keeping->back[id];
  guint                  n = back->nodes->len;
  g_autofree HybValueId *added = g_new (HybValueId, n);
  g_autoptr (HybGraph) body = NULL;
  HybLoopPorts ports;

  hyb_loop_ports_find (keeping->graph, id, &ports);
  for (guint i = 0; i < n; i++)
    added[i] = find_kept (keeping, rewrite, back->loop, g_array_index (back->outputs, guint, i));
  body = hyb_loop_ports_cut_body (&ports, hyb_graph_get_bodies (keeping->graph, id)[0], n,
                                  (gconstpointer) back->nodes->data);
  hyb_loop_ports_make_loop (&ports, rewrite, id,
                            &(HybLoopReplacement){
                                .body = body, .is_sliced = TRUE, .n_added = n, .added = added });
}

static void
visit (HybRewrite *rewrite, HybNodeId id, gpointer data)
{
  KeepPass *keeping = data;

  if (keeping->kept[id])
    make_loop (keeping, rewrite, id);
  else if (keeping->back[id].nodes && keeping->back[id].nodes->len > 0)
    make_backward_loop (keeping, rewrite, id);
  else
    hyb_rewrite_copy (rewrite, id);
}

static HybGraph *
keep_products_run (HybGraph *graph, HybFacts *facts, GArray *map, GError **error)
{
  guint                    n_nodes = hyb_graph_n_nodes (graph);
  g_autofree GArray      **kept = g_new0 (GArray *, MAX (n_nodes, 1));
  g_autofree BackwardLoop *back = g_new0 (BackwardLoop, MAX (n_nodes, 1));
  KeepPass                 keeping = { .graph = graph, .facts = facts, .kept = kept, .back = back };
  HybGraph                *result;

  for (HybNodeId id = 0; id < n_nodes; id++)
    collect_products (&keeping, id);
  result = hyb_rewrite_graph (graph, visit, &keeping, map, error);
  for (HybNodeId id = 0; id < n_nodes; id++)
    {
      g_clear_pointer (&kept[id], g_array_unref);
      g_clear_pointer (&back[id].nodes, g_array_unref);
      g_clear_pointer (&back[id].outputs, g_array_unref);
    }
  return result;
}

extern const HybPass hyb_pass_keep_products;

const HybPass hyb_pass_keep_products = {
  .name = "keep-products",
  .doc = "Saves a loop's products for the backward pass, which recomputes the rest of each step.",
  .needs = HYB_FACT_TYPES,
  .optimising = TRUE,
  .saves = HYB_SAVES_PRODUCTS,
  .run = keep_products_run,
};
