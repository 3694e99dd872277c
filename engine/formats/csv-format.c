/* csv-format.c — writes one array as a table of numbers separated by commas, for spreadsheets and scripts.
 *
 * A row of the array is a line; a vector has one number in each line.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/file.h"
#include "engine/formats/format.h"
#include "engine/tensor/tensor-text.h"

static gboolean
check_list (HybTensorList *list, const HybNamedTensor **entry, GError **error)
{
  guint n = hyb_tensor_list_n (list);

  *entry = n == 1 ? hyb_tensor_list_get (list, 0) : NULL;
  if (n != 1 || !(*entry)->tensor)
    return hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_UNKNOWN, NULL, "Name it *.npz",
                         "a CSV file holds one array, and there are %u", n);
  if (hyb_tensor_get_shape ((*entry)->tensor)->rank > 2)
    return hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_UNKNOWN, NULL,
                         "Name it *.npy or *.npz",
                         "a CSV file has at most two dimensions, and “%s” has %d", (*entry)->name,
                         hyb_tensor_get_shape ((*entry)->tensor)->rank);
  return TRUE;
}

static gboolean
write_csv (HybTensorList *list, GOutputStream *out, GError **error)
{
  g_autoptr (GString) line = g_string_new (NULL);
  const HybNamedTensor *entry;
  const HybShape       *shape;
  gint64                n_rows, n_columns;

  if (!check_list (list, &entry, error))
    return FALSE;
  shape = hyb_tensor_get_shape (entry->tensor);
  n_rows = shape->rank > 0 ? shape->dim[0] : 1;
  n_columns = shape->rank > 1 ? shape->dim[1] : 1;
  for (gint64 row = 0; row < n_rows; row++)
    {
      g_string_truncate (line, 0);
      for (gint64 column = 0; column < n_columns; column++)
        {
          if (column > 0)
            g_string_append_c (line, ',');
          hyb_tensor_append_text (line, entry->tensor, row * n_columns + column);
        }
      g_string_append_c (line, '\n');
      if (!hyb_file_write (out, line->str, line->len, error))
        return FALSE;
    }
  return TRUE;
}

const HybFormat hyb_format_csv = {
  .id = "csv",
  .patterns = (const char *[]){ "*.csv", NULL },
  .write_weights = write_csv,
};
