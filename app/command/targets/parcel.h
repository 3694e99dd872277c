/* parcel.h — which files go to a target and come back, and what they are called there.
 *
 * Each folder here becomes “hscope-file-N” there.  Nothing that comes back is written except what was asked for.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

typedef struct
{
  char *path; /* here */
  char *name; /* there */
} ScopeParcelFile;

typedef struct
{
  char    *path, *name;
  gboolean has_arrived; /* written here */
  gboolean is_prefix;   /* of several files */
} ScopeParcelOutput;

typedef struct
{
  GPtrArray *folders; /* of char *, as the user wrote them: "", "models/" */
  GPtrArray *files;   /* of ScopeParcelFile, to send */
  GPtrArray *outputs; /* of ScopeParcelOutput */
} ScopeParcel;

/* An empty one.  (transfer full) */
ScopeParcel *scope_parcel_new (void);
/* Frees the parcel. */
void scope_parcel_free (ScopeParcel *parcel);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ScopeParcel, scope_parcel_free)

/* Adds a file to send.  Its name there.  (transfer full) */
char *scope_parcel_add_file (ScopeParcel *parcel, const char *path);
/* Adds a file that the command writes, or what the names of several begin with.  Its name there.  (transfer full) */
char *scope_parcel_add_output (ScopeParcel *parcel, const char *path, gboolean is_prefix);
/* Adds the files that exist of all outputs, for a command that continues them. */
void scope_parcel_add_old_outputs (ScopeParcel *parcel);

/* Notes that the file with this name has been written here. */
void scope_parcel_note_arrival (const ScopeParcel *parcel, const char *name);
/* The path of an output that has not arrived, prefixes left out; NULL: there is none. */
const char *scope_parcel_find_missing (const ScopeParcel *parcel);

/* Where a file that came back goes.  (transfer full) NULL: it was not asked for. */
char *scope_parcel_resolve (const ScopeParcel *parcel, const char *name);
/* A line “hscope-file-N TAB FOLDER” for each folder.  (transfer full) */
char *scope_parcel_dup_names (const ScopeParcel *parcel);
/* The text with the names of folders here in place of those there.  is_json: inside of strings.  (transfer full) */
char *scope_parcel_restore_names (const ScopeParcel *parcel, const char *text, gboolean is_json);
