/* tar-stream.h — announced files as an uncompressed ustar stream, in their order, each called by its number.
 *
 * The reader accepts only the announced files: regular files, in that order, of that size.  Anything else ends it.  That
 * is why tar is not run: it takes links, other names and whatever else the other machine sends.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/targets/remote-file.h"

/* Opens a regular file and finds its size.  -1 and an error: there is none. */
int scope_open_regular (const char *path, guint64 *size, GError **error);

/* Writes all files, which are opened by name below folder, and the end of the stream.  folder: an empty text: by their path.
 * FALSE: the pipe has no reader (G_IO_ERROR_BROKEN_PIPE), or a file cannot be read, or is not as it was announced. */
gboolean scope_tar_write (int to, const GPtrArray *files, const char *folder, GError **error);

typedef struct
{
  const GPtrArray *files;  /* of ScopeRemoteFile: the announced files */
  int              folder; /* where they are made, in folders of their own */
  gboolean         is_complete;

  /* The reader's own; begin with 0, and file with -1. */
  guint8  block[512];
  gsize   n_block;
  guint   n_done, n_zeros; /* files that are complete; blocks of the end */
  int     file;
  guint64 left; /* bytes of the file that are still to come */
  gsize   padding;
} ScopeTarReader;

/* Begins to read. */
void scope_tar_reader_init (ScopeTarReader *reader, const GPtrArray *files, int folder);
/* Takes the next bytes; bytes after the end are ignored.  FALSE if they differ from the announcement, or a file cannot be
 * made. */
gboolean
scope_tar_reader_take (ScopeTarReader *reader, const guint8 *data, gsize n, GError **error);
/* Closes a file that is not complete. */
void scope_tar_reader_clear (ScopeTarReader *reader);
