/* safetensors-format.c — writes arrays as a safetensors file.
 *
 * Eight bytes with the length of a header, the header (JSON: type, shape and place of each array), the elements.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/file.h"
#include "engine/formats/format.h"
#include "engine/formats/json-text.h"

#define ALIGNMENT 8

static const char *const type_names[HYB_N_DTYPES] = {
  [HYB_F32] = "F32", [HYB_F64] = "F64", [HYB_F16] = "F16",   [HYB_BF16] = "BF16", [HYB_U8] = "U8",
  [HYB_I8] = "I8",   [HYB_I16] = "I16", [HYB_U16] = "U16",   [HYB_I32] = "I32",   [HYB_U32] = "U32",
  [HYB_I64] = "I64", [HYB_U64] = "U64", [HYB_BOOL] = "BOOL",
};

static void
append_entry (GString *header, const HybNamedTensor *entry, gsize offset)
{
  const HybShape *shape = hyb_tensor_get_shape (entry->tensor);

  hyb_json_append_string (header, entry->name);
  g_string_append_printf (header,
                          ":{\"dtype\":\"%s\",\"shape\":[",
                          type_names[hyb_tensor_get_dtype (entry->tensor)]);
  for (int i = 0; i < shape->rank; i++)
    g_string_append_printf (header, "%s%" G_GINT64_FORMAT, i > 0 ? "," : "", shape->dim[i]);
  g_string_append_printf (header,
                          "],\"data_offsets\":[%" G_GSIZE_FORMAT ",%" G_GSIZE_FORMAT "]}",
                          offset,
                          offset + hyb_tensor_get_bytes (entry->tensor));
}

static gboolean
write_safetensors (HybTensorList *list, GOutputStream *out, GError **error)
{
  g_autoptr (GString) header = g_string_new ("{");
  gsize   offset = 0;
  guint64 length;

  for (guint i = 0; i < hyb_tensor_list_n (list); i++)
    {
      const HybNamedTensor *entry = hyb_tensor_list_get (list, i);

      if (!entry->tensor)
        continue;
      if (header->len > 1)
        g_string_append_c (header, ',');
      append_entry (header, entry, offset);
      offset += hyb_tensor_get_bytes (entry->tensor);
    }
  g_string_append_c (header, '}');
  while (header->len % ALIGNMENT != 0)
    g_string_append_c (header, ' ');

  length = GUINT64_TO_LE ((guint64) header->len);
  if (!hyb_file_write (out, &length, sizeof length, error) ||
      !hyb_file_write (out, header->str, header->len, error))
    return FALSE;
  for (guint i = 0; i < hyb_tensor_list_n (list); i++)
    {
      HybTensor *tensor = hyb_tensor_list_get (list, i)->tensor;
      gsize      n = tensor ? hyb_tensor_get_bytes (tensor) : 0;

      if (n > 0 && !hyb_file_write (out, hyb_tensor_get_data (tensor), n, error))
        return FALSE;
    }
  return TRUE;
}

const HybFormat hyb_format_safetensors = {
  .id = "safetensors",
  .patterns = (const char *[]){ "*.safetensors", NULL },
  .write_weights = write_safetensors,
};
