/* lowered-model.c — a model of another format in the engine's operators.
 *
 * The lowered graph is written once more: values that follow from parameters alone are computed and become parameters, and nodes
 * get names of their own, since all nodes that one node was lowered to have its name.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/lowered-model.h"

#include "engine/exec/executor.h"
#include "engine/graph/reach.h"
#include "engine/graph/with-heads.h"
#include "engine/lower/lowering.h"
#include "engine/variants/lowered/array-pattern.h"
#include "engine/variants/lowered/body-constants.h"
#include "engine/variants/lowered/fixed.h"
#include "engine/variants/lowered/hoisted.h"
#include "engine/variants/lowered/matrix.h"
#include "engine/variants/lowered/trimmed.h"
#include "engine/variants/lowered/with-number.h"
#include "engine/variants/match-structure.h"
#include "engine/variants/node-kind.h"
#include "engine/variants/variant-types.h"

#include <string.h>

typedef struct
{
  HybModel        *from;
  HybGraph        *file;       /* of from */
  HybGraph        *graph;      /* of its engine's nodes */
  const HybType   *types;      /* by value of graph */
  guint8          *fixed;      /* by node of graph: it computes the same in every run */
  gint64          *n_elements; /* by node of graph: of the largest parameter that it follows from */
  HybBuilder      *builder;
  HybValueId      *value;      /* by value of graph: the new one; HYB_NO_ID: none yet */
  GHashTable      *names;      /* that are taken, owned */
  GHashTable      *transposed; /* value of graph → variable with the transposed matrix + 1 */
  GHashTable      *matrices;   /* transposed matrix, owned → its variable + 1 */
  HybLoweredModel *result;
} Writing;

static const char *
unique_name (Writing *writing, const char *name)
{
  g_autofree char *unique = g_strdup (name);

  for (guint i = 1; g_hash_table_contains (writing->names, unique); i++)
    {
      g_free (unique);
      unique = g_strdup_printf ("%s_%u", name, i);
    }
  g_hash_table_add (writing->names, unique);
  return g_steal_pointer (&unique);
}

/* --- Values from parameters --- */

/* Fixed values that other nodes or outputs read, variables left out.  (transfer full), of HybValueId */
static GArray *
find_results (const Writing *writing)
{
  guint              n = hyb_graph_n_values (writing->graph), n_heads;
  const HybValueId  *heads = hyb_graph_get_heads (writing->graph, &n_heads);
  g_autofree guint8 *is_read = g_new0 (guint8, MAX (n, 1));
  GArray            *results = g_array_new (FALSE, FALSE, sizeof (HybValueId));

  for (guint i = 0; i < n_heads; i++)
    is_read[heads[i]] = TRUE;
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (writing->graph); id++)
    for (guint i = 0; i < hyb_graph_get_node (writing->graph, id)->n_inputs && !writing->fixed[id];
         i++)
      is_read[hyb_graph_get_inputs (writing->graph, id)[i]] = TRUE;
  for (HybValueId value = 0; value < n; value++)
    {
      HybNodeId producer = hyb_graph_get_producer (writing->graph, value);

      if (is_read[value] && writing->fixed[producer] &&
          !hyb_node_is_variable (hyb_graph_get_node (writing->graph, producer)))
        g_array_append_val (results, value);
    }
  return results;
}

/* Names of the packed weights of recurrent layers end so; see unroll-rnn.c. */
static const char *
ending_for (const Writing *writing, HybValueId value)
{
  guint            n;
  const HybNodeId *users = hyb_graph_get_users (writing->graph, value, &n);

  for (guint i = 0; i < n; i++)
    if (hyb_node_kind (hyb_graph_get_node (writing->graph, users[i])) == HYB_KIND_RNN)
      return "_parameters";
  return "_constant";
}

static void
add_result (Writing *writing, HybValueId value, HybTensor *tensor)
{
  HybNodeId        producer = hyb_graph_get_producer (writing->graph, value);
  const HybNode   *node = hyb_graph_get_node (writing->graph, producer);
  g_autofree char *base = g_strconcat (node->name, ending_for (writing, value), NULL);
  const char      *name = unique_name (writing, base);

  /* A constant larger than all parameters is an expanded one, perhaps to the size of a batch. */
  if (writing->n_elements[producer] < hyb_tensor_get_size (tensor) &&
      hyb_array_has_pattern (tensor))
    {
      g_autofree char *inner = g_strconcat (name, "_count", NULL);

      writing->value[value] =
          hyb_array_add_pattern (writing->builder,
                                 (const char *const[]){ name, unique_name (writing, inner) },
                                 tensor);
      return;
    }
  writing->value[value] =
      hyb_builder_add_variable (writing->builder, name,
                                (const char *const[]){
                                    "__dtype__", hyb_dtype_name (hyb_tensor_get_dtype (tensor)),
                                    NULL });
  hyb_model_set_parameter (writing->result->model, name, tensor);
}

/* Computes fixed values and adds a parameter for each. */
static gboolean
add_results (Writing *writing, GError **error)
{
  g_autoptr (GArray) results = find_results (writing);
  const HybValueId *values = (const HybValueId *) (gpointer) results->data;
  g_autoptr (HybGraph) graph = NULL;
  g_autoptr (HybExecutor) executor = NULL;
  guint            n;
  const HybNodeId *variables;

  if (results->len == 0)
    return TRUE;
  graph = hyb_graph_with_heads (writing->graph, results->len, values);
  executor = hyb_executor_new (graph, &(HybExecutorOptions){ .mode = HYB_MODE_IMPERATIVE });
  variables = hyb_graph_get_variables (graph, &n);
  for (guint i = 0; i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (graph, variables[i]);
      HybTensor     *tensor = hyb_model_get_parameter (writing->from, node->name);
      /* These values depend on parameters alone; the executor still needs an array for each other
       * variable, so it gets zeros. */
      g_autoptr (HybTensor) none = tensor ? NULL : hyb_tensor_new_zeros (&writing->types[i], error);

      if ((!tensor && !none) ||
          !hyb_executor_bind (executor, node->name, tensor ? tensor : none, error))
        return FALSE;
    }
  if (!hyb_executor_run (executor, NULL, error))
    return FALSE;
  for (guint i = 0; i < results->len; i++)
    {
      g_autoptr (HybTensor) copy = hyb_tensor_copy (hyb_executor_get_output (executor, i));

      if (copy)
        add_result (writing, values[i], copy);
    }
  return TRUE;
}

/* --- The new graph --- */

/* The declared shape of a variable as in MXNet's files: −1 for each open size, named or not.  (transfer full) */
static char *
plain_shape (const char *declared)
{
  g_auto (GStrv) dims = g_strsplit_set (declared, "(), ", -1);
  GString *shape = g_string_new ("(");

  for (guint i = 0; dims[i]; i++)
    {
      gboolean is_number =
          g_ascii_isdigit (dims[i][0]) && strspn (dims[i], "0123456789") == strlen (dims[i]);

      if (dims[i][0] != '\0')
        g_string_append_printf (shape, "%s%s", shape->len > 1 ? ", " : "",
                                is_number ? dims[i] : "-1");
    }
  g_string_append (shape, shape->len > 1 && !strchr (shape->str, ',') ? ",)" : ")");
  return g_string_free (shape, FALSE);
}

static void
add_variable (Writing *writing, HybNodeId id)
{
  const HybNode   *node = hyb_graph_get_node (writing->graph, id);
  HybTensor       *tensor = hyb_model_get_parameter (writing->from, node->name);
  const char      *declared = hyb_node_get_attribute (node, "__shape__");
  const char      *dtype = tensor ? hyb_dtype_name (hyb_tensor_get_dtype (tensor))
                                  : hyb_node_get_attribute (node, "__dtype__");
  g_autofree char *shape = declared ? plain_shape (declared) : NULL;
  const char      *attributes[] = { NULL, NULL, NULL, NULL, NULL };
  guint            n = 0;

  if (dtype)
    {
      attributes[n++] = "__dtype__";
      attributes[n++] = dtype;
    }
  if (shape)
    {
      attributes[n++] = "__shape__";
      attributes[n++] = shape;
    }
  g_hash_table_add (writing->names, g_strdup (node->name));
  writing->value[node->first_output] =
      hyb_builder_add_variable (writing->builder, node->name, attributes);
  if (tensor)
    hyb_model_set_parameter (writing->result->model, node->name, tensor);
  else
    hyb_model_set_input_type (writing->result->model, node->name,
                              &writing->types[node->first_output]);
}

/* The stored number that an input of a node is; FALSE if it is an array or computed. */
static gboolean
find_number (const Writing *writing, HybNodeId id, guint input, double *number)
{
  HybValueId     value = hyb_graph_get_inputs (writing->graph, id)[input];
  const HybNode *node = hyb_graph_get_node (writing->graph, id);
  HybNodeId      variable;
  HybTensor     *tensor = NULL;

  if (!writing->fixed[hyb_graph_get_producer (writing->graph, value)] ||
      !hyb_dtype_is_float (writing->types[node->first_output].dtype))
    return FALSE;
  variable = hyb_builder_get_producer (writing->builder, writing->value[value]);
  tensor = hyb_model_get_parameter (writing->result->model,
                                    hyb_builder_get_node (writing->builder, variable)->name);
  if (!tensor || hyb_tensor_get_shape (tensor)->rank > 0)
    return FALSE;
  *number = hyb_tensor_get_value (tensor, 0);
  return TRUE;
}

/* Adds a node with a number in place of an input; FALSE if it has no such form. */
static gboolean
add_with_number (Writing *writing, HybNodeId id)
{
  const HybNode   *node = hyb_graph_get_node (writing->graph, id);
  HybMatch         match = { node->origin, 0, -1 };
  g_autofree char *text = NULL;
  HybValueId       input;
  double           number = 0;
  guint            at = 0;

  if (!hyb_op_with_number (node->op, 0))
    return FALSE;
  /* The first input that is a number; operators such as _rminus_scalar have it on the left, hence `at`. */
  while (at < 2 && !find_number (writing, id, at, &number))
    at++;
  if (at == 2)
    return FALSE;
  text = g_strdup_printf ("%.17g", number);
  input = writing->value[hyb_graph_get_inputs (writing->graph, id)[1 - at]];
  writing->value[node->first_output] =
      hyb_builder_call (writing->builder, hyb_op_with_number (node->op, at),
                        &(HybNodeSpec){ .name = unique_name (writing, node->name),
                                        .attributes = (const char *const[]){ "scalar", text, NULL },
                                        .n_inputs = 1,
                                        .inputs = &input,
                                        .origin_plus_one = node->origin + 1 },
                        NULL);
  match.b = hyb_builder_get_producer (writing->builder, writing->value[node->first_output]);
  if (node->origin < hyb_graph_n_nodes (writing->file))
    g_array_append_val (writing->result->matches, match);
  return TRUE;
}

/* --- Products with stored weights --- */

/* The stored matrix that the second factor of a product is; NULL if it is computed. */
static HybTensor *
find_matrix (const Writing *writing, HybNodeId id)
{
  const HybNode *node = hyb_graph_get_node (writing->graph, id);
  HybValueId     value;
  HybTensor     *tensor;

  if (node->op != hyb_op_find ("_npi_matmul"))
    return NULL;
  value = hyb_graph_get_inputs (writing->graph, id)[1];
  if (!writing->fixed[hyb_graph_get_producer (writing->graph, value)])
    return NULL;
  tensor =
      hyb_model_get_parameter (writing->result->model,
                               hyb_builder_get_node (writing->builder,
                                                     hyb_builder_get_producer (writing->builder,
                                                                               writing
                                                                                   ->value[value]))
                                   ->name);
  return tensor && hyb_tensor_get_shape (tensor)->rank == 2 &&
                 hyb_tensor_get_dtype (tensor) == HYB_F32
             ? tensor
             : NULL;
}

/* A variable with the transposed matrix, one for all products with it, also where the file stores it once for each: Paddle2ONNX
 * transposes the weights of a cell in every step. */
static HybValueId
transposed_weight (Writing *writing, HybValueId value, HybTensor *matrix)
{
  gpointer found = g_hash_table_lookup (writing->transposed, GUINT_TO_POINTER (value));
  g_autoptr (HybTensor) weight = NULL;
  g_autofree char *base = NULL;
  const char      *name;
  HybValueId       variable;

  if (found)
    return GPOINTER_TO_UINT (found) - 1;
  /* 1. The same value was transposed before: found above.  2. Another value has equal numbers:
   * found by contents below.  3. It is new.  Entries are the variable + 1, since 0 means absent. */
  weight = hyb_matrix_transpose (matrix);
  if (!weight)
    return HYB_NO_ID;
  found = g_hash_table_lookup (writing->matrices, weight);
  if (found)
    {
      g_hash_table_insert (writing->transposed, GUINT_TO_POINTER (value), found);
      return GPOINTER_TO_UINT (found) - 1;
    }
  base = g_strconcat (hyb_builder_get_node (writing->builder,
                                            hyb_builder_get_producer (writing->builder,
                                                                      writing->value[value]))
                          ->name,
                      "_weight", NULL);
  name = unique_name (writing, base);
  variable = hyb_builder_add_variable (writing->builder, name, NULL);
  hyb_model_set_parameter (writing->result->model, name, weight);
  g_hash_table_insert (writing->transposed, GUINT_TO_POINTER (value),
                       GUINT_TO_POINTER (variable + 1));
  g_hash_table_insert (writing->matrices, g_steal_pointer (&weight),
                       GUINT_TO_POINTER (variable + 1));
  return variable;
}

/* Writes a product with a stored matrix as a layer, since cells consist of layers. */
static gboolean
add_layer (Writing *writing, HybNodeId id)
{
  const HybNode    *node = hyb_graph_get_node (writing->graph, id);
  HybTensor        *matrix = find_matrix (writing, id);
  HybMatch          match = { node->origin, 0, -1 };
  const HybValueId *old = hyb_graph_get_inputs (writing->graph, id);
  g_autofree char  *rows = NULL;
  HybValueId        inputs[2];

  if (!matrix || writing->types[old[0]].shape.rank < 2)
    return FALSE;
  /* x (…, k) · matrix (k, n) becomes a layer with weight (n, k) and num_hidden n. */
  rows = g_strdup_printf ("%" G_GINT64_FORMAT, hyb_tensor_get_shape (matrix)->dim[1]);
  inputs[0] = writing->value[old[0]];
  inputs[1] = transposed_weight (writing, old[1], matrix);
  if (inputs[1] == HYB_NO_ID)
    return FALSE;
  writing->value[node->first_output] =
      hyb_builder_call (writing->builder, "FullyConnected",
                        &(HybNodeSpec){
                            .name = unique_name (writing, node->name),
                            .attributes = (const char *const[]){ "flatten", "False", "no_bias",
                                                                 "True", "num_hidden", rows, NULL },
                            .n_inputs = 2,
                            .inputs = inputs,
                            .origin_plus_one = node->origin + 1 },
                        NULL);
  match.b = hyb_builder_get_producer (writing->builder, writing->value[node->first_output]);
  if (node->origin < hyb_graph_n_nodes (writing->file))
    g_array_append_val (writing->result->matches, match);
  return TRUE;
}

/* The contents of a node's inputs in every run; NULL: unknown.  (transfer container) */
static HybTensor **
list_known (const Writing *writing, HybNodeId id)
{
  const HybNode    *node = hyb_graph_get_node (writing->graph, id);
  const HybValueId *old = hyb_graph_get_inputs (writing->graph, id);
  HybTensor       **known = g_new0 (HybTensor *, MAX (node->n_inputs, 1));

  for (guint i = 0; i < node->n_inputs; i++)
    if (writing->fixed[hyb_graph_get_producer (writing->graph, old[i])])
      {
        HybNodeId maker = hyb_builder_get_producer (writing->builder, writing->value[old[i]]);

        known[i] = hyb_model_get_parameter (writing->result->model,
                                            hyb_builder_get_node (writing->builder, maker)->name);
      }
  return known;
}

static gboolean
add_node (Writing *writing, HybNodeId id, GError **error)
{
  const HybNode    *node = hyb_graph_get_node (writing->graph, id);
  const HybValueId *old = hyb_graph_get_inputs (writing->graph, id);
  HybNodeSpec       spec = { .op = node->op,
                             .type = node->type,
                             .name = unique_name (writing, node->name),
                             .attributes = node->attributes,
                             .n_bodies = node->n_bodies,
                             .n_outputs = node->n_outputs,
                             .key = node->key,
                             .origin_plus_one = node->origin + 1,
                             .line = node->line };
  g_autoptr (GPtrArray) bodies = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_graph_unref);
  g_autoptr (GArray) inputs = g_array_new (FALSE, FALSE, sizeof (HybValueId));
  g_autofree HybTensor **known = node->n_bodies > 0 ? list_known (writing, id) : NULL;
  g_auto (HybHoisted) hoisted = { 0 };
  HybNodeId new;
  HybMatch match = { node->origin, 0, -1 };

  if (known)
    hyb_loop_hoist (&hoisted, writing->graph, id, known);
  for (guint i = 0; i < node->n_inputs; i++)
    if (!hoisted.is_dropped || !hoisted.is_dropped[i])
      g_array_append_val (inputs, writing->value[old[i]]);
  if (hoisted.body)
    for (guint i = 0; i < hoisted.tensors->len; i++)
      {
        const char *name = unique_name (writing, hoisted.names->pdata[i]);
        HybValueId  variable = hyb_builder_add_variable (writing->builder, name, NULL);

        hyb_model_set_parameter (writing->result->model, name, hoisted.tensors->pdata[i]);
        g_array_append_val (inputs, variable);
      }
  for (guint b = 0; b < node->n_bodies; b++)
    g_ptr_array_add (bodies, hyb_body_write_constants (
                                 hoisted.body ? hoisted.body
                                              : hyb_graph_get_bodies (writing->graph, id)[b]));
  spec.bodies = (HybGraph *const *) bodies->pdata;
  spec.n_inputs = inputs->len;
  spec.inputs = (const HybValueId *) (gpointer) inputs->data;
  if (hoisted.attributes)
    spec.attributes = (const char *const *) hoisted.attributes;
  else
    spec.params = hyb_params_ref (node->params);
  new = hyb_builder_add (writing->builder, &spec, error);
  if (new == HYB_NO_ID)
    return FALSE;
  for (guint i = 0; i < node->n_outputs; i++)
    writing->value[node->first_output + i] = hyb_builder_output (writing->builder, new, i);
  match.b = new;
  if (node->origin < hyb_graph_n_nodes (writing->file))
    g_array_append_val (writing->result->matches, match);
  return TRUE;
}

/* Variables first, so that their order is that of the file. */
static gboolean
write_graph (Writing *writing, GError **error)
{
  guint             n = hyb_graph_n_nodes (writing->graph), n_heads;
  const HybValueId *heads = hyb_graph_get_heads (writing->graph, &n_heads);

  for (HybNodeId id = 0; id < n; id++)
    if (hyb_node_is_variable (hyb_graph_get_node (writing->graph, id)))
      add_variable (writing, id);
  if (!add_results (writing, error))
    return FALSE;
  for (HybNodeId id = 0; id < n; id++)
    if (!writing->fixed[id] && !hyb_node_is_variable (hyb_graph_get_node (writing->graph, id)) &&
        !add_with_number (writing, id) && !add_layer (writing, id) &&
        !add_node (writing, id, error))
      return FALSE;
  for (guint i = 0; i < n_heads; i++)
    hyb_builder_add_head (writing->builder, writing->value[heads[i]]);
  return TRUE;
}

/* map: by value of the file, its value in writing->graph. */
static void
fill_map (Writing *writing, const GArray *map)
{
  guint n = hyb_graph_n_values (writing->file);

  writing->result->map = g_new (HybValueId, MAX (n, 1));
  for (HybValueId value = 0; value < n; value++)
    {
      HybValueId at = g_array_index (map, HybValueId, value);

      writing->result->map[value] = at == HYB_NO_ID ? HYB_NO_ID : writing->value[at];
    }
}

static void
drop_unread (HybModel *model)
{
  HybGraph          *graph = hyb_model_get_graph (model);
  g_autofree guint8 *is_needed = hyb_graph_find_needed (graph, NULL);

  for (guint i = hyb_model_n_parameters (model); i-- > 0;)
    {
      const char *name = hyb_model_get_parameter_name (model, i);
      HybNodeId   id = hyb_graph_find_variable (graph, name);

      if (id == HYB_NO_ID || !is_needed[id])
        hyb_model_remove_parameter (model, name);
    }
}

HybLoweredModel *
hyb_lowered_model_new (HybModel *model, HybTensorList *input, GError **error)
{
  g_autofree HybType *types = hyb_variant_infer_types (model, input);
  g_autoptr (HybLowered) lowered =
      hyb_lower (hyb_model_get_graph (model),
                 &(HybLowerOptions){ .types = types, .is_portable = TRUE }, error);
  g_autoptr (HybLoweredModel) result = NULL;
  g_auto (HybTrimmed) trimmed = { 0 };
  Writing  writing = { .from = model, .file = hyb_model_get_graph (model) };
  gboolean is_written;

  if (!lowered)
    return NULL;
  result = g_new0 (HybLoweredModel, 1);
  result->model = hyb_model_new ();
  result->matches = g_array_new (FALSE, FALSE, sizeof (HybMatch));
  hyb_model_set_format (result->model, "mxnet-symbol");
  writing.result = result;
  hyb_lowered_trim (&trimmed, lowered);
  writing.graph = trimmed.graph;
  writing.types = trimmed.types;
  writing.builder = hyb_builder_new ();
  hyb_builder_set_legacy_shapes (writing.builder, FALSE);
  writing.value = g_new (HybValueId, MAX (hyb_graph_n_values (writing.graph), 1));
  for (HybValueId value = 0; value < hyb_graph_n_values (writing.graph); value++)
    writing.value[value] = HYB_NO_ID;
  writing.names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  writing.transposed = g_hash_table_new (NULL, NULL);
  writing.matrices = g_hash_table_new_full (hyb_matrix_hash, hyb_matrix_equal,
                                            (GDestroyNotify) hyb_tensor_unref, NULL);
  writing.fixed = g_new0 (guint8, MAX (hyb_graph_n_nodes (writing.graph), 1));
  writing.n_elements = g_new0 (gint64, MAX (hyb_graph_n_nodes (writing.graph), 1));
  hyb_find_fixed (writing.graph, writing.types, model, writing.fixed, writing.n_elements);
  is_written = write_graph (&writing, error);
  if (is_written)
    {
      g_autoptr (HybGraph) graph = hyb_builder_freeze (writing.builder);

      hyb_model_set_graph (result->model, graph);
      drop_unread (result->model);
      fill_map (&writing, trimmed.map);
    }
  else
    hyb_builder_free (writing.builder);
  g_free (writing.value);
  g_free (writing.fixed);
  g_free (writing.n_elements);
  g_hash_table_unref (writing.names);
  g_hash_table_unref (writing.transposed);
  g_hash_table_unref (writing.matrices);
  return is_written ? g_steal_pointer (&result) : NULL;
}

void
hyb_lowered_model_free (HybLoweredModel *lowered)
{
  if (!lowered)
    return;
  hyb_model_unref (lowered->model);
  g_free (lowered->map);
  g_array_unref (lowered->matches);
  g_free (lowered);
}
