/* document-private.h — the tables of ONNX' messages, each beside the functions that finish its struct.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/onnx/document.h"

extern const HybProtobufMessage hyb_onnx_entry_message;  /* HybOnnxEntry: StringStringEntryProto */
extern const HybProtobufMessage hyb_onnx_tensor_message; /* HybOnnxTensor: TensorProto */
extern const HybProtobufMessage hyb_onnx_sparse_message; /* HybOnnxSparse: SparseTensorProto */
extern const HybProtobufMessage hyb_onnx_type_message;   /* HybOnnxValueInfo: TypeProto */
extern const HybProtobufMessage hyb_onnx_value_message;  /* HybOnnxValueInfo: ValueInfoProto */
extern const HybProtobufMessage hyb_onnx_attribute_message; /* HybOnnxAttribute: AttributeProto */
extern const HybProtobufMessage hyb_onnx_node_message;      /* HybOnnxNode: NodeProto */
extern const HybProtobufMessage hyb_onnx_opset_message;     /* HybOnnxOpset: OperatorSetIdProto */
extern const HybProtobufMessage hyb_onnx_graph_message;     /* HybOnnxGraph: GraphProto */
extern const HybProtobufMessage hyb_onnx_function_message;  /* HybOnnxFunction: FunctionProto */

/* "" for "ai.onnx", the other name of the same domain. */
const char *hyb_onnx_domain (const char *domain);
/* How the elements of a type stand in the typed fields of a tensor: the field's number, and how each number of it is
 * kept.  0: in none. */
guint hyb_onnx_dtype_field (HybOnnxDType dtype, HybProtobufKind *kind);
