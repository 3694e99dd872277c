/* dtype.c — element types of ONNX: names, sizes, and the engine's type of each.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/document.h"

static const struct
{
  const char *name;
  guint       bits;
  HybDType    dtype;
} types[] = {
  [HYB_ONNX_UNDEFINED] = { "undefined", 0, HYB_DTYPE_UNKNOWN },
  [HYB_ONNX_FLOAT] = { "float", 32, HYB_F32 },
  [HYB_ONNX_UINT8] = { "uint8", 8, HYB_U8 },
  [HYB_ONNX_INT8] = { "int8", 8, HYB_I8 },
  [HYB_ONNX_UINT16] = { "uint16", 16, HYB_U16 },
  [HYB_ONNX_INT16] = { "int16", 16, HYB_I16 },
  [HYB_ONNX_INT32] = { "int32", 32, HYB_I32 },
  [HYB_ONNX_INT64] = { "int64", 64, HYB_I64 },
  [HYB_ONNX_STRING] = { "string", 0, HYB_DTYPE_UNKNOWN },
  [HYB_ONNX_BOOL] = { "bool", 8, HYB_BOOL },
  [HYB_ONNX_FLOAT16] = { "float16", 16, HYB_F16 },
  [HYB_ONNX_DOUBLE] = { "double", 64, HYB_F64 },
  [HYB_ONNX_UINT32] = { "uint32", 32, HYB_U32 },
  [HYB_ONNX_UINT64] = { "uint64", 64, HYB_U64 },
  [HYB_ONNX_COMPLEX64] = { "complex64", 64, HYB_DTYPE_UNKNOWN },
  [HYB_ONNX_COMPLEX128] = { "complex128", 128, HYB_DTYPE_UNKNOWN },
  [HYB_ONNX_BFLOAT16] = { "bfloat16", 16, HYB_BF16 },
  [HYB_ONNX_FLOAT8E4M3FN] = { "float8e4m3fn", 8, HYB_DTYPE_UNKNOWN },
  [HYB_ONNX_FLOAT8E4M3FNUZ] = { "float8e4m3fnuz", 8, HYB_DTYPE_UNKNOWN },
  [HYB_ONNX_FLOAT8E5M2] = { "float8e5m2", 8, HYB_DTYPE_UNKNOWN },
  [HYB_ONNX_FLOAT8E5M2FNUZ] = { "float8e5m2fnuz", 8, HYB_DTYPE_UNKNOWN },
  [HYB_ONNX_UINT4] = { "uint4", 4, HYB_DTYPE_UNKNOWN },
  [HYB_ONNX_INT4] = { "int4", 4, HYB_DTYPE_UNKNOWN },
  [HYB_ONNX_FLOAT4E2M1] = { "float4e2m1", 4, HYB_DTYPE_UNKNOWN },
  [HYB_ONNX_FLOAT8E8M0] = { "float8e8m0", 8, HYB_DTYPE_UNKNOWN },
  [HYB_ONNX_UINT2] = { "uint2", 2, HYB_DTYPE_UNKNOWN },
  [HYB_ONNX_INT2] = { "int2", 2, HYB_DTYPE_UNKNOWN },
};

static gboolean
is_listed (HybOnnxDType dtype)
{
  return (int) dtype >= 0 && dtype < G_N_ELEMENTS (types);
}

const char *
hyb_onnx_dtype_name (HybOnnxDType dtype)
{
  return is_listed (dtype) ? types[dtype].name : NULL;
}

guint
hyb_onnx_dtype_bits (HybOnnxDType dtype)
{
  return is_listed (dtype) ? types[dtype].bits : 0;
}

HybDType
hyb_onnx_dtype_to_engine (HybOnnxDType dtype)
{
  return is_listed (dtype) ? types[dtype].dtype : HYB_DTYPE_UNKNOWN;
}
