/* inputs.c — arrays from files, and what stands in for those that no file gives.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/inputs.h"

#include "engine/analysis/infer-types.h"
#include "engine/base/error.h"
#include "engine/base/random.h"
#include "engine/graph/reach.h"
#include "engine/graph/roles.h"
#include "engine/op/rules.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#define MAX_NAMED 40

/* MXNet's initialisers go by the end of a name first. */
static const struct
{
  const char *ending;
  double      value;
} by_name[] = {
  { "bias", 0 },         { "gamma", 1 },       { "beta", 0 },        { "moving_mean", 0 },
  { "running_mean", 0 }, { "moving_var", 1 },  { "running_var", 1 }, { "moving_avg", 0 },
  { "label", 0 },        { "begin_state", 0 }, { "state", 0 },
};

static void
fill_constant (HybTensor *tensor, double value)
{
  for (gint64 i = 0; i < hyb_tensor_get_size (tensor); i++)
    hyb_dtype_set_double (hyb_tensor_get_data (tensor),
                          hyb_tensor_get_dtype (tensor),
                          (gsize) i,
                          value);
}

static void
fill_uniform (HybTensor *tensor, guint64 seed, double low, double high)
{
  for (gint64 i = 0; i < hyb_tensor_get_size (tensor); i++)
    hyb_dtype_set_double (hyb_tensor_get_data (tensor),
                          hyb_tensor_get_dtype (tensor),
                          (gsize) i,
                          low + (high - low) * hyb_random_uniform (seed, (guint64) i));
}

/* Xavier: the variance of a layer's output is that of its input, between the counts
 * of its inputs and outputs. */
static double
xavier_scale (const HybShape *shape)
{
  double area;

  if (shape->rank < 2)
    return 0.07;

  area = (double) hyb_shape_count (shape, 2, shape->rank);
  return sqrt (6.0 / (area * (double) (shape->dim[0] + shape->dim[1])));
}

static void
initialise (const ScopeCommon *common, const char *name, HybRole role, HybTensor *tensor)
{
  guint64 seed = hyb_random_mix ((guint64) common->seed, g_str_hash (name));
  double  scale;

  for (guint i = 0; i < G_N_ELEMENTS (by_name); i++)
    if (g_str_has_suffix (name, by_name[i].ending))
      {
        fill_constant (tensor, by_name[i].value);
        return;
      }

  if (!common->init || strcmp (common->init, "zeros") == 0 || role == HYB_ROLE_STATE ||
      role == HYB_ROLE_LABEL)
    fill_constant (tensor, 0);
  else if (role == HYB_ROLE_DATA)
    fill_uniform (tensor, seed, 0, 1);
  else
    {
      scale = strcmp (common->init, "xavier") == 0 ? xavier_scale (hyb_tensor_get_shape (tensor))
                                                   : 0.07;
      fill_uniform (tensor, seed, -scale, scale);
    }
}

static void
warn_unused (HybGraph *graph, HybTensorList *given)
{
  for (guint i = 0; given && i < hyb_tensor_list_n (given); i++)
    {
      const char *name = hyb_tensor_list_get (given, i)->name;

      if (hyb_graph_find_variable (graph, name) == HYB_NO_ID)
        scope_say (HYB_SEVERITY_WARNING,
                   "the graph has no variable “%s”: its array is not used",
                   name);
    }
}

/* Usual shapes of other inputs may contradict an array that has another one. */
static void
forget_usual_shapes (ScopeInputs *inputs, HybTensorList *given)
{
  gboolean is_unusual = FALSE;

  for (guint i = 0; given && i < hyb_tensor_list_n (given); i++)
    {
      const HybNamedTensor *entry = hyb_tensor_list_get (given, i);
      const HybType        *usual = hyb_model_get_input_type (inputs->model, entry->name);

      is_unusual |= usual && entry->tensor &&
                    !hyb_shape_equal (&usual->shape, hyb_tensor_get_shape (entry->tensor));
    }
  for (guint i = 0; is_unusual && i < inputs->n_variables; i++)
    {
      const HybNode *node = hyb_graph_get_node (inputs->graph, inputs->variables[i]);

      if (hyb_model_get_input_type (inputs->model, node->name))
        inputs->types[node->first_output].shape = HYB_SHAPE_UNKNOWN;
    }
}

static void
take_values (ScopeInputs *inputs, HybTensorList *given)
{
  for (guint i = 0; i < inputs->n_variables; i++)
    {
      const HybNode *node = hyb_graph_get_node (inputs->graph, inputs->variables[i]);
      HybTensor     *tensor = given ? hyb_tensor_list_find (given, node->name) : NULL;

      if (!tensor)
        tensor = hyb_model_get_parameter (inputs->model, node->name);
      if (!tensor)
        continue;
      inputs->values[i] = hyb_tensor_ref (tensor);
      inputs->types[node->first_output] = *hyb_tensor_get_type (tensor);
    }
}

/* NumPy makes float64 of every number; where a model cannot take it but can take
 * float32, that is what was meant.  error is that of the first try. */
static gboolean
infer_with_casts (ScopeInputs *inputs, const ScopeCommon *common, HybType *types, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint i = 0; i < inputs->n_variables; i++)
    {
      const HybNode *node = hyb_graph_get_node (inputs->graph, inputs->variables[i]);
      HybTensor     *parameter = hyb_model_get_parameter (inputs->model, node->name);

      if (!inputs->values[i] || inputs->values[i] == parameter ||
          hyb_tensor_get_dtype (inputs->values[i]) != HYB_F64)
        continue;
      types[node->first_output].dtype = HYB_F32;
      g_string_append_printf (names, "%s“%s”", names->len > 0 ? ", " : "", node->name);
    }
  if (names->len == 0 || !hyb_infer_types (inputs->graph, types, NULL, common->train, NULL))
    return FALSE;

  for (guint i = 0; i < inputs->n_variables; i++)
    {
      const HybNode *node = hyb_graph_get_node (inputs->graph, inputs->variables[i]);
      HybTensor     *cast;

      if (!inputs->values[i] || hyb_tensor_get_dtype (inputs->values[i]) != HYB_F64 ||
          types[node->first_output].dtype != HYB_F32)
        continue;
      cast = hyb_tensor_convert (inputs->values[i], HYB_F32);
      hyb_tensor_unref (inputs->values[i]);
      inputs->values[i] = cast;
    }
  memcpy (inputs->types, types, hyb_graph_n_values (inputs->graph) * sizeof *types);
  g_clear_error (error);
  scope_say (HYB_SEVERITY_WARNING,
             "float64 was given and cast to float32, which the model wants: %s",
             names->str);
  return TRUE;
}

static gboolean
infer_types (ScopeInputs *inputs, const ScopeCommon *common, GError **error)
{
  gsize               n_values = hyb_graph_n_values (inputs->graph);
  g_autofree HybType *given = g_memdup2 (inputs->types, n_values * sizeof *inputs->types);
  GError             *own = NULL;

  if (hyb_infer_types (inputs->graph, inputs->types, NULL, common->train, &own))
    return TRUE;
  if (given && infer_with_casts (inputs, common, given, &own))
    return TRUE;

  g_propagate_error (error, own);
  return FALSE;
}

/* Everything of one kind that is missing, in one sentence. */
typedef struct
{
  GString *names;
  guint    n;
} Missing;

static void
add_missing (Missing *missing, const char *name, const char *why)
{
  if (!missing->names)
    missing->names = g_string_new (NULL);
  if (missing->n++ < MAX_NAMED)
    g_string_append_printf (missing->names,
                            "%s“%s”%s%s",
                            missing->names->len > 0 ? ", " : "",
                            name,
                            why ? ": " : "",
                            why ? why : "");
}

static gboolean
refuse_missing (Missing *missing, const char *what, const char *hint, int code, GError **error)
{
  if (missing->n > MAX_NAMED)
    g_string_append_printf (missing->names, " and %u more", missing->n - MAX_NAMED);
  hyb_error_at (error, HYB_GRAPH_ERROR, code, NULL, hint, "%s %s", what, missing->names->str);
  g_string_free (missing->names, TRUE);
  return FALSE;
}

/* A label is wanted only for gradients; a parameter never stands in for itself. */
static gboolean
may_fill (const ScopeCommon *common, HybRole role, gboolean needs_labels)
{
  return common->init || (role == HYB_ROLE_LABEL && !needs_labels);
}

/* Filling memory that the machine has not would end everything. */
static HybTensor *
make_tensor (const char *name, const HybType *type, gsize *total, GError **error)
{
  gsize      machine = (gsize) sysconf (_SC_PHYS_PAGES) * (gsize) sysconf (_SC_PAGESIZE);
  gsize      bytes = 0;
  HybTensor *tensor = NULL;

  if (hyb_shape_bytes (&type->shape, type->dtype, &bytes, error))
    {
      *total += MIN (bytes, machine);
      if (bytes >= machine || *total >= machine)
        hyb_error_at (error,
                      HYB_GRAPH_ERROR,
                      HYB_GRAPH_ERROR_MEMORY,
                      NULL,
                      "Give smaller shapes",
                      "%" G_GSIZE_FORMAT " bytes are more than this machine has",
                      bytes);
      else
        tensor = hyb_tensor_new (type, error);
    }
  if (!tensor)
    g_prefix_error (error, "variable “%s”: ", name);
  return tensor;
}

/* The elements of the example, again and again. */
static gboolean
repeat_example (HybModel *model, const char *name, HybTensor *tensor)
{
  HybTensor *example = hyb_model_get_example (model, name);
  gint64     n = example ? hyb_tensor_get_size (example) : 0;

  for (gint64 i = 0; n > 0 && i < hyb_tensor_get_size (tensor); i++)
    hyb_dtype_set_double (hyb_tensor_get_data (tensor),
                          hyb_tensor_get_dtype (tensor),
                          (gsize) i,
                          hyb_tensor_get_value (example, i % n));
  return n > 0;
}

/* A label that is only laid out anew before it is read may have that shape at once. */
static void
guess_label_shape (const ScopeInputs *inputs, HybValueId label, HybShape *shape)
{
  guint            n;
  const HybNodeId *users = hyb_graph_get_users (inputs->graph, label, &n);
  const HybNode   *reader = n == 1 ? hyb_graph_get_node (inputs->graph, users[0]) : NULL;

  if (reader && reader->op->view == hyb_rule_view_all &&
      hyb_shape_is_known (&inputs->types[reader->first_output].shape))
    *shape = inputs->types[reader->first_output].shape;
}

static gboolean
fill_missing (ScopeInputs *inputs, const ScopeCommon *common, gboolean needs_labels, GError **error)
{
  g_autofree guint8 *needed = hyb_graph_find_needed (inputs->graph, NULL);
  Missing            missing = { 0 }, shapeless = { 0 };
  gsize              total = 0;

  for (guint i = 0; i < inputs->n_variables; i++)
    {
      HybNodeId      id = inputs->variables[i];
      const HybNode *node = hyb_graph_get_node (inputs->graph, id);
      HybRole        role = hyb_graph_get_role (inputs->graph, id, FALSE);
      HybType        type = inputs->types[node->first_output];

      if (inputs->values[i] || !needed[id])
        continue;
      if (!may_fill (common, role, needs_labels) &&
          !hyb_model_get_example (inputs->model, node->name))
        {
          add_missing (&missing, node->name, NULL);
          continue;
        }
      if (!hyb_shape_is_known (&type.shape) && role == HYB_ROLE_LABEL && !needs_labels)
        guess_label_shape (inputs, node->first_output, &type.shape);
      if (!hyb_shape_is_known (&type.shape))
        {
          g_autofree char *why =
              hyb_infer_reason (inputs->graph, inputs->types, node->first_output);

          add_missing (&shapeless, node->name, why);
          continue;
        }

      if (type.dtype == HYB_DTYPE_UNKNOWN)
        type.dtype = HYB_F32;
      inputs->values[i] = make_tensor (node->name, &type, &total, error);
      if (!inputs->values[i])
        return FALSE;
      if (!repeat_example (inputs->model, node->name, inputs->values[i]))
        initialise (common, node->name, role, inputs->values[i]);
    }

  if (missing.n > 0)
    {
      if (shapeless.names)
        g_string_free (shapeless.names, TRUE);
      return refuse_missing (&missing,
                             "no file gives a value for",
                             "Give arrays with --input, a file with --params, or fill them with "
                             "--init zeros|uniform|xavier",
                             HYB_GRAPH_ERROR_MISSING,
                             error);
    }
  if (shapeless.n > 0)
    return refuse_missing (&shapeless,
                           "the shape is not known of",
                           strstr (shapeless.names->str, "--shape")
                               ? NULL
                               : "Give it with --shape NAME=1,2,3",
                           HYB_GRAPH_ERROR_UNKNOWN,
                           error);
  return TRUE;
}

gboolean
scope_inputs_fill (ScopeInputs       *inputs,
                   const ScopeCommon *common,
                   HybModel          *model,
                   HybTensorList     *given,
                   gboolean           needs_labels,
                   GError           **error)
{
  guint n_values;

  *inputs = (ScopeInputs){ .model = model, .graph = hyb_model_get_graph (model) };
  n_values = hyb_graph_n_values (inputs->graph);
  inputs->variables = hyb_graph_get_variables (inputs->graph, &inputs->n_variables);
  inputs->values = g_new0 (HybTensor *, MAX (inputs->n_variables, 1));
  inputs->types = g_new (HybType, MAX (n_values, 1));
  for (guint i = 0; i < n_values; i++)
    inputs->types[i] = HYB_TYPE_UNKNOWN;

  warn_unused (inputs->graph, given);
  if (!scope_fill_types (common, model, inputs->types, error))
    return FALSE;
  forget_usual_shapes (inputs, given);
  take_values (inputs, given);
  return infer_types (inputs, common, error) && fill_missing (inputs, common, needs_labels, error);
}

void
scope_inputs_clear (ScopeInputs *inputs)
{
  for (guint i = 0; i < inputs->n_variables; i++)
    g_clear_pointer (&inputs->values[i], hyb_tensor_unref);
  g_free (inputs->values);
  g_free (inputs->types);
}
