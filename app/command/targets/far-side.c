/* far-side.c — serves one command of another machine on stdin and stdout.
 *
 * First everything that the command needs arrives (receive_all), then it runs (watch).  Start at scope_far_side_run().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/targets/far-side.h"

#include "app/command/messages.h"
#include "app/command/progress.h"
#include "app/command/targets/far-command.h"
#include "app/command/targets/far-folder.h"
#include "app/command/targets/file-receiver.h"

#include "engine/base/error.h"
#include "engine/kernels/matrix/gemm.h"
#include "engine/kernels/simd/simd.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define MAX_WORDS 10000
#define PIECE     65536

/* The variables of the environment that are for this process alone. */
#define FOLDER_SETTING "folder"

typedef struct
{
  ScopeFrames       frames;
  ScopeFileReceiver files;
  ScopeFarFolder   *folder; /* NULL until it is needed */
  char             *place;  /* for the folder; NULL: the default */
  GPtrArray        *words;  /* of the command */
  char            **environment;
  ScopeFarCommand   command;
  gboolean          is_complete; /* the command may begin */
  gboolean          is_gone;     /* the other end is */
} FarSide;

/* --- Receiving --- */

static gboolean
fail (GError **error, const char *text)
{
  g_set_error_literal (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MALFORMED, text);
  return FALSE;
}

static gboolean
need_folder (FarSide *side, GError **error)
{
  if (!side->folder)
    side->folder = scope_far_folder_new (side->place, error);
  return side->folder != NULL;
}

static int
open_file (gpointer data, const char *name, GError **error)
{
  FarSide *side = data;

  return need_folder (side, error) ? scope_far_folder_open (side->folder, name, error) : -1;
}

static gboolean
finish_file (gpointer data G_GNUC_UNUSED, const char *name, int file, GError **error)
{
  if (close (file) == 0)
    return TRUE;
  g_set_error (error,
               G_FILE_ERROR,
               g_file_error_from_errno (errno),
               "%s: the file cannot be written: %s",
               name,
               g_strerror (errno));
  return FALSE;
}

static gboolean
take_setting (FarSide *side, const char *text, GError **error)
{
  const char      *value = text ? strchr (text, '=') : NULL;
  g_autofree char *name = value ? g_strndup (text, (gsize) (value - text)) : NULL;

  if (g_strcmp0 (name, FOLDER_SETTING) == 0)
    {
      g_free (side->place);
      side->place = g_strdup (value + 1);
      return TRUE;
    }
  if (!name || !g_strv_contains (scope_far_settings, name))
    return fail (error, "a setting came that this version of hscope does not know");
  side->environment = g_environ_setenv (side->environment, name, value + 1, TRUE);
  return TRUE;
}

static gboolean
take_word (FarSide *side, char *word /* (transfer full) */, GError **error)
{
  if (word && side->words->len < MAX_WORDS)
    {
      g_ptr_array_add (side->words, word);
      return TRUE;
    }
  g_free (word);
  return fail (error, "the command has too many words, or one that is no text");
}

static gboolean
tell_time (FarSide *side, GError **error)
{
  g_autofree char *text = g_strdup_printf ("%" G_GINT64_FORMAT, g_get_real_time ());

  return scope_frames_send_text (&side->frames, SCOPE_FRAME_TIME, text, error);
}

static gboolean
take_wanted (FarSide *side, const char *text, GError **error)
{
  if (!text || *text == '\0')
    return fail (error, "an output has no name");
  return need_folder (side, error) && scope_far_folder_want (side->folder, *text, text + 1, error);
}

/* Takes what comes before the command begins. */
static gboolean
take_preparation (FarSide *side, const ScopeFrame *frame, GError **error)
{
  g_autofree char *text = scope_frame_dup_text (frame);

  if (frame->kind == SCOPE_FRAME_SETTING)
    return take_setting (side, text, error);
  if (frame->kind == SCOPE_FRAME_ARGUMENT)
    return take_word (side, g_steal_pointer (&text), error);
  if (frame->kind == SCOPE_FRAME_FILE || frame->kind == SCOPE_FRAME_DATA)
    return scope_file_receiver_take (&side->files, frame, error);
  if (frame->kind == SCOPE_FRAME_WANTED)
    return take_wanted (side, text, error);
  if (frame->kind == SCOPE_FRAME_TIME)
    return tell_time (side, error);
  side->is_complete = frame->kind == SCOPE_FRAME_GO;
  return TRUE;
}

/* A number of a signal for the command; others are ignored. */
static void
take_signal (FarSide *side, const ScopeFrame *frame)
{
  int number = frame->kind == SCOPE_FRAME_SIGNAL && frame->n == 1 ? frame->data[0] : 0;

  if ((number == SIGINT || number == SIGTERM) && side->command.pid > 0)
    kill (side->command.pid, number);
}

/* Reads what has come. */
static gboolean
read_frames (FarSide *side, GError **error)
{
  g_autoptr (GError) problem = NULL;
  ScopeFrame frame;

  if (!scope_frames_read (&side->frames))
    {
      side->is_gone = TRUE;
      return TRUE;
    }
  while (!problem && scope_frames_next (&side->frames, &frame, &problem))
    if (side->is_complete)
      take_signal (side, &frame);
    else if (!take_preparation (side, &frame, &problem))
      break;
  if (!problem)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&problem));
  return FALSE;
}

/* Waits for descriptors; FALSE: only time has passed. */
static gboolean
wait_for (FarSide *side, struct pollfd *ready, guint n, GError **error)
{
  int n_ready = poll (ready, n, SCOPE_FRAMES_INTERVAL * 1000);

  if (scope_get_signal () != 0 || scope_frames_is_silent (&side->frames))
    side->is_gone = TRUE;
  if (n_ready > 0)
    return TRUE;
  /* Time has passed: what the command has written until now is safe if the connection is lost later. */
  if (!scope_frames_send (&side->frames, SCOPE_FRAME_ALIVE, NULL, 0, error) ||
      (side->is_complete && side->folder &&
       !scope_far_folder_send (side->folder, &side->frames, error)))
    side->is_gone = TRUE;
  return FALSE;
}

static gboolean
receive_all (FarSide *side, int cancelled, GError **error)
{
  while (!side->is_complete && !side->is_gone)
    {
      struct pollfd ready[] = { { .fd = side->frames.in, .events = POLLIN },
                                { .fd = cancelled, .events = POLLIN } };

      if (wait_for (side, ready, G_N_ELEMENTS (ready), error) && ready[0].revents != 0 &&
          !read_frames (side, error))
        return FALSE;
    }
  return !side->is_gone;
}

/* --- Running --- */

/* Sends what a pipe of the command has; closes it at its end. */
static gboolean
forward (FarSide *side, int *pipe, ScopeFrameKind kind, GError **error)
{
  g_autofree char *piece = g_malloc (PIECE);
  gssize           n = read (*pipe, piece, PIECE);

  if (n > 0)
    return scope_frames_send (&side->frames, kind, piece, (gsize) n, error);
  if (n < 0 && (errno == EINTR || errno == EAGAIN))
    return TRUE;
  close (*pipe);
  *pipe = -1;
  return TRUE;
}

/* Until the command has closed its pipes.  FALSE: the other end is gone, or sends nonsense. */
static gboolean
watch (FarSide *side, int cancelled, GError **error)
{
  ScopeFarCommand *command = &side->command;

  while ((command->out >= 0 || command->err >= 0) && !side->is_gone)
    {
      struct pollfd ready[] = { { .fd = side->frames.in, .events = POLLIN },
                                { .fd = command->out, .events = POLLIN },
                                { .fd = command->err, .events = POLLIN },
                                { .fd = cancelled, .events = POLLIN } };

      if (!wait_for (side, ready, G_N_ELEMENTS (ready), error))
        continue;
      if ((ready[0].revents != 0 && !read_frames (side, error)) ||
          (ready[1].revents != 0 && !forward (side, &command->out, SCOPE_FRAME_OUT, error)) ||
          (ready[2].revents != 0 && !forward (side, &command->err, SCOPE_FRAME_ERR, error)))
        return FALSE;
    }
  return !side->is_gone;
}

static gboolean
run_command (FarSide *side, int cancelled, GError **error)
{
  guint8 end[2] = { 0, 0 };

  g_ptr_array_add (side->words, NULL);
  if (!need_folder (side, error))
    return FALSE;
  scope_far_folder_note (side->folder);
  if (!scope_far_command_start (&side->command,
                                scope_far_folder_get_path (side->folder),
                                (const char *const *) side->words->pdata,
                                side->environment,
                                error) ||
      !watch (side, cancelled, error))
    return FALSE;
  scope_far_command_end (&side->command, &end[0], &end[1]);
  if (!scope_far_folder_send (side->folder, &side->frames, error))
    return FALSE;
  g_clear_pointer (&side->folder, scope_far_folder_free);
  return scope_frames_send (&side->frames, SCOPE_FRAME_EXIT, end, sizeof end, error);
}

/* --- The whole --- */

static gboolean
greet (FarSide *side, GError **error)
{
  g_autofree char *vectors = hyb_simd_describe ();
  g_autofree char *products = hyb_gemm_describe ();
  g_autofree char *text = g_strdup_printf ("version=" SCOPE_VERSION "\nhost=%s\n"
                                           "vectors=%s\nproducts=%s\n",
                                           g_get_host_name (),
                                           vectors,
                                           products);

  return scope_frames_write (side->frames.out, SCOPE_FRAMES_MAGIC, strlen (SCOPE_FRAMES_MAGIC)) &&
         scope_frames_send_text (&side->frames, SCOPE_FRAME_HELLO, text, error);
}

static void
clear (FarSide *side)
{
  guint8 unused[2];

  scope_far_command_end (&side->command, &unused[0], &unused[1]);
  scope_file_receiver_clear (&side->files);
  g_clear_pointer (&side->folder, scope_far_folder_free);
  g_ptr_array_unref (side->words);
  g_strfreev (side->environment);
  g_free (side->place);
  scope_frames_clear (&side->frames);
}

int
scope_far_side_run (GError **error)
{
  struct sigaction ignore = { .sa_handler = SIG_IGN };
  GCancellable    *cancellable = scope_cancel_on_signal ();
  int              cancelled = g_cancellable_get_fd (cancellable);
  FarSide          side = { .files = { .open = open_file, .finish = finish_file, .file = -1 },
                            .words = g_ptr_array_new_with_free_func (g_free),
                            .environment = g_get_environ (),
                            .command = { .out = -1, .err = -1 } };
  g_autoptr (GError) problem = NULL;
  gboolean is_done;

  side.files.data = &side;
  sigaction (SIGPIPE, &ignore, NULL);
  sigaction (SIGHUP, &ignore, NULL); /* stdin ends, too */
  scope_frames_init (&side.frames, STDIN_FILENO, STDOUT_FILENO);
  is_done = greet (&side, &problem) && receive_all (&side, cancelled, &problem) &&
            run_command (&side, cancelled, &problem);
  if (!is_done && !side.is_gone && problem)
    scope_frames_send_text (&side.frames, SCOPE_FRAME_TROUBLE, problem->message, NULL);
  clear (&side);
  g_cancellable_release_fd (cancellable);
  if (is_done || side.is_gone)
    return is_done ? SCOPE_EXIT_DONE : SCOPE_EXIT_MODEL;
  if (problem)
    g_propagate_error (error, g_steal_pointer (&problem));
  return SCOPE_EXIT_FILE;
}
