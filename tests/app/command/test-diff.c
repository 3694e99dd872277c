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

TEST_PROGRAM (test_diff)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(path, function) \
  g_test_add ("/app/diff/" path, Fixture, NULL, fixture_set_up, function, fixture_tear_down)
  ADD ("json-says-what-differs-in-lines-that-can-be-read", test_what_differs);
  ADD ("json-of-equal-models-counts-what-matches", test_nothing_differs);
#undef ADD
  return g_test_run ();
}
