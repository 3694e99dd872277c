/* test-protobuf-writer.c — messages that are written are read again, also where they consist of several pieces.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/protobuf/protobuf-writer.h"
#include "engine/formats/protobuf/protobuf.h"
#include "tests/program.h"

#include <string.h>

typedef struct
{
  gint64           number;
  float            ratio;
  const char      *name;
  HybProtobufBytes data;
} Inner;

typedef struct
{
  Inner *inner;
  gint64 last;
} Outer;

static const HybProtobufMember inner_members[] = {
  HYB_PROTOBUF_FIELD (Inner, 1, INT64, number),
  HYB_PROTOBUF_FIELD (Inner, 2, FLOAT, ratio),
  HYB_PROTOBUF_FIELD (Inner, 3, STRING, name),
  HYB_PROTOBUF_FIELD (Inner, 400, BYTES, data),
};

static const HybProtobufMessage inner_message = { .name = "Inner",
                                                  .size = sizeof (Inner),
                                                  .n_members = G_N_ELEMENTS (inner_members),
                                                  .members = inner_members };

static const HybProtobufMember outer_members[] = {
  HYB_PROTOBUF_ONE_MESSAGE (Outer, 1, &inner_message, inner),
  HYB_PROTOBUF_FIELD (Outer, 2, INT64, last),
};

static const HybProtobufMessage outer_message = { .name = "Outer",
                                                  .size = sizeof (Outer),
                                                  .n_members = G_N_ELEMENTS (outer_members),
                                                  .members = outer_members };

/* A message with n bytes in its middle, written and read. */
static void
check (gsize n)
{
  HybProtobufWriter *inner = hyb_protobuf_writer_new ();
  HybProtobufWriter *outer = hyb_protobuf_writer_new ();
  g_autoptr (GBytes) data = g_bytes_new_take (g_malloc0 (n + 1), n);
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (HybArena) arena = hyb_arena_new ();
  g_autoptr (GError) error = NULL;
  HybProtobuf     file;
  HybProtobufSpan span;
  Outer           read = { 0 };

  memset ((gpointer) g_bytes_get_data (data, NULL), 7, n);
  hyb_protobuf_write_int (inner, 1, (guint64) G_MININT64);
  hyb_protobuf_write_float (inner, 2, 0.5f);
  hyb_protobuf_write_string (inner, 3, "é");
  hyb_protobuf_write_bytes (inner, 400, data);
  hyb_protobuf_write_message (outer, 1, inner);
  hyb_protobuf_write_int (outer, 2, 300);
  bytes = hyb_protobuf_writer_get_bytes (outer);
  hyb_protobuf_writer_free (outer);

  span = hyb_protobuf_begin (&file, bytes, "written", arena);
  g_assert_true (hyb_protobuf_read (&file, &outer_message, &span, &read, &error));
  g_assert_cmpint (read.inner->number, ==, G_MININT64);
  g_assert_cmpfloat (read.inner->ratio, ==, 0.5);
  g_assert_cmpstr (read.inner->name, ==, "é");
  g_assert_cmpuint (read.inner->data.length, ==, n);
  g_assert_true (n == 0 || read.inner->data.data[n - 1] == 7);
  g_assert_cmpint (read.last, ==, 300);
}

static void
test_messages_are_read_as_they_were_written (void)
{
  static const gsize sizes[] = { 0, 1, 127, 128, 255, 256, 257, 70000 };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    check (sizes[i]);
}

TEST_PROGRAM (test_protobuf_writer)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/formats/protobuf-writer/messages-are-read-as-they-were-written",
                   test_messages_are_read_as_they_were_written);
  return g_test_run ();
}
