/* wire.c — reads protobuf's wire format from untrusted bytes.
 *
 * Start with hyb_wire_next().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/wire.h"

#include "engine/base/error.h"

#include <string.h>

static gboolean
refuse (gsize offset, const char *what, GError **error)
{
  return hyb_error_at (error,
                       HYB_FORMAT_ERROR,
                       HYB_FORMAT_ERROR_MALFORMED,
                       NULL,
                       NULL,
                       "byte %" G_GSIZE_FORMAT ": %s",
                       offset,
                       what);
}

/* A number of up to 10 bytes; bits beyond the 64th are dropped, as other readers do. */
static gboolean
read_varint (const guint8 *data, gsize length, gsize *at, guint64 *value)
{
  *value = 0;
  for (guint shift = 0; *at < length && shift < 70; shift += 7)
    {
      guint8 byte = data[(*at)++];

      if (shift < 64)
        *value |= (guint64) (byte & 0x7f) << shift;
      if (byte < 0x80)
        return TRUE;
    }
  return FALSE;
}

static gboolean
read_fixed (const guint8 *data, gsize length, gsize *at, guint n_bytes, guint64 *value)
{
  if (length - *at < n_bytes)
    return FALSE;
  *value = 0;
  for (guint i = 0; i < n_bytes; i++)
    *value |= (guint64) data[(*at)++] << (8 * i);
  return TRUE;
}

/* The value of a field, at wire->at. */
static gboolean
read_value (HybWire *wire, HybWireField *field, GError **error)
{
  gsize start = wire->offset + wire->at;

  switch (field->type)
    {
    case HYB_WIRE_VARINT:
      return read_varint (wire->data, wire->length, &wire->at, &field->value) ||
             refuse (start, "a number that does not end", error);
    case HYB_WIRE_FIXED64:
      return read_fixed (wire->data, wire->length, &wire->at, 8, &field->value) ||
             refuse (start, "a number of 8 bytes ends behind its message", error);
    case HYB_WIRE_FIXED32:
      return read_fixed (wire->data, wire->length, &wire->at, 4, &field->value) ||
             refuse (start, "a number of 4 bytes ends behind its message", error);
    case HYB_WIRE_BYTES:
      if (!read_varint (wire->data, wire->length, &wire->at, &field->value))
        return refuse (start, "a length that does not end", error);
      if (field->value > wire->length - wire->at)
        return refuse (start, "a field ends behind its message; the file may be cut", error);
      field->data = wire->data + wire->at;
      field->length = (gsize) field->value;
      field->offset = wire->offset + wire->at;
      wire->at += field->length;
      return TRUE;
    }
  return refuse (start, "a field of a kind that no current file has", error);
}

gboolean
hyb_wire_next (HybWire *wire, HybWireField *field, GError **error)
{
  gsize   start = wire->offset + wire->at;
  guint64 tag;

  if (wire->at >= wire->length)
    return FALSE;
  if (!read_varint (wire->data, wire->length, &wire->at, &tag))
    return refuse (start, "a number that does not end", error);
  if (tag >> 3 == 0 || tag >> 3 > G_MAXINT32)
    return refuse (start, "a field whose number is not possible", error);
  *field = (HybWireField){ .number = (guint32) (tag >> 3),
                           .type = (HybWireType) (tag & 7),
                           .offset = wire->offset + wire->at };
  return read_value (wire, field, error);
}

gboolean
hyb_wire_enter (const HybWire *wire, const HybWireField *field, HybWire *inner, GError **error)
{
  if (field->type != HYB_WIRE_BYTES)
    return refuse (field->offset, "a number where a message is expected", error);
  if (wire->depth >= HYB_WIRE_MAX_DEPTH)
    return refuse (field->offset, "messages are nested too deep", error);
  *inner = (HybWire){ .data = field->data,
                      .length = field->length,
                      .offset = field->offset,
                      .depth = wire->depth + 1 };
  return TRUE;
}

gboolean
hyb_wire_next_number (const HybWireField *field,
                      HybWireType         type,
                      gsize              *at,
                      guint64            *value,
                      GError            **error)
{
  gboolean is_read;

  if (field->type == type)
    {
      *value = field->value;
      return (*at)++ == 0;
    }
  if (field->type != HYB_WIRE_BYTES)
    return *at > 0 ? FALSE : refuse (field->offset, "a list of numbers of another kind", error);
  if (*at >= field->length)
    return FALSE;
  is_read = type == HYB_WIRE_VARINT
                ? read_varint (field->data, field->length, at, value)
                : read_fixed (field->data, field->length, at, type == HYB_WIRE_FIXED64 ? 8 : 4, value);
  return is_read || refuse (field->offset, "a list that ends within a number", error);
}

gsize
hyb_wire_count_numbers (const HybWireField *field, HybWireType type)
{
  if (field->type != HYB_WIRE_BYTES)
    return 1;
  return type == HYB_WIRE_FIXED64   ? field->length / 8
         : type == HYB_WIRE_FIXED32 ? field->length / 4
                                    : field->length;
}

float
hyb_wire_float (guint64 value)
{
  guint32 bits = (guint32) value;
  float   number;

  memcpy (&number, &bits, sizeof number);
  return number;
}

double
hyb_wire_double (guint64 value)
{
  double number;

  memcpy (&number, &value, sizeof number);
  return number;
}
