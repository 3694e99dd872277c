/* batch-share.c — copies a part of each array of a batch.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/train/batch-share.h"

#include "engine/base/error.h"

#include <string.h>

/* Part number index of n along the axis, which n divides.  (transfer full) */
static HybTensor *
cut (HybTensor *whole, guint axis, guint index, guint n, GError **error)
{
  HybType     type = *hyb_tensor_get_type (whole);
  HybTensor  *part;
  const char *from;
  char       *to;
  gsize       line = hyb_dtype_size (type.dtype), n_lines = 1;

  type.shape.dim[axis] /= n;
  part = hyb_tensor_new (&type, error);
  if (!part)
    return NULL;
  for (int i = 0; i < type.shape.rank; i++)
    if (i < (int) axis)
      n_lines *= (gsize) type.shape.dim[i];
    else
      line *= (gsize) type.shape.dim[i];
  from = (const char *) hyb_tensor_get_data (whole) + index * line;
  to = hyb_tensor_get_data (part);
  for (gsize i = 0; i < n_lines; i++)
    memcpy (to + i * line, from + i * n * line, line);
  return part;
}

gboolean
scope_batch_share (GHashTable *batch, guint axis, guint index, guint n, GError **error)
{
  GHashTableIter iter;
  gpointer       name, tensor;

  g_hash_table_iter_init (&iter, batch);
  while (g_hash_table_iter_next (&iter, &name, &tensor))
    {
      const HybShape *shape = hyb_tensor_get_shape (tensor);
      HybTensor      *part;

      if (shape->rank <= (int) axis || shape->dim[axis] % n != 0)
        {
          g_autofree char *text = hyb_shape_to_string (shape);

          return hyb_error_at (
              error,
              HYB_GRAPH_ERROR,
              HYB_GRAPH_ERROR_TYPES,
              NULL,
              "Choose another number of processes or another batch size, or name the "
              "axis with --batch-axis",
              "--data-parallel: “%s” of shape %s cannot be divided among %u processes "
              "along axis %u",
              (const char *) name,
              text,
              n,
              axis);
        }
      part = cut (tensor, axis, index, n, error);
      if (!part)
        return FALSE;
      g_hash_table_iter_replace (&iter, part);
    }
  return TRUE;
}
