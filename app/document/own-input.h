/* own-input.h — a file of the user as the input of a run: arrays as they are, a picture or numbers of a csv file in the
 * shape that the model takes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/document/document.h"

typedef struct
{
  char *path; /* of the arrays, as hscope run --input takes them */
  char *note; /* the conversion of the file, as a sentence */
} ScopeOwnInput;

/* Accepts NULL. */
void scope_own_input_free (ScopeOwnInput *input);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ScopeOwnInput, scope_own_input_free)

/* TRUE if the name of a file ends like a picture, arrays or a table of numbers. */
gboolean scope_own_input_is_named (const char *path);
/* Whether a file of arrays holds inputs instead of parameters: one of its names is an input of the model. */
gboolean scope_own_input_has_inputs (const char *path, ScopeDocument *document);

/* Reads a file in a worker.  The array from a picture or a table is written to folder. */
void scope_own_input_read_async (const char         *path,
                                 ScopeDocument      *document,
                                 const char         *folder,
                                 GAsyncReadyCallback callback,
                                 gpointer            user_data);
/* (transfer full) NULL and an error: the file cannot be read, or does not fit. */
ScopeOwnInput *scope_own_input_read_finish (GAsyncResult *result, GError **error);
