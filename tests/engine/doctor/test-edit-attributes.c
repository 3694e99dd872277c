/* test-edit-attributes.c — the attributes of one node, as a user writes them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/doctor/change.h"
#include "engine/doctor/edit-attributes.h"

#include "engine/formats/mxnet-symbol.h"
#include "tests/program.h"

#include <string.h>

/* A dense layer, and a pooling layer whose kind has another value in each test. */
#define GRAPH                                                                                     \
  "{\"arg_nodes\": [0, 1, 3], \"nodes\": ["                                                       \
  "{\"op\": \"null\", \"name\": \"data\", \"inputs\": []},"                                       \
  "{\"op\": \"null\", \"name\": \"w\", \"inputs\": []},"                                          \
  "{\"op\": \"FullyConnected\", \"name\": \"fc\", \"attrs\": {\"num_hidden\": \"8\", "            \
  "\"no_bias\": "                                                                                 \
  "\"True\"}, \"inputs\": [[0,0,0],[1,0,0]]},"                                                    \
  "{\"op\": \"null\", \"name\": \"image\", \"inputs\": []},"                                      \
  "{\"op\": \"Pooling\", \"name\": \"pool\", \"attrs\": {\"kernel\": \"(2, 2)\", \"pool_type\": " \
  "\"%s\"}, \"inputs\": [[3,0,0]]}"                                                               \
  "], \"heads\": [[2,0,0],[4,0,0]], \"attrs\": {\"mxnet_version\": [\"int\", 10901]}}"

static HybModel *
read_model (const char *pool_type)
{
  HybModel        *model = hyb_model_new ();
  g_autofree char *text = g_strdup_printf (GRAPH, pool_type);
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  g_autoptr (GError) error = NULL;

  hyb_symbol_read (model, bytes, "x.json", &error);
  g_assert_no_error (error);
  return model;
}

static const HybParam *
param_of (const char *op, const char *name)
{
  return hyb_params_find (hyb_op_find (op)->params, name);
}

static void
test_one_value_is_checked_alone (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (hyb_attribute_check (param_of ("Pooling", "pool_type"), "avg", &error));
  g_assert_no_error (error);
  g_assert_true (hyb_attribute_check (param_of ("Pooling", "pool_type"), "", NULL));
  g_assert_true (hyb_attribute_check (param_of ("Pooling", "kernel"), "(3, 3)", NULL));
  g_assert_false (hyb_attribute_check (param_of ("FullyConnected", "num_hidden"), NULL, NULL));
  g_assert_false (hyb_attribute_check (param_of ("Pooling", "kernel"), "(3, x)", NULL));
  g_assert_false (hyb_attribute_check (param_of ("Pooling", "pool_type"), "maximum", &error));
  g_assert_nonnull (strstr (error->message, "“maximum”, which is not one of max"));
}

static void
test_a_refused_node_is_computed_again (void)
{
  g_autoptr (HybModel) model = read_model ("maximum");
  g_autoptr (GPtrArray) changes = hyb_changes_new ();
  g_autoptr (GError) error = NULL;
  static const char *const attributes[] = { "kernel", "(2, 2)", "pool_type", "max",
                                            "stride", "(2, 2)", NULL };

  g_assert_true (hyb_graph_has_opaque (hyb_model_get_graph (model)));
  g_assert_true (hyb_attributes_edit (model, "pool", attributes, changes, &error));
  g_assert_no_error (error);
  g_assert_false (hyb_graph_has_opaque (hyb_model_get_graph (model)));
  g_assert_cmpuint (changes->len, ==, 2);
  g_assert_cmpstr (hyb_change_text (changes, 0), ==,
                   "changed pool_type of “pool” from “maximum” to “max”");
  g_assert_cmpstr (hyb_change_text (changes, 1), ==, "set stride of “pool” to “(2, 2)”");
}

static void
test_what_the_operator_refuses_changes_nothing (void)
{
  g_autoptr (HybModel) model = read_model ("max");
  HybGraph *before = hyb_model_get_graph (model);
  g_autoptr (GPtrArray) changes = hyb_changes_new ();
  g_autoptr (GError) error = NULL;

  g_assert_false (hyb_attributes_edit (model, "pool",
                                       (const char *const[]){ "pool_type", "most", NULL }, changes,
                                       &error));
  g_assert_nonnull (error);
  g_clear_error (&error);
  /* Without a bias the node has two inputs; it cannot have three. */
  g_assert_false (hyb_attributes_edit (model, "fc",
                                       (const char *const[]){ "num_hidden", "8", NULL }, changes,
                                       &error));
  g_assert_nonnull (error);
  g_clear_error (&error);
  g_assert_false (
      hyb_attributes_edit (model, "data", (const char *const[]){ NULL }, changes, &error));
  g_assert_cmpuint (changes->len, ==, 0);
  g_assert_true (hyb_model_get_graph (model) == before);
}

static void
test_a_size_against_the_weights_is_told (void)
{
  g_autoptr (HybModel) model = read_model ("max");
  HybType type = { { 2, { 8, 3 } }, HYB_F32 };
  g_autoptr (HybTensor) weight = hyb_tensor_new_zeros (&type, NULL);
  g_autoptr (GPtrArray) changes = hyb_changes_new ();
  g_autofree char *before = NULL, *after = NULL;

  hyb_model_set_parameter (model, "w", weight);
  before = hyb_attributes_find_conflict (model, "fc");
  g_assert_null (before);
  g_assert_true (
      hyb_attributes_edit (model, "fc",
                           (const char *const[]){ "num_hidden", "9", "no_bias", "True", NULL },
                           changes, NULL));
  after = hyb_attributes_find_conflict (model, "fc");
  g_assert_nonnull (strstr (after, "Did you mean num_hidden=8?"));
}

TEST_PROGRAM (test_edit_attributes)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/doctor/edit-attributes/one-value-is-checked-alone",
                   test_one_value_is_checked_alone);
  g_test_add_func ("/engine/doctor/edit-attributes/a-refused-node-is-computed-again",
                   test_a_refused_node_is_computed_again);
  g_test_add_func ("/engine/doctor/edit-attributes/what-the-operator-refuses-changes-nothing",
                   test_what_the_operator_refuses_changes_nothing);
  g_test_add_func ("/engine/doctor/edit-attributes/a-size-against-the-weights-is-told",
                   test_a_size_against_the_weights_is_told);
  return g_test_run ();
}
