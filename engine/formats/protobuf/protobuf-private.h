/* protobuf-private.h — what protobuf.c asks of protobuf-fields.c: numbers and strings of single fields.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/formats/protobuf/protobuf.h"

/* Bytes of a number in memory. */
gsize hyb_protobuf_number_size (HybProtobufKind kind);
/* TRUE if the field has the wire type of such a number, or may be packed because it is repeated. */
gboolean hyb_protobuf_has_numbers (const HybProtobufField *field,
                                   HybProtobufKind         kind,
                                   gboolean                is_repeated);
/* Numbers in such a field: 1, or those of a packed field. */
gboolean hyb_protobuf_count (HybProtobuf            *file,
                             const HybProtobufField *field,
                             HybProtobufKind         kind,
                             guint64                *n,
                             GError                **error);
/* Writes the numbers of a field that was counted, and returns their number. */
guint64 hyb_protobuf_store (const HybProtobufField *field, HybProtobufKind kind, gpointer to);
/* A copy of a string. */
gboolean hyb_protobuf_string (HybProtobuf            *file,
                              const HybProtobufBytes *bytes,
                              const char            **string,
                              GError                **error);
/* An error: the field is encoded in another way than the message says.  Returns FALSE. */
gboolean hyb_protobuf_wrong_wire (const HybProtobuf      *file,
                                  const char             *message,
                                  const HybProtobufField *field,
                                  GError                **error);
