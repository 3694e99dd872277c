/* train-report.c — the output of hscope train, and samples of generated text.
 *
 * scope_train_sample() lets a language model continue the held-out text.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/train/train.h"

#include "app/command/frame/json-writer.h"
#include "app/command/frame/messages.h"
#include "engine/base/one-line.h"
#include "engine/base/random.h"

#include <math.h>

/* --- Generated text --- */

#define CONTEXT_TOKENS 40 /* of the held-out text, printed before the generated ones */
#define TEMPERATURE    0.7

/* Samples one of n classes from softmax (logits / TEMPERATURE).  first: index of the first logit.
 * random: uniform in [0, 1). */
static guint32
sample_class (const HybTensor *logits, gint64 first, gint64 n, double random)
{
  double largest = -INFINITY, total = 0, sum = 0;

  for (gint64 k = 0; k < n; k++)
    largest = MAX (largest, hyb_tensor_get_value (logits, first + k));
  for (gint64 k = 0; k < n; k++)
    total += exp ((hyb_tensor_get_value (logits, first + k) - largest) / TEMPERATURE);
  for (gint64 k = 0; k < n; k++)
    {
      sum += exp ((hyb_tensor_get_value (logits, first + k) - largest) / TEMPERATURE) / total;
      if (sum > random)
        return (guint32) k;
    }
  return (guint32) (n - 1);
}

/* The context for generating the next token: the last tokens, as many as a training
 * sequence has. */
typedef struct
{
  GHashTable *batch;  /* inputs for one sequence */
  GArray     *tokens; /* of guint32; the window is its end */
  gint64      length; /* of the window */
} TextWindow;

/* Generates the token with this number and appends it to the tokens. */
static gboolean
append_next_token (ScopeTraining *training, TextWindow *text, guint64 number, GError **error)
{
  GHashTableIter iter;
  gpointer       name, tensor;
  HybTensor     *output;
  gint64         n_classes, length = text->length;
  const guint32 *window =
      &g_array_index (text->tokens, guint32, text->tokens->len - (guint) length);
  guint32 token;

  g_hash_table_iter_init (&iter, text->batch);
  while (g_hash_table_iter_next (&iter, &name, &tensor))
    for (gint64 t = 0; t < length && g_strcmp0 (name, "label") != 0; t++)
      hyb_dtype_set_double (hyb_tensor_get_data (tensor), hyb_tensor_get_dtype (tensor), (gsize) t,
                            window[t]);
  if (!hyb_trainer_evaluate (training->trainer, text->batch, TRUE, NULL, error))
    return FALSE;
  output = hyb_trainer_get_evaluated (training->trainer, 0);
  n_classes = hyb_tensor_get_size (output) / MAX (length, 1);
  token = sample_class (output, (length - 1) * n_classes, n_classes,
                        hyb_random_uniform ((guint64) training->common->seed, number));
  g_array_append_val (text->tokens, token);
  return TRUE;
}

/* Inputs for one sequence: a batch's shapes with a batch size of 1.  *length: time steps, 0 if there
 * is no batch.  (transfer full) */
static GHashTable *
new_single_batch (HybData *data, gint64 *length, GError **error)
{
  g_autoptr (GHashTable) full = hyb_data_get_batch (data, 0, FALSE, error);
  GHashTable *batch =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) hyb_tensor_unref);
  GHashTableIter iter;
  gpointer       name, tensor;

  *length = 0;
  if (!full)
    return batch;
  g_hash_table_iter_init (&iter, full);
  while (g_hash_table_iter_next (&iter, &name, &tensor))
    {
      HybType    type = *hyb_tensor_get_type (tensor);
      HybTensor *single;

      type.shape.dim[1] = 1;
      *length = type.shape.dim[0];
      single = hyb_tensor_new_zeros (&type, error);
      if (single)
        g_hash_table_insert (batch, g_strdup (name), single);
    }
  return batch;
}

char *
scope_train_sample (ScopeTraining *training, gint64 length, GError **error)
{
  HybCorpus *corpus = hyb_data_get_corpus (training->data);
  TextWindow window = { 0 };
  g_autoptr (GHashTable) batch = new_single_batch (training->data, &window.length, error);
  g_autoptr (GArray) tokens = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autoptr (GString) text = g_string_new (NULL);
  const guint32 *all;
  gsize          n, n_train = hyb_corpus_n_train (corpus);

  all = hyb_corpus_get_tokens (corpus, &n);
  if (window.length < 1 || n - n_train < (gsize) window.length)
    return NULL;
  window.batch = batch;
  window.tokens = tokens;
  g_array_append_vals (tokens, all + n_train, (guint) window.length);
  for (guint i = tokens->len > CONTEXT_TOKENS ? tokens->len - CONTEXT_TOKENS : 0; i < tokens->len;
       i++)
    hyb_corpus_append (corpus, g_array_index (tokens, guint32, i), text);
  g_string_append (text, " | ");
  for (gint64 i = 0; i < length; i++)
    {
      if (!append_next_token (training, &window, (guint64) i, error))
        return NULL;
      hyb_corpus_append (corpus, g_array_index (tokens, guint32, tokens->len - 1), text);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* --- Text --- */

void
scope_train_print_start (const ScopeTraining *training)
{
  if (training->common->json)
    return;
  printf ("data: %s\n", hyb_one_line (hyb_data_get_description (training->data)));
  if (isfinite (training->unigram_perplexity))
    printf ("perplexity of a unigram model on the held-out part: %.3f\n",
            training->unigram_perplexity);
  fflush (stdout);
}

void
scope_train_print_epoch (const ScopeTraining *training, const ScopeEpoch *epoch)
{
  if (training->common->json)
    return;
  printf ("epoch %" G_GUINT64_FORMAT ": loss %.6g", epoch->number, epoch->loss);
  if (training->metric != hyb_metrics ()[0])
    printf (", %s %.6g", training->metric->name, epoch->metric);
  if (isfinite (epoch->held_out))
    printf (", held out: %s %.6g", training->metric->name, epoch->held_out);
  printf (" (%.1f s)\n", epoch->seconds);
  if (epoch->sample)
    printf ("%s\n\n", epoch->sample);
  fflush (stdout);
}

/* The GPU's work in the last step of this run.  (transfer full); NULL without a GPU or steps. */
static char *
describe_device (const ScopeTraining *training)
{
  return training->n_steps > 0
             ? hyb_executor_dup_device_work (hyb_trainer_get_executor (training->trainer))
             : NULL;
}

static void
print_text (const ScopeTraining *training)
{
  g_autofree char  *device = describe_device (training);
  const ScopeEpoch *last = training->epochs->len > 0 ? &g_array_index (training->epochs, ScopeEpoch,
                                                                       training->epochs->len - 1)
                                                     : NULL;

  printf ("%" G_GUINT64_FORMAT " steps, loss %.6g to %.6g, %.1f samples per second\n",
          training->n_steps, training->first_loss, training->last_loss,
          training->n_samples / MAX (training->seconds, 1e-9));
  if (device)
    printf ("last step: %s\n", device);
  if (last && isfinite (training->unigram_perplexity) && isfinite (last->held_out))
    printf ("held-out perplexity %.3f, unigram model %.3f (ratio %.3f)\n", last->held_out,
            training->unigram_perplexity, last->held_out / training->unigram_perplexity);
  scope_print_all_written (training->written);
}

/* --- JSON --- */

static void
print_epochs (ScopeJson *json, const ScopeTraining *training)
{
  scope_json_begin_list (json, "epochs");
  for (guint i = 0; i < training->epochs->len; i++)
    {
      const ScopeEpoch *epoch = &g_array_index (training->epochs, ScopeEpoch, i);

      scope_json_begin_object (json, NULL);
      scope_json_int (json, "epoch", (gint64) epoch->number);
      scope_json_double (json, "loss", epoch->loss);
      scope_json_double (json, training->metric->name, epoch->metric);
      scope_json_double (json, "held_out", epoch->held_out);
      scope_json_double (json, "seconds", epoch->seconds);
      if (epoch->sample)
        scope_json_string (json, "sample", epoch->sample);
      scope_json_end (json);
    }
  scope_json_end (json);
}

static void
print_json (const ScopeTraining *training)
{
  g_autoptr (ScopeJson) json = scope_json_new ();
  g_autofree char  *device = describe_device (training);
  const ScopeEpoch *last = training->epochs->len > 0 ? &g_array_index (training->epochs, ScopeEpoch,
                                                                       training->epochs->len - 1)
                                                     : NULL;

  scope_json_int (json, "steps", (gint64) training->n_steps);
  scope_json_double (json, "first_loss", training->first_loss);
  scope_json_double (json, "last_loss", training->last_loss);
  scope_json_begin_object (json, "metric");
  scope_json_string (json, "name", training->metric->name);
  scope_json_double (json, "value", last ? last->metric : NAN);
  scope_json_double (json, "held_out", last ? last->held_out : NAN);
  scope_json_end (json);
  scope_json_double (json, "samples_per_second",
                     training->n_samples / MAX (training->seconds, 1e-9));
  scope_json_double (json, "seconds", training->seconds);
  if (isfinite (training->unigram_perplexity))
    scope_json_double (json, "unigram_perplexity", training->unigram_perplexity);
  if (device)
    scope_json_string (json, "device", device);
  scope_json_boolean (json, "interrupted", training->is_interrupted);
  print_epochs (json, training);
  scope_json_begin_list (json, "written");
  for (guint i = 0; i < training->written->len; i++)
    scope_json_string (json, NULL, training->written->pdata[i]);
  scope_json_end (json);
  scope_json_print (json);
}

void
scope_train_print_result (const ScopeTraining *training)
{
  if (training->common->json)
    print_json (training);
  else
    print_text (training);
}
