/* data.h — where batches come from: arrays of an npz file, MNIST's idx files, a text,
 * or a model's own synthetic set.
 *
 * Batch number i is a function of i, the seed and the data alone, so that a run that
 * was interrupted goes on as if it had not been.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/block/plugin.h"
#include "engine/train/corpus.h"

G_BEGIN_DECLS

typedef struct _HybData HybData;

/* What the model wants to be fed with. */
typedef struct
{
  guint              n_inputs; /* carried states left out */
  const char *const *names;
  const HybType     *types;     /* unknown ones are learnt from the data where that is possible */
  HybType            label;     /* unknown: follows from the data */
  guint              n_classes; /* of a text: how many tokens the model knows; 0: all */
  guint64            seed;
} HybFeed;

/* Arrays named as the inputs, plus “label”; their first axis counts batches. */
HybData *hyb_data_new_npz (const char *file, GError **error);
/* Images (*-images-idx3-ubyte, perhaps .gz) with the labels beside them; the last tenth is
 * held out, or the t10k files if they are there. */
HybData *hyb_data_new_idx (const char *file, const HybFeed *feed, GError **error);
/* Characters of a text: steps along the first axis, one stretch of the text for each of the
 * second.  The last tenth is held out.  spec: varies the types; may be NULL. */
HybData *
hyb_data_new_text (const char *file, const HybFeed *feed, HybModelSpec *spec, GError **error);
/* The task of a gallery model or plug-in. */
HybData *hyb_data_new_task (HybModelSpec *spec, guint64 seed, GError **error);
/* Any file: npz and idx by their first bytes, everything else is a text. */
HybData      *
hyb_data_new_file (const char *file, const HybFeed *feed, HybModelSpec *spec, GError **error);
void hyb_data_free (HybData *data);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybData, hyb_data_free)

/* Of one epoch; held out ones: perhaps 0. */
guint64 hyb_data_n_batches (HybData *data, gboolean held_out);
/* Number index since training began (epochs follow each other), or of those held out.
 * char * to HybTensor, (transfer full). */
GHashTable *hyb_data_get_batch (HybData *data, guint64 index, gboolean held_out, GError **error);
/* TRUE: batches follow each other within an epoch, states are carried across them. */
gboolean    hyb_data_is_continuous (HybData *data);
const char *hyb_data_get_description (HybData *data);
/* The text behind it; NULL: it is none. */
HybCorpus *hyb_data_get_corpus (HybData *data);

G_END_DECLS
