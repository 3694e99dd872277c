/* document.h — an ONNX file as C structs: the contents of its protobuf messages without interpretation.
 *
 * hyb_onnx_document_read() reads a whole file.  Strings and arrays live in the arena of the document,
 * tensors stay in the file's bytes.  Each message keeps the bytes that it was read from, so that a writer
 * can copy unchanged parts, unknown fields included.  read-graph.h makes a graph of the document.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/arena.h"
#include "engine/formats/protobuf/protobuf.h"
#include "engine/tensor/tensor.h"

/* The bytes of a message or a field: data and length, within the file.  Of a message that the file gives in several
 * parts, the parts joined, in the arena. */
typedef HybProtobufBytes HybOnnxBytes;

/* Numbers of TensorProto.DataType.  Values outside of this list are kept as read. */
typedef enum
{
  HYB_ONNX_UNDEFINED = 0,
  HYB_ONNX_FLOAT = 1,
  HYB_ONNX_UINT8 = 2,
  HYB_ONNX_INT8 = 3,
  HYB_ONNX_UINT16 = 4,
  HYB_ONNX_INT16 = 5,
  HYB_ONNX_INT32 = 6,
  HYB_ONNX_INT64 = 7,
  HYB_ONNX_STRING = 8,
  HYB_ONNX_BOOL = 9,
  HYB_ONNX_FLOAT16 = 10,
  HYB_ONNX_DOUBLE = 11,
  HYB_ONNX_UINT32 = 12,
  HYB_ONNX_UINT64 = 13,
  HYB_ONNX_COMPLEX64 = 14,
  HYB_ONNX_COMPLEX128 = 15,
  HYB_ONNX_BFLOAT16 = 16,
  HYB_ONNX_FLOAT8E4M3FN = 17,
  HYB_ONNX_FLOAT8E4M3FNUZ = 18,
  HYB_ONNX_FLOAT8E5M2 = 19,
  HYB_ONNX_FLOAT8E5M2FNUZ = 20,
  HYB_ONNX_UINT4 = 21,
  HYB_ONNX_INT4 = 22,
  HYB_ONNX_FLOAT4E2M1 = 23,
  HYB_ONNX_FLOAT8E8M0 = 24,
  HYB_ONNX_UINT2 = 25,
  HYB_ONNX_INT2 = 26,
} HybOnnxDType;

/* A key and a value: metadata_props, external_data, quantisation annotations. */
typedef struct
{
  const char *key;
  const char *value;
} HybOnnxEntry;

/* The value of the first entry with that key; NULL if there is none. */
const char *hyb_onnx_entry_find (const HybOnnxEntry *entries, guint n, const char *key);

/* TensorProto. */
typedef struct
{
  const char   *name; /* "" if the file gives none */
  const char   *doc;
  HybOnnxDType  dtype;
  guint         n_dims;
  const gint64 *dims; /* never negative */
  HybOnnxBytes raw; /* raw_data: little-endian elements in the file's bytes; data NULL: not given */
  /* Elements of the typed fields, converted to dtype and laid out as raw_data would be; NULL if raw_data,
   * external data or strings hold the elements.  Belongs to the arena. */
  const guint8 *typed;
  gsize         typed_bytes;
  guint         n_strings; /* string_data */
  HybOnnxBytes *strings;
  gboolean      is_external; /* data_location is EXTERNAL */
  guint         n_external;
  HybOnnxEntry *external; /* location, offset, length, checksum */
  HybOnnxBytes  bytes;
} HybOnnxTensor;

/* SparseTensorProto: values at the linear or coordinate indices of a dense array. */
typedef struct
{
  HybOnnxTensor *values;
  HybOnnxTensor *indices;
  guint          n_dims;
  const gint64  *dims;
} HybOnnxSparse;

/* One axis of a declared shape. */
typedef struct
{
  gint64      value; /* -1: not given as a number */
  const char *name;  /* dim_param; NULL: not given */
} HybOnnxDim;

typedef enum
{
  HYB_ONNX_TYPE_NONE, /* no type is given */
  HYB_ONNX_TYPE_TENSOR,
  HYB_ONNX_TYPE_SPARSE,
  HYB_ONNX_TYPE_SEQUENCE,
  HYB_ONNX_TYPE_OPTIONAL,
  HYB_ONNX_TYPE_MAP,
  HYB_ONNX_TYPE_OPAQUE,
} HybOnnxTypeKind;

/* ValueInfoProto.  For a sequence or optional, dtype and shape describe its innermost element. */
typedef struct
{
  const char     *name;
  HybOnnxTypeKind kind;
  HybOnnxDType    dtype;
  gboolean        has_shape;
  guint           n_dims;
  HybOnnxDim     *dims;
  guint           n_metadata;
  HybOnnxEntry   *metadata;
  HybOnnxBytes    bytes;
} HybOnnxValueInfo;

typedef struct _HybOnnxGraph HybOnnxGraph;

/* AttributeProto.Type. */
typedef enum
{
  HYB_ONNX_ATTRIBUTE_NONE = 0,
  HYB_ONNX_ATTRIBUTE_FLOAT = 1,
  HYB_ONNX_ATTRIBUTE_INT = 2,
  HYB_ONNX_ATTRIBUTE_STRING = 3,
  HYB_ONNX_ATTRIBUTE_TENSOR = 4,
  HYB_ONNX_ATTRIBUTE_GRAPH = 5,
  HYB_ONNX_ATTRIBUTE_FLOATS = 6,
  HYB_ONNX_ATTRIBUTE_INTS = 7,
  HYB_ONNX_ATTRIBUTE_STRINGS = 8,
  HYB_ONNX_ATTRIBUTE_TENSORS = 9,
  HYB_ONNX_ATTRIBUTE_GRAPHS = 10,
  HYB_ONNX_ATTRIBUTE_SPARSE_TENSOR = 11,
  HYB_ONNX_ATTRIBUTE_SPARSE_TENSORS = 12,
  HYB_ONNX_ATTRIBUTE_TYPE_PROTO = 13,
  HYB_ONNX_ATTRIBUTE_TYPE_PROTOS = 14,
} HybOnnxAttributeKind;

/* AttributeProto.  The member of its kind holds the value; a file that gives no kind gets the one of the
 * field that is there. */
typedef struct
{
  const char          *name;
  HybOnnxAttributeKind kind;
  const char   *reference; /* ref_attr_name: an attribute of the surrounding function; NULL: none */
  double        f;
  gint64        i;
  HybOnnxBytes  s;
  guint         n; /* of the list of its kind */
  double       *floats;
  gint64       *ints;
  HybOnnxBytes *strings;
  HybOnnxTensor    *tensor; /* one, or n */
  HybOnnxGraph    **graphs; /* one, or n */
  HybOnnxSparse    *sparse;
  HybOnnxValueInfo *type; /* of TYPE_PROTO, without a name */
  HybOnnxBytes      bytes;
} HybOnnxAttribute;

/* NodeProto.  A left-out input or output is "". */
typedef struct
{
  const char       *name; /* "" if the file gives none */
  const char       *op_type;
  const char       *domain;   /* "" for ai.onnx, also where the file spells it out */
  const char       *overload; /* "" if not given */
  const char       *doc;
  guint             n_inputs;
  const char      **inputs;
  guint             n_outputs;
  const char      **outputs;
  guint             n_attributes;
  HybOnnxAttribute *attributes;
  guint             n_metadata;
  HybOnnxEntry     *metadata;
  gsize             offset; /* of the message in the file */
  HybOnnxBytes      bytes;
} HybOnnxNode;

/* GraphProto. */
struct _HybOnnxGraph
{
  const char       *name;
  const char       *doc;
  guint             n_nodes;
  HybOnnxNode      *nodes;
  guint             n_initializers;
  HybOnnxTensor    *initializers;
  guint             n_sparse;
  HybOnnxSparse    *sparse; /* sparse_initializer; named like its values */
  guint             n_inputs;
  HybOnnxValueInfo *inputs;
  guint             n_outputs;
  HybOnnxValueInfo *outputs;
  guint             n_values;
  HybOnnxValueInfo *values; /* value_info */
  guint             n_metadata;
  HybOnnxEntry     *metadata;
  HybOnnxBytes      bytes;
};

/* OperatorSetIdProto. */
typedef struct
{
  const char *domain; /* "" for ai.onnx */
  gint64      version;
} HybOnnxOpset;

/* FunctionProto. */
typedef struct
{
  const char       *name;
  const char       *domain;
  const char       *overload;
  const char       *doc;
  guint             n_inputs;
  const char      **inputs;
  guint             n_outputs;
  const char      **outputs;
  guint             n_attributes;
  const char      **attributes; /* names of attributes without a default */
  guint             n_defaults;
  HybOnnxAttribute *defaults; /* attribute_proto */
  guint             n_nodes;
  HybOnnxNode      *nodes;
  guint             n_opsets;
  HybOnnxOpset     *opsets;
  guint             n_values;
  HybOnnxValueInfo *values;
  HybOnnxBytes      bytes;
} HybOnnxFunction;

/* ModelProto. */
typedef struct
{
  HybArena        *arena;
  GBytes          *file; /* all HybOnnxBytes point into it */
  gint64           ir_version;
  const char      *producer_name;
  const char      *producer_version;
  const char      *domain;
  gint64           model_version;
  const char      *doc;
  guint            n_opsets;
  HybOnnxOpset    *opsets;
  guint            n_metadata;
  HybOnnxEntry    *metadata;
  guint            n_functions;
  HybOnnxFunction *functions;
  HybOnnxGraph    *graph; /* never NULL */
} HybOnnxDocument;

/* Reads a file.  where: names it in messages.  NULL and an error with the offset if the bytes are not
 * ONNX model: a field that ends behind its message, a wrong wire type, group fields, more nesting or more
 * memory than is allowed, a negative dimension, no graph.  (transfer full) */
HybOnnxDocument *hyb_onnx_document_read (GBytes *file, const char *where, GError **error);
/* Frees a document; accepts NULL. */
void hyb_onnx_document_free (HybOnnxDocument *document);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybOnnxDocument, hyb_onnx_document_free)

/* The name of an element type as the specification spells it, in lower case: "float", "int64", "float8e4m3fn";
 * "undefined" for 0, "type 77" is not made up: NULL for numbers that no version of the specification has. */
const char *hyb_onnx_dtype_name (HybOnnxDType dtype);
/* The engine's type; HYB_DTYPE_UNKNOWN for types that it lacks (strings, complex, 8-, 4- and 2-bit floats, 4- and
 * 2-bit integers). */
HybDType hyb_onnx_dtype_to_engine (HybOnnxDType dtype);
