/* train-setup.c — from the options of hscope train to a trainer.
 *
 * A gallery model has a task, which provides data, loss and optimizer where options do not.
 * Start at scope_train_set_up().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/train/train.h"

#include "app/command/frame/common-options.h"
#include "app/command/frame/crash.h"
#include "app/command/frame/messages.h"
#include "app/command/frame/open-model.h"
#include "engine/analysis/infer-types.h"
#include "engine/base/error.h"
#include "engine/base/random.h"
#include "engine/block/initializer.h"
#include "engine/block/layers.h"
#include "engine/formats/format.h"
#include "engine/graph/roles.h"
#include "engine/train/settings.h"

#include <math.h>
#include <string.h>

/* --- Checkpoints --- */

/* Replaces the model's parameters by a checkpoint's. */
static void
take_parameters (HybModel *model, HybTensorList *list)
{
  for (guint i = 0; i < hyb_tensor_list_n (list); i++)
    {
      const HybNamedTensor *entry = hyb_tensor_list_get (list, i);
      const char           *colon = strchr (entry->name, ':');

      if (entry->tensor)
        hyb_model_set_parameter (model, colon ? colon + 1 : entry->name, entry->tensor);
    }
}

/* --- Carried values: outputs that become inputs of the next step --- */

static gboolean
add_carry (GArray *carry, const char *input, const char *output, GError **error)
{
  HybCarry pair = { .input = g_intern_string (input) };
  guint64  number;

  if (!g_ascii_string_to_unsigned (output, 10, 0, 1 << 20, &number, NULL))
    return scope_usage_error (error,
                              "--carry %s=%s: write it as INPUT=NUMBER, the number of an output, "
                              "from 0",
                              input, output);
  pair.output = (guint) number;
  g_array_append_val (carry, pair);
  return TRUE;
}

/* The pairs of --carry, else the pairs of the model's task.  Array of HybCarry; (transfer full). */
static GArray *
collect_carry (ScopeTraining *training, GError **error)
{
  g_autoptr (GArray) carry = g_array_new (FALSE, FALSE, sizeof (HybCarry));
  char      **given = training->options->carry;
  const char *task_carry = training->spec ? training->spec->klass->task.carry : NULL;

  for (guint i = 0; given && given[i]; i++)
    {
      g_autofree char *input = g_strndup (given[i], strcspn (given[i], "="));
      const char      *equals = strchr (given[i], '=');

      if (!add_carry (carry, input, equals ? equals + 1 : "", error))
        return NULL;
    }
  if (!given && g_strcmp0 (task_carry, "all") == 0)
    for (guint i = 1; i < training->spec->types->len; i++)
      {
        HybCarry pair = { hyb_model_spec_input_name (training->spec, i), i };

        g_array_append_val (carry, pair);
      }
  else if (!given && task_carry)
    {
      g_auto (GStrv) pairs = hyb_settings_parse (task_carry, error);

      /* A task may list more states than this model has. */
      for (guint i = 0; pairs && pairs[i]; i += 2)
        if (hyb_graph_find_variable (hyb_model_get_graph (training->model), pairs[i]) !=
                HYB_NO_ID &&
            !add_carry (carry, pairs[i], pairs[i + 1], error))
          return NULL;
      if (!pairs)
        return NULL;
    }
  return g_steal_pointer (&carry);
}

static gboolean
is_carried (const GArray *carry, const char *name)
{
  for (guint i = 0; i < carry->len; i++)
    if (strcmp (g_array_index (carry, HybCarry, i).input, name) == 0)
      return TRUE;
  return FALSE;
}

/* --- Data --- */

/* Number of classes: the last dimension of the model's first output. */
static gboolean
count_classes (ScopeTraining *training, guint *n_classes, GError **error)
{
  HybGraph           *graph = hyb_model_get_graph (training->model);
  g_autofree HybType *types = g_new (HybType, MAX (hyb_graph_n_values (graph), 1));
  const HybValueId   *heads;
  const HybShape     *shape;
  guint               n;

  for (guint i = 0; i < hyb_graph_n_values (graph); i++)
    types[i] = HYB_TYPE_UNKNOWN;
  if (!scope_fill_types (training->common, training->model, types, error) ||
      !hyb_infer_types (graph, types, NULL, TRUE, error))
    return FALSE;
  heads = hyb_graph_get_heads (graph, &n);
  shape = &types[heads[0]].shape;
  if (shape->rank > 0 && shape->dim[shape->rank - 1] > 0)
    *n_classes = (guint) MIN (shape->dim[shape->rank - 1], G_MAXUINT);
  return TRUE;
}

/* Finds the inputs that the data must provide, with their types as far as they are known. */
static gboolean
describe_feed (ScopeTraining *training,
               const GArray  *carry,
               GPtrArray     *names,
               GArray        *types,
               GError       **error)
{
  HybGraph           *graph = hyb_model_get_graph (training->model);
  g_autofree HybType *all = g_new (HybType, MAX (hyb_graph_n_values (graph), 1));
  const HybNodeId    *arguments;
  guint               n;

  for (guint i = 0; i < hyb_graph_n_values (graph); i++)
    all[i] = HYB_TYPE_UNKNOWN;
  if (!scope_fill_types (training->common, training->model, all, error))
    return FALSE;
  arguments = hyb_graph_get_arguments (graph, &n);
  for (guint i = 0; i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (graph, arguments[i]);
      gboolean       has = hyb_model_get_parameter (training->model, node->name) != NULL;

      if (has || is_carried (carry, node->name) ||
          hyb_graph_get_role (graph, arguments[i], FALSE) != HYB_ROLE_DATA)
        continue;
      g_ptr_array_add (names, (gpointer) node->name);
      g_array_append_val (types, all[node->first_output]);
    }
  return TRUE;
}

static gboolean
open_data (ScopeTraining *training, const GArray *carry, GError **error)
{
  const char *file = training->options->data;
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autoptr (GArray) types = g_array_new (FALSE, FALSE, sizeof (HybType));
  g_autofree char *bundled = NULL;
  HybFeed          feed = { .seed = (guint64) training->common->seed, .label = HYB_TYPE_UNKNOWN };

  if (!file && training->spec && training->spec->klass->task.is_text)
    file = bundled = hyb_gallery_file ("genesis.txt");
  if (!file && training->spec)
    training->data = hyb_data_new_task (training->spec, feed.seed, error);
  else if (!file)
    scope_usage_error (error, "nothing to train on: give --data BATCHES.npz, a text file or MNIST "
                              "idx files. Gallery models have data of their own");
  else if (describe_feed (training, carry, names, types, error) &&
           count_classes (training, &feed.n_classes, error))
    {
      feed.n_inputs = names->len;
      feed.names = (const char *const *) names->pdata;
      feed.types = (const HybType *) (gconstpointer) types->data;
      training->data = hyb_data_new_file (file, &feed, training->spec, error);
    }
  return training->data != NULL;
}

/* --- Parameters that no file provides --- */

static gboolean
fill_one (ScopeTraining *training, const HybNode *node, const HybType *type, GError **error)
{
  guint64 seed = hyb_random_mix ((guint64) training->common->seed, g_str_hash (node->name));
  g_autoptr (HybTensor) tensor = NULL;
  const char *init;

  if (!hyb_type_is_known (type))
    return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_UNKNOWN, NULL,
                         "Give it with --shape, or add the array to the batches or a parameter "
                         "file",
                         "the shape of “%s” cannot be inferred from the first batch", node->name);
  init = hyb_initializer_for_name (node->name, training->common->init);
  tensor = hyb_tensor_new (type, error);
  if (!tensor || !hyb_initializer_fill (tensor, node->name, init, seed, error))
    return FALSE;
  hyb_model_set_parameter (training->model, node->name, tensor);
  return TRUE;
}

/* TRUE if neither parameters, batches nor carried values provide the variable. */
static gboolean
is_missing (ScopeTraining *training, HybNodeId id, GHashTable *batch, const GArray *carry)
{
  HybGraph      *graph = hyb_model_get_graph (training->model);
  const HybNode *node = hyb_graph_get_node (graph, id);

  return !hyb_model_get_parameter (training->model, node->name) &&
         !g_hash_table_contains (batch, node->name) && !is_carried (carry, node->name) &&
         !(hyb_graph_get_role (graph, id, FALSE) == HYB_ROLE_LABEL &&
           g_hash_table_contains (batch, "label"));
}

static gboolean
fill_parameters (ScopeTraining *training, const GArray *carry, GError **error)
{
  HybGraph *graph = hyb_model_get_graph (training->model);
  g_autoptr (GHashTable) batch = hyb_data_get_batch (training->data, 0, FALSE, error);
  g_autofree HybType *types = g_new (HybType, MAX (hyb_graph_n_values (graph), 1));
  g_autoptr (GString) missing = g_string_new (NULL);
  const HybNodeId *variables;
  guint            n;

  if (!batch)
    return FALSE;
  for (guint i = 0; i < hyb_graph_n_values (graph); i++)
    types[i] = HYB_TYPE_UNKNOWN;
  variables = hyb_graph_get_variables (graph, &n);
  for (guint i = 0; i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (graph, variables[i]);
      HybTensor     *tensor = hyb_model_get_parameter (training->model, node->name);

      if (!tensor)
        tensor = g_hash_table_lookup (batch, node->name);
      if (tensor)
        types[node->first_output] = *hyb_tensor_get_type (tensor);
      else if (is_missing (training, variables[i], batch, carry))
        g_string_append_printf (missing, "%s“%s”", missing->len > 0 ? ", " : "", node->name);
    }
  if (missing->len > 0 && !training->common->init)
    return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MISSING, NULL,
                         "Give a file with --params, add arrays of these names to the batches, use "
                         "--carry for states, or fill them with --init xavier",
                         "no value for %s", missing->str);
  if (missing->len == 0)
    return TRUE;
  if (!hyb_infer_types (graph, types, NULL, TRUE, error))
    return FALSE;
  for (guint i = 0; i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (graph, variables[i]);

      if (is_missing (training, variables[i], batch, carry) &&
          !fill_one (training, node, &types[node->first_output], error))
        return FALSE;
    }
  return TRUE;
}

/* --- The trainer --- */

/* The optimizer's settings: the task's, then --set, where later ones win. */
static char **
collect_settings (ScopeTraining *training, GError **error)
{
  const HybTask *task = training->spec ? &training->spec->klass->task : NULL;
  g_autoptr (GString) text = g_string_new (NULL);

  /* The task's settings are for its own optimizer. */
  if (task && task->settings &&
      (!training->options->optimizer ||
       g_strcmp0 (training->options->optimizer, task->optimizer ? task->optimizer : "sgd") == 0))
    g_string_append (text, task->settings);
  for (guint i = 0; training->options->set && training->options->set[i]; i++)
    g_string_append_printf (text, ", %s", training->options->set[i]);
  return hyb_settings_parse (text->str, error);
}

static gboolean
make_trainer (ScopeTraining *training, const GArray *carry, GError **error)
{
  const HybTask           *task = training->spec ? &training->spec->klass->task : NULL;
  const ScopeTrainOptions *options = training->options;
  g_auto (GStrv) settings = collect_settings (training, error);
  g_autoptr (GHashTable) batch = hyb_data_get_batch (training->data, 0, FALSE, error);
  g_autofree const char **names = NULL;
  HybMode                 mode = scope_common_options_get_mode (training->common);
  HybTrainerOptions       trainer_options = { .mode = &mode,
                                              .dump_after = training->common->dump_after,
                                              .seed = (guint64) training->common->seed,
                                              .gpu = training->gpu,
                                              .n_carry = carry->len,
                                              .carry = (const HybCarry *) (gconstpointer) carry->data,
                                              .without =
                                                  (const char *const *) training->common->without };

  if (!settings || !batch)
    return FALSE;
  trainer_options.loss = options->loss        ? options->loss
                         : task && task->loss ? task->loss
                                              : "softmax-cross-entropy";
  trainer_options.optimizer = options->optimizer        ? options->optimizer
                              : task && task->optimizer ? task->optimizer
                                                        : "sgd";
  trainer_options.settings = (const char *const *) settings;
  trainer_options.clip_global_norm = options->clip_global_norm;
  if (trainer_options.clip_global_norm <= 0 && task)
    trainer_options.clip_global_norm = task->clip_global_norm;
  names = (const char **) g_hash_table_get_keys_as_array (batch, NULL);
  trainer_options.data = names;
  training->trainer = hyb_trainer_new (training->model, &trainer_options, error);
  if (!training->trainer)
    return FALSE;

  training->base_rate =
      hyb_optimizer_get_learning_rate (hyb_trainer_get_optimizer (training->trainer));
  training->metric =
      hyb_metric_find (options->metric ? options->metric
                       : strcmp (trainer_options.loss, "softmax-cross-entropy") != 0 ? "loss"
                       : hyb_data_get_corpus (training->data)                        ? "perplexity"
                                                                                     : "accuracy",
                       error);
  return training->metric != NULL;
}

static gboolean
resume (ScopeTraining *training, const ScopeTrainCheckpoint *checkpoint, GError **error)
{
  if (!checkpoint)
    {
      scope_print_message (HYB_SEVERITY_NOTE,
                           "--resume: there is no checkpoint of %s yet; training starts from the "
                           "beginning",
                           training->options->output);
      return TRUE;
    }
  if (!hyb_trainer_load_states (training->trainer, checkpoint->states, error))
    return FALSE;
  scope_print_message (HYB_SEVERITY_NOTE, "resumed from %s after step %" G_GUINT64_FORMAT,
                       checkpoint->states, hyb_trainer_n_steps (training->trainer));
  return TRUE;
}

/* cause: (transfer full) (nullable) the fault of the value. */
static gboolean
refuse_name (const char *option, const char *value, GError *cause, GError **error)
{
  scope_usage_error (error, "--%s %s: %s", option, value,
                     cause ? cause->message : "there is no such name");
  g_clear_error (&cause);
  return FALSE;
}

static gboolean
optimizer_exists (const char *name)
{
  for (const HybOptimizerClass *const *klass = hyb_optimizers (); *klass; klass++)
    if (strcmp ((*klass)->name, name) == 0)
      return TRUE;
  return FALSE;
}

gboolean
scope_train_check_names (const ScopeTrainOptions *options, GError **error)
{
  GError                          *cause = NULL;
  g_autoptr (HybSchedule) schedule G_GNUC_UNUSED =
      options->schedule ? hyb_schedule_new (options->schedule, &cause) : NULL;

  if (cause)
    return refuse_name ("schedule", options->schedule, cause, error);
  if (options->metric && !hyb_metric_find (options->metric, &cause))
    return refuse_name ("metric", options->metric, cause, error);
  if (options->optimizer && !optimizer_exists (options->optimizer))
    return refuse_name ("optimizer", options->optimizer, NULL, error);
  if (options->loss && strcmp (options->loss, "none") != 0 && !hyb_loss_exists (options->loss))
    return refuse_name ("loss", options->loss, NULL, error);
  return TRUE;
}

gboolean
scope_train_set_up (ScopeTraining *training, char **files, GError **error)
{
  const ScopeTrainOptions *options = training->options;
  g_autoptr (ScopeTrainCheckpoint) checkpoint = NULL;
  g_autoptr (GArray) carry = NULL;

  training->written = g_ptr_array_new_with_free_func (g_free);
  training->epochs = g_array_new (FALSE, FALSE, sizeof (ScopeEpoch));
  training->unigram_perplexity = NAN;
  if (options->schedule && !(training->schedule = hyb_schedule_new (options->schedule, error)))
    return FALSE;
  if (hyb_is_plugin_name (files[0]))
    scope_crash_set_plugin (files[0]);
  if (hyb_is_plugin_name (files[0]) && !(training->spec = hyb_model_spec_new (files[0], error)))
    return FALSE;
  training->model = scope_open_model (training->common, files, error);
  if (!training->model || !scope_require_outputs (training->model, error) ||
      !(carry = collect_carry (training, error)) || !open_data (training, carry, error))
    return FALSE;

  if (options->resume)
    checkpoint = scope_train_find_checkpoint (options->output);
  if (checkpoint)
    take_parameters (training->model, checkpoint->parameters);
  if (!fill_parameters (training, carry, error) || !make_trainer (training, carry, error) ||
      (options->resume && !resume (training, checkpoint, error)))
    return FALSE;

  training->n_batches = hyb_data_n_batches (training->data, FALSE);
  training->n_epochs = options->epochs > 0 ? (guint64) options->epochs
                       : training->spec && !options->data
                           ? MAX (training->spec->klass->task.epochs, 1)
                           : 1;
  if (hyb_data_get_corpus (training->data))
    training->unigram_perplexity =
        hyb_corpus_unigram_perplexity (hyb_data_get_corpus (training->data));
  return TRUE;
}

void
scope_train_clear (ScopeTraining *training)
{
  for (guint i = 0; training->epochs && i < training->epochs->len; i++)
    g_free (g_array_index (training->epochs, ScopeEpoch, i).sample);
  g_clear_pointer (&training->epochs, g_array_unref);
  g_clear_pointer (&training->written, g_ptr_array_unref);
  g_clear_pointer (&training->trainer, hyb_trainer_free);
  g_clear_pointer (&training->trace, scope_trace_free);
  g_free (training->subject);
  g_clear_pointer (&training->gpu, hyb_gpu_unref);
  g_clear_pointer (&training->data, hyb_data_free);
  g_clear_pointer (&training->schedule, hyb_schedule_free);
  g_clear_pointer (&training->model, hyb_model_unref);
  g_clear_pointer (&training->spec, hyb_model_spec_free);
  if (training->log)
    g_string_free (training->log, TRUE);
}
