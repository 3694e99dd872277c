/* op-tensor.c — creates tensors and attributes from short texts, and compares tensors; see
 * op-tensor.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-tensor.h"

#include "engine/base/random.h"

#include <math.h>
#include <stdarg.h>
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

/* Parses "f32[2,3]", and sets *rest to the text after it. */
static HybType
read_type (const char *text, const char **rest)
{
  HybType     type = { .shape.rank = 0, .dtype = HYB_DTYPE_UNKNOWN };
  const char *at = strchr (text, '[');

  if (!at)
    g_error ("“%s” is not a type such as f32[2,3]", text);

  for (guint i = 0; i < G_N_ELEMENTS (dtype_names); i++)
    if (strlen (dtype_names[i].name) == (gsize) (at - text) &&
        g_str_has_prefix (text, dtype_names[i].name))
      type.dtype = dtype_names[i].dtype;
  if (type.dtype == HYB_DTYPE_UNKNOWN)
    g_error ("“%s” does not start with a dtype", text);

  for (at++; *at != ']';)
    {
      char *end;

      if (type.shape.rank == HYB_MAX_RANK)
        g_error ("“%s” has too many dimensions", text);
      type.shape.dim[type.shape.rank++] = g_ascii_strtoll (at, &end, 10);
      if (end == at || (*end != ',' && *end != ']'))
        g_error ("“%s” has something else than a number as a dimension", text);
      at = *end == ',' ? end + 1 : end;
    }

  *rest = at + 1;
  return type;
}

static void
fill_list (HybTensor *tensor, const char *list)
{
  gint64 size = hyb_tensor_get_size (tensor);
  double value = 0;

  for (gint64 k = 0; k < size; k++)
    {
      char  *end;
      double next = g_ascii_strtod (list, &end);

      if (end != list)
        {
          value = next;
          list = *end == ',' ? end + 1 : end;
        }
      hyb_dtype_set_double (hyb_tensor_get_data (tensor),
                            hyb_tensor_get_dtype (tensor),
                            (gsize) k,
                            value);
    }

  if (*list)
    g_error ("“%s” is left: there are more values than elements", list);
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
    hyb_dtype_set_double (hyb_tensor_get_data (tensor),
                          hyb_tensor_get_dtype (tensor),
                          (gsize) k,
                          low + (high - low) *
                                    ((double) order[k] + 0.3 + 0.37 * fmod (nth * 0.618, 1)) /
                                    (double) size);
}

static void
fill_integers (HybTensor *tensor, gint64 low, gint64 high, guint nth)
{
  for (gint64 k = 0; k < hyb_tensor_get_size (tensor); k++)
    hyb_dtype_set_double (hyb_tensor_get_data (tensor),
                          hyb_tensor_get_dtype (tensor),
                          (gsize) k,
                          (double) (low + (k + nth) % (high - low + 1)));
}

HybTensor *
op_tensor_from_text (const char *text, guint nth)
{
  const char *rest;
  HybType     type = read_type (text, &rest);
  HybTensor  *tensor = hyb_tensor_new_zeros (&type, NULL);
  gboolean    is_float = hyb_dtype_is_float (type.dtype);
  double      low = is_float ? -1 : 0;
  double      high = is_float ? 1 : type.dtype == HYB_BOOL ? 1 : 2;

  g_assert_nonnull (tensor);
  while (*rest == ' ')
    rest++;

  if (*rest == '=')
    {
      rest++;
      fill_list (tensor, rest + strspn (rest, " "));
      return tensor;
    }

  if (*rest)
    {
      const char *dots = strstr (rest, "..");

      if (!dots)
        g_error ("“%s”: write a range like 0.5..2, or values like = 1,2,3", text);
      g_autofree char *first = g_strndup (rest, (gsize) (dots - rest));

      low = g_ascii_strtod (first, NULL);
      high = g_ascii_strtod (dots + 2, NULL);
    }

  if (is_float)
    fill_floats (tensor, low, high, nth);
  else
    fill_integers (tensor, (gint64) low, (gint64) high, nth);

  return tensor;
}

HybTensor *
op_tensor (const char *text, ...)
{
  const char *rest;
  HybType     type = read_type (text, &rest);
  HybTensor  *tensor = hyb_tensor_new_zeros (&type, NULL);
  va_list     list;

  g_assert_nonnull (tensor);
  va_start (list, text);
  for (gint64 k = 0; k < hyb_tensor_get_size (tensor); k++)
    hyb_dtype_set_double (hyb_tensor_get_data (tensor),
                          type.dtype,
                          (gsize) k,
                          va_arg (list, double));
  va_end (list);

  return tensor;
}

/* Attributes are separated by spaces that are not inside of brackets. */
char **
op_attributes_from_text (const char *text)
{
  g_autoptr (GPtrArray) attributes = g_ptr_array_new_with_free_func (g_free);

  while (text && *(text += strspn (text, " ")))
    {
      const char *equals = strchr (text, '=');
      const char *end;
      int         depth = 0;

      if (!equals)
        g_error ("“%s”: write attributes like axis=0 pad=(1, 1)", text);

      for (end = equals; *end && (depth > 0 || *end != ' '); end++)
        depth += (*end == '(' || *end == '[') - (*end == ')' || *end == ']');

      g_ptr_array_add (attributes, g_strndup (text, (gsize) (equals - text)));
      g_ptr_array_add (attributes, g_strndup (equals + 1, (gsize) (end - equals - 1)));
      text = end;
    }

  g_ptr_array_set_free_func (attributes, NULL);
  g_ptr_array_add (attributes, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&attributes), FALSE);
}

static gboolean
is_near (double got, double want, double tolerance)
{
  if (isnan (want) || isnan (got))
    return isnan (want) && isnan (got);

  return got == want || fabs (got - want) <= tolerance * MAX (1, fabs (want));
}

void
op_assert_near (HybTensor *tensor, double tolerance, ...)
{
  va_list list;

  va_start (list, tolerance);
  for (gint64 k = 0; k < hyb_tensor_get_size (tensor); k++)
    {
      double want = va_arg (list, double);
      double got = hyb_tensor_get_value (tensor, k);

      if (!is_near (got, want, tolerance))
        g_error ("element %d is %.9g, not %.9g", (int) k, got, want);
    }
  va_end (list);
}

void
op_assert_type (HybTensor *tensor, const char *type)
{
  g_autofree char *got = hyb_type_to_string (hyb_tensor_get_type (tensor));

  g_assert_cmpstr (got, ==, type);
}

void
op_assert_same (HybTensor *a, HybTensor *b, double tolerance)
{
  g_autofree char *type = hyb_type_to_string (hyb_tensor_get_type (b));

  op_assert_type (a, type);
  for (gint64 k = 0; k < hyb_tensor_get_size (a); k++)
    if (!is_near (hyb_tensor_get_value (a, k), hyb_tensor_get_value (b, k), tolerance))
      g_error ("element %d is %.9g, not %.9g",
               (int) k,
               hyb_tensor_get_value (a, k),
               hyb_tensor_get_value (b, k));
}
