/* streams.c — “-” in place of a file: stdin for one that is read, stdout for one that is written.
 *
 * Start at scope_streams_open().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/frame/streams.h"

#include "engine/base/error.h"
#include "engine/base/limits.h"
#include "engine/formats/file.h"
#include "engine/formats/format.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PIECE      65536
#define STDIN_NAME "/dev/stdin"

gboolean
scope_pipe_write (int to, gconstpointer data, gsize n)
{
  const guint8 *at = data;

  while (n > 0)
    {
      gssize written = write (to, at, n);

      if (written < 0 && errno != EINTR)
        return FALSE;
      at += MAX (written, 0);
      n -= (gsize) MAX (written, 0);
    }
  return TRUE;
}

static gboolean
is_dash (const char *name)
{
  return name && strcmp (name, "-") == 0;
}

static gboolean
fail (const char *what, GError **error)
{
  int code = errno;

  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (code), "%s: %s", what,
               g_strerror (code));
  return FALSE;
}

/* Copies until the end of from, at most limit bytes. */
static gboolean
copy (int from, int to, guint64 limit, const char *what, GError **error)
{
  g_autofree char *piece = g_malloc (PIECE);
  guint64          total = 0;
  gssize           n;

  while ((n = read (from, piece, PIECE)) != 0)
    {
      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0 || !scope_pipe_write (to, piece, (gsize) n))
        return fail (what, error);
      total += (guint64) n;
      if (total > limit)
        return hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_LIMIT, what,
                             "Name a file instead, or raise --limit-memory",
                             "more than %" G_GUINT64_FORMAT " bytes do not fit into memory", limit);
    }
  return TRUE;
}

/* A name under which the copy can be opened, and which describes it.  (transfer full) */
static char *
name_of_copy (int copy)
{
  /* Opening /dev/stdin begins anew, at the start. */
  if (dup2 (copy, STDIN_FILENO) >= 0 && access (STDIN_NAME, R_OK) == 0)
    return g_strdup (STDIN_NAME);
  return g_strdup_printf ("/proc/self/fd/%d", copy);
}

/* Copies stdin to a memory file and puts its name in place of the dash. */
static gboolean
read_stdin (ScopeStreams *streams, char **name, GError **error)
{
  if (streams->stdin_copy >= 0)
    return scope_usage_error (error, "“-” is given for two files, but stdin can be read only once");
  streams->stdin_copy = memfd_create ("stdin", MFD_CLOEXEC);
  if (streams->stdin_copy < 0)
    return fail ("stdin", error);
  if (!copy (STDIN_FILENO, streams->stdin_copy, hyb_limits_get_run_memory (), "stdin", error))
    return FALSE;
  streams->input_name = name_of_copy (streams->stdin_copy);
  g_free (*name);
  *name = g_strdup (streams->input_name);
  return TRUE;
}

/* Puts a name with the right ending in place of the dash; the file's contents are copied to stdout later. */
static gboolean
write_stdout (ScopeStreams *streams, const ScopeOutput *output, char **name, GError **error)
{
  const char *reason = NULL;

  if (streams->has_json)
    reason = "it and --json would both write to stdout";
  else if (!output->ending)
    reason = "stdout cannot hold several files";
  else if (streams->output >= 0)
    reason = "another file is written to stdout already";
  if (reason)
    return scope_usage_error (error, "--%s -: %s", output->option, reason);
  fflush (stdout);
  streams->output = memfd_create ("stdout", MFD_CLOEXEC);
  streams->real_stdout = dup (STDOUT_FILENO);
  if (streams->output < 0 || streams->real_stdout < 0 || dup2 (STDERR_FILENO, STDOUT_FILENO) < 0)
    return fail ("stdout", error);
  streams->output_name = g_strconcat ("stdout", output->ending, NULL);
  hyb_file_redirect (streams->output_name, streams->output);
  g_free (*name);
  *name = g_strdup (streams->output_name);
  return TRUE;
}

/* Replaces the dashes among the values of an option. */
static gboolean
open_option (ScopeStreams       *streams,
             const ScopeCommand *command,
             const GOptionEntry *entry,
             GError            **error)
{
  const ScopeOutput *output = scope_command_find_output (command, entry->long_name);
  char             **values = entry->arg_data;

  if (entry->arg == G_OPTION_ARG_FILENAME && is_dash (*values))
    return output ? write_stdout (streams, output, values, error)
                  : read_stdin (streams, values, error);
  if (entry->arg != G_OPTION_ARG_FILENAME_ARRAY)
    return TRUE;
  for (values = *(char ***) entry->arg_data; values && *values; values++)
    if (is_dash (*values) && !read_stdin (streams, values, error))
      return FALSE;
  return TRUE;
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
        char    *name = NULL;
        gboolean is_read = read_stdin (streams, &name, error);

        g_free (name);
        if (!is_read)
          return FALSE;
        files[i] = streams->input_name;
      }
  for (guint i = 0; i < entries->len; i++)
    if (!open_option (streams, command, &g_array_index (entries, GOptionEntry, i), error))
      return FALSE;
  return TRUE;
}

gboolean
scope_streams_close (ScopeStreams *streams, gboolean is_done, GError **error)
{
  if (streams->real_stdout >= 0)
    {
      fflush (stdout);
      dup2 (streams->real_stdout, STDOUT_FILENO);
      close (streams->real_stdout);
    }
  if (streams->output >= 0)
    {
      hyb_file_redirect (NULL, -1);
      if (is_done)
        is_done = lseek (streams->output, 0, SEEK_SET) == 0
                      ? copy (streams->output, STDOUT_FILENO, G_MAXUINT64, "stdout", error)
                      : fail ("stdout", error);
      close (streams->output);
    }
  if (streams->stdin_copy >= 0)
    close (streams->stdin_copy);
  g_clear_pointer (&streams->input_name, g_free);
  g_clear_pointer (&streams->output_name, g_free);
  return is_done;
}
