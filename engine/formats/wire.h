/* wire.h — reads protobuf's wire format from untrusted bytes.
 *
 * A message is a sequence of fields, each with a number, a wire type and a value.  hyb_wire_next() steps through them and
 * checks every length.  What a field means is up to the caller: numbers that it does not know are passed over, and remain
 * part of the bytes of the message.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Messages nested deeper than this are refused. */
#define HYB_WIRE_MAX_DEPTH 128

typedef enum
{
  HYB_WIRE_VARINT = 0,
  HYB_WIRE_FIXED64 = 1,
  HYB_WIRE_BYTES = 2,
  HYB_WIRE_FIXED32 = 5,
} HybWireType;

/* A message that is being read. */
typedef struct
{
  const guint8 *data;
  gsize         length;
  gsize         at;
  gsize         offset; /* of data in the file, for messages */
  guint         depth;  /* of messages around this one */
} HybWire;

/* One field. */
typedef struct
{
  guint32       number;
  HybWireType   type;
  guint64       value;  /* of a varint, fixed64 or fixed32 */
  const guint8 *data;   /* of bytes */
  gsize         length;
  gsize         offset; /* of the value in the file */
} HybWireField;

/* Reads the next field.  FALSE at the end of the message, and FALSE with *error set if the bytes are no field: a length
 * that ends behind the message, a number of more than 10 bytes, field 0, or a group, which no current file has. */
gboolean hyb_wire_next (HybWire *wire, HybWireField *field, GError **error);
/* Begins to read the message that a field holds.  FALSE and an error if the field is no bytes or nested too deep. */
gboolean
hyb_wire_enter (const HybWire *wire, const HybWireField *field, HybWire *inner, GError **error);
/* The values of a repeated field of numbers, which is one number or, packed, many: steps through them.  *at: 0 at first.
 * FALSE at the end, and FALSE with *error set if the bytes do not hold whole numbers of that type. */
gboolean hyb_wire_next_number (const HybWireField *field,
                               HybWireType         type,
                               gsize              *at,
                               guint64            *value,
                               GError            **error);
/* An upper limit of how many numbers the field holds. */
gsize hyb_wire_count_numbers (const HybWireField *field, HybWireType type);
/* The bits of a fixed32 as a number. */
float hyb_wire_float (guint64 value);
/* The bits of a fixed64 as a number. */
double hyb_wire_double (guint64 value);
