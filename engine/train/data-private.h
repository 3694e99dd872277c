/* data-private.h — what a source of batches is inside.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/train/data.h"

typedef struct
{
  guint64 (*n_batches) (HybData *data, gboolean held_out);
  GHashTable *(*batch) (HybData *data, guint64 index, gboolean held_out, GError **error);
  void (*finish) (HybData *data);
} HybDataClass;

struct _HybData
{
  const HybDataClass *klass;
  char               *description;
  gboolean            is_continuous;
  HybCorpus          *corpus;
};

GHashTable *hyb_batch_new (void); /* owns names and tensors */
/* Adds zeros of this type and lends them; NULL and an error if memory is short. */
HybTensor *hyb_batch_add (GHashTable *batch, const char *name, const HybType *type, GError **error);
