/* inputs.c — a value for every variable: from files, from the model, or generated.
 *
 * Start at scope_inputs_fill().  Types are inferred between taking and generating values, since
 * generated values need shapes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/frame/inputs.h"

#include "app/command/frame/generate.h"
#include "app/command/frame/messages.h"
#include "app/command/frame/open-model.h"

#include "engine/analysis/infer-types.h"
#include "engine/base/error.h"
#include "engine/base/remedy.h"
#include "engine/doctor/diagnose.h"
#include "engine/graph/reach.h"
#include "engine/graph/roles.h"
#include "engine/op/rules.h"

#include <string.h>

#define MAX_LISTED 40 /* names in an error message */

static void
warn_unused (HybGraph *graph, HybTensorList *given)
{
  for (guint i = 0; given && i < hyb_tensor_list_n (given); i++)
    {
      const char *name = hyb_tensor_list_get (given, i)->name;

      if (hyb_graph_find_variable (graph, name) == HYB_NO_ID)
        scope_print_message (HYB_SEVERITY_WARNING,
                             "the graph has no variable “%s”, so its array is not used", name);
    }
}

/* If an array has another shape than usual, the usual shapes of the other inputs may contradict it:
 * makes them unknown. */
static void
forget_usual_shapes (ScopeInputs *inputs)
{
  HybTensorList *given = inputs->given;
  gboolean       is_unusual = FALSE;

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

/* FALSE and an error if --shape gives a variable another shape than its array has. */
static gboolean
check_given_shapes (const ScopeInputs *inputs, const ScopeCommonOptions *common, GError **error)
{
  for (guint i = 0; common->shapes && common->shapes[i]; i++)
    {
      g_autofree char *name = NULL, *got = NULL;
      HybShape         shape, found;
      HybTensor       *tensor;

      if (!scope_parse_shape (common->shapes[i], &name, &shape, error))
        return FALSE;
      tensor = inputs->given ? hyb_tensor_list_find (inputs->given, name) : NULL;
      if (!tensor)
        tensor = hyb_model_get_parameter (inputs->model, name);
      if (!tensor)
        continue;
      found = *hyb_tensor_get_shape (tensor);
      if (hyb_shape_unify (&found, &shape, NULL))
        continue;
      got = hyb_shape_to_string (&found);
      return scope_usage_error (error,
                                "--shape %s: the array “%s” has the shape %s. Leave the option "
                                "out, or give an array of that shape",
                                common->shapes[i], name, got);
    }
  return TRUE;
}

/* NumPy has no type for bfloat16: the bits of such an input are given as uint16.  (transfer full) */
static HybTensor *
take_value (HybTensor *tensor, const HybNode *node)
{
  HybType     type = *hyb_tensor_get_type (tensor);
  const char *declared = hyb_node_get_attribute (node, "__dtype__");

  if (type.dtype != HYB_U16 || !declared || hyb_dtype_from_name (declared) != HYB_BF16)
    return hyb_tensor_ref (tensor);
  type.dtype = HYB_BF16;
  return hyb_tensor_new_view (tensor, &type, 0);
}

void
scope_set_declared_types (HybTensorList *given, HybModel *model)
{
  HybGraph        *graph = hyb_model_get_graph (model);
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; given && i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (graph, variables[i]);
      HybTensor     *tensor = hyb_tensor_list_find (given, node->name);
      g_autoptr (HybTensor) taken = tensor ? take_value (tensor, node) : NULL;

      if (taken && taken != tensor)
        hyb_tensor_list_set (given, node->name, taken);
    }
}

/* Takes values from given or else from the model's parameters.  With freeze all parameters are constants, given and
 * generated ones as well. */
static void
take_values (ScopeInputs *inputs, gboolean freeze)
{
  if (freeze || hyb_graph_get_dialect (inputs->graph))
    inputs->constants = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint i = 0; i < inputs->n_variables; i++)
    {
      const HybNode *node = hyb_graph_get_node (inputs->graph, inputs->variables[i]);
      HybTensor *tensor = inputs->given ? hyb_tensor_list_find (inputs->given, node->name) : NULL;

      if (!tensor && (tensor = hyb_model_get_parameter (inputs->model, node->name)) &&
          inputs->constants)
        g_hash_table_add (inputs->constants, g_strdup (node->name));
      else if (freeze && hyb_graph_get_role (inputs->graph, inputs->variables[i], FALSE) ==
                             HYB_ROLE_PARAMETER)
        g_hash_table_add (inputs->constants, g_strdup (node->name));
      if (!tensor)
        continue;
      inputs->values[i] = take_value (tensor, node);
      inputs->types[node->first_output] = *hyb_tensor_get_type (inputs->values[i]);
    }
}

/* NumPy's default type is float64, which many models do not accept.  If inference succeeds with all
 * float64 arrays as float32, casts them, warns and clears error. */
static gboolean
infer_with_casts (ScopeInputs              *inputs,
                  const ScopeCommonOptions *common,
                  HybType                  *types,
                  GError                  **error)
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
      if (!cast)
        {
          g_clear_error (error);
          return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MEMORY, NULL, NULL,
                               "not enough memory to convert “%s” to float32", node->name);
        }
      hyb_tensor_unref (inputs->values[i]);
      inputs->values[i] = cast;
    }
  memcpy (inputs->types, types, hyb_graph_n_values (inputs->graph) * sizeof *types);
  g_clear_error (error);
  scope_print_message (HYB_SEVERITY_WARNING,
                       "float64 arrays were cast to float32, which the model needs: %s",
                       names->str);
  return TRUE;
}

/* The first error that hscope check finds in addition, with its way out, or NULL.  of_parameters: only one
 * that is mended in the parameters.  (transfer full) */
static char *
diagnose (ScopeInputs *inputs, const ScopeCommonOptions *common, gboolean of_parameters)
{
  GPtrArray *findings = hyb_model_get_findings (inputs->model);
  g_autoptr (GHashTable) known = g_hash_table_new (NULL, NULL);
  g_autofree HybType *types = hyb_diagnose_new_types (inputs->graph);

  for (guint i = 0; i < findings->len; i++)
    g_hash_table_add (known, findings->pdata[i]);
  if (!scope_fill_types (common, inputs->model, types, NULL))
    return NULL;
  hyb_diagnose (inputs->model, types);
  for (guint i = 0; i < findings->len; i++)
    {
      const HybFinding *finding = findings->pdata[i];
      g_autofree char  *hint = scope_finding_dup_hint (finding);

      if (of_parameters && finding->remedy != HYB_REMEDY_REPAIR &&
          finding->remedy != HYB_REMEDY_PARAMETERS)
        continue;
      if (!g_hash_table_contains (known, finding) && finding->severity == HYB_SEVERITY_ERROR)
        return g_strdup_printf ("%s%s%s", finding->message, hint ? "; " : "", hint ? hint : "");
    }
  return NULL;
}

/* Before anything is requested: values would not help a graph that cannot run. */
static gboolean
refuse_unknown_operator (HybGraph *graph, GError **error)
{
  g_autofree guint8 *needed = hyb_graph_find_needed (graph, NULL);

  for (HybNodeId id = 0; hyb_graph_get_dialect (graph) && id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (graph, id);

      if (needed[id] && node->op->flags & HYB_OP_OPAQUE)
        return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_UNKNOWN, NULL,
                             "hscope info, check and render show the model all the same",
                             "node “%s”: this program cannot compute the operator %s", node->name,
                             node->type);
    }
  return TRUE;
}

static gboolean
infer_types (ScopeInputs *inputs, const ScopeCommonOptions *common, GError **error)
{
  gsize               n_values = hyb_graph_n_values (inputs->graph);
  g_autofree HybType *given = g_memdup2 (inputs->types, n_values * sizeof *inputs->types);
  g_autofree char    *diagnosis = NULL;
  GError             *local_error = NULL;

  if (!refuse_unknown_operator (inputs->graph, error))
    return FALSE;
  if (hyb_infer_types (inputs->graph, inputs->types, NULL, common->train, &local_error))
    return TRUE;
  if (given && infer_with_casts (inputs, common, given, &local_error))
    return TRUE;

  diagnosis = diagnose (inputs, common, TRUE);
  if (diagnosis)
    g_prefix_error (&local_error, "%s. ", diagnosis);
  g_propagate_error (error, local_error);
  return FALSE;
}

/* Collects everything that is missing, for one error message. */
typedef struct
{
  GString    *names;
  guint       n;
  const char *first; /* name */
} Missing;

static void
missing_clear (Missing *missing)
{
  if (missing->names)
    g_string_free (missing->names, TRUE);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Missing, missing_clear)

static void
add_missing (Missing *missing, const char *name, const char *reason /* (nullable) */)
{
  if (!missing->names)
    {
      missing->names = g_string_new (NULL);
      missing->first = name;
    }
  if (missing->n++ < MAX_LISTED)
    g_string_append_printf (missing->names, "%s“%s”%s%s", missing->names->len > 0 ? ", " : "", name,
                            reason ? ": " : "", reason ? reason : "");
}

static gboolean
refuse_missing (Missing *missing, const char *what, HybRemedy remedy, int code, GError **error)
{
  if (missing->n > MAX_LISTED)
    g_string_append_printf (missing->names, " and %u more", missing->n - MAX_LISTED);
  hyb_error_at (error, HYB_GRAPH_ERROR, code, NULL, NULL, "%s %s", what, missing->names->str);
  hyb_error_add_remedy (error, remedy, missing->first);
  return FALSE;
}

/* Everything may be generated with --init; without it only labels, which the outputs do not need. */
static gboolean
can_generate (const ScopeCommonOptions *common, HybRole role, gboolean needs_labels)
{
  return common->init || (role == HYB_ROLE_LABEL && !needs_labels);
}

/* Fills the tensor with the model's example, repeated.  FALSE if there is no example. */
static gboolean
repeat_example (HybModel *model, const char *name, HybTensor *tensor)
{
  HybTensor *example = hyb_model_get_example (model, name);
  gint64     n = example ? hyb_tensor_get_size (example) : 0;

  for (gint64 i = 0; n > 0 && i < hyb_tensor_get_size (tensor); i++)
    hyb_dtype_set_double (hyb_tensor_get_data (tensor), hyb_tensor_get_dtype (tensor), (gsize) i,
                          hyb_tensor_get_value (example, i % n));
  return n > 0;
}

/* A label that is only reshaped before it is used can have the reshaped shape. */
static void
guess_label_shape (const ScopeInputs *inputs, HybValueId label, HybShape *shape)
{
  guint            n;
  const HybNodeId *users = hyb_graph_get_users (inputs->graph, label, &n);
  const HybNode   *user = n == 1 ? hyb_graph_get_node (inputs->graph, users[0]) : NULL;

  if (user && user->op->view == hyb_rule_view_all &&
      hyb_shape_is_known (&inputs->types[user->first_output].shape))
    *shape = inputs->types[user->first_output].shape;
}

/* Fails with the names of the variables that have no value. */
static gboolean
refuse_valueless (ScopeInputs              *inputs,
                  const ScopeCommonOptions *common,
                  Missing                  *missing,
                  GError                  **error)
{
  g_autofree char *diagnosis = diagnose (inputs, common, FALSE);

  if (diagnosis)
    g_string_append_printf (missing->names, " (%s)", diagnosis);
  return refuse_missing (missing, "no value for", HYB_REMEDY_VALUES, HYB_GRAPH_ERROR_MISSING,
                         error);
}

/* A file of parameters that lacks some of them may belong to another model. */
static void
warn_filled (const ScopeInputs *inputs, guint n_filled)
{
  const char *file = hyb_model_get_weights_file (inputs->model);

  if (n_filled > 0 && file)
    scope_print_message (HYB_SEVERITY_WARNING,
                         "%u parameters are not in %s and have generated values; hscope check says "
                         "whether the file belongs to the model",
                         n_filled, file);
}

/* Generates all values that are still missing, or fails with one message about all of them. */
static gboolean
fill_missing (ScopeInputs *inputs, const ScopeCommonOptions *common, GError **error)
{
  g_autofree guint8 *needed = hyb_graph_find_needed (inputs->graph, NULL);
  g_auto (Missing) missing = { 0 };
  g_auto (Missing) shapeless = { 0 };
  gsize total = 0;
  guint n_filled = 0;

  for (guint i = 0; i < inputs->n_variables; i++)
    {
      HybNodeId      id = inputs->variables[i];
      const HybNode *node = hyb_graph_get_node (inputs->graph, id);
      HybRole        role = hyb_graph_get_role (inputs->graph, id, FALSE);
      HybType        type = inputs->types[node->first_output];

      if (inputs->values[i] || !needed[id])
        continue;
      /* 1. Collect variables without a value and without a shape; all of them are reported at once below. */
      if (!can_generate (common, role, inputs->needs_labels) &&
          !hyb_model_get_example (inputs->model, node->name))
        {
          add_missing (&missing, node->name, NULL);
          continue;
        }
      if (!hyb_shape_is_known (&type.shape) && role == HYB_ROLE_LABEL && !inputs->needs_labels)
        guess_label_shape (inputs, node->first_output, &type.shape);
      if (!hyb_shape_is_known (&type.shape))
        {
          g_autofree char *reason =
              hyb_infer_reason (inputs->graph, inputs->types, node->first_output);

          add_missing (&shapeless, node->name, reason);
          continue;
        }

      /* 2. An example of the model comes before generated numbers. */
      if (type.dtype == HYB_DTYPE_UNKNOWN)
        type.dtype = HYB_F32;
      inputs->values[i] = scope_allocate_value (node->name, &type, &total, error);
      if (!inputs->values[i])
        return FALSE;
      if (repeat_example (inputs->model, node->name, inputs->values[i]))
        continue;
      scope_generate_value (common, node->name, role, inputs->values[i]);
      n_filled += role == HYB_ROLE_PARAMETER;
    }

  if (missing.n > 0)
    return refuse_valueless (inputs, common, &missing, error);
  if (shapeless.n > 0)
    return refuse_missing (&shapeless, "unknown shape of", HYB_REMEDY_SHAPES,
                           HYB_GRAPH_ERROR_UNKNOWN, error);
  warn_filled (inputs, n_filled);
  return TRUE;
}

gboolean
scope_inputs_fill (ScopeInputs *inputs, const ScopeCommonOptions *common, GError **error)
{
  guint n_values;

  if (!scope_require_outputs (inputs->model, error))
    return FALSE;
  inputs->graph = hyb_model_get_graph (inputs->model);
  n_values = hyb_graph_n_values (inputs->graph);
  inputs->variables = hyb_graph_get_variables (inputs->graph, &inputs->n_variables);
  inputs->values = g_new0 (HybTensor *, MAX (inputs->n_variables, 1));
  inputs->types = g_new (HybType, MAX (n_values, 1));
  for (guint i = 0; i < n_values; i++)
    inputs->types[i] = HYB_TYPE_UNKNOWN;

  warn_unused (inputs->graph, inputs->given);
  if (!scope_fill_types (common, inputs->model, inputs->types, error) ||
      !check_given_shapes (inputs, common, error))
    return FALSE;
  forget_usual_shapes (inputs);
  take_values (inputs, common->freeze_parameters);
  return infer_types (inputs, common, error) && fill_missing (inputs, common, error);
}

void
scope_inputs_clear (ScopeInputs *inputs)
{
  for (guint i = 0; i < inputs->n_variables; i++)
    g_clear_pointer (&inputs->values[i], hyb_tensor_unref);
  g_free (inputs->values);
  g_free (inputs->types);
  g_clear_pointer (&inputs->constants, g_hash_table_unref);
}

GHashTable *
scope_inputs_get_constants (const ScopeInputs        *inputs,
                            const ScopeCommonOptions *common,
                            gboolean                  backward)
{
  return common->train || backward || scope_common_options_get_mode (common) == HYB_MODE_IMPERATIVE
             ? NULL
             : inputs->constants;
}

void
scope_common_options_set_default_init (ScopeCommonOptions *common, HybModel *model)
{
  HybGraph          *graph = hyb_model_get_graph (model);
  g_autofree guint8 *needed = hyb_graph_find_needed (graph, NULL);
  guint              n;
  const HybNodeId   *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < n; i++)
    if (needed[variables[i]] &&
        hyb_graph_get_role (graph, variables[i], FALSE) == HYB_ROLE_PARAMETER &&
        !hyb_model_get_parameter (model, hyb_graph_get_node (graph, variables[i])->name))
      return;
  if (!common->init)
    {
      /* Not freed, as common is a copy of the parsed options. */
      static char uniform[] = "uniform";

      common->init = uniform;
    }
}
