/* near-side.c — talks to hscope on a target through its launcher.
 *
 * A thread writes the request and the files (send_all); this one reads the pipes (watch).  far-side.c is the other end.
 * Start at scope_near_side_run().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/targets/near-side.h"

#include "app/adapt/child-message.h"
#include "app/command/children/find-json.h"
#include "app/command/frame/messages.h"
#include "app/command/frame/progress.h"
#include "app/command/frame/streams.h"
#include "app/command/targets/launcher.h"
#include "app/command/targets/original-name.h"
#include "app/command/targets/request.h"
#include "app/command/targets/run-folder.h"
#include "app/command/targets/tar-stream.h"

#include "engine/base/one-line.h"
#include "engine/block/plugin.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MAX_PREFACE ((gsize) 64 << 10) /* bytes that a launcher may print before hscope answers */
#define MAX_LINE    ((gsize) 4 << 20)  /* bytes of a line of the answer */
#define MAX_TEXT    ((guint64) 256 << 20) /* bytes that the command may print */
#define MAX_PIECE   ((gsize) 256 << 10) /* bytes of a line of the command that are kept together */
#define MAX_DRAIN   (2 * G_USEC_PER_SEC)
#define PIECE       65536
#define NOT_FOUND   127 /* the status of a shell that does not find a program */
#define GRACE       60  /* seconds that a target has to end after Ctrl-C */

/* The next part of the launcher's stdout. */
typedef enum
{
  STAGE_GREETING, /* the first line of the answer, after whatever the launcher prints */
  STAGE_TEXT,     /* stdout of the command, until the last line */
  STAGE_FILES,
  STAGE_DONE,
} Stage;

typedef struct
{
  const ScopeRemoteCall *call;
  ScopeRemoteAnswer     *answer;
  ScopeLauncher          launcher;
  char                  *token;
  GCancellable          *cancellable; /* not owned */

  Stage           stage;
  GByteArray     *text;       /* of the first two stages, not yet taken */
  gsize           n_searched; /* bytes of it in which no answer begins */
  guint64         n_text;     /* bytes that were passed on */
  GString        *messages;   /* of stderr, not yet passed on */
  GPtrArray      *files;      /* that come back */
  ScopeRunFolder *folder;
  ScopeTarReader  reader;
  gint64          begun, heard, cancelled; /* µs; cancelled: 0: it was not */

  GThread *sender;  /* NULL: it was not started, or has ended */
  gint     is_sent; /* atomic: the thread is about to end */
  GString *request;
  GError  *send_problem;
} NearSide;

/* --- Failures --- */

static gboolean
fail (const NearSide *side, GError **error, const char *format, ...) G_GNUC_PRINTF (3, 4);

static gboolean
fail (const NearSide *side, GError **error, const char *format, ...)
{
  va_list          facts;
  g_autofree char *text = NULL;

  va_start (facts, format);
  text = g_strdup_vprintf (format, facts);
  va_end (facts);
  g_set_error (error, SCOPE_ERROR, SCOPE_ERROR_FAILED, "%s: %s", side->call->target->name, text);
  return FALSE;
}

/* hscope did not answer: the launcher ended, or nothing came. */
static gboolean
fail_absent (const NearSide *side, const char *why, int status, GError **error)
{
  const ScopeTarget *target = side->call->target;

  if (status == NOT_FOUND)
    return fail (side, error, "there is no program “%s”. hscope targets install %s copies it there",
                 target->program, target->name);
  return fail (side, error, "hscope does not answer: %s. Try it by hand: %s %s --version", why,
               target->launcher, target->program);
}

/* Passes on the output of the launcher or of the command. */
static void
pass_text (const NearSide *side, gsize n)
{
  g_autofree char *text = NULL;

  if (side->stage == STAGE_TEXT && n > 0)
    side->call->out (side->call->data, (const char *) side->text->data, n);
  if (side->stage != STAGE_GREETING || n == 0)
    return;
  text = g_strndup ((const char *) side->text->data, MIN (n, MAX_PREFACE));
  if (*g_strstrip (text) != '\0')
    scope_print_message (HYB_SEVERITY_NOTE, "%s: %s", side->call->target->name, text);
}

/* Reads stderr, of which whole lines are passed on, and at its end the rest. */
static void
read_err (NearSide *side)
{
  GString    *text = side->messages;
  char        piece[4096];
  gsize       n = scope_pipe_read (&side->launcher.err, piece, sizeof piece);
  const char *last;

  g_string_append_len (text, piece, (gssize) n);
  last = n == 0 || text->len > MAX_PIECE ? text->str + text->len - 1 : strrchr (text->str, '\n');
  n = last ? (gsize) (last + 1 - text->str) : 0;
  side->call->err (side->call->data, text->str, n);
  g_string_erase (text, 0, (gssize) n);
}

/* Passes the last messages on, which come within a moment. */
static void
drain_err (NearSide *side)
{
  gint64 now = g_get_monotonic_time (), end = now + MAX_DRAIN;

  for (; side->launcher.err >= 0 && now < end; now = g_get_monotonic_time ())
    {
      struct pollfd ready = { .fd = side->launcher.err, .events = POLLIN };

      if (poll (&ready, 1, (int) ((end - now) / 1000)) <= 0)
        break;
      read_err (side);
    }
  side->call->err (side->call->data, side->messages->str, side->messages->len);
  g_string_truncate (side->messages, 0);
}

/* Ends the thread and the launcher, as scope_launcher_end().  A thread that is still sending gets a moment to
 * notice that the pipe has no reader. */
static char *
disconnect (NearSide *side, int *status)
{
  for (guint i = 0; i < 100 && side->sender && !g_atomic_int_get (&side->is_sent); i++)
    g_usleep (10000);
  if (side->sender && !g_atomic_int_get (&side->is_sent))
    kill (-side->launcher.pid, SIGKILL);
  if (side->sender)
    g_thread_join (g_steal_pointer (&side->sender));
  return scope_launcher_end (&side->launcher, status);
}

/* The pipe was closed, or nothing comes any more. */
static gboolean
fail_lost (NearSide *side, gboolean is_silent, GError **error)
{
  int              status;
  g_autofree char *end = NULL, *silence = NULL;
  const char      *why;

  if (is_silent)
    silence = g_strdup_printf ("nothing came for %u seconds", scope_get_silence ());
  else
    drain_err (side);
  if (side->stage == STAGE_GREETING)
    pass_text (side, side->text->len);
  end = disconnect (side, &status);
  why = silence ? silence : end;

  if (side->cancelled > 0)
    return fail (side, error, "cancelled");
  if (side->stage == STAGE_GREETING)
    return fail_absent (side, why, status, error);
  return fail (side, error,
               "the connection was lost: %s. The command there is stopped; files here are "
               "unchanged. Try again",
               why);
}

/* --- Sending --- */

/* Sends the request and the files.  The main thread watches, since the other end may print, or not read. */
static gpointer
send_all (gpointer data)
{
  NearSide *side = data;
  sigset_t  signals;
  int       to = side->launcher.in;

  sigemptyset (&signals);
  sigaddset (&signals, SIGPIPE);
  pthread_sigmask (SIG_BLOCK, &signals, NULL);
  if (scope_pipe_write (to, side->request->str, side->request->len))
    scope_tar_write (to, side->call->names->files, "", &side->send_problem);
  g_atomic_int_set (&side->is_sent, TRUE);
  return NULL;
}

static void
write_request (NearSide *side)
{
  const ScopeRemoteCall *call = side->call;
  g_autofree char       *folders = scope_remote_names_dup_folders (call->names);
  const char            *variables[] = { SCOPE_FILES_VARIABLE,    folders,
                                         SCOPE_TARGET_VARIABLE,   call->target->name,
                                         HYB_PLUGINS_VARIABLE,    g_getenv (HYB_PLUGINS_VARIABLE),
                                         SCOPE_MESSAGES_VARIABLE, g_getenv (SCOPE_MESSAGES_VARIABLE) };
  g_autoptr (GPtrArray) given = g_ptr_array_new ();

  for (guint i = 0; i < G_N_ELEMENTS (variables); i += 2)
    if (variables[i + 1])
      {
        g_ptr_array_add (given, (gpointer) variables[i]);
        g_ptr_array_add (given, (gpointer) variables[i + 1]);
      }
  g_ptr_array_add (given, NULL);
  side->request = scope_request_write (&(ScopeRequest){ .token = side->token,
                                                        .folder = call->target->folder,
                                                        .words = (char **) call->words,
                                                        .variables = (char **) given->pdata,
                                                        .files = call->names->files,
                                                        .outputs = call->names->outputs });
}

static gboolean
start (NearSide *side, GError **error)
{
  const ScopeTarget *target = side->call->target;
  const char *const  words[] = { target->program, "targets", "serve", NULL };

  if (!scope_remote_names_measure (side->call->names, error) ||
      !scope_launcher_start (&side->launcher, target, words, -1, error))
    return FALSE;
  write_request (side);
  side->begun = side->heard = g_get_monotonic_time ();
  side->sender = g_thread_new ("target", send_all, side);
  return TRUE;
}

/* Closes the pipe, which interrupts the command there.  An incomplete transfer is abandoned. */
static void
cancel (NearSide *side)
{
  side->cancelled = g_get_monotonic_time ();
  if (g_atomic_int_get (&side->is_sent))
    scope_pipe_close (&side->launcher.in);
  else
    kill (-side->launcher.pid, SIGTERM);
}

/* --- The answer --- */

/* Reads a line of the answer. */
static HybJson *
parse_line (const NearSide *side, const char *text, gsize n, GError **error)
{
  const HybJsonLimits limits = { .size = MAX_LINE, .depth = 8, .count = 1 << 20 };
  g_autoptr (GBytes) bytes = g_bytes_new (text, n);
  HybJson *json = hyb_json_parse (bytes, &limits, "answer", NULL, NULL);

  if (!json)
    fail (side, error, "the answer does not come from hscope. Use the same version there");
  return json;
}

static char *
dup_fact (const HybJson *json, const char *key)
{
  const char *fact = scope_find_string (json, 0, key);

  return fact ? g_strndup (fact, (gsize) hyb_prefix_length (fact, 256)) : NULL;
}

/* The clock there was read after the request was written and before the answer was: of the differences that explain it,
 * the least one is taken. */
static void
compare_clocks (const NearSide *side, gint64 there)
{
  gint64 heard = g_get_real_time (), asked = heard - (g_get_monotonic_time () - side->begun);
  double low = (double) (there - heard) / G_USEC_PER_SEC;
  double high = (double) (there - asked) / G_USEC_PER_SEC;

  side->answer->ahead = CLAMP (0, low, high);
  side->answer->uncertain = MAX (high - side->answer->ahead, side->answer->ahead - low);
}

static gboolean
take_greeting (NearSide *side, const HybJson *json)
{
  gint64 there;

  side->answer->version = dup_fact (json, "hscope");
  side->answer->host = dup_fact (json, "host");
  side->answer->vectors = dup_fact (json, "vectors");
  side->answer->products = dup_fact (json, "products");
  if (scope_find_int (json, 0, "time", &there))
    compare_clocks (side, there);
  side->stage = STAGE_TEXT;
  return TRUE;
}

/* All files that are announced must have been requested. */
static gboolean
check_files (const NearSide *side, GError **error)
{
  for (guint i = 0; i < side->files->len; i++)
    {
      g_autofree char *path =
          scope_remote_names_resolve (side->call->names,
                                      ((ScopeRemoteFile *) side->files->pdata[i])->name);

      if (!path)
        return fail (side, error, "a file came that was not asked for. Nothing was written");
    }
  return TRUE;
}

static gboolean
take_end (NearSide *side, const HybJson *json, GError **error)
{
  const char *trouble = scope_find_string (json, 0, "error");
  g_autoptr (GError) problem = NULL;
  gint64 status = -1, number = -1;

  if (trouble)
    return fail (side, error, "%s", trouble);
  if (!scope_find_int (json, 0, "status", &status) ||
      !scope_find_int (json, 0, "signal", &number) || status < 0 || status > 255 || number < 0 ||
      number > 255)
    return fail (side, error,
                 "the answer does not state how the command ended. Use the same version there");
  side->files = scope_remote_files_parse (json, "files", &problem);
  if (!side->files)
    return fail (side, error, "%s. Nothing was written", problem->message);
  if (!check_files (side, error))
    return FALSE;
  side->answer->status = (int) status;
  side->answer->signal = (int) number;
  side->folder = scope_run_folder_new (NULL, error);
  if (!side->folder)
    return FALSE;
  scope_tar_reader_init (&side->reader, side->files, side->folder->fd);
  side->stage = STAGE_FILES;
  return TRUE;
}

static gboolean
take_files (NearSide *side, const guint8 *data, gsize n, GError **error)
{
  g_autoptr (GError) problem = NULL;

  if (!scope_tar_reader_take (&side->reader, data, n, &problem))
    return fail (side, error, "%s. Nothing was written", problem->message);
  if (side->reader.is_complete)
    side->stage = STAGE_DONE;
  return TRUE;
}

/* Where the text has the token of an answer; NULL: nowhere.  Bytes searched before are skipped. */
static const char *
find_token (NearSide *side)
{
  gsize       n_token = strlen (side->token);
  gsize       from = side->n_searched > n_token ? side->n_searched - n_token : 0;
  const char *text = (const char *) side->text->data;
  const char *found = side->text->len > from
                          ? memmem (text + from, side->text->len - from, side->token, n_token)
                          : NULL;

  side->n_searched = found ? (gsize) (found - text) : side->text->len;
  return found;
}

static void
drop_text (NearSide *side, gsize n)
{
  if (n > 0)
    g_byte_array_remove_range (side->text, 0, (guint) n);
  side->n_searched -= MIN (n, side->n_searched);
}

/* Takes a line of the answer out of the text.  FALSE without an error: it is not complete. */
static gboolean
take_line (NearSide *side, GError **error)
{
  const char *line = find_token (side);
  gsize       before = line ? (gsize) (line - (const char *) side->text->data) : 0;
  const char *end = line ? memchr (line, '\n', side->text->len - before) : NULL;
  g_autoptr (HybJson) json = NULL;
  gboolean is_good;

  if (!end)
    return FALSE;
  pass_text (side, before);
  line += strlen (side->token);
  json = parse_line (side, line, (gsize) (end - line), error);
  is_good = json && (side->stage == STAGE_GREETING ? take_greeting (side, json)
                                                   : take_end (side, json, error));
  drop_text (side, (gsize) (end + 1 - (const char *) side->text->data));
  return is_good;
}

/* The bytes of the text that can be passed on: whole lines, or the beginning of a long one.  The line of an answer may begin
 * anywhere. */
static gsize
count_lines (NearSide *side)
{
  const GByteArray *text = side->text;
  const guint8     *last = text->len > 0 ? memrchr (text->data, '\n', text->len) : NULL;

  if (side->stage != STAGE_TEXT || find_token (side))
    return 0;
  if (last)
    return (gsize) (last + 1 - text->data);
  return text->len > MAX_PIECE ? text->len - strlen (side->token) : 0;
}

static gboolean
take_text (NearSide *side, GError **error)
{
  GError *problem = NULL;
  gsize   n;

  while (side->stage < STAGE_FILES && take_line (side, &problem))
    ;
  if (problem)
    {
      g_propagate_error (error, problem);
      return FALSE;
    }
  if (side->stage == STAGE_FILES)
    return take_files (side, side->text->data, side->text->len, error);
  if (side->text->len > (side->stage == STAGE_GREETING ? MAX_PREFACE : 2 * MAX_LINE))
    return fail (side, error,
                 "the reply does not come from hscope. Try it by hand: %s %s --version",
                 side->call->target->launcher, side->call->target->program);
  n = count_lines (side);
  pass_text (side, n);
  drop_text (side, n);
  side->n_text += n;
  return side->n_text <= MAX_TEXT ||
         fail (side, error, "the command printed more than 256 MiB, the limit. Run it there");
}

/* --- Watching --- */

static gboolean
read_out (NearSide *side, guint8 *piece, GError **error)
{
  gsize n = scope_pipe_read (&side->launcher.out, piece, PIECE);

  if (n == 0)
    return fail_lost (side, FALSE, error);
  side->heard = g_get_monotonic_time ();
  if (side->stage == STAGE_FILES)
    return take_files (side, piece, n, error);
  g_byte_array_append (side->text, piece, (guint) n);
  return take_text (side, error);
}

/* While the command runs, it may have nothing to say; at any other time something has to come. */
static gboolean
is_too_late (const NearSide *side)
{
  gint64 now = g_get_monotonic_time (), limit = scope_get_silence () * G_USEC_PER_SEC;

  return (side->stage == STAGE_GREETING && now - side->begun > limit) ||
         (side->stage == STAGE_FILES && now - side->heard > limit) ||
         (side->call->max_seconds > 0 &&
          now - side->begun > side->call->max_seconds * G_USEC_PER_SEC) ||
         (side->cancelled > 0 && now - side->cancelled > GRACE * G_USEC_PER_SEC);
}

static gboolean
watch (NearSide *side, GError **error)
{
  g_autofree guint8 *piece = g_malloc (PIECE);

  while (side->stage != STAGE_DONE)
    {
      gboolean      waits = side->cancelled == 0;
      struct pollfd ready[] = { { .fd = side->launcher.out, .events = POLLIN },
                                { .fd = side->launcher.err, .events = POLLIN },
                                { .fd = waits ? g_cancellable_get_fd (side->cancellable) : -1,
                                  .events = POLLIN } };
      int           n_ready = poll (ready, G_N_ELEMENTS (ready), 1000);

      if (waits)
        g_cancellable_release_fd (side->cancellable);
      if (n_ready > 0 && ready[2].revents != 0)
        cancel (side);
      if (n_ready > 0 && ready[1].revents != 0)
        read_err (side);
      if (n_ready > 0 && ready[0].revents != 0 && !read_out (side, piece, error))
        return FALSE;
      if (side->launcher.in >= 0 && g_atomic_int_get (&side->is_sent) && side->send_problem)
        scope_pipe_close (&side->launcher.in);
      if (is_too_late (side))
        return fail_lost (side, TRUE, error);
    }
  return TRUE;
}

/* A command that says it is done has written all that was requested. */
static gboolean
check_missing (const NearSide *side, GError **error)
{
  const char *missing = side->answer->status == 0 && side->answer->signal == 0
                            ? scope_remote_names_find_missing (side->call->names, side->files)
                            : NULL;

  return !missing || fail (side, error,
                           "the command ended there with status 0, but %s did not come back. Run "
                           "it again, or there",
                           missing);
}

/* --- The whole --- */

/* An error with a file on this side explains more than the errors that follow from it. */
static void
explain (NearSide *side, GError **error)
{
  if (!side->send_problem ||
      g_error_matches (side->send_problem, G_IO_ERROR, G_IO_ERROR_BROKEN_PIPE))
    return;
  g_clear_error (error);
  g_propagate_error (error, g_steal_pointer (&side->send_problem));
}

static void
clear (NearSide *side)
{
  scope_tar_reader_clear (&side->reader);
  g_clear_pointer (&side->folder, scope_run_folder_free);
  g_clear_pointer (&side->files, g_ptr_array_unref);
  g_byte_array_unref (side->text);
  g_string_free (side->messages, TRUE);
  if (side->request)
    g_string_free (side->request, TRUE);
  g_clear_error (&side->send_problem);
  g_free (side->token);
}

gboolean
scope_near_side_run (const ScopeRemoteCall *call, ScopeRemoteAnswer *answer, GError **error)
{
  NearSide side = { .call = call,
                    .answer = answer,
                    .launcher = SCOPE_LAUNCHER_NONE,
                    .token = g_uuid_string_random (),
                    .cancellable = scope_cancel_on_signal (),
                    .text = g_byte_array_new (),
                    .messages = g_string_new (NULL),
                    .reader = { .file = -1 } };
  gboolean is_done;
  int      status;

  *answer = (ScopeRemoteAnswer){ 0 };
  is_done = start (&side, error) && watch (&side, error);
  scope_pipe_close (&side.launcher.in);
  drain_err (&side);
  g_free (disconnect (&side, &status));
  is_done = is_done && check_missing (&side, error) &&
            scope_remote_names_place (call->names, side.files, side.folder->fd, error);
  if (!is_done)
    explain (&side, error);
  clear (&side);
  return is_done;
}

void
scope_remote_answer_clear (ScopeRemoteAnswer *answer)
{
  g_free (answer->version);
  g_free (answer->host);
  g_free (answer->vectors);
  g_free (answer->products);
}
