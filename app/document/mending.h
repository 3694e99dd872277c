/* mending.h — repairs a model with the rules of the export doctor and writes it to new files.
 *
 * The original files stay as they are.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/document/document.h"

typedef struct
{
  GFile     *symbol;   /* the symbol file that was written; NULL: nothing was to be written */
  GPtrArray *changes;  /* of HybChange */
  char      *conflict; /* the facts that an edit contradicts; NULL: none */
} ScopeMended;

/* Frees the result of a repair. */
void scope_mended_free (ScopeMended *mended);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ScopeMended, scope_mended_free)

typedef struct
{
  const char        *path;   /* of the model */
  const char        *params; /* (nullable) as for scope_document_open() */
  const char *const *shapes; /* (nullable) as for scope_document_open() */
  const char        *prefix; /* of the files to be written; NULL: the changes are only found */

  /* (nullable) NULL-terminated: the name of a node, the operator for it and for all nodes with the same
   * unknown operator, the name of another node … */
  const char *const *replacements;

  /* (nullable) Instead of repairs: the node with this name gets these attributes, key, value, …, NULL. */
  const char        *edited;
  const char *const *attributes;
} ScopeMendOptions;

/* Reads a model again in a worker, repairs it and writes PREFIX-symbol.json and PREFIX-0000.params. */
void scope_mend_async (const ScopeMendOptions *options,
                       GAsyncReadyCallback     callback,
                       gpointer                user_data);
/* (transfer full) NULL and an error: a file cannot be read or written. */
ScopeMended *scope_mend_finish (GAsyncResult *result, GError **error);
