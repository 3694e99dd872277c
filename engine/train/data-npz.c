/* data-npz.c — batches from an npz archive: one array for each input, whose first axis counts
 * batches.
 *
 * A batch is a view of one row of each array; there are no held-out batches.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/base/error.h"
#include "engine/formats/npz.h"
#include "engine/train/data-private.h"

#include <string.h>

typedef struct
{
  HybData        parent;
  HybTensorList *list;
  gint64         n; /* batches */
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
      g_hash_table_insert (batch, g_strdup (entry->name),
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
      gint64                n_here = shape && shape->rank > 0 ? shape->dim[0] : 0;
      g_autofree char      *others = NULL;

      if (n_here < 1 || (n >= 0 && n_here != n))
        {
          if (n >= 0)
            others = g_strdup_printf (", but “%s” holds %" G_GINT64_FORMAT,
                                      hyb_tensor_list_get (list, 0)->name, n);
          hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MALFORMED, file,
                        "The first axis of all arrays counts the batches",
                        "“%s” holds %" G_GINT64_FORMAT " batches%s", entry->name, n_here,
                        others ? others : "");
          return NULL;
        }
      n = n_here;
    }
  if (n < 1)
    {
      hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MALFORMED, file, NULL,
                    "the archive has no arrays");
      return NULL;
    }

  self = g_new0 (NpzData, 1);
  self->parent.klass = &npz_class;
  self->parent.description = g_strdup_printf ("%" G_GINT64_FORMAT " batches of %s", n, file);
  self->list = g_steal_pointer (&list);
  self->n = n;
  return &self->parent;
}
