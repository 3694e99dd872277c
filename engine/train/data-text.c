/* data-text.c — batches from a text: tokens, with the tokens that follow them as labels.
 *
 * The training part is split into as many stretches as a batch has sequences (columns); each batch
 * reads the next steps of every stretch.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/base/error.h"
#include "engine/formats/file.h"
#include "engine/train/data-private.h"

#include <string.h>

typedef struct
{
  HybData       parent;
  HybModelSpec *spec; /* borrowed; may be NULL */
  char         *input;
  HybType       type; /* (steps, columns) */
  HybDType      label_dtype;
  GArray
      *starts; /* of gint64: the first position in its stretch of each training batch of an epoch */
} TextData;

/* Returns the number of steps of training batch `index`. */
static gint64
steps_of (TextData *self, guint64 index)
{
  HybType types[8 + 1];

  if (!self->spec || !self->spec->klass->task.vary || self->spec->types->len > 8)
    return self->type.shape.dim[0];
  memcpy (types, self->spec->types->data, self->spec->types->len * sizeof *types);
  types[self->spec->types->len] = self->type;
  self->spec->klass->task.vary (self->spec->options, index, types);
  return types[0].shape.dim[0];
}

static gint64
length_of_stretch (TextData *self, gboolean held_out)
{
  gsize n, n_train = hyb_corpus_n_train (self->parent.corpus);

  hyb_corpus_get_tokens (self->parent.corpus, &n);
  return (gint64) (held_out ? n - n_train : n_train) / self->type.shape.dim[1];
}

static guint64
text_n_batches (HybData *data, gboolean held_out)
{
  TextData *self = (TextData *) data;

  if (!held_out)
    return self->starts->len;
  return (guint64) MAX ((length_of_stretch (self, TRUE) - 1) / self->type.shape.dim[0], 0);
}

static void
set_token (HybTensor *tensor, gint64 index, guint32 token)
{
  hyb_dtype_set_double (hyb_tensor_get_data (tensor), hyb_tensor_get_dtype (tensor), (gsize) index,
                        token);
}

static GHashTable *
text_batch (HybData *data, guint64 index, gboolean held_out, GError **error)
{
  TextData *self = (TextData *) data;
  g_autoptr (GHashTable) batch = hyb_batch_new ();
  guint64        within = index % self->starts->len;
  gint64         stretch = length_of_stretch (self, held_out), columns = self->type.shape.dim[1];
  gint64         begin = held_out ? (gint64) index * self->type.shape.dim[0]
                                  : g_array_index (self->starts, gint64, within);
  HybType        type = self->type;
  gsize          n;
  const guint32 *tokens = hyb_corpus_get_tokens (data->corpus, &n);
  HybTensor     *input, *label;

  if (!held_out)
    type.shape.dim[0] = steps_of (self, within);
  input = hyb_batch_add (batch, self->input, &type, error);
  type.dtype = self->label_dtype;
  label = input ? hyb_batch_add (batch, "label", &type, error) : NULL;
  if (!label)
    return NULL;
  if (held_out)
    tokens += hyb_corpus_n_train (data->corpus);
  for (gint64 t = 0; t < type.shape.dim[0]; t++)
    for (gint64 column = 0; column < columns; column++)
      {
        const guint32 *at = tokens + column * stretch + begin + t;

        set_token (input, t * columns + column, at[0]);
        set_token (label, t * columns + column, at[1]);
      }
  return g_steal_pointer (&batch);
}

static void
text_finish (HybData *data)
{
  TextData *self = (TextData *) data;

  g_free (self->input);
  g_array_unref (self->starts);
}

static const HybDataClass text_class = { text_n_batches, text_batch, text_finish };

/* Finds the training batches of an epoch. */
static void
find_starts (TextData *self)
{
  gint64 stretch = length_of_stretch (self, FALSE), begin = 0;

  for (guint64 i = 0;; i++)
    {
      gint64 steps = steps_of (self, i);

      /* The label of the last step is one token further. */
      if (steps < 1 || begin + steps + 1 > stretch)
        return;
      g_array_append_val (self->starts, begin);
      begin += steps;
    }
}

HybData *
hyb_data_new_text (const char *file, const HybFeed *feed, HybModelSpec *spec, GError **error)
{
  g_autoptr (GBytes) bytes = NULL;
  TextData *self;
  gsize     size, n;

  if (feed->n_inputs != 1 || feed->types[0].shape.rank != 2 ||
      !hyb_shape_is_known (&feed->types[0].shape) || feed->types[0].shape.dim[1] < 1)
    {
      hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, file,
                    "Give its shape with --shape NAME=35,32, or batches as an npz file",
                    "the model has no single input of shape (steps, sequences) for a text");
      return NULL;
    }
  bytes = hyb_file_read (file, HYB_FILE_TEXT_LIMIT, error);
  if (!bytes)
    return NULL;

  self = g_new0 (TextData, 1);
  self->parent.klass = &text_class;
  self->parent.is_continuous = TRUE;
  self->parent.corpus =
      hyb_corpus_new (g_bytes_get_data (bytes, &size), g_bytes_get_size (bytes), feed->n_classes);
  hyb_corpus_get_tokens (self->parent.corpus, &n);
  self->parent.description =
      g_strdup_printf ("%s: %" G_GSIZE_FORMAT " tokens, %u distinct, the last tenth held out", file,
                       n, hyb_corpus_n_classes (self->parent.corpus));
  self->spec = spec;
  self->input = g_strdup (feed->names[0]);
  self->type = feed->types[0];
  if (self->type.dtype == HYB_DTYPE_UNKNOWN)
    self->type.dtype = HYB_F32;
  self->label_dtype = feed->label.dtype != HYB_DTYPE_UNKNOWN ? feed->label.dtype : HYB_F32;
  self->starts = g_array_new (FALSE, FALSE, sizeof (gint64));
  find_starts (self);
  if (self->starts->len > 0)
    return &self->parent;

  hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MISMATCH, file,
                "Use a longer text, a smaller length or a smaller batch",
                "the text of %" G_GSIZE_FORMAT " tokens is too short for one batch", n);
  hyb_data_free (&self->parent);
  return NULL;
}
