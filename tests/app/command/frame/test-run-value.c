/* test-run-value.c — hscope run --value writes any value of a run, also of a step of a loop.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/format.h"
#include "engine/formats/npz.h"

#include "tests/app/hscope-fixture.h"
#include "tests/program.h"

#include <string.h>

static const char symbol[] =
    "{\"nodes\": [{\"op\": \"null\", \"name\": \"data\", \"inputs\": []},"
    "{\"op\": \"square\", \"name\": \"squared\", \"inputs\": [[0,0,0]]},"
    "{\"op\": \"split\", \"name\": \"halves\", \"attrs\": {\"num_outputs\": \"2\", \"axis\": "
    "\"0\"}, "
    "\"inputs\": [[1,0,0]]},"
    "{\"op\": \"elemwise_add\", \"name\": \"sum\", \"inputs\": [[2,0,0],[2,1,0]]}], "
    "\"arg_nodes\": [0], \"heads\": [[3,0,0]], "
    "\"attrs\": {\"mxnet_version\": [\"int\", 10901]}}";

/* A state that begins as given and grows by 1 a step. */
static const char loop_symbol[] =
    "{\"nodes\": [{\"op\": \"null\", \"name\": \"data\", \"inputs\": []},"
    "{\"op\": \"null\", \"name\": \"begin\", \"inputs\": []},"
    "{\"op\": \"_foreach\", \"name\": \"loop\", \"attrs\": {\"in_data_locs\": \"[0]\", "
    "\"in_state_locs\": \"[1]\", \"remain_locs\": \"[]\", \"num_args\": \"3\", "
    "\"num_out_data\": \"1\", \"num_outputs\": \"2\"}, \"inputs\": [[0,0,0],[1,0,0]], "
    "\"subgraphs\": [{\"nodes\": [{\"op\": \"null\", \"name\": \"row\", \"inputs\": []},"
    "{\"op\": \"null\", \"name\": \"state\", \"inputs\": []},"
    "{\"op\": \"_plus_scalar\", \"name\": \"next\", \"attrs\": {\"scalar\": \"1\"}, "
    "\"inputs\": [[1,0,0]]},"
    "{\"op\": \"elemwise_add\", \"name\": \"sum\", \"inputs\": [[0,0,0],[2,0,0]]}], "
    "\"arg_nodes\": [0,1], \"heads\": [[3,0,0],[2,0,0]]}]}], "
    "\"arg_nodes\": [0,1], \"heads\": [[2,0,0],[2,1,0]], "
    "\"attrs\": {\"mxnet_version\": [\"int\", 10901]}}";

static void
set_up (Fixture *fixture, gconstpointer text)
{
  g_autoptr (HybTensorList) list = hyb_tensor_list_new ();
  g_autoptr (HybTensor) data =
      hyb_tensor_new_float (2, (gint64[]){ 2, 3 }, (float[]){ 1, 2, 3, 4, 5, 6 });
  g_autoptr (HybTensor) begin = hyb_tensor_new_float (1, (gint64[]){ 3 }, (float[]){ 0, 10, 20 });

  fixture_set_up (fixture, NULL);
  fixture->symbol = in_folder (fixture, "net-symbol.json");
  fixture->input = in_folder (fixture, "in.npz");
  g_file_set_contents (fixture->symbol, text, -1, NULL);
  hyb_tensor_list_set (list, "data", data);
  if (text == loop_symbol)
    hyb_tensor_list_set (list, "begin", begin);
  g_assert_true (hyb_npz_write_file (list, fixture->input, NULL));
}

static void
run (Fixture *fixture, const char *value, const char *file)
{
  g_autofree char *path = in_folder (fixture, file);
  char            *arguments[] = { (char *) HSCOPE,
                                   (char *) "run",
                                   fixture->symbol,
                                   (char *) "--input",
                                   fixture->input,
                                   (char *) "--value",
                                   (char *) value,
                                   (char *) "--value-output",
                                   path,
                                   NULL };

  fixture_run (fixture, arguments);
}

static void
assert_first (Fixture *fixture, const char *value, gint64 size, double first)
{
  g_autofree char *path = in_folder (fixture, "value.npy");
  g_autoptr (HybTensorList) list = NULL;
  HybTensor *tensor;

  run (fixture, value, "value.npy");
  g_assert_cmpint (fixture->code, ==, 0);
  list = hyb_weights_read_file (path, NULL, NULL);
  tensor = hyb_tensor_list_get (list, 0)->tensor;
  g_assert_cmpint (hyb_tensor_get_size (tensor), ==, size);
  g_assert_cmpfloat (hyb_tensor_get_value (tensor, 0), ==, first);
}

static void
test_values (Fixture *fixture, gconstpointer unused)
{
  assert_first (fixture, "data", 6, 1);
  assert_first (fixture, "squared", 6, 1);
  assert_first (fixture, "halves", 3, 1);
  assert_first (fixture, "halves#1", 3, 16);
}

/* Without a step the last one. */
static void
test_steps (Fixture *fixture, gconstpointer unused)
{
  assert_first (fixture, "loop/next", 3, 2);
  assert_first (fixture, "loop/next@0", 3, 1);
  assert_first (fixture, "loop/sum@1", 3, 6);
}

static void
test_refusals (Fixture *fixture, gconstpointer unused)
{
  g_autofree char *missing = in_folder (fixture, "value.npy");

  run (fixture, "loop/next@2", "value.npy");
  g_assert_cmpint (fixture->code, ==, 2);
  g_assert_nonnull (strstr (fixture->err, "the run has no value of this name"));
  g_assert_false (g_file_test (missing, G_FILE_TEST_EXISTS));
  run (fixture, "loop/nex", "value.npy");
  g_assert_cmpint (fixture->code, ==, 2);
  run (fixture, "loop/next", "value.txt");
  g_assert_cmpint (fixture->code, ==, 2);
}

TEST_PROGRAM (test_run_value)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(path, text, test) \
  g_test_add ("/app/command/frame/run-value/" path, Fixture, text, set_up, test, fixture_tear_down)
  ADD ("writes-inputs-and-outputs-of-any-node", symbol, test_values);
  ADD ("writes-a-step-of-a-loop", loop_symbol, test_steps);
  ADD ("refuses-unknown-names-and-steps", loop_symbol, test_refusals);
#undef ADD
  return g_test_run ();
}
