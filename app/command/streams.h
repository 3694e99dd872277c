/* streams.h — “-” in place of a file: stdin for one that is read, stdout for one that is written.
 *
 * Readers and writers work on files with names, so stdin is first copied to a temporary file, and
 * a temporary file is copied to stdout at the end.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/command.h"

/* Begin with stdout_fd = -1 and 0 elsewhere. */
/* Begin with stdout_fd = -1, has_json, and 0 elsewhere. */
typedef struct
{
  gboolean has_json; /* set by the caller: a document goes to stdout */
  char    *folder;   /* of the temporary files; NULL: no “-” was given */
  char    *input;    /* the copy of stdin */
  char    *output;   /* what will be copied to stdout */
  int      stdout_fd;
  /* what stdout was; -1: it is unchanged */ /* what stdout was; -1: it is unchanged */
} ScopeStreams;

/* Replaces each “-” among files (NULL-terminated) and the values of entries by the name of a
 * temporary file.  If a file goes to stdout, texts for stdout go to stderr from now on.  FALSE: a
 * usage error, or a file error.  The caller calls scope_streams_close() in either case. */
gboolean scope_streams_open (ScopeStreams       *streams,
                             const ScopeCommand *command,
                             char              **files,
                             const GArray       *entries,
                             GError            **error);
/* Copies what was written to stdout, if is_done, and removes the temporary files.  FALSE and an error
 * if stdout cannot be written or nothing was written. */
gboolean scope_streams_close (ScopeStreams *streams, gboolean is_done, GError **error);
