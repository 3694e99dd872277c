/* test-diff.c — hscope diff --json: what it counts, and how the text is laid out.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/hscope-fixture.h"
#include "tests/program.h"

/* Two of its nodes have another operator, and those behind them another input. */
#define MAKE                                                         \
  "hscope new 'mlp?inputs=8&hidden=4' --output a >log && rm log && " \
  "sed s/relu/tanh/ a-symbol.json >b-symbol.json && "                \
  "cp a-0000.params b-0000.params && "

static void
test_what_differs (Fixture *fixture, gconstpointer unused)
{
  fixture_run_line (fixture, MAKE "hscope diff a-symbol.json b-symbol.json --json");
  g_assert_cmpint (fixture->code, ==, 1);
  g_assert_cmpstr (fixture->out, ==,
                   "{\n"
                   "  \"same\": false,\n"
                   "  \"nodes\": {\n"
                   "    \"added\": 2,\n"
                   "    \"removed\": 2,\n"
                   "    \"changed\": 2,\n"
                   "    \"matched\": 8,\n"
                   "    \"added_names\": [\"hybridsequential0_dense0_tanh_fwd\", "
                   "\"hybridsequential0_dense1_tanh_fwd\"],\n"
                   "    \"removed_names\": [\"hybridsequential0_dense0_relu_fwd\", "
                   "\"hybridsequential0_dense1_relu_fwd\"],\n"
                   "    \"changed_names\": [\"hybridsequential0_dense1_fwd\", "
                   "\"hybridsequential0_dense2_fwd\"]\n"
                   "  },\n"
                   "  \"parameters\": {\n"
                   "    \"equal\": 6,\n"
                   "    \"changed\": [],\n"
                   "    \"removed\": [],\n"
                   "    \"added\": []\n"
                   "  },\n"
                   "  \"groups\": []\n"
                   "}\n");
}

static void
test_nothing_differs (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (cJSON) json = NULL;
  const cJSON *nodes;

  fixture_run_line (fixture, MAKE "hscope diff a-symbol.json a-symbol.json --json");
  g_assert_cmpint (fixture->code, ==, 0);
  json = parse_output (fixture);
  g_assert_true (cJSON_IsTrue (cJSON_GetObjectItem (json, "same")));
  nodes = cJSON_GetObjectItem (json, "nodes");
  g_assert_cmpint (cJSON_GetObjectItem (nodes, "changed")->valueint, ==, 0);
  g_assert_cmpint (cJSON_GetObjectItem (nodes, "matched")->valueint, ==, 12);
}

/* The exporters of tests/data/exporters wrote one LSTM: as a layer, step by step, as a loop, and as MXNet's pair. */
static void
test_roles_of_exporters (Fixture *fixture, gconstpointer other)
{
  g_autofree char *line = g_strdup_printf ("hscope diff --json --matches " SOURCE_ROOT
                                           "/tests/data/exporters/torchscript.onnx " SOURCE_ROOT
                                           "/tests/data/exporters/%s",
                                           (const char *) other);
  g_autoptr (cJSON) json = NULL;
  const cJSON *nodes, *group;
  gboolean     has_layer = FALSE;

  fixture_run_line (fixture, line);
  g_assert_cmpint (fixture->code, ==, 1);
  json = parse_output (fixture);
  nodes = cJSON_GetObjectItem (json, "nodes");
  g_assert_cmpint (cJSON_GetObjectItem (nodes, "removed")->valueint, ==, 0);
  g_assert_cmpint (cJSON_GetObjectItem (nodes, "added")->valueint, ==, 0);
  cJSON_ArrayForEach (group, cJSON_GetObjectItem (json, "groups"))
  {
    has_layer |=
        g_str_equal (cJSON_GetStringValue (cJSON_GetObjectItem (group, "role")), "lstm, 8 units");
    g_assert_cmpint (cJSON_GetArraySize (cJSON_GetObjectItem (group, "a")), >, 0);
    g_assert_cmpint (cJSON_GetArraySize (cJSON_GetObjectItem (group, "b")), >, 0);
  }
  g_assert_true (has_layer);
  g_assert_cmpint (cJSON_GetArraySize (cJSON_GetObjectItem (json, "matches")), >, 26);
}

TEST_PROGRAM (test_diff)
{
  static const char *const others[] = { "dynamo.onnx", "cell.onnx",        "tf2onnx.onnx",
                                        "while.onnx",  "paddle2onnx.onnx", "mxnet-symbol.json" };

  g_test_init (&argc, &argv, NULL);
#define ADD(path, function) \
  g_test_add ("/app/diff/" path, Fixture, NULL, fixture_set_up, function, fixture_tear_down)
  ADD ("json-says-what-differs-in-lines-that-can-be-read", test_what_differs);
  ADD ("json-of-equal-models-counts-what-matches", test_nothing_differs);
#undef ADD
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    {
      g_autofree char *path =
          g_strconcat ("/app/diff/files-of-exporters-match-by-role/", others[i], NULL);

      g_test_add (path, Fixture, others[i], fixture_set_up, test_roles_of_exporters,
                  fixture_tear_down);
    }
  return g_test_run ();
}
