/* messages.h — single messages of ONNX that new parts of a file consist of.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/formats/protobuf/protobuf-writer.h"
#include "engine/onnx/document.h"

/* A file beside the model that holds the elements of large arrays. */
typedef struct
{
  char      *location; /* its name */
  char      *old;      /* data file of the replaced model, which is deleted; NULL: none */
  GPtrArray *pieces;   /* of GBytes, one after the other */
  guint64    length;
} OnnxExternal;

/* The number of ONNX for an element type. */
HybOnnxDType onnx_dtype (HybDType dtype);
/* TensorProto.  external: gets the elements of a large array; NULL: all stay in the message.  (transfer full) */
HybProtobufWriter *
onnx_tensor_message (const char *name, HybTensor *tensor, OnnxExternal *external);
/* ValueInfoProto of a tensor.  dims: the name of each unknown dimension, or NULL where it has none; may be NULL.
 * (transfer full) */
HybProtobufWriter *
onnx_value_message (const char *name, const HybType *type, const char *const *dims);
/* OperatorSetIdProto.  (transfer full) */
HybProtobufWriter *onnx_opset_message (const char *domain, gint64 version);
