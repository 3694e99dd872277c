/* data-private.h — the base of all sources of batches.
 *
 * A source is a struct that begins with HybData and has a const HybDataClass of its own.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/train/data.h"

/* The functions of a kind of source; see the functions of data.h with the same names. */
typedef struct
{
  guint64 (*n_batches) (HybData *data, gboolean held_out);
  GHashTable *(*batch) (HybData *data, guint64 index, gboolean held_out, GError **error);
  void (*finish) (HybData *data); /* frees the members that the source added to HybData; may be
                                   * NULL */
} HybDataClass;

struct _HybData
{
  const HybDataClass *klass;
  char               *description;
  gboolean            is_continuous;
  HybCorpus          *corpus; /* of texts; else NULL */
};

GHashTable *hyb_batch_new (void); /* a table that owns its names and tensors */
/* Adds a tensor of zeros and returns it (transfer none); NULL and an error if memory is short. */
HybTensor *hyb_batch_add (GHashTable *batch, const char *name, const HybType *type, GError **error);
