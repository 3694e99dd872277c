/* guess-types.h — the guess of an input's shape.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

typedef struct
{
  HybNodeId variable;
  HybShape  known; /* types inferred before the guess */
  HybShape  shape; /* the whole shape */
  char     *reason;
} HybShapeGuess;

/* Sizes that the caller has; 0 or NULL if none. */
typedef struct
{
  const char *file;   /* the model's, whose name can contain a size */
  gint64      batch;  /* samples */
  gint64      length; /* of sequences */
} HybGuessHints;
