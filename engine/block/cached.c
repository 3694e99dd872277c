/* cached.c — traces blocks, infers the shapes of their parameters, and runs cached graphs.
 *
 * A hybridized block keeps one graph for each structure of inputs (how they are nested), with one
 * executor for inference and one for training.  Start at hyb_block_call_cached().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/analysis/infer-types.h"
#include "engine/base/error.h"
#include "engine/block/block-private.h"

#include <string.h>

/* n variables "data", or "data0", "data1" …, nested like the structure.  *structure moves past
 * the part that was read; *next is the number of the next variable. */
static HybValue *
nested_variables (HybF *F, const char **structure, guint n, guint *next)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new ();

  if (**structure == '0')
    {
      (*structure)++;
      (*next)++;
      return hyb_value_variable (F, n == 1 ? "data" : hyb_f_text (F, "data%u", *next - 1), NULL);
    }
  for ((*structure)++; **structure != ']' && **structure != '\0';)
    if (**structure == ',' || **structure == ' ')
      (*structure)++;
    else
      g_ptr_array_add (items, nested_variables (F, structure, n, next));
  if (**structure == ']')
    (*structure)++;
  return hyb_list (F, items->len, (HybValue *const *) items->pdata);
}

/* Records the block's forward function for n inputs; returns its outputs. */
static HybValue *
trace_forward (HybF *F, HybBlock *block, guint n, const char *structure)
{
  guint     next = 0;
  HybValue *input = nested_variables (F, &structure, n, &next);
  HybValue *result;

  hyb_f_push_path (F, hyb_block_get_name (block));
  result = hyb_block_run_forward (F, block, input);
  hyb_f_pop_path (F);
  return result;
}

#define MAX_DEPTH 100

/* TRUE if text is “0”, or nested lists that contain nothing but “0”. */
static gboolean
is_structure (const char *text)
{
  guint depth = 0;
  gsize length = strlen (text);

  if (strspn (text, "0[], ") != length || (text[0] != '0' && text[0] != '['))
    return FALSE;
  for (gsize i = 0; i < length; i++)
    {
      depth += text[i] == '[';
      if (depth > MAX_DEPTH || (text[i] == ']' && depth == 0))
        return FALSE;
      depth -= text[i] == ']';
      if (depth == 0 && i + 1 < length) /* it ends with the outermost bracket */
        return FALSE;
    }
  return depth == 0;
}

HybGraph *
hyb_block_trace (HybBlock   *block,
                 guint       n_inputs,
                 const char *structure,
                 gboolean    training,
                 GError    **error)
{
  g_autoptr (HybF) F = hyb_f_new_trace (training);

  g_return_val_if_fail (block && structure && is_structure (structure), NULL);
  if (block->klass->plain)
    {
      hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_STRUCTURE, block->priv->prefix,
                    "Make it a hybrid block", "a plain block cannot be traced");
      return NULL;
    }
  return hyb_f_finish (F, trace_forward (F, block, n_inputs, structure), error);
}

/* The number of the input whose variable is called name ("data", "data3"); -1 if it is not an
 * input. */
static gint64
input_number (const char *name, guint n_inputs)
{
  char  *end;
  gint64 number;

  if (n_inputs == 1)
    return strcmp (name, "data") == 0 ? 0 : -1;
  if (!g_str_has_prefix (name, "data") || !g_ascii_isdigit (name[4]))
    return -1;
  number = g_ascii_strtoll (name + 4, &end, 10);
  return *end == '\0' && number < n_inputs ? number : -1;
}

gboolean
hyb_block_infer_parameters_typed (HybBlock      *block,
                                  HybGraph      *graph,
                                  guint          n_inputs,
                                  const HybType *inputs,
                                  GError       **error)
{
  g_autoptr (GPtrArray) parameters = hyb_block_collect_parameters (block);
  g_autofree HybType *types = g_new (HybType, MAX (hyb_graph_n_values (graph), 1));
  const HybNodeId    *variables;
  guint               n;

  for (guint i = 0; i < hyb_graph_n_values (graph); i++)
    types[i] = HYB_TYPE_UNKNOWN;

  variables = hyb_graph_get_variables (graph, &n);
  for (guint i = 0; i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (graph, variables[i]);
      HybParameter  *parameter = hyb_parameters_find (parameters, node->name);
      gint64         input = input_number (node->name, n_inputs);

      if (parameter)
        types[node->first_output] = (HybType){ parameter->shape, parameter->dtype };
      else if (input >= 0)
        types[node->first_output] = inputs[input];
    }
  if (!hyb_infer_types (graph, types, NULL, FALSE, error))
    return FALSE;

  for (guint i = 0; i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (graph, variables[i]);
      HybParameter  *parameter = hyb_parameters_find (parameters, node->name);

      if (parameter &&
          !hyb_parameter_set_shape (parameter, &types[node->first_output].shape, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
hyb_block_infer_parameters (HybBlock *block, HybGraph *graph, GPtrArray *inputs, GError **error)
{
  g_autofree HybType *types = g_new (HybType, MAX (inputs->len, 1));

  for (guint i = 0; i < inputs->len; i++)
    types[i] = *hyb_value_get_type (g_ptr_array_index (inputs, i));
  return hyb_block_infer_parameters_typed (block, graph, inputs->len, types, error);
}

/* Operators, attributes and edges as text, without names of nodes: those contain counters that
 * differ from trace to trace.  (transfer full) */
static char *
fingerprint (HybGraph *graph)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    {
      const HybNode *node = hyb_graph_get_node (graph, id);

      g_string_append (text, node->type);
      for (guint i = 0; node->attributes && node->attributes[i]; i++)
        if (!hyb_node_is_variable (node))
          g_string_append_printf (text, " %s", node->attributes[i]);
      for (guint i = 0; i < node->n_inputs; i++)
        g_string_append_printf (text, " %u", hyb_graph_get_inputs (graph, id)[i]);
      g_string_append_c (text, '\n');
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Fails if an earlier trace of the same structure gave another graph: then the forward function
 * depends on something that changes. */
static gboolean
check_fingerprint (HybBlock *block, const CachedGraph *cached, GError **error)
{
  g_autofree char *now = fingerprint (cached->graph);
  const char      *before = g_hash_table_lookup (block->priv->fingerprints, cached->structure);

  if (before && strcmp (before, now) != 0)
    return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_STRUCTURE, NULL,
                         "A forward that is traced may depend on nothing but its inputs and what "
                         "the block was made with; make another block for another computation",
                         "a second trace of its forward differs from the first");
  if (!before)
    g_hash_table_insert (block->priv->fingerprints, g_strdup (cached->structure),
                         g_steal_pointer (&now));
  return TRUE;
}

static CachedGraph *
find_or_trace (HybF *F, HybBlock *block, HybValue *input, GPtrArray *arrays)
{
  g_autofree char *structure = hyb_value_structure (input);
  CachedGraph     *cached;
  GError          *error = NULL;

  for (guint i = 0; i < block->priv->cached->len; i++)
    {
      cached = g_ptr_array_index (block->priv->cached, i);
      if (strcmp (cached->structure, structure) == 0)
        return cached;
    }

  cached = g_new0 (CachedGraph, 1);
  cached->structure = g_steal_pointer (&structure);
  cached->trace = hyb_f_new_trace (hyb_f_is_training (F));
  cached->result = trace_forward (cached->trace, block, arrays->len, cached->structure);
  cached->graph = hyb_f_finish (cached->trace, cached->result, &error);
  if (cached->graph && check_fingerprint (block, cached, &error) &&
      hyb_block_infer_parameters (block, cached->graph, arrays, &error))
    {
      g_ptr_array_add (block->priv->cached, cached);
      return cached;
    }
  hyb_f_fail (F, "%s", error->message);
  g_error_free (error);
  hyb_cached_graph_free (cached);
  return NULL;
}

static HybExecutor *
executor_for (HybF *F, HybBlock *block, CachedGraph *cached)
{
  gboolean           training = hyb_f_is_training (F);
  HybExecutorOptions options = { .mode = block->priv->how.static_alloc ? HYB_MODE_STATIC
                                                                       : HYB_MODE_HYBRID,
                                 .training = training };

  if (!cached->executor[training])
    cached->executor[training] = hyb_executor_new (cached->graph, &options);
  return cached->executor[training];
}

static gboolean
bind_variables (HybExecutor *executor,
                CachedGraph *cached,
                HybBlock    *block,
                GPtrArray   *arrays,
                GError     **error)
{
  g_autoptr (GPtrArray) parameters = hyb_block_collect_parameters (block);
  const HybNodeId *variables;
  guint            n;

  variables = hyb_graph_get_variables (cached->graph, &n);
  for (guint i = 0; i < n; i++)
    {
      const char   *name = hyb_graph_get_node (cached->graph, variables[i])->name;
      HybParameter *parameter = hyb_parameters_find (parameters, name);
      gint64        input = input_number (name, arrays->len);
      HybTensor    *tensor = NULL;

      if (parameter)
        tensor = hyb_parameter_get_data (parameter, error);
      else if (input >= 0)
        tensor = hyb_value_get_tensor (g_ptr_array_index (arrays, input));
      if (!tensor)
        return FALSE;
      if (hyb_executor_get_bound (executor, name) != tensor &&
          !hyb_executor_bind (executor, name, tensor, error))
        return FALSE;
    }
  return TRUE;
}

/* Gives the parameters the auxiliary states that the run has written. */
static void
store_auxiliary_states (HybExecutor *executor, CachedGraph *cached, HybBlock *block)
{
  g_autoptr (GPtrArray) parameters = hyb_block_collect_parameters (block);
  const HybNodeId *auxiliary;
  guint            n;

  auxiliary = hyb_graph_get_auxiliary (cached->graph, &n);
  for (guint i = 0; i < n; i++)
    {
      const char   *name = hyb_graph_get_node (cached->graph, auxiliary[i])->name;
      HybParameter *parameter = hyb_parameters_find (parameters, name);
      HybTensor    *state = hyb_executor_get_bound (executor, name);

      if (parameter && state && state != parameter->data)
        hyb_parameter_set_data (parameter, state, NULL);
    }
}

static HybValue *
collect_outputs (HybF *F, HybExecutor *executor, CachedGraph *cached, gboolean copy)
{
  guint                 n = hyb_executor_n_outputs (executor);
  g_autofree HybValue **values = g_new (HybValue *, MAX (n, 1));

  for (guint i = 0; i < n; i++)
    {
      HybTensor *output = hyb_executor_get_output (executor, i);

      /* The next run overwrites the memory, but values must live as long as F. */
      if (copy)
        {
          g_autoptr (HybTensor) kept = hyb_tensor_copy (output);

          values[i] = hyb_value_from_tensor (F, kept);
        }
      else
        values[i] = hyb_value_from_tensor (F, output);
    }
  return hyb_restructure (F, cached->result, values);
}

static HybValue *
call_locked (HybF *F, HybBlock *block, HybValue *input)
{
  g_autoptr (GPtrArray) arrays = g_ptr_array_new ();
  CachedGraph *cached;
  HybExecutor *executor;
  GError      *error = NULL;

  hyb_flatten_into (input, arrays);
  cached = find_or_trace (F, block, input, arrays);
  if (!cached)
    return hyb_list (F, 0, NULL);

  executor = executor_for (F, block, cached);
  if (!bind_variables (executor, cached, block, arrays, &error) ||
      !hyb_executor_run (executor, NULL, &error))
    {
      hyb_f_fail (F, "%s", error->message);
      g_error_free (error);
      return hyb_list (F, 0, NULL);
    }
  store_auxiliary_states (executor, cached, block);
  return collect_outputs (F, executor, cached, block->priv->how.static_alloc);
}

/* One thread at a time: the executor of the block has the memory of one run. */
HybValue *
hyb_block_call_cached (HybF *F, HybBlock *block, HybValue *input)
{
  HybValue *result;

  g_rec_mutex_lock (&block->priv->lock);
  result = call_locked (F, block, input);
  g_rec_mutex_unlock (&block->priv->lock);
  return result;
}
