/* describe-value.c — names the meaning of an attribute's number: element types, and the ends of a slice.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/describe-value.h"

#include "engine/onnx/document.h"

#include <string.h>

/* Attributes that hold a HybOnnxDType, whatever the operator. */
static const char *const dtype_attributes[] = {
  "dtype", "output_datatype", "output_dtype", "precision", "softmax_precision", "stash_type", "to",
  NULL,
};

static char *
describe_dtype (const char *value)
{
  char       *end;
  gint64      number = g_ascii_strtoll (value, &end, 10);
  const char *name = NULL;

  if (end == value || *end != '\0' || number <= HYB_ONNX_UNDEFINED || number > HYB_ONNX_INT2)
    return NULL;
  if (hyb_onnx_dtype_to_engine ((HybOnnxDType) number) != HYB_DTYPE_UNKNOWN)
    name = hyb_dtype_name (hyb_onnx_dtype_to_engine ((HybOnnxDType) number));
  return g_strdup (name ? name : hyb_onnx_dtype_name ((HybOnnxDType) number));
}

/* Exporters write the largest number that fits for the end of an axis: "[9223372036854775807, 3]" is "[end, 3]". */
static char *
describe_limits (const char *value)
{
  g_autoptr (GString) text = g_string_new (NULL);
  gboolean any = FALSE;

  while (*value != '\0')
    {
      char    *end;
      gint64   number = g_ascii_strtoll (value, &end, 10);
      gboolean is_limit = end > value && (number >= G_MAXINT32 || number <= G_MININT32);

      if (is_limit)
        g_string_append (text, number > 0 ? "end" : "start");
      else
        g_string_append_len (text, value, MAX (end - value, 1));
      any |= is_limit;
      value = end > value ? end : value + 1;
    }
  return any ? g_strdup (text->str) : NULL;
}

char *
hyb_onnx_describe_value (const char *name, const char *value)
{
  if (g_strv_contains (dtype_attributes, name))
    return describe_dtype (value);
  return strcmp (name, "ends") == 0 ? describe_limits (value) : NULL;
}
