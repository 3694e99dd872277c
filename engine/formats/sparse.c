/* sparse.c — converts sparse arrays to dense ones: stored rows or elements are copied to their place,
 * and everything else is zero.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/sparse.h"

#include "engine/base/error.h"
#include "engine/base/limits.h"
#include "engine/formats/tensor-list.h"

#include <string.h>

static gboolean refuse (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);

static gboolean
refuse (GError **error, const char *format, ...)
{
  g_autofree char *what = NULL;
  va_list          list;

  va_start (list, format);
  what = g_strdup_vprintf (format, list);
  va_end (list);
  return hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MALFORMED, NULL, NULL,
                       "sparse array: %s", what);
}

/* Row-sparse. */
static gboolean
fill_rows (const HybSparse *sparse, HybTensor *dense, GError **error)
{
  const HybShape *shape = &sparse->type.shape;
  gint64          n = hyb_tensor_get_size (sparse->indices);
  gint64          row = hyb_shape_count (shape, 1, shape->rank);
  gsize           row_bytes = (gsize) row * hyb_dtype_size (sparse->type.dtype);
  const guint8   *from = hyb_tensor_get_data (sparse->data);
  guint8         *to = hyb_tensor_get_data (dense);

  if (hyb_tensor_get_size (sparse->data) != n * row)
    return refuse (error,
                   "%" G_GINT64_FORMAT " rows of %" G_GINT64_FORMAT
                   " elements are announced, but %" G_GINT64_FORMAT " elements stored",
                   n, row, hyb_tensor_get_size (sparse->data));

  for (gint64 i = 0; i < n; i++)
    {
      gint64 at = hyb_dtype_get_int (hyb_tensor_get_data (sparse->indices),
                                     hyb_tensor_get_dtype (sparse->indices), (gsize) i);

      if (at < 0 || at >= shape->dim[0])
        return refuse (error, "row %" G_GINT64_FORMAT " is outside its %" G_GINT64_FORMAT " rows",
                       at, shape->dim[0]);
      if (row_bytes > 0)
        memcpy (to + (gsize) at * row_bytes, from + (gsize) i * row_bytes, row_bytes);
    }

  return TRUE;
}

static gint64
integer_at (HybTensor *tensor, gint64 i)
{
  return hyb_dtype_get_int (hyb_tensor_get_data (tensor), hyb_tensor_get_dtype (tensor), (gsize) i);
}

/* CSR. */
static gboolean
fill_elements (const HybSparse *sparse, HybTensor *dense, GError **error)
{
  const HybShape *shape = &sparse->type.shape;
  gint64          n = hyb_tensor_get_size (sparse->indices);
  gsize           size = hyb_dtype_size (sparse->type.dtype);
  const guint8   *from = hyb_tensor_get_data (sparse->data);
  guint8         *to = hyb_tensor_get_data (dense);
  gint64          at = 0;

  if (hyb_tensor_get_size (sparse->data) != n)
    return refuse (error, "%" G_GINT64_FORMAT " columns for %" G_GINT64_FORMAT " elements", n,
                   hyb_tensor_get_size (sparse->data));
  if (hyb_tensor_get_size (sparse->row_starts) != shape->dim[0] + 1)
    return refuse (error, "it does not have one row start more than rows");

  for (gint64 row = 0; row < shape->dim[0]; row++)
    {
      gint64 end = integer_at (sparse->row_starts, row + 1);

      if (end < at || end > n)
        return refuse (error, "row %" G_GINT64_FORMAT " ends at %" G_GINT64_FORMAT, row, end);
      for (; at < end; at++)
        {
          gint64 column = integer_at (sparse->indices, at);

          if (column < 0 || column >= shape->dim[1])
            return refuse (error,
                           "column %" G_GINT64_FORMAT " is outside its %" G_GINT64_FORMAT
                           " columns",
                           column, shape->dim[1]);
          memcpy (to + (gsize) (row * shape->dim[1] + column) * size, from + (gsize) at * size,
                  size);
        }
    }

  return TRUE;
}

HybTensor *
hyb_sparse_to_dense (const HybSparse *sparse, GError **error)
{
  g_autoptr (HybTensor) dense = NULL;
  gsize bytes, total;
  int   rank = sparse->row_starts ? 2 : 1;

  if (sparse->type.shape.rank < rank || (rank == 2 && sparse->type.shape.rank != 2))
    {
      refuse (error, "it has %d dimensions", sparse->type.shape.rank);
      return NULL;
    }
  if (!hyb_shape_is_plausible (&sparse->type.shape))
    {
      refuse (error, "its shape would not fit any memory");
      return NULL;
    }
  if (!hyb_shape_bytes (&sparse->type.shape, sparse->type.dtype, &bytes, error))
    return NULL;
  if (!g_size_checked_add (&total, bytes, *sparse->expanded))
    total = G_MAXSIZE;
  if (!hyb_limits_check_memory (total, sparse->file_bytes, NULL, error))
    {
      g_prefix_error (error, "sparse array: made dense, ");
      return NULL;
    }

  dense = hyb_tensor_new_zeros (&sparse->type, error);
  if (!dense || !(sparse->row_starts ? fill_elements (sparse, dense, error)
                                     : fill_rows (sparse, dense, error)))
    return NULL;

  *sparse->expanded = total;
  return g_steal_pointer (&dense);
}
