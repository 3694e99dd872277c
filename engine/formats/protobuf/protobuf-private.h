/* protobuf-private.h — the functions of protobuf-fields.c for protobuf.c: numbers and strings of single
 * fields.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/formats/protobuf/protobuf.h"

/* Bytes of a number in memory. */
gsize hyb_protobuf_number_size (HybProtobufKind kind);
/* TRUE if the field has the wire type of such a number, or may be packed because it is repeated. */
gboolean hyb_protobuf_has_numbers (const HybProtobufField *field,
                                   HybProtobufKind         kind,
                                   gboolean                is_repeated);
/* Number of values in such a field: 1, or all of a packed field. */
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
/* Sets an error: the field is encoded differently from its declaration.  Returns FALSE. */
gboolean hyb_protobuf_wrong_wire (const HybProtobuf      *file,
                                  const char             *message,
                                  const HybProtobufField *field,
                                  GError                **error);
