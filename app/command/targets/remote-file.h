/* remote-file.h — files that go to a target or come back: their names there, and how a line of JSON announces them.
 *
 * Each folder here becomes “hscope-file-N” there.  A name from the other end is never a path out of the folder of a run.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/formats/json-reader.h"

/* On a target, files lie in folders of this name with a number, one for each folder that they come from. */
#define SCOPE_FILE_FOLDER "hscope-file-"

typedef struct
{
  char    *name;      /* there: “hscope-file-0/net.json” */
  char    *path;      /* here; NULL: this is the target */
  guint64  size;      /* bytes; 0 for an output that was not written */
  gboolean is_prefix; /* an output: the names of several files begin so */
} ScopeRemoteFile;

/* An empty array that owns its files.  (transfer full) */
GPtrArray *scope_remote_files_new (void);
/* Adds a file; name and path are copied.  Owned by files. */
ScopeRemoteFile *scope_remote_files_add (GPtrArray *files, const char *name, const char *path);

/* Whether a name is that of a file in one folder of the form “hscope-file-N”: neither absolute nor with “..”. */
gboolean scope_remote_name_is_safe (const char *name);

/* Appends the files as a member of a JSON object, with names and sizes. */
void scope_remote_files_append (GString *json, const char *key, const GPtrArray *files);
/* Reads such a member.  (transfer full) NULL: a name is not safe or there twice, or there are more files or bytes than are
 * taken. */
GPtrArray *scope_remote_files_parse (const HybJson *json, const char *key, GError **error);
