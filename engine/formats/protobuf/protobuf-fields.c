/* protobuf-fields.c — the fields of protobuf's wire format: keys, varints, lengths, packed numbers, strings.
 *
 * Start at hyb_protobuf_next().  Groups, which protobuf gave up in 2008, are refused.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/protobuf/protobuf-private.h"

#include "engine/base/error.h"
#include "engine/base/limits.h"
#include "engine/formats/byte-reader.h"

#include <string.h>

#define VARINT_BYTES 10
#define MAX_NUMBER   ((1u << 29) - 1)

/* --- Errors and memory --- */

gboolean
hyb_protobuf_fail (const HybProtobuf *file, GError **error, gsize offset, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list          arguments;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  return hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MALFORMED, file->where, NULL,
                       "at byte %" G_GSIZE_FORMAT ", %s", offset, text);
}

gboolean
hyb_protobuf_wrong_wire (const HybProtobuf      *file,
                         const char             *message,
                         const HybProtobufField *field,
                         GError                **error)
{
  return hyb_protobuf_fail (file, error, field->start,
                            "field %u of %s has wire type %d, which is not the one of its type",
                            field->number, message, (int) field->wire);
}

gpointer
hyb_protobuf_alloc (HybProtobuf *file, guint64 n, gsize size, GError **error)
{
  guint64  bytes, used;
  gpointer memory;

  /* The arena gives multiples of 16 bytes. */
  if (!g_uint64_checked_mul (&bytes, n, size) || !g_uint64_checked_add (&used, bytes, 16) ||
      !g_uint64_checked_add (&used, used, file->used))
    used = G_MAXUINT64;
  if (!hyb_limits_check_memory (used, file->length, file->where, error))
    return NULL;

  file->used = used;
  memory = hyb_arena_alloc (file->arena, MAX ((gsize) bytes, 1));
  memset (memory, 0, (gsize) bytes);
  return memory;
}

gboolean
hyb_protobuf_string (HybProtobuf            *file,
                     const HybProtobufBytes *bytes,
                     const char            **string,
                     GError                **error)
{
  char *copy;

  *string = "";
  if (bytes->length == 0)
    return TRUE;
  copy = hyb_protobuf_alloc (file, (guint64) bytes->length + 1, 1, error);
  if (!copy)
    return FALSE;
  memcpy (copy, bytes->data, bytes->length);
  hyb_byte_reader_mend_name (copy, bytes->length);
  *string = copy;
  return TRUE;
}

/* --- Fields --- */

HybProtobufCursor
hyb_protobuf_cursor (const HybProtobufSpan *span)
{
  return (HybProtobufCursor){ .span = *span };
}

/* Reads a varint; 0, or the bytes that it takes.  Bits above the 64th are dropped, as protobuf does. */
static gsize
read_varint (const guint8 *data, gsize length, guint64 *value)
{
  gsize most = MIN (length, VARINT_BYTES);

  *value = 0;
  for (gsize i = 0; i < most; i++)
    {
      *value |= (guint64) (data[i] & 0x7f) << (7 * i);
      if (data[i] < 0x80)
        return i + 1;
    }
  return 0;
}

static gboolean
fail_at (HybProtobuf *file, HybProtobufCursor *cursor, const char *what, GError **error)
{
  cursor->has_failed = TRUE;
  return hyb_protobuf_fail (file, error, cursor->span.offset + cursor->at, "%s", what);
}

/* A varint at the cursor. */
static gboolean
take_varint (HybProtobuf *file, HybProtobufCursor *cursor, guint64 *value, GError **error)
{
  const HybProtobufBytes *bytes = &cursor->span.bytes;
  gsize                   left = bytes->length - cursor->at;
  gsize                   n = read_varint (bytes->data + cursor->at, left, value);

  if (n == 0)
    return fail_at (file, cursor,
                    left < VARINT_BYTES ? "a number ends behind its message"
                                        : "a number has more than 10 bytes",
                    error);
  cursor->at += n;
  return TRUE;
}

/* n bytes at the cursor. */
static gboolean
take_bytes (HybProtobuf       *file,
            HybProtobufCursor *cursor,
            guint64            n,
            HybProtobufBytes  *bytes,
            GError           **error)
{
  gsize left = cursor->span.bytes.length - cursor->at;

  if (n > left)
    {
      cursor->has_failed = TRUE;
      return hyb_protobuf_fail (file, error, cursor->span.offset + cursor->at,
                                "a field of %" G_GUINT64_FORMAT " bytes ends behind its message, "
                                "of which %" G_GSIZE_FORMAT " are left",
                                n, left);
    }
  *bytes = (HybProtobufBytes){ .data = cursor->span.bytes.data + cursor->at, .length = (gsize) n };
  cursor->at += (gsize) n;
  return TRUE;
}

/* The number and the wire type of a field. */
static gboolean
take_key (HybProtobuf *file, HybProtobufCursor *cursor, HybProtobufField *field, GError **error)
{
  guint64 key;
  guint   wire;

  if (!take_varint (file, cursor, &key, error))
    return FALSE;
  wire = key & 7;
  cursor->has_failed = TRUE;
  if (key >> 3 == 0 || key >> 3 > MAX_NUMBER)
    return hyb_protobuf_fail (file, error, field->start,
                              "there is a field of number %" G_GUINT64_FORMAT
                              ", and fields are numbered from 1 to %u",
                              key >> 3, MAX_NUMBER);
  if (wire == 3 || wire == 4)
    return hyb_protobuf_fail (file, error, field->start,
                              "field %u is a group, which this program does not read",
                              (guint) (key >> 3));
  if (wire > 5)
    return hyb_protobuf_fail (file, error, field->start,
                              "field %u has wire type %u, which does not exist", (guint) (key >> 3),
                              wire);
  cursor->has_failed = FALSE;
  field->number = (guint32) (key >> 3);
  field->wire = (HybWire) wire;
  return TRUE;
}

/* The value after a key. */
static gboolean
take_value (HybProtobuf *file, HybProtobufCursor *cursor, HybProtobufField *field, GError **error)
{
  HybProtobufBytes fixed = { 0 };
  guint64          n;

  field->offset = cursor->span.offset + cursor->at;
  if (field->wire == HYB_WIRE_VARINT)
    return take_varint (file, cursor, &field->value, error);
  if (field->wire == HYB_WIRE_BYTES)
    {
      if (!take_varint (file, cursor, &n, error))
        return FALSE;
      field->offset = cursor->span.offset + cursor->at;
      return take_bytes (file, cursor, n, &field->bytes, error);
    }
  if (!take_bytes (file, cursor, field->wire == HYB_WIRE_FIXED32 ? 4 : 8, &fixed, error))
    return FALSE;
  memcpy (&field->value, fixed.data, fixed.length);
  field->value = GUINT64_FROM_LE (field->value);
  return TRUE;
}

gboolean
hyb_protobuf_next (HybProtobuf       *file,
                   HybProtobufCursor *cursor,
                   HybProtobufField  *field,
                   GError           **error)
{
  if (cursor->has_failed || cursor->at == cursor->span.bytes.length)
    return FALSE;

  *field = (HybProtobufField){ .start = cursor->span.offset + cursor->at };
  return take_key (file, cursor, field, error) && take_value (file, cursor, field, error);
}

/* --- Numbers --- */

static const struct
{
  HybWire wire;
  gsize   size;
} numbers[] = {
  [HYB_PROTOBUF_INT64] = { HYB_WIRE_VARINT, 8 },  [HYB_PROTOBUF_INT32] = { HYB_WIRE_VARINT, 4 },
  [HYB_PROTOBUF_INT16] = { HYB_WIRE_VARINT, 2 },  [HYB_PROTOBUF_INT8] = { HYB_WIRE_VARINT, 1 },
  [HYB_PROTOBUF_FLOAT] = { HYB_WIRE_FIXED32, 4 }, [HYB_PROTOBUF_DOUBLE] = { HYB_WIRE_FIXED64, 8 },
};

gsize
hyb_protobuf_number_size (HybProtobufKind kind)
{
  return numbers[kind].size;
}

/* Varints in packed bytes, each of which ends with a byte below 0x80. */
static gboolean
count_varints (HybProtobuf *file, const HybProtobufField *field, guint64 *n, GError **error)
{
  const guint8 *data = field->bytes.data;
  gsize         length = field->bytes.length, start = 0;

  *n = 0;
  for (gsize i = 0; i < length; i++)
    if (data[i] < 0x80)
      {
        start = i + 1;
        ++*n;
      }
    else if (i - start + 1 == VARINT_BYTES)
      return hyb_protobuf_fail (file, error, field->offset + start,
                                "a number has more than 10 bytes");
  if (start < length)
    return hyb_protobuf_fail (file, error, field->offset + start, "a number ends after its field");
  return TRUE;
}

gboolean
hyb_protobuf_has_numbers (const HybProtobufField *field, HybProtobufKind kind, gboolean is_repeated)
{
  return field->wire == numbers[kind].wire || (is_repeated && field->wire == HYB_WIRE_BYTES);
}

gboolean
hyb_protobuf_count (HybProtobuf            *file,
                    const HybProtobufField *field,
                    HybProtobufKind         kind,
                    guint64                *n,
                    GError                **error)
{
  *n = 1;
  if (field->wire == numbers[kind].wire)
    return TRUE;
  if (numbers[kind].wire == HYB_WIRE_VARINT)
    return count_varints (file, field, n, error);

  *n = field->bytes.length / numbers[kind].size;
  if (field->bytes.length % numbers[kind].size != 0)
    return hyb_protobuf_fail (file, error, field->offset,
                              "%" G_GSIZE_FORMAT " bytes hold numbers of %" G_GSIZE_FORMAT " bytes",
                              field->bytes.length, numbers[kind].size);
  return TRUE;
}

/* The low bits of a value. */
static void
put_number (guint64 value, gsize size, guint8 *to)
{
  guint64 little = GUINT64_TO_LE (value);

#if G_BYTE_ORDER == G_BIG_ENDIAN
#error "Numbers are stored as their low bytes come first."
#endif
  memcpy (to, &little, size);
}

guint64
hyb_protobuf_store (const HybProtobufField *field, HybProtobufKind kind, gpointer to)
{
  gsize   size = numbers[kind].size, at = 0;
  guint64 n = 0, value;

  if (field->wire != HYB_WIRE_BYTES)
    {
      put_number (field->value, size, to);
      return 1;
    }
  if (numbers[kind].wire != HYB_WIRE_VARINT)
    {
      if (field->bytes.length > 0)
        memcpy (to, field->bytes.data, field->bytes.length);
      return field->bytes.length / size;
    }
  while (at < field->bytes.length)
    {
      at += read_varint (field->bytes.data + at, field->bytes.length - at, &value);
      put_number (value, size, (guint8 *) to + n++ * size);
    }
  return n;
}
