/* tensor-list.c — a list of named tensors: an array in order, and a hash table by name.
 *
 * Also makes tensors of bytes of a file (hyb_tensor_from_bytes()).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/tensor-list.h"

#include "engine/base/finding.h"
#include "engine/formats/mapped-file.h"

#include <string.h>

struct _HybTensorList
{
  gatomicrefcount references;
  GPtrArray      *entries; /* of HybNamedTensor */
  GHashTable     *by_name; /* to HybNamedTensor */
  GPtrArray      *findings;
};

static void
entry_free (gpointer data)
{
  HybNamedTensor *entry = data;

  g_clear_pointer (&entry->tensor, hyb_tensor_unref);
  g_free (entry->name);
  g_free (entry);
}

HybTensorList *
hyb_tensor_list_new (void)
{
  HybTensorList *list = g_new0 (HybTensorList, 1);

  g_atomic_ref_count_init (&list->references);
  list->entries = g_ptr_array_new_with_free_func (entry_free);
  list->by_name = g_hash_table_new (g_str_hash, g_str_equal);
  list->findings = hyb_findings_new ();
  return list;
}

HybTensorList *
hyb_tensor_list_ref (HybTensorList *list)
{
  g_return_val_if_fail (list, NULL);
  g_atomic_ref_count_inc (&list->references);
  return list;
}

void
hyb_tensor_list_unref (HybTensorList *list)
{
  if (!list || !g_atomic_ref_count_dec (&list->references))
    return;

  g_hash_table_unref (list->by_name);
  g_ptr_array_unref (list->entries);
  g_ptr_array_unref (list->findings);
  g_free (list);
}

void
hyb_tensor_list_set (HybTensorList *list, const char *name, HybTensor *tensor)
{
  g_return_if_fail (list && name);

  HybNamedTensor *entry = g_hash_table_lookup (list->by_name, name);

  if (!entry)
    {
      entry = g_new0 (HybNamedTensor, 1);
      entry->name = g_strdup (name);
      g_ptr_array_add (list->entries, entry);
      g_hash_table_insert (list->by_name, entry->name, entry);
    }

  if (tensor)
    hyb_tensor_ref (tensor);
  g_clear_pointer (&entry->tensor, hyb_tensor_unref);
  entry->tensor = tensor;
}

guint
hyb_tensor_list_n (HybTensorList *list)
{
  g_return_val_if_fail (list, 0);
  return list->entries->len;
}

const HybNamedTensor *
hyb_tensor_list_get (HybTensorList *list, guint index)
{
  g_return_val_if_fail (list && index < list->entries->len, NULL);
  return g_ptr_array_index (list->entries, index);
}

HybTensor *
hyb_tensor_list_find (HybTensorList *list, const char *name)
{
  g_return_val_if_fail (list && name, NULL);

  const HybNamedTensor *entry = g_hash_table_lookup (list->by_name, name);

  return entry ? entry->tensor : NULL;
}

gboolean
hyb_tensor_list_has (HybTensorList *list, const char *name)
{
  g_return_val_if_fail (list && name, FALSE);
  return g_hash_table_contains (list->by_name, name);
}

GPtrArray *
hyb_tensor_list_get_findings (HybTensorList *list)
{
  g_return_val_if_fail (list, NULL);
  return list->findings;
}

/* Kernels may read up to the end of the last cache line of a tensor, so mapped elements must be
 * followed by that many readable bytes. */
HybTensor *
hyb_tensor_from_bytes (GBytes *bytes, gsize offset, const HybType *type, GError **error)
{
  gsize         length, size;
  const guint8 *data = g_bytes_get_data (bytes, &length);
  HybTensor    *copy;

  g_return_val_if_fail (bytes && type, NULL);
  if (!hyb_shape_bytes (&type->shape, type->dtype, &size, error))
    return NULL;
  g_return_val_if_fail (offset <= length && size <= length - offset, NULL);

  if ((gsize) (data + offset) % hyb_dtype_size (type->dtype) == 0 &&
      (length - offset - size >= HYB_ALIGNMENT || hyb_mapped_file_has_slack (data)))
    return hyb_tensor_new_wrapped (type, (gpointer) (data + offset), g_bytes_ref (bytes),
                                   (GDestroyNotify) g_bytes_unref);

  copy = hyb_tensor_new (type, error);
  if (copy && size > 0)
    memcpy (hyb_tensor_get_data (copy), data + offset, size);
  return copy;
}

gboolean
hyb_shape_is_plausible (const HybShape *shape)
{
  guint64 product = 1;

  g_return_val_if_fail (shape, FALSE);
  for (int i = 0; i < shape->rank; i++)
    if (shape->dim[i] < 0 ||
        !g_uint64_checked_mul (&product, product, (guint64) MAX (shape->dim[i], 1)) ||
        product > (guint64) 1 << 56)
      return FALSE;
  return TRUE;
}
