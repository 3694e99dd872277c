/* document-types.c — ONNX' element types: name, the engine's type, and the typed field of tensors.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/document-private.h"

/* Numbers of TensorProto's fields for elements. */
enum
{
  FLOAT_DATA = 4,
  INT32_DATA = 5,
  INT64_DATA = 7,
  DOUBLE_DATA = 10,
  UINT64_DATA = 11,
};

typedef struct
{
  const char     *name;
  HybDType        engine;
  guint           field; /* 0: none */
  HybProtobufKind kind;
} ElementType;

#define NONE HYB_DTYPE_UNKNOWN

/* Complex elements are two numbers; elements of less than 8 bits share a byte, also in
 * int32_data. */
static const ElementType types[] = {
  [HYB_ONNX_UNDEFINED] = { "undefined", NONE, 0, 0 },
  [HYB_ONNX_FLOAT] = { "float", HYB_F32, FLOAT_DATA, HYB_PROTOBUF_FLOAT },
  [HYB_ONNX_UINT8] = { "uint8", HYB_U8, INT32_DATA, HYB_PROTOBUF_INT8 },
  [HYB_ONNX_INT8] = { "int8", HYB_I8, INT32_DATA, HYB_PROTOBUF_INT8 },
  [HYB_ONNX_UINT16] = { "uint16", HYB_U16, INT32_DATA, HYB_PROTOBUF_INT16 },
  [HYB_ONNX_INT16] = { "int16", HYB_I16, INT32_DATA, HYB_PROTOBUF_INT16 },
  [HYB_ONNX_INT32] = { "int32", HYB_I32, INT32_DATA, HYB_PROTOBUF_INT32 },
  [HYB_ONNX_INT64] = { "int64", HYB_I64, INT64_DATA, HYB_PROTOBUF_INT64 },
  [HYB_ONNX_STRING] = { "string", NONE, 0, 0 },
  [HYB_ONNX_BOOL] = { "bool", HYB_BOOL, INT32_DATA, HYB_PROTOBUF_INT8 },
  [HYB_ONNX_FLOAT16] = { "float16", HYB_F16, INT32_DATA, HYB_PROTOBUF_INT16 },
  [HYB_ONNX_DOUBLE] = { "double", HYB_F64, DOUBLE_DATA, HYB_PROTOBUF_DOUBLE },
  [HYB_ONNX_UINT32] = { "uint32", HYB_U32, UINT64_DATA, HYB_PROTOBUF_INT32 },
  [HYB_ONNX_UINT64] = { "uint64", HYB_U64, UINT64_DATA, HYB_PROTOBUF_INT64 },
  [HYB_ONNX_COMPLEX64] = { "complex64", NONE, FLOAT_DATA, HYB_PROTOBUF_FLOAT },
  [HYB_ONNX_COMPLEX128] = { "complex128", NONE, DOUBLE_DATA, HYB_PROTOBUF_DOUBLE },
  [HYB_ONNX_BFLOAT16] = { "bfloat16", HYB_BF16, INT32_DATA, HYB_PROTOBUF_INT16 },
  [HYB_ONNX_FLOAT8E4M3FN] = { "float8e4m3fn", NONE, INT32_DATA, HYB_PROTOBUF_INT8 },
  [HYB_ONNX_FLOAT8E4M3FNUZ] = { "float8e4m3fnuz", NONE, INT32_DATA, HYB_PROTOBUF_INT8 },
  [HYB_ONNX_FLOAT8E5M2] = { "float8e5m2", NONE, INT32_DATA, HYB_PROTOBUF_INT8 },
  [HYB_ONNX_FLOAT8E5M2FNUZ] = { "float8e5m2fnuz", NONE, INT32_DATA, HYB_PROTOBUF_INT8 },
  [HYB_ONNX_UINT4] = { "uint4", NONE, INT32_DATA, HYB_PROTOBUF_INT8 },
  [HYB_ONNX_INT4] = { "int4", NONE, INT32_DATA, HYB_PROTOBUF_INT8 },
  [HYB_ONNX_FLOAT4E2M1] = { "float4e2m1", NONE, INT32_DATA, HYB_PROTOBUF_INT8 },
  [HYB_ONNX_FLOAT8E8M0] = { "float8e8m0", NONE, INT32_DATA, HYB_PROTOBUF_INT8 },
  [HYB_ONNX_UINT2] = { "uint2", NONE, INT32_DATA, HYB_PROTOBUF_INT8 },
  [HYB_ONNX_INT2] = { "int2", NONE, INT32_DATA, HYB_PROTOBUF_INT8 },
};

static const ElementType *
find_type (HybOnnxDType dtype)
{
  guint64 number = (guint64) (gint64) dtype;

  return number < G_N_ELEMENTS (types) ? &types[number] : NULL;
}

const char *
hyb_onnx_dtype_name (HybOnnxDType dtype)
{
  const ElementType *type = find_type (dtype);

  return type ? type->name : NULL;
}

HybDType
hyb_onnx_dtype_to_engine (HybOnnxDType dtype)
{
  const ElementType *type = find_type (dtype);

  return type ? type->engine : HYB_DTYPE_UNKNOWN;
}

guint
hyb_onnx_dtype_field (HybOnnxDType dtype, HybProtobufKind *kind)
{
  const ElementType *type = find_type (dtype);

  if (!type)
    return 0;
  *kind = type->kind;
  return type->field;
}
