/* declared.c — types that an ONNX file declares, and attributes as text for display.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/append-number.h"
#include "engine/base/one-line.h"
#include "engine/onnx/reader.h"

#include <string.h>

/* At most this many elements of a list are displayed. */
#define MAX_DISPLAYED 16
#define MAX_NAME      64 /* bytes of the name of a dimension */

/* Exporters also write names without a meaning: two dimensions with such a name may differ. */
static gboolean
is_real_name (const char *name)
{
  return name && name[0] != '\0' && name[0] != '?' && strcmp (name, "None") != 0 &&
         !g_str_has_prefix (name, "unk__") && !g_str_has_prefix (name, "-");
}

/* The name without the characters that separate dimensions in a shape.  Of a long name only the beginning is kept; its
 * hash distinguishes it from names with the same beginning. */
static char *
clean_name (const char *name)
{
  char *clean = strlen (name) <= MAX_NAME
                    ? g_strdup (name)
                    : g_strdup_printf ("%.*s_%08x", hyb_prefix_length (name, MAX_NAME), name,
                                       g_str_hash (name));

  g_strdelimit (clean, ",() \t\n", '_');
  if (!g_utf8_validate (clean, -1, NULL))
    {
      char *valid = g_utf8_make_valid (clean, -1);

      g_free (clean);
      clean = valid;
    }
  /* A name of digits would be read as a size. */
  if (g_ascii_isdigit (clean[0]) || clean[0] == '-' || clean[0] == '+')
    {
      char *marked = g_strconcat ("_", clean, NULL);

      g_free (clean);
      clean = marked;
    }
  return clean;
}

static gboolean
has_shape (const HybOnnxValueInfo *info)
{
  return info->kind == HYB_ONNX_TYPE_TENSOR && info->has_shape && info->n_dims <= HYB_MAX_RANK;
}

char *
hyb_onnx_declared_shape (const HybOnnxValueInfo *info)
{
  GString *text;

  if (!has_shape (info))
    return NULL;
  text = g_string_new ("(");
  for (guint i = 0; i < info->n_dims; i++)
    {
      const HybOnnxDim *dim = &info->dims[i];
      g_autofree char  *name =
          dim->value < 0 && is_real_name (dim->name) ? clean_name (dim->name) : NULL;

      g_string_append (text, i > 0 ? ", " : "");
      if (dim->value >= 0)
        hyb_append_number (text, dim->value);
      else
        g_string_append (text, name ? name : "?");
    }
  g_string_append (text, info->n_dims == 1 ? ",)" : ")");
  return g_string_free (text, FALSE);
}

char *
hyb_onnx_declared_dtype (const HybOnnxValueInfo *info)
{
  static const char *const forms[] = {
    [HYB_ONNX_TYPE_NONE] = NULL,
    [HYB_ONNX_TYPE_SPARSE] = "sparse(%s)",
    [HYB_ONNX_TYPE_SEQUENCE] = "sequence(%s)",
    [HYB_ONNX_TYPE_OPTIONAL] = "optional(%s)",
    [HYB_ONNX_TYPE_MAP] = "map(%s)",
    [HYB_ONNX_TYPE_OPAQUE] = "opaque",
  };
  HybDType    dtype = hyb_onnx_dtype_to_engine (info->dtype);
  const char *name =
      dtype != HYB_DTYPE_UNKNOWN ? hyb_dtype_name (dtype) : hyb_onnx_dtype_name (info->dtype);
  const char *form = forms[info->kind];
  g_auto (GStrv) parts = NULL;

  if (info->kind == HYB_ONNX_TYPE_TENSOR)
    return g_strdup (name ? name : "?");
  parts = form ? g_strsplit (form, "%s", 2) : NULL;
  return parts ? g_strjoinv (name ? name : "?", parts) : NULL;
}

HybType
hyb_onnx_declared_type (const HybOnnxValueInfo *info)
{
  HybType type = HYB_TYPE_UNKNOWN;

  if (info->kind == HYB_ONNX_TYPE_TENSOR)
    type.dtype = hyb_onnx_dtype_to_engine (info->dtype);
  if (!has_shape (info))
    return type;
  type.shape = hyb_shape_make ((int) info->n_dims, NULL);
  for (guint i = 0; i < info->n_dims; i++)
    if (info->dims[i].value >= 0)
      type.shape.dim[i] = info->dims[i].value;
  return type;
}

/* --- Attributes --- */

static void
append_bytes (GString *text, const HybOnnxBytes *bytes)
{
  g_autofree char *raw =
      g_strndup (bytes->data ? (const char *) bytes->data : "", MIN (bytes->length, 256));
  g_autofree char *valid = g_utf8_make_valid (raw, -1);

  g_string_append (text, valid);
  if (bytes->length > 256)
    g_string_append (text, "…");
}

static void
append_tensor (GString *text, const HybOnnxTensor *tensor)
{
  const char *name = hyb_onnx_dtype_name (tensor->dtype);

  g_string_append (text, name ? name : "?");
  g_string_append (text, " (");
  for (guint i = 0; i < tensor->n_dims; i++)
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", tensor->dims[i]);
  g_string_append_c (text, ')');
}

static void
append_number (GString *text, double value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  /* Attributes have 32 bits, so nine digits distinguish them. */
  g_ascii_formatd (buffer, sizeof buffer, "%.7g", value);
  g_string_append (text, buffer);
}

static void
append_element (GString *text, const HybOnnxAttribute *attribute, guint i)
{
  if (attribute->kind == HYB_ONNX_ATTRIBUTE_INTS)
    g_string_append_printf (text, "%" G_GINT64_FORMAT, attribute->ints[i]);
  else if (attribute->kind == HYB_ONNX_ATTRIBUTE_FLOATS)
    append_number (text, attribute->floats[i]);
  else if (attribute->kind == HYB_ONNX_ATTRIBUTE_STRINGS)
    append_bytes (text, &attribute->strings[i]);
  else
    append_tensor (text, &attribute->tensor[i]);
}

static char *
attribute_text (const HybOnnxAttribute *attribute)
{
  GString *text = g_string_new (NULL);

  switch (attribute->kind)
    {
    case HYB_ONNX_ATTRIBUTE_FLOAT:
      append_number (text, attribute->f);
      break;
    case HYB_ONNX_ATTRIBUTE_INT:
      g_string_append_printf (text, "%" G_GINT64_FORMAT, attribute->i);
      break;
    case HYB_ONNX_ATTRIBUTE_STRING:
      append_bytes (text, &attribute->s);
      break;
    case HYB_ONNX_ATTRIBUTE_TENSOR:
      append_tensor (text, attribute->tensor);
      break;
    case HYB_ONNX_ATTRIBUTE_FLOATS:
    case HYB_ONNX_ATTRIBUTE_INTS:
    case HYB_ONNX_ATTRIBUTE_STRINGS:
    case HYB_ONNX_ATTRIBUTE_TENSORS:
      g_string_append_c (text, '(');
      for (guint i = 0; i < MIN (attribute->n, MAX_DISPLAYED); i++)
        {
          g_string_append (text, i > 0 ? ", " : "");
          append_element (text, attribute, i);
        }
      g_string_append (text, attribute->n > MAX_DISPLAYED ? ", …)" : ")");
      break;
    case HYB_ONNX_ATTRIBUTE_TYPE_PROTO:
      if (attribute->type)
        {
          g_autofree char *dtype = hyb_onnx_declared_dtype (attribute->type);

          g_string_append (text, dtype ? dtype : "?");
        }
      break;
    case HYB_ONNX_ATTRIBUTE_NONE:
    case HYB_ONNX_ATTRIBUTE_GRAPH:
    case HYB_ONNX_ATTRIBUTE_GRAPHS:
    case HYB_ONNX_ATTRIBUTE_SPARSE_TENSOR:
    case HYB_ONNX_ATTRIBUTE_SPARSE_TENSORS:
    case HYB_ONNX_ATTRIBUTE_TYPE_PROTOS:
      break;
    }
  return g_string_free (text, FALSE);
}

static gint
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp ((*(const HybOnnxAttribute *const *) a)->name,
                 (*(const HybOnnxAttribute *const *) b)->name);
}

const char *const *
hyb_onnx_attribute_texts (HybArena *arena, const HybOnnxNode *node)
{
  static const char *const none[] = { NULL };
  g_autoptr (GPtrArray) sorted = NULL;
  const char **texts;
  guint        n = 0;

  if (node->n_attributes == 0)
    return none;
  sorted = g_ptr_array_new ();
  for (guint i = 0; i < node->n_attributes; i++)
    g_ptr_array_add (sorted, &node->attributes[i]);
  g_ptr_array_sort (sorted, compare_names);
  texts = hyb_arena_alloc (arena, (2 * (gsize) sorted->len + 1) * sizeof *texts);
  for (guint i = 0; i < sorted->len; i++)
    {
      const HybOnnxAttribute *attribute = sorted->pdata[i];
      g_autofree char        *text = attribute_text (attribute);

      if (text[0] == '\0')
        continue;
      texts[n++] = attribute->name;
      texts[n++] = hyb_arena_string (arena, text);
    }
  texts[n] = NULL;
  return texts;
}
