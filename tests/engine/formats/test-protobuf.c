/* test-protobuf.c — the wire format by a table of one message: numbers, lists, joined messages, limits.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/error.h"
#include "engine/base/limits.h"
#include "engine/formats/protobuf/protobuf.h"
#include "tests/program.h"

#include <string.h>

typedef struct _Item Item;

struct _Item
{
  gint64           number;
  float            ratio;
  const char      *name;
  HybProtobufBytes data;
  guint            n_numbers, n_ratios, n_shorts, n_items;
  gint64          *numbers;
  double          *ratios;
  gint16          *shorts;
  Item            *items;
  Item            *item;
};

static const HybProtobufMessage item_message;

static const HybProtobufMember members[] = {
  HYB_PROTOBUF_FIELD (Item, 1, INT64, number),
  HYB_PROTOBUF_FIELD (Item, 2, FLOAT, ratio),
  HYB_PROTOBUF_FIELD (Item, 3, STRING, name),
  HYB_PROTOBUF_FIELD (Item, 4, BYTES, data),
  HYB_PROTOBUF_LIST (Item, 5, INT64, numbers, n_numbers),
  HYB_PROTOBUF_LIST (Item, 6, DOUBLE, ratios, n_ratios),
  HYB_PROTOBUF_LIST (Item, 7, INT16, shorts, n_shorts),
  HYB_PROTOBUF_MESSAGES (Item, 8, &item_message, items, n_items),
  HYB_PROTOBUF_ONE_MESSAGE (Item, 9, &item_message, item),
};

static const HybProtobufMessage item_message = {
  .name = "Item",
  .size = sizeof (Item),
  .n_members = G_N_ELEMENTS (members),
  .members = members,
};

typedef struct
{
  HybArena *arena;
  GBytes   *bytes;
  Item      item;
  GError   *error;
} Read;

/* Reads n bytes, in memory of exactly that length. */
static void
read_bytes (Read *read, gconstpointer data, gsize n)
{
  HybProtobuf     file;
  HybProtobufSpan span;
  gboolean        is_read;

  *read = (Read){ .arena = hyb_arena_new (), .bytes = g_bytes_new (data, n) };
  span = hyb_protobuf_begin (&file, read->bytes, "a.onnx", read->arena);
  is_read = hyb_protobuf_read (&file, &item_message, &span, &read->item, &read->error);
  g_assert_cmpint (is_read, ==, !read->error);
}

static void
read_clear (Read *read)
{
  hyb_arena_unref (read->arena);
  g_bytes_unref (read->bytes);
  g_clear_error (&read->error);
}

#define READ(read, text) read_bytes ((read), (text), sizeof (text) - 1)

/* The bytes are refused with these words. */
static void
check_refused (gconstpointer data, gsize n, const char *words)
{
  Read read;

  read_bytes (&read, data, n);
  g_assert_error (read.error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MALFORMED);
  if (!strstr (read.error->message, words))
    g_error ("“%s” does not have “%s”", read.error->message, words);
  read_clear (&read);
}

#define REFUSED(text, words) check_refused ((text), sizeof (text) - 1, (words))

static void
test_fields (void)
{
  Read read;

  READ (&read, "\x08\x96\x01\x15\0\0\x80\x3f\x1a\x02hi\x22\x03"
               "a\0b");
  g_assert_no_error (read.error);
  g_assert_cmpint (read.item.number, ==, 150);
  g_assert_cmpfloat (read.item.ratio, ==, 1);
  g_assert_cmpstr (read.item.name, ==, "hi");
  g_assert_cmpmem (read.item.data.data, read.item.data.length, "a\0b", 3);
  g_assert_true (read.item.data.data == (const guint8 *) g_bytes_get_data (read.bytes, NULL) + 14);
  read_clear (&read);
}

static void
test_empty (void)
{
  Read read;

  READ (&read, "");
  g_assert_no_error (read.error);
  g_assert_cmpstr (read.item.name, ==, "");
  g_assert_null (read.item.data.data);
  g_assert_null (read.item.item);
  read_clear (&read);
}

static void
test_last_wins (void)
{
  Read read;

  READ (&read, "\x08\x01\x1a\x01"
               "a\x08\x02\x1a\x01"
               "b");
  g_assert_cmpint (read.item.number, ==, 2);
  g_assert_cmpstr (read.item.name, ==, "b");
  read_clear (&read);
}

/* Packed and single numbers may be mixed; an empty packed field adds none. */
static void
test_packed (void)
{
  Read read;

  READ (&read, "\x28\x01\x2a\x03\x02\xac\x02\x2a\x00\x28\x04\x3a\x03\xff\xff\x07\x38\x05"
               "\x32\x08\0\0\0\0\0\0\xf0\x3f");
  g_assert_no_error (read.error);
  g_assert_cmpuint (read.item.n_numbers, ==, 4);
  g_assert_cmpint (read.item.numbers[0], ==, 1);
  g_assert_cmpint (read.item.numbers[1], ==, 2);
  g_assert_cmpint (read.item.numbers[2], ==, 300);
  g_assert_cmpint (read.item.numbers[3], ==, 4);
  g_assert_cmpuint (read.item.n_shorts, ==, 2);
  g_assert_cmpint (read.item.shorts[0], ==, -1);
  g_assert_cmpint (read.item.shorts[1], ==, 5);
  g_assert_cmpuint (read.item.n_ratios, ==, 1);
  g_assert_cmpfloat (read.item.ratios[0], ==, 1);
  read_clear (&read);
}

static void
test_unknown (void)
{
  Read read;

  READ (&read, "\x78\x05\xa2\x06\x02zz\x7d\1\2\3\4\x79\1\2\3\4\5\6\7\x08\x08\x03");
  g_assert_no_error (read.error);
  g_assert_cmpint (read.item.number, ==, 3);
  read_clear (&read);
}

static void
test_joined (void)
{
  Read read;

  READ (&read, "\x4a\x04\x08\x01\x28\x07\x4a\x03\x1a\x01x\x4a\x04\x08\x02\x28\x08");
  g_assert_no_error (read.error);
  g_assert_cmpint (read.item.item->number, ==, 2);
  g_assert_cmpstr (read.item.item->name, ==, "x");
  g_assert_cmpuint (read.item.item->n_numbers, ==, 2);
  g_assert_cmpint (read.item.item->numbers[1], ==, 8);
  read_clear (&read);

  READ (&read, "\x4a\x00\x4a\x00");
  g_assert_no_error (read.error);
  g_assert_nonnull (read.item.item);
  read_clear (&read);

  /* Two halves of a field are no field. */
  REFUSED ("\x4a\x01\x08\x4a\x01\x01", "ends behind its message");
}

static void
test_varints (void)
{
  Read read;

  READ (&read, "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
  g_assert_no_error (read.error);
  g_assert_cmpint (read.item.number, ==, -1);
  read_clear (&read);

  REFUSED ("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "at byte 1, a number has more than");
  REFUSED ("\x2a\x0b\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "at byte 2, a number has more");
  REFUSED ("\x2a\x02\x01\x80", "at byte 3, a number ends after");
  REFUSED ("\x08\x80", "at byte 1, a number ends behind");
}

static void
test_refused (void)
{
  REFUSED ("\x00\x01", "field of number 0");
  REFUSED ("\x80\x80\x80\x80\x10\x00", "field of number 536870912");
  REFUSED ("\x08\x01\x53\x54", "at byte 2, field 10 is a group");
  REFUSED ("\x54", "field 10 is a group");
  REFUSED ("\x0e", "field 1 has wire type 6");
  REFUSED ("\x0f", "field 1 has wire type 7");
  REFUSED ("\x0d\0\0\0\0", "at byte 0, field 1 of Item has wire type 5");
  REFUSED ("\x0a\x01\x01", "field 1 of Item has wire type 2");
  REFUSED ("\x18\x01", "field 3 of Item has wire type 0");
  REFUSED ("\x48\x01", "field 9 of Item has wire type 0");
  REFUSED ("\x2d\0\0\0\0", "field 5 of Item has wire type 5");
  REFUSED ("\x32\x07\0\0\0\0\0\0\0", "7 bytes hold numbers of 8 bytes");
  REFUSED ("\x15\0\0\0", "of 4 bytes ends behind its message, of which 3 are left");
  REFUSED ("\x1a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "of 18446744073709551615 bytes");
  REFUSED ("\x42\x03\x1a\x02z\x08\x01", "of 2 bytes ends behind its message, of which 1 are left");
}

static void
test_names (void)
{
  Read read;

  READ (&read, "\x1a\x07"
               "a\0\xff\xc3\xa4\xe2\x82");
  g_assert_cmpstr (read.item.name, ==, "a??\xc3\xa4??");
  read_clear (&read);
}

/* depth messages, each in the one before it. */
static GByteArray *
nest (guint depth)
{
  GByteArray *bytes = g_byte_array_new ();

  for (guint i = 0; i < depth; i++)
    {
      guint8 head[3] = { 0x4a, (guint8) (bytes->len & 0x7f), (guint8) (bytes->len >> 7) };

      head[1] |= bytes->len >> 7 ? 0x80 : 0;
      g_byte_array_prepend (bytes, head, bytes->len >> 7 ? 3 : 2);
    }
  return bytes;
}

static void
test_nesting (void)
{
  g_autoptr (GByteArray) most = nest (HYB_PROTOBUF_DEPTH);
  g_autoptr (GByteArray) more = nest (HYB_PROTOBUF_DEPTH + 1);
  Read read;

  read_bytes (&read, most->data, most->len);
  g_assert_no_error (read.error);
  read_clear (&read);
  check_refused (more->data, more->len, "nested more than 128 deep");
}

/* Two bytes of the file make a struct of a hundred bytes: the sum of all is limited. */
static void
test_budget (void)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  Read read;

  for (guint i = 0; i < 1000; i++)
    g_byte_array_append (bytes, (const guint8 *) "\x42", 2);
  hyb_limits_set (1000 * sizeof (Item) + 15, 0);
  read_bytes (&read, bytes->data, bytes->len);
  g_assert_error (read.error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_LIMIT);
  read_clear (&read);
  hyb_limits_set (1000 * sizeof (Item) + 16, 0);
  read_bytes (&read, bytes->data, bytes->len);
  g_assert_no_error (read.error);
  g_assert_cmpuint (read.item.n_items, ==, 1000);
  read_clear (&read);
  hyb_limits_set (0, 0);
}

static void
test_cuts (void)
{
  static const char whole[] =
      "\x08\x96\x01\x15\0\0\x80\x3f\x1a\x02hi\x2a\x03\x02\xac\x02\x42\x04\x4a\x02\x08\x01"
      "\x4a\x02\x08\x05\x4a\x03\x1a\x01x";
  guint n_read = 0;

  for (gsize n = 0; n < sizeof whole; n++)
    {
      Read read;

      read_bytes (&read, whole, n);
      n_read += !read.error;
      read_clear (&read);
    }
  g_assert_cmpuint (n_read, ==, 8); /* between its 7 fields, and at both ends */
}

TEST_PROGRAM (test_protobuf)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/protobuf/fields-go-to-their-members", test_fields);
  g_test_add_func ("/protobuf/an-empty-message-is-a-message", test_empty);
  g_test_add_func ("/protobuf/the-last-field-wins", test_last_wins);
  g_test_add_func ("/protobuf/packed-and-single-numbers-mix", test_packed);
  g_test_add_func ("/protobuf/unknown-fields-are-skipped", test_unknown);
  g_test_add_func ("/protobuf/parts-of-a-message-are-joined", test_joined);
  g_test_add_func ("/protobuf/varints-have-at-most-ten-bytes", test_varints);
  g_test_add_func ("/protobuf/what-is-no-field-is-refused", test_refused);
  g_test_add_func ("/protobuf/names-are-valid", test_names);
  g_test_add_func ("/protobuf/nesting-has-a-limit", test_nesting);
  g_test_add_func ("/protobuf/messages-share-a-budget", test_budget);
  g_test_add_func ("/protobuf/every-cut-ends-well", test_cuts);
  return g_test_run ();
}
