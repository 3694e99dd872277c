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

/* y = x + x and z = x − x, of float x[2], opset 13. */
static const guint8 two_outputs[] = {
  0x08, 0x08, 0x3a, 0x56, 0x0a, 0x0e, 0x0a, 0x01, 0x78, 0x0a, 0x01, 0x78, 0x12, 0x01, 0x79, 0x22,
  0x03, 0x41, 0x64, 0x64, 0x0a, 0x0e, 0x0a, 0x01, 0x78, 0x0a, 0x01, 0x78, 0x12, 0x01, 0x7a, 0x22,
  0x03, 0x53, 0x75, 0x62, 0x12, 0x01, 0x67, 0x5a, 0x0f, 0x0a, 0x01, 0x78, 0x12, 0x0a, 0x0a, 0x08,
  0x08, 0x01, 0x12, 0x04, 0x0a, 0x02, 0x08, 0x02, 0x62, 0x0f, 0x0a, 0x01, 0x79, 0x12, 0x0a, 0x0a,
  0x08, 0x08, 0x01, 0x12, 0x04, 0x0a, 0x02, 0x08, 0x02, 0x62, 0x0f, 0x0a, 0x01, 0x7a, 0x12, 0x0a,
  0x0a, 0x08, 0x08, 0x01, 0x12, 0x04, 0x0a, 0x02, 0x08, 0x02, 0x42, 0x04, 0x0a, 0x00, 0x10, 0x0d,
};

/* y = sin (sin (… x)), a Loop of 2^24 steps, opset 13. */
static const guint8 endless[] = {
  0x08, 0x08, 0x3a, 0xcd, 0x01, 0x0a, 0x8c, 0x01, 0x0a, 0x01, 0x6e, 0x0a, 0x01, 0x74, 0x0a, 0x01,
  0x78, 0x12, 0x01, 0x79, 0x22, 0x04, 0x4c, 0x6f, 0x6f, 0x70, 0x2a, 0x78, 0x0a, 0x04, 0x62, 0x6f,
  0x64, 0x79, 0x32, 0x6d, 0x0a, 0x11, 0x0a, 0x01, 0x63, 0x12, 0x02, 0x63, 0x32, 0x22, 0x08, 0x49,
  0x64, 0x65, 0x6e, 0x74, 0x69, 0x74, 0x79, 0x0a, 0x0b, 0x0a, 0x01, 0x76, 0x12, 0x01, 0x77, 0x22,
  0x03, 0x53, 0x69, 0x6e, 0x12, 0x01, 0x62, 0x5a, 0x0b, 0x0a, 0x01, 0x69, 0x12, 0x06, 0x0a, 0x04,
  0x08, 0x07, 0x12, 0x00, 0x5a, 0x0b, 0x0a, 0x01, 0x63, 0x12, 0x06, 0x0a, 0x04, 0x08, 0x09, 0x12,
  0x00, 0x5a, 0x0f, 0x0a, 0x01, 0x76, 0x12, 0x0a, 0x0a, 0x08, 0x08, 0x01, 0x12, 0x04, 0x0a, 0x02,
  0x08, 0x02, 0x62, 0x0c, 0x0a, 0x02, 0x63, 0x32, 0x12, 0x06, 0x0a, 0x04, 0x08, 0x09, 0x12, 0x00,
  0x62, 0x0f, 0x0a, 0x01, 0x77, 0x12, 0x0a, 0x0a, 0x08, 0x08, 0x01, 0x12, 0x04, 0x0a, 0x02, 0x08,
  0x02, 0xa0, 0x01, 0x05, 0x12, 0x01, 0x67, 0x2a, 0x0d, 0x10, 0x07, 0x3a, 0x06, 0x80, 0x80, 0x80,
  0x88, 0x80, 0x00, 0x42, 0x01, 0x6e, 0x2a, 0x08, 0x10, 0x09, 0x2a, 0x01, 0x01, 0x42, 0x01, 0x74,
  0x5a, 0x0f, 0x0a, 0x01, 0x78, 0x12, 0x0a, 0x0a, 0x08, 0x08, 0x01, 0x12, 0x04, 0x0a, 0x02, 0x08,
  0x02, 0x62, 0x0f, 0x0a, 0x01, 0x79, 0x12, 0x0a, 0x0a, 0x08, 0x08, 0x01, 0x12, 0x04, 0x0a, 0x02,
  0x08, 0x02, 0x42, 0x04, 0x0a, 0x00, 0x10, 0x0d,
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

/* Replaces the model, and runs it on its folders with these options. */
static void
run_other (Fixture *fixture, const guint8 *bytes, gsize n, const char *options)
{
  g_autofree char *line = g_strdup_printf ("hscope run net/model.onnx %s", options);

  g_assert_true (g_file_set_contents (fixture->symbol, (const char *) bytes, (gssize) n, NULL));
  fixture_run_line (fixture, line);
}

static void
test_outputs_without_a_counterpart_differ (Fixture *fixture, gconstpointer unused)
{
  run_other (fixture, two_outputs, sizeof two_outputs, "--input net/test_data_set_0");
  g_assert_cmpint (fixture->code, ==, 1);
  g_assert_nonnull (strstr (fixture->out, "test_data_set_0: DIFFERS, 1 of 2 outputs"));
  g_assert_nonnull (strstr (fixture->out, "z has nothing to be compared with: the folder has no "
                                          "output_1.pb"));

  write_tensor (fixture, "net/test_data_set_0/output_1.pb", "z", 0, 0);
  run_other (fixture, two_outputs, sizeof two_outputs, "--input net/test_data_set_0");
  g_assert_cmpint (fixture->code, ==, 0);
  run_other (fixture, model, sizeof model, "--input net/test_data_set_0");
  g_assert_cmpint (fixture->code, ==, 1);
  g_assert_nonnull (strstr (fixture->out, "output_1.pb is expected, but the model has 1 output"));
}

static void
test_options_of_a_run_are_heeded (Fixture *fixture, gconstpointer unused)
{
  run_other (fixture, model, sizeof model, "--test-data --dump-after drop-dead");
  g_assert_nonnull (strstr (fixture->err, "drop-dead"));
  run_other (fixture, endless, sizeof endless, "--test-data --time-limit 0.1");
  g_assert_cmpint (fixture->code, ==, 4);
  g_assert_nonnull (strstr (fixture->err, "stopped after 0.1 seconds, the limit"));
}

static void
test_what_is_asked_beside_a_comparison_is_done (Fixture *fixture, gconstpointer unused)
{
  run_other (fixture, model, sizeof model,
             "--input net/test_data_set_0 --value y --value-output y.npy");
  g_assert_cmpint (fixture->code, ==, 0);
  fixture_run_line (fixture, "test -s y.npy");
  g_assert_cmpint (fixture->code, ==, 0);
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
  g_test_add ("/app/test-data/outputs-without-a-counterpart-differ", Fixture, NULL, set_up,
              test_outputs_without_a_counterpart_differ, fixture_tear_down);
  g_test_add ("/app/test-data/options-of-a-run-are-heeded", Fixture, NULL, set_up,
              test_options_of_a_run_are_heeded, fixture_tear_down);
  g_test_add ("/app/test-data/what-is-asked-beside-a-comparison-is-done", Fixture, NULL, set_up,
              test_what_is_asked_beside_a_comparison_is_done, fixture_tear_down);

  return g_test_run ();
}
