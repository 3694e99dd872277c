/* train-checkpoint.c — writes the checkpoints of hscope train, and finds the one to go on from.
 *
 * After each epoch: PREFIX-symbol.json, PREFIX-NNNN.params and PREFIX-NNNN.states.  Training that was
 * interrupted within an epoch leaves PREFIX-interrupted.params and PREFIX-interrupted.states, which are removed
 * after the next epoch.  States hold a sum of their parameters, so that a pair of which only one file was
 * written is not taken for a checkpoint.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/frame/messages.h"
#include "app/command/train/train.h"

#include "engine/formats/file.h"
#include "engine/formats/format.h"
#include "engine/formats/model-weights.h"
#include "engine/open/open.h"
#include "engine/train/checkpoint.h"

#include <glib/gstdio.h>
#include <string.h>

#define INTERRUPTED "interrupted"

/* Name of a file of a checkpoint.  (transfer full) */
static char *
name_file (const char *prefix, const char *moment, const char *ending)
{
  return g_strconcat (prefix, "-", moment, ending, NULL);
}

/* --- Writing --- */

/* Lists a file for the user, once.  name: (transfer full). */
static void
add_written (ScopeTraining *training, char *name)
{
  if (g_ptr_array_find_with_equal_func (training->written, name, g_str_equal, NULL))
    g_free (name);
  else
    g_ptr_array_add (training->written, name);
}

gboolean
scope_train_save (ScopeTraining *training, guint64 epoch, GError **error)
{
  const char *prefix = training->options->output;
  g_autoptr (GPtrArray) written = g_ptr_array_new ();
  g_autofree char *moment = g_strdup_printf ("%04" G_GUINT64_FORMAT, epoch);
  g_autofree char *states = NULL, *old_params = NULL, *old_states = NULL;

  if (!prefix)
    return TRUE;
  states = name_file (prefix, moment, ".states");
  if (!hyb_file_check_link (states, error) || !scope_train_write_log (training, error) ||
      !hyb_trainer_read_back (training->trainer, error) ||
      !hyb_model_save (training->model, prefix, (guint) epoch, written, error))
    return FALSE;
  for (guint i = 0; i < written->len; i++)
    add_written (training, written->pdata[i]);
  if (!hyb_trainer_save_states (training->trainer, states, error))
    return FALSE;
  add_written (training, g_steal_pointer (&states));
  old_params = name_file (prefix, INTERRUPTED, ".params");
  old_states = name_file (prefix, INTERRUPTED, ".states");
  g_unlink (old_params);
  g_unlink (old_states);
  return TRUE;
}

gboolean
scope_train_save_interrupted (ScopeTraining *training, GError **error)
{
  const char *prefix = training->options->output;
  g_autoptr (HybTensorList) list = NULL;
  g_autofree char *params = NULL, *states = NULL;

  if (!prefix)
    return TRUE;
  params = name_file (prefix, INTERRUPTED, ".params");
  states = name_file (prefix, INTERRUPTED, ".states");
  list = hyb_model_list_parameters (training->model);
  if (!hyb_file_check_link (params, error) || !hyb_file_check_link (states, error) ||
      !scope_train_write_log (training, error) ||
      !hyb_trainer_read_back (training->trainer, error) ||
      !hyb_weights_write_file (list, params, error) ||
      !hyb_trainer_save_states (training->trainer, states, error))
    return FALSE;
  add_written (training, g_steal_pointer (&params));
  add_written (training, g_steal_pointer (&states));
  return TRUE;
}

/* --- Finding --- */

static gint
compare_numbers (gconstpointer a, gconstpointer b)
{
  const guint64 *first = a, *second = b;

  return *first > *second ? -1 : *first < *second;
}

/* The epochs of which there are parameters, the last one first.  GArray of guint64; (transfer full) */
static GArray *
list_epochs (const char *prefix)
{
  GArray          *epochs = g_array_new (FALSE, FALSE, sizeof (guint64));
  g_autofree char *folder = g_path_get_dirname (prefix);
  g_autofree char *base = g_path_get_basename (prefix);
  g_autofree char *beginning = g_strconcat (base, "-", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name (dir)))
    {
      gsize            n = strlen (name), n_begin = strlen (beginning), n_end = strlen (".params");
      g_autofree char *number = NULL;
      guint64          epoch;

      if (!g_str_has_prefix (name, beginning) || !g_str_has_suffix (name, ".params") ||
          n <= n_begin + n_end)
        continue;
      number = g_strndup (name + n_begin, n - n_begin - n_end);
      if (g_ascii_string_to_unsigned (number, 10, 0, G_MAXUINT, &epoch, NULL))
        g_array_append_val (epochs, epoch);
    }
  g_array_sort (epochs, compare_numbers);
  return epochs;
}

/* Reads the pair of a moment.  NULL: a file is missing or cannot be read, or they do not belong together; why
 * is said.  (transfer full) */
static ScopeTrainCheckpoint *
read_pair (const char *prefix, const char *moment)
{
  g_autoptr (ScopeTrainCheckpoint) found = g_new0 (ScopeTrainCheckpoint, 1);
  g_autofree char *params = name_file (prefix, moment, ".params");
  HybCheckpoint    checkpoint;
  g_autoptr (GError) error = NULL;

  found->states = name_file (prefix, moment, ".states");
  if (!g_file_test (params, G_FILE_TEST_EXISTS))
    return NULL;
  if (!g_file_test (found->states, G_FILE_TEST_EXISTS))
    {
      scope_print_message (HYB_SEVERITY_WARNING, "--resume: %s is not there, so %s is not used",
                           found->states, params);
      return NULL;
    }
  found->parameters = hyb_weights_read_file (params, NULL, &error);
  if (!found->parameters ||
      !hyb_checkpoint_read (found->states, found->parameters, &checkpoint, &error))
    {
      scope_print_message (HYB_SEVERITY_WARNING, "--resume: %s", error->message);
      return NULL;
    }
  if (!checkpoint.fits)
    {
      scope_print_message (HYB_SEVERITY_WARNING,
                           "--resume: %s and %s were not saved together, so they are not used",
                           params, found->states);
      return NULL;
    }
  found->n_steps = checkpoint.n_steps;
  return g_steal_pointer (&found);
}

ScopeTrainCheckpoint *
scope_train_find_checkpoint (const char *prefix)
{
  g_autoptr (GArray) epochs = list_epochs (prefix);
  g_autoptr (ScopeTrainCheckpoint) interrupted = read_pair (prefix, INTERRUPTED);
  g_autoptr (ScopeTrainCheckpoint) found = NULL;

  for (guint i = 0; i < epochs->len && !found; i++)
    {
      g_autofree char *moment =
          g_strdup_printf ("%04" G_GUINT64_FORMAT, g_array_index (epochs, guint64, i));

      found = read_pair (prefix, moment);
    }
  if (interrupted && (!found || interrupted->n_steps > found->n_steps))
    return g_steal_pointer (&interrupted);
  return g_steal_pointer (&found);
}

void
scope_train_checkpoint_free (ScopeTrainCheckpoint *checkpoint)
{
  g_clear_pointer (&checkpoint->parameters, hyb_tensor_list_unref);
  g_free (checkpoint->states);
  g_free (checkpoint);
}
