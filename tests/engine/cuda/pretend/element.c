/* element.c — elements of the vendor's types as doubles, and device memory that is checked.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/pretend/element.h"

#include "tests/engine/cuda/pretend/cublas.h"
#include "tests/engine/cuda/pretend/state.h"
#include "tests/engine/cuda/ptx/machine.h"

#include <string.h>

gsize
element_bytes (int type)
{
  return type == CUDA_R_64F                          ? 8
         : type == CUDA_R_32F || type == CUDA_R_32I  ? 4
         : type == CUDA_R_16F || type == CUDA_R_16BF ? 2
                                                     : type == CUDA_R_8I;
}

double
element_get (const guint8 *data, int type)
{
  PtxValue value = { 0 };

  memcpy (&value, data, element_bytes (type));
  return type == CUDA_R_64F    ? value.f64
         : type == CUDA_R_32F  ? (double) value.f32
         : type == CUDA_R_16F  ? (double) ptx_half_to_float (value.u16)
         : type == CUDA_R_16BF ? (double) ptx_bfloat_to_float (value.u16)
         : type == CUDA_R_32I  ? (double) value.s32
                               : (double) value.s8;
}

void
element_put (guint8 *data, int type, double number)
{
  PtxValue value = { 0 };

  if (type == CUDA_R_64F)
    value.f64 = number;
  else if (type == CUDA_R_32F)
    value.f32 = (float) number;
  else if (type == CUDA_R_16F)
    value.u16 = ptx_float_to_half (number, FALSE);
  else if (type == CUDA_R_16BF)
    value.u16 = ptx_float_to_bfloat ((float) number, FALSE);
  else
    value.s32 = (gint32) number;
  memcpy (data, &value, element_bytes (type));
}

gpointer
element_reach (guint64 at, gsize bytes, gboolean write, GError **error)
{
  PtxAccess access = { at, bytes, write, pretend.unchecked };

  return ptx_memory_reach (pretend.memory, &access, error);
}

double
element_to_tf32 (double value)
{
  PtxValue bits = { .f32 = (float) value };

  bits.u32 = (bits.u32 + 0x1000) & 0xffffe000;
  return (double) bits.f32;
}
