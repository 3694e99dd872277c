/* test-cut-file.c — a file of parameters that becomes shorter while hscope computes with it.
 *
 * hscope maps the parameters and then waits for another file, which comes through a pipe: the first is cut there.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/npz.h"
#include "tests/app/hscope-fixture.h"
#include "tests/program.h"

#include <string.h>

/* A model with 8 MB of parameters. */
#define MAKE "hscope new 'mlp?inputs=2000&hidden=1000' --output net >log && mkfifo pipe.npz && { "

/* Follows a command that reads the pipe. */
#define CUT                                                                         \
  " & child=$!; exec 3>pipe.npz; : >net-0000.params; cat data.npz >&3; exec 3>&-; " \
  "wait $child; }"

static void
write_input (Fixture *fixture)
{
  g_autofree char *path = in_folder (fixture, "data.npz");
  g_autoptr (HybTensorList) list = hyb_tensor_list_new ();
  g_autoptr (HybTensor) data = hyb_tensor_new_float (2, (const gint64[]){ 1, 2000 }, NULL);
  g_autoptr (GError) error = NULL;

  hyb_tensor_list_set (list, "data", data);
  hyb_npz_write_file (list, path, &error);
  g_assert_no_error (error);
}

static void
test_status_is_that_of_a_file (Fixture *fixture, gconstpointer command)
{
  g_autofree char *line = g_strconcat (MAKE, (const char *) command, CUT, NULL);

  write_input (fixture);
  fixture_run_line (fixture, line);
  g_assert_cmpint (fixture->code, ==, 3);
  g_assert_cmpstr (fixture->out, ==, "");
  g_assert_nonnull (strstr (fixture->err,
                            "error: net-0000.params: the file became shorter while it was in use. "
                            "Write a new file under another name and rename it\n"));
}

static void
test_json_is_a_document (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  g_autoptr (cJSON) json = NULL;
  const cJSON *error;

  write_input (fixture);
  fixture_run_line (fixture, MAKE "hscope run net-symbol.json --input pipe.npz --json" CUT);
  g_assert_cmpint (fixture->code, ==, 3);
  json = parse_output (fixture);
  error = cJSON_GetObjectItem (json, "error");
  g_assert_cmpstr (cJSON_GetStringValue (cJSON_GetObjectItem (error, "message")), ==,
                   "the file became shorter while it was in use");
  g_assert_cmpstr (cJSON_GetStringValue (
                       cJSON_GetObjectItem (cJSON_GetObjectItem (error, "place"), "file")),
                   ==, "net-0000.params");
}

/* What was there before stays. */
static void
test_outputs_are_not_written (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  write_input (fixture);
  fixture_run_line (fixture, "echo before >out.npz && " MAKE
                             "hscope run net-symbol.json --input pipe.npz --output out.npz" CUT
                             "; echo $?; cat out.npz; ls -A | grep -c part");
  g_assert_cmpstr (fixture->out, ==, "3\nbefore\n0\n");
}

/* Follows a command that reads the pipe, and ends it after another one. */
#define MEANWHILE(line) \
  " & child=$!; exec 3>pipe.npz; " line "; cat data.npz >&3; exec 3>&-; wait $child; }"

/* Weights that change in the middle of a run give numbers of no model. */
static void
test_overwritten_file_is_an_error (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  write_input (fixture);
  fixture_run_line (fixture,
                    MAKE "hscope run net-symbol.json --input pipe.npz --output out.npz" MEANWHILE (
                        "dd if=/dev/zero of=net-0000.params bs=1000 seek=4000 count=10 "
                        "conv=notrunc 2>dd"));
  g_assert_cmpint (fixture->code, ==, 3);
  g_assert_nonnull (strstr (fixture->err, "error: net-0000.params: the file was overwritten"));
}

/* Another file that takes the name changes nothing. */
static void
test_replaced_file_is_no_error (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  write_input (fixture);
  fixture_run_line (fixture, MAKE "hscope run net-symbol.json --input pipe.npz" MEANWHILE (
                                 "cp net-0000.params new; mv new net-0000.params"));
  g_assert_cmpint (fixture->code, ==, 0);
}

#define ADD(name, data, function) \
  g_test_add ("/app/cut-file/" name, Fixture, data, fixture_set_up, function, fixture_tear_down)

TEST_PROGRAM (test_cut_file)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("run", "hscope run net-symbol.json --input pipe.npz", test_status_is_that_of_a_file);
  ADD ("run-in-a-sandbox", "hscope --sandbox run net-symbol.json --input pipe.npz",
       test_status_is_that_of_a_file);
  ADD ("run-in-two-threads", "hscope run net-symbol.json --threads 2 --input pipe.npz",
       test_status_is_that_of_a_file);
  ADD ("json-is-a-document", NULL, test_json_is_a_document);
  ADD ("outputs-are-not-written", NULL, test_outputs_are_not_written);
  ADD ("an-overwritten-file-is-an-error", NULL, test_overwritten_file_is_an_error);
  ADD ("a-replaced-file-is-no-error", NULL, test_replaced_file_is_no_error);
  return g_test_run ();
}
