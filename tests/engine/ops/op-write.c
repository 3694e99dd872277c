/* op-write.c — writes samples of operators for hscope selftest; see op-write.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/ops/op-write.h"

#include <stdio.h>

void
op_write_sample (const HybOp *op, const OpSample *sample)
{
  g_auto (GStrv) attributes = NULL;

  if (!g_getenv ("HYB_WRITE_SAMPLES") || sample->body)
    return;
  attributes = op_attributes_from_text (sample->attributes);
  printf ("sample\t%s\t%s\t%s", op->name, sample->name,
          sample->flags & OP_TRAINING_ONLY ? "training" : "any");
  for (guint i = 0; attributes[i]; i += 2)
    printf ("\t%s=%s", attributes[i], attributes[i + 1]);
  for (guint i = 0; i < OP_SAMPLE_MAX_INPUTS && sample->inputs[i]; i++)
    printf ("\t<%s", sample->inputs[i]);
  printf ("\n");
}
