/* test-tensor-file.c — tests of files with one tensor: what is read, and that damaged ones are refused with a sentence.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/tensor-file.h"
#include "tests/engine/onnx/messages.h"
#include "tests/program.h"

#include <string.h>

enum
{
  DIMS = 1,
  DTYPE = 2,
  FLOATS = 4,
  NAME = 8,
  RAW = 9,
  EXTERNAL = 13,
  LOCATION = 14,
};

static Message *
make_tensor (guint n_dims, const gint64 *dims, gint64 dtype)
{
  Message *tensor = g_byte_array_new ();

  for (guint i = 0; i < n_dims; i++)
    put_int (tensor, DIMS, dims[i]);
  put_int (tensor, DTYPE, dtype);
  put_string (tensor, NAME, "x");
  return tensor;
}

/* Reads the first n bytes from memory of exactly that length. */
static HybTensor *
read_bytes (const Message *message, gsize n, char **name, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (message->data, n);

  return hyb_onnx_tensor_read (bytes, "x.pb", name, error);
}

static void
test_a_tensor_is_read_with_its_name (void)
{
  const float values[] = { 1, 2, 3 };
  g_autoptr (GByteArray) message = make_tensor (1, (gint64[]){ 3 }, 1);
  g_autofree char *name = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (HybTensor) tensor = NULL;

  put_bytes (message, RAW, values, sizeof values);
  tensor = read_bytes (message, message->len, &name, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (name, ==, "x");
  g_assert_cmpint (hyb_tensor_get_shape (tensor)->dim[0], ==, 3);
  g_assert_cmpfloat (hyb_tensor_get_value (tensor, 2), ==, 3);
}

static void
check_refused_tensor (Message *message, const char *words)
{
  g_autofree char *name = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_null (read_bytes (message, message->len, &name, &error));
  g_assert_nonnull (error);
  g_assert_null (name);
  if (!strstr (error->message, words))
    g_error ("“%s” does not say “%s”", error->message, words);
  g_byte_array_unref (message);
}

static void
test_lies_are_refused_with_a_sentence (void)
{
  Message *message = make_tensor (1, (gint64[]){ 3 }, 1);

  put_bytes (message, RAW, "1234", 4);
  check_refused_tensor (message, "4 bytes of elements, but its shape needs 12");

  message = make_tensor (2, (gint64[]){ G_GINT64_CONSTANT (1) << 62, 8 }, 1);
  put_bytes (message, RAW, "1234", 4);
  check_refused_tensor (message, "x.pb");

  message = make_tensor (1, (gint64[]){ 1 }, 0);
  check_refused_tensor (message, "no element type");

  message = make_tensor (1, (gint64[]){ 1 }, 99);
  check_refused_tensor (message, "without a name");

  message = make_tensor (1, (gint64[]){ 1 }, 1);
  put_message (message, EXTERNAL, make_entry ("location", "../secret"));
  put_int (message, LOCATION, 1);
  check_refused_tensor (message, "in another file");
}

/* With sanitizers, reading behind the end would be a fault. */
static void
test_every_byte_may_be_missing (void)
{
  const float values[] = { 1, 2, 3, 4 };
  g_autoptr (GByteArray) message = make_tensor (2, (gint64[]){ 2, 2 }, 1);

  put_bytes (message, FLOATS, values, sizeof values);
  for (gsize n = 0; n < message->len; n++)
    {
      g_autofree char *name = NULL;
      g_autoptr (GError) error = NULL;
      g_autoptr (HybTensor) tensor = read_bytes (message, n, &name, &error);

      g_assert_true ((!tensor) == (error != NULL));
    }
}

TEST_PROGRAM (test_tensor_file)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/onnx/tensor-file/a-tensor-is-read-with-its-name",
                   test_a_tensor_is_read_with_its_name);
  g_test_add_func ("/engine/onnx/tensor-file/lies-are-refused-with-a-sentence",
                   test_lies_are_refused_with_a_sentence);
  g_test_add_func ("/engine/onnx/tensor-file/every-byte-may-be-missing",
                   test_every_byte_may_be_missing);
  return g_test_run ();
}
