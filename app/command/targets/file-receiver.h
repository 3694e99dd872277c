/* file-receiver.h — takes files out of frames, within limits.
 *
 * The owner says where a file goes, by its name; nothing else makes a file.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/targets/frames.h"

/* On a target, files lie in folders of this name with a number, one for each folder that they come from. */
#define SCOPE_FILE_FOLDER "hscope-file-"

typedef struct
{
  /* Opens a file for that name, which is safe.  -1 and an error: there is to be none. */
  int (*open) (gpointer data, const char *name, GError **error);
  /* All bytes of the file are there.  Closes it. */
  gboolean (*finish) (gpointer data, const char *name, int file, GError **error);
  gpointer data;

  /* The receiver's own; begin with 0, and file with -1. */
  char   *name;
  int     file;
  guint64 left;    /* bytes of the file that are still to come */
  guint64 n_bytes; /* of all files */
  guint   n_files;
} ScopeFileReceiver;

/* Takes a frame of the kinds FILE and DATA. */
gboolean
scope_file_receiver_take (ScopeFileReceiver *receiver, const ScopeFrame *frame, GError **error);
/* Closes a file that is not complete. */
void scope_file_receiver_clear (ScopeFileReceiver *receiver);

/* Whether a name from elsewhere is that of a file in such a folder: “hscope-file-0/net.json”, and so neither absolute nor with
 * “..”. */
gboolean scope_file_name_is_safe (const char *name);
