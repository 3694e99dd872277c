/* train-together.c — what processes that train together tell each other besides gradients.
 *
 * Before the first step they make sure that all train the same model with the same data and options; after each epoch, that all
 * have the same parameters.  Without --data-parallel nothing happens here.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/messages.h"
#include "app/command/train/batch-share.h"
#include "app/command/train/train.h"

#include "engine/base/parallel.h"
#include "engine/op/op.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

gboolean
scope_train_is_first (const ScopeTraining *training)
{
  return !training->parallel || scope_parallel_get_rank (training->parallel) == 0;
}

static gboolean G_GNUC_PRINTF (2, 3) refuse (GError **error, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list          arguments;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error (error, SCOPE_ERROR, SCOPE_ERROR_USAGE, "--data-parallel: %s", text);
  return FALSE;
}

/* --- Joining --- */

/* Open MPI ends the process without a sentence where it cannot open a socket. */
static gboolean
can_talk (void)
{
  int end = socket (AF_UNIX, SOCK_STREAM, 0);

  if (end >= 0)
    close (end);
  return end >= 0;
}

/* Processors are divided among the processes of this machine. */
static void
divide_processors (void)
{
  const char *local = g_getenv ("OMPI_COMM_WORLD_LOCAL_SIZE");
  guint64     n = 1;

  if (local)
    g_ascii_string_to_unsigned (local, 10, 1, 1 << 16, &n, NULL);
  hyb_parallel_set_threads (MAX (g_get_num_processors () / (guint) n, 1));
}

gboolean
scope_train_join (ScopeTraining *training, GCancellable *cancellable, GError **error)
{
  if (!training->options->data_parallel)
    return training->options->batch_axis < 0 ||
           refuse (error, "--batch-axis belongs to it, and it is not given");
  if (!can_talk ())
    return refuse (error,
                   "processes talk through sockets, which are not allowed here (%s). Leave "
                   "--sandbox "
                   "out",
                   g_strerror (errno));
  if (training->common->threads <= 0)
    divide_processors ();
  training->parallel = scope_parallel_new (cancellable, error);
  return training->parallel != NULL;
}

/* --- The same everywhere --- */

/* 48 bits of the checksum, which a double holds.  Frees checksum. */
static double
end_checksum (GChecksum *checksum)
{
  guint8  bytes[32];
  gsize   n = sizeof bytes;
  guint64 value = 0;

  g_checksum_get_digest (checksum, bytes, &n);
  g_checksum_free (checksum);
  for (guint i = 0; i < 6; i++)
    value = value << 8 | bytes[i];
  return (double) value;
}

static void
add_text (GChecksum *checksum, const char *text)
{
  g_checksum_update (checksum, (const guchar *) text, (gssize) strlen (text) + 1);
}

static void
add_tensor (GChecksum *checksum, const char *name, HybTensor *tensor)
{
  g_autofree char *type = hyb_type_to_string (hyb_tensor_get_type (tensor));

  add_text (checksum, name);
  add_text (checksum, type);
  g_checksum_update (checksum,
                     hyb_tensor_get_data (tensor),
                     (gssize) hyb_tensor_get_bytes (tensor));
}

static double
sum_of_text (const char *text)
{
  GChecksum *checksum = g_checksum_new (G_CHECKSUM_SHA256);

  add_text (checksum, text);
  return end_checksum (checksum);
}

/* Of all parameters that are trained. */
static double
sum_of_model (const ScopeTraining *training)
{
  GChecksum *checksum = g_checksum_new (G_CHECKSUM_SHA256);

  for (guint i = 0; i < hyb_trainer_n_trained (training->trainer); i++)
    {
      const char *name;
      HybTensor  *weight = hyb_trainer_get_trained (training->trainer, i, &name);

      add_tensor (checksum, name, weight);
    }
  return end_checksum (checksum);
}

static double
sum_of_batch (const ScopeTraining *training, GHashTable *batch)
{
  GChecksum *checksum = g_checksum_new (G_CHECKSUM_SHA256);
  g_autoptr (GList) names = g_list_sort (g_hash_table_get_keys (batch), (GCompareFunc) strcmp);
  g_autofree char *number = g_strdup_printf ("%" G_GUINT64_FORMAT, training->n_batches);

  add_text (checksum, number);
  for (GList *name = names; name; name = name->next)
    add_tensor (checksum, name->data, g_hash_table_lookup (batch, name->data));
  return end_checksum (checksum);
}

static double
sum_of_options (const ScopeTraining *training)
{
  const ScopeTrainOptions *options = training->options;
  g_autofree char         *set = options->set ? g_strjoinv (" ", options->set) : g_strdup ("");
  g_autofree char *text = g_strdup_printf ("%s %s %s %s %g %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT
                                           " %u %g %d %" G_GINT64_FORMAT,
                                           options->loss ? options->loss : "",
                                           options->optimizer ? options->optimizer : "",
                                           options->schedule ? options->schedule : "",
                                           set,
                                           options->clip_global_norm,
                                           training->n_epochs,
                                           hyb_trainer_n_steps (training->trainer),
                                           training->batch_axis,
                                           training->base_rate,
                                           (int) scope_common_options_get_mode (training->common),
                                           training->common->seed);

  return sum_of_text (text);
}

/* Makes sure that all have the same sums. */
static gboolean
compare_sums (ScopeTraining *training, GHashTable *batch, GError **error)
{
  const char *const what[] = { "models", "data", "options, or different checkpoints" };
  const double      sums[] = { sum_of_model (training),
                               sum_of_batch (training, batch),
                               sum_of_options (training) };

  for (guint i = 0; i < G_N_ELEMENTS (sums); i++)
    {
      gboolean is_same;

      if (!scope_parallel_agree (training->parallel, sums[i], &is_same, error))
        return FALSE;
      if (!is_same)
        return refuse (error,
                       "the processes have different %s. Give all of them the same files and "
                       "options",
                       what[i]);
    }
  return TRUE;
}

/* --- Losses that are sums --- */

/* A model that ends in its own loss may have gradients that grow with the batch: those are added. */
static gboolean
choose_sum (ScopeTraining *training, GError **error)
{
  HybGraph         *graph = hyb_model_get_graph (training->model);
  const char       *loss = training->options->loss;
  guint             n, n_means = 0;
  const HybValueId *heads = hyb_graph_get_heads (graph, &n);

  if (!loss && training->spec)
    loss = training->spec->klass->task.loss;
  if (g_strcmp0 (loss, "none") != 0)
    return TRUE;
  for (guint i = 0; i < n; i++)
    {
      const HybNode *node = hyb_graph_get_node (graph, hyb_graph_get_producer (graph, heads[i]));
      const char    *by = hyb_node_get_attribute (node, "normalization");

      if (g_strcmp0 (by, "valid") == 0)
        return refuse (error,
                       "“%s” divides by the number of valid labels, which each process only knows "
                       "of "
                       "its share. Train it in one process, or with normalization=batch",
                       node->name);
      n_means += g_strcmp0 (by, "batch") == 0;
    }
  if (n_means > 0 && n_means < n)
    return refuse (error,
                   "some outputs of the model are divided by the size of the batch, and others are "
                   "not; train it in one process");
  scope_parallel_set_adds (training->parallel, n_means == 0);
  return TRUE;
}

/* --- Before the first step --- */

gboolean
scope_train_take_share (ScopeTraining *training, GHashTable *batch, GError **error)
{
  return !training->parallel || scope_batch_share (batch,
                                                   training->batch_axis,
                                                   scope_parallel_get_rank (training->parallel),
                                                   scope_parallel_get_size (training->parallel),
                                                   error);
}

/* What this process can see alone. */
static gboolean
check_alone (ScopeTraining *training, GHashTable *batch, GError **error)
{
  if (hyb_trainer_is_carrying (training->trainer) && !hyb_data_is_continuous (training->data))
    return refuse (error,
                   "states that are carried over whole epochs cannot be shared; train in one "
                   "process");
  return choose_sum (training, error) && scope_train_take_share (training, batch, error) &&
         scope_parallel_connect (training->parallel, training->trainer, error);
}

/* Clears an error that all processes have, except in the first one. */
static gboolean
share_failure (ScopeTraining *training, GError **error)
{
  GError  *local = NULL;
  gboolean is_same = FALSE;
  double   sum = *error ? sum_of_text ((*error)->message) : 0;

  if (!scope_parallel_agree (training->parallel, sum, &is_same, &local))
    g_clear_error (&local);
  else if (is_same && !scope_train_is_first (training))
    g_clear_error (error);
  else if (!is_same && *error)
    scope_train_name_process (training, *error);
  return FALSE;
}

gboolean
scope_train_confirm (ScopeTraining *training, gboolean is_ready, GError **error)
{
  g_autoptr (GHashTable) batch = NULL;
  g_autoptr (GHashTable) whole = NULL;
  double failed = 0;

  if (!training->parallel)
    return is_ready;
  if (is_ready)
    {
      batch = hyb_data_get_batch (training->data, 0, FALSE, error);
      whole = batch ? hyb_data_get_batch (training->data, 0, FALSE, error) : NULL;
      is_ready = whole && check_alone (training, batch, error);
    }
  failed = !is_ready;
  if (!scope_parallel_combine (training->parallel, SCOPE_COMBINE_MAXIMUM, &failed, 1, error))
    return FALSE;
  if (failed > 0)
    return share_failure (training, error);
  return compare_sums (training, whole, error) || share_failure (training, error);
}

/* --- Epochs and the end --- */

gboolean
scope_train_end_epoch (ScopeTraining *training, HybMetricSum *metric, GError **error)
{
  double   sums[] = { metric->sum, metric->count };
  gboolean is_same;

  if (!training->parallel)
    return TRUE;
  if (!scope_parallel_agree (training->parallel, sum_of_model (training), &is_same, error) ||
      !scope_parallel_combine (training->parallel, SCOPE_COMBINE_SUM, sums, 2, error))
    return FALSE;
  if (!is_same)
    return refuse (error,
                   "the processes have different parameters after this epoch, although they began "
                   "with the same. Are their machines and libraries the same?");
  *metric = (HybMetricSum){ sums[0], sums[1] };
  return TRUE;
}

/* Each process fills its own part of a list of zeros. */
static gboolean
collect_gradients (ScopeTraining *training, GError **error)
{
  guint   n = hyb_trainer_n_trained (training->trainer);
  guint   first = scope_parallel_get_rank (training->parallel) * n;
  guint   n_all = scope_parallel_get_size (training->parallel) * n;
  double *values;

  G_STATIC_ASSERT (sizeof (ScopeGradientTimes) == 2 * sizeof (double));
  training->gradients = g_new0 (ScopeGradientTimes, n_all);
  for (guint i = 0; i < n; i++)
    training->gradients[first + i] = scope_parallel_get_gradient (training->parallel, i);
  values = (double *) (gpointer) training->gradients;
  return scope_parallel_combine (training->parallel, SCOPE_COMBINE_SUM, values, 2 * n_all, error);
}

gboolean
scope_train_collect_times (ScopeTraining *training, GError **error)
{
  guint n;

  if (!training->parallel)
    return TRUE;
  n = scope_parallel_get_size (training->parallel);
  training->waiting = g_new0 (double, n);
  training->waiting[scope_parallel_get_rank (training->parallel)] =
      training->shared.waiting / MAX (training->seconds, 1e-9);
  return scope_parallel_combine (training->parallel,
                                 SCOPE_COMBINE_SUM,
                                 training->waiting,
                                 n,
                                 error) &&
         collect_gradients (training, error);
}

void
scope_train_name_process (const ScopeTraining *training, GError *error)
{
  g_autofree char *message = NULL;

  if (!training->parallel)
    return;
  message = g_strdup_printf ("process %u of %u: %s",
                             scope_parallel_get_rank (training->parallel),
                             scope_parallel_get_size (training->parallel),
                             error->message);
  g_free (error->message);
  error->message = g_steal_pointer (&message);
}
