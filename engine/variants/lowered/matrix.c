/* matrix.c — stored matrices in another order.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/variants/lowered/matrix.h"

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
