/* protobuf-writer.h — writes messages in protobuf's wire format.
 *
 * Fields are appended one after the other; a message inside another is written on its own and then given to it.  Large bytes
 * are not copied, so writing a model takes little more memory than the model.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

typedef struct _HybProtobufWriter HybProtobufWriter;

/* An empty message.  (transfer full) */
HybProtobufWriter *hyb_protobuf_writer_new (void);
/* Frees a message; accepts NULL. */
void hyb_protobuf_writer_free (HybProtobufWriter *writer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybProtobufWriter, hyb_protobuf_writer_free)

/* Appends a number as a varint; negative ones are given as their two's complement. */
void hyb_protobuf_write_int (HybProtobufWriter *writer, guint32 field, guint64 value);
/* Appends a float. */
void hyb_protobuf_write_float (HybProtobufWriter *writer, guint32 field, float value);
/* Appends a string. */
void hyb_protobuf_write_string (HybProtobufWriter *writer, guint32 field, const char *text);
/* Appends bytes, which stay where they are. */
void hyb_protobuf_write_bytes (HybProtobufWriter *writer, guint32 field, GBytes *bytes);
/* Appends a message. (transfer full) */
void
hyb_protobuf_write_message (HybProtobufWriter *writer, guint32 field, HybProtobufWriter *message);
/* Appends whole fields as they are in a file, keys included; they stay where they are. */
void hyb_protobuf_write_fields (HybProtobufWriter *writer, GBytes *fields);
/* Appends all fields of another message. (transfer full) */
void hyb_protobuf_write_all (HybProtobufWriter *writer, HybProtobufWriter *fields);

/* The pieces of the message, of GBytes.  (transfer full), as the message is freed */
GPtrArray *hyb_protobuf_writer_take_pieces (HybProtobufWriter *writer);
/* The message in one piece.  (transfer full) */
GBytes *hyb_protobuf_writer_get_bytes (HybProtobufWriter *writer);
