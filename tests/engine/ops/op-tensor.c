/* op-tensor.c — creates tensors and attributes from short texts, and compares tensors; see
 * op-tensor.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-tensor.h"

#include "engine/tensor/tensor-text.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

HybTensor *
op_tensor_from_text (const char *text, guint nth)
{
  g_autoptr (GError) error = NULL;
  HybTensor *tensor = hyb_tensor_from_text (text, nth, &error);

  if (!tensor)
    g_error ("%s", error->message);
  return tensor;
}

HybTensor *
op_tensor (const char *text, ...)
{
  HybTensor *tensor = op_tensor_from_text (text, 0);
  va_list    list;

  va_start (list, text);
  for (gint64 k = 0; k < hyb_tensor_get_size (tensor); k++)
    hyb_dtype_set_double (hyb_tensor_get_data (tensor), hyb_tensor_get_dtype (tensor), (gsize) k,
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
      g_error ("element %d is %.9g, not %.9g", (int) k, hyb_tensor_get_value (a, k),
               hyb_tensor_get_value (b, k));
}
