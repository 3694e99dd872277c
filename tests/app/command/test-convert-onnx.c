/* test-convert-onnx.c — hscope convert between ONNX files and MXNet's, and between the forms of recurrent networks in ONNX files.
 *
 * tests/data/onnx-forms has what two exporters of PyTorch wrote for small modules; tools/onnx-forms.py made the files.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/hscope-fixture.h"
#include "tests/program.h"

#include <string.h>

#define FORMS SOURCE_ROOT "/tests/data/onnx-forms/"
#define CLEAN "; status=$?; rm -f *.onnx *.json *.params log; exit $status"

/* How many nodes of an operator info counts. */
static int
count_operator (const cJSON *json, const char *name)
{
  const cJSON *count =
      cJSON_GetObjectItemCaseSensitive (cJSON_GetObjectItem (json, "operators"), name);

  return count ? count->valueint : 0;
}

static void
add_test (const char *path, const char *name, void (*test) (Fixture *, gconstpointer))
{
  g_autofree char *full = g_strconcat (path, name, NULL);

  g_test_add (full, Fixture, name, fixture_set_up, test, fixture_tear_down);
}

/* fused, foreach, unrolled, fused: each is written from the one before. */
static void
test_forms_lead_to_each_other (Fixture *fixture, gconstpointer name)
{
  g_autofree char *line =
      g_strdup_printf ("hscope convert " FORMS
                       "%s.onnx --length 5 --to foreach --output a.onnx >log && "
                       "hscope convert a.onnx --length 5 --to while --output b.onnx >log && "
                       "hscope convert a.onnx --length 5 --to unrolled --output c.onnx >log && "
                       "hscope convert c.onnx --to fused --output d.onnx >log && "
                       "hscope info --json d.onnx" CLEAN,
                       (const char *) name);
  g_autoptr (cJSON) json = NULL;

  fixture_run_line (fixture, line);
  g_assert_cmpint (fixture->code, ==, 0);
  json = parse_output (fixture);
  g_assert_cmpint (count_operator (json, "LSTM") + count_operator (json, "GRU"), ==, 1);
}

/* Slices up to the end of an axis, and steps that are gathered by a counter, do not fix the batch. */
static void
test_loops_of_keras_keep_their_batch_open (Fixture *fixture, gconstpointer form)
{
  g_autofree char *line =
      g_strdup_printf ("hscope convert " SOURCE_ROOT
                       "/tests/data/onnx/keras-gru.onnx --length 5 --to %s "
                       "--output a.onnx >log && hscope info --json a.onnx" CLEAN,
                       (const char *) form);
  g_autoptr (cJSON) json = NULL;
  const cJSON *output;

  fixture_run_line (fixture, line);
  g_assert_cmpint (fixture->code, ==, 0);
  json = parse_output (fixture);
  output = cJSON_GetArrayItem (cJSON_GetObjectItem (json, "outputs"), 0);
  g_assert_true (cJSON_IsNull (cJSON_GetArrayItem (cJSON_GetObjectItem (output, "shape"), 0)));
}

/* Lengths that planning counts for one size follow the input in the written file. */
static void
test_counted_lengths_follow_the_input (Fixture *fixture, gconstpointer form)
{
  g_autofree char *line =
      g_strdup_printf ("hscope convert " SOURCE_ROOT
                       "/tests/data/onnx/keras-stacked.onnx --to %s --output a.onnx "
                       ">log && hscope prove " SOURCE_ROOT
                       "/tests/data/onnx/keras-stacked.onnx a.onnx --shape x0=2,6,4 >log" CLEAN,
                       (const char *) form);

  fixture_run_line (fixture, line);
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_null (strstr (fixture->err, "the written file has the shape"));
}

/* What a file fixes is said. */
static void
test_fixed_lengths_are_said (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture, "hscope convert " SOURCE_ROOT
                             "/tests/data/onnx/keras-stacked.onnx --to unrolled --length 5 "
                             "--output a.onnx >log" CLEAN);
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->err, "x0: the written file has the shape ("));
}

/* A cell that is written by hand in a loop of Python is recognised. */
static void
test_cells_in_python_become_layers (Fixture *fixture, gconstpointer name)
{
  g_autofree char *line =
      g_strdup_printf ("hscope convert " FORMS "%s.onnx --to fused --output a.onnx >log && "
                       "hscope info --json a.onnx" CLEAN,
                       (const char *) name);
  g_autoptr (cJSON) json = NULL;

  fixture_run_line (fixture, line);
  g_assert_cmpint (fixture->code, ==, 0);
  json = parse_output (fixture);
  g_assert_cmpint (count_operator (json, "LSTM") + count_operator (json, "GRU") +
                       count_operator (json, "RNN"),
                   ==, 1);
}

/* Lengths and batches that the file leaves open are open in loops; unrolled steps fix the length and say so. */
static void
test_what_is_open_stays_open_where_the_form_allows (Fixture             *fixture,
                                                    gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture,
                    "hscope convert " FORMS "lstm-script-length.onnx --to foreach --output a.onnx "
                    ">log 2>&1 && hscope info a.onnx 2>&1 | grep -m 1 length && hscope "
                    "convert " FORMS
                    "lstm-script-length.onnx --to unrolled --length 3 --output b.onnx >log 2>&1 && "
                    "hscope info --json b.onnx" CLEAN);
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->out, "length"));
  g_assert_nonnull (strstr (fixture->out, "[3, \"batch\", 4]"));
}

/* The step in the middle of an odd number of steps is the same in both directions. */
static void
test_directions_are_joined_at_once (Fixture *fixture, gconstpointer length)
{
  g_autofree char *line =
      g_strdup_printf ("hscope convert " FORMS "bidirectional-script-length.onnx --length %s --to "
                       "foreach --output a.onnx >log 2>&1 && hscope info --json a.onnx" CLEAN,
                       (const char *) length);
  g_autoptr (cJSON) json = NULL;

  fixture_run_line (fixture, line);
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->out, "\"length\""));
  json = parse_output (fixture);
  g_assert_cmpint (count_operator (json, "Scan"), ==, 2);
}

/* From MXNet's files to ONNX and back: each conversion is proved before it is written. */
static void
test_models_go_from_one_world_to_the_other (Fixture *fixture, gconstpointer name)
{
  g_autofree char *line = g_strdup_printf ("hscope new %s --output a >log && "
                                           "hscope convert a-symbol.json --output b.onnx >log && "
                                           "hscope convert b.onnx --output c >log && "
                                           "hscope check b.onnx >log && "
                                           "hscope check c-symbol.json >log" CLEAN,
                                           (const char *) name);

  fixture_run_line (fixture, line);
  g_assert_cmpint (fixture->code, ==, 0);
}

/* The initial state has the size of the input's batch in MXNet's files, too: prove tries other batches. */
static void
test_an_open_batch_stays_open_in_a_pair (Fixture *fixture, gconstpointer name)
{
  g_autofree char *line =
      g_strdup_printf ("hscope convert " FORMS "%s.onnx --output a >log && "
                       "grep -c broadcast_like a-symbol.json && "
                       "hscope convert a-symbol.json --shape x=5,3,4 --output b.onnx >log && "
                       "hscope prove " FORMS "%s.onnx b.onnx --shape x=5,7,4" CLEAN,
                       (const char *) name, (const char *) name);

  fixture_run_line (fixture, line);
  g_assert_cmpint (fixture->code, ==, 0);
}

/* Loops, branches and labels of MXNet go to ONNX and back. */
static void
test_control_flow_goes_to_onnx_and_back (Fixture *fixture, gconstpointer name)
{
  g_autofree char *line =
      g_strdup_printf ("hscope convert " SOURCE_ROOT "/tests/data/goldens/models/%s/%s-symbol.json "
                       "--input " SOURCE_ROOT "/tests/data/goldens/models/%s/input.npz --output "
                       "a.onnx >log 2>&1 && hscope convert a.onnx --input " SOURCE_ROOT
                       "/tests/data/goldens/models/%s/input.npz --output b >log 2>&1 && "
                       "hscope check b-symbol.json >log" CLEAN,
                       (const char *) name, (const char *) name, (const char *) name,
                       (const char *) name);

  fixture_run_line (fixture, line);
  g_assert_cmpint (fixture->code, ==, 0);
}

static void
test_models_are_written (Fixture *fixture, gconstpointer name)
{
  g_autofree char *line = g_strdup_printf ("hscope convert gallery:%s --output a.onnx >log && "
                                           "hscope check a.onnx >log" CLEAN,
                                           (const char *) name);

  fixture_run_line (fixture, line);
  g_assert_cmpint (fixture->code, ==, 0);
}

/* Indices are integers, and the rest of the network stays. */
static void
test_a_network_around_a_layer_stays (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  g_autoptr (cJSON) json = NULL;

  fixture_run_line (fixture, "hscope convert " SOURCE_ROOT "/examples/tagger.onnx --to foreach "
                             "--output a.onnx >log && hscope info --json a.onnx" CLEAN);
  g_assert_cmpint (fixture->code, ==, 0);
  json = parse_output (fixture);
  g_assert_cmpint (count_operator (json, "Scan"), ==, 1);
  g_assert_cmpint (count_operator (json, "LSTM"), ==, 0);
  g_assert_cmpint (count_operator (json, "Mod"), ==, 1);
  g_assert_cmpint (count_operator (json, "Softmax"), ==, 1);
}

static void
test_a_copy_has_the_same_bytes (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture, "hscope convert " FORMS "lstm-script-length.onnx --output a.onnx && "
                             "cmp " FORMS "lstm-script-length.onnx a.onnx" CLEAN);
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->out, "wrote a.onnx\n"));
}

/* MXNet's exporter packs the weights in front of the layer; TorchScript computes shapes that are fixed. */
static void
test_files_are_simplified (Fixture *fixture, gconstpointer name)
{
  g_autofree char *line = g_strdup_printf ("hscope convert " SOURCE_ROOT
                                           "/tests/data/exporters/%s.onnx --simplify --output "
                                           "a.onnx >log 2>&1 && hscope info --json a.onnx" CLEAN,
                                           (const char *) name);
  g_autoptr (cJSON) json = NULL;
  int n = 0;

  fixture_run_line (fixture, line);
  g_assert_cmpint (fixture->code, ==, 0);
  json = parse_output (fixture);
  for (const cJSON *count = cJSON_GetObjectItem (json, "operators")->child; count;
       count = count->next)
    n += count->valueint;
  g_assert_cmpint (count_operator (json, "LSTM"), ==, 1);
  g_assert_cmpint (n, <=, 12);
}

/* Nothing would go: the bytes stay. */
static void
test_what_is_simple_is_copied (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture, "hscope convert " SOURCE_ROOT
                             "/examples/tagger.onnx --simplify --output a.onnx && "
                             "cmp a.onnx " SOURCE_ROOT "/examples/tagger.onnx" CLEAN);
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->err, "nothing to simplify"));
  fixture_run_line (fixture, "hscope convert gallery:mlp --simplify --output a.onnx");
  g_assert_cmpint (fixture->code, ==, 2);
  g_assert_nonnull (strstr (fixture->err, "of an ONNX file"));
}

/* Inputs, outputs and open dimensions keep their names, and arrays do not become inputs. */
static void
test_another_version_writes_all_nodes_anew (Fixture *fixture, gconstpointer opset)
{
  g_autofree char *line = g_strdup_printf ("hscope convert " SOURCE_ROOT
                                           "/examples/tagger.onnx --opset %s --output a.onnx >log "
                                           "2>&1 && hscope info --json a.onnx | grep -A 1 opsets "
                                           "&& hscope info a.onnx" CLEAN,
                                           (const char *) opset);
  g_autofree char *version = g_strdup_printf ("\"ai.onnx\": %s\n", (const char *) opset);
  const char      *input = "int64 (time, batch)      data\n";

  fixture_run_line (fixture, line);
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->out, version));
  g_assert_nonnull (strstr (fixture->out, "onnx, hybridscope"));
  g_assert_nonnull (strstr (fixture->out, "float32 (time, batch, 5)"));
  g_assert_nonnull (strstr (fixture->out, "  tags "));
  g_assert_nonnull (strstr (fixture->out, input));
  g_assert_null (strstr (strstr (fixture->out, input) + strlen (input), " data\n"));
}

/* In version 3 of the file format all arrays are inputs of the graph, and new ones would be values that anyone may give. */
static void
test_new_arrays_raise_the_version_of_old_files (Fixture             *fixture,
                                                gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture, "(printf '\\010\\003' && tail -c +3 " FORMS
                             "lstm-script-fixed.onnx) >a.onnx && "
                             "hscope convert a.onnx --to unrolled --output b.onnx >log && "
                             "head -c 2 b.onnx | od -An -tu1" CLEAN);
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_cmpstr (g_strstrip (fixture->out), ==, "8   4");
}

static void
test_a_form_that_the_file_has_is_named (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture,
                    "hscope convert " FORMS "lstm-script-fixed.onnx --to foreach --output a.onnx "
                    ">log && hscope convert a.onnx --to foreach --output b.onnx && "
                    "hscope convert a.onnx --to foreach --output c.onnx --json >log 2>&1 && "
                    "grep -c '\"unchanged\": *true' log && cmp a.onnx b.onnx" CLEAN);
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->err, "nothing to write as foreach"));
}

static void
test_what_onnx_has_not_is_named (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture,
                    "echo '{\"nodes\": [{\"op\": \"null\", \"name\": \"x\", \"inputs\": []}, "
                    "{\"op\": \"sort\", \"name\": \"y\", \"inputs\": [[0, 0, 0]]}], "
                    "\"arg_nodes\": [0], \"heads\": [[1, 0, 0]]}' >a-symbol.json && "
                    "hscope convert a-symbol.json --shape x=2,3 --output a.onnx; "
                    "code=$?; rm a-symbol.json; ls *.onnx; exit $code");
  g_assert_cmpint (fixture->code, ==, 4);
  g_assert_nonnull (strstr (fixture->err, "cannot be written as ONNX: sort"));
  g_assert_cmpstr (fixture->out, ==, "");
}

/* The body of such a loop does not read its condition. */
static void
test_a_loop_is_written_for_mxnet (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture, "hscope convert " SOURCE_ROOT
                             "/tests/data/onnx/control/loop-limit.onnx --output a >log && "
                             "hscope check a-symbol.json >log" CLEAN);
  g_assert_cmpint (fixture->code, ==, 0);
}

static void
test_a_loop_of_any_number_of_steps_is_named (Fixture *fixture, gconstpointer name)
{
  g_autofree char *line = g_strdup_printf ("hscope convert " SOURCE_ROOT
                                           "/tests/data/onnx/control/%s.onnx --to unrolled "
                                           "--output a.onnx",
                                           (const char *) name);

  fixture_run_line (fixture, line);
  g_assert_cmpint (fixture->code, ==, 4);
  g_assert_nonnull (strstr (fixture->err, "the number of steps is known only at run time"));
}

/* The first step of a written-out cell reads a constant, so that its input is in no chain. */
static void
test_a_first_step_without_input_is_no_crash (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture, "hscope info --json " FORMS "lstm-cell-script-fixed.onnx");
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_cmpstr (fixture->err, ==, "");
}

TEST_PROGRAM (test_convert_onnx)
{
  static const char *const layers[] = { "lstm-script-length",     "gru-script-fixed",
                                        "gru-dynamo-batch",       "packed-script-fixed",
                                        "packed-script-length",   "written-out-script-length",
                                        "lstm-cell-script-length" };
  static const char *const cells[] = { "lstm-cell-dynamo-fixed", "gru-cell-dynamo-batch",
                                       "rnn-relu-dynamo-batch", "rnn-tanh-dynamo-fixed",
                                       "written-out-dynamo-fixed" };
  static const char *const models[] = { "lenet", "lstm-hybrid", "lstm-lm" };
  static const char *const written[] = { "beam-search", "transformer", "early-stop" };
  static const char *const loops[] = { "foreach", "while", "unrolled" };
  static const char *const open[] = { "lstm-cell-script-batch", "gru-cell-script-batch" };
  static const char *const back[] = { "cell-lstm-t6-ntc-none", "while-document",
                                      "cond-layers-then",      "while-greedy-decoder",
                                      "rnn-checkpoint-stack",  "foreach-nested" };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (layers); i++)
    add_test ("/app/command/convert-onnx/forms-lead-to-each-other/", layers[i],
              test_forms_lead_to_each_other);
  for (guint i = 0; i < G_N_ELEMENTS (cells); i++)
    add_test ("/app/command/convert-onnx/cells-in-python-become-layers/", cells[i],
              test_cells_in_python_become_layers);
  for (guint i = 0; i < G_N_ELEMENTS (models); i++)
    add_test ("/app/command/convert-onnx/models-go-from-one-world-to-the-other/", models[i],
              test_models_go_from_one_world_to_the_other);
  for (guint i = 0; i < G_N_ELEMENTS (written); i++)
    add_test ("/app/command/convert-onnx/models-are-written/", written[i], test_models_are_written);
  for (guint i = 0; i < G_N_ELEMENTS (open); i++)
    add_test ("/app/command/convert-onnx/an-open-batch-stays-open-in-a-pair/", open[i],
              test_an_open_batch_stays_open_in_a_pair);
  for (guint i = 0; i < G_N_ELEMENTS (back); i++)
    add_test ("/app/command/convert-onnx/control-flow-goes-to-onnx-and-back/", back[i],
              test_control_flow_goes_to_onnx_and_back);
  for (guint i = 0; i < G_N_ELEMENTS (loops); i++)
    add_test ("/app/command/convert-onnx/loops-of-keras-keep-their-batch-open/", loops[i],
              test_loops_of_keras_keep_their_batch_open);
  add_test ("/app/command/convert-onnx/counted-lengths-follow-the-input/", "foreach",
            test_counted_lengths_follow_the_input);
  add_test ("/app/command/convert-onnx/counted-lengths-follow-the-input/", "while",
            test_counted_lengths_follow_the_input);
  add_test ("/app/command/convert-onnx/fixed-lengths-are-said", "", test_fixed_lengths_are_said);
  add_test ("/app/command/convert-onnx/what-is-open-stays-open", "",
            test_what_is_open_stays_open_where_the_form_allows);
  add_test ("/app/command/convert-onnx/directions-are-joined-at-once/", "5",
            test_directions_are_joined_at_once);
  add_test ("/app/command/convert-onnx/directions-are-joined-at-once/", "6",
            test_directions_are_joined_at_once);
  add_test ("/app/command/convert-onnx/a-network-around-a-layer-stays", "",
            test_a_network_around_a_layer_stays);
  add_test ("/app/command/convert-onnx/new-arrays-raise-the-version-of-old-files", "",
            test_new_arrays_raise_the_version_of_old_files);
  add_test ("/app/command/convert-onnx/a-form-that-the-file-has-is-named", "",
            test_a_form_that_the_file_has_is_named);
  add_test ("/app/command/convert-onnx/a-copy-has-the-same-bytes", "",
            test_a_copy_has_the_same_bytes);
  add_test ("/app/command/convert-onnx/another-version-writes-all-nodes-anew/", "11",
            test_another_version_writes_all_nodes_anew);
  add_test ("/app/command/convert-onnx/another-version-writes-all-nodes-anew/", "21",
            test_another_version_writes_all_nodes_anew);
  add_test ("/app/command/convert-onnx/files-are-simplified/", "mx2onnx",
            test_files_are_simplified);
  add_test ("/app/command/convert-onnx/files-are-simplified/", "torchscript",
            test_files_are_simplified);
  add_test ("/app/command/convert-onnx/what-is-simple-is-copied", "",
            test_what_is_simple_is_copied);
  add_test ("/app/command/convert-onnx/what-onnx-has-not-is-named", "",
            test_what_onnx_has_not_is_named);
  add_test ("/app/command/convert-onnx/a-loop-is-written-for-mxnet", "",
            test_a_loop_is_written_for_mxnet);
  add_test ("/app/command/convert-onnx/a-loop-of-any-number-of-steps-is-named/", "loop-while",
            test_a_loop_of_any_number_of_steps_is_named);
  add_test ("/app/command/convert-onnx/a-first-step-without-input-is-no-crash", "",
            test_a_first_step_without_input_is_no_crash);
  return g_test_run ();
}
