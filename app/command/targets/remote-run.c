/* remote-run.c — runs a command on a target: its texts appear and its files are written as if it ran here.
 *
 * Start at scope_remote_run().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/targets/remote-run.h"

#include "app/command/progress.h"
#include "app/command/targets/near-side.h"
#include "app/command/targets/remote-arguments.h"
#include "app/command/terminal.h"

#include "engine/op/suggest.h"

#include <stdio.h>
#include <string.h>

#define MAX_STATUS   4                   /* docs/exit-codes.md */
#define MAX_SIGNAL   64                  /* the greatest one of Linux */
#define MAX_LINE     ((gsize) 1 << 20)   /* bytes of a line that are kept together */
#define MAX_DOCUMENT ((gsize) 256 << 20) /* bytes */

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
  g_set_error (error,
               SCOPE_ERROR,
               SCOPE_ERROR_USAGE,
               "%s%s: there is no such target; %s%s%s",
               option,
               name,
               meant ? "did you mean “"
                     : "hscope targets lists them, and its help says how to add one",
               meant ? meant : "",
               meant ? "”?" : "");
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

/* One of the streams of the command: whole lines are passed on, with the names that files have here. */
typedef struct
{
  FILE    *to;
  gboolean is_json;    /* names are inside of strings */
  gboolean is_kept;    /* until the end */
  gboolean is_escaped; /* stdout has a filter of its own */
  gboolean is_cut;     /* more than MAX_DOCUMENT came */
  GString *text;
} Stream;

typedef struct
{
  const ScopeParcel *parcel;
  Stream             out, err;
} Streams;

static void
print (const Streams *streams, const Stream *stream, const char *text)
{
  g_autofree char *named = scope_parcel_restore_names (streams->parcel, text, stream->is_json);
  g_auto (GStrv) lines = NULL;

  if (!stream->is_escaped)
    {
      fputs (named, stream->to);
      fflush (stream->to);
      return;
    }
  lines = g_strsplit (named, "\n", -1);
  for (guint i = 0; lines[i]; i++)
    {
      g_autofree char *line = scope_terminal_escape (lines[i]);

      fprintf (stream->to, "%s%s", line, lines[i + 1] ? "\n" : "");
    }
}

static void
add (const Streams *streams, Stream *stream, const char *piece, gsize n)
{
  const char *end;

  for (gsize i = 0; i < n; i++)
    if (piece[i] != '\0')
      g_string_append_c (stream->text, piece[i]);
  if (stream->is_kept)
    {
      stream->is_cut |= stream->text->len > MAX_DOCUMENT;
      g_string_truncate (stream->text, MIN (stream->text->len, MAX_DOCUMENT));
      return;
    }
  end = strrchr (stream->text->str, '\n');
  if (end || stream->text->len > MAX_LINE)
    {
      gsize            length = end ? (gsize) (end + 1 - stream->text->str) : stream->text->len;
      g_autofree char *lines = g_strndup (stream->text->str, length);

      print (streams, stream, lines);
      g_string_erase (stream->text, 0, (gssize) length);
    }
}

static void
add_out (gpointer data, const char *piece, gsize n)
{
  Streams *streams = data;

  add (streams, &streams->out, piece, n);
}

static void
add_err (gpointer data, const char *piece, gsize n)
{
  Streams *streams = data;

  add (streams, &streams->err, piece, n);
}

/* --- Running --- */

static void
warn_of_version (const ScopeNearSide *side, const char *name)
{
  const char *version = scope_near_side_get_fact (side, "version");

  if (g_strcmp0 (version, SCOPE_VERSION) != 0)
    scope_print_message (HYB_SEVERITY_WARNING,
                         "%s has hscope %s, and this is " SCOPE_VERSION
                         ". hscope targets install %s copies this one there",
                         name,
                         version ? version : "of an unknown version",
                         name);
}

static int
fail_signal (const ScopeTarget *target, int number, GError **error)
{
  g_set_error (error,
               SCOPE_ERROR,
               SCOPE_ERROR_FAILED,
               "%s: the command was ended there by signal %d (%s)",
               target->name,
               number,
               g_strsignal (number));
  return SCOPE_EXIT_MODEL;
}

/* After Ctrl-C the command there has written what it had. */
static int
get_status (const ScopeRemoteEnd *end)
{
  return scope_get_signal () != 0 && end->status == 128 + scope_get_signal () ? SCOPE_EXIT_DONE
                                                                              : end->status;
}

/* What the target says of the end has to be true here: a status that hscope has, a whole document, and every file. */
static gboolean
check_end (const ScopeTarget    *target,
           const ScopeRemoteEnd *end,
           const Streams        *streams,
           GError              **error)
{
  const char *missing = end->status == 0 ? scope_parcel_find_missing (streams->parcel) : NULL;

  if (end->status > MAX_STATUS && (end->status <= 128 || end->status > 128 + MAX_SIGNAL))
    g_set_error (error,
                 SCOPE_ERROR,
                 SCOPE_ERROR_FAILED,
                 "%s: the command ended there with status %d, which hscope does not have. "
                 "hscope targets check %s shows what is started there",
                 target->name,
                 end->status,
                 target->name);
  else if (streams->out.is_cut)
    g_set_error (error,
                 SCOPE_ERROR,
                 SCOPE_ERROR_FAILED,
                 "%s: the document is longer than 256 MiB, the limit. Run the command there",
                 target->name);
  else if (missing)
    g_set_error (error,
                 SCOPE_ERROR,
                 SCOPE_ERROR_FAILED,
                 "%s: the command ended there with status 0, but %s did not come back. Run it "
                 "again, or there",
                 target->name,
                 missing);
  else
    return TRUE;
  return FALSE;
}

int
scope_remote_run (const ScopeEachCall *call, const GArray *file_entries, GError **error)
{
  gboolean has_json = call->common->json;
  g_autoptr (ScopeTarget) target = scope_find_target ("--target ", call->common->target, error);
  g_autoptr (ScopeParcel) parcel = scope_parcel_new ();
  g_autoptr (ScopeNearSide) side = target ? scope_near_side_open (target, error) : NULL;
  g_autoptr (GString) out = g_string_new (NULL);
  g_autoptr (GString) err = g_string_new (NULL);
  g_auto (GStrv) words = NULL;
  Streams streams = {
    .parcel = parcel,
    .out = { .to = stdout, .is_json = has_json, .is_kept = has_json, .text = out },
    .err = { .to = stderr,
             .is_json = scope_messages_are_events (),
             .is_escaped = TRUE,
             .text = err }
  };
  ScopeRemoteEnd end = { 0 };
  gboolean       has_run;

  if (!side)
    return SCOPE_EXIT_MODEL;
  warn_of_version (side, target->name);
  words = scope_remote_arguments (call, file_entries, parcel);
  streams.err.is_json |= g_strcmp0 (call->common->progress, "json") == 0;
  has_run = scope_near_side_run (side,
                                 &(ScopeRemoteCall){ .words = (const char *const *) words,
                                                     .parcel = parcel,
                                                     .out = add_out,
                                                     .err = add_err,
                                                     .data = &streams },
                                 &end,
                                 error);
  print (&streams, &streams.err, err->str);
  if (has_run && end.signal != 0)
    return fail_signal (target, end.signal, error);
  if (has_run && !check_end (target, &end, &streams, error))
    return SCOPE_EXIT_MODEL;
  /* Of a document that was not completed nothing is printed: the error is one. */
  if (has_run || !has_json)
    print (&streams, &streams.out, out->str);
  return has_run ? get_status (&end) : SCOPE_EXIT_MODEL;
}
