/* data.c — sources of batches: what all have in common, npz files, a model's own task.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/train/data.h"

#include "engine/base/error.h"
#include "engine/base/random.h"
#include "engine/formats/file.h"
#include "engine/formats/npz.h"
#include "engine/train/data-private.h"

#include <string.h>

/* --- All of them --- */

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

HybData *
hyb_data_new_file (const char *file, const HybFeed *feed, HybModelSpec *spec, GError **error)
{
  g_autoptr (GBytes) bytes = hyb_file_read (file, 0, error);
  gsize         size;
  const guint8 *start = bytes ? g_bytes_get_data (bytes, &size) : NULL;

  if (!bytes)
    return NULL;
  if (size > 4 && memcmp (start, "PK\3\4", 4) == 0)
    return hyb_data_new_npz (file, error);
  if (size > 4 && memcmp (start, "\0\0\x8\3", 4) == 0)
    return hyb_data_new_idx (file, feed, error);
  return hyb_data_new_text (file, feed, spec, error);
}

/* --- npz --- */

typedef struct
{
  HybData        parent;
  HybTensorList *list;
  gint64         n;
} NpzData;

static guint64
npz_n_batches (HybData *data, gboolean held_out)
{
  return held_out ? 0 : (guint64) ((NpzData *) data)->n;
}

static GHashTable *
npz_batch (HybData *data, guint64 index, gboolean held_out, GError **error)
{
  NpzData    *self = (NpzData *) data;
  GHashTable *batch = hyb_batch_new ();

  for (guint i = 0; i < hyb_tensor_list_n (self->list); i++)
    {
      const HybNamedTensor *entry = hyb_tensor_list_get (self->list, i);
      HybType               type = *hyb_tensor_get_type (entry->tensor);
      gsize                 row;

      type.shape.rank--;
      memmove (type.shape.dim, type.shape.dim + 1, sizeof (gint64) * (gsize) type.shape.rank);
      row = (gsize) (index % (guint64) self->n) * hyb_type_bytes (&type);
      g_hash_table_insert (batch,
                           g_strdup (entry->name),
                           hyb_tensor_new_view (entry->tensor, &type, row));
    }
  return batch;
}

static void
npz_finish (HybData *data)
{
  hyb_tensor_list_unref (((NpzData *) data)->list);
}

static const HybDataClass npz_class = { npz_n_batches, npz_batch, npz_finish };

HybData *
hyb_data_new_npz (const char *file, GError **error)
{
  g_autoptr (HybTensorList) list = hyb_npz_read_file (file, error);
  NpzData *self;
  gint64   n = -1;

  if (!list)
    return NULL;
  for (guint i = 0; i < hyb_tensor_list_n (list); i++)
    {
      const HybNamedTensor *entry = hyb_tensor_list_get (list, i);
      const HybShape       *shape = entry->tensor ? hyb_tensor_get_shape (entry->tensor) : NULL;
      gint64                own = shape && shape->rank > 0 ? shape->dim[0] : 0;

      if (own < 1 || (n >= 0 && own != n))
        {
          hyb_error_at (error,
                        HYB_FORMAT_ERROR,
                        HYB_FORMAT_ERROR_MALFORMED,
                        file,
                        "The first axis of all arrays counts the batches",
                        "“%s” holds %" G_GINT64_FORMAT " batches%s",
                        entry->name,
                        own,
                        n >= 0 ? ", others another number" : "");
          return NULL;
        }
      n = own;
    }
  if (n < 1)
    {
      hyb_error_at (error,
                    HYB_FORMAT_ERROR,
                    HYB_FORMAT_ERROR_MALFORMED,
                    file,
                    NULL,
                    "the archive holds no arrays");
      return NULL;
    }

  self = g_new0 (NpzData, 1);
  self->parent.klass = &npz_class;
  self->parent.description = g_strdup_printf ("%" G_GINT64_FORMAT " batches of %s", n, file);
  self->list = g_steal_pointer (&list);
  self->n = n;
  return &self->parent;
}

/* --- A model's own task --- */

typedef struct
{
  HybData       parent;
  HybModelSpec *spec; /* the caller's */
  guint64       seed;
  HybType       label;
} TaskData;

static guint64
task_n_batches (HybData *data, gboolean held_out)
{
  guint n = ((TaskData *) data)->spec->klass->task.steps;

  return held_out ? MAX (n / 10, 1) : MAX (n, 1);
}

static GHashTable *
task_batch (HybData *data, guint64 index, gboolean held_out, GError **error)
{
  TaskData              *self = (TaskData *) data;
  HybModelSpec          *spec = self->spec;
  guint                  n = spec->types->len;
  g_autofree HybType    *types = g_new (HybType, n + 1);
  g_autofree HybTensor **inputs = g_new0 (HybTensor *, n + 1);
  g_autoptr (GHashTable) batch = hyb_batch_new ();
  HybBatch to_fill = {
    .seed = held_out ? ~self->seed : self->seed, .step = index, .n_inputs = n, .inputs = inputs
  };

  memcpy (types, spec->types->data, n * sizeof *types);
  types[n] = self->label;
  if (spec->klass->task.vary)
    spec->klass->task.vary (spec->options, index, types);
  for (guint i = 0; i < n; i++)
    {
      inputs[i] = hyb_batch_add (batch, hyb_model_spec_input_name (spec, i), &types[i], error);
      if (!inputs[i])
        return NULL;
    }
  if (self->label.shape.rank >= 0)
    {
      to_fill.label = hyb_batch_add (batch, "label", &types[n], error);
      if (!to_fill.label)
        return NULL;
    }
  spec->klass->task.fill (spec->options, &to_fill);
  return g_steal_pointer (&batch);
}

static const HybDataClass task_class = { task_n_batches, task_batch, NULL };

HybData *
hyb_data_new_task (HybModelSpec *spec, guint64 seed, GError **error)
{
  HybType   label;
  TaskData *self;

  if (!spec->klass->task.fill)
    {
      hyb_error_at (error,
                    HYB_GRAPH_ERROR,
                    HYB_GRAPH_ERROR_MISSING,
                    spec->klass->name,
                    "Give batches with --data",
                    "the model brings no data of its own");
      return NULL;
    }
  if (!hyb_model_spec_label_type (spec, &label, error))
    return NULL;
  self = g_new0 (TaskData, 1);
  self->parent.klass = &task_class;
  self->parent.description = g_strdup_printf ("%s's synthetic set", spec->klass->name);
  self->spec = spec;
  self->seed = seed;
  self->label = label;
  return &self->parent;
}
