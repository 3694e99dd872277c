/* near-side.c — talks to hscope on a target through its launcher.
 *
 * scope_near_side_open() waits for the words with which hscope begins there; scope_near_side_run() sends files and a command and
 * passes on what comes back, until the end of the command or of the connection.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/targets/near-side.h"

#include "app/adapt/child-message.h"
#include "app/command/messages.h"
#include "app/command/progress.h"
#include "app/command/targets/launcher.h"
#include "app/command/targets/original-name.h"

#include "engine/block/plugin.h"
#include "engine/formats/file.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MAX_PREFACE 65536 /* bytes that a launcher may print before hscope answers */
#define N_QUESTIONS 3     /* for the time */
#define NOT_FOUND   127   /* the status of a shell that does not find a program */

struct _ScopeNearSide
{
  const ScopeTarget *target;
  ScopeLauncher      launcher;
  ScopeFrames        frames;
  GCancellable      *cancellable; /* not owned */
  char             **facts;       /* KEY=VALUE */

  /* While a command runs. */
  const ScopeRemoteCall *call;
  ScopeFileReceiver      files;
  ScopeRemoteEnd         end;
  gboolean               has_ended, is_cancelled;
};

/* --- Failures --- */

static gboolean
fail_cancelled (const ScopeNearSide *side, GError **error)
{
  g_set_error (error, SCOPE_ERROR, SCOPE_ERROR_FAILED, "%s: cancelled", side->target->name);
  return FALSE;
}

/* (transfer full) NULL: something came. */
static char *
dup_silence (const ScopeNearSide *side)
{
  return scope_frames_is_silent (&side->frames)
             ? g_strdup_printf ("nothing came for %u seconds", scope_frames_get_silence ())
             : NULL;
}

/* The launcher has ended, or is silent. */
static gboolean
fail_lost (ScopeNearSide *side, GError **error)
{
  g_autofree char *silence = dup_silence (side);
  int              status;
  g_autofree char *why = scope_launcher_end (&side->launcher, &status);

  g_set_error (error,
               SCOPE_ERROR,
               SCOPE_ERROR_FAILED,
               "%s: the connection was lost: %s. What ran there is stopped; files here are whole. "
               "Try again",
               side->target->name,
               silence ? silence : why);
  return FALSE;
}

static gboolean
fail_form (ScopeNearSide *side, const GError *problem, GError **error)
{
  g_set_error (error,
               SCOPE_ERROR,
               SCOPE_ERROR_FAILED,
               "%s: %s. Use the same version of hscope there",
               side->target->name,
               problem->message);
  return FALSE;
}

/* The launcher ended, or was silent, before hscope answered. */
static gboolean
fail_absent (ScopeNearSide *side, GError **error)
{
  g_autofree char *silence = dup_silence (side);
  int              status;
  g_autofree char *why = scope_launcher_end (&side->launcher, &status);

  if (status == NOT_FOUND)
    g_set_error (error,
                 SCOPE_ERROR,
                 SCOPE_ERROR_FAILED,
                 "%s: there is no program “%s”. hscope targets install %s copies it there",
                 side->target->name,
                 side->target->program,
                 side->target->name);
  else
    g_set_error (error,
                 SCOPE_ERROR,
                 SCOPE_ERROR_FAILED,
                 "%s: hscope does not answer: %s. Try it by hand: %s %s --version",
                 side->target->name,
                 silence ? silence : why,
                 side->target->launcher,
                 side->target->program);
  return FALSE;
}

/* --- Opening --- */

/* Waits until something came.  FALSE: nothing can come any more, nothing came for too long, or it was cancelled. */
static gboolean
wait_and_read (ScopeNearSide *side)
{
  for (;;)
    {
      struct pollfd ready[] = { { .fd = side->frames.in, .events = POLLIN },
                                { .fd = -1, .events = POLLIN } };
      int           n_ready;

      if (!side->is_cancelled)
        ready[1].fd = g_cancellable_get_fd (side->cancellable);
      n_ready = poll (ready, 2, scope_frames_get_wait ());
      if (!side->is_cancelled)
        g_cancellable_release_fd (side->cancellable);
      if (ready[0].revents != 0 && n_ready > 0)
        return scope_frames_read (&side->frames);
      if ((n_ready > 0 && ready[1].revents != 0) || scope_frames_is_silent (&side->frames))
        return FALSE;
    }
}

/* Passes what the launcher printed on to stderr. */
static void
print_preface (const ScopeNearSide *side, gsize n)
{
  g_autofree char *text = n > 0 ? g_strndup ((const char *) side->frames.buffer->data, n) : NULL;

  if (text && *g_strstrip (text) != '\0')
    scope_print_message (HYB_SEVERITY_NOTE, "%s: %s", side->target->name, text);
}

/* Finds the words with which hscope begins. */
static gboolean
skip_preface (ScopeNearSide *side, GError **error)
{
  for (;;)
    {
      const GByteArray *buffer = side->frames.buffer;
      const char       *found =
          buffer->len > 0
                    ? memmem (buffer->data, buffer->len, SCOPE_FRAMES_MAGIC, strlen (SCOPE_FRAMES_MAGIC))
                    : NULL;

      if (found)
        {
          gsize n = (gsize) (found - (const char *) buffer->data);

          print_preface (side, n);
          scope_frames_skip (&side->frames, n + strlen (SCOPE_FRAMES_MAGIC));
          return TRUE;
        }
      if (buffer->len > MAX_PREFACE || !wait_and_read (side))
        {
          print_preface (side, MIN (buffer->len, MAX_PREFACE));
          return g_cancellable_is_cancelled (side->cancellable) ? fail_cancelled (side, error)
                                                                : fail_absent (side, error);
        }
    }
}

/* Waits for the next frame of a kind; others are skipped. */
static gboolean
expect (ScopeNearSide *side, ScopeFrameKind kind, char **text, GError **error)
{
  g_autoptr (GError) problem = NULL;
  ScopeFrame frame;

  for (;;)
    {
      while (scope_frames_next (&side->frames, &frame, &problem))
        if (frame.kind == kind)
          {
            *text = scope_frame_dup_text (&frame);
            return *text != NULL || fail_lost (side, error);
          }
      if (problem)
        return fail_form (side, problem, error);
      if (!wait_and_read (side))
        return g_cancellable_is_cancelled (side->cancellable) ? fail_cancelled (side, error)
                                                              : fail_lost (side, error);
    }
}

ScopeNearSide *
scope_near_side_open (const ScopeTarget *target, GError **error)
{
  const char *const words[] = { target->program, "targets", "serve", NULL };
  g_autoptr (ScopeNearSide) side = g_new0 (ScopeNearSide, 1);
  g_autofree char *facts = NULL;

  side->target = target;
  side->launcher = (ScopeLauncher){ 0, -1, -1 };
  side->files.file = -1;
  side->cancellable = scope_cancel_on_signal ();
  if (!scope_launcher_start (&side->launcher, target, words, error))
    return NULL;
  scope_frames_init (&side->frames, side->launcher.out, side->launcher.in);
  if (!skip_preface (side, error) || !expect (side, SCOPE_FRAME_HELLO, &facts, error))
    return NULL;
  side->facts = g_strsplit (facts, "\n", -1);
  return g_steal_pointer (&side);
}

void
scope_near_side_free (ScopeNearSide *side)
{
  int status;

  g_free (scope_launcher_end (&side->launcher, &status));
  scope_file_receiver_clear (&side->files);
  scope_frames_clear (&side->frames);
  g_strfreev (side->facts);
  g_free (side);
}

const char *
scope_near_side_get_fact (const ScopeNearSide *side, const char *key)
{
  gsize n = strlen (key);

  for (guint i = 0; side->facts[i]; i++)
    if (strncmp (side->facts[i], key, n) == 0 && side->facts[i][n] == '=')
      return side->facts[i] + n + 1;
  return NULL;
}

/* The answer with the shortest round trip counts. */
gboolean
scope_near_side_measure_clock (ScopeNearSide *side,
                               double        *ahead,
                               double        *uncertain,
                               GError       **error)
{
  gint64 shortest = G_MAXINT64;

  for (guint i = 0; i < N_QUESTIONS; i++)
    {
      gint64           asked = g_get_real_time (), heard, there;
      g_autofree char *text = NULL;

      if (!scope_frames_send (&side->frames, SCOPE_FRAME_TIME, NULL, 0, NULL))
        return fail_lost (side, error);
      if (!expect (side, SCOPE_FRAME_TIME, &text, error))
        return FALSE;
      heard = g_get_real_time ();
      there = g_ascii_strtoll (text, NULL, 10);
      if (heard - asked >= shortest)
        continue;
      shortest = heard - asked;
      *ahead = ((double) there - (double) (asked / 2 + heard / 2)) / G_USEC_PER_SEC;
      *uncertain = (double) shortest / 2 / G_USEC_PER_SEC;
    }
  return TRUE;
}

/* --- Sending --- */

static gboolean
send_setting (ScopeNearSide *side, const char *name, const char *value, GError **error)
{
  g_autofree char *text = g_strconcat (name, "=", value, NULL);

  return !value || scope_frames_send_text (&side->frames, SCOPE_FRAME_SETTING, text, error);
}

static gboolean
send_settings (ScopeNearSide *side, GError **error)
{
  g_autofree char *names = side->call->parcel ? scope_parcel_dup_names (side->call->parcel) : NULL;

  return send_setting (side, "folder", side->target->folder, error) &&
         send_setting (side, SCOPE_FILES_VARIABLE, names, error) &&
         send_setting (side, SCOPE_TARGET_VARIABLE, side->target->name, error) &&
         send_setting (side, HYB_PLUGINS_VARIABLE, g_getenv (HYB_PLUGINS_VARIABLE), error) &&
         send_setting (side, SCOPE_MESSAGES_VARIABLE, g_getenv (SCOPE_MESSAGES_VARIABLE), error);
}

static gboolean
send_parcel (ScopeNearSide *side, GError **error)
{
  const ScopeParcel *parcel = side->call->parcel;

  for (guint i = 0; parcel && i < parcel->outputs->len; i++)
    {
      const ScopeParcelOutput *output = parcel->outputs->pdata[i];
      g_autofree char *text = g_strconcat (output->is_prefix ? "p" : "f", output->name, NULL);

      if (!scope_frames_send_text (&side->frames, SCOPE_FRAME_WANTED, text, error))
        return FALSE;
    }
  for (guint i = 0; parcel && i < parcel->files->len; i++)
    {
      const ScopeParcelFile *file = parcel->files->pdata[i];

      if (!scope_frames_send_file (&side->frames, file->path, file->name, side->cancellable, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
send_call (ScopeNearSide *side, GError **error)
{
  if (!send_settings (side, error) || !send_parcel (side, error))
    return FALSE;
  for (guint i = 0; side->call->words[i]; i++)
    if (!scope_frames_send_text (&side->frames, SCOPE_FRAME_ARGUMENT, side->call->words[i], error))
      return FALSE;
  return scope_frames_send (&side->frames, SCOPE_FRAME_GO, NULL, 0, error);
}

/* --- Files that come back --- */

/* A file without a name, until it is complete. */
static int
open_file (gpointer data, const char *name, GError **error)
{
  const ScopeNearSide *side = data;
  g_autofree char     *path =
      side->call->parcel ? scope_parcel_resolve (side->call->parcel, name) : NULL;
  g_autofree char *draft = NULL;
  int              file;

  if (!path)
    {
      g_set_error (error,
                   SCOPE_ERROR,
                   SCOPE_ERROR_FAILED,
                   "a file came that was not asked for, and is not written");
      return -1;
    }
  file = g_file_open_tmp ("hscope-XXXXXX", &draft, error);
  if (file >= 0)
    unlink (draft);
  return file;
}

static gboolean
copy_file (GOutputStream *out, gpointer data, GError **error)
{
  char   piece[SCOPE_FRAMES_MAX / 16];
  int    file = *(int *) data;
  gssize n;

  while ((n = read (file, piece, sizeof piece)) != 0)
    {
      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        {
          g_set_error_literal (error,
                               G_FILE_ERROR,
                               (int) g_file_error_from_errno (errno),
                               g_strerror (errno));
          return FALSE;
        }
      if (!g_output_stream_write_all (out, piece, (gsize) n, NULL, NULL, error))
        return FALSE;
    }
  return TRUE;
}

/* The file takes its place at once, so that nothing is lost later. */
static gboolean
finish_file (gpointer data, const char *name, int file, GError **error)
{
  const ScopeNearSide *side = data;
  g_autofree char     *path = scope_parcel_resolve (side->call->parcel, name);
  gboolean             is_written =
      path && lseek (file, 0, SEEK_SET) == 0 && hyb_file_replace (path, copy_file, &file, error);

  close (file);
  if (is_written)
    scope_parcel_note_arrival (side->call->parcel, name);
  return is_written;
}

/* --- Running --- */

static gboolean
take_end (ScopeNearSide *side, const ScopeFrame *frame)
{
  if (frame->n != 2 || side->files.file >= 0) /* in the middle of a file */
    return FALSE;
  side->end = (ScopeRemoteEnd){ frame->data[0], frame->data[1] };
  side->has_ended = TRUE;
  return TRUE;
}

static gboolean
fail_trouble (ScopeNearSide *side, const ScopeFrame *frame, GError **error)
{
  g_autofree char *raw = scope_frame_dup_text (frame);
  g_autofree char *text = g_utf8_make_valid (raw ? raw : "", -1);

  g_set_error (error, SCOPE_ERROR, SCOPE_ERROR_FAILED, "%s: %s", side->target->name, text);
  return FALSE;
}

static gboolean
take_frame (ScopeNearSide *side, const ScopeFrame *frame, GError **error)
{
  const ScopeRemoteCall *call = side->call;

  if (frame->kind == SCOPE_FRAME_OUT)
    call->out (call->data, (const char *) frame->data, frame->n);
  else if (frame->kind == SCOPE_FRAME_ERR)
    call->err (call->data, (const char *) frame->data, frame->n);
  else if (frame->kind == SCOPE_FRAME_FILE || frame->kind == SCOPE_FRAME_DATA)
    return scope_file_receiver_take (&side->files, frame, error);
  else if (frame->kind == SCOPE_FRAME_TROUBLE)
    return fail_trouble (side, frame, error);
  else if (frame->kind == SCOPE_FRAME_EXIT && !take_end (side, frame))
    return fail_lost (side, error);
  return TRUE;
}

static gboolean
take_frames (ScopeNearSide *side, GError **error)
{
  g_autoptr (GError) problem = NULL;
  ScopeFrame frame;

  if (!scope_frames_read (&side->frames))
    return fail_lost (side, error);
  while (!side->has_ended && scope_frames_next (&side->frames, &frame, &problem))
    if (!take_frame (side, &frame, error))
      return FALSE;
  return problem ? fail_form (side, problem, error) : TRUE;
}

/* Passes the signal on; the command there writes what it has, and ends. */
static void
pass_signal (ScopeNearSide *side)
{
  guint8 number = (guint8) (scope_get_signal () != 0 ? scope_get_signal () : SIGTERM);

  side->is_cancelled = TRUE;
  scope_frames_send (&side->frames, SCOPE_FRAME_SIGNAL, &number, 1, NULL);
}

static gboolean
watch (ScopeNearSide *side, GError **error)
{
  gint64 sent = g_get_monotonic_time ();

  while (!side->has_ended)
    {
      struct pollfd ready[] = { { .fd = side->frames.in, .events = POLLIN },
                                { .fd = -1, .events = POLLIN } };
      int           n_ready;
      gboolean      watches = !side->is_cancelled;

      if (watches)
        ready[1].fd = g_cancellable_get_fd (side->cancellable);
      n_ready = poll (ready, 2, scope_frames_get_wait ());
      if (watches)
        g_cancellable_release_fd (side->cancellable);
      if (n_ready > 0 && ready[1].revents != 0)
        pass_signal (side);
      if (n_ready > 0 && ready[0].revents != 0 && !take_frames (side, error))
        return FALSE;
      if (scope_frames_is_silent (&side->frames))
        return fail_lost (side, error);
      if (g_get_monotonic_time () - sent < SCOPE_FRAMES_INTERVAL * G_USEC_PER_SEC)
        continue;
      sent = g_get_monotonic_time ();
      scope_frames_send (&side->frames, SCOPE_FRAME_ALIVE, NULL, 0, NULL);
    }
  return TRUE;
}

/* What the target said before it left is better than the fact that it left. */
static gboolean
explain_sending (ScopeNearSide *side, GError *problem /* (transfer full) */, GError **error)
{
  if (g_error_matches (problem, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      g_error_free (problem);
      return fail_cancelled (side, error);
    }
  if (!g_error_matches (problem, G_IO_ERROR, G_IO_ERROR_BROKEN_PIPE))
    {
      g_propagate_error (error, problem);
      return FALSE;
    }
  g_error_free (problem);
  return watch (side, error) ? fail_lost (side, error) : FALSE;
}

gboolean
scope_near_side_run (ScopeNearSide         *side,
                     const ScopeRemoteCall *call,
                     ScopeRemoteEnd        *end,
                     GError               **error)
{
  GError *problem = NULL;

  side->call = call;
  side->files =
      (ScopeFileReceiver){ .open = open_file, .finish = finish_file, .data = side, .file = -1 };
  if (!send_call (side, &problem))
    return explain_sending (side, problem, error);
  if (!watch (side, error))
    return FALSE;
  *end = side->end;
  return TRUE;
}
