/* executor.c — binds variables and keeps one plan for each set of input types.
 *
 * An entry serves one set of types: it holds a plan, zeros for labels that are not bound, and in
 * static mode a frame.  Binding and preparing are here; running is in executor-run.c.  Start with
 * hyb_executor_prepare().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/exec/executor.h"

#include "engine/analysis/infer-types.h"
#include "engine/base/error.h"
#include "engine/base/limits.h"
#include "engine/exec/executor-private.h"
#include "engine/graph/reach.h"
#include "engine/op/run-memory.h"
#include "engine/tensor/shape-private.h"

#include <stdlib.h>

/* Entries kept, so that sentences of alternating lengths are not planned again and again. */
#define MAX_ENTRIES 8
/* At most this many names are listed in a message. */
#define MAX_LISTED 24

static void
entry_free (HybEntry *entry, HybExecutor *executor)
{
  if (executor->unread == entry) /* outputs of the last run outlive their plan */
    {
      hyb_executor_bring (executor, 0, executor->n_outputs, NULL);
      executor->unread = NULL;
    }
  for (guint i = 0; i < executor->n_variables; i++)
    g_clear_pointer (&entry->zeros[i], hyb_tensor_unref);
  for (guint i = 0; i < executor->n_outputs; i++)
    g_clear_pointer (&entry->outputs[i], hyb_tensor_unref);
  g_clear_pointer (&entry->block, hyb_tensor_unref);
  g_clear_pointer (&entry->on_device, hyb_device_frame_free);
  g_clear_pointer (&entry->lowered, hyb_graph_unref);
  g_clear_pointer (&entry->plan, hyb_plan_unref);
  free (entry->storage);
  g_free (entry->types);
  g_free (entry->zeros);
  g_free (entry->bound);
  g_free (entry->outputs);
  g_free (entry);
}

static void
drop_entries (HybExecutor *executor)
{
  for (guint i = 0; i < executor->entries->len; i++)
    entry_free (g_ptr_array_index (executor->entries, i), executor);
  g_ptr_array_set_size (executor->entries, 0);
  executor->current = NULL;
}

/* --- Creating --- */

static gboolean
is_label (HybGraph *graph, HybNodeId variable)
{
  HybValueId        value = hyb_graph_get_node (graph, variable)->first_output;
  guint             n_users, n_heads;
  const HybNodeId  *users = hyb_graph_get_users (graph, value, &n_users);
  const HybValueId *heads = hyb_graph_get_heads (graph, &n_heads);

  for (guint i = 0; i < n_heads; i++)
    if (heads[i] == value)
      return FALSE;

  for (guint u = 0; u < n_users; u++)
    {
      const HybNode    *node = hyb_graph_get_node (graph, users[u]);
      const HybValueId *inputs = hyb_graph_get_inputs (graph, users[u]);

      if (node->op->category != HYB_CATEGORY_LOSS)
        return FALSE;
      for (guint i = 0; i < node->n_inputs; i++)
        if (inputs[i] == value && (i >= 32 || !(node->op->constant_inputs >> i & 1)))
          return FALSE;
    }
  return n_users > 0;
}

static void
find_bindings (HybExecutor *executor)
{
  HybGraph          *graph = executor->graph;
  g_autofree guint8 *needed = hyb_graph_find_needed (graph, NULL);
  g_autofree guint8 *written = hyb_graph_find_written (graph, executor->options.training);
  const HybNodeId   *variables = hyb_graph_get_variables (graph, &executor->n_variables);

  executor->bindings = g_new0 (HybBinding, MAX (executor->n_variables, 1));
  executor->inputs = g_new0 (HybTensor *, MAX (executor->n_variables, 1));
  executor->by_name = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = executor->n_variables; i-- > 0;)
    {
      HybBinding *binding = &executor->bindings[i];
      const char *name = hyb_graph_get_node (graph, variables[i])->name;
      guint       next = GPOINTER_TO_UINT (g_hash_table_lookup (executor->by_name, name));

      binding->is_needed = needed[variables[i]];
      binding->is_written = written[variables[i]];
      binding->is_label = !executor->options.training && is_label (graph, variables[i]);
      binding->next = next == 0 ? G_MAXUINT : next - 1;
      g_hash_table_insert (executor->by_name, (gpointer) name, GUINT_TO_POINTER (i + 1));
    }
}

HybExecutor *
hyb_executor_new (HybGraph *graph, const HybExecutorOptions *given)
{
  const HybExecutorOptions *options = given ? given : &(const HybExecutorOptions){ 0 };
  HybExecutor              *executor = g_new0 (HybExecutor, 1);

  g_return_val_if_fail (graph, NULL);
  executor->graph = hyb_graph_ref (graph);
  executor->options = *options;
  if (options->gpu)
    hyb_gpu_ref (options->gpu);
  executor->without = g_strdupv ((char **) options->without);
  executor->dump_after = g_strdup (options->dump_after);
  executor->options.without = (const char *const *) executor->without;
  executor->options.dump_after = executor->dump_after;
  executor->entries = g_ptr_array_new ();
  hyb_graph_get_heads (graph, &executor->n_outputs);
  executor->outputs = g_new0 (HybTensor *, MAX (executor->n_outputs, 1));
  find_bindings (executor);
  return executor;
}

void
hyb_executor_free (HybExecutor *executor)
{
  if (!executor)
    return;

  executor->unread = NULL;
  drop_entries (executor);
  g_ptr_array_unref (executor->entries);
  for (guint i = 0; i < executor->n_outputs; i++)
    g_clear_pointer (&executor->outputs[i], hyb_tensor_unref);
  for (guint i = 0; i < executor->n_variables; i++)
    g_clear_pointer (&executor->bindings[i].tensor, hyb_tensor_unref);
  g_clear_pointer (&executor->block, hyb_tensor_unref);
  g_clear_pointer (&executor->on_device, hyb_device_values_free);
  g_clear_pointer (&executor->options.gpu, hyb_gpu_unref);
  g_hash_table_unref (executor->by_name);
  g_free (executor->bindings);
  g_free (executor->inputs);
  g_free (executor->outputs);
  g_strfreev (executor->without);
  g_free (executor->dump_after);
  hyb_graph_unref (executor->graph);
  g_free (executor);
}

/* --- Bindings --- */

static HybBinding *
find_binding (HybExecutor *executor, const char *name)
{
  guint index = GPOINTER_TO_UINT (g_hash_table_lookup (executor->by_name, name));

  return index == 0 ? NULL : &executor->bindings[index - 1];
}

static HybBinding *
next_binding (HybExecutor *executor, const HybBinding *binding)
{
  return binding->next == G_MAXUINT ? NULL : &executor->bindings[binding->next];
}

static gboolean
same_type (const HybType *a, const HybType *b)
{
  return a->dtype == b->dtype && hyb_shape_is_same (&a->shape, &b->shape);
}

static gboolean
is_folded (const HybExecutor *executor, const HybBinding *binding)
{
  return executor->options.fold_parameters && !executor->options.training && binding->is_constant &&
         !binding->is_written;
}

/* TRUE if the next run would overwrite the tensor. */
static gboolean
lies_in_block (const HybExecutor *executor, const HybTensor *tensor)
{
  const char *data = hyb_tensor_get_data (tensor);
  const char *block = executor->block ? hyb_tensor_get_data (executor->block) : NULL;

  return block && data >= block && data < block + hyb_tensor_get_bytes (executor->block);
}

gboolean
hyb_executor_bind (HybExecutor *executor, const char *name, HybTensor *tensor, GError **error)
{
  g_return_val_if_fail (executor && name && tensor, FALSE);

  HybBinding *binding = find_binding (executor, name);
  g_autoptr (HybTensor) own = NULL;

  if (!binding)
    return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MISSING, NULL, NULL,
                         "the model has no variable called “%s”", name);

  /* The block is overwritten by the next run, so a tensor inside of it is copied. */
  own = lies_in_block (executor, tensor) ? hyb_tensor_copy (tensor) : hyb_tensor_ref (tensor);
  if (!own)
    return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MEMORY, NULL, NULL,
                         "not enough memory for a copy of “%s”", name);

  for (; binding != NULL; binding = next_binding (executor, binding))
    {
      if (binding->tensor == own)
        continue;
      /* Another type needs another plan, and a value that was folded in makes all plans wrong. */
      if (!binding->tensor ||
          !same_type (hyb_tensor_get_type (binding->tensor), hyb_tensor_get_type (own)))
        executor->current = NULL;
      if (binding->tensor && (is_folded (executor, binding) || binding->decides))
        drop_entries (executor);
      g_clear_pointer (&binding->tensor, hyb_tensor_unref);
      binding->tensor = hyb_tensor_ref (own);
      binding->is_copy = FALSE;
    }
  return TRUE;
}

HybTensor *
hyb_executor_get_bound (HybExecutor *executor, const char *name)
{
  g_return_val_if_fail (executor && name, NULL);

  HybBinding *binding = find_binding (executor, name);

  return binding ? binding->tensor : NULL;
}

void
hyb_executor_set_constant (HybExecutor *executor, const char *name, gboolean constant)
{
  g_return_if_fail (executor && name);
  for (HybBinding *binding = find_binding (executor, name); binding != NULL;
       binding = next_binding (executor, binding))
    if (binding->is_constant != constant)
      {
        binding->is_constant = constant;
        drop_entries (executor);
      }
}

void
hyb_executor_set_probe (HybExecutor *executor, const HybProbe *probe)
{
  g_return_if_fail (executor);
  executor->probe = probe;
}

void
hyb_executor_set_seed (HybExecutor *executor, guint64 seed)
{
  g_return_if_fail (executor);
  executor->options.seed = seed;
  executor->n_seeded = 0;
}

/* --- Preparing --- */

static const char *
variable_name (const HybExecutor *executor, guint index)
{
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (executor->graph, &n);

  return hyb_graph_get_node (executor->graph, variables[index])->name;
}

static gboolean
check_missing (const HybExecutor *executor, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);
  guint n_missing = 0;

  for (guint i = 0; i < executor->n_variables; i++)
    {
      const HybBinding *binding = &executor->bindings[i];

      if (binding->tensor || !binding->is_needed || binding->is_label)
        continue;
      if (n_missing++ < MAX_LISTED)
        g_string_append_printf (names, "%s“%s”", names->len > 0 ? ", " : "",
                                variable_name (executor, i));
    }
  if (n_missing == 0)
    return TRUE;
  if (n_missing > MAX_LISTED)
    g_string_append_printf (names, " and %u more", n_missing - MAX_LISTED);
  return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MISSING, NULL, NULL,
                       "%u variable%s without a value: %s", n_missing, n_missing == 1 ? "" : "s",
                       names->str);
}

static gboolean
fits (const HybExecutor *executor, const HybEntry *entry)
{
  static const HybType unknown = { .shape.rank = HYB_UNKNOWN, .dtype = HYB_DTYPE_UNKNOWN };

  for (guint i = 0; i < executor->n_variables; i++)
    {
      HybTensor *tensor = executor->bindings[i].tensor;

      if (!same_type (&entry->types[i], tensor ? hyb_tensor_get_type (tensor) : &unknown))
        return FALSE;
    }
  return TRUE;
}

static gboolean
lacks_labels (const HybExecutor *executor)
{
  for (guint i = 0; i < executor->n_variables; i++)
    if (!executor->bindings[i].tensor && executor->bindings[i].is_needed)
      return TRUE;
  return FALSE;
}

/* Zeros of the size that the losses need. */
static gboolean
make_labels (HybExecutor *executor, HybEntry *entry, GError **error)
{
  g_autofree HybType *types = NULL;
  guint               n, n_values = hyb_graph_n_values (executor->graph);
  const HybNodeId    *variables = hyb_graph_get_variables (executor->graph, &n);

  if (!lacks_labels (executor))
    return TRUE;

  /* Only the inputs have values here, so the shapes of the labels follow from inference. */
  types = g_new (HybType, MAX (n_values, 1));
  for (guint i = 0; i < n_values; i++)
    types[i] = HYB_TYPE_UNKNOWN;
  for (guint i = 0; i < n; i++)
    types[hyb_graph_get_node (executor->graph, variables[i])->first_output] = entry->types[i];
  if (!hyb_infer_types (executor->graph, types, NULL, FALSE, error))
    return FALSE;

  for (guint i = 0; i < n; i++)
    {
      HybValueId value = hyb_graph_get_node (executor->graph, variables[i])->first_output;

      if (executor->bindings[i].tensor || !executor->bindings[i].is_needed)
        continue;
      if (!hyb_type_is_known (&types[value]))
        {
          g_autofree char *reason = hyb_infer_reason (executor->graph, types, value);

          return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_UNKNOWN, NULL, NULL, "%s",
                               reason);
        }
      entry->zeros[i] = hyb_tensor_new_zeros (&types[value], error);
      if (!entry->zeros[i])
        return FALSE;
    }
  return TRUE;
}

/* In hybrid mode the outputs are not part of the plan's memory. */
static gboolean
check_outputs (const HybExecutor *executor, const HybPlan *plan, GError **error)
{
  gsize        given = executor->options.memory_limit;
  HybRunMemory memory = { .limit = given > 0 ? given : (gsize) hyb_limits_get_run_memory (),
                          .used = hyb_plan_get_memory (plan) };
  HybRun       run = { .memory = &memory };

  if (executor->options.mode != HYB_MODE_HYBRID || hyb_plan_is_dynamic (plan))
    return TRUE;
  for (guint i = 0; i < executor->n_outputs; i++)
    if (!hyb_run_take_memory (&run, "output", hyb_type_bytes (hyb_plan_get_head_type (plan, i)),
                              error))
      {
        g_prefix_error (error, "output %u: ", i);
        return FALSE;
      }
  return TRUE;
}

static gboolean
try_plan (HybExecutor *executor, HybEntry *entry, gboolean with_inputs, GError **error)
{
  g_autofree HybType    *types = g_new (HybType, MAX (executor->n_variables, 1));
  g_autofree HybTensor **constants = g_new0 (HybTensor *, MAX (executor->n_variables, 1));
  g_autofree guint8     *kept = g_new0 (guint8, MAX (executor->n_variables, 1));
  HybPlanOptions         options = {
            .training = executor->options.training,
            .optimise = !executor->options.no_passes && executor->options.mode != HYB_MODE_IMPERATIVE,
            .without = executor->options.without,
            .dump_after = executor->options.dump_after,
            .bind_outputs = executor->options.mode == HYB_MODE_HYBRID && !executor->options.gpu,
            .constants = constants,
            .same_bytes = executor->options.same_bytes,
            .memory_limit = executor->options.memory_limit,
            .probe = executor->probe,
            .gpu = executor->options.gpu,
            .kept = kept
  };

  for (guint i = 0; i < executor->n_variables; i++)
    {
      const HybBinding *binding = &executor->bindings[i];

      types[i] = entry->zeros[i] ? *hyb_tensor_get_type (entry->zeros[i]) : entry->types[i];
      if (binding->tensor && is_folded (executor, binding))
        constants[i] = binding->tensor;
      kept[i] = binding->is_kept;
    }
  if (hyb_graph_get_dialect (executor->graph))
    hyb_executor_find_contents (executor, with_inputs, constants);
  entry->plan = hyb_plan_new (executor->graph, types, &options, error);
  return entry->plan != NULL;
}

static gboolean
make_plan (HybExecutor *executor, HybEntry *entry, GError **error)
{
  gboolean is_foreign = hyb_graph_get_dialect (executor->graph) != NULL;
  GError  *first = NULL;

  if (try_plan (executor, entry, FALSE, &first) &&
      !(is_foreign && hyb_plan_is_dynamic (entry->plan) &&
        hyb_executor_has_deciding_inputs (executor)))
    return check_outputs (executor, entry->plan, error);
  /* A shape may be an input. */
  if (is_foreign && hyb_executor_has_deciding_inputs (executor))
    {
      HybPlan *open = g_steal_pointer (&entry->plan);

      if (try_plan (executor, entry, TRUE, NULL))
        {
          g_clear_error (&first);
          g_clear_pointer (&open, hyb_plan_unref);
          return check_outputs (executor, entry->plan, error);
        }
      entry->plan = open;
    }
  if (!first)
    return check_outputs (executor, entry->plan, error);
  if (is_foreign && !executor->options.gpu && hyb_executor_may_run_unplanned (executor, first))
    {
      g_error_free (first);
      return TRUE;
    }
  g_propagate_error (error, first);
  return FALSE;
}

static HybEntry *
entry_new (HybExecutor *executor, GError **error)
{
  HybEntry *entry = g_new0 (HybEntry, 1);
  guint     n = MAX (executor->n_variables, 1);

  entry->types = g_new (HybType, n);
  entry->zeros = g_new0 (HybTensor *, n);
  entry->bound = g_new0 (gconstpointer, n);
  entry->outputs = g_new0 (HybTensor *, MAX (executor->n_outputs, 1));
  for (guint i = 0; i < executor->n_variables; i++)
    {
      HybTensor *tensor = executor->bindings[i].tensor;

      entry->types[i] = tensor ? *hyb_tensor_get_type (tensor) : HYB_TYPE_UNKNOWN;
    }

  if (make_labels (executor, entry, error) &&
      (executor->options.mode == HYB_MODE_IMPERATIVE && !executor->options.gpu
           ? hyb_executor_lower (executor, entry, error)
           : make_plan (executor, entry, error)))
    return entry;
  entry_free (entry, executor);
  return NULL;
}

static void
forget_oldest (HybExecutor *executor)
{
  guint oldest = 0;

  for (guint i = 1; i < executor->entries->len; i++)
    if (((HybEntry *) g_ptr_array_index (executor->entries, i))->last_used <
        ((HybEntry *) g_ptr_array_index (executor->entries, oldest))->last_used)
      oldest = i;
  entry_free (g_ptr_array_steal_index_fast (executor->entries, oldest), executor);
}

/* Copies the states that a run writes before the first run, so that the caller's tensors do not
 * change.  States kept on a GPU change only when the caller fetches them. */
static gboolean
own_states (HybExecutor *executor, GError **error)
{
  for (guint i = 0; i < executor->n_variables; i++)
    {
      HybBinding *binding = &executor->bindings[i];
      HybTensor  *copy;

      if (!binding->is_written || binding->is_copy || binding->is_kept || !binding->tensor)
        continue;
      copy = hyb_tensor_copy (binding->tensor);
      if (!copy)
        return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MEMORY, NULL, NULL,
                             "not enough memory for a copy of the state “%s”",
                             variable_name (executor, i));
      hyb_tensor_unref (binding->tensor);
      binding->tensor = copy;
      binding->is_copy = TRUE;
    }
  return TRUE;
}

gboolean
hyb_executor_prepare (HybExecutor *executor, GError **error)
{
  g_return_val_if_fail (executor, FALSE);
  if (!own_states (executor, error))
    return FALSE;
  if (executor->current)
    return TRUE;
  if (!check_missing (executor, error))
    return FALSE;

  for (guint i = 0; i < executor->entries->len && !executor->current; i++)
    if (fits (executor, g_ptr_array_index (executor->entries, i)))
      executor->current = g_ptr_array_index (executor->entries, i);

  if (!executor->current)
    {
      HybEntry *entry = entry_new (executor, error);

      if (!entry)
        return FALSE;
      if (executor->entries->len == MAX_ENTRIES)
        forget_oldest (executor);
      g_ptr_array_add (executor->entries, entry);
      executor->current = entry;
    }
  executor->current->last_used = executor->n_runs;
  return TRUE;
}

/* --- States --- */

void
hyb_executor_account (HybExecutor *executor, guint16 device, gint64 bytes)
{
  const HybProbe *probe = executor->probe;

  executor->live_bytes = (gsize) ((gint64) executor->live_bytes + bytes);
  executor->peak_bytes = MAX (executor->peak_bytes, executor->live_bytes);
  if (probe && probe->memory)
    probe->memory (probe->data, device, bytes);
}

void
hyb_executor_set_output (HybExecutor *executor, guint index, HybTensor *tensor)
{
  g_clear_pointer (&executor->outputs[index], hyb_tensor_unref);
  executor->outputs[index] = tensor;
}
