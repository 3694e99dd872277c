/* train.c — hscope train: trains a model.
 *
 * A resumed training gives the same bytes as one that was never interrupted (train-checkpoint.c).  Start at
 * train().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/train/train.h"
#include "app/command/frame/command.h"
#include "app/command/frame/progress.h"
#include "app/command/open-device.h"

#include <math.h>

/* --- The loop --- */

/* State of the loop. */
typedef struct
{
  HybMetricSum  loss, metric; /* of the epoch so far */
  gint64        epoch_start;  /* µs, monotonic */
  ScopeProgress progress;
  GCancellable *cancellable;
  GHashTable   *next; /* the batch of the next step, if it was made while a GPU computed; or NULL */
} Loop;

/* Number of samples in a batch.  Sequences have the time step as first axis, the batch as second. */
static double
count_samples (GHashTable *batch, gboolean is_sequence)
{
  HybTensor      *label = g_hash_table_lookup (batch, "label");
  const HybShape *shape = label ? hyb_tensor_get_shape (label) : NULL;
  GHashTableIter  iter;
  gpointer        tensor;

  if (!shape)
    {
      g_hash_table_iter_init (&iter, batch);
      if (g_hash_table_iter_next (&iter, NULL, &tensor))
        shape = hyb_tensor_get_shape (tensor);
    }
  if (!shape || shape->rank < 1)
    return 1;
  return (double) (is_sequence && shape->rank > 1 ? shape->dim[1] : shape->dim[0]);
}

/* The batch of a step.  (transfer full) */
static GHashTable *
take_batch (ScopeTraining *training, Loop *loop, guint64 number, GError **error)
{
  if (loop->next)
    return g_steal_pointer (&loop->next);
  return hyb_data_get_batch (training->data, number, FALSE, error);
}

/* Makes and sends the batch of the next step while a GPU computes this one.  An error is reported when its turn
 * comes. */
static void
make_next (ScopeTraining *training, Loop *loop)
{
  guint64 number = hyb_trainer_n_steps (training->trainer);

  if (training->gpu && number + 1 < training->n_epochs * training->n_batches)
    loop->next = hyb_data_get_batch (training->data, number + 1, FALSE, NULL);
  if (loop->next)
    hyb_trainer_send_ahead (training->trainer, loop->next);
}

/* Forward and backward pass, and the update. */
static gboolean
run_step (ScopeTraining *training,
          Loop          *loop,
          GHashTable    *batch,
          HybTrainStep  *step,
          GError       **error)
{
  if (training->trace)
    scope_trace_begin_step (training->trace);
  if (!hyb_trainer_begin_step (training->trainer, batch, NULL, error))
    return FALSE;
  if (training->trace)
    scope_trace_end_run (training->trace);
  make_next (training, loop);
  if (!hyb_trainer_end_step (training->trainer, step, error))
    return FALSE;
  if (training->trace)
    scope_trace_end_step (training->trace);
  return TRUE;
}

static gboolean
train_step (ScopeTraining *training, Loop *loop, guint64 number, GError **error)
{
  HybOptimizer *optimizer = hyb_trainer_get_optimizer (training->trainer);
  g_autoptr (GHashTable) batch = NULL;
  double       rate = training->base_rate;
  HybTrainStep step;
  double       n_samples;
  gint64       start = g_get_monotonic_time ();

  if (number % training->n_batches == 0 && hyb_data_is_continuous (training->data))
    hyb_trainer_reset_carry (training->trainer);
  batch = take_batch (training, loop, number, error);
  if (!batch)
    return FALSE;
  n_samples = count_samples (batch, hyb_data_is_continuous (training->data));
  if (training->schedule)
    rate = hyb_schedule_get_rate (training->schedule, rate, number + 1);
  hyb_optimizer_set_learning_rate (optimizer, rate);
  if (!run_step (training, loop, batch, &step, error))
    return FALSE;

  hyb_metrics ()[0]->update (&loop->loss, NULL, NULL, step.loss);
  training->metric->update (&loop->metric,
                            training->metric->reads_output
                                ? hyb_trainer_get_output (training->trainer, 0)
                                : NULL,
                            g_hash_table_lookup (batch, "label"), step.loss);
  if (training->n_steps++ == 0)
    training->first_loss = step.loss;
  training->last_loss = step.loss;
  training->n_samples += n_samples;
  training->seconds += (double) (g_get_monotonic_time () - start) * 1e-6;
  return scope_train_log_step (training, &step, rate, error);
}

static void
show_progress (ScopeTraining *training, Loop *loop, guint64 number)
{
  guint64          total = training->n_epochs * training->n_batches;
  double           seconds_per_step = training->seconds / (double) training->n_steps;
  g_autofree char *subject =
      g_strdup_printf ("epoch %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT ", loss %.4g",
                       number / training->n_batches + 1, training->n_epochs, training->last_loss);
  ProfProgress now = { .phase = "train",
                       .subject = subject,
                       .done = number + 1,
                       .total = total,
                       .elapsed = (double) (number + 1) * seconds_per_step,
                       .remaining = (double) (total - number - 1) * seconds_per_step };

  scope_progress_update (&loop->progress, &now);
}

/* The metric over the held-out part; NaN if nothing is held out. */
static gboolean
evaluate (ScopeTraining *training, double *value, GError **error)
{
  HybMetricSum sum = { 0 };
  guint64      n = hyb_data_n_batches (training->data, TRUE);

  for (guint64 i = 0; i < n; i++)
    {
      g_autoptr (GHashTable) batch = hyb_data_get_batch (training->data, i, TRUE, error);
      gboolean is_fresh = i == 0 || !hyb_data_is_continuous (training->data);
      double   loss;

      if (!batch || !hyb_trainer_evaluate (training->trainer, batch, is_fresh, &loss, error))
        return FALSE;
      training->metric->update (&sum, hyb_trainer_get_evaluated (training->trainer, 0),
                                g_hash_table_lookup (batch, "label"), loss);
    }
  *value = training->metric->value (&sum);
  return TRUE;
}

/* Saves, evaluates, and generates a sample. */
static gboolean
test_epoch (ScopeTraining *training, ScopeEpoch *epoch, GError **error)
{
  if (!scope_train_save (training, epoch->number, error) ||
      !evaluate (training, &epoch->held_out, error))
    return FALSE;
  if (hyb_data_get_corpus (training->data) && training->options->sample > 0)
    {
      epoch->sample = scope_train_sample (training, training->options->sample, error);
      if (!epoch->sample && *error)
        return FALSE;
    }
  return TRUE;
}

/* Tests and prints the epoch. */
static gboolean
end_epoch (ScopeTraining *training, Loop *loop, guint64 number, GError **error)
{
  ScopeEpoch epoch = { .number = number, .held_out = NAN };

  epoch.loss = hyb_metrics ()[0]->value (&loop->loss);
  epoch.metric = training->metric->value (&loop->metric);
  if (!test_epoch (training, &epoch, error))
    return FALSE;
  epoch.seconds = (double) (g_get_monotonic_time () - loop->epoch_start) * 1e-6;
  g_array_append_val (training->epochs, epoch);
  scope_progress_finish (&loop->progress, "epoch", NULL);
  scope_train_print_epoch (training, &epoch);
  loop->loss = loop->metric = (HybMetricSum){ 0 };
  loop->epoch_start = g_get_monotonic_time ();
  return TRUE;
}

/* Saves the state so far, and says how to continue. */
static gboolean
interrupt (ScopeTraining *training, guint64 number, GError **error)
{
  if (number == 0)
    {
      scope_print_message (HYB_SEVERITY_WARNING,
                           "interrupted before the first step, so nothing was saved");
      return TRUE;
    }
  if (number % training->n_batches != 0 && !scope_train_save_interrupted (training, error))
    return FALSE;
  scope_print_message (HYB_SEVERITY_WARNING,
                       training->options->output ? "interrupted after step %" G_GUINT64_FORMAT
                                                   "; --resume continues"
                                                 : "interrupted after step %" G_GUINT64_FORMAT
                                                   "; without --output nothing was saved",
                       number);
  return TRUE;
}

/* *number: the steps that were done before, and after. */
static gboolean
run_steps (ScopeTraining *training, Loop *loop, guint64 *number, GError **error)
{
  guint64 total = training->n_epochs * training->n_batches;

  for (; *number < total && !g_cancellable_is_cancelled (loop->cancellable); (*number)++)
    {
      if (!train_step (training, loop, *number, error))
        return FALSE;
      show_progress (training, loop, *number);
      if ((*number + 1) % training->n_batches == 0 &&
          !end_epoch (training, loop, (*number + 1) / training->n_batches, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
train (ScopeTraining *training, GError **error)
{
  guint64 number = hyb_trainer_n_steps (training->trainer);
  Loop loop = { .epoch_start = g_get_monotonic_time (), .cancellable = scope_cancel_on_signal () };
  gboolean is_done;

  training->first_loss = training->last_loss = NAN;
  scope_progress_init (&loop.progress, training->common);
  is_done = run_steps (training, &loop, &number, error);
  g_clear_pointer (&loop.next, g_hash_table_unref);
  if (!is_done)
    return FALSE;

  scope_progress_finish (&loop.progress, "done", training->options->output);
  training->is_interrupted = number < training->n_epochs * training->n_batches;
  return !training->is_interrupted || interrupt (training, number, error);
}

/* Trains and reports; the first error is the one that is reported. */
static gboolean
train_and_print (ScopeTraining *training, GError **error)
{
  gboolean is_done;

  /* Before the first output: from there on, Ctrl-C saves the training instead of ending the process. */
  scope_cancel_on_signal ();
  scope_train_print_start (training);
  is_done = train (training, error) && scope_train_write_capture (training, error);
  /* The steps before a failure are written too. */
  if (!scope_train_write_log (training, is_done ? error : NULL))
    return FALSE;
  if (is_done)
    scope_train_print_result (training);
  return is_done;
}

static int
run_train (const ScopeCommonOptions *common, gpointer data, char **files, GError **error)
{
  ScopeTrainOptions *options = data;
  ScopeTraining      training = { .common = common, .options = options };
  gboolean           is_done;

  if (options->resume && !options->output)
    {
      scope_usage_error (error, "--resume needs --output PREFIX, the name of the checkpoints");
      return SCOPE_EXIT_FAILED;
    }
  if (!scope_train_check_names (options, error))
    return SCOPE_EXIT_FAILED;
  is_done = scope_open_device (common, &training.gpu, error) &&
            scope_train_set_up (&training, files, error) &&
            scope_train_begin_capture (&training, files[0], error) &&
            train_and_print (&training, error);
  scope_train_clear (&training);
  return is_done ? SCOPE_EXIT_DONE : SCOPE_EXIT_FAILED;
}

static const GOptionEntry train_options[] = {
  { SCOPE_OPTION (ScopeTrainOptions, FILENAME, "data", data),
    "Training data: batches (.npz with arrays named as the inputs, and label), MNIST idx images, "
    "or a text file",
    "FILE" },
  { SCOPE_OPTION (ScopeTrainOptions, INT64, "epochs", epochs), "Number of passes over the data",
    "N" },
  { SCOPE_OPTION (ScopeTrainOptions, STRING, "loss", loss),
    "softmax-cross-entropy, l2, l1 …; none: the graph already ends in a loss", "KIND" },
  { SCOPE_OPTION (ScopeTrainOptions, STRING, "optimizer", optimizer),
    "Optimizer: sgd, nag, adam, rmsprop, adagrad or adadelta", "NAME" },
  { SCOPE_OPTION (ScopeTrainOptions, STRING_ARRAY, "set", set),
    "Setting of the optimizer, under MXNet's name (repeatable)", "learning_rate=0.1" },
  { SCOPE_OPTION (ScopeTrainOptions, STRING, "schedule", schedule),
    "Schedule of the learning rate: factor, multifactor, poly or cosine, with settings",
    "cosine:max_update=500,warmup_steps=20" },
  { SCOPE_OPTION (ScopeTrainOptions, DOUBLE, "clip-global-norm", clip_global_norm),
    "Scale gradients down so that their global norm is at most X", "X" },
  { SCOPE_OPTION (ScopeTrainOptions, STRING_ARRAY, "carry", carry),
    "Feed an output of the previous step into an input, zeros at first (repeatable)",
    "INPUT=OUTPUT" },
  { SCOPE_OPTION (ScopeTrainOptions, STRING, "metric", metric),
    "Metric to report: loss, accuracy or perplexity", "NAME" },
  { SCOPE_OPTION (ScopeTrainOptions, FILENAME, "log", log), "Write one JSON line per step",
    "FILE" },
  { "output", 'o', 0, G_OPTION_ARG_FILENAME, SCOPE_OPTION_FIELD (ScopeTrainOptions, output),
    "Write a checkpoint after each epoch", "PREFIX" },
  { SCOPE_OPTION (ScopeTrainOptions, FILENAME, "capture", capture),
    "Write a capture of the last steps: forward pass, backward pass and update", "FILE.hscope" },
  { SCOPE_OPTION (ScopeTrainOptions, NONE, "resume", resume), "Continue from the last checkpoint",
    NULL },
  { SCOPE_OPTION (ScopeTrainOptions, INT64, "sample", sample),
    "With text data: characters to generate after each epoch (default: 200; 0: none)", "N" },
  { NULL },
};

static const char *const examples[] = {
  "hscope train gallery:mlp --epochs 1 --set learning_rate=0.01",
  "hscope train gallery:mlp --epochs 1 --log steps.jsonl --output trained",
  NULL,
};

static const ScopeOutput outputs[] = {
  { "output", NULL },
  { "log", ".jsonl" },
  { "capture", ".hscope" },
  { 0 },
};

static const ScopeRange ranges[] = {
  { "sample", -1, 1e6, 200 },
  { 0 },
};

static const ScopeChoices train_choices[] = {
  { "loss", "softmax-cross-entropy l2 l1 none" },
  { "optimizer", "sgd nag adam rmsprop adagrad adadelta" },
  { "metric", "loss accuracy perplexity" },
  { 0 },
};

const ScopeCommand scope_command_train = {
  .name = "train",
  .arguments = "MODEL [PARAMS]",
  .summary = "Train a model from a file or from the gallery",
  .n_files = { 1, 2 },
  .option_groups =
      SCOPE_OPTIONS_MODEL | SCOPE_OPTIONS_TYPES | SCOPE_OPTIONS_RUN | SCOPE_OPTIONS_TARGET,
  .unused_options = "train random-values no-guess",
  .examples = examples,
  .outputs = outputs,
  .options = train_options,
  .choices = train_choices,
  .options_size = sizeof (ScopeTrainOptions),
  .ranges = ranges,
  .run = run_train,
};
