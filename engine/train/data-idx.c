/* data-idx.c — batches from MNIST's idx files: images and labels as unsigned bytes after a header.
 *
 * Training images are shuffled anew for each epoch; labels come from the file beside the images.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/base/error.h"
#include "engine/base/random.h"
#include "engine/formats/file.h"
#include "engine/train/data-private.h"

#include <string.h>

/* A file of images and its file of labels. */
typedef struct
{
  GBytes       *image_bytes, *label_bytes;
  const guint8 *images, *labels;
  gint64        n, pixels; /* images, and pixels of each */
} IdxPair;

typedef struct
{
  HybData  parent;
  IdxPair  train, test; /* if test.n is 0 the last tenth of train is held out */
  char    *input;
  HybType  type;
  HybDType label_dtype;
  guint64  seed;
  guint64  shuffled_epoch; /* the epoch that `order` is for; G_MAXUINT64: none */
  guint32 *order;          /* the training images in the order of the epoch */
} IdxData;

static gint64
read_be32 (const guint8 *at)
{
  return (gint64) at[0] << 24 | at[1] << 16 | at[2] << 8 | at[3];
}

/* Returns the elements after the header of an array of bytes of this rank, and its dimensions;
 * NULL and an error if it is not one. */
static const guint8 *
read_idx (GBytes *bytes, const char *file, int rank, gint64 *dims, GError **error)
{
  gsize         size;
  const guint8 *data = g_bytes_get_data (bytes, &size);
  gsize         header = 4 + 4 * (gsize) rank, elements = 1;

  if (size < header || data[0] != 0 || data[1] != 0 || data[2] != 8 || data[3] != rank)
    {
      hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MALFORMED, file, NULL,
                    "not an idx file of bytes with %d dimensions", rank);
      return NULL;
    }
  for (int i = 0; i < rank; i++)
    {
      dims[i] = read_be32 (data + 4 + 4 * i);
      if (dims[i] == 0)
        {
          hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MALFORMED, file, NULL,
                        "dimension %d in the header is 0", i);
          return NULL;
        }
      if (!g_size_checked_mul (&elements, elements, (gsize) dims[i]))
        elements = G_MAXSIZE;
    }
  if (elements > size - header)
    {
      hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MALFORMED, file, NULL,
                    "the header declares %" G_GSIZE_FORMAT
                    " elements, but the file has %" G_GSIZE_FORMAT,
                    elements, size - header);
      return NULL;
    }
  return data + header;
}

/* Returns the file of labels: "…/t10k-labels-idx1-ubyte" for "…/t10k-images-idx3-ubyte". */
static char *
labels_beside (const char *file)
{
  g_autofree char *folder = g_path_get_dirname (file);
  g_autoptr (GString) name = g_string_new (NULL);
  g_autofree char *base = g_path_get_basename (file);

  g_string_assign (name, base);
  g_string_replace (name, "images", "labels", 0);
  g_string_replace (name, "idx3", "idx1", 0);
  return g_build_filename (folder, name->str, NULL);
}

static gboolean
open_pair (IdxPair *pair, const char *file, GError **error)
{
  g_autofree char *labels = labels_beside (file);
  gint64           image_dims[3], label_dims[1];

  pair->image_bytes = hyb_file_read (file, 0, error);
  pair->label_bytes = pair->image_bytes ? hyb_file_read (labels, 0, error) : NULL;
  if (!pair->label_bytes)
    return FALSE;
  pair->images = read_idx (pair->image_bytes, file, 3, image_dims, error);
  pair->labels = pair->images ? read_idx (pair->label_bytes, labels, 1, label_dims, error) : NULL;
  if (!pair->labels)
    return FALSE;
  if (image_dims[0] != label_dims[0])
    return hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MISMATCH, labels, NULL,
                         "%" G_GINT64_FORMAT " labels for %" G_GINT64_FORMAT " images",
                         label_dims[0], image_dims[0]);
  pair->n = image_dims[0];
  pair->pixels = image_dims[1] * image_dims[2];
  return TRUE;
}

static void
close_pair (IdxPair *pair)
{
  g_clear_pointer (&pair->image_bytes, g_bytes_unref);
  g_clear_pointer (&pair->label_bytes, g_bytes_unref);
}

static gint64
n_training_images (const IdxData *self)
{
  return self->test.n > 0 ? self->train.n : self->train.n - self->train.n / 10;
}

static guint64
idx_n_batches (HybData *data, gboolean held_out)
{
  IdxData *self = (IdxData *) data;
  gint64   n = n_training_images (self);

  if (held_out)
    n = self->test.n > 0 ? self->test.n : self->train.n - n;
  return (guint64) (n / self->type.shape.dim[0]);
}

/* Shuffles the training images by the Fisher–Yates method with a seed of the epoch. */
static void
shuffle (IdxData *self, guint64 epoch)
{
  guint64 seed = hyb_random_mix (self->seed, epoch);
  guint32 n = (guint32) n_training_images (self);

  if (self->shuffled_epoch == epoch)
    return;
  self->shuffled_epoch = epoch;
  for (guint32 i = 0; i < n; i++)
    self->order[i] = i;
  for (guint32 i = n; i > 1; i--)
    {
      guint32 k = (guint32) (hyb_random_uniform (seed, i) * i), kept = self->order[i - 1];

      self->order[i - 1] = self->order[k];
      self->order[k] = kept;
    }
}

static void
copy_sample (const IdxPair *pair, gint64 from, HybTensor *image, HybTensor *label, gint64 to)
{
  HybDType dtype = hyb_tensor_get_dtype (image);

  for (gint64 i = 0; i < pair->pixels; i++)
    hyb_dtype_set_double (hyb_tensor_get_data (image), dtype, (gsize) (to * pair->pixels + i),
                          pair->images[from * pair->pixels + i] / 255.0);
  hyb_dtype_set_double (hyb_tensor_get_data (label), hyb_tensor_get_dtype (label), (gsize) to,
                        pair->labels[from]);
}

static GHashTable *
idx_batch (HybData *data, guint64 index, gboolean held_out, GError **error)
{
  IdxData *self = (IdxData *) data;
  g_autoptr (GHashTable) batch = hyb_batch_new ();
  guint64    per_epoch = idx_n_batches (data, FALSE);
  gint64     size = self->type.shape.dim[0];
  HybType    label_type = { hyb_shape_1d (size), self->label_dtype };
  HybTensor *image = hyb_batch_add (batch, self->input, &self->type, error);
  HybTensor *label = image ? hyb_batch_add (batch, "label", &label_type, error) : NULL;

  if (!label)
    return NULL;
  if (!held_out)
    shuffle (self, index / per_epoch);
  for (gint64 i = 0; i < size; i++)
    {
      gint64 at = (gint64) (held_out ? index : index % per_epoch) * size + i;

      if (!held_out)
        copy_sample (&self->train, self->order[at], image, label, i);
      else if (self->test.n > 0)
        copy_sample (&self->test, at, image, label, i);
      else
        copy_sample (&self->train, n_training_images (self) + at, image, label, i);
    }
  return g_steal_pointer (&batch);
}

static void
idx_finish (HybData *data)
{
  IdxData *self = (IdxData *) data;

  close_pair (&self->train);
  close_pair (&self->test);
  g_free (self->input);
  g_free (self->order);
}

static const HybDataClass idx_class = { idx_n_batches, idx_batch, idx_finish };

/* Whether the images fit the only input of the model, with at least one batch of them. */
static gboolean
check_fit (const IdxData *self, const HybFeed *feed, const char *file, GError **error)
{
  const HybShape *shape = feed->n_inputs == 1 ? &feed->types[0].shape : NULL;

  if (shape && hyb_shape_is_known (shape) && shape->rank > 1 && shape->dim[0] > 0 &&
      hyb_shape_count (shape, 1, shape->rank) == self->train.pixels)
    return shape->dim[0] <= n_training_images (self) ||
           hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MISMATCH, file,
                         "Use smaller batches",
                         "one batch needs %" G_GINT64_FORMAT
                         " images, but there are %" G_GINT64_FORMAT " for training",
                         shape->dim[0], n_training_images (self));
  return hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MISMATCH, file,
                       "Give its shape with --shape NAME=32,1,28,28",
                       "the model has no input for images of %" G_GINT64_FORMAT
                       " pixels (batch axis first)",
                       self->train.pixels);
}

HybData *
hyb_data_new_idx (const char *file, const HybFeed *feed, GError **error)
{
  g_autoptr (GString) test = g_string_new (file);
  IdxData *self = g_new0 (IdxData, 1);

  self->parent.klass = &idx_class;
  g_string_replace (test, "train-", "t10k-", 0);
  if (!open_pair (&self->train, file, error) ||
      (strcmp (test->str, file) != 0 && g_file_test (test->str, G_FILE_TEST_EXISTS) &&
       !open_pair (&self->test, test->str, error)) ||
      !check_fit (self, feed, file, error))
    {
      hyb_data_free (&self->parent);
      return NULL;
    }
  if (self->test.pixels != self->train.pixels)
    self->test.n = 0;
  self->parent.description =
      g_strdup_printf ("%" G_GINT64_FORMAT " images of %s", self->train.n, file);
  self->input = g_strdup (feed->names[0]);
  self->type = feed->types[0];
  if (self->type.dtype == HYB_DTYPE_UNKNOWN)
    self->type.dtype = HYB_F32;
  self->label_dtype = feed->label.dtype != HYB_DTYPE_UNKNOWN ? feed->label.dtype : HYB_F32;
  self->seed = feed->seed;
  self->shuffled_epoch = G_MAXUINT64;
  self->order = g_new (guint32, MAX (n_training_images (self), 1));
  return &self->parent;
}
