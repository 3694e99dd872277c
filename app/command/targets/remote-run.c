/* remote-run.c — runs a command on a target: its texts appear and its files are written as if it ran here.
 *
 * Start at scope_remote_run().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/targets/remote-run.h"

#include "app/command/frame/progress.h"
#include "app/command/frame/terminal.h"
#include "app/command/targets/near-side.h"
#include "app/command/targets/remote-arguments.h"

#include "engine/op/suggest.h"

#include <stdio.h>
#include <string.h>

#define MAX_STATUS 4                 /* docs/exit-codes.md */
#define MAX_SIGNAL 64                /* the greatest one of Linux */
#define MAX_LINE   ((gsize) 1 << 20) /* bytes of a line that are kept together */

gboolean
scope_is_remote (const ScopeCommonOptions *common)
{
  return common->target && strcmp (common->target, SCOPE_TARGET_LOCAL) != 0;
}

static void
refuse_name (const GPtrArray *targets, const char *option, const char *name, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  const char *meant;

  for (guint i = 0; i < targets->len; i++)
    g_ptr_array_add (names, ((const ScopeTarget *) targets->pdata[i])->name);
  meant = hyb_suggest_name ((const char *const *) names->pdata, names->len, name);
  scope_usage_error (error, "%s%s: there is no such target; %s%s%s", option, name,
                     meant ? "did you mean “"
                           : "hscope targets lists them, and its help says how to add one",
                     meant ? meant : "", meant ? "”?" : "");
}

ScopeTarget *
scope_find_target (const char *option, const char *name, GError **error)
{
  g_autoptr (GPtrArray) targets = scope_targets_read (error);
  const ScopeTarget *found = targets ? scope_targets_find (targets, name) : NULL;

  if (found)
    return scope_target_new (found->name, found->launcher, found->program, found->folder, error);
  if (targets)
    refuse_name (targets, option, name, error);
  return NULL;
}

/* --- Texts --- */

/* The command's output is printed by whole lines, with the local names of files. */
typedef struct
{
  const ScopeRemoteNames *names;
  gboolean                has_events; /* stderr has lines of JSON */
  GString *document; /* of --json, kept until it is complete; NULL: texts are printed at once */
} Texts;

/* (transfer full) */
static char *
restore (const Texts *texts, const char *piece, gsize n, gboolean is_json)
{
  g_autofree char *text = g_malloc (n + 1);

  for (gsize i = 0; i < n; i++)
    text[i] = (char) (piece[i] == '\0' ? ' ' : piece[i]);
  text[n] = '\0';
  return scope_remote_names_restore (texts->names, text, is_json);
}

static void
add_out (gpointer data, const char *piece, gsize n)
{
  const Texts     *texts = data;
  g_autofree char *text = restore (texts, piece, n, texts->document != NULL);

  if (texts->document)
    g_string_append (texts->document, text);
  else
    fputs (text, stdout);
  fflush (stdout);
}

static void
add_err (gpointer data, const char *piece, gsize n)
{
  const Texts     *texts = data;
  g_autofree char *text = restore (texts, piece, n, texts->has_events);

  scope_terminal_pass_on (text, strlen (text));
}

/* --- Running --- */

static void
warn_of_version (const ScopeRemoteAnswer *answer, const char *name)
{
  if (answer->version && strcmp (answer->version, SCOPE_VERSION) != 0)
    scope_print_message (HYB_SEVERITY_WARNING,
                         "%s has hscope %s, and this is " SCOPE_VERSION
                         ". hscope targets install %s copies this one there",
                         name, answer->version, name);
}

/* Status and signal as the target says them. */
static int
get_status (const ScopeTarget *target, const ScopeRemoteAnswer *answer, GError **error)
{
  if (answer->signal != 0)
    g_set_error (error, SCOPE_ERROR, SCOPE_ERROR_FAILED,
                 "%s: the command was ended there by signal %d (%s)", target->name, answer->signal,
                 g_strsignal (answer->signal));
  /* After Ctrl-C the command there has written its results so far. */
  else if (answer->status > 128 && scope_get_signal () != 0)
    return SCOPE_EXIT_DONE;
  else if (answer->status > MAX_STATUS &&
           (answer->status <= 128 || answer->status > 128 + MAX_SIGNAL))
    g_set_error (error, SCOPE_ERROR, SCOPE_ERROR_FAILED,
                 "%s: the command ended there with status %d, which hscope does not have. "
                 "hscope targets check %s shows what is started there",
                 target->name, answer->status, target->name);
  else
    return answer->status;
  return SCOPE_EXIT_FAILED;
}

static int
run_there (const ScopeEachCall *call,
           const GArray        *file_entries,
           const ScopeTarget   *target,
           GError             **error)
{
  g_autoptr (ScopeRemoteNames) names = scope_remote_names_new ();
  g_autoptr (GString) document = call->common->json ? g_string_new (NULL) : NULL;
  g_auto (GStrv) words = scope_remote_arguments (call, file_entries, names);
  Texts             texts = { .names = names,
                              .has_events = scope_messages_are_events () ||
                                            g_strcmp0 (call->common->progress, "json") == 0,
                              .document = document };
  ScopeRemoteAnswer answer;
  GError           *problem = NULL;
  int               status = SCOPE_EXIT_MODEL;

  if (scope_near_side_run (&(ScopeRemoteCall){ .target = target,
                                               .words = (const char *const *) words,
                                               .names = names,
                                               .out = add_out,
                                               .err = add_err,
                                               .data = &texts },
                           &answer, &problem))
    status = get_status (target, &answer, &problem);
  if (document && !problem)
    fputs (document->str, stdout);
  warn_of_version (&answer, target->name);
  scope_remote_answer_clear (&answer);
  if (problem)
    g_propagate_error (error, problem);
  return status;
}

int
scope_remote_run (const ScopeEachCall *call, const GArray *file_entries, GError **error)
{
  g_autoptr (ScopeTarget) target = scope_find_target ("--target ", call->common->target, error);

  return target ? run_there (call, file_entries, target, error) : SCOPE_EXIT_FAILED;
}
