/* protobuf.c — reads messages in protobuf's wire format into C structs, as const tables describe them.
 *
 * A message is gone through twice: the first time its fields are counted, then arrays of that size are filled.
 * protobuf-fields.c has the fields themselves.  Start at hyb_protobuf_read_members().
 * protobuf-c would copy all weights; here they stay in the mapped file, and all that is allocated counts against a limit.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/protobuf/protobuf-private.h"

#include <string.h>

#define MAX_MEMBERS 24

/* The first pass's findings about a member. */
typedef struct
{
  guint64 n;     /* fields; elements of repeated numbers */
  guint64 bytes; /* of messages, in sum */
  guint64 done;  /* elements that the second pass filled */
} Found;

typedef struct
{
  HybProtobuf              *file;
  const HybProtobufMessage *message;
  const HybProtobufSpan    *span;
  guint8                   *item;
  Found                     found[MAX_MEMBERS];
} Reading;

HybProtobufSpan
hyb_protobuf_begin (HybProtobuf *file, GBytes *bytes, const char *where, HybArena *arena)
{
  HybProtobufSpan span = { 0 };

  span.bytes.data = g_bytes_get_data (bytes, &span.bytes.length);
  *file = (HybProtobuf){ .where = where, .length = span.bytes.length, .arena = arena };
  return span;
}

static gboolean
is_repeated (const HybProtobufMember *member)
{
  return member->count != HYB_PROTOBUF_ONE;
}

static gboolean
is_number (const HybProtobufMember *member)
{
  return member->kind < HYB_PROTOBUF_STRING;
}

/* The size of an element in an array. */
static gsize
get_size (const HybProtobufMember *member)
{
  if (is_number (member))
    return hyb_protobuf_number_size (member->kind);
  if (member->kind == HYB_PROTOBUF_STRING)
    return sizeof (const char *);
  return member->kind == HYB_PROTOBUF_BYTES ? sizeof (HybProtobufBytes) : member->message->size;
}

/* The place of a field's member in the table; -1: the field is unknown. */
static int
find_member (const HybProtobufMessage *message, guint32 number)
{
  for (guint i = 0; i < message->n_members; i++)
    if (message->members[i].number == number)
      return (int) i;
  return -1;
}

/* --- First pass --- */

static gboolean
count_field (Reading *reading, const HybProtobufField *field, GError **error)
{
  int                      i = find_member (reading->message, field->number);
  const HybProtobufMember *member;
  guint64                  n = 1;

  if (i < 0)
    return TRUE;
  member = &reading->message->members[i];
  if (is_number (member))
    {
      if (!hyb_protobuf_has_numbers (field, member->kind, is_repeated (member)))
        return hyb_protobuf_wrong_wire (reading->file, reading->message->name, field, error);
      if (!hyb_protobuf_count (reading->file, field, member->kind, &n, error))
        return FALSE;
    }
  else if (field->wire != HYB_WIRE_BYTES)
    return hyb_protobuf_wrong_wire (reading->file, reading->message->name, field, error);

  reading->found[i].n += n;
  reading->found[i].bytes += field->bytes.length;
  return TRUE;
}

static gboolean
count_fields (Reading *reading, GError **error)
{
  HybProtobufCursor cursor = hyb_protobuf_cursor (reading->span);
  HybProtobufField  field;

  while (hyb_protobuf_next (reading->file, &cursor, &field, error))
    if (!count_field (reading, &field, error))
      return FALSE;
  return !cursor.has_failed;
}

/* Arrays for repeated fields, and empty strings for absent ones. */
static gboolean
make_arrays (Reading *reading, GError **error)
{
  for (guint i = 0; i < reading->message->n_members; i++)
    {
      const HybProtobufMember *member = &reading->message->members[i];
      guint64                  n = reading->found[i].n;
      gpointer                 array;

      if (!is_repeated (member) && member->kind == HYB_PROTOBUF_STRING)
        G_STRUCT_MEMBER (const char *, reading->item, member->offset) = "";
      if (!is_repeated (member) || n == 0)
        continue;
      if (n > G_MAXINT)
        return hyb_protobuf_fail (reading->file, error, reading->span->offset,
                                  "%s repeats field %u %" G_GUINT64_FORMAT
                                  " times, more than can be read",
                                  reading->message->name, member->number, n);
      array = hyb_protobuf_alloc (reading->file, n, get_size (member), error);
      if (!array)
        return FALSE;
      G_STRUCT_MEMBER (gpointer, reading->item, member->offset) = array;
      G_STRUCT_MEMBER (guint, reading->item, member->count) = (guint) n;
    }
  return TRUE;
}

/* --- Second pass --- */

/* place: its bytes and where they are in the file. */
static gboolean
read_message (Reading                 *reading,
              const HybProtobufMember *member,
              const HybProtobufSpan   *place,
              gpointer                 item,
              GError                 **error)
{
  HybProtobufSpan span = *place;

  span.depth = reading->span->depth + 1;
  return hyb_protobuf_read (reading->file, member->message, &span, item, error);
}

/* A message that is there once; others are joined when the pass is over. */
static gboolean
read_single_message (Reading                 *reading,
                     const HybProtobufMember *member,
                     const HybProtobufBytes  *bytes,
                     gsize                    offset,
                     GError                 **error)
{
  gpointer item = hyb_protobuf_alloc (reading->file, 1, member->message->size, error);

  if (!item)
    return FALSE;
  G_STRUCT_MEMBER (gpointer, reading->item, member->offset) = item;
  return read_message (reading, member, &(HybProtobufSpan){ .bytes = *bytes, .offset = offset },
                       item, error);
}

/* Writes a field to where it belongs: the member itself, or the next element of its array. */
static gboolean
fill_field (Reading *reading, const HybProtobufField *field, GError **error)
{
  int                      i = find_member (reading->message, field->number);
  const HybProtobufMember *member;
  Found                   *found;
  guint8                  *to;

  if (i < 0)
    return TRUE;
  member = &reading->message->members[i];
  found = &reading->found[i];
  to = reading->item + member->offset;
  if (is_repeated (member))
    {
      if (found->done == found->n)
        return TRUE;
      to = *(guint8 **) to + found->done * get_size (member);
    }
  if (is_number (member))
    {
      found->done += hyb_protobuf_store (field, member->kind, to);
      return TRUE;
    }
  found->done++;
  if (member->kind == HYB_PROTOBUF_STRING)
    return hyb_protobuf_string (reading->file, &field->bytes, (const char **) to, error);
  if (member->kind == HYB_PROTOBUF_BYTES)
    {
      *(HybProtobufBytes *) to = field->bytes;
      return TRUE;
    }
  if (is_repeated (member))
    return read_message (reading, member,
                         &(HybProtobufSpan){ .bytes = field->bytes, .offset = field->offset }, to,
                         error);
  return found->n > 1 || read_single_message (reading, member, &field->bytes, field->offset, error);
}

/* --- Messages that come in parts --- */

/* TRUE if a part is whole by itself, so that joining parts cannot make a field of the halves of two. */
static gboolean
check_part (Reading *reading, const HybProtobufField *part, GError **error)
{
  HybProtobufSpan   span = { .bytes = part->bytes, .offset = part->offset };
  HybProtobufCursor cursor = hyb_protobuf_cursor (&span);
  HybProtobufField  field;

  while (hyb_protobuf_next (reading->file, &cursor, &field, error))
    ;
  return !cursor.has_failed;
}

/* Reads a message that the file gives in several fields.  Joined, their bytes are the bytes of the message. */
static gboolean
read_joined (Reading *reading, guint i, GError **error)
{
  const HybProtobufMember *member = &reading->message->members[i];
  HybProtobufCursor        cursor = hyb_protobuf_cursor (reading->span);
  HybProtobufField         field;
  HybProtobufBytes         joined = { 0 };
  gsize                    offset = 0;
  guint8 *data = hyb_protobuf_alloc (reading->file, reading->found[i].bytes, 1, error);

  if (!data)
    return FALSE;
  joined.data = data;
  while (hyb_protobuf_next (reading->file, &cursor, &field, error))
    {
      if (field.number != member->number)
        continue;
      if (!check_part (reading, &field, error))
        return FALSE;
      memcpy (data + joined.length, field.bytes.data, field.bytes.length);
      joined.length += field.bytes.length;
      offset = field.offset;
    }
  return read_single_message (reading, member, &joined, offset, error);
}

static gboolean
fill_fields (Reading *reading, GError **error)
{
  HybProtobufCursor cursor = hyb_protobuf_cursor (reading->span);
  HybProtobufField  field;

  while (hyb_protobuf_next (reading->file, &cursor, &field, error))
    if (!fill_field (reading, &field, error))
      return FALSE;
  for (guint i = 0; i < reading->message->n_members; i++)
    {
      const HybProtobufMember *member = &reading->message->members[i];

      if (member->kind == HYB_PROTOBUF_MESSAGE && !is_repeated (member) &&
          reading->found[i].n > 1 && !read_joined (reading, i, error))
        return FALSE;
    }
  return TRUE;
}

/* --- Whole messages --- */

gboolean
hyb_protobuf_read_members (HybProtobuf              *file,
                           const HybProtobufMessage *message,
                           const HybProtobufSpan    *span,
                           gpointer                  item,
                           GError                  **error)
{
  Reading reading = { .file = file, .message = message, .span = span, .item = item };

  g_assert (message->n_members <= MAX_MEMBERS);
  return count_fields (&reading, error) && make_arrays (&reading, error) &&
         fill_fields (&reading, error);
}

gboolean
hyb_protobuf_read (HybProtobuf              *file,
                   const HybProtobufMessage *message,
                   const HybProtobufSpan    *span,
                   gpointer                  item,
                   GError                  **error)
{
  if (span->depth > HYB_PROTOBUF_DEPTH)
    return hyb_protobuf_fail (file, error, span->offset, "messages are nested more than %d deep",
                              HYB_PROTOBUF_DEPTH);
  if (message->read)
    return message->read (file, message, span, item, error);
  return hyb_protobuf_read_members (file, message, span, item, error);
}

/* A message that is one repeated field of numbers, for hyb_protobuf_read_numbers(). */
typedef struct
{
  guint    n;
  gpointer data;
} Numbers;

gboolean
hyb_protobuf_read_numbers (HybProtobuf             *file,
                           const HybProtobufSpan   *span,
                           const HybProtobufMember *which,
                           HybProtobufBytes        *result,
                           GError                 **error)
{
  const HybProtobufMember member = {
    .number = which->number,
    .kind = which->kind,
    .offset = G_STRUCT_OFFSET (Numbers, data),
    .count = G_STRUCT_OFFSET (Numbers, n),
  };
  const HybProtobufMessage message = { "a message", sizeof (Numbers), 1, &member, NULL };
  Numbers                  found = { 0 };

  if (!hyb_protobuf_read_members (file, &message, span, &found, error))
    return FALSE;
  *result = (HybProtobufBytes){ .data = found.data,
                                .length = found.n * hyb_protobuf_number_size (which->kind) };
  return TRUE;
}
