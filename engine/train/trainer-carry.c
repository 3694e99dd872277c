/* trainer-carry.c — the inputs and the loss of one run: the batch, and the states carried from
 * the run before.
 *
 * Training and evaluation use the same functions with different executors and states.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/analysis/infer-types.h"
#include "engine/base/error.h"
#include "engine/exec/executor-keep.h"
#include "engine/train/trainer-private.h"

#include <math.h>
#include <string.h>

/* The variable for an array of a batch. */
static const char *
find_variable (const HybTrainer *trainer, const char *name)
{
  return trainer->has_own_loss && trainer->label && strcmp (name, "label") == 0 ? trainer->label
                                                                                : name;
}

void
hyb_trainer_send_ahead (HybTrainer *trainer, GHashTable *batch)
{
  g_autoptr (GHashTable) tensors = g_hash_table_new (g_str_hash, g_str_equal);
  GHashTableIter iter;
  gpointer       name, tensor;

  g_return_if_fail (trainer);
  g_hash_table_iter_init (&iter, batch);
  while (g_hash_table_iter_next (&iter, &name, &tensor))
    g_hash_table_insert (tensors, (gpointer) find_variable (trainer, name), tensor);
  hyb_executor_send_ahead (trainer->executor, tensors);
}

gboolean
hyb_trainer_bind_batch (HybTrainer  *trainer,
                        HybExecutor *executor,
                        GHashTable  *batch,
                        GError     **error)
{
  GHashTableIter iter;
  gpointer       name, tensor;

  g_hash_table_iter_init (&iter, batch);
  while (g_hash_table_iter_next (&iter, &name, &tensor))
    {
      const char *variable = find_variable (trainer, name);

      if (hyb_graph_find_variable (trainer->graph, variable) != HYB_NO_ID &&
          !hyb_executor_bind (executor, variable, tensor, error))
        return FALSE;
    }
  return TRUE;
}

/* Infers all types, with each carried input given the shape of the output that is carried to it,
 * because an unrolled cell does not determine the shape of its first state. */
static gboolean
infer_carried (HybTrainer *trainer, HybGraph *graph, HybType *types, GError **error)
{
  guint             n_heads;
  const HybValueId *heads = hyb_graph_get_heads (graph, &n_heads);

  if (!hyb_infer_types (graph, types, NULL, TRUE, error))
    return FALSE;
  for (guint i = 0; i < trainer->carried->len; i++)
    {
      const CarriedState *carried = &g_array_index (trainer->carried, CarriedState, i);
      HybNodeId           id = hyb_graph_find_variable (graph, carried->input);
      HybType            *type = &types[hyb_graph_get_node (graph, id)->first_output];

      if (!hyb_shape_assign (&type->shape, &types[heads[carried->output]].shape, error))
        {
          g_prefix_error (error, "output %u cannot be carried to “%s”: ", carried->output,
                          carried->input);
          return FALSE;
        }
    }
  return hyb_infer_types (graph, types, NULL, TRUE, error);
}

static gboolean
is_carried (const HybTrainer *trainer, const char *name)
{
  for (guint i = 0; i < trainer->carried->len; i++)
    if (strcmp (g_array_index (trainer->carried, CarriedState, i).input, name) == 0)
      return TRUE;
  return FALSE;
}

static HybTensor **
state_of (HybTrainer *trainer, guint index, HybCarryKind kind)
{
  CarriedState *carried = &g_array_index (trainer->carried, CarriedState, index);

  return kind == HYB_CARRY_TRAINING ? &carried->state : &carried->evaluated;
}

/* The types of the variables that are bound; all others are unknown.  with_carried: also of carried states.  (transfer
 * full) */
static HybType *
list_bound_types (HybTrainer  *trainer,
                  HybExecutor *executor,
                  HybGraph    *graph,
                  gboolean     with_carried)
{
  HybType         *types = g_new (HybType, MAX (hyb_graph_n_values (graph), 1));
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < hyb_graph_n_values (graph); i++)
    types[i] = HYB_TYPE_UNKNOWN;
  for (guint i = 0; i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (graph, variables[i]);
      HybTensor     *bound = hyb_executor_get_bound (executor, node->name);

      if (bound && (with_carried || !is_carried (trainer, node->name)))
        types[node->first_output] = *hyb_tensor_get_type (bound);
    }
  return types;
}

gboolean
hyb_trainer_bind_head_gradient (HybTrainer *trainer, GError **error)
{
  HybGraph           *graph = trainer->graph;
  g_autofree HybType *types = NULL;
  g_autoptr (HybTensor) one = hyb_tensor_new_scalar (1);
  g_autoptr (HybTensor) converted = NULL;
  guint    n_heads;
  HybDType dtype;

  if (trainer->has_loss_type || !trainer->head_gradient)
    return TRUE;
  types = list_bound_types (trainer, trainer->executor, graph, TRUE);
  if (!hyb_infer_types (graph, types, NULL, TRUE, error))
    return FALSE;
  dtype = types[hyb_graph_get_heads (graph, &n_heads)[0]].dtype;
  trainer->has_loss_type = dtype != HYB_DTYPE_UNKNOWN;
  converted = hyb_tensor_convert (one, trainer->has_loss_type ? dtype : HYB_F32);
  return hyb_trainer_check_array (converted, trainer->head_gradient, error) &&
         hyb_executor_bind (trainer->executor, trainer->head_gradient, converted, error);
}

/* Creates zeros for states that do not exist yet; their shapes are inferred from the batch. */
static gboolean
create_carried (HybTrainer *trainer, HybExecutor *executor, HybCarryKind kind, GError **error)
{
  HybGraph           *graph = hyb_model_get_graph (trainer->model);
  g_autofree HybType *types = list_bound_types (trainer, executor, graph, FALSE);

  if (!infer_carried (trainer, graph, types, error))
    return FALSE;

  for (guint i = 0; i < trainer->carried->len; i++)
    {
      CarriedState  *carried = &g_array_index (trainer->carried, CarriedState, i);
      HybTensor    **state = state_of (trainer, i, kind);
      HybNodeId      id = hyb_graph_find_variable (graph, carried->input);
      const HybType *type = &types[hyb_graph_get_node (graph, id)->first_output];

      if (*state)
        continue;
      if (!hyb_type_is_known (type))
        return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_UNKNOWN, NULL,
                             "Give it in the first batch",
                             "cannot infer the shape of the carried state “%s” from the batch",
                             carried->input);
      *state = hyb_tensor_new_zeros (type, error);
      if (!*state)
        return FALSE;
    }
  return TRUE;
}

gboolean
hyb_trainer_bind_carried (HybTrainer  *trainer,
                          HybExecutor *executor,
                          HybCarryKind kind,
                          GError     **error)
{
  gboolean is_complete = TRUE;

  for (guint i = 0; i < trainer->carried->len; i++)
    is_complete = is_complete && *state_of (trainer, i, kind);
  if (!is_complete && !create_carried (trainer, executor, kind, error))
    return FALSE;
  for (guint i = 0; i < trainer->carried->len; i++)
    {
      CarriedState *carried = &g_array_index (trainer->carried, CarriedState, i);

      if (!hyb_executor_bind (executor, carried->input, *state_of (trainer, i, kind), error))
        return FALSE;
    }
  return TRUE;
}

gboolean
hyb_trainer_store_carried (HybTrainer  *trainer,
                           HybExecutor *executor,
                           guint        first_head,
                           HybCarryKind kind,
                           GError     **error)
{
  for (guint i = 0; i < trainer->carried->len; i++)
    {
      CarriedState *carried = &g_array_index (trainer->carried, CarriedState, i);
      HybTensor   **state = state_of (trainer, i, kind);
      HybTensor    *copy =
          hyb_tensor_copy (hyb_executor_get_output (executor, first_head + carried->output));

      if (!hyb_trainer_check_array (copy, carried->input, error))
        return FALSE;
      hyb_tensor_unref (*state);
      *state = copy;
    }
  return TRUE;
}

/* The loss of a model that ends in a loss operator: the mean of −log p[label] if it outputs one
 * distribution for each label, else the mean of its output. */
static double
own_loss (HybTrainer *trainer, HybExecutor *executor, HybTensor *output)
{
  HybTensor *label = trainer->label ? hyb_executor_get_bound (executor, trainer->label) : NULL;
  gint64     n = label ? hyb_tensor_get_size (label) : 0, size = hyb_tensor_get_size (output);
  double     total = 0;

  if (n > 0 && size > n && size % n == 0)
    {
      gint64 classes = size / n;

      for (gint64 i = 0; i < n; i++)
        {
          gint64 k = (gint64) hyb_tensor_get_value (label, i);

          if (k >= 0 && k < classes)
            total -= log (MAX (hyb_tensor_get_value (output, i * classes + k), 1e-38));
        }
      return total / (double) n;
    }
  for (gint64 i = 0; i < size; i++)
    total += hyb_tensor_get_value (output, i);
  return total / (double) MAX (size, 1);
}

double
hyb_trainer_compute_loss (HybTrainer *trainer, HybExecutor *executor, guint first_head)
{
  if (trainer->has_own_loss)
    return own_loss (trainer, executor, hyb_executor_get_output (executor, first_head));
  return hyb_tensor_get_value (hyb_executor_get_output (executor, 0), 0);
}
