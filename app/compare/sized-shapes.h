/* sized-shapes.h — which dimensions of a model's inputs are the batch and the length.
 *
 * Measuring at several sizes needs shapes in which these dimensions can be replaced.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/document/document.h"

/* The replacements. */
typedef struct
{
  gint64   n_steps; /* of the unrolled model; 0: unknown */
  gboolean varies_batch, varies_length;
} ScopeSizedOptions;

/* Replaces the batch in shapes of inputs by B, and the length by T: "data=B,T,4" for "data=2,6,4".  The
 * batch is what can change in all inputs at once without a contradiction.  document: the model in any
 * form, best unrolled.  Shapes without such a dimension stay as they are.  Infers shapes, which takes
 * long for large graphs.  (transfer full) */
char **scope_sized_shapes (ScopeDocument           *document,
                           const char *const       *shapes,
                           const ScopeSizedOptions *options);

/* The same in a worker. */
void scope_sized_shapes_async (ScopeDocument           *document,
                               const char *const       *shapes,
                               const ScopeSizedOptions *options,
                               GAsyncReadyCallback      callback,
                               gpointer                 user_data);
/* (transfer full) */
char **scope_sized_shapes_finish (GAsyncResult *result);
