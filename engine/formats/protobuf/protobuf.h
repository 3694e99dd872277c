/* protobuf.h — reads messages in protobuf's wire format into C structs, as const tables describe them.
 *
 * A format has one HybProtobufMessage for each message: which field goes to which member of a struct.
 * hyb_protobuf_read() fills a struct from such a table; a message whose struct is shaped differently has a
 * read function of its own, which can go through the fields with hyb_protobuf_next().  Everything comes from
 * untrusted memory: lengths are checked before use, and all that is allocated counts against one limit.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/arena.h"

/* How deep messages may be nested: as deep as other readers of protobuf allow by default and a little more. */
#define HYB_PROTOBUF_DEPTH 128

/* Bytes of a message or a field: they belong to the file, or to the arena if a message was joined of parts. */
typedef struct
{
  const guint8 *data;
  gsize         length;
} HybProtobufBytes;

/* The reading of one file. */
typedef struct
{
  const char *where;  /* names the file in messages */
  gsize       length; /* of the file */
  HybArena   *arena;  /* of everything that is allocated */
  guint64     used;   /* bytes that were allocated */
} HybProtobuf;

/* A message that is about to be read. */
typedef struct
{
  HybProtobufBytes bytes;
  gsize offset; /* in the file; of a message merged from parts, the offset of its last part */
  guint depth;  /* 0: the file itself */
} HybProtobufSpan;

/* How a field is encoded. */
typedef enum
{
  HYB_WIRE_VARINT = 0,
  HYB_WIRE_FIXED64 = 1,
  HYB_WIRE_BYTES = 2,
  HYB_WIRE_FIXED32 = 5,
} HybWire;

/* One field of a message. */
typedef struct
{
  guint32          number;
  HybWire          wire;
  guint64          value;  /* of VARINT, FIXED32 and FIXED64 */
  HybProtobufBytes bytes;  /* of BYTES */
  gsize            start;  /* in the file, of the field's key */
  gsize            offset; /* in the file, of the field's value */
} HybProtobufField;

/* Goes through the fields of a message. */
typedef struct
{
  HybProtobufSpan span;
  gsize           at;
  gboolean        has_failed; /* an error was set */
} HybProtobufCursor;

/* The kind of a struct member and the encoding of its field.  Of repeated numbers, packed fields and single
 * ones are accepted, also mixed. */
typedef enum
{
  HYB_PROTOBUF_INT64,   /* gint64 or guint64: a varint */
  HYB_PROTOBUF_INT32,   /* gint32, guint32 or an enumeration: the low bits of a varint */
  HYB_PROTOBUF_INT16,   /* the low bits of a varint */
  HYB_PROTOBUF_INT8,    /* the low bits of a varint */
  HYB_PROTOBUF_FLOAT,   /* float: 32 bits */
  HYB_PROTOBUF_DOUBLE,  /* double: 64 bits */
  HYB_PROTOBUF_STRING,  /* const char *, "" if the field is absent; “?” for invalid UTF-8 */
  HYB_PROTOBUF_BYTES,   /* HybProtobufBytes */
  HYB_PROTOBUF_MESSAGE, /* a pointer to a struct, NULL: not there; repeated: an array of structs */
} HybProtobufKind;

typedef struct _HybProtobufMessage HybProtobufMessage;

/* A field, and the member of the struct that it goes to. */
typedef struct
{
  guint32         number;
  HybProtobufKind kind;
  gsize           offset; /* of the member */
  gsize           count;  /* repeated: of the guint that counts the elements, and the member is a
                                      * pointer to them; otherwise HYB_PROTOBUF_ONE */
  const HybProtobufMessage *message; /* of MESSAGE */
} HybProtobufMember;

/* Stands for count: the field is not repeated, the last one counts, and messages are joined. */
#define HYB_PROTOBUF_ONE G_MAXSIZE

/* Members of a table. */
#define HYB_PROTOBUF_FIELD(type, number_, kind_, member)                                         \
  {                                                                                              \
    .number = (number_), .kind = HYB_PROTOBUF_##kind_, .offset = G_STRUCT_OFFSET (type, member), \
    .count = HYB_PROTOBUF_ONE,                                                                   \
  }
#define HYB_PROTOBUF_LIST(type, number_, kind_, member, counter)                                 \
  {                                                                                              \
    .number = (number_), .kind = HYB_PROTOBUF_##kind_, .offset = G_STRUCT_OFFSET (type, member), \
    .count = G_STRUCT_OFFSET (type, counter),                                                    \
  }
#define HYB_PROTOBUF_ONE_MESSAGE(type, number_, message_, member)                                \
  {                                                                                              \
    .number = (number_), .kind = HYB_PROTOBUF_MESSAGE, .offset = G_STRUCT_OFFSET (type, member), \
    .count = HYB_PROTOBUF_ONE, .message = (message_),                                            \
  }
#define HYB_PROTOBUF_MESSAGES(type, number_, message_, member, counter)                          \
  {                                                                                              \
    .number = (number_), .kind = HYB_PROTOBUF_MESSAGE, .offset = G_STRUCT_OFFSET (type, member), \
    .count = G_STRUCT_OFFSET (type, counter), .message = (message_),                             \
  }

/* A message: its name in errors, the size of its struct, its fields by table. */
struct _HybProtobufMessage
{
  const char              *name;
  gsize                    size;
  guint                    n_members;
  const HybProtobufMember *members;
  /* Fills a struct that is cleared; NULL: hyb_protobuf_read_members(). */
  gboolean (*read) (HybProtobuf              *file,
                    const HybProtobufMessage *message,
                    const HybProtobufSpan    *span,
                    gpointer                  item,
                    GError                  **error);
};

/* Begins to read a file, and gives the span that is all of it. */
HybProtobufSpan
hyb_protobuf_begin (HybProtobuf *file, GBytes *bytes, const char *where, HybArena *arena);
/* Fills item, which is cleared, from a message.  FALSE and an error with the offset if the bytes are no
 * such message or if it would take more memory than is allowed. */
gboolean hyb_protobuf_read (HybProtobuf              *file,
                            const HybProtobufMessage *message,
                            const HybProtobufSpan    *span,
                            gpointer                  item,
                            GError                  **error);
/* The same by the table alone, without the message's read function. */
gboolean hyb_protobuf_read_members (HybProtobuf              *file,
                                    const HybProtobufMessage *message,
                                    const HybProtobufSpan    *span,
                                    gpointer                  item,
                                    GError                  **error);
/* Numbers of one repeated field, without padding, as they would be in little-endian memory.  which: number and kind of
 * the field.  data is NULL if there are none. */
gboolean hyb_protobuf_read_numbers (HybProtobuf             *file,
                                    const HybProtobufSpan   *span,
                                    const HybProtobufMember *which,
                                    HybProtobufBytes        *numbers,
                                    GError                 **error);

/* Starts at the first field of a message. */
HybProtobufCursor hyb_protobuf_cursor (const HybProtobufSpan *span);
/* The next field.  FALSE at the end, and with an error and has_failed if the bytes are not a field. */
gboolean hyb_protobuf_next (HybProtobuf       *file,
                            HybProtobufCursor *cursor,
                            HybProtobufField  *field,
                            GError           **error);

/* Cleared memory of the arena for n pieces; NULL and an error if that is more than the limit. */
gpointer hyb_protobuf_alloc (HybProtobuf *file, guint64 n, gsize size, GError **error);
/* Sets an error about the bytes at an offset of the file; returns FALSE. */
gboolean
hyb_protobuf_fail (const HybProtobuf *file, GError **error, gsize offset, const char *format, ...)
    G_GNUC_PRINTF (4, 5);
