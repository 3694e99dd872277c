/* mending.h — an export as the export doctor would have written it, beside the window.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/document/document.h"

typedef struct
{
  GFile     *symbol;  /* what was written */
  GPtrArray *changes; /* of char *: what differs from the files before */
} ScopeMended;

void scope_mended_free (ScopeMended *mended);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ScopeMended, scope_mended_free)

/* Reads a model's files again, mends what can be and writes PREFIX-symbol.json and
 * PREFIX-0000.params.  params, shapes: (nullable) as for scope_document_open(). */
void         scope_mend_async (const char         *path,
                               const char         *params,
                               const char *const  *shapes,
                               const char         *prefix,
                               GAsyncReadyCallback callback,
                               gpointer            user_data);
ScopeMended *scope_mend_finish (GAsyncResult *result, GError **error);
