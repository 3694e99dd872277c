/* narrow-model.c — writes a model with weights of 16 bits.  Start at hyb_narrow_model().
 *
 * Conversions stand as late as possible: reshaping and concatenating work on narrow weights, so that
 * RNN, whose parameters Gluon joins in the graph, reads one Cast.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/quantised/narrow-model.h"

#include "engine/base/error.h"
#include "engine/graph/builder.h"
#include "engine/graph/reach.h"

#include <math.h>
#include <string.h>

static const HybNarrowType types[] = {
  { "float16", HYB_F16, 0x1p-11, 0x1p-7 },
  { "bfloat16", HYB_BF16, 0x1p-8, 0x1p-4 },
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

/* --- What becomes narrow --- */

static gboolean
is_movement (const HybNode *node)
{
  for (guint i = 0; i < G_N_ELEMENTS (movements); i++)
    if (node->op == hyb_op_find (movements[i]))
      return node->n_outputs == 1 && node->n_inputs > 0;
  return FALSE;
}

/* Marks the values that the parameters of RNN are made of, from the readers back to the variables. */
static void
mark_joined (Writer *writer)
{
  const HybOp *rnn = hyb_op_find ("RNN");

  for (HybNodeId id = hyb_graph_n_nodes (writer->graph); id-- > 0;)
    {
      const HybNode    *node = hyb_graph_get_node (writer->graph, id);
      const HybValueId *inputs = hyb_graph_get_inputs (writer->graph, id);

      if (node->op == rnn && node->n_inputs > 1)
        writer->joined[inputs[1]] = TRUE;
      if (is_movement (node) && writer->joined[node->first_output])
        for (guint i = 0; i < node->n_inputs; i++)
          writer->joined[inputs[i]] = TRUE;
    }
}

/* The parameter of a variable that becomes narrow, or NULL: vectors, such as biases and statistics, stay
 * floats except where RNN reads them with its weights. */
static HybTensor *
find_weight (const Writer *writer, HybNodeId id)
{
  const HybNode *node = hyb_graph_get_node (writer->graph, id);
  HybTensor     *tensor = hyb_model_get_parameter (writer->from, node->name);

  if (!tensor || hyb_tensor_get_dtype (tensor) != HYB_F32 || writer->written[id] ||
      (hyb_tensor_get_shape (tensor)->rank < 2 && !writer->joined[node->first_output]))
    return NULL;
  return tensor;
}

/* The weights rounded to the type.  NULL and an error if one becomes infinite.  (transfer full) */
static HybTensor *
round_weights (const Writer *writer, const char *name, HybTensor *tensor, GError **error)
{
  g_autoptr (HybTensor) rounded = hyb_tensor_convert (tensor, writer->type->dtype);

  for (gint64 i = 0; i < hyb_tensor_get_size (tensor); i++)
    if (isinf (hyb_tensor_get_value (rounded, i)) && !isinf (hyb_tensor_get_value (tensor, i)))
      {
        hyb_error_at (error,
                      HYB_GRAPH_ERROR,
                      HYB_GRAPH_ERROR_TYPES,
                      name,
                      "bfloat16 has the range of float32",
                      "element %" G_GINT64_FORMAT " is %g, which is too large for %s",
                      i,
                      hyb_tensor_get_value (tensor, i),
                      writer->type->name);
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
    if (strcmp (node->attributes[i], "__dtype__") != 0)
      {
        g_ptr_array_add (pairs, (gpointer) node->attributes[i]);
        g_ptr_array_add (pairs, (gpointer) node->attributes[i + 1]);
      }
  g_ptr_array_add (pairs, (gpointer) "__dtype__");
  g_ptr_array_add (pairs, (gpointer) code);
  g_ptr_array_add (pairs, NULL);
  return (const char **) g_ptr_array_free (pairs, FALSE);
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
        hyb_builder_call (writer->builder,
                          "Cast",
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
    return hyb_error_at (error,
                         HYB_GRAPH_ERROR,
                         HYB_GRAPH_ERROR_STRUCTURE,
                         NULL,
                         "Give the parameter file that belongs to the graph",
                         "the model has no float32 weights to write as %s",
                         writer->type->name);
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
      hyb_model_set_parameter_prefix (writer->to,
                                      name,
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
                    .written = written,
                    .narrow = narrow,
                    .floats = floats };

  *report = (HybNarrowReport){ 0 };
  for (guint i = 0; i < n_values; i++)
    narrow[i] = floats[i] = HYB_NO_ID;
  hyb_builder_set_legacy_shapes (writer.builder, hyb_graph_has_legacy_shapes (graph));
  copy_parameters (&writer);
  mark_joined (&writer);
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
