/* compare-file.h — a comparison as one file: what is compared, how it is shown, and every result.
 *
 * JSON with the documents of hscope compare --json in it; such a document alone can be read, too.
 * Recordings that were measured are in the file, in base64; those of older files lie beside it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <cjson/cJSON.h>
#include <gio/gio.h>

/* The name of a file of a comparison ends in this. */
#define SCOPE_COMPARISON_ENDING ".comparison.json"

typedef struct
{
  char  *path;    /* of the file */
  char  *model;   /* as the child process opens it; NULL: files are compared, or it is unknown */
  char  *params;  /* the parameter file; NULL: the one beside the model */
  char **shapes;  /* of inputs */
  char **files;   /* recordings or models; NULL: forms of a model are compared */
  char **forms;   /* that the panes show; NULL: the usual ones */
  char  *colours; /* "none", "self", "difference"; NULL: the usual ones */
  char        *
      folder; /* temporary, with the recordings of the file, removed with the comparison; NULL: it has none */
  GPtrArray *titles;  /* of char *, one for each result */
  GPtrArray *results; /* of cJSON */
} ScopeSavedComparison;

/* Empty; (transfer full) */
ScopeSavedComparison *scope_saved_comparison_new (const char *path);
/* Accepts NULL. */
void scope_saved_comparison_free (ScopeSavedComparison *comparison);
/* Removes a folder of recordings with its files.  Accepts NULL. */
void scope_saved_comparison_remove_folder (const char *folder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ScopeSavedComparison, scope_saved_comparison_free)

/* TRUE if the beginning of a file is that of a comparison. */
gboolean scope_saved_comparison_sniff (const char *head, gsize length);
/* The comparison in a text.  path: of its file.  (transfer full) NULL and an error if the text is not a comparison. */
ScopeSavedComparison *
scope_saved_comparison_parse (const char *text, const char *path, GError **error);

/* Reads a file in a worker. */
void scope_saved_comparison_read_async (const char         *path,
                                        GCancellable       *cancellable,
                                        GAsyncReadyCallback callback,
                                        gpointer            user_data);
/* (transfer full) NULL and an error: the file cannot be read, or is not a comparison. */
ScopeSavedComparison *scope_saved_comparison_read_finish (GAsyncResult *result, GError **error);

/* Writes a file with the recordings in it, in a worker.  comparison: (transfer full) */
void scope_saved_comparison_write_async (ScopeSavedComparison *comparison,
                                         GAsyncReadyCallback   callback,
                                         gpointer              user_data);
/* The number of recordings that were written; -1 and an error: the file was not written. */
gssize scope_saved_comparison_write_finish (GAsyncResult *result, GError **error);
