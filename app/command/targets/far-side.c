/* far-side.c — serves one command of another machine on stdin and stdout.
 *
 * stdin: a line of JSON with what is asked (request.h) and a ustar stream with the files; its end interrupts the command.
 * stdout: a line with what is here, the stdout of the command as it comes, a line with what came of it, and a ustar stream
 * with what it wrote.  Start at scope_far_side_run().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/targets/far-side.h"

#include "app/command/frame/messages.h"
#include "app/command/frame/progress.h"
#include "app/command/frame/streams.h"
#include "app/command/targets/request.h"
#include "app/command/targets/run-folder.h"
#include "app/command/targets/tar-stream.h"

#include "engine/base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PIECE   65536
#define GRACE   20                 /* seconds for an interrupted command to write its results */
#define MAX_ASK ((gsize) 16 << 20) /* bytes of the first line */

typedef struct
{
  ScopeRequest   *request;
  ScopeRunFolder *folder;
  GPid            pid; /* of the command */
  int             end; /* as waitpid() has it */
} FarSide;

/* --- The request --- */

static gboolean
fail (GError **error, const char *text)
{
  g_set_error_literal (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MALFORMED, text);
  return FALSE;
}

static gssize
read_some (guint8 *data, gsize n)
{
  gssize n_read;

  do
    n_read = read (STDIN_FILENO, data, n);
  while (n_read < 0 && errno == EINTR);
  return n_read;
}

/* Byte after byte, since the rest belongs to the files. */
static gboolean
read_request (FarSide *side, GError **error)
{
  g_autoptr (GByteArray) line = g_byte_array_new ();
  guint8 byte;

  do
    {
      if (line->len == MAX_ASK || read_some (&byte, 1) != 1)
        return fail (error, "no command came on standard input. It is started by hscope on another "
                            "machine");
      g_byte_array_append (line, &byte, 1);
    }
  while (byte != '\n');
  side->request = scope_request_parse ((const char *) line->data, line->len, error);
  return side->request != NULL;
}

static gboolean
receive_files (const FarSide *side, GError **error)
{
  g_autofree guint8 *piece = g_malloc (PIECE);
  ScopeTarReader     reader;
  gboolean           is_good = TRUE;

  scope_tar_reader_init (&reader, side->request->files, side->folder->fd);
  while (is_good && !reader.is_complete)
    {
      gssize n = read_some (piece, PIECE);

      is_good = n > 0 ? scope_tar_reader_take (&reader, piece, (gsize) n, error)
                      : fail (error, "the connection ended before all files had come");
    }
  scope_tar_reader_clear (&reader);
  return is_good;
}

/* Makes the folders of outputs, and files that came older than any that the command writes. */
static void
prepare_folder (const FarSide *side)
{
  const struct timespec old[2] = { { 0, 0 }, { 0, 0 } };

  for (guint i = 0; i < side->request->outputs->len; i++)
    {
      const ScopeRemoteFile *output = side->request->outputs->pdata[i];
      g_autofree char       *parent = g_path_get_dirname (output->name);

      mkdirat (side->folder->fd, parent, 0700);
    }
  for (guint i = 0; i < side->request->files->len; i++)
    utimensat (side->folder->fd, ((const ScopeRemoteFile *) side->request->files->pdata[i])->name,
               old, AT_SYMLINK_NOFOLLOW);
}

/* --- The command --- */

/* Runs in the child, before the program: it leads a group of its own, and ends with its parent. */
static void
prepare_child (gpointer unused G_GNUC_UNUSED)
{
  struct sigaction defaults = { .sa_handler = SIG_DFL };

  setpgid (0, 0);
  prctl (PR_SET_PDEATHSIG, SIGKILL);
  sigaction (SIGPIPE, &defaults, NULL);
  sigaction (SIGHUP, &defaults, NULL);
}

static gboolean
start_command (FarSide *side, GError **error)
{
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);
  g_auto (GStrv) environment = scope_request_dup_environment (side->request);
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();

  g_ptr_array_add (argv, program ? program : (gpointer) "hscope");
  for (guint i = 0; side->request->words[i]; i++)
    g_ptr_array_add (argv, side->request->words[i]);
  g_ptr_array_add (argv, NULL);
  return g_spawn_async (side->folder->path, (char **) argv->pdata, environment,
                        G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD, prepare_child, NULL,
                        &side->pid, error);
}

static gint has_ended; /* atomic: the command has */

/* A thread: interrupts the command when stdin ends or this process is to end, so that it writes its results. */
static gpointer
watch_input (gpointer data)
{
  GPid          pid = GPOINTER_TO_INT (data);
  struct pollfd ready[] = { { .fd = STDIN_FILENO, .events = POLLIN },
                            { .fd = g_cancellable_get_fd (scope_cancel_on_signal ()),
                              .events = POLLIN } };
  guint8        unused[512];

  while (poll (ready, G_N_ELEMENTS (ready), -1) < 0 ||
         (ready[1].revents == 0 && read_some (unused, sizeof unused) > 0))
    ;
  if (!g_atomic_int_get (&has_ended))
    kill (pid, SIGINT);
  sleep (GRACE);
  if (!g_atomic_int_get (&has_ended))
    kill (-pid, SIGKILL);
  return NULL;
}

static void
wait_for_command (FarSide *side)
{
  pid_t pid;

  g_thread_unref (g_thread_new ("stdin", watch_input, GINT_TO_POINTER (side->pid)));
  do
    pid = waitpid (side->pid, &side->end, 0);
  while (pid < 0 && errno == EINTR);
  g_atomic_int_set (&has_ended, TRUE);
  /* Processes that it started and left running. */
  kill (-side->pid, SIGKILL);
}

/* --- Results --- */

static gboolean
has_file (const GPtrArray *files, const char *name)
{
  for (guint i = 0; i < files->len; i++)
    if (strcmp (((ScopeRemoteFile *) files->pdata[i])->name, name) == 0)
      return TRUE;
  return FALSE;
}

/* Adds the files that the command wrote for an output. */
static void
add_written (const FarSide *side, const ScopeRemoteFile *output, GPtrArray *files)
{
  g_autofree char *folder = g_path_get_dirname (output->name);
  g_autofree char *beginning = g_path_get_basename (output->name);
  g_autofree char *place = g_build_filename (side->folder->path, folder, NULL);
  g_autoptr (GDir) dir = g_dir_open (place, 0, NULL);
  const char *base;

  while (dir && (base = g_dir_read_name (dir)))
    {
      g_autofree char *name = g_build_filename (folder, base, NULL);
      struct stat      status;

      if (has_file (files, name) ||
          !(output->is_prefix ? g_str_has_prefix (base, beginning) : strcmp (base, beginning) == 0))
        continue;
      if (fstatat (side->folder->fd, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
          S_ISREG (status.st_mode) && status.st_mtim.tv_sec != 0)
        scope_remote_files_add (files, name, NULL)->size = (guint64) status.st_size;
    }
}

static gboolean
send_results (const FarSide *side, GError **error)
{
  g_autoptr (GPtrArray) files = scope_remote_files_new ();
  g_autoptr (GString) line = scope_answer_begin (side->request);

  for (guint i = 0; i < side->request->outputs->len; i++)
    add_written (side, side->request->outputs->pdata[i], files);
  g_string_append_printf (line, ", \"status\": %d, \"signal\": %d",
                          WIFEXITED (side->end) ? WEXITSTATUS (side->end) : 0,
                          WIFSIGNALED (side->end) ? WTERMSIG (side->end) : 0);
  scope_remote_files_append (line, "files", files);
  g_string_append (line, "}\n");
  return scope_pipe_write (STDOUT_FILENO, line->str, line->len) &&
         scope_tar_write (STDOUT_FILENO, files, side->folder->path, error);
}

static void
send_problem (const FarSide *side, const GError *problem)
{
  g_autoptr (GString) line = scope_answer_begin (side->request);

  scope_line_add_text (line, "error", problem->message);
  g_string_append (line, "}\n");
  scope_pipe_write (STDOUT_FILENO, line->str, line->len);
}

static gboolean
serve (FarSide *side, GError **error)
{
  g_autoptr (GString) line = scope_answer_begin (side->request);

  scope_answer_add_facts (line);
  g_string_append (line, "}\n");
  scope_pipe_write (STDOUT_FILENO, line->str, line->len);
  side->folder = scope_run_folder_new (side->request->folder, error);
  if (!side->folder || !receive_files (side, error))
    return FALSE;
  prepare_folder (side);
  if (!start_command (side, error))
    return FALSE;
  wait_for_command (side);
  return send_results (side, error);
}

int
scope_far_side_run (GError **error)
{
  struct sigaction ignore = { .sa_handler = SIG_IGN };
  FarSide          side = { .pid = 0 };
  g_autoptr (GError) problem = NULL;
  gboolean is_done;

  sigaction (SIGPIPE, &ignore, NULL);
  sigaction (SIGHUP, &ignore, NULL); /* stdin ends, too */
  scope_cancel_on_signal ();
  if (!read_request (&side, error))
    return SCOPE_EXIT_FAILED;
  is_done = serve (&side, &problem);
  if (problem)
    send_problem (&side, problem);
  g_clear_pointer (&side.folder, scope_run_folder_free);
  scope_request_free (side.request);
  return is_done ? SCOPE_EXIT_DONE : SCOPE_EXIT_MODEL;
}
