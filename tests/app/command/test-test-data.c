/* test-test-data.c — hscope run takes ONNX' folders of test data, single arrays, and gives a verdict for each folder.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/hscope-fixture.h"
#include "tests/program.h"

#include <glib/gstdio.h>
#include <string.h>

/* y = x + x, of float x[2], opset 13. */
static const guint8 model[] = {
  0x08, 0x08, 0x3a, 0x35, 0x0a, 0x0e, 0x0a, 0x01, 0x78, 0x0a, 0x01, 0x78, 0x12, 0x01, 0x79, 0x22,
  0x03, 0x41, 0x64, 0x64, 0x12, 0x01, 0x67, 0x5a, 0x0f, 0x0a, 0x01, 0x78, 0x12, 0x0a, 0x0a, 0x08,
  0x08, 0x01, 0x12, 0x04, 0x0a, 0x02, 0x08, 0x02, 0x62, 0x0f, 0x0a, 0x01, 0x79, 0x12, 0x0a, 0x0a,
  0x08, 0x08, 0x01, 0x12, 0x04, 0x0a, 0x02, 0x08, 0x02, 0x42, 0x04, 0x0a, 0x00, 0x10, 0x0d,
};

static void
append_field (GByteArray *bytes, guint8 tag, gconstpointer data, guint8 n)
{
  g_byte_array_append (bytes, &tag, 1);
  g_byte_array_append (bytes, &n, 1);
  g_byte_array_append (bytes, data, n);
}

/* Writes a float tensor [2]. */
static void
write_tensor (Fixture *fixture, const char *file, const char *name, float a, float b)
{
  g_autofree char *path = in_folder (fixture, file), *folder = g_path_get_dirname (path);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  const guint8 head[] = { 0x08, 0x02, 0x10, 0x01 };
  const float  values[] = { a, b };

  g_mkdir_with_parents (folder, 0700);
  g_byte_array_append (bytes, head, sizeof head);
  append_field (bytes, 0x42, name, (guint8) strlen (name));
  append_field (bytes, 0x4a, values, sizeof values);
  g_assert_true (g_file_set_contents (path, (const char *) bytes->data, (gssize) bytes->len, NULL));
}

/* A model with an equal folder and one that differs. */
static void
set_up (Fixture *fixture, gconstpointer unused)
{
  fixture_set_up (fixture, NULL);
  fixture->symbol = in_folder (fixture, "net/model.onnx");
  write_tensor (fixture, "net/test_data_set_0/input_0.pb", "x", 1, 2);
  write_tensor (fixture, "net/test_data_set_0/output_0.pb", "y", 2, 4);
  write_tensor (fixture, "net/test_data_set_1/input_0.pb", "", 1, 2);
  write_tensor (fixture, "net/test_data_set_1/output_0.pb", "", 2, 5);
  g_assert_true (g_file_set_contents (fixture->symbol, (const char *) model, sizeof model, NULL));
}

static void
test_each_folder_has_a_verdict (Fixture *fixture, gconstpointer unused)
{
  char *arguments[] = { (char *) HSCOPE, (char *) "run", fixture->symbol, (char *) "--test-data",
                        NULL };

  fixture_run (fixture, arguments);
  g_assert_cmpint (fixture->code, ==, 1);
  g_assert_nonnull (strstr (fixture->out, "test_data_set_0: equal, 1 of 1 outputs"));
  g_assert_nonnull (strstr (fixture->out, "test_data_set_1: DIFFERS, 0 of 1 outputs"));
  g_assert_nonnull (strstr (fixture->out, "y element 1 is 4, not 5"));
}

static void
test_a_folder_is_an_input (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *folder = in_folder (fixture, "net/test_data_set_0");
  char            *arguments[] = { (char *) HSCOPE,    (char *) "run", fixture->symbol,
                                   (char *) "--input", folder,         NULL };

  fixture_run (fixture, arguments);
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->out, "equal"));
}

static void
test_every_model_of_a_folder (Fixture *fixture, gconstpointer unused)
{
  char *arguments[] = { (char *) HSCOPE,
                        (char *) "run",
                        (char *) "--each",
                        fixture->folder,
                        (char *) "--json",
                        (char *) "--test-data",
                        NULL };

  fixture_run (fixture, arguments);
  g_assert_cmpint (fixture->code, ==, 1);
  g_assert_nonnull (strstr (fixture->out, "\"set\": \"test_data_set_1\""));
}

static void
test_what_is_missing_is_said (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *other = in_folder (fixture, "other.onnx"), *empty = in_folder (fixture, "net");
  char *alone[] = { (char *) HSCOPE, (char *) "run", other, (char *) "--test-data", NULL };
  char *no_tensors[] = { (char *) HSCOPE,    (char *) "run", fixture->symbol,
                         (char *) "--input", empty,          NULL };

  g_assert_true (g_file_set_contents (other, (const char *) model, sizeof model, NULL));
  fixture_run (fixture, alone);
  g_assert_cmpint (fixture->code, ==, 3);
  g_assert_nonnull (strstr (fixture->err, "there is no folder test_data_set_0"));
  fixture_run (fixture, no_tensors);
  g_assert_cmpint (fixture->code, ==, 3);
  g_assert_nonnull (strstr (fixture->err, "input_0.pb"));
}

static void
test_a_cut_tensor_is_refused (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *path = in_folder (fixture, "net/test_data_set_0/input_0.pb");
  char *arguments[] = { (char *) HSCOPE, (char *) "run", fixture->symbol, (char *) "--test-data",
                        NULL };
  g_autofree char *contents = NULL;
  gsize            length;

  g_assert_true (g_file_get_contents (path, &contents, &length, NULL));
  g_assert_true (g_file_set_contents (path, contents, (gssize) length - 3, NULL));
  fixture_run (fixture, arguments);
  g_assert_cmpint (fixture->code, ==, 3);
  g_assert_nonnull (strstr (fixture->err, "input_0.pb"));
}

TEST_PROGRAM (test_test_data)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add ("/app/test-data/each-folder-has-a-verdict", Fixture, NULL, set_up,
              test_each_folder_has_a_verdict, fixture_tear_down);
  g_test_add ("/app/test-data/a-folder-is-an-input", Fixture, NULL, set_up,
              test_a_folder_is_an_input, fixture_tear_down);
  g_test_add ("/app/test-data/every-model-of-a-folder", Fixture, NULL, set_up,
              test_every_model_of_a_folder, fixture_tear_down);
  g_test_add ("/app/test-data/what-is-missing-is-said", Fixture, NULL, set_up,
              test_what_is_missing_is_said, fixture_tear_down);
  g_test_add ("/app/test-data/a-cut-tensor-is-refused", Fixture, NULL, set_up,
              test_a_cut_tensor_is_refused, fixture_tear_down);

  return g_test_run ();
}
