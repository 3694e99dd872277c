/* recognise-layers.c — the pass that multiplies by constant matrices as dense layers do.
 *
 * A product of matrices in the last two axes whose second operand is a constant matrix becomes
 * _panel_product, which reads a matrix that was packed while planning and adds the bias of the sum
 * that follows.  Files of other formats write dense layers as such products.  Half floats are computed as floats
 * and rounded after the product, as _npi_matmul does, so that their sums stay apart.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/analysis/pass.h"
#include "engine/analysis/rewrite.h"
#include "engine/graph/reach.h"
#include "engine/kernels/matrix/panels.h"

/* Smaller matrices are left alone: half of a panel would be empty. */
#define MIN_COLUMNS (HYB_PANEL_WIDTH / 2)

/* A product and the sum that it is finished with. */
typedef struct
{
  HybNodeId  product; /* HYB_NO_ID: nothing is computed here */
  HybValueId bias;    /* HYB_NO_ID: nothing is added */
} Layer;

typedef struct
{
  HybGraph    *graph;
  HybFacts    *facts;
  guint8      *is_head; /* by value */
  Layer       *layers;  /* by node: the nodes computed in its place */
  guint8      *is_removed;
  const HybOp *matmul, *add, *add_equal;
} Recognising;

static const HybShape *
shape_of (const Recognising *self, HybValueId value)
{
  return &self->facts->types[value].shape;
}

/* A known shape without axes of size 0, of this type. */
static gboolean
is_plain (const Recognising *self, HybValueId value, HybDType dtype)
{
  const HybType *type = &self->facts->types[value];

  return type->dtype == dtype && hyb_type_is_known (type) && hyb_shape_size (&type->shape) > 0;
}

static gboolean
is_layer (const Recognising *self, HybNodeId id)
{
  const HybNode    *node = hyb_graph_get_node (self->graph, id);
  const HybValueId *inputs = hyb_graph_get_inputs (self->graph, id);
  HybDType          dtype = self->facts->types[node->first_output].dtype;
  const HybShape   *x, *weight;

  if ((dtype != HYB_F32 && dtype != HYB_F16) || node->op != self->matmul ||
      !self->facts->constants[inputs[1]] || !is_plain (self, inputs[0], dtype) ||
      !is_plain (self, inputs[1], dtype))
    return FALSE;
  x = shape_of (self, inputs[0]);
  weight = shape_of (self, inputs[1]);
  return x->rank >= 2 && weight->rank == 2 && weight->dim[1] >= MIN_COLUMNS &&
         weight->dim[1] <= G_MAXINT32 && hyb_shape_size (x) > x->dim[x->rank - 1];
}

/* TRUE if a value has one element for each column of the other, which is not larger for it. */
static gboolean
is_bias (const Recognising *self, HybValueId bias, HybValueId other)
{
  const HybShape *shape = shape_of (self, bias), *whole = shape_of (self, other);

  return is_plain (self, bias, HYB_F32) && shape->rank >= 1 && shape->rank <= whole->rank &&
         hyb_shape_size (shape) == whole->dim[whole->rank - 1] &&
         shape->dim[shape->rank - 1] == whole->dim[whole->rank - 1];
}

/* The sum that is the only reader of a product, and its other operand. */
static HybNodeId
find_sum (const Recognising *self, HybNodeId product, HybValueId *bias)
{
  HybValueId        value = hyb_graph_get_node (self->graph, product)->first_output;
  guint             n;
  const HybNodeId  *users = hyb_graph_get_users (self->graph, value, &n);
  const HybNode    *sum;
  const HybValueId *inputs;

  if (n != 1 || self->is_head[value])
    return HYB_NO_ID;
  sum = hyb_graph_get_node (self->graph, users[0]);
  if (sum->op != self->add && sum->op != self->add_equal)
    return HYB_NO_ID;
  inputs = hyb_graph_get_inputs (self->graph, users[0]);
  *bias = inputs[0] == value ? inputs[1] : inputs[0];
  return *bias != value && is_bias (self, *bias, value) ? users[0] : HYB_NO_ID;
}

static guint
find_layers (Recognising *self)
{
  guint n = 0;

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (self->graph); id++)
    {
      HybValueId bias;
      HybNodeId  sum;

      if (!is_layer (self, id))
        continue;
      n++;
      sum = find_sum (self, id, &bias);
      if (sum == HYB_NO_ID)
        {
          self->layers[id] = (Layer){ id, HYB_NO_ID };
          continue;
        }
      self->is_removed[id] = TRUE;
      self->layers[sum] = (Layer){ id, bias };
    }
  return n;
}

/* --- Rewriting --- */

/* The new graph, and the node whose place an added node takes. */
typedef struct
{
  HybRewrite *rewrite;
  HybNodeId   id;
} Place;

static HybValueId
add_node (const Place       *place,
          const char        *op,
          const char *const *attributes,
          guint              n_inputs,
          const HybValueId  *inputs)
{
  return hyb_rewrite_add (place->rewrite, place->id,
                          &(HybNodeSpec){ .op = hyb_op_find (op),
                                          .attributes = attributes,
                                          .n_inputs = n_inputs,
                                          .inputs = inputs });
}

static HybValueId
reshape (const Place *place, HybValueId value, const HybShape *shape)
{
  g_autofree char *text = hyb_shape_to_string (shape);

  return add_node (place, "Reshape", (const char *[]){ "shape", text, NULL }, 1, &value);
}

static HybValueId
cast (const Place *place, HybValueId value, HybDType dtype)
{
  return add_node (place, "Cast", (const char *[]){ "dtype", hyb_dtype_name (dtype), NULL }, 1,
                   &value);
}

static void
make_layer (const Recognising *self, HybRewrite *rewrite, HybNodeId id)
{
  const Layer      *layer = &self->layers[id];
  const HybNode    *node = hyb_graph_get_node (self->graph, id);
  const HybValueId *operands = hyb_graph_get_inputs (self->graph, layer->product);
  const HybShape   *x = shape_of (self, operands[0]), *out = shape_of (self, node->first_output);
  const HybShape   *weight = shape_of (self, operands[1]);
  HybShape          rows = hyb_shape_2d (hyb_shape_size (x) / weight->dim[0], weight->dim[0]);
  HybShape          columns = hyb_shape_1d (weight->dim[1]);
  gboolean          is_half = self->facts->types[node->first_output].dtype == HYB_F16;
  gboolean          has_bias = layer->bias != HYB_NO_ID;
  Place             place = { rewrite, id };
  g_autofree char  *n = g_strdup_printf ("%" G_GINT64_FORMAT, weight->dim[1]);
  HybValueId        inputs[3], panels = hyb_rewrite_value (rewrite, operands[1]), result;

  inputs[0] = hyb_rewrite_value (rewrite, operands[0]);
  /* The product computes in f32; half values are converted around it. */
  if (is_half)
    {
      inputs[0] = cast (&place, inputs[0], HYB_F32);
      panels = cast (&place, panels, HYB_F32);
    }
  if (x->rank != 2)
    inputs[0] = reshape (&place, inputs[0], &rows);
  inputs[1] = add_node (&place, "_weight_panels", (const char *[]){ "transposed", "False", NULL },
                        1, &panels);
  if (has_bias)
    inputs[2] = hyb_rewrite_value (rewrite, layer->bias);
  if (has_bias && shape_of (self, layer->bias)->rank != 1)
    inputs[2] = reshape (&place, inputs[2], &columns);
  result =
      add_node (&place, "_panel_product",
                (const char *[]){ "num_hidden", n, "no_bias", has_bias ? "False" : "True", NULL },
                has_bias ? 3 : 2, inputs);
  if (is_half)
    result = cast (&place, result, HYB_F16);
  if (out->rank != 2)
    result = reshape (&place, result, out);
  hyb_rewrite_set_value (rewrite, node->first_output, result);
}

static void
visit (HybRewrite *rewrite, HybNodeId id, gpointer data)
{
  const Recognising *self = data;

  if (self->layers[id].product != HYB_NO_ID)
    make_layer (self, rewrite, id);
  else if (!self->is_removed[id])
    hyb_rewrite_copy (rewrite, id);
}

static HybGraph *
recognise_layers_run (HybGraph *graph, HybFacts *facts, GArray *map, GError **error)
{
  guint              n_nodes = MAX (hyb_graph_n_nodes (graph), 1);
  g_autofree guint8 *is_head = hyb_graph_find_heads (graph);
  g_autofree guint8 *is_removed = g_new0 (guint8, n_nodes);
  g_autofree Layer  *layers = g_new (Layer, n_nodes);
  Recognising        self = { .graph = graph,
                              .facts = facts,
                              .is_head = is_head,
                              .layers = layers,
                              .is_removed = is_removed,
                              .matmul = hyb_op_find ("_npi_matmul"),
                              .add = hyb_op_find ("broadcast_add"),
                              .add_equal = hyb_op_find ("elemwise_add") };

  if (facts->same_bytes)
    return hyb_graph_ref (graph);
  for (guint i = 0; i < n_nodes; i++)
    layers[i] = (Layer){ HYB_NO_ID, HYB_NO_ID };
  return find_layers (&self) > 0 ? hyb_rewrite_graph (graph, visit, &self, map, error)
                                 : hyb_graph_ref (graph);
}

extern const HybPass hyb_pass_recognise_layers;

const HybPass hyb_pass_recognise_layers = {
  .name = "recognise-layers",
  .doc = "Multiplies by constant matrices, and adds a bias, as dense layers do.",
  .needs = HYB_FACT_TYPES,
  .optimising = TRUE,
  .host_only = TRUE,
  .saves = HYB_SAVES_PRODUCTS,
  .run = recognise_layers_run,
};
