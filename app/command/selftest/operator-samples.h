/* operator-samples.h — uses of operators with small inputs of odd shapes, which a self-test computes.
 *
 * samples.txt holds the samples of the tests of operators; “ninja write-samples” writes it.  A line has fields
 * with a tab between: the operator, the subject of the sample, “training” if it is for training passes only,
 * else “any”, then attributes as name=value and inputs as “<” and a text of engine/tensor/tensor-text.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

typedef struct
{
  const char *op;
  const char *name;
  gboolean    training_only;
  char      **attributes; /* name, value, …, NULL */
  char      **inputs;     /* NULL-terminated */
  char      **fields;     /* the others point into it */
} ScopeOperatorSample;

/* All samples, in the order of the file.  (transfer full) (element-type ScopeOperatorSample) */
GPtrArray *scope_operator_samples (void);
