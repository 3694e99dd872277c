/* numpy-format.c — NumPy's two file formats: archives of arrays (npz) and single arrays (npy).
 *
 * The readers and writers are in npz.c and npy.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/format.h"
#include "engine/formats/npy.h"
#include "engine/formats/npz.h"

/* Makes a finding of the error of a reader that does not report findings itself. */
static void
report_trouble (HybFinding **trouble, const char *where, GError *const *error)
{
  if (!trouble)
    return;

  *trouble = hyb_finding_new ("truncated",
                              HYB_SEVERITY_ERROR,
                              "%s",
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
};
