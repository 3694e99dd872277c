/* trainer.c — training steps on a model.
 *
 * hyb_trainer_new() collects the parameters and builds the training graph and its executor;
 * hyb_trainer_step() binds a batch, runs the graph, clips, and updates each parameter.  With a GPU the graph
 * contains the updates (trainer-device.c).
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/train/trainer.h"

#include "engine/base/error.h"
#include "engine/base/parallel.h"
#include "engine/base/random.h"
#include "engine/base/remedy.h"
#include "engine/block/layers.h"
#include "engine/device/gpu.h"
#include "engine/train/trainer-private.h"

#include <math.h>
#include <string.h>

/* --- Creation --- */

static gboolean
is_listed (const char *const *names, const char *name)
{
  return names && g_strv_contains (names, name);
}

/* A multiplier that the node has as an attribute, else 1. */
static double
multiplier (const HybNode *node, const char *key)
{
  const char *text = hyb_node_get_attribute (node, key);

  return text ? g_ascii_strtod (text, NULL) : 1;
}

/* Collects all variables for which the model has an array of floats, except data and carried
 * states. */
static gboolean
collect_parameters (HybTrainer *trainer, const HybTrainerOptions *options, GError **error)
{
  HybGraph        *graph = hyb_model_get_graph (trainer->model);
  const HybNodeId *arguments;
  guint            n;

  arguments = hyb_graph_get_arguments (graph, &n);
  for (guint i = 0; i < n; i++)
    {
      const HybNode   *node = hyb_graph_get_node (graph, arguments[i]);
      HybTensor       *tensor = hyb_model_get_parameter (trainer->model, node->name);
      TrainedParameter parameter = { .lr_mult = multiplier (node, "__lr_mult__"),
                                     .wd_mult = multiplier (node, "__wd_mult__") };
      gboolean         is_carried = FALSE;

      for (guint k = 0; k < options->n_carry; k++)
        is_carried |= strcmp (options->carry[k].input, node->name) == 0;
      if (!tensor || is_carried || is_listed (options->data, node->name) ||
          !hyb_dtype_is_float (hyb_tensor_get_dtype (tensor)))
        continue;

      /* A copy, because mapped files and the caller's arrays must not be written to. */
      parameter.weight = hyb_tensor_copy (tensor);
      if (!hyb_trainer_check_array (parameter.weight, node->name, error))
        return FALSE;
      parameter.name = g_strdup (node->name);
      hyb_model_set_parameter (trainer->model, node->name, parameter.weight);
      g_array_append_val (trainer->parameters, parameter);
    }
  return TRUE;
}

static gboolean
make_states (HybTrainer *trainer, GError **error)
{
  for (guint i = 0; i < trainer->parameters->len; i++)
    {
      TrainedParameter *parameter = &g_array_index (trainer->parameters, TrainedParameter, i);
      HybType           type = { *hyb_tensor_get_shape (parameter->weight), HYB_F32 };

      for (guint k = 0; k < hyb_optimizer_n_states (trainer->optimizer); k++)
        {
          parameter->state[k] = hyb_tensor_new_zeros (&type, error);
          if (!parameter->state[k])
            return FALSE;
        }
    }
  return TRUE;
}

static gboolean
collect_carried (HybTrainer *trainer, const HybTrainerOptions *options, GError **error)
{
  HybGraph *graph = hyb_model_get_graph (trainer->model);

  hyb_graph_get_heads (graph, &trainer->n_model_heads);
  for (guint i = 0; i < options->n_carry; i++)
    {
      CarriedState carried = { .input = g_strdup (options->carry[i].input),
                               .output = options->carry[i].output };

      g_array_append_val (trainer->carried, carried);
      if (hyb_graph_find_variable (graph, carried.input) == HYB_NO_ID)
        return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MISSING, NULL, NULL,
                             "the model has no input “%s” to carry a state to", carried.input);
      if (carried.output >= trainer->n_model_heads)
        return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MISSING, NULL, NULL,
                             "output %u cannot be carried: the model has %u output%s, counted from "
                             "0",
                             carried.output, trainer->n_model_heads,
                             trainer->n_model_heads == 1 ? "" : "s");
    }
  return TRUE;
}

/* Adds the updates, which a GPU computes in the same run. */
static gboolean
extend_graph (HybTrainer *trainer, GError **error)
{
  g_autoptr (HybGraph) plain = trainer->graph;

  trainer->graph = hyb_trainer_add_updates (trainer, plain, error);
  trainer->first_output = 2;
  return trainer->graph != NULL;
}

static gboolean
make_executor (HybTrainer *trainer, const HybTrainerOptions *options, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  HybExecutorOptions executor_options = { .mode = options->mode ? *options->mode : HYB_MODE_STATIC,
                                          .dump_after = options->dump_after,
                                          .training = TRUE,
                                          .without = options->without,
                                          .gpu = options->gpu };
  const HybNodeId   *variables;
  guint              n;

  for (guint i = 0; i < trainer->parameters->len; i++)
    g_ptr_array_add (names, g_array_index (trainer->parameters, TrainedParameter, i).name);
  g_ptr_array_add (names, NULL);
  trainer->graph = hyb_trainer_graph (hyb_model_get_graph (trainer->model), options->loss,
                                      (const char *const *) names->pdata, error);
  if (!trainer->graph)
    return FALSE;

  trainer->first_output = 1 + trainer->parameters->len;
  if (trainer->gpu && !extend_graph (trainer, error))
    return FALSE;
  trainer->is_static = executor_options.mode == HYB_MODE_STATIC;
  trainer->executor = hyb_executor_new (trainer->graph, &executor_options);
  variables = hyb_graph_get_variables (trainer->graph, &n);
  for (guint i = 0; i < n; i++)
    {
      const char *name = hyb_graph_get_node (trainer->graph, variables[i])->name;
      HybTensor  *tensor = hyb_model_get_parameter (trainer->model, name);

      if (g_str_has_suffix (name, "_head_gradient") &&
          hyb_graph_find_variable (hyb_model_get_graph (trainer->model), name) == HYB_NO_ID)
        trainer->head_gradient = name;
      if (tensor && !hyb_executor_bind (trainer->executor, name, tensor, error))
        return FALSE;
    }
  return !trainer->gpu || hyb_trainer_device_bind (trainer, error);
}

/* Finds the input for the labels of the model's own loss operator. */
static void
find_label (HybTrainer *trainer)
{
  HybGraph         *graph = hyb_model_get_graph (trainer->model);
  guint             n_heads;
  const HybValueId *heads = hyb_graph_get_heads (graph, &n_heads);
  HybNodeId         loss = hyb_graph_get_producer (graph, heads[0]);
  const HybNode    *node = hyb_graph_get_node (graph, loss);

  if (node->op->category != HYB_CATEGORY_LOSS || node->n_inputs < 2)
    return;
  node = hyb_graph_get_node (graph,
                             hyb_graph_get_producer (graph, hyb_graph_get_inputs (graph, loss)[1]));
  if (hyb_node_is_variable (node))
    trainer->label = g_strdup (node->name);
}

static gboolean
loss_is_known (const char *loss, GError **error)
{
  g_autofree char *kinds = hyb_loss_list ();

  if (g_strcmp0 (loss, "none") == 0 || (loss && hyb_loss_exists (loss)))
    return TRUE;
  return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, NULL, NULL,
                       "there is no loss “%s”; there are %s, and “none” for models that end in a "
                       "loss",
                       loss ? loss : "", kinds);
}

HybTrainer *
hyb_trainer_new (HybModel *model, const HybTrainerOptions *given, GError **error)
{
  g_return_val_if_fail (model, NULL);

  const HybTrainerOptions *options = given ? given : &(const HybTrainerOptions){ 0 };
  g_autoptr (HybTrainer) trainer = g_new0 (HybTrainer, 1);

  trainer->model = hyb_model_ref (model);
  trainer->parameters = g_array_new (FALSE, FALSE, sizeof (TrainedParameter));
  trainer->carried = g_array_new (FALSE, FALSE, sizeof (CarriedState));
  trainer->clip_global_norm = options->clip_global_norm;
  trainer->seed = options->seed;
  trainer->gpu = options->gpu ? hyb_gpu_ref (options->gpu) : NULL;
  trainer->loss = g_strdup (options->loss);
  trainer->has_own_loss = g_strcmp0 (options->loss, "none") == 0;
  if (!loss_is_known (options->loss, error))
    return NULL;
  if (!hyb_model_get_graph (model))
    {
      hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MISSING, hyb_model_get_file (model),
                    NULL, "the model has no graph");
      return NULL;
    }
  trainer->optimizer = hyb_optimizer_new (options->optimizer, options->settings, error);
  if (!trainer->optimizer || !collect_carried (trainer, options, error))
    return NULL;

  find_label (trainer);
  if (!collect_parameters (trainer, options, error))
    return NULL;
  if (trainer->parameters->len == 0)
    {
      hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MISSING, NULL, NULL,
                    "the model has no parameters to train");
      hyb_error_add_remedy (error, HYB_REMEDY_VALUES, NULL);
      return NULL;
    }
  if (!make_states (trainer, error) || !make_executor (trainer, options, error))
    return NULL;
  return g_steal_pointer (&trainer);
}

void
hyb_trainer_free (HybTrainer *trainer)
{
  g_return_if_fail (trainer);
  for (guint i = 0; i < trainer->parameters->len; i++)
    {
      TrainedParameter *parameter = &g_array_index (trainer->parameters, TrainedParameter, i);

      g_free (parameter->name);
      hyb_tensor_unref (parameter->weight);
      for (guint k = 0; k < HYB_MAX_OPTIMIZER_STATES; k++)
        hyb_tensor_unref (parameter->state[k]);
    }
  for (guint i = 0; i < trainer->carried->len; i++)
    {
      CarriedState *carried = &g_array_index (trainer->carried, CarriedState, i);

      g_free (carried->input);
      hyb_tensor_unref (carried->state);
      hyb_tensor_unref (carried->evaluated);
    }
  g_array_unref (trainer->parameters);
  g_array_unref (trainer->carried);
  g_free (trainer->label);
  g_free (trainer->loss);
  g_clear_pointer (&trainer->evaluator, hyb_executor_free);
  g_clear_pointer (&trainer->executor, hyb_executor_free);
  g_clear_pointer (&trainer->optimizer, hyb_optimizer_free);
  hyb_graph_unref (trainer->graph);
  hyb_model_unref (trainer->model);
  g_clear_pointer (&trainer->shared, g_ptr_array_unref);
  hyb_block_unref (trainer->block);
  hyb_tensor_unref (trainer->numbers);
  g_clear_pointer (&trainer->gpu, hyb_gpu_unref);
  g_free (trainer);
}

/* --- Steps --- */

static HybTensor *
gradient_of (HybTrainer *trainer, guint parameter)
{
  return hyb_executor_get_output (trainer->executor, 1 + parameter);
}

/* Elements whose squares one thread adds at a time.  Sums of such pieces are added in their order. */
#define PIECE 65536

typedef struct
{
  const float *x;
  gint64       n;
  double      *sums; /* of each piece */
} Squares;

/* Eight sums run in parallel, because one alone would wait for the latency of each addition. */
static double
sum_piece (const float *x, gint64 n)
{
  double lane[8] = { 0 };
  gint64 whole = n - n % 8;

  for (gint64 i = 0; i < whole; i += 8)
    for (guint k = 0; k < 8; k++)
      lane[k] += (double) x[i + k] * x[i + k];
  for (gint64 i = whole; i < n; i++)
    lane[i - whole] += (double) x[i] * x[i];
  return ((lane[0] + lane[4]) + (lane[1] + lane[5])) + ((lane[2] + lane[6]) + (lane[3] + lane[7]));
}

static void
sum_pieces (gint64 begin, gint64 end, gpointer data)
{
  const Squares *squares = data;

  for (gint64 i = begin; i < end; i++)
    squares->sums[i] = sum_piece (squares->x + i * PIECE, MIN (squares->n - i * PIECE, PIECE));
}

static double
sum_of_squares (const float *x, gint64 n)
{
  gint64             n_pieces = (n + PIECE - 1) / PIECE;
  g_autofree double *sums = g_new (double, n_pieces);
  double             sum = 0;

  hyb_parallel_for (n_pieces, 1, sum_pieces, &(Squares){ x, n, sums });
  for (gint64 i = 0; i < n_pieces; i++)
    sum += sums[i];
  return sum;
}

/* Computes the norm of all gradients together. */
static gboolean
compute_norm (HybTrainer *trainer, double *norm, GError **error)
{
  double squares = 0;

  for (guint i = 0; i < trainer->parameters->len; i++)
    {
      g_autoptr (HybTensor) gradient = hyb_tensor_convert (gradient_of (trainer, i), HYB_F32);

      if (!hyb_trainer_check_array (gradient,
                                    g_array_index (trainer->parameters, TrainedParameter, i).name,
                                    error))
        return FALSE;
      squares += sum_of_squares (hyb_tensor_get_data (gradient), hyb_tensor_get_size (gradient));
    }
  *norm = sqrt (squares);
  return TRUE;
}

/* Updates one parameter, whose gradient is multiplied by scale; other types than float32 are
 * converted back and forth. */
static gboolean
update_parameter (HybTrainer *trainer, guint index, double scale, GError **error)
{
  TrainedParameter *parameter = &g_array_index (trainer->parameters, TrainedParameter, index);
  g_autoptr (HybTensor) gradient = hyb_tensor_convert (gradient_of (trainer, index), HYB_F32);
  g_autoptr (HybTensor) scaled = NULL;
  g_autoptr (HybTensor) weight = hyb_tensor_convert (parameter->weight, HYB_F32);
  HybUpdate update = { .t = trainer->n_steps + 1 };

  if (!hyb_trainer_check_array (gradient, parameter->name, error) ||
      !hyb_trainer_check_array (weight, parameter->name, error))
    return FALSE;
  update.n = hyb_tensor_get_size (weight);
  update.weight = hyb_tensor_get_data (weight);
  if (scale != 1)
    {
      float *values;

      scaled = hyb_tensor_copy (gradient);
      if (!hyb_trainer_check_array (scaled, parameter->name, error))
        return FALSE;
      values = hyb_tensor_get_data (scaled);
      for (gint64 i = 0; i < update.n; i++)
        values[i] = (float) (values[i] * scale);
    }
  update.gradient = hyb_tensor_get_data (scaled ? scaled : gradient);
  for (guint k = 0; k < HYB_MAX_OPTIMIZER_STATES && parameter->state[k]; k++)
    update.state[k] = hyb_tensor_get_data (parameter->state[k]);
  hyb_optimizer_apply (trainer->optimizer, &update, parameter->lr_mult, parameter->wd_mult);
  if (weight != parameter->weight)
    hyb_dtype_convert (hyb_tensor_get_data (parameter->weight),
                       hyb_tensor_get_dtype (parameter->weight), update.weight, HYB_F32,
                       (gsize) update.n);
  return TRUE;
}

/* Gives the auxiliary states that the step has computed to the model and the block. */
static void
store_auxiliary (HybTrainer *trainer)
{
  const HybNodeId *auxiliary;
  guint            n;

  auxiliary = hyb_graph_get_auxiliary (trainer->graph, &n);
  for (guint i = 0; i < n; i++)
    {
      const char *name = hyb_graph_get_node (trainer->graph, auxiliary[i])->name;
      HybTensor  *now = hyb_executor_get_bound (trainer->executor, name);

      if (now && now != hyb_model_get_parameter (trainer->model, name))
        {
          hyb_model_set_parameter (trainer->model, name, now);
          hyb_trainer_share_parameters (trainer, name);
        }
    }
}

gboolean
hyb_trainer_begin_step (HybTrainer   *trainer,
                        GHashTable   *batch,
                        GCancellable *cancellable,
                        GError      **error)
{
  g_return_val_if_fail (trainer, FALSE);
  if (!hyb_trainer_bind_batch (trainer, trainer->executor, batch, error) ||
      !hyb_trainer_bind_carried (trainer, trainer->executor, HYB_CARRY_TRAINING, error) ||
      !hyb_trainer_bind_head_gradient (trainer, error))
    return FALSE;
  hyb_executor_set_seed (trainer->executor, hyb_random_mix (trainer->seed, trainer->n_steps));
  if (trainer->gpu)
    return hyb_trainer_device_run (trainer, cancellable, error);
  return hyb_executor_run (trainer->executor, cancellable, error);
}

/* Updates the parameters and states after a run on the processor.  If memory is short, the parameters
 * before the one that the error names have been updated. */
static gboolean
update_all (HybTrainer *trainer, HybTrainStep *result, GError **error)
{
  double scale = 1;

  result->loss = hyb_trainer_compute_loss (trainer, trainer->executor, trainer->first_output);
  if (!compute_norm (trainer, &result->gradient_norm, error))
    return FALSE;
  if (trainer->clip_global_norm > 0)
    scale = MIN (1, trainer->clip_global_norm / (result->gradient_norm + 1e-8));

  for (guint i = 0; i < trainer->parameters->len; i++)
    if (!update_parameter (trainer, i, scale, error))
      return FALSE;
  if (!hyb_trainer_store_carried (trainer, trainer->executor, trainer->first_output,
                                  HYB_CARRY_TRAINING, error))
    return FALSE;
  store_auxiliary (trainer);
  return TRUE;
}

gboolean
hyb_trainer_end_step (HybTrainer *trainer, HybTrainStep *result, GError **error)
{
  g_return_val_if_fail (trainer, FALSE);
  if (!(trainer->gpu ? hyb_trainer_device_read_step (trainer, result, error)
                     : update_all (trainer, result, error)))
    return FALSE;
  trainer->n_steps++;
  return TRUE;
}

gboolean
hyb_trainer_step (HybTrainer   *trainer,
                  GHashTable   *batch,
                  HybTrainStep *result,
                  GCancellable *cancellable,
                  GError      **error)
{
  g_return_val_if_fail (trainer, FALSE);
  return hyb_trainer_begin_step (trainer, batch, cancellable, error) &&
         hyb_trainer_end_step (trainer, result, error);
}

/* --- Accessors --- */

guint64
hyb_trainer_n_steps (HybTrainer *trainer)
{
  g_return_val_if_fail (trainer, 0);
  return trainer->n_steps;
}

HybOptimizer *
hyb_trainer_get_optimizer (HybTrainer *trainer)
{
  g_return_val_if_fail (trainer, NULL);
  return trainer->optimizer;
}

HybExecutor *
hyb_trainer_get_executor (HybTrainer *trainer)
{
  g_return_val_if_fail (trainer, NULL);
  return trainer->executor;
}

HybTensor *
hyb_trainer_get_output (HybTrainer *trainer, guint index)
{
  g_return_val_if_fail (trainer, NULL);
  return hyb_executor_get_output (trainer->executor, trainer->first_output + index);
}

void
hyb_trainer_set_multipliers (HybTrainer *trainer, const char *name, double lr, double wd)
{
  g_return_if_fail (trainer);
  for (guint i = 0; i < trainer->parameters->len; i++)
    {
      TrainedParameter *parameter = &g_array_index (trainer->parameters, TrainedParameter, i);

      if (strcmp (parameter->name, name) == 0)
        {
          parameter->lr_mult = lr;
          parameter->wd_mult = wd;
        }
    }
}

void
hyb_trainer_reset_carry (HybTrainer *trainer)
{
  g_return_if_fail (trainer);
  for (guint i = 0; i < trainer->carried->len; i++)
    g_clear_pointer (&g_array_index (trainer->carried, CarriedState, i).state, hyb_tensor_unref);
}
