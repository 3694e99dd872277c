/* param.c — parsing and writing the attributes of operators, as their tables describe.
 *
 * The grammar follows MXNet's front ends.  The text is not trusted: every kind has a small parser
 * that accepts the whole text or rejects it.  Start with hyb_params_parse().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/op/param.h"

#include "engine/base/error.h"
#include "engine/base/one-line.h"
#include "engine/base/translate.h"
#include "engine/tensor/tensor.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Elements of a tuple.  No real file has as many; the limit bounds the memory a hostile one takes. */
#define MAX_ELEMENTS 65536
#define MAX_SHOWN    80 /* bytes of a value in a message */

static const char *
skip_space (const char *text)
{
  while (g_ascii_isspace (*text))
    text++;
  return text;
}

/* The scan_… functions read one value at *text and advance *text behind it; FALSE if there is no
 * value.  The parse_… functions accept one value and white space, and nothing else. */

/* An integer, perhaps with the suffix “L” that Python 2 writes.  HYB_NONE represents None and is refused as a
 * number. */
static gboolean
scan_int (const char **text, gint64 *value)
{
  char *end;

  errno = 0;
  *value = g_ascii_strtoll (*text, &end, 10);
  if (end == *text || errno == ERANGE || *value == HYB_NONE)
    return FALSE;
  if (*end == 'L')
    end++;
  *text = end;
  return TRUE;
}

static gboolean
scan_float (const char **text, double *value)
{
  char *end;

  *value = g_ascii_strtod (*text, &end);
  if (end == *text)
    return FALSE;
  /* All NaNs are one value, which is written as “nan”: “nan(3)” and “-nan”, too. */
  if (isnan (*value))
    *value = NAN;
  *text = end;
  return TRUE;
}

static gboolean
parse_int (const char *text, gint64 *value)
{
  const char *at = skip_space (text);

  return scan_int (&at, value) && *skip_space (at) == '\0';
}

static gboolean
parse_float (const char *text, double *value)
{
  const char *at = skip_space (text);

  return scan_float (&at, value) && *skip_space (at) == '\0';
}

static gboolean
parse_bool (const char *text, gboolean *value)
{
  if (g_ascii_strcasecmp (text, "true") == 0 || strcmp (text, "1") == 0)
    *value = TRUE;
  else if (g_ascii_strcasecmp (text, "false") == 0 || strcmp (text, "0") == 0)
    *value = FALSE;
  else
    return FALSE;
  return TRUE;
}

/* Appends one element of a tuple: a double with as_float, else a gint64 or None. */
static gboolean
scan_element (const char **text, gboolean as_float, GArray *elements)
{
  gint64 integer;
  double number;

  if (as_float)
    {
      if (!scan_float (text, &number))
        return FALSE;
      g_array_append_val (elements, number);
      return TRUE;
    }
  if (g_str_has_prefix (*text, "None"))
    {
      integer = HYB_NONE;
      *text += 4;
    }
  else if (!scan_int (text, &integer))
    return FALSE;

  g_array_append_val (elements, integer);
  return TRUE;
}

/* "(1, 2)", "[1,2]", "(3,)", "()", or a bare element. */
static gboolean
parse_tuple (const char *text, gboolean as_float, GArray *elements)
{
  const char *at = skip_space (text);

  if (*at != '(' && *at != '[')
    return scan_element (&at, as_float, elements) && *skip_space (at) == '\0';

  at = skip_space (at + 1);
  while (*at != ')' && *at != ']')
    {
      if (elements->len >= MAX_ELEMENTS || !scan_element (&at, as_float, elements))
        return FALSE;
      at = skip_space (at);
      if (*at == ',')
        at = skip_space (at + 1);
      else if (*at != ')' && *at != ']')
        return FALSE;
    }
  return *skip_space (at + 1) == '\0';
}

gboolean
hyb_params_parse_ints (const char *text, HybInts *ints)
{
  GArray *elements = g_array_new (FALSE, FALSE, sizeof (gint64));

  g_return_val_if_fail (text && ints, FALSE);
  *ints = (HybInts){ .n = HYB_UNKNOWN };
  if (strcmp (text, "None") == 0)
    {
      g_array_unref (elements);
      return TRUE;
    }
  if (!parse_tuple (text, FALSE, elements))
    {
      g_array_unref (elements);
      return FALSE;
    }
  ints->n = (int) elements->len;
  ints->value = (gpointer) g_array_free (elements, FALSE);
  return TRUE;
}

static gboolean
parse_floats (const char *text, HybFloats *floats)
{
  GArray *elements = g_array_new (FALSE, FALSE, sizeof (double));

  *floats = (HybFloats){ .n = HYB_UNKNOWN };
  if (strcmp (text, "None") != 0 && !parse_tuple (text, TRUE, elements))
    {
      g_array_unref (elements);
      return FALSE;
    }
  if (strcmp (text, "None") != 0)
    floats->n = (int) elements->len;
  floats->value = (gpointer) g_array_free (elements, FALSE);
  return TRUE;
}

static gboolean
parse_shape (const char *text, HybShape *shape)
{
  HybInts  ints;
  gboolean good;

  if (!hyb_params_parse_ints (text, &ints))
    return FALSE;

  good = ints.n <= HYB_MAX_RANK;
  shape->rank = good ? ints.n : HYB_UNKNOWN;
  for (int i = 0; good && i < ints.n; i++)
    {
      good = ints.value[i] != HYB_NONE;
      shape->dim[i] = ints.value[i];
    }
  g_free (ints.value);
  return good;
}

static gboolean
parse_enum (const HybParam *param, const char *text, int *value)
{
  for (int i = 0; param->choices[i] != NULL; i++)
    if (strcmp (param->choices[i], text) == 0)
      {
        *value = i;
        return TRUE;
      }
  return FALSE;
}

static gboolean
parse_dtype (const char *text, HybDType *dtype)
{
  gint64 code;

  *dtype = strcmp (text, "None") == 0 ? HYB_DTYPE_UNKNOWN : hyb_dtype_from_name (text);
  if (*dtype != HYB_DTYPE_UNKNOWN || strcmp (text, "None") == 0)
    return TRUE;

  /* A numeric code, as _zeros_without_dtype has it; -1 means that there is no dtype. */
  if (!parse_int (text, &code) || (code != -1 && !hyb_dtype_is_valid_code (code)))
    return FALSE;
  *dtype = (HybDType) code;
  return TRUE;
}

/* Stores the value of text in the member `at`. */
static gboolean
parse_value (const HybParam *param, const char *text, gpointer at)
{
  gboolean none = strcmp (text, "None") == 0;

  switch (param->kind)
    {
    case HYB_PARAM_INT:
      return parse_int (text, at);
    case HYB_PARAM_OPTIONAL_INT:
      *(gint64 *) at = HYB_NONE;
      return none || parse_int (text, at);
    case HYB_PARAM_FLOAT:
      return parse_float (text, at);
    case HYB_PARAM_OPTIONAL_FLOAT:
      *(double *) at = NAN;
      /* NaN represents None and is refused as a number. */
      return none || (parse_float (text, at) && !isnan (*(double *) at));
    case HYB_PARAM_BOOL:
      return parse_bool (text, at);
    case HYB_PARAM_OPTIONAL_BOOL:
      *(int *) at = -1;
      return g_ascii_strcasecmp (text, "none") == 0 || parse_bool (text, at);
    case HYB_PARAM_ENUM:
      return parse_enum (param, text, at);
    case HYB_PARAM_DTYPE:
      return parse_dtype (text, at);
    case HYB_PARAM_SHAPE:
      return parse_shape (text, at);
    case HYB_PARAM_INTS:
      return hyb_params_parse_ints (text, at);
    case HYB_PARAM_FLOATS:
      return parse_floats (text, at);
    case HYB_PARAM_STRING:
      *(char **) at = g_strdup (text);
      return TRUE;
    case HYB_PARAM_TENSOR:
      return FALSE;
    }
  g_return_val_if_reached (FALSE);
}

/* A description of the values of this kind, for messages. */
static const char *
kind_name (HybParamKind kind)
{
  static const char *const names[] = {
    [HYB_PARAM_INT] = N_ ("an integer"),
    [HYB_PARAM_OPTIONAL_INT] = N_ ("an integer or None"),
    [HYB_PARAM_FLOAT] = N_ ("a number"),
    [HYB_PARAM_OPTIONAL_FLOAT] = N_ ("a number or None"),
    [HYB_PARAM_BOOL] = N_ ("True or False"),
    [HYB_PARAM_OPTIONAL_BOOL] = N_ ("True, False or None"),
    [HYB_PARAM_ENUM] = N_ ("one of a list"),
    [HYB_PARAM_DTYPE] = N_ ("a dtype such as float32"),
    [HYB_PARAM_SHAPE] = N_ ("a shape such as (2, 3)"),
    [HYB_PARAM_INTS] = N_ ("a tuple of integers such as (2, 3)"),
    [HYB_PARAM_FLOATS] = N_ ("a tuple of numbers such as (0.5, 1)"),
    [HYB_PARAM_STRING] = "text",
    [HYB_PARAM_TENSOR] = N_ ("an array of the graph"),
  };

  return _ (names[kind]);
}

static gboolean
refuse_text (const HybParam *param, const char *text, GError **error)
{
  g_autofree char *choices = NULL;

  if (param->kind == HYB_PARAM_ENUM)
    {
      g_autofree char *list = g_strjoinv (", ", (char **) param->choices);

      choices = g_strdup_printf (_ ("one of %s"), list);
    }
  return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, NULL, NULL,
                       _ ("attribute %s is “%.*s”, which is not %s"), param->name,
                       hyb_prefix_length (text, MAX_SHOWN), text,
                       choices ? choices : kind_name (param->kind));
}

static gboolean
check_range (const HybParam *param, gconstpointer at, const char *text, GError **error)
{
  double value;

  if (param->low == param->high)
    return TRUE;

  if (param->kind == HYB_PARAM_INT || param->kind == HYB_PARAM_OPTIONAL_INT)
    {
      /* HYB_NONE is allowed for optional integers only; for others it is the smallest integer and
       * out of any range. */
      if (param->kind == HYB_PARAM_OPTIONAL_INT && *(const gint64 *) at == HYB_NONE)
        return TRUE;
      value = (double) *(const gint64 *) at;
    }
  else if (param->kind == HYB_PARAM_FLOAT || param->kind == HYB_PARAM_OPTIONAL_FLOAT)
    value = *(const double *) at;
  else
    return TRUE;

  if (isnan (value) || (value >= param->low && value <= param->high))
    return TRUE;

  return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, NULL, NULL,
                       _ ("attribute %s is %.*s, outside %.15g to %.15g"), param->name,
                       hyb_prefix_length (text, MAX_SHOWN), text, param->low, param->high);
}

const char *
hyb_attributes_get (const char *const *attributes, const char *key)
{
  const char *text = NULL;

  for (gsize i = 0; attributes && attributes[i]; i += 2)
    if (strcmp (attributes[i], key) == 0)
      text = attributes[i + 1];
  return text;
}

static void
collect_unknown (const HybParam *params, const char *const *attributes, GPtrArray *unknown)
{
  for (gsize i = 0; attributes && attributes[i]; i += 2)
    {
      const char *key = attributes[i];
      gboolean    known =
          strlen (key) > 4 && g_str_has_prefix (key, "__") && g_str_has_suffix (key, "__");

      for (const HybParam *param = params; !known && param && param->name; param++)
        known = strcmp (param->name, key) == 0;
      if (!known)
        g_ptr_array_add (unknown, (gpointer) key);
    }
}

/* Precedes the params struct that callers see. */
typedef struct
{
  const HybParam *params;
  gint            references;
} ParamsHeader;

/* A multiple of the alignment of every type, so that the params struct is aligned too. */
#define HEADER_BYTES 16
G_STATIC_ASSERT (sizeof (ParamsHeader) <= HEADER_BYTES);

static ParamsHeader *
header_of (gconstpointer values)
{
  return (gpointer) ((char *) values - HEADER_BYTES);
}

gpointer
hyb_params_new (const HybParam *params, gsize size)
{
  /* At least one byte, also for operators without attributes: to a leak checker, a pointer to the
   * end of a block does not refer to the block. */
  char *block = g_malloc0 (HEADER_BYTES + MAX (size, 1));

  *(ParamsHeader *) (gpointer) block = (ParamsHeader){ params, 1 };
  return block + HEADER_BYTES;
}

gpointer
hyb_params_ref (gconstpointer values)
{
  if (values)
    g_atomic_int_inc (&header_of (values)->references);
  return (gpointer) values;
}

void
hyb_params_unref (gpointer values)
{
  if (!values || !g_atomic_int_dec_and_test (&header_of (values)->references))
    return;

  for (const HybParam *param = header_of (values)->params; param && param->name; param++)
    {
      gpointer at = (char *) values + param->offset;

      if (param->kind == HYB_PARAM_INTS)
        g_free (((HybInts *) at)->value);
      else if (param->kind == HYB_PARAM_FLOATS)
        g_free (((HybFloats *) at)->value);
      else if (param->kind == HYB_PARAM_STRING)
        g_free (*(char **) at);
      else if (param->kind == HYB_PARAM_TENSOR)
        hyb_tensor_unref (*(HybTensor **) at);
    }
  g_free (header_of (values));
}

gpointer
hyb_params_parse (const HybParam    *params,
                  gsize              size,
                  const char *const *attributes,
                  GPtrArray         *unknown,
                  GError           **error)
{
  gpointer values = hyb_params_new (params, size);

  for (const HybParam *param = params; param && param->name; param++)
    {
      const char *text = hyb_attributes_get (attributes, param->name);
      gpointer    at = (char *) values + param->offset;

      if (!text && !param->fallback)
        {
          hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, NULL, NULL,
                        _ ("attribute %s is missing; it must be given as %s"), param->name,
                        kind_name (param->kind));
          hyb_params_unref (values);
          return NULL;
        }
      if (!text)
        text = param->fallback;
      if (!(parse_value (param, text, at) || refuse_text (param, text, error)) ||
          !check_range (param, at, text, error))
        {
          hyb_params_unref (values);
          return NULL;
        }
    }
  if (unknown)
    collect_unknown (params, attributes, unknown);
  return values;
}

static void
append_type (GString *text, const HybTensor *tensor)
{
  g_autofree char *type = tensor ? hyb_type_to_string (hyb_tensor_get_type (tensor)) : NULL;

  g_string_append (text, type ? type : "None");
}

/* Appends the shortest text (of at least 6 digits' precision) that reads back as the same number. */
static void
append_float (GString *text, double value)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  for (int precision = 6; precision <= 17; precision++)
    {
      g_autofree char *format = g_strdup_printf ("%%.%dg", precision);

      g_ascii_formatd (buffer, sizeof buffer, format, value);
      if (g_ascii_strtod (buffer, NULL) == value || isnan (value))
        break;
    }
  g_string_append (text, buffer);
}

static void
append_int (GString *text, gint64 value)
{
  if (value == HYB_NONE)
    g_string_append (text, "None");
  else
    g_string_append_printf (text, "%" G_GINT64_FORMAT, value);
}

static void
append_ints (GString *text, int n, const gint64 *values)
{
  if (n < 0)
    {
      g_string_append (text, "None");
      return;
    }
  g_string_append_c (text, '(');
  for (int i = 0; i < n; i++)
    {
      if (i > 0)
        g_string_append (text, ", ");
      append_int (text, values[i]);
    }
  g_string_append (text, n == 1 ? ",)" : ")");
}

static void
append_floats (GString *text, const HybFloats *floats)
{
  if (floats->n < 0)
    {
      g_string_append (text, "None");
      return;
    }
  g_string_append_c (text, '(');
  for (int i = 0; i < floats->n; i++)
    {
      if (i > 0)
        g_string_append (text, ", ");
      append_float (text, floats->value[i]);
    }
  g_string_append (text, floats->n == 1 ? ",)" : ")");
}

char *
hyb_param_to_string (const HybParam *param, gconstpointer values)
{
  g_return_val_if_fail (param, NULL);

  gconstpointer at = (const char *) values + param->offset;
  GString      *text = g_string_new (NULL);

  switch (param->kind)
    {
    case HYB_PARAM_INT:
    case HYB_PARAM_OPTIONAL_INT:
      append_int (text, *(const gint64 *) at);
      break;
    case HYB_PARAM_OPTIONAL_FLOAT:
    case HYB_PARAM_FLOAT:
      if (param->kind == HYB_PARAM_OPTIONAL_FLOAT && isnan (*(const double *) at))
        g_string_append (text, "None");
      else
        append_float (text, *(const double *) at);
      break;
    case HYB_PARAM_BOOL:
      g_string_append (text, *(const gboolean *) at ? "True" : "False");
      break;
    case HYB_PARAM_OPTIONAL_BOOL:
      g_string_append (text, *(const int *) at < 0 ? "None" : *(const int *) at ? "True" : "False");
      break;
    case HYB_PARAM_ENUM:
      g_string_append (text, param->choices[*(const int *) at]);
      break;
    case HYB_PARAM_DTYPE:
      g_string_append (text, *(const HybDType *) at == HYB_DTYPE_UNKNOWN
                                 ? "None"
                                 : hyb_dtype_name (*(const HybDType *) at));
      break;
    case HYB_PARAM_SHAPE:
      append_ints (text, ((const HybShape *) at)->rank, ((const HybShape *) at)->dim);
      break;
    case HYB_PARAM_INTS:
      append_ints (text, ((const HybInts *) at)->n, ((const HybInts *) at)->value);
      break;
    case HYB_PARAM_FLOATS:
      append_floats (text, at);
      break;
    case HYB_PARAM_STRING:
      g_string_append (text, *(char *const *) at);
      break;
    case HYB_PARAM_TENSOR:
      append_type (text, *(HybTensor *const *) at);
      break;
    }
  return g_string_free (text, FALSE);
}
