/* parameter-copies.c — parameters taken apart and put together.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/parameter-copies.h"

#include "engine/base/error.h"

#include <string.h>

static void
clear_move (gpointer data)
{
  HybMove *move = data;

  g_free (move->from);
  g_free (move->to);
}

GArray *
hyb_moves_new (void)
{
  GArray *moves = g_array_new (FALSE, TRUE, sizeof (HybMove));

  g_array_set_clear_func (moves, clear_move);
  return moves;
}

void
hyb_moves_add (GArray     *moves,
               const char *from,
               gint64      from_offset,
               gint64      stride,
               const char *to,
               gint64      to_offset,
               gint64      count)
{
  HybMove move = { g_strdup (from), g_strdup (to), from_offset, stride, to_offset, count };

  g_array_append_val (moves, move);
}

static gboolean
fits (const HybMove *move, HybTensor *from, HybTensor *to, GError **error)
{
  gint64 last = move->from_offset + (move->count - 1) * move->stride;

  if (from && move->count > 0 && move->from_offset >= 0 && last < hyb_tensor_get_size (from) &&
      move->to_offset >= 0 && move->to_offset + move->count <= hyb_tensor_get_size (to))
    return TRUE;
  return hyb_error_at (error,
                       HYB_GRAPH_ERROR,
                       HYB_GRAPH_ERROR_MISSING,
                       NULL,
                       "Give the file of parameters that belongs to the model",
                       "“%s” %s for “%s”",
                       move->from,
                       from ? "has too few elements" : "has no values",
                       move->to);
}

HybTensor *
hyb_moves_gather (const GArray  *moves,
                  const char    *name,
                  const HybType *type,
                  HybFindTensor  find,
                  gpointer       user,
                  GError       **error)
{
  gsize size = hyb_dtype_size (type->dtype);
  g_autoptr (HybTensor) to = hyb_tensor_new_zeros (type, error);

  for (guint m = 0; to && m < moves->len; m++)
    {
      const HybMove *move = &g_array_index (moves, HybMove, m);
      g_autoptr (HybTensor) from = NULL;
      HybTensor *given;
      char      *write;
      char      *read;

      if (strcmp (move->to, name) != 0)
        continue;
      given = find (move->from, user);
      if (!fits (move, given, to, error))
        return NULL;
      from = hyb_tensor_convert (given, type->dtype);
      write = (char *) hyb_tensor_get_data (to) + (gsize) move->to_offset * size;
      read = (char *) hyb_tensor_get_data (from) + (gsize) move->from_offset * size;
      if (move->stride == 1)
        memcpy (write, read, (gsize) move->count * size);
      else
        for (gint64 i = 0; i < move->count; i++)
          memcpy (write + (gsize) i * size, read + (gsize) (i * move->stride) * size, size);
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
hyb_moves_scatter (const GArray *moves, GHashTable *gradients, HybModel *old, GError **error)
{
  g_autoptr (GHashTable) sums =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) hyb_tensor_unref);
  GHashTableIter iter;
  gpointer       name, tensor;

  for (guint m = 0; m < moves->len; m++)
    {
      const HybMove *move = &g_array_index (moves, HybMove, m);
      HybTensor     *from = g_hash_table_lookup (gradients, move->to);
      HybTensor     *to;

      if (!from)
        continue;
      to = gather_gradient (sums, gradients, old, move->from, error);
      if (!fits (move, to, from, error))
        return FALSE;
      for (gint64 i = 0; i < move->count; i++)
        {
          gint64 at = move->from_offset + i * move->stride;
          double sum =
              hyb_tensor_get_value (to, at) + hyb_tensor_get_value (from, move->to_offset + i);

          hyb_dtype_set_double (hyb_tensor_get_data (to),
                                hyb_tensor_get_dtype (to),
                                (gsize) at,
                                sum);
        }
    }

  for (guint m = 0; m < moves->len; m++)
    g_hash_table_remove (gradients, g_array_index (moves, HybMove, m).to);
  g_hash_table_iter_init (&iter, sums);
  while (g_hash_table_iter_next (&iter, &name, &tensor))
    g_hash_table_insert (gradients, g_strdup (name), hyb_tensor_ref (tensor));
  return TRUE;
}
