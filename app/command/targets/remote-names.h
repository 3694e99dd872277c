/* remote-names.h — the files that go to a target and come back, and their names there.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/targets/remote-file.h"

typedef struct
{
  GPtrArray *folders; /* of char *, as the user wrote them: "", "models/" */
  GPtrArray *files;   /* of ScopeRemoteFile, to send */
  GPtrArray *outputs; /* of ScopeRemoteFile, that the command writes */
} ScopeRemoteNames;

/* Without files.  (transfer full) */
ScopeRemoteNames *scope_remote_names_new (void);
/* Frees the names. */
void scope_remote_names_free (ScopeRemoteNames *names);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ScopeRemoteNames, scope_remote_names_free)

/* Adds a file to send.  Its name there, owned by names. */
const char *scope_remote_names_add_file (ScopeRemoteNames *names, const char *path);
/* Adds a file that the command writes, or the common beginning of several names.  Its name there, owned by
 * names. */
const char *
scope_remote_names_add_output (ScopeRemoteNames *names, const char *path, gboolean is_prefix);
/* Adds the files that exist of all outputs, for a command that continues them. */
void scope_remote_names_add_old_outputs (ScopeRemoteNames *names);

/* Where a file that came back goes.  (transfer full) NULL: it was not requested. */
char *scope_remote_names_resolve (const ScopeRemoteNames *names, const char *name);
/* The path of an output that is not among files, prefixes left out; NULL: there is none. */
const char *scope_remote_names_find_missing (const ScopeRemoteNames *names, const GPtrArray *files);

/* Fills in the sizes of the files to send.  FALSE: one is not a regular file. */
gboolean scope_remote_names_measure (const ScopeRemoteNames *names, GError **error);
/* Copies files that came back, and lie in a folder, to their places. */
gboolean scope_remote_names_place (const ScopeRemoteNames *names,
                                   const GPtrArray        *files,
                                   int                     folder,
                                   GError                **error);

/* A line “hscope-file-N TAB FOLDER” for each folder.  (transfer full) */
char *scope_remote_names_dup_folders (const ScopeRemoteNames *names);
/* The text with the names of folders here in place of the names there.  is_json: inside of strings.  (transfer
 * full) */
char *
scope_remote_names_restore (const ScopeRemoteNames *names, const char *text, gboolean is_json);
