/* tensor-text.c — reads the type, then the values; start with hyb_tensor_from_text() near the end.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/tensor/tensor-text.h"

#include "engine/base/error.h"
#include "engine/base/random.h"

#include <math.h>
#include <string.h>

static const struct
{
  const char *name;
  HybDType    dtype;
} dtype_names[] = {
  { "f16", HYB_F16 },   { "bf16", HYB_BF16 }, { "f32", HYB_F32 }, { "f64", HYB_F64 },
  { "i8", HYB_I8 },     { "i16", HYB_I16 },   { "i32", HYB_I32 }, { "i64", HYB_I64 },
  { "u8", HYB_U8 },     { "u16", HYB_U16 },   { "u32", HYB_U32 }, { "u64", HYB_U64 },
  { "bool", HYB_BOOL },
};

static gboolean
refuse (const char *text, const char *why, GError **error)
{
  return hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MALFORMED, NULL, NULL, "“%s” %s",
                       text, why);
}

/* Reads "f32[2,3]", and sets *rest to the text after it. */
static gboolean
read_type (const char *text, HybType *type, const char **rest, GError **error)
{
  const char *at = strchr (text, '[');

  *type = (HybType){ .shape.rank = 0, .dtype = HYB_DTYPE_UNKNOWN };
  if (!at)
    return refuse (text, "is not a type such as f32[2,3]", error);
  for (guint i = 0; i < G_N_ELEMENTS (dtype_names); i++)
    if (strlen (dtype_names[i].name) == (gsize) (at - text) &&
        g_str_has_prefix (text, dtype_names[i].name))
      type->dtype = dtype_names[i].dtype;
  if (type->dtype == HYB_DTYPE_UNKNOWN)
    return refuse (text, "does not start with a dtype", error);

  for (at++; *at != ']';)
    {
      char *end;

      if (type->shape.rank == HYB_MAX_RANK)
        return refuse (text, "has too many dimensions", error);
      type->shape.dim[type->shape.rank] = g_ascii_strtoll (at, &end, 10);
      if (end == at || type->shape.dim[type->shape.rank++] < 0 || (*end != ',' && *end != ']'))
        return refuse (text, "has something else than a number as a dimension", error);
      at = *end == ',' ? end + 1 : end;
    }
  *rest = at + 1;
  return TRUE;
}

static void
set_value (HybTensor *tensor, gint64 index, double value)
{
  hyb_dtype_set_double (hyb_tensor_get_data (tensor), hyb_tensor_get_dtype (tensor), (gsize) index,
                        value);
}

static gboolean
fill_list (HybTensor *tensor, const char *list, GError **error)
{
  double value = 0;

  for (gint64 k = 0; k < hyb_tensor_get_size (tensor); k++)
    {
      char  *end;
      double next = g_ascii_strtod (list, &end);

      if (end != list)
        {
          value = next;
          list = *end == ',' ? end + 1 : end;
        }
      set_value (tensor, k, value);
    }
  return !*list || refuse (list, "is left: there are more values than elements", error);
}

/* Evenly spaced numbers in a fixed random order, with an offset that depends on nth.  All numbers of
 * a sample are therefore distinct, and no result depends on ties. */
static void
fill_floats (HybTensor *tensor, double low, double high, guint nth)
{
  gint64             size = hyb_tensor_get_size (tensor);
  g_autofree gint64 *order = g_new (gint64, MAX (size, 1));

  for (gint64 k = 0; k < size; k++)
    order[k] = k;
  for (gint64 k = size - 1; k > 0; k--)
    {
      gint64 other = (gint64) (hyb_random_uniform (1 + nth, (guint64) k) * (double) (k + 1));
      gint64 kept = order[k];

      order[k] = order[other];
      order[other] = kept;
    }
  for (gint64 k = 0; k < size; k++)
    set_value (tensor, k,
               low + (high - low) * ((double) order[k] + 0.3 + 0.37 * fmod (nth * 0.618, 1)) /
                         (double) size);
}

static void
fill_integers (HybTensor *tensor, gint64 low, gint64 high, guint nth)
{
  for (gint64 k = 0; k < hyb_tensor_get_size (tensor); k++)
    set_value (tensor, k, (double) (low + (k + nth) % (high - low + 1)));
}

/* range: the text after the type; empty for the usual range. */
static gboolean
fill_range (HybTensor *tensor, const char *range, guint nth, GError **error)
{
  HybDType    dtype = hyb_tensor_get_dtype (tensor);
  gboolean    is_float = hyb_dtype_is_float (dtype);
  double      low = is_float ? -1 : 0;
  double      high = is_float || dtype == HYB_BOOL ? 1 : 2;
  const char *dots = strstr (range, "..");

  if (*range && !dots)
    return refuse (range, "is neither a range like 0.5..2 nor values like = 1,2,3", error);
  if (dots)
    {
      g_autofree char *first = g_strndup (range, (gsize) (dots - range));

      low = g_ascii_strtod (first, NULL);
      high = g_ascii_strtod (dots + 2, NULL);
    }
  if (!(high >= low))
    return refuse (range, "is a range whose ends are exchanged", error);
  if (is_float)
    fill_floats (tensor, low, high, nth);
  else
    fill_integers (tensor, (gint64) low, (gint64) high, nth);
  return TRUE;
}

HybTensor *
hyb_tensor_from_text (const char *text, guint nth, GError **error)
{
  const char *rest = text;
  HybType     type;
  gboolean    is_filled;
  g_autoptr (HybTensor) tensor = NULL;

  if (!read_type (text, &type, &rest, error))
    return NULL;
  tensor = hyb_tensor_new_zeros (&type, error);
  if (!tensor)
    return NULL;
  rest += strspn (rest, " ");
  is_filled = *rest == '=' ? fill_list (tensor, rest + 1 + strspn (rest + 1, " "), error)
                           : fill_range (tensor, rest, nth, error);
  return is_filled ? g_steal_pointer (&tensor) : NULL;
}

void
hyb_tensor_append_text (GString *text, const HybTensor *tensor, gint64 index)
{
  HybDType      dtype = hyb_tensor_get_dtype (tensor);
  gconstpointer data = hyb_tensor_get_data (tensor);
  gsize         at = (gsize) index;
  char          number[G_ASCII_DTOSTR_BUF_SIZE];

  if (dtype == HYB_U64)
    g_string_append_printf (text, "%" G_GUINT64_FORMAT, ((const guint64 *) data)[at]);
  else if (!hyb_dtype_is_float (dtype))
    g_string_append_printf (text, "%" G_GINT64_FORMAT, hyb_dtype_get_int (data, dtype, at));
  else
    g_string_append (text,
                     g_ascii_formatd (number, sizeof number, dtype == HYB_F64 ? "%.17g" : "%.9g",
                                      hyb_dtype_get_double (data, dtype, at)));
}
