/* data.c — shared parts of all sources of batches.
 *
 * A source is a struct that begins with HybData and has a HybDataClass (data-private.h); see
 * data-npz.c, data-idx.c, data-text.c and data-task.c.  data-open.c chooses one for a file.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/train/data-private.h"

static void
unref_tensor (gpointer tensor)
{
  hyb_tensor_unref (tensor);
}

GHashTable *
hyb_batch_new (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, unref_tensor);
}

HybTensor *
hyb_batch_add (GHashTable *batch, const char *name, const HybType *type, GError **error)
{
  HybTensor *tensor = hyb_tensor_new_zeros (type, error);

  if (tensor)
    g_hash_table_insert (batch, g_strdup (name), tensor);
  return tensor;
}

void
hyb_data_free (HybData *data)
{
  if (!data)
    return;
  if (data->klass->finish)
    data->klass->finish (data);
  hyb_corpus_free (data->corpus);
  g_free (data->description);
  g_free (data);
}

guint64
hyb_data_n_batches (HybData *data, gboolean held_out)
{
  return data->klass->n_batches (data, held_out);
}

GHashTable *
hyb_data_get_batch (HybData *data, guint64 index, gboolean held_out, GError **error)
{
  return data->klass->batch (data, index, held_out, error);
}

gboolean
hyb_data_is_continuous (HybData *data)
{
  return data->is_continuous;
}

const char *
hyb_data_get_description (HybData *data)
{
  return data->description;
}

HybCorpus *
hyb_data_get_corpus (HybData *data)
{
  return data->corpus;
}
