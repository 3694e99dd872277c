/* train-log.c — the log of hscope train: one JSON line for each step.
 *
 * The file is replaced as a whole every few seconds, before each checkpoint and at the end, so that a
 * full disk or a killed process never leaves half a log.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/train/train.h"

#include "engine/formats/file.h"
#include "engine/formats/json-text.h"

#include <string.h>

/* How many microseconds of steps a killed process may lose. */
#define WRITE_INTERVAL (2 * G_USEC_PER_SEC)

/* The lines of an earlier log up to the checkpoint; later steps will be repeated. */
static void
keep_lines (GString *text, const char *path, guint64 n)
{
  g_autofree char *old = NULL;
  gsize            length = 0;

  if (n == 0 || !g_file_get_contents (path, &old, NULL, NULL))
    return;
  for (const char *end = old; n > 0 && (end = strchr (end, '\n')) != NULL; n--)
    length = (gsize) (++end - old);
  g_string_append_len (text, old, (gssize) length);
}

gboolean
scope_train_write_log (ScopeTraining *training, GError **error)
{
  const char *path = training->options->log;

  if (!training->log || training->log_written == training->log->len)
    return TRUE;
  if (!hyb_file_replace_contents (path, training->log->str, training->log->len, error))
    return FALSE;
  training->log_written = training->log->len;
  training->log_time = g_get_monotonic_time ();
  return TRUE;
}

gboolean
scope_train_log_step (ScopeTraining      *training,
                      const HybTrainStep *step,
                      double              rate,
                      GError            **error)
{
  guint64 number = hyb_trainer_n_steps (training->trainer);

  if (!training->options->log)
    return TRUE;
  if (!training->log)
    {
      training->log = g_string_new (NULL);
      training->log_time = g_get_monotonic_time ();
      keep_lines (training->log, training->options->log, number - 1);
    }
  g_string_append_printf (training->log, "{\"step\": %" G_GUINT64_FORMAT ", \"loss\": ", number);
  hyb_json_append_double (training->log, step->loss);
  g_string_append (training->log, ", \"gradient_norm\": ");
  hyb_json_append_double (training->log, step->gradient_norm);
  g_string_append (training->log, ", \"learning_rate\": ");
  hyb_json_append_double (training->log, rate);
  g_string_append (training->log, "}\n");
  if (g_get_monotonic_time () - training->log_time < WRITE_INTERVAL)
    return TRUE;
  return scope_train_write_log (training, error);
}
