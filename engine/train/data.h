/* data.h — sources of training batches: npz archives, MNIST's idx files, texts, or the synthetic
 * task of a model.
 *
 * Batch number i depends only on i, the seed and the data, so that an interrupted run can resume
 * with the same batches.  Start with hyb_data_new_file().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/block/plugin.h"
#include "engine/train/corpus.h"

typedef struct _HybData HybData;

/* The inputs of the model that batches must provide. */
typedef struct
{
  guint              n_inputs; /* without carried states */
  const char *const *names;
  const HybType     *types; /* unknown ones are taken from the data where possible */
  HybType            label; /* unknown: taken from the data */
  guint   n_classes;        /* for texts: the number of tokens in the model's vocabulary; 0: any */
  guint64 seed;
} HybFeed;

/* Opens an npz archive with an array for each input and one called “label”, whose first axes count
 * batches. */
HybData *hyb_data_new_npz (const char *file, GError **error);
/* Opens an idx file of images (*-images-idx3-ubyte, also .gz) and the file of labels beside it.  If
 * the t10k files are there too they are held out, else the last tenth of the images. */
HybData *hyb_data_new_idx (const char *file, const HybFeed *feed, GError **error);
/* Opens a text as tokens, one for each character.  A batch is (steps, sequences); each sequence
 * reads its own stretch of the text, and labels are the next tokens.  The last tenth is held
 * out.  spec: varies the number of steps; may be NULL; must outlive the data. */
HybData *
hyb_data_new_text (const char *file, const HybFeed *feed, HybModelSpec *spec, GError **error);
/* The synthetic task of a gallery model or plug-in; spec must outlive the data. */
HybData *hyb_data_new_task (HybModelSpec *spec, guint64 seed, GError **error);
/* Opens any file: npz and idx are recognised by their first bytes, everything else is a text. */
HybData      *
hyb_data_new_file (const char *file, const HybFeed *feed, HybModelSpec *spec, GError **error);
void hyb_data_free (HybData *data); /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybData, hyb_data_free)

/* Returns the number of training batches of an epoch, or of held-out batches, which may be 0. */
guint64 hyb_data_n_batches (HybData *data, gboolean held_out);
/* Returns training batch number `index`, counted from the start of training over all epochs, or
 * held-out batch number `index`: a table from input names and “label” to HybTensor.  (transfer
 * full) */
GHashTable *hyb_data_get_batch (HybData *data, guint64 index, gboolean held_out, GError **error);
/* Whether each batch continues the one before, so that states can be carried from batch to
 * batch. */
gboolean hyb_data_is_continuous (HybData *data);
/* Returns one line for the user, in English. */
const char *hyb_data_get_description (HybData *data);
/* Returns the corpus of a text; NULL for all other data. */
HybCorpus *hyb_data_get_corpus (HybData *data);
