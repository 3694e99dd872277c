/* parameter-copies.c — parameters taken apart and put together.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/parameter-copies.h"

#include "engine/base/error.h"

#include <string.h>

static void
clear_move (gpointer data)
{
  HybParameterCopy *copy = data;

  g_free (copy->from);
  g_free (copy->to);
}

GArray *
hyb_parameter_copies_new (void)
{
  GArray *copies = g_array_new (FALSE, TRUE, sizeof (HybParameterCopy));

  g_array_set_clear_func (copies, clear_move);
  return copies;
}

void
hyb_parameter_copies_add (GArray     *copies,
                          const char *from,
                          gint64      from_offset,
                          gint64      stride,
                          const char *to,
                          gint64      to_offset,
                          gint64      count)
{
  HybParameterCopy copy = { g_strdup (from), g_strdup (to), from_offset, stride, to_offset, count };

  g_array_append_val (copies, copy);
}

static gboolean
fits (const HybParameterCopy *copy, HybTensor *from, HybTensor *to, GError **error)
{
  gint64 last = copy->from_offset + (copy->count - 1) * copy->stride;

  if (from && copy->count > 0 && copy->from_offset >= 0 && last < hyb_tensor_get_size (from) &&
      copy->to_offset >= 0 && copy->to_offset + copy->count <= hyb_tensor_get_size (to))
    return TRUE;
  return hyb_error_at (error,
                       HYB_GRAPH_ERROR,
                       HYB_GRAPH_ERROR_MISSING,
                       NULL,
                       "Give the file of parameters that belongs to the model",
                       "“%s” %s for “%s”",
                       copy->from,
                       from ? "has too few elements" : "has no values",
                       copy->to);
}

HybTensor *
hyb_parameter_copies_gather (const GArray    *copies,
                             const char      *name,
                             const HybType   *type,
                             HybFindParameter find,
                             gpointer         user,
                             GError         **error)
{
  gsize size = hyb_dtype_size (type->dtype);
  g_autoptr (HybTensor) to = hyb_tensor_new_zeros (type, error);

  for (guint m = 0; to && m < copies->len; m++)
    {
      const HybParameterCopy *copy = &g_array_index (copies, HybParameterCopy, m);
      g_autoptr (HybTensor) from = NULL;
      HybTensor *given;
      char      *write;
      char      *read;

      if (strcmp (copy->to, name) != 0)
        continue;
      given = find (copy->from, user);
      if (!fits (copy, given, to, error))
        return NULL;
      from = hyb_tensor_convert (given, type->dtype);
      write = (char *) hyb_tensor_get_data (to) + (gsize) copy->to_offset * size;
      read = (char *) hyb_tensor_get_data (from) + (gsize) copy->from_offset * size;
      if (copy->stride == 1)
        memcpy (write, read, (gsize) copy->count * size);
      else
        for (gint64 i = 0; i < copy->count; i++)
          memcpy (write + (gsize) i * size, read + (gsize) (i * copy->stride) * size, size);
    }
  return g_steal_pointer (&to);
}

/* Of the type of the old parameter, where the new ones have its gradient.  It begins
 * with its own, where the new model reads the old parameter, too. */
static HybTensor *
gather_gradient (GHashTable *old_gradients,
                 GHashTable *gradients,
                 HybModel   *old,
                 const char *name,
                 GError    **error)
{
  HybTensor *gradient = g_hash_table_lookup (old_gradients, name);
  HybTensor *parameter = hyb_model_get_parameter (old, name);
  HybTensor *own = g_hash_table_lookup (gradients, name);

  if (gradient || !parameter)
    return gradient;
  gradient =
      own ? hyb_tensor_copy (own) : hyb_tensor_new_zeros (hyb_tensor_get_type (parameter), error);
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
      HybTensor              *to;

      if (!from)
        continue;
      to = gather_gradient (sums, gradients, old, copy->from, error);
      if (!fits (copy, to, from, error))
        return FALSE;
      for (gint64 i = 0; i < copy->count; i++)
        {
          gint64 at = copy->from_offset + i * copy->stride;
          double sum =
              hyb_tensor_get_value (to, at) + hyb_tensor_get_value (from, copy->to_offset + i);

          hyb_dtype_set_double (hyb_tensor_get_data (to),
                                hyb_tensor_get_dtype (to),
                                (gsize) at,
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
