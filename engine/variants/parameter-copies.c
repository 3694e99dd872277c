/* parameter-copies.c — fills new parameters from old ones, and adds their gradients up in the old
 * ones.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/parameter-copies.h"

#include "engine/base/error.h"

#include <string.h>

static void
clear_copy (gpointer data)
{
  HybParameterCopy *copy = data;

  g_free ((char *) copy->from);
  g_free ((char *) copy->to);
}

GArray *
hyb_parameter_copies_new (void)
{
  GArray *copies = g_array_new (FALSE, TRUE, sizeof (HybParameterCopy));

  g_array_set_clear_func (copies, clear_copy);
  return copies;
}

void
hyb_parameter_copies_add (GArray *copies, const HybParameterCopy *copy)
{
  HybParameterCopy entry = *copy;

  entry.from = g_strdup (copy->from);
  entry.to = g_strdup (copy->to);
  g_array_append_val (copies, entry);
}

/* Whether a copy lies within both arrays; from may be NULL. */
static gboolean
check_copy (const HybParameterCopy *copy, HybTensor *from, HybTensor *to, GError **error)
{
  gint64 last = copy->from_offset + (copy->count - 1) * copy->stride;

  if (from && copy->count > 0 && copy->from_offset >= 0 && last < hyb_tensor_get_size (from) &&
      copy->to_offset >= 0 && copy->to_offset + copy->count <= hyb_tensor_get_size (to))
    return TRUE;
  return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MISSING, NULL,
                       "Give the file of parameters that belongs to the model", "“%s” %s for “%s”",
                       copy->from, from ? "has too few elements" : "has no values", copy->to);
}

HybTensor *
hyb_parameter_copies_gather (const GArray  *copies,
                             const char    *name,
                             const HybType *type,
                             HybModel      *from,
                             GError       **error)
{
  gsize size = hyb_dtype_size (type->dtype);
  g_autoptr (HybTensor) to = hyb_tensor_new_zeros (type, error);

  for (guint m = 0; to && m < copies->len; m++)
    {
      const HybParameterCopy *copy = &g_array_index (copies, HybParameterCopy, m);
      g_autoptr (HybTensor) source = NULL;
      HybTensor *given;
      char      *write;
      char      *read;

      if (strcmp (copy->to, name) != 0)
        continue;
      given = hyb_model_get_parameter (from, copy->from);
      if (!check_copy (copy, given, to, error))
        return NULL;
      source = hyb_tensor_convert (given, type->dtype);
      if (!source)
        {
          hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MEMORY, NULL, NULL,
                        "not enough memory to convert “%s” to %s", copy->from,
                        hyb_dtype_name (type->dtype));
          return NULL;
        }
      write = (char *) hyb_tensor_get_data (to) + (gsize) copy->to_offset * size;
      read = (char *) hyb_tensor_get_data (source) + (gsize) copy->from_offset * size;
      if (copy->stride == 1)
        memcpy (write, read, (gsize) copy->count * size);
      else
        for (gint64 i = 0; i < copy->count; i++)
          memcpy (write + (gsize) i * size, read + (gsize) (i * copy->stride) * size, size);
    }
  return g_steal_pointer (&to);
}

/* The gradient of an old parameter, with this type; made if old_gradients does not have it yet.  It starts
 * from the gradient that the new model has for the same name, if it reads the old parameter as well. */
static HybTensor *
gather_gradient (GHashTable    *old_gradients,
                 GHashTable    *gradients,
                 const char    *name,
                 const HybType *type,
                 GError       **error)
{
  HybTensor *gradient = g_hash_table_lookup (old_gradients, name);
  HybTensor *own = g_hash_table_lookup (gradients, name);

  if (gradient)
    return gradient;
  gradient = own ? hyb_tensor_copy (own) : hyb_tensor_new_zeros (type, error);
  if (gradient)
    g_hash_table_insert (old_gradients, g_strdup (name), gradient);
  return gradient;
}

gboolean
hyb_parameter_copies_scatter_gradients (const GArray *copies,
                                        GHashTable   *gradients,
                                        HybModel     *old,
                                        GError      **error)
{
  g_autoptr (GHashTable) sums =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) hyb_tensor_unref);
  GHashTableIter iter;
  gpointer       name, tensor;

  for (guint m = 0; m < copies->len; m++)
    {
      const HybParameterCopy *copy = &g_array_index (copies, HybParameterCopy, m);
      HybTensor              *from = g_hash_table_lookup (gradients, copy->to);
      HybTensor              *parameter = hyb_model_get_parameter (old, copy->from), *to = NULL;

      if (!from)
        continue;
      /* Gradients may be computed in float64 for parameters of float32. */
      if (parameter)
        to = gather_gradient (sums, gradients, copy->from,
                              &(HybType){ *hyb_tensor_get_shape (parameter),
                                          hyb_tensor_get_dtype (from) },
                              error);
      if (!check_copy (copy, to, from, error))
        return FALSE;
      for (gint64 i = 0; i < copy->count; i++)
        {
          gint64 at = copy->from_offset + i * copy->stride;
          double sum =
              hyb_tensor_get_value (to, at) + hyb_tensor_get_value (from, copy->to_offset + i);

          hyb_dtype_set_double (hyb_tensor_get_data (to), hyb_tensor_get_dtype (to), (gsize) at,
                                sum);
        }
    }

  for (guint m = 0; m < copies->len; m++)
    g_hash_table_remove (gradients, g_array_index (copies, HybParameterCopy, m).to);
  g_hash_table_iter_init (&iter, sums);
  while (g_hash_table_iter_next (&iter, &name, &tensor))
    g_hash_table_insert (gradients, g_strdup (name), hyb_tensor_ref (tensor));
  return TRUE;
}
