/* streams.h — “-” in place of a file: stdin for one that is read, stdout for one that is written.
 *
 * Readers and writers work on files with names.  Input from stdin and output for stdout are kept in
 * memory files, which no other process can open and which end with the process.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/frame/command.h"

/* Begin with descriptors of -1, has_json, and 0 elsewhere. */
typedef struct
{
  gboolean has_json;    /* set by the caller: a document goes to stdout */
  int      stdin_copy;  /* the file with the contents of stdin; -1: not read */
  int      output;      /* the file to copy to stdout; -1: none */
  int      real_stdout; /* where it will be copied to */
  char    *input_name, *output_name;
} ScopeStreams;

#define SCOPE_STREAMS_NONE                            \
  {                                                   \
    .stdin_copy = -1, .output = -1, .real_stdout = -1 \
  }

/* Replaces each “-” among files (NULL-terminated) and the values of entries by the name of a memory file.
 * If a file goes to stdout, texts for stdout go to stderr from now on.  FALSE: a usage error, or a file
 * error.  The caller calls scope_streams_close() in either case. */
gboolean scope_streams_open (ScopeStreams       *streams,
                             const ScopeCommand *command,
                             char              **files,
                             const GArray       *entries,
                             GError            **error);
/* Copies the output to stdout, if is_done, and removes the memory files.  FALSE and an error if
 * stdout cannot be written. */
gboolean scope_streams_close (ScopeStreams *streams, gboolean is_done, GError **error);

/* Writes n bytes to a pipe or file.  The caller ignores SIGPIPE.  FALSE with errno: it cannot be written, such as a pipe that
 * has no reader. */
gboolean scope_pipe_write (int to, gconstpointer data, gsize n);
