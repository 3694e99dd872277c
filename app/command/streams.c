/* streams.c — “-” in place of a file: stdin for one that is read, stdout for one that is written.
 *
 * Start at scope_streams_open().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/streams.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PIECE 65536

static gboolean
is_dash (const char *name)
{
  return name && strcmp (name, "-") == 0;
}

static gboolean
fail (const char *what, GError **error)
{
  int code = errno;

  g_set_error (error,
               G_FILE_ERROR,
               g_file_error_from_errno (code),
               "%s: %s",
               what,
               g_strerror (code));
  return FALSE;
}

static gboolean
copy (int from, int to, const char *what, GError **error)
{
  g_autofree char *piece = g_malloc (PIECE);
  gssize           n;

  while ((n = read (from, piece, PIECE)) != 0)
    {
      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        return fail (what, error);
      for (gssize at = 0; at < n;)
        {
          gssize written = write (to, piece + at, (gsize) (n - at));

          if (written < 0 && errno != EINTR)
            return fail (what, error);
          at += MAX (written, 0);
        }
    }
  return TRUE;
}

static gboolean
need_folder (ScopeStreams *streams, GError **error)
{
  if (!streams->folder)
    streams->folder = g_dir_make_tmp ("hscope-XXXXXX", error);
  return streams->folder != NULL;
}

/* Copies stdin to a file and puts its name in place of the dash. */
static gboolean
read_stdin (ScopeStreams *streams, char **name, GError **error)
{
  int      fd;
  gboolean is_done;

  if (streams->input)
    {
      g_set_error_literal (error,
                           SCOPE_ERROR,
                           SCOPE_ERROR_USAGE,
                           "“-” stands for two files, but stdin can be read only once");
      return FALSE;
    }
  if (!need_folder (streams, error))
    return FALSE;
  streams->input = g_build_filename (streams->folder, "stdin", NULL);
  fd = g_open (streams->input, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0)
    return fail (streams->input, error);
  is_done = copy (STDIN_FILENO, fd, "stdin", error);
  if (close (fd) != 0 && is_done)
    is_done = fail (streams->input, error);
  g_free (*name);
  *name = g_strdup (streams->input);
  return is_done;
}

/* Puts the name of a file in place of the dash, which is copied to stdout later. */
static gboolean
write_stdout (ScopeStreams *streams, const ScopeOutput *output, char **name, GError **error)
{
  g_autofree char *base = NULL;

  if (streams->has_json)
    {
      g_set_error (error,
                   SCOPE_ERROR,
                   SCOPE_ERROR_USAGE,
                   "--%s - and --json would both write to stdout",
                   output->option);
      return FALSE;
    }
  if (streams->output || !output->ending)
    {
      g_set_error (error,
                   SCOPE_ERROR,
                   SCOPE_ERROR_USAGE,
                   output->ending ? "--%s -: another file is written to stdout already"
                                  : "--%s -: two files are written, which stdout cannot hold",
                   output->option);
      return FALSE;
    }
  if (!need_folder (streams, error))
    return FALSE;
  base = g_strconcat ("stdout", output->ending, NULL);
  streams->output = g_build_filename (streams->folder, base, NULL);
  g_free (*name);
  *name = g_strdup (streams->output);

  fflush (stdout);
  streams->stdout_fd = dup (STDOUT_FILENO);
  if (streams->stdout_fd < 0 || dup2 (STDERR_FILENO, STDOUT_FILENO) < 0)
    return fail ("stdout", error);
  return TRUE;
}

static const ScopeOutput *
find_output (const ScopeCommand *command, const char *option)
{
  for (guint i = 0; command->outputs && command->outputs[i].option; i++)
    if (strcmp (command->outputs[i].option, option) == 0)
      return &command->outputs[i];
  return NULL;
}

gboolean
scope_streams_open (ScopeStreams       *streams,
                    const ScopeCommand *command,
                    char              **files,
                    const GArray       *entries,
                    GError            **error)
{
  for (guint i = 0; files[i]; i++)
    if (is_dash (files[i]))
      {
        /* The element belongs to the option parser. */
        char *name = NULL;

        if (!read_stdin (streams, &name, error))
          return FALSE;
        g_free (name);
        files[i] = streams->input;
      }
  for (guint i = 0; i < entries->len; i++)
    {
      const GOptionEntry *entry = &g_array_index (entries, GOptionEntry, i);
      const ScopeOutput  *output = find_output (command, entry->long_name);

      if (entry->arg != G_OPTION_ARG_FILENAME || !is_dash (*(char **) entry->arg_data))
        continue;
      if (!(output ? write_stdout (streams, output, entry->arg_data, error)
                   : read_stdin (streams, entry->arg_data, error)))
        return FALSE;
    }
  return TRUE;
}

gboolean
scope_streams_close (ScopeStreams *streams, gboolean is_done, GError **error)
{
  if (streams->stdout_fd >= 0)
    {
      fflush (stdout);
      dup2 (streams->stdout_fd, STDOUT_FILENO);
      close (streams->stdout_fd);
    }
  if (streams->output)
    {
      int fd = is_done ? g_open (streams->output, O_RDONLY | O_CLOEXEC, 0) : -1;

      if (is_done)
        is_done = fd >= 0 ? copy (fd, STDOUT_FILENO, "stdout", error) : fail ("stdout", error);
      if (fd >= 0)
        close (fd);
      g_unlink (streams->output);
    }
  if (streams->input)
    g_unlink (streams->input);
  if (streams->folder)
    g_rmdir (streams->folder);
  g_clear_pointer (&streams->input, g_free);
  g_clear_pointer (&streams->output, g_free);
  g_clear_pointer (&streams->folder, g_free);
  return is_done;
}
