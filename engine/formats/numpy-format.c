/* numpy-format.c — NumPy's two file formats: archives of arrays (npz) and single arrays (npy).
 *
 * The readers and writers are in npz.c and npy.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/error.h"
#include "engine/formats/file.h"
#include "engine/formats/format.h"
#include "engine/formats/npy.h"
#include "engine/formats/npz.h"

/* Makes a finding of the error of a reader that does not report findings itself. */
static void
report_trouble (HybFinding **trouble, const char *where, GError *const *error)
{
  if (!trouble)
    return;

  *trouble = hyb_finding_new ("truncated", HYB_SEVERITY_ERROR, "%s",
                              error && *error ? (*error)->message : "unreadable");
  (*trouble)->file = g_strdup (where);
  if (error && *error)
    (*trouble)->remedy = hyb_error_get_remedy (*error);
}

static HybTensorList *
read_npz (GBytes *bytes, const char *where, HybFinding **trouble, GError **error)
{
  HybTensorList *list = hyb_npz_read (bytes, where, error);

  if (!list)
    report_trouble (trouble, where, error);
  return list;
}

/* An npy file holds one array without a name; it is called "0". */
static HybTensorList *
read_npy (GBytes *bytes, const char *where, HybFinding **trouble, GError **error)
{
  g_autoptr (HybTensor) tensor = hyb_npy_read (bytes, where, error);
  HybTensorList *list;

  if (!tensor)
    {
      report_trouble (trouble, where, error);
      return NULL;
    }

  list = hyb_tensor_list_new ();
  hyb_tensor_list_set (list, "0", tensor);
  return list;
}

static gboolean
write_npy (HybTensorList *list, GOutputStream *out, GError **error)
{
  guint      n = hyb_tensor_list_n (list);
  HybTensor *given = n == 1 ? hyb_tensor_list_get (list, 0)->tensor : NULL;
  HybDType   dtype;
  g_autoptr (HybTensor) tensor = NULL;
  g_autoptr (GBytes) head = NULL;
  gsize         n_head;
  gconstpointer head_data;

  if (!given)
    return hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_UNKNOWN, NULL, "Name it *.npz",
                         "an npy file holds one array, and there are %u", n);
  dtype = hyb_tensor_get_dtype (given);
  tensor = hyb_tensor_convert (given, dtype == HYB_BF16 ? HYB_F32 : dtype);
  if (!tensor)
    return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MEMORY, NULL, NULL,
                         "not enough memory to convert “%s” to float32",
                         hyb_tensor_list_get (list, 0)->name);
  head = hyb_npy_make_header (hyb_tensor_get_type (tensor));
  head_data = g_bytes_get_data (head, &n_head);
  return hyb_file_write (out, head_data, n_head, error) &&
         (hyb_tensor_get_bytes (tensor) == 0 ||
          hyb_file_write (out, hyb_tensor_get_data (tensor), hyb_tensor_get_bytes (tensor), error));
}

const HybFormat hyb_format_npz = {
  .id = "npz",
  .patterns = (const char *[]){ "*.npz", NULL },
  .sniff = HYB_SNIFF_ZIP,
  .read_weights = read_npz,
  .write_weights = hyb_npz_write,
};

const HybFormat hyb_format_npy = {
  .id = "npy",
  .patterns = (const char *[]){ "*.npy", NULL },
  .sniff = HYB_SNIFF_NPY,
  .read_weights = read_npy,
  .write_weights = write_npy,
};
