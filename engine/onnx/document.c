/* document.c — reads messages as their tables describe them.
 *
 * document-messages.c has the tables.  Everything is allocated in one arena, whose size is limited; arrays double, so
 * that reading is linear.  Start with hyb_onnx_document_read().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/document-private.h"

#include "engine/base/error.h"
#include "engine/base/limits.h"

#include <string.h>

static gboolean
read_message (OnnxParser        *parser,
              const OnnxMessage *message,
              HybWire           *wire,
              gpointer           object,
              GError           **error);

static gpointer
member (gpointer object, gsize offset)
{
  return (guint8 *) object + offset;
}

gpointer
hyb_onnx_parser_alloc (OnnxParser *parser, guint64 n, gsize size, GError **error)
{
  guint64  bytes;
  gpointer memory;

  if (!g_uint64_checked_mul (&bytes, MAX (n, 1), size) || bytes > parser->limit ||
      parser->n_allocated > parser->limit - bytes)
    {
      hyb_error_at (error,
                    HYB_FORMAT_ERROR,
                    HYB_FORMAT_ERROR_LIMIT,
                    NULL,
                    NULL,
                    "reading it needs more than %" G_GUINT64_FORMAT " MB of memory",
                    parser->limit >> 20);
      return NULL;
    }
  parser->n_allocated += bytes;
  memory = hyb_arena_alloc (parser->arena, (gsize) bytes);
  memset (memory, 0, (gsize) bytes);
  return memory;
}

/* --- Values --- */

/* A string of the arena, made valid UTF-8. */
static gboolean
read_string (OnnxParser *parser, const HybWireField *field, const char **text, GError **error)
{
  g_autofree char *valid = NULL;
  const char      *from = (const char *) field->data;
  gsize            length = field->length;
  char            *copy;

  if (length > 0 && !g_utf8_validate (from, (gssize) length, NULL))
    {
      from = valid = g_utf8_make_valid (from, (gssize) length);
      length = strlen (valid);
    }
  copy = hyb_onnx_parser_alloc (parser, length + 1, 1, error);
  if (!copy)
    return FALSE;
  if (length > 0)
    memcpy (copy, from, length);
  *text = copy;
  return TRUE;
}

/* Room for one more element of `size` bytes behind *n elements, cleared.  The capacity is the power of two from *n on. */
static gpointer
append (OnnxParser *parser, guint *n, gpointer array, gsize size, GError **error)
{
  gpointer *elements = array;

  if (*n == G_MAXINT32)
    return NULL;
  if ((*n & (*n - 1)) == 0)
    {
      gpointer grown = hyb_onnx_parser_alloc (parser, MAX (2 * (guint64) *n, 1), size, error);

      if (!grown)
        return NULL;
      if (*n > 0)
        memcpy (grown, *elements, *n * size);
      *elements = grown;
    }
  return (guint8 *) *elements + (*n)++ * size;
}

static gboolean
read_numbers (OnnxParser         *parser,
              const OnnxField    *description,
              const HybWireField *field,
              gpointer            object,
              GError            **error)
{
  gboolean    is_float = description->kind == ONNX_FLOATS;
  HybWireType type = is_float ? HYB_WIRE_FIXED32 : HYB_WIRE_VARINT;
  guint      *n = member (object, description->offset);
  gsize       at = 0;
  guint64     value;
  GError     *cause = NULL;

  while (hyb_wire_next_number (field, type, &at, &value, &cause))
    {
      gpointer place =
          append (parser, n, member (object, description->list), sizeof (guint64), &cause);

      if (!place)
        break;
      if (is_float)
        *(double *) place = (double) hyb_wire_float (value);
      else
        *(gint64 *) place = (gint64) value;
    }
  if (!cause)
    return TRUE;
  g_propagate_error (error, cause);
  return FALSE;
}

/* Elements of a tensor, converted when its type is known. */
static gboolean
read_data (OnnxParser         *parser,
           const OnnxField    *description,
           const HybWireField *field,
           GError            **error)
{
  gsize   at = 0;
  guint64 value;
  GError *cause = NULL;
  guint64 needed = hyb_wire_count_numbers (field, description->wire) * (guint64) sizeof value;

  if (needed > parser->limit || parser->n_allocated + needed > parser->limit)
    return hyb_onnx_parser_alloc (parser, parser->limit, 1, error) && FALSE;
  while (hyb_wire_next_number (field, description->wire, &at, &value, &cause))
    g_array_append_val (parser->numbers, value);
  if (!cause)
    return TRUE;
  g_propagate_error (error, cause);
  return FALSE;
}

static gboolean
read_bytes (const HybWireField *field, HybOnnxBytes *bytes)
{
  *bytes = (HybOnnxBytes){ field->data, field->length };
  return TRUE;
}

/* --- Messages --- */

static void
set_defaults (const OnnxMessage *message, gpointer object)
{
  for (const OnnxField *field = message->fields; field->number != 0; field++)
    if (field->kind == ONNX_STRING && field->tag >= 0)
      *(const char **) member (object, field->offset) = "";
  if (message->begin)
    message->begin (object);
}

/* A field and the message that it is in. */
typedef struct
{
  const HybWire *wire;
  HybWireField   field;
} Place;

/* Reads the message in a field into a struct. */
static gboolean
fill (OnnxParser        *parser,
      const Place       *place,
      const OnnxMessage *message,
      gpointer           object,
      GError           **error)
{
  const HybWireField *field = &place->field;
  HybWire             inner;

  if (!hyb_wire_enter (place->wire, field, &inner, error))
    return FALSE;
  if (message->bytes > 0)
    *(HybOnnxBytes *) member (object, message->bytes) = (HybOnnxBytes){ field->data, field->length };
  if (message->place > 0)
    *(gsize *) member (object, message->place) = field->offset;
  return read_message (parser, message, &inner, object, error) &&
         (!message->finish || message->finish (parser, object, field->offset, error));
}

static gboolean
read_inner (OnnxParser      *parser,
            const OnnxField *description,
            const Place     *place,
            gpointer         object,
            GError         **error)
{
  const OnnxMessage *message = description->message;
  gpointer          *single = member (object, description->offset);
  gpointer           element = NULL;

  if (description->kind == ONNX_INLINE)
    {
      if (description->tag >= 0)
        *(int *) member (object, description->list) = description->tag;
      return fill (parser, place, message, object, error);
    }
  if (description->kind == ONNX_MESSAGES)
    element = append (parser,
                      member (object, description->offset),
                      member (object, description->list),
                      message->size,
                      error);
  else if (description->kind == ONNX_POINTERS || !*single)
    element = hyb_onnx_parser_alloc (parser, 1, message->size, error);
  else /* a message that comes again is merged */
    return fill (parser, place, message, *single, error);
  if (!element)
    return FALSE;
  set_defaults (message, element);
  if (description->kind == ONNX_MESSAGE)
    *single = element;
  if (description->kind == ONNX_POINTERS)
    {
      gpointer *pointer = append (parser,
                                  member (object, description->offset),
                                  member (object, description->list),
                                  sizeof (gpointer),
                                  error);

      if (!pointer)
        return FALSE;
      *pointer = element;
    }
  return fill (parser, place, message, element, error);
}

static gboolean
expect (const HybWireField *field, HybWireType type, GError **error)
{
  if (field->type == type)
    return TRUE;
  return hyb_error_at (error,
                       HYB_FORMAT_ERROR,
                       HYB_FORMAT_ERROR_MALFORMED,
                       NULL,
                       NULL,
                       "byte %" G_GSIZE_FORMAT ": field %u has wire type %u instead of %u",
                       field->offset,
                       field->number,
                       field->type,
                       type);
}

static gboolean
read_strings (OnnxParser         *parser,
              const OnnxField    *description,
              const HybWireField *field,
              gpointer            object,
              GError            **error)
{
  const char **place = append (parser,
                               member (object, description->offset),
                               member (object, description->list),
                               sizeof (char *),
                               error);

  return place && read_string (parser, field, place, error);
}

static gboolean
read_field (OnnxParser      *parser,
            const OnnxField *description,
            const Place     *place,
            gpointer         object,
            GError         **error)
{
  const HybWireField *field = &place->field;
  gpointer      to = member (object, description->offset);
  HybOnnxBytes *bytes;

  switch (description->kind)
    {
    case ONNX_STRING:
      return expect (field, HYB_WIRE_BYTES, error) && read_string (parser, field, to, error);
    case ONNX_BYTES:
      return expect (field, HYB_WIRE_BYTES, error) && read_bytes (field, to);
    case ONNX_INT:
      *(gint64 *) to = (gint64) field->value;
      return expect (field, HYB_WIRE_VARINT, error);
    case ONNX_ENUM:
      *(int *) to = (int) MIN (field->value, G_MAXINT16);
      return expect (field, HYB_WIRE_VARINT, error);
    case ONNX_FLOAT:
      *(double *) to = (double) hyb_wire_float (field->value);
      return expect (field, HYB_WIRE_FIXED32, error);
    case ONNX_STRINGS:
      return expect (field, HYB_WIRE_BYTES, error) &&
             read_strings (parser, description, field, object, error);
    case ONNX_BYTES_LIST:
      if (!expect (field, HYB_WIRE_BYTES, error))
        return FALSE;
      bytes = append (parser, to, member (object, description->list), sizeof *bytes, error);
      return bytes && read_bytes (field, bytes);
    case ONNX_INTS:
    case ONNX_FLOATS:
      return read_numbers (parser, description, field, object, error);
    case ONNX_DATA:
      return read_data (parser, description, field, error);
    case ONNX_MESSAGE:
    case ONNX_MESSAGES:
    case ONNX_POINTERS:
    case ONNX_INLINE:
      return read_inner (parser, description, place, object, error);
    }
  g_return_val_if_reached (FALSE);
}

static gboolean
read_message (OnnxParser        *parser,
              const OnnxMessage *message,
              HybWire           *wire,
              gpointer           object,
              GError           **error)
{
  Place   place = { .wire = wire };
  GError *cause = NULL;

  while (hyb_wire_next (wire, &place.field, &cause))
    {
      const OnnxField *description = message->fields;

      while (description->number != 0 && description->number != place.field.number)
        description++;
      if (message->seen > 0 && place.field.number < 64)
        *(guint64 *) member (object, message->seen) |= (guint64) 1 << place.field.number;
      if (description->number != 0 &&
          !read_field (parser, description, &place, object, error))
        return FALSE;
    }
  if (!cause)
    return TRUE;
  g_propagate_error (error, cause);
  return FALSE;
}

/* --- The file --- */

HybOnnxDocument *
hyb_onnx_document_read (GBytes *file, const char *where, GError **error)
{
  g_autoptr (HybOnnxDocument) document = g_new0 (HybOnnxDocument, 1);
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (guint64));
  OnnxParser parser = { .where = where, .numbers = numbers };
  HybWire    wire = { 0 };

  document->arena = hyb_arena_new ();
  document->file = g_bytes_ref (file);
  wire.data = g_bytes_get_data (file, &wire.length);
  parser.arena = document->arena;
  parser.limit = hyb_limits_get_memory (wire.length);
  set_defaults (&hyb_onnx_message_model, document);
  if (!read_message (&parser, &hyb_onnx_message_model, &wire, document, error))
    {
      g_prefix_error (error, "%s: ", where);
      return NULL;
    }
  if (document->graph)
    return g_steal_pointer (&document);
  hyb_error_at (error,
                HYB_FORMAT_ERROR,
                HYB_FORMAT_ERROR_MALFORMED,
                where,
                NULL,
                "the file has no graph");
  return NULL;
}

void
hyb_onnx_document_free (HybOnnxDocument *document)
{
  if (!document)
    return;
  hyb_arena_unref (document->arena);
  g_bytes_unref (document->file);
  g_free (document);
}
