/* document-private.h — how the messages of ONNX are described to document.c.
 *
 * Each message is a table of its fields: the number, what kind of value it has, and the member of the struct that it
 * fills.  Repeated fields grow an array; its length is the member before.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/formats/wire.h"
#include "engine/onnx/document.h"

typedef struct _OnnxMessage OnnxMessage;

/* Reading of one file. */
typedef struct
{
  HybArena   *arena;
  const char *where;
  guint64     n_allocated, limit; /* bytes */
  GArray     *numbers;            /* of guint64: typed elements of the tensor that is being read */
} OnnxParser;

typedef enum
{
  ONNX_STRING,   /* const char * */
  ONNX_BYTES,    /* HybOnnxBytes */
  ONNX_INT,      /* gint64 */
  ONNX_ENUM,     /* int */
  ONNX_FLOAT,    /* double, of a fixed32 */
  ONNX_STRINGS,  /* guint, then const char ** */
  ONNX_BYTES_LIST, /* guint, then HybOnnxBytes * */
  ONNX_INTS,     /* guint, then gint64 *, of varints */
  ONNX_FLOATS,   /* guint, then double *, of fixed32 */
  ONNX_MESSAGE,  /* pointer to a struct, merged if it comes again */
  ONNX_MESSAGES, /* guint, then an array of structs */
  ONNX_POINTERS, /* guint, then an array of pointers to structs */
  ONNX_INLINE,   /* a struct without memory of its own: the fields of the message fill the same struct */
  ONNX_DATA,     /* typed elements of a tensor */
} OnnxFieldKind;

typedef struct
{
  guint32            number;
  OnnxFieldKind      kind;
  gsize              offset;  /* of the member; of lists the count */
  gsize              list;    /* of lists the array */
  const OnnxMessage *message; /* of messages */
  int                tag;     /* ONNX_INLINE and ONNX_MESSAGE: a value for the enum at `list` that says which field came; −1: none */
  HybWireType        wire;    /* ONNX_DATA: of one element */
} OnnxField;

struct _OnnxMessage
{
  gsize            size;
  const OnnxField *fields; /* ended by an entry of number 0 */
  gsize            bytes;  /* of the member HybOnnxBytes that gets the message; 0: none */
  gsize            place;  /* of a gsize that gets its offset in the file; 0: none */
  gsize            seen;   /* of a guint64 whose bit i is set if field i is there; 0: none */
  /* Sets what a new struct has before any field is read, and completes it behind the last.  May be NULL. */
  void (*begin) (gpointer object);
  gboolean (*finish) (OnnxParser *parser, gpointer object, gsize offset, GError **error);
};

extern const OnnxMessage hyb_onnx_message_model, hyb_onnx_message_graph, hyb_onnx_message_node,
    hyb_onnx_message_tensor, hyb_onnx_message_sparse, hyb_onnx_message_value,
    hyb_onnx_message_type, hyb_onnx_message_entry;

/* Memory of the arena, cleared.  NULL and an error beyond the limit. */
gpointer hyb_onnx_parser_alloc (OnnxParser *parser, guint64 n, gsize size, GError **error);
