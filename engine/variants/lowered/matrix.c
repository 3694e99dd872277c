/* matrix.c — stored matrices in another order, and the same matrix stored twice.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/lowered/matrix.h"

#include <string.h>

HybTensor *
hyb_matrix_transpose (HybTensor *matrix)
{
  const HybShape *shape = hyb_tensor_get_shape (matrix);
  HybType         type = { hyb_shape_2d (shape->dim[1], shape->dim[0]), HYB_F32 };
  HybTensor      *result = hyb_tensor_new (&type, NULL);
  const float    *from = hyb_tensor_get_data (matrix);

  for (gint64 row = 0; result && row < shape->dim[0]; row++)
    for (gint64 column = 0; column < shape->dim[1]; column++)
      ((float *) hyb_tensor_get_data (result))[column * shape->dim[0] + row] =
          from[row * shape->dim[1] + column];
  return result;
}

guint
hyb_matrix_hash (gconstpointer matrix)
{
  gsize          n_words = hyb_tensor_get_bytes ((HybTensor *) matrix) / sizeof (guint32);
  const guint32 *words = hyb_tensor_get_data ((HybTensor *) matrix);
  guint          hash = 5381;

  for (gsize i = 0; i < n_words; i++)
    hash = hash * 33 + words[i];
  return hash;
}

gboolean
hyb_matrix_equal (gconstpointer a, gconstpointer b)
{
  HybTensor *of_a = (HybTensor *) a, *of_b = (HybTensor *) b;

  return hyb_shape_equal (hyb_tensor_get_shape (of_a), hyb_tensor_get_shape (of_b)) &&
         memcmp (hyb_tensor_get_data (of_a), hyb_tensor_get_data (of_b),
                 hyb_tensor_get_bytes (of_a)) == 0;
}
