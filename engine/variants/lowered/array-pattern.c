/* array-pattern.c — writes arrays of one number, or of the numbers 0, 1, …, as nodes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/lowered/array-pattern.h"

/* TRUE if all elements of an array of several are the same. */
static gboolean
is_uniform (HybTensor *tensor)
{
  gint64 n = hyb_tensor_get_size (tensor);
  double first = hyb_tensor_get_value (tensor, 0);

  for (gint64 i = 1; i < n; i++)
    if (hyb_tensor_get_value (tensor, i) != first)
      return FALSE;
  return n > 1;
}

/* A node that fills an array with one number, so that no size of a batch is stored. */
static HybValueId
add_filled (HybBuilder *builder, const char *const *names, HybTensor *tensor)
{
  const HybType    *type = hyb_tensor_get_type (tensor);
  g_autofree char  *shape = hyb_shape_to_string (&type->shape);
  g_autofree char  *value = g_strdup_printf ("%.17g", hyb_tensor_get_value (tensor, 0));
  const char *const attributes[] = {
    "dtype", hyb_dtype_name (type->dtype), "shape", shape, "value", value, NULL
  };

  return hyb_builder_call (builder, "_full",
                           &(HybNodeSpec){ .name = names[0], .attributes = attributes }, NULL);
}

/* TRUE if an array has the numbers 0, 1, … along one axis. */
static gboolean
is_count (HybTensor *tensor)
{
  const HybShape *shape = hyb_tensor_get_shape (tensor);
  gint64          n = hyb_tensor_get_size (tensor);
  gboolean        has_axis = FALSE;

  for (int axis = 0; axis < shape->rank; axis++)
    has_axis = has_axis || shape->dim[axis] == n;
  for (gint64 i = 0; has_axis && i < n; i++)
    if (hyb_tensor_get_value (tensor, i) != (double) i)
      return FALSE;
  return has_axis && n > 1;
}

/* Nodes that count, so that no number of steps is stored. */
static HybValueId
add_count (HybBuilder *builder, const char *const *names, HybTensor *tensor)
{
  const HybType   *type = hyb_tensor_get_type (tensor);
  g_autofree char *stop = g_strdup_printf ("%" G_GINT64_FORMAT, hyb_tensor_get_size (tensor));
  GString         *shape = g_string_new ("(");
  HybValueId       value =
      hyb_builder_call (builder, "_arange",
                        &(HybNodeSpec){
                            .name = names[type->shape.rank > 1],
                            .attributes =
                                (const char *const[]){ "dtype", hyb_dtype_name (type->dtype),
                                                       "start", "0", "stop", stop, NULL } },
                        NULL);

  for (int axis = 0; axis < type->shape.rank; axis++)
    g_string_append (shape, type->shape.dim[axis] > 1 ? "-1, " : "1, ");
  g_string_append_c (shape, ')');
  if (type->shape.rank > 1)
    value =
        hyb_builder_call (builder, "_np_reshape",
                          &(HybNodeSpec){
                              .name = names[0],
                              .n_inputs = 1,
                              .inputs = &value,
                              .attributes = (const char *const[]){ "newshape", shape->str, NULL } },
                          NULL);
  g_string_free (shape, TRUE);
  return value;
}

gboolean
hyb_array_has_pattern (HybTensor *tensor)
{
  return is_uniform (tensor) || is_count (tensor);
}

HybValueId
hyb_array_add_pattern (HybBuilder *builder, const char *const *names, HybTensor *tensor)
{
  return is_uniform (tensor) ? add_filled (builder, names, tensor)
                             : add_count (builder, names, tensor);
}
