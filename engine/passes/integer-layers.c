/* integer-layers.c — the pass that computes layers between quantised values with integers.
 *
 * Exporters write a quantised layer as one of floats between conversions:
 *
 *   _quantise_linear (relu (layer (_dequantise_linear (x), _dequantise_linear (weight), bias)))
 *
 * The layer becomes _integer_matmul or _integer_convolution of x and weight, which writes the quantised values.  Its sums are
 * exact; the bias is added to them as a float.  A rectifier is left out where the lowest quantised value stands for 0 and its
 * scale is positive, since saturation does the same.  What nothing reads then is dropped by drop-dead.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/analysis/pass.h"
#include "engine/analysis/rewrite.h"
#include "engine/graph/reach.h"
#include "engine/op/op-one-of.h"
#include "engine/passes/pieces.h"

#include <math.h>

static const char *const dequantise[] = { "_dequantise_linear", NULL };
static const char *const quantise[] = { "_quantise_linear", NULL };
static const char *const convolutions[] = { "Convolution", NULL };
static const char *const products[] = { "_npi_matmul", NULL };
static const char *const dense_layers[] = { "FullyConnected", NULL };
static const char *const rectifiers[] = { "relu", NULL };

/* A quantised operand. */
typedef struct
{
  HybValueId value, scale, zero;
} Operand;

/* A layer between quantised values. */
typedef struct
{
  Operand    x, weight, y;
  HybValueId bias;   /* HYB_NO_ID: none */
  HybValueId result; /* of the layer of floats */
} Layer;

typedef struct
{
  HybPieces pieces;
  guint8   *is_head; /* by value */
  Layer    *layers;  /* by node; result HYB_NO_ID: it ends none */
} Search;

/* --- Matching --- */

static gint64
count_of (const HybPieces *pieces, HybValueId value)
{
  const HybType *type = hyb_pieces_type (pieces, value);

  return hyb_shape_is_known (&type->shape) ? hyb_shape_size (&type->shape) : HYB_UNKNOWN;
}

/* Whether a value is one number, or one for each element of an axis of `data`. */
static gboolean
is_along (const HybPieces *pieces, HybValueId value, HybValueId data, int axis)
{
  const HybShape *shape = &hyb_pieces_type (pieces, value)->shape;
  const HybShape *whole = &hyb_pieces_type (pieces, data)->shape;
  gint64          size = count_of (pieces, value);
  int             at = axis - whole->rank + shape->rank; /* broadcast from the last axis on */

  return size == 1 || (size != HYB_UNKNOWN && at >= 0 && at < shape->rank &&
                       shape->dim[at] == size && size == whole->dim[axis]);
}

/* The operand that value is converted from, if its parameters lie along an axis; axis −1: are one number each. */
static gboolean
match_operand (const HybPieces *pieces, HybValueId value, int axis, Operand *operand)
{
  const HybValueId *inputs;

  if (!hyb_pieces_is_made_by (pieces, value, dequantise) || !hyb_pieces_is_float (pieces, value))
    return FALSE;
  inputs = hyb_pieces_inputs (pieces, value);
  *operand = (Operand){ inputs[0], inputs[1], inputs[2] };
  for (guint i = 1; i < 3; i++)
    if (axis < 0 ? count_of (pieces, inputs[i]) != 1
                 : !is_along (pieces, inputs[i], inputs[0], axis))
      return FALSE;
  return TRUE;
}

/* Whether a single node reads the value. */
static gboolean
is_read_once (const Search *search, HybValueId value)
{
  guint n;

  hyb_graph_get_users (search->pieces.graph, value, &n);
  return n == 1 && !search->is_head[value];
}

/* A number that is known while planning; NaN if it is not. */
static double
get_constant (const HybPieces *pieces, HybValueId value)
{
  HybTensor *constant;

  if (hyb_pieces_is_made_by (pieces, value, (const char *const[]){ "Cast", NULL }))
    value = hyb_pieces_inputs (pieces, value)[0];
  constant = pieces->facts->constants[value];
  return constant && hyb_tensor_get_size (constant) == 1 ? hyb_tensor_get_value (constant, 0) : NAN;
}

/* Whether the lowest quantised value is known to stand for 0 and others for more. */
static gboolean
is_lowest_zero (const HybPieces *pieces, HybValueId scale, HybValueId zero, HybDType dtype)
{
  return get_constant (pieces, zero) == (dtype == HYB_I8 ? -128 : 0) &&
         get_constant (pieces, scale) > 0;
}

static gboolean
match_convolution (const Search     *search,
                   const HybNode    *node,
                   const HybValueId *inputs,
                   Layer            *layer)
{
  const char     *layout = hyb_node_get_attribute (node, "layout");
  const HybShape *weight = &hyb_pieces_type (&search->pieces, inputs[1])->shape;

  /* The kernel of floats for filters of one channel takes half of the time. */
  if ((layout && (g_str_has_suffix (layout, "C"))) || weight->rank < 3 || weight->dim[1] == 1 ||
      !match_operand (&search->pieces, inputs[0], -1, &layer->x) ||
      !match_operand (&search->pieces, inputs[1], 0, &layer->weight))
    return FALSE;
  layer->bias = node->n_inputs > 2 ? inputs[2] : HYB_NO_ID;
  return TRUE;
}

/* Whether a value is one number for each column of a product. */
static gboolean
is_bias (const HybPieces *pieces, HybValueId value, HybValueId product)
{
  const HybShape *shape = &hyb_pieces_type (pieces, value)->shape;
  const HybShape *whole = &hyb_pieces_type (pieces, product)->shape;

  return hyb_pieces_is_float (pieces, value) && shape->rank > 0 && shape->rank <= whole->rank &&
         count_of (pieces, value) == shape->dim[shape->rank - 1] &&
         shape->dim[shape->rank - 1] == whole->dim[whole->rank - 1];
}

static gboolean
match_product (const Search *search, const HybValueId *inputs, Layer *layer)
{
  const HybPieces *pieces = &search->pieces;
  const HybShape  *weight = &hyb_pieces_type (pieces, inputs[1])->shape;

  return weight->rank == 2 && hyb_pieces_type (pieces, inputs[0])->shape.rank >= 2 &&
         match_operand (pieces, inputs[0], -1, &layer->x) &&
         match_operand (pieces, inputs[1], 1, &layer->weight);
}

/* FullyConnected multiplies by the transposed weight. */
static gboolean
match_dense (const Search *search, const HybNode *node, const HybValueId *inputs, Layer *layer)
{
  const HybPieces *pieces = &search->pieces;

  if (hyb_pieces_type (pieces, inputs[0])->shape.rank != 2 ||
      hyb_pieces_type (pieces, inputs[1])->shape.rank != 2 ||
      !match_operand (pieces, inputs[0], -1, &layer->x) ||
      !match_operand (pieces, inputs[1], 0, &layer->weight))
    return FALSE;
  layer->bias = node->n_inputs > 2 ? inputs[2] : HYB_NO_ID;
  return TRUE;
}

/* The layer that computes value, which only one node reads. */
static gboolean
match_result (const Search *search, HybValueId value, Layer *layer)
{
  const HybPieces  *pieces = &search->pieces;
  const HybNode    *node = hyb_pieces_node (pieces, value);
  const HybValueId *inputs = hyb_pieces_inputs (pieces, value);

  if (!is_read_once (search, value) || !hyb_pieces_is_float (pieces, value))
    return FALSE;
  layer->result = value;
  if (hyb_op_is_one_of (node->op, convolutions))
    return match_convolution (search, node, inputs, layer);
  if (hyb_op_is_one_of (node->op, dense_layers))
    return match_dense (search, node, inputs, layer);
  if (hyb_op_is_one_of (node->op, products))
    return match_product (search, inputs, layer);
  if (!hyb_op_is_one_of (node->op, hyb_pieces_sums))
    return FALSE;
  for (guint i = 0; i < 2; i++)
    if (hyb_pieces_is_made_by (pieces, inputs[i], products) && is_read_once (search, inputs[i]) &&
        is_bias (pieces, inputs[1 - i], inputs[i]) &&
        match_product (search, hyb_pieces_inputs (pieces, inputs[i]), layer))
      {
        layer->result = inputs[i];
        layer->bias = inputs[1 - i];
        return TRUE;
      }
  return FALSE;
}

/* Whether a node quantises the result of a layer of quantised values. */
static gboolean
match (const Search *search, HybNodeId id, Layer *layer)
{
  const HybPieces  *pieces = &search->pieces;
  const HybValueId *inputs = hyb_graph_get_inputs (pieces->graph, id);
  HybValueId        value = inputs[0];
  HybDType dtype = pieces->facts->types[hyb_graph_get_node (pieces->graph, id)->first_output].dtype;

  layer->y = (Operand){ HYB_NO_ID, inputs[1], inputs[2] };
  layer->bias = HYB_NO_ID;
  if (count_of (pieces, inputs[1]) != 1 || count_of (pieces, inputs[2]) != 1)
    return FALSE;
  if (hyb_pieces_is_made_by (pieces, value, rectifiers) && is_read_once (search, value) &&
      is_lowest_zero (pieces, inputs[1], inputs[2], dtype))
    value = hyb_pieces_inputs (pieces, value)[0];
  return match_result (search, value, layer);
}

/* --- Writing --- */

/* Adds a node in place of node id. */
static HybValueId
add (HybRewrite *rewrite, HybNodeId id, const char *op, guint n, const HybValueId *inputs, ...)
    G_GNUC_NULL_TERMINATED;

static HybValueId
add (HybRewrite *rewrite, HybNodeId id, const char *op, guint n, const HybValueId *inputs, ...)
{
  const char *attributes[20] = { NULL };
  va_list     list;

  va_start (list, inputs);
  for (guint i = 0; i < G_N_ELEMENTS (attributes) - 1; i++)
    if (!(attributes[i] = va_arg (list, const char *)))
      break;
  va_end (list);
  return hyb_rewrite_add (rewrite, id,
                          &(HybNodeSpec){ .op = hyb_op_find (op),
                                          .name = hyb_graph_get_node (rewrite->from, id)->name,
                                          .attributes = attributes,
                                          .n_inputs = n,
                                          .inputs = inputs });
}

static HybValueId
add_binary (HybRewrite *rewrite, HybNodeId id, const char *op, HybValueId x, HybValueId y)
{
  return add (rewrite, id, op, 2, (HybValueId[]){ x, y }, NULL);
}

static HybValueId
add_cast (HybRewrite *rewrite, HybNodeId id, HybValueId x, HybDType dtype)
{
  return add (rewrite, id, "Cast", 1, &x, "dtype", hyb_dtype_name (dtype), NULL);
}

/* The inputs of the operator of integers. */
static guint
add_inputs (const Search *search, HybRewrite *rewrite, HybNodeId id, HybValueId *inputs)
{
  const Layer     *layer = &search->layers[id];
  const HybType   *types = search->pieces.facts->types;
  gint64           n_scales = count_of (&search->pieces, layer->weight.scale);
  g_autofree char *flat = g_strdup_printf ("(%" G_GINT64_FORMAT ",)", n_scales);
  HybValueId       scale =
      add_binary (rewrite, id, "broadcast_mul", hyb_rewrite_value (rewrite, layer->weight.scale),
                  hyb_rewrite_value (rewrite, layer->x.scale));

  scale = add (rewrite, id, "_np_reshape", 1, &scale, "newshape", flat, NULL);
  inputs[0] = hyb_rewrite_value (rewrite, layer->x.value);
  inputs[1] = hyb_rewrite_value (rewrite, layer->weight.value);
  inputs[2] = add_cast (rewrite, id, hyb_rewrite_value (rewrite, layer->x.zero),
                        types[layer->x.value].dtype);
  inputs[3] = add_cast (rewrite, id, hyb_rewrite_value (rewrite, layer->weight.zero),
                        types[layer->weight.value].dtype);
  inputs[4] =
      add_binary (rewrite, id, "broadcast_div", scale, hyb_rewrite_value (rewrite, layer->y.scale));
  inputs[5] = hyb_rewrite_value (rewrite, layer->y.zero);
  if (layer->bias == HYB_NO_ID)
    return 6;
  inputs[6] = add_binary (rewrite, id, "broadcast_div", hyb_rewrite_value (rewrite, layer->bias),
                          hyb_rewrite_value (rewrite, layer->y.scale));
  return 7;
}

static void
visit (HybRewrite *rewrite, HybNodeId id, gpointer data)
{
  const Search  *search = data;
  const Layer   *layer = &search->layers[id];
  const HybNode *end = hyb_graph_get_node (rewrite->from, id), *node;
  const char    *type = hyb_node_get_attribute (end, "out_type");
  HybValueId     inputs[7], y;
  guint          n;

  if (layer->result == HYB_NO_ID)
    {
      hyb_rewrite_copy (rewrite, id);
      return;
    }
  node = hyb_pieces_node (&search->pieces, layer->result);
  n = add_inputs (search, rewrite, id, inputs);
  type = type ? type : "uint8";
  if (hyb_op_is_one_of (node->op, convolutions))
    {
#define COPY(name, fallback) \
  (hyb_node_get_attribute (node, name) ? hyb_node_get_attribute (node, name) : fallback)
      y = add (rewrite, id, "_integer_convolution", n, inputs, "out_type", type, "has_bias",
               n == 7 ? "True" : "False", "kernel", COPY ("kernel", "()"), "stride",
               COPY ("stride", "()"), "dilate", COPY ("dilate", "()"), "pad", COPY ("pad", "()"),
               "pad_after", COPY ("pad", "()"), "num_group", COPY ("num_group", "1"), NULL);
#undef COPY
    }
  else
    {
      if (hyb_op_is_one_of (node->op, dense_layers))
        inputs[1] = add (rewrite, id, "transpose", 1, &inputs[1], "axes", "(1, 0)", NULL);
      y = add (rewrite, id, "_integer_matmul", n, inputs, "out_type", type, "has_bias",
               n == 7 ? "True" : "False", NULL);
    }
  hyb_rewrite_set_value (rewrite, end->first_output, y);
}

static HybGraph *
integer_layers_run (HybGraph *graph, HybFacts *facts, GArray *map, GError **error)
{
  guint              n_nodes = MAX (hyb_graph_n_nodes (graph), 1), n_found = 0;
  g_autofree guint8 *is_head = NULL;
  g_autofree Layer  *layers = g_new0 (Layer, n_nodes);
  Search             search = { { graph, facts }, NULL, layers };

  if (facts->training || facts->same_bytes)
    return hyb_graph_ref (graph);
  search.is_head = is_head = hyb_graph_find_heads (graph);
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    if (hyb_op_is_one_of (hyb_graph_get_node (graph, id)->op, quantise) &&
        match (&search, id, &layers[id]))
      n_found++;
    else
      layers[id].result = HYB_NO_ID;
  return n_found > 0 ? hyb_rewrite_graph (graph, visit, &search, map, error)
                     : hyb_graph_ref (graph);
}

extern const HybPass hyb_pass_integer_layers;

const HybPass hyb_pass_integer_layers = {
  .name = "integer-layers",
  .doc = "Computes layers of floats between quantised values with integers.",
  .needs = HYB_FACT_TYPES,
  .optimising = TRUE,
  .host_only = TRUE,
  .saves = HYB_SAVES_PRODUCTS,
  .run = integer_layers_run,
};
