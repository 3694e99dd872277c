/* narrow-model.c — writes a model with weights of 16 or 8 bits.  Start at hyb_narrow_model().
 *
 * Conversions of half floats stand as late as possible: reshaping and concatenating work on narrow
 * weights, so that RNN, whose parameters Gluon joins in the graph, reads one Cast.  int8 rows are converted
 * matrix by matrix; a flat vector of RNN becomes its matrices, and a vector of biases.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/quantised/narrow-model.h"

#include "engine/base/error.h"
#include "engine/graph/builder.h"
#include "engine/graph/reach.h"
#include "engine/kernels/matrix/narrow.h"
#include "engine/kernels/recurrent/recurrent-cell.h"
#include "engine/ops/recurrent/rnn-rules.h"

#include <math.h>
#include <string.h>

static const HybNarrowType types[] = {
  { "float16", HYB_F16, 0x1p-11, 0x1p-7 },
  { "bfloat16", HYB_BF16, 0x1p-8, 0x1p-4 },
  { "int8", HYB_I8, 1 / 254.0, 16 / 254.0 },
};

/* Operators that move elements of any type and compute nothing. */
static const char *const movements[] = { "Reshape", "Concat", "_rnn_param_concat", "expand_dims" };

typedef struct
{
  HybModel            *from, *to;
  HybGraph            *graph;
  HybBuilder          *builder;
  const HybNarrowType *type;
  HybNarrowReport     *report;
  guint8              *joined;          /* by value: a part of the parameters of an RNN */
  guint8              *multiplied;      /* by value: a weight of a product, or joined */
  HybNodeId           *rnn;             /* by value: the RNN that reads it as its parameters */
  guint8              *written;         /* by node */
  HybValueId          *narrow, *floats; /* by value: in the new graph; HYB_NO_ID: there is none */
} Writer;

const HybNarrowType *
hyb_narrow_type_find (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    if (strcmp (types[i].name, name) == 0)
      return &types[i];
  return NULL;
}

/* --- Choosing parameters --- */

static gboolean
is_movement (const HybNode *node)
{
  for (guint i = 0; i < G_N_ELEMENTS (movements); i++)
    if (node->op == hyb_op_find (movements[i]))
      return node->n_outputs == 1 && node->n_inputs > 0;
  return FALSE;
}

/* Whether a value is the weight of a product. */
static gboolean
is_multiplied (HybGraph *graph, HybValueId value)
{
  const HybOp     *product = hyb_op_find ("FullyConnected");
  guint            n;
  const HybNodeId *users = hyb_graph_get_users (graph, value, &n);

  for (guint i = 0; i < n; i++)
    if (hyb_graph_get_node (graph, users[i])->op == product &&
        hyb_graph_get_inputs (graph, users[i])[1] == value)
      return TRUE;
  return FALSE;
}

/* Marks the values that loops capture for products in their bodies. */
static void
mark_captured (Writer *writer, HybNodeId id)
{
  const HybNode    *node = hyb_graph_get_node (writer->graph, id);
  const HybValueId *inputs = hyb_graph_get_inputs (writer->graph, id);

  for (guint b = 0; b < node->n_bodies; b++)
    {
      HybGraph        *body = hyb_graph_get_bodies (writer->graph, id)[b];
      guint            n;
      const HybNodeId *variables = hyb_graph_get_variables (body, &n);

      for (guint v = 0; v < n; v++)
        {
          guint input = node->op->body_variable (node->params, node->n_inputs, b, v);

          if (input < node->n_inputs &&
              is_multiplied (body, hyb_graph_get_node (body, variables[v])->first_output))
            writer->multiplied[inputs[input]] = TRUE;
        }
    }
}

/* Marks the values that the parameters of RNN are made of, from the readers back to the variables, and
 * weights of products. */
static void
mark_weights (Writer *writer)
{
  const HybOp *rnn = hyb_op_find ("RNN");

  for (HybNodeId id = hyb_graph_n_nodes (writer->graph); id-- > 0;)
    {
      const HybNode    *node = hyb_graph_get_node (writer->graph, id);
      const HybValueId *inputs = hyb_graph_get_inputs (writer->graph, id);

      mark_captured (writer, id);
      if (node->op == rnn && node->n_inputs > 1)
        {
          writer->joined[inputs[1]] = TRUE;
          writer->rnn[inputs[1]] = id;
        }
      if (is_movement (node) && writer->joined[node->first_output])
        for (guint i = 0; i < node->n_inputs; i++)
          writer->joined[inputs[i]] = TRUE;
    }
  for (guint i = 0; i < hyb_graph_n_values (writer->graph); i++)
    writer->multiplied[i] |= writer->joined[i] || is_multiplied (writer->graph, i);
}

/* Vectors, such as biases and statistics, stay floats except where RNN reads them with its weights. */
static gboolean
suits_half_floats (const Writer *writer, HybValueId value, HybTensor *tensor)
{
  return hyb_tensor_get_shape (tensor)->rank >= 2 || writer->joined[value];
}

/* Only weights of products have rows that one scale fits. */
static gboolean
suits_int8 (const Writer *writer, HybValueId value, HybTensor *tensor)
{
  int rank = hyb_tensor_get_shape (tensor)->rank;

  return (rank == 2 && writer->multiplied[value]) || (rank == 1 && writer->rnn[value] != HYB_NO_ID);
}

/* The parameter of a variable that becomes narrow, or NULL. */
static HybTensor *
find_weight (const Writer *writer, HybNodeId id)
{
  const HybNode *node = hyb_graph_get_node (writer->graph, id);
  HybTensor     *tensor = hyb_model_get_parameter (writer->from, node->name);

  if (!tensor || hyb_tensor_get_dtype (tensor) != HYB_F32 || writer->written[id] ||
      !(writer->type->dtype == HYB_I8 ? suits_int8 : suits_half_floats) (writer, node->first_output,
                                                                         tensor))
    return NULL;
  return tensor;
}

/* The weights rounded to the type.  NULL and an error if one becomes infinite.  (transfer full) */
static HybTensor *
round_weights (const Writer *writer, const char *name, HybTensor *tensor, GError **error)
{
  g_autoptr (HybTensor) rounded = hyb_tensor_convert (tensor, writer->type->dtype);

  if (!rounded)
    {
      hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MEMORY, NULL, NULL,
                    "not enough memory to convert “%s” to %s", name, writer->type->name);
      return NULL;
    }
  for (gint64 i = 0; i < hyb_tensor_get_size (tensor); i++)
    if (isinf (hyb_tensor_get_value (rounded, i)) && !isinf (hyb_tensor_get_value (tensor, i)))
      {
        hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, name,
                      "bfloat16 has the range of float32",
                      "element %" G_GINT64_FORMAT " is %g, which is too large for %s", i,
                      hyb_tensor_get_value (tensor, i), writer->type->name);
        return NULL;
      }
  return g_steal_pointer (&rounded);
}

/* --- Writing --- */

/* The attributes of a variable with the code of its new type.  (transfer container) */
static const char **
typed_attributes (const HybNode *node, const char *code)
{
  GPtrArray *pairs = g_ptr_array_new ();

  for (guint i = 0; node->attributes && node->attributes[i]; i += 2)
    if (strcmp (node->attributes[i], "__dtype__") != 0 &&
        strcmp (node->attributes[i], "__shape__") != 0)
      {
        g_ptr_array_add (pairs, (gpointer) node->attributes[i]);
        g_ptr_array_add (pairs, (gpointer) node->attributes[i + 1]);
      }
  g_ptr_array_add (pairs, (gpointer) "__dtype__");
  g_ptr_array_add (pairs, (gpointer) code);
  g_ptr_array_add (pairs, NULL);
  return (const char **) g_ptr_array_free (pairs, FALSE);
}

/* Adds a node of the new graph and returns its first value. */
static HybValueId
call (Writer *writer, const char *op, const HybNodeSpec *spec)
{
  return hyb_builder_call (writer->builder, op, spec, NULL);
}

/* Adds int8 rows as a variable of this name, and the node that makes floats of them.  Returns the
 * floats. */
static HybValueId
add_rows (Writer *writer, const char *name, const float *floats, gint64 rows, gint64 columns)
{
  HybType type = { hyb_shape_2d (rows, (gint64) hyb_narrow_row_bytes (HYB_I8, columns)), HYB_I8 };
  g_autoptr (HybTensor) tensor = hyb_tensor_new (&type, NULL);
  g_autofree char *converted = g_strconcat (name, "_float32", NULL);
  HybValueId       variable;

  if (!tensor)
    return HYB_NO_ID;
  hyb_narrow_quantise (rows, columns, floats, hyb_tensor_get_data (tensor));
  hyb_model_set_parameter (writer->to, name, tensor);
  writer->report->n_parameters++;
  variable =
      hyb_builder_add_variable (writer->builder, name, (const char *[]){ "__dtype__", "5", NULL });
  return call (writer, "_hybridscope_int8_rows",
               &(HybNodeSpec){ .name = converted, .n_inputs = 1, .inputs = &variable });
}

/* The network of a node of RNN whose parameters have this type.  FALSE if they do not fit. */
static gboolean
describe_rnn (const Writer *writer, HybNodeId id, const HybType *parameters, HybRecurrent *net)
{
  const HybNode      *node = hyb_graph_get_node (writer->graph, id);
  g_autofree HybType *known = g_new (HybType, node->n_inputs + node->n_outputs);
  HybCall             rnn = { .op = node->op,
                              .params = node->params,
                              .n_inputs = node->n_inputs,
                              .n_outputs = node->n_outputs,
                              .input = known,
                              .output = known + node->n_inputs };

  for (guint i = 0; i < node->n_inputs + node->n_outputs; i++)
    known[i] = (HybType){ HYB_SHAPE_UNKNOWN, HYB_DTYPE_UNKNOWN };
  known[1] = *parameters;
  if (!hyb_rnn_infer_shape (&rnn, NULL))
    return FALSE;
  *net = hyb_rnn_describe (&rnn);
  return net->input != HYB_UNKNOWN;
}

/* The parts of a flat vector of RNN that have been added, in its order. */
typedef struct
{
  const char  *name; /* of the vector */
  const float *floats;
  GArray      *vectors; /* of HybValueId */
} SplitVector;

static void
add_matrix (Writer *writer, SplitVector *split, gint64 offset, gint64 rows, gint64 columns)
{
  g_autofree char *name = g_strdup_printf ("%s_weight%u", split->name, split->vectors->len);
  g_autofree char *reshaped = g_strconcat (name, "_vector", NULL);
  HybValueId       value = add_rows (writer, name, split->floats + offset, rows, columns);

  value = call (writer, "Reshape",
                &(HybNodeSpec){ .name = reshaped,
                                .attributes = (const char *[]){ "shape", "(-1,)", NULL },
                                .n_inputs = 1,
                                .inputs = &value });
  g_array_append_val (split->vectors, value);
}

/* Adds the floats after the weights as a variable. */
static void
add_biases (Writer *writer, SplitVector *split, gint64 offset, gint64 count)
{
  g_autofree char *name = g_strconcat (split->name, "_biases", NULL);
  g_autoptr (HybTensor) biases = hyb_tensor_new_float (1, &count, split->floats + offset);
  HybValueId value = hyb_builder_add_variable (writer->builder, name, NULL);

  hyb_model_set_parameter (writer->to, name, biases);
  g_array_append_val (split->vectors, value);
}

/* Writes the flat parameters of an RNN as matrices of int8 rows and a vector of biases.  Returns the
 * joined floats; HYB_NO_ID if the vector does not fit the RNN. */
static HybValueId
add_split_vector (Writer *writer, HybNodeId id, HybNodeId rnn, HybTensor *tensor)
{
  const HybNode *node = hyb_graph_get_node (writer->graph, id);
  g_autoptr (GArray) vectors = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  SplitVector      split = { node->name, hyb_tensor_get_data (tensor), vectors };
  g_autofree char *name = g_strconcat (node->name, "_float32", NULL);
  g_autofree char *count = NULL;
  HybRecurrent     net;
  gint64           n_weights, R, GH;

  if (!describe_rnn (writer, rnn, hyb_tensor_get_type (tensor), &net))
    return HYB_NO_ID;
  R = hyb_recurrent_state_size (&net);
  GH = hyb_recurrent_n_gates (net.cell) * net.hidden;
  n_weights = hyb_recurrent_n_weights (&net);
  net.n_steps = net.batch = 1;
  for (gint64 i = 0; i < net.n_layers * net.n_directions; i++)
    {
      HybCellSlot slot;

      hyb_recurrent_slot (&net, i / net.n_directions, i % net.n_directions, FALSE, &slot);
      add_matrix (writer, &split, slot.w_input, GH, slot.in);
      add_matrix (writer, &split, slot.w_hidden, GH, R);
      if (net.projection > 0)
        add_matrix (writer, &split, slot.w_projection, R, net.hidden);
    }
  add_biases (writer, &split, n_weights, hyb_tensor_get_size (tensor) - n_weights);
  hyb_model_remove_parameter (writer->to, node->name);
  count = g_strdup_printf ("%u", vectors->len);
  return call (writer, "_rnn_param_concat",
               &(HybNodeSpec){ .name = name,
                               .attributes =
                                   (const char *[]){ "dim", "0", "num_args", count, NULL },
                               .n_inputs = vectors->len,
                               .inputs = (gconstpointer) vectors->data });
}

/* Adds a weight as int8 rows. */
static gboolean
add_int8 (Writer *writer, HybNodeId id, HybTensor *tensor, GError **error)
{
  const HybNode  *node = hyb_graph_get_node (writer->graph, id);
  const HybShape *shape = hyb_tensor_get_shape (tensor);
  HybValueId      value;

  if (shape->rank == 1)
    value = add_split_vector (writer, id, writer->rnn[node->first_output], tensor);
  else
    value =
        add_rows (writer, node->name, hyb_tensor_get_data (tensor), shape->dim[0], shape->dim[1]);
  writer->floats[node->first_output] = value;
  return value != HYB_NO_ID ||
         hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, node->name, NULL,
                       "the parameters do not fit the RNN that reads them");
}

static gboolean
add_variable (Writer *writer, HybNodeId id, GError **error)
{
  const HybNode          *node = hyb_graph_get_node (writer->graph, id);
  HybTensor              *tensor = find_weight (writer, id);
  g_autofree char        *code = g_strdup_printf ("%d", (int) writer->type->dtype);
  g_autofree const char **attributes = NULL;
  g_autoptr (HybTensor) rounded = NULL;

  if (!tensor)
    {
      writer->floats[node->first_output] =
          hyb_builder_copy (writer->builder, writer->graph, id, NULL);
      return TRUE;
    }
  if (writer->type->dtype == HYB_I8)
    return add_int8 (writer, id, tensor, error);
  rounded = round_weights (writer, node->name, tensor, error);
  if (!rounded)
    return FALSE;
  attributes = typed_attributes (node, code);
  writer->narrow[node->first_output] =
      hyb_builder_add_variable (writer->builder, node->name, attributes);
  hyb_model_set_parameter (writer->to, node->name, rounded);
  writer->report->n_parameters++;
  return TRUE;
}

/* The new value as floats; a conversion is added where it is first needed. */
static HybValueId
as_floats (Writer *writer, HybValueId value)
{
  HybNodeId        producer = hyb_graph_get_producer (writer->graph, value);
  g_autofree char *name =
      g_strconcat (hyb_graph_get_node (writer->graph, producer)->name, "_float32", NULL);

  if (writer->floats[value] == HYB_NO_ID)
    writer->floats[value] =
        hyb_builder_call (writer->builder, "Cast",
                          &(HybNodeSpec){ .name = name,
                                          .attributes =
                                              (const char *[]){ "dtype", "float32", NULL },
                                          .n_inputs = 1,
                                          .inputs = &writer->narrow[value] },
                          NULL);
  return writer->floats[value];
}

static void
add_node (Writer *writer, HybNodeId id)
{
  const HybNode         *node = hyb_graph_get_node (writer->graph, id);
  const HybValueId      *old = hyb_graph_get_inputs (writer->graph, id);
  g_autofree HybValueId *inputs = g_new (HybValueId, node->n_inputs + 1);
  gboolean               stays_narrow = is_movement (node);
  HybValueId             first;

  for (guint i = 0; i < node->n_inputs; i++)
    stays_narrow &= writer->narrow[old[i]] != HYB_NO_ID;
  for (guint i = 0; i < node->n_inputs; i++)
    inputs[i] = stays_narrow ? writer->narrow[old[i]] : as_floats (writer, old[i]);
  first = hyb_builder_copy (writer->builder, writer->graph, id, inputs);
  for (guint i = 0; i < node->n_outputs; i++)
    (stays_narrow ? writer->narrow : writer->floats)[node->first_output + i] = first + i;
}

static gboolean
add_all (Writer *writer, GError **error)
{
  guint             n_heads;
  const HybValueId *heads = hyb_graph_get_heads (writer->graph, &n_heads);

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (writer->graph); id++)
    if (!hyb_node_is_variable (hyb_graph_get_node (writer->graph, id)))
      add_node (writer, id);
    else if (!add_variable (writer, id, error))
      return FALSE;
  for (guint i = 0; i < n_heads; i++)
    hyb_builder_add_head (writer->builder, as_floats (writer, heads[i]));
  if (writer->report->n_parameters == 0)
    return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_STRUCTURE, NULL,
                         "Give the parameter file that belongs to the graph",
                         "the model has no float32 weights to write as %s", writer->type->name);
  return TRUE;
}

/* Gives the new model all parameters in the order of the file, with their prefixes. */
static void
copy_parameters (Writer *writer)
{
  for (guint i = 0; i < hyb_model_n_parameters (writer->from); i++)
    {
      const char *name = hyb_model_get_parameter_name (writer->from, i);
      HybTensor  *tensor = hyb_model_get_parameter (writer->from, name);

      hyb_model_set_parameter (writer->to, name, tensor);
      hyb_model_set_parameter_prefix (writer->to, name,
                                      hyb_model_get_parameter_prefix (writer->from, i));
      writer->report->bytes_before += hyb_tensor_get_bytes (tensor);
    }
}

static void
count_bytes (Writer *writer)
{
  for (guint i = 0; i < hyb_model_n_parameters (writer->to); i++)
    writer->report->bytes_after += hyb_tensor_get_bytes (
        hyb_model_get_parameter (writer->to, hyb_model_get_parameter_name (writer->to, i)));
}

HybModel *
hyb_narrow_model (HybModel            *model,
                  const HybNarrowType *type,
                  HybNarrowReport     *report,
                  GError             **error)
{
  HybGraph              *graph = hyb_model_get_graph (model);
  guint                  n_values = MAX (hyb_graph_n_values (graph), 1);
  g_autofree HybValueId *narrow = g_new (HybValueId, n_values);
  g_autofree HybValueId *floats = g_new (HybValueId, n_values);
  g_autofree guint8     *joined = g_new0 (guint8, n_values);
  g_autofree guint8     *multiplied = g_new0 (guint8, n_values);
  g_autofree HybNodeId  *rnn = g_new (HybNodeId, n_values);
  g_autofree guint8     *written = hyb_graph_find_written (graph, TRUE);
  g_autoptr (HybModel) to = hyb_model_new ();
  g_autoptr (HybGraph) result = NULL;
  Writer writer = { .from = model,
                    .to = to,
                    .graph = graph,
                    .builder = hyb_builder_new (),
                    .type = type,
                    .report = report,
                    .joined = joined,
                    .multiplied = multiplied,
                    .rnn = rnn,
                    .written = written,
                    .narrow = narrow,
                    .floats = floats };

  *report = (HybNarrowReport){ 0 };
  for (guint i = 0; i < n_values; i++)
    narrow[i] = floats[i] = rnn[i] = HYB_NO_ID;
  hyb_builder_set_legacy_shapes (writer.builder, hyb_graph_has_legacy_shapes (graph));
  copy_parameters (&writer);
  mark_weights (&writer);
  if (!add_all (&writer, error))
    {
      hyb_builder_free (writer.builder);
      return NULL;
    }
  count_bytes (&writer);
  result = hyb_builder_freeze (writer.builder);
  hyb_model_set_graph (to, result);
  hyb_model_set_format (to, "mxnet-symbol");
  return g_steal_pointer (&to);
}
