/* each.c — runs a command on each model of a folder.
 *
 * Lines are printed in the order of the paths; a result that is ready early is held back, and few models are started ahead of the
 * one that is printed next, so that memory does not grow with the number of models.  Start at scope_each_run().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/each/each.h"

#include "app/adapt/model-folder.h"
#include "app/command/children/children.h"
#include "app/command/each/each-line.h"
#include "app/command/frame/progress.h"

#include "engine/base/error.h"
#include "engine/base/limits.h"
#include "engine/formats/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define AHEAD 16 /* models for each job that may be started before an earlier one is printed */
#define MIN_MEMORY \
  ((guint64) 512 << 20) /* bytes for a child, with which a small model can be run */
#define N_STATUSES    5
#define MAX_SENTENCES 20 /* about files that are skipped */

typedef struct
{
  const ScopeEachCall *call;
  GPtrArray           *models;
  GHashTable          *prefixes; /* of outputs that are taken; NULL: nothing is written */
  GHashTable          *held;     /* GString * by index + 1: output that is printed later */
  guint                n_jobs;
  guint                n_started, n_printed;
  guint                n_ended[N_STATUSES];
  gint64               begin; /* µs */
  ScopeProgress        progress;
} Each;

/* The prefix of a model's output files; another one if two models in the folder would write the same files.
 * (transfer full) */
static char *
take_prefix (Each *each, const char *model)
{
  g_autofree char *name = scope_model_dup_prefix (model);
  g_autofree char *first = g_build_filename (scope_each_get_output (each->call), name, NULL);
  char            *prefix = g_strdup (first);

  for (guint n = 2; g_hash_table_contains (each->prefixes, prefix); n++)
    {
      g_free (prefix);
      prefix = g_strdup_printf ("%s-%u", first, n);
    }
  g_hash_table_add (each->prefixes, g_strdup (prefix));
  return prefix;
}

static char **
next_model (gpointer data, guint *id)
{
  Each            *each = data;
  g_autofree char *prefix = NULL;
  g_autofree char *folder = NULL;

  if (each->n_started == each->models->len ||
      each->n_started - each->n_printed >= AHEAD * each->n_jobs)
    return NULL;
  *id = each->n_started++;
  if (each->prefixes)
    {
      prefix = take_prefix (each, each->models->pdata[*id]);
      folder = g_path_get_dirname (prefix);
      g_mkdir_with_parents (folder, 0777); /* if this fails, the child says so */
    }
  return scope_each_arguments (each->call, each->models->pdata[*id], prefix);
}

/* Prints the rest of the output after the part already printed. */
static void
print_held (Each *each)
{
  GString *line;

  if (each->progress.as_bar)
    scope_progress_finish (&each->progress, "", NULL);
  while ((line = g_hash_table_lookup (each->held, GUINT_TO_POINTER (each->n_printed + 1))))
    {
      fwrite (line->str, 1, line->len, stdout);
      g_hash_table_remove (each->held, GUINT_TO_POINTER (each->n_printed + 1));
      each->n_printed++;
    }
  /* Finished lines stay visible if the command is interrupted. */
  fflush (stdout);
}

static void
show_progress (Each *each, const char *model)
{
  guint        done = 0, total = each->models->len;
  double       elapsed = (double) (g_get_monotonic_time () - each->begin) / 1e6;
  ProfProgress now = {
    .phase = each->call->command->name, .subject = model, .total = total, .elapsed = elapsed
  };

  for (guint i = 0; i < N_STATUSES; i++)
    done += each->n_ended[i];
  now.done = done;
  now.remaining = elapsed * (total - done) / MAX (done, 1);
  scope_progress_update (&each->progress, &now);
}

/* On a terminal the results show how far it is, unless they go to a file. */
static void
init_progress (Each *each)
{
  scope_progress_init (&each->progress, each->call->common);
  if (!each->call->common->progress && isatty (STDOUT_FILENO))
    each->progress.as_bar = FALSE;
}

static void
model_ended (gpointer data, const ScopeChildEnd *end)
{
  Each       *each = data;
  const char *model = each->models->pdata[end->id];

  each->n_ended[MIN (scope_each_status (end), N_STATUSES - 1)]++;
  g_hash_table_insert (each->held, GUINT_TO_POINTER (end->id + 1),
                       each->call->common->json ? scope_each_json (model, end)
                                                : scope_each_text (model, end));
  print_held (each);
  show_progress (each, model);
}

static void
free_line (gpointer line)
{
  g_string_free (line, TRUE);
}

/* The memory of the machine is shared by the children that run at the same time. */
static guint64
memory_of_child (guint n_jobs)
{
  return MAX (hyb_limits_get_run_memory () / n_jobs, MIN_MEMORY);
}

static gboolean
make_output (const ScopeEachCall *call, GError **error)
{
  const char *output = scope_each_get_output (call);

  if (!output || g_mkdir_with_parents (output, 0777) == 0)
    return TRUE;
  return hyb_error_at (error, G_FILE_ERROR, (int) g_file_error_from_errno (errno), output, NULL,
                       "the folder cannot be made: %s", g_strerror (errno));
}

/* Entries below the output folder may belong to other users. */
static gboolean
check_folders_below (const ScopeEachCall *call, const GPtrArray *models, GError **error)
{
  const char *output = scope_each_get_output (call);

  for (guint i = 0; output && i < models->len; i++)
    {
      g_autofree char *path = g_build_filename (output, models->pdata[i], NULL);
      char            *slash = path + strlen (path) - strlen (models->pdata[i]);

      for (; (slash = strchr (slash, '/')); slash++)
        {
          gboolean is_inside;

          *slash = '\0';
          is_inside = hyb_file_check_link (path, error);
          *slash = '/';
          if (!is_inside)
            return FALSE;
        }
    }
  return TRUE;
}

static int
summarise (const Each *each, double seconds)
{
  g_autoptr (GString) text = g_string_new (NULL);
  int worst = 0;

  for (int status = 0; status < N_STATUSES; status++)
    if (each->n_ended[status] > 0)
      {
        worst = status;
        if (status == 0)
          g_string_append_printf (text, ", %u ok", each->n_ended[status]);
        else
          g_string_append_printf (text, ", %u with status %d", each->n_ended[status], status);
      }
  scope_print_message (HYB_SEVERITY_NOTE, "%u model%s in %.1f seconds%s", each->models->len,
                       each->models->len == 1 ? "" : "s", seconds, text->str);
  return worst;
}

/* Says which files were skipped, and of many how many. */
static void
print_skipped (GPtrArray *skipped)
{
  for (guint i = 0; i < MIN (skipped->len, MAX_SENTENCES); i++)
    scope_print_message (HYB_SEVERITY_WARNING, "%s", (const char *) skipped->pdata[i]);
  if (skipped->len > MAX_SENTENCES)
    scope_print_message (HYB_SEVERITY_WARNING, "%u more were skipped for such reasons",
                         skipped->len - MAX_SENTENCES);
}

int
scope_each_run (const ScopeEachCall *call, GError **error)
{
  guint jobs = call->common->jobs > 0 ? (guint) call->common->jobs : g_get_num_processors ();
  g_autoptr (GPtrArray) models = NULL;
  g_autoptr (GPtrArray) skipped = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GHashTable) held = g_hash_table_new_full (NULL, NULL, NULL, free_line);
  g_autoptr (GHashTable) prefixes = NULL;
  Each each = { .call = call, .held = held, .n_jobs = jobs, .begin = g_get_monotonic_time () };
  ScopeChildren children = {
    .n_jobs = jobs,
    .memory = memory_of_child (jobs),
    .next = next_model,
    .ended = model_ended,
    .data = &each,
  };

  if (!scope_each_check_options (call, error))
    return SCOPE_EXIT_FAILED;
  each.models = models = scope_find_models (call->common->each, skipped, error);
  print_skipped (skipped);
  if (!models || !make_output (call, error) || !check_folders_below (call, models, error))
    return SCOPE_EXIT_FAILED;
  if (scope_each_get_output (call))
    each.prefixes = prefixes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  init_progress (&each);
  scope_children_run (&children);
  scope_progress_finish (&each.progress, "done", NULL);
  return summarise (&each, (double) (g_get_monotonic_time () - each.begin) / 1e6);
}
