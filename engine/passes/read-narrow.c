/* read-narrow.c — the pass that lets products of few rows read weights of 16 or 8 bits as they are.
 *
 * A model with narrow weights converts them before each product: half floats by Cast, int8 rows by
 * _hybridscope_int8_rows.  With few rows in a step, reading the weights dominates the time, so the
 * conversion is left out and the product reads the narrow weights itself.  With more rows than eight, or if
 * the floats fit the first-level cache, the conversion stays.  fold-constants does it once if parameters are
 * constants; else it is a step of every run.
 *
 *   FullyConnected (data, Cast (weight), bias)  →  _narrow_product (data, weight, bias)
 *   the same in the body of a loop that captures Cast (weight): the loop captures the weight instead
 *   RNN (data, Cast (parameters), state, …)     →  _narrow_rnn (data, parameters, state, …, biases)
 *   RNN (data, Concat (Reshape (rows) …, biases …), state, …)  →  the same, with the rows joined
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/analysis/infer-types.h"
#include "engine/analysis/pass.h"
#include "engine/kernels/matrix/narrow.h"
#include "engine/ops/recurrent/rnn-rules.h"
#include "engine/passes/loop-ports.h"

#include <string.h>

/* A first-level cache: weights that fit it as floats are converted once. */
#define SMALL_BYTES 32768

typedef struct
{
  HybGraph    *graph;
  HybFacts    *facts;
  HybRewrite  *rewrite;
  const HybOp *cast, *rows, *product, *rnn;
} Reading;

/* --- Conversions --- */

/* The narrow value that a value of the graph is converted from, or HYB_NO_ID. */
static HybValueId
narrow_source (const Reading *reading, HybValueId value)
{
  HybNodeId      id = hyb_graph_get_producer (reading->graph, value);
  const HybNode *node = hyb_graph_get_node (reading->graph, id);
  HybValueId     source;
  HybDType       from;

  if ((node->op != reading->cast && node->op != reading->rows) ||
      reading->facts->types[value].dtype != HYB_F32)
    return HYB_NO_ID;
  source = hyb_graph_get_inputs (reading->graph, id)[0];
  from = reading->facts->types[source].dtype;
  return hyb_narrow_is_type (from) && (from == HYB_I8) == (node->op == reading->rows) ? source
                                                                                      : HYB_NO_ID;
}

/* Whether a product with this many rows is faster if it reads its weights as they are.  With more rows,
 * multiplying takes the time; few weights stay in the first-level cache as floats, and converting them in
 * every step would only add work. */
static gboolean
pays (gint64 rows, const HybShape *weights)
{
  return rows >= 1 && rows <= HYB_NARROW_FEW_ROWS &&
         hyb_shape_size (weights) > SMALL_BYTES / (gint64) sizeof (float);
}

/* Whether a node of the graph, or of a body whose values have these types, is a product of a few rows
 * of floats with a weight of its own. */
static gboolean
is_product_of_rows (const Reading *reading, HybGraph *graph, const HybType *types, HybNodeId id)
{
  const HybNode    *node = hyb_graph_get_node (graph, id);
  const HybValueId *inputs = hyb_graph_get_inputs (graph, id);
  const HybType    *data;

  if (node->op != reading->product || node->n_inputs < 2)
    return FALSE;
  data = &types[inputs[0]];
  return data->dtype == HYB_F32 && data->shape.rank == 2 && data->shape.dim[1] != HYB_UNKNOWN &&
         pays (data->shape.dim[0], &types[inputs[1]].shape) && inputs[0] != inputs[1] &&
         (node->n_inputs == 2 || inputs[2] != inputs[1]);
}

/* --- Products --- */

/* Adds the product that reads the narrow weight to the graph of rewrite, which may be a body. */
static void
make_product (HybRewrite *rewrite, HybNodeId id, HybValueId weight)
{
  const HybNode    *node = hyb_graph_get_node (rewrite->from, id);
  const HybValueId *old = hyb_rewrite_inputs (rewrite, id);
  gboolean          has_bias = node->n_inputs > 2;
  HybValueId        inputs[3] = { old[0], weight };
  g_autofree char  *n =
      g_strdup_printf ("%" G_GINT64_FORMAT,
                       hyb_params_get_int (node->op->params, node->params, "num_hidden", 0));
  const char *attributes[] = { "num_hidden", n, "no_bias", has_bias ? "False" : "True", NULL };

  if (has_bias)
    inputs[2] = old[2];
  hyb_rewrite_replace (rewrite, id,
                       &(HybNodeSpec){ .op = hyb_op_find ("_narrow_product"),
                                       .attributes = attributes,
                                       .n_inputs = has_bias ? 3 : 2,
                                       .inputs = inputs });
}

/* FALSE if the node is not such a product. */
static gboolean
visit_product (Reading *reading, HybNodeId id)
{
  HybValueId source;

  if (!is_product_of_rows (reading, reading->graph, reading->facts->types, id))
    return FALSE;
  source = narrow_source (reading, hyb_graph_get_inputs (reading->graph, id)[1]);
  if (source == HYB_NO_ID)
    return FALSE;
  make_product (reading->rewrite, id, hyb_rewrite_value (reading->rewrite, source));
  return TRUE;
}

/* --- Loops --- */

/* Whether all that the body does with a variable is multiplying rows by it. */
static gboolean
is_weight (const Reading *reading, HybGraph *body, const HybType *types, HybValueId variable)
{
  guint             n_users, n_heads;
  const HybNodeId  *users = hyb_graph_get_users (body, variable, &n_users);
  const HybValueId *heads = hyb_graph_get_heads (body, &n_heads);

  for (guint i = 0; i < n_heads; i++)
    if (heads[i] == variable)
      return FALSE;
  for (guint i = 0; i < n_users; i++)
    if (!is_product_of_rows (reading, body, types, users[i]) ||
        hyb_graph_get_inputs (body, users[i])[1] != variable)
      return FALSE;
  return n_users > 0;
}

/* The narrow values that captured variables of the body get, by variable; HYB_NO_ID: as before.
 * NULL if there are none. */
static HybValueId *
find_captured (const Reading *reading, HybNodeId loop, const HybLoopPorts *ports)
{
  HybGraph           *body = hyb_graph_get_bodies (reading->graph, loop)[0];
  g_autofree HybType *types =
      hyb_loop_ports_body_types (ports, reading->graph, loop, reading->facts);
  guint                  n, n_found = 0;
  const HybNodeId       *variables = hyb_graph_get_variables (body, &n);
  g_autofree HybValueId *found = g_new (HybValueId, MAX (n, 1));

  for (guint v = 0; types && v < n; v++)
    {
      guint      input = hyb_loop_ports_captured_input (ports, v);
      HybValueId variable = hyb_graph_get_node (body, variables[v])->first_output;

      found[v] = HYB_NO_ID;
      if (input != G_MAXUINT && is_weight (reading, body, types, variable))
        found[v] = narrow_source (reading, hyb_graph_get_inputs (reading->graph, loop)[input]);
      n_found += found[v] != HYB_NO_ID;
    }
  return n_found > 0 ? g_steal_pointer (&found) : NULL;
}

static HybGraph *
make_body (Reading *reading, HybGraph *body, const HybValueId *captured)
{
  g_autoptr (GArray) map = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  HybRewrite rewrite;

  hyb_rewrite_init (&rewrite, body, map);
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (body); id++)
    {
      const HybNode    *node = hyb_graph_get_node (body, id);
      const HybValueId *inputs = hyb_graph_get_inputs (body, id);
      guint             variable = G_MAXUINT;

      if (node->op == reading->product && node->n_inputs >= 2)
        variable = hyb_loop_ports_variable (body, inputs[1]);
      if (variable != G_MAXUINT && captured[variable] != HYB_NO_ID)
        make_product (&rewrite, id, hyb_rewrite_value (&rewrite, inputs[1]));
      else
        hyb_rewrite_copy (&rewrite, id);
    }
  return hyb_rewrite_finish (&rewrite, &reading->rewrite->error);
}

/* FALSE if the node is not a loop that captures a converted weight. */
static gboolean
visit_loop (Reading *reading, HybNodeId id)
{
  const HybNode         *node = hyb_graph_get_node (reading->graph, id);
  HybLoopPorts           ports;
  g_autofree HybValueId *captured = NULL;
  g_autofree HybValueId *inputs = NULL;
  g_autoptr (HybGraph) body = NULL;
  HybGraph *old;
  guint     n;

  if (!hyb_loop_ports_find (reading->graph, id, &ports) ||
      !(captured = find_captured (reading, id, &ports)))
    return FALSE;
  old = hyb_graph_get_bodies (reading->graph, id)[0];
  body = make_body (reading, old, captured);
  if (!body)
    return TRUE;
  inputs =
      g_memdup2 (hyb_rewrite_inputs (reading->rewrite, id), sizeof (HybValueId) * node->n_inputs);
  hyb_graph_get_variables (old, &n);
  for (guint v = 0; v < n; v++)
    if (captured[v] != HYB_NO_ID)
      inputs[hyb_loop_ports_captured_input (&ports, v)] =
          hyb_rewrite_value (reading->rewrite, captured[v]);
  hyb_loop_ports_copy_loop (reading->rewrite, id, inputs, body);
  return TRUE;
}

/* --- RNN --- */

/* The biases at the end of the parameters of RNN, as floats. */
static HybValueId
emit_biases (Reading *reading, HybNodeId id, HybValueId parameters, gint64 n_weights)
{
  g_autofree char *begin = g_strdup_printf ("%" G_GINT64_FORMAT, n_weights);
  g_autofree char *name =
      g_strconcat (hyb_graph_get_node (reading->graph, id)->name, "_biases", NULL);
  HybNodeSpec spec = { .op = hyb_op_find ("slice_axis"),
                       .name = name,
                       .attributes =
                           (const char *[]){ "axis", "0", "begin", begin, "end", "None", NULL },
                       .n_inputs = 1,
                       .inputs = &parameters };
  HybValueId  biases = hyb_rewrite_add (reading->rewrite, id, &spec);

  spec.op = reading->cast;
  spec.attributes = (const char *[]){ "dtype", "float32", NULL };
  spec.inputs = &biases;
  return hyb_rewrite_add (reading->rewrite, id, &spec);
}

/* Describes the network of a node of RNN.  FALSE if reading narrow weights does not pay. */
static gboolean
describe_rnn (const Reading *reading, HybNodeId id, HybRecurrent *net)
{
  const HybNode      *node = hyb_graph_get_node (reading->graph, id);
  g_autofree HybType *room = g_new (HybType, node->n_inputs + node->n_outputs);
  HybCall             call;

  hyb_call_init (&call, reading->graph, id, reading->facts->types, room);
  *net = hyb_rnn_describe (&call);
  return net->input != HYB_UNKNOWN && call.input[0].dtype == HYB_F32 &&
         pays (net->batch, &call.input[1].shape);
}

/* The narrow weights and the float biases of an RNN, in the new graph. */
typedef struct
{
  HybValueId weights, biases;
} RnnParts;

/* FALSE if the parameters are not converted as a whole. */
static gboolean
find_half_floats (Reading *reading, HybNodeId id, const HybRecurrent *net, RnnParts *parts)
{
  HybValueId source = narrow_source (reading, hyb_graph_get_inputs (reading->graph, id)[1]);

  if (source == HYB_NO_ID)
    return FALSE;
  parts->weights = hyb_rewrite_value (reading->rewrite, source);
  parts->biases = emit_biases (reading, id, parts->weights, hyb_recurrent_n_weights (net));
  return TRUE;
}

/* The int8 rows that a value is reshaped from, or HYB_NO_ID. */
static HybValueId
find_rows (const Reading *reading, HybValueId value)
{
  HybNodeId id = hyb_graph_get_producer (reading->graph, value);

  if (hyb_graph_get_node (reading->graph, id)->op != hyb_op_find ("Reshape"))
    return HYB_NO_ID;
  value = narrow_source (reading, hyb_graph_get_inputs (reading->graph, id)[0]);
  return value != HYB_NO_ID && reading->facts->types[value].dtype == HYB_I8 ? value : HYB_NO_ID;
}

/* Adds the vector of several values one after the other; as_vectors: each is a matrix. */
static HybValueId
join (Reading *reading, HybNodeId id, guint n, const HybValueId *values, gboolean as_vectors)
{
  g_autofree HybValueId *vectors = g_memdup2 (values, sizeof (HybValueId) * n);
  g_autofree char       *count = g_strdup_printf ("%u", n);
  HybNodeSpec            spec = { 0 };

  for (guint i = 0; as_vectors && i < n; i++)
    {
      spec.op = hyb_op_find ("Reshape");
      spec.attributes = (const char *[]){ "shape", "(-1,)", NULL };
      spec.n_inputs = 1;
      spec.inputs = &values[i];
      vectors[i] = hyb_rewrite_add (reading->rewrite, id, &spec);
    }
  spec.op = hyb_op_find ("Concat");
  spec.attributes = (const char *[]){ "dim", "0", "num_args", count, NULL };
  spec.n_inputs = n;
  spec.inputs = vectors;
  return hyb_rewrite_add (reading->rewrite, id, &spec);
}

/* Whether rows are the matrices of the network, in the order of the flat vector. */
static gboolean
are_weights (const Reading *reading, const HybRecurrent *net, guint n, const HybValueId *rows)
{
  gint64 GH = hyb_recurrent_n_gates (net->cell) * net->hidden;
  gint64 R = hyb_recurrent_state_size (net);
  guint  each = net->projection > 0 ? 3 : 2;

  if (n != (guint) (net->n_layers * net->n_directions) * each)
    return FALSE;
  for (guint i = 0; i < n; i++)
    {
      const HybShape *shape = &reading->facts->types[rows[i]].shape;
      gboolean        is_first = i / each < (guint) net->n_directions;
      gint64          in = is_first ? net->input : net->n_directions * R;
      gint64          columns = i % each == 0 ? in : i % each == 1 ? R : net->hidden;

      if (shape->rank != 2 || shape->dim[0] != (i % each == 2 ? R : GH) ||
          shape->dim[1] != columns + HYB_NARROW_HEAD)
        return FALSE;
    }
  return TRUE;
}

/* FALSE if the parameters are not joined of int8 rows and of floats after them. */
static gboolean
find_int8 (Reading *reading, HybNodeId id, const HybRecurrent *net, RnnParts *parts)
{
  HybValueId             vector = hyb_graph_get_inputs (reading->graph, id)[1];
  HybNodeId              joined = hyb_graph_get_producer (reading->graph, vector);
  const HybNode         *concat = hyb_graph_get_node (reading->graph, joined);
  const HybValueId      *pieces = hyb_graph_get_inputs (reading->graph, joined);
  g_autofree HybValueId *rows = NULL;
  g_autofree HybValueId *floats = NULL;
  guint                  n = 0;

  if (concat->op != hyb_op_find ("_rnn_param_concat") && concat->op != hyb_op_find ("Concat"))
    return FALSE;
  rows = g_new (HybValueId, concat->n_inputs);
  floats = g_new (HybValueId, concat->n_inputs);
  while (n < concat->n_inputs && (rows[n] = find_rows (reading, pieces[n])) != HYB_NO_ID)
    n++;
  if (n == 0 || n == concat->n_inputs || !are_weights (reading, net, n, rows))
    return FALSE;
  for (guint i = 0; i < n; i++)
    rows[i] = hyb_rewrite_value (reading->rewrite, rows[i]);
  for (guint i = n; i < concat->n_inputs; i++)
    floats[i - n] = hyb_rewrite_value (reading->rewrite, pieces[i]);
  parts->weights = join (reading, id, n, rows, TRUE);
  parts->biases = join (reading, id, concat->n_inputs - n, floats, FALSE);
  return TRUE;
}

/* FALSE if the node is not RNN with converted parameters for which it pays. */
static gboolean
visit_rnn (Reading *reading, HybNodeId id)
{
  const HybNode         *node = hyb_graph_get_node (reading->graph, id);
  g_autofree HybValueId *inputs = NULL;
  HybRecurrent           net;
  RnnParts               parts;

  if (node->op != reading->rnn || node->n_inputs < 3 || !describe_rnn (reading, id, &net) ||
      (!find_half_floats (reading, id, &net, &parts) && !find_int8 (reading, id, &net, &parts)))
    return FALSE;
  inputs = g_new (HybValueId, node->n_inputs + 1);
  memcpy (inputs, hyb_rewrite_inputs (reading->rewrite, id), sizeof (HybValueId) * node->n_inputs);
  inputs[1] = parts.weights;
  inputs[node->n_inputs] = parts.biases;
  hyb_rewrite_replace (reading->rewrite, id,
                       &(HybNodeSpec){ .op = hyb_op_find ("_narrow_rnn"),
                                       .attributes = node->attributes,
                                       .params = hyb_params_ref (node->params),
                                       .n_inputs = node->n_inputs + 1,
                                       .inputs = inputs });
  return TRUE;
}

/* --- The pass --- */

/* Whether anything in the graph has a narrow type: most graphs need no second look. */
static gboolean
has_narrow_values (const HybFacts *facts)
{
  for (guint i = 0; i < facts->n_values; i++)
    if (hyb_narrow_is_type (facts->types[i].dtype))
      return TRUE;
  return FALSE;
}

static void
visit (HybRewrite *rewrite, HybNodeId id, gpointer data)
{
  Reading *reading = data;

  reading->rewrite = rewrite;
  if (!visit_product (reading, id) && !visit_rnn (reading, id) && !visit_loop (reading, id))
    hyb_rewrite_copy (rewrite, id);
}

static HybGraph *
read_narrow_run (HybGraph *graph, HybFacts *facts, GArray *map, GError **error)
{
  Reading reading = { .graph = graph,
                      .facts = facts,
                      .cast = hyb_op_find ("Cast"),
                      .rows = hyb_op_find ("_hybridscope_int8_rows"),
                      .product = hyb_op_find ("FullyConnected"),
                      .rnn = hyb_op_find ("RNN") };

  return facts->training || !has_narrow_values (facts)
             ? hyb_graph_ref (graph)
             : hyb_rewrite_graph (graph, visit, &reading, map, error);
}

extern const HybPass hyb_pass_read_narrow;

const HybPass hyb_pass_read_narrow = {
  .name = "read-narrow",
  .doc = "Lets products of few rows read weights of 16 or 8 bits without converting them first.",
  .needs = HYB_FACT_TYPES,
  .optimising = TRUE,
  .host_only = TRUE,
  .saves = HYB_SAVES_MOVEMENT,
  .run = read_narrow_run,
};
