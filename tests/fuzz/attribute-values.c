/* attribute-values.c — texts for attributes of operators that their tables allow.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/fuzz/attribute-values.h"

static const char *const hostile[] = {
  "",
  "None",
  "-1",
  "0",
  "2147483647",
  "2147483648",
  "9223372036854775807",
  "-9223372036854775808",
  "1e9",
  "1e308",
  "nan",
  "inf",
  "(1000000, 1000000)",
  "(0, 0)",
  "(-1,)",
  "()",
  "[[1]]",
  "(None, None)",
  "True",
  "(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17)",
};

/* The number of elements of a tuple, as its commas tell. */
static guint
count_elements (const char *text)
{
  guint n = 0;
  char  last = 0;

  for (; text && *text; text++)
    {
      n += *text == ',';
      if (*text != ' ' && *text != ')' && *text != ']')
        last = *text;
    }
  return last == ',' || !last ? n : n + 1;
}

static gint64
small_integer (FuzzRandom *random)
{
  static const gint64 values[] = { 0, 1, 1, 1, 1, 2, 2, 2, 3, 4, 5, 7, 8, 13, 33, -1, -2 };

  return values[fuzz_below (random, G_N_ELEMENTS (values))];
}

static char *
integer_in_range (const HybParam *param, FuzzRandom *random)
{
  gint64 value = small_integer (random);

  if (fuzz_once_in (random, 12))
    value = (gint64) fuzz_number (random);
  if (param->low < param->high)
    {
      if (fuzz_once_in (random, 8))
        return g_strdup_printf ("%.0f", fuzz_once_in (random, 2) ? param->low : param->high);
      value = (gint64) CLAMP ((double) value, param->low, MIN (param->high, 1e15));
    }
  return g_strdup_printf ("%" G_GINT64_FORMAT, value);
}

static char *
real_in_range (const HybParam *param, FuzzRandom *random)
{
  static const double values[] = { 0, 1, -1, 0.5, 0.1, 2, 1e-5, 100, -0.25, 1e30 };
  double              value = values[fuzz_below (random, G_N_ELEMENTS (values))];

  if (param->low < param->high)
    value = CLAMP (value, param->low, param->high);
  return g_strdup_printf ("%.17g", value);
}

static char *
tuple (const char *old, gboolean is_real, FuzzRandom *random)
{
  g_autoptr (GString) text = g_string_new ("(");
  guint n = count_elements (old);

  if (n == 0 || n > 8 || fuzz_once_in (random, 8))
    n = fuzz_below (random, 6);
  for (guint i = 0; i < n; i++)
    if (is_real)
      g_string_append_printf (text, "%g, ", fuzz_below (random, 16) * 0.25);
    else if (fuzz_once_in (random, 40))
      g_string_append (text, "None, ");
    else
      g_string_append_printf (text, "%" G_GINT64_FORMAT ", ", small_integer (random));
  if (n > 1)
    g_string_truncate (text, text->len - 2);
  g_string_append_c (text, ')');
  return g_string_free (g_steal_pointer (&text), FALSE);
}

char *
fuzz_shape (const char *old, FuzzRandom *random)
{
  g_autoptr (GString) text = g_string_new ("(");
  guint n = count_elements (old);

  if (n > 8 || !old || fuzz_once_in (random, 6))
    n = fuzz_below (random, 6);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%u, ",
                            fuzz_once_in (random, 12) ? 0 : 1 + fuzz_below (random, 5));
  if (n > 1)
    g_string_truncate (text, text->len - 2);
  g_string_append_c (text, ')');
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static char *
one_of (const char *const *values, FuzzRandom *random)
{
  return g_strdup (values[fuzz_below (random, g_strv_length ((char **) values))]);
}

char *
fuzz_attribute_value (const HybParam *param, const char *old, FuzzRandom *random)
{
  static const char *const dtypes[] = { "float32", "float64", "float16", "int32", "int64",
                                        "int8",    "uint8",   "bool",    NULL };
  static const char *const words[] = { "zeros", "lstm", "nearest", "a", "", "1", "fro", NULL };
  static const char *const truths[] = { "True", "False", "1", "0", NULL };

  if (fuzz_once_in (random, 15))
    return g_strdup (hostile[fuzz_below (random, G_N_ELEMENTS (hostile))]);
  switch (param->kind)
    {
    case HYB_PARAM_OPTIONAL_INT:
      if (fuzz_once_in (random, 4))
        return g_strdup ("None");
      return integer_in_range (param, random);
    case HYB_PARAM_INT:
      return integer_in_range (param, random);
    case HYB_PARAM_FLOAT:
    case HYB_PARAM_OPTIONAL_FLOAT:
      return real_in_range (param, random);
    case HYB_PARAM_BOOL:
    case HYB_PARAM_OPTIONAL_BOOL:
      return one_of (truths, random);
    case HYB_PARAM_ENUM:
      return one_of (param->choices, random);
    case HYB_PARAM_DTYPE:
      return one_of (dtypes, random);
    case HYB_PARAM_SHAPE:
    case HYB_PARAM_INTS:
      return tuple (old, FALSE, random);
    case HYB_PARAM_FLOATS:
      return tuple (old, TRUE, random);
    case HYB_PARAM_TENSOR:
    case HYB_PARAM_STRING:
      return old && !fuzz_once_in (random, 3) ? g_strdup (old) : one_of (words, random);
    }
  return g_strdup ("0");
}
