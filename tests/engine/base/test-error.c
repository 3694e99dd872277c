/* test-error.c — error domains, and messages with a place and a way out.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/base/error.h"
#include "tests/program.h"

static void
test_domains_have_the_usual_names (void)
{
  g_assert_cmpstr (g_quark_to_string (HYB_FORMAT_ERROR), ==, "hyb-format-error-quark");
  g_assert_cmpstr (g_quark_to_string (HYB_GRAPH_ERROR), ==, "hyb-graph-error-quark");
  g_assert_cmpstr (g_quark_to_string (HYB_OP_ERROR), ==, "hyb-op-error-quark");
  g_assert_cmpstr (g_quark_to_string (HYB_DEVICE_ERROR), ==, "hyb-device-error-quark");
}

static void
test_messages_have_place_fact_and_hint (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (hyb_error_at (&error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, "node “fc”",
                                "Give 3 columns", "it has %d columns instead of %d", 2, 3));
  g_assert_error (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES);
  g_assert_cmpstr (error->message, ==, "node “fc”: it has 2 columns instead of 3. Give 3 columns");
}

static void
test_place_and_hint_may_be_missing (void)
{
  g_autoptr (GError) error = NULL;

  hyb_error_at (&error, HYB_OP_ERROR, HYB_OP_ERROR_UNKNOWN, NULL, NULL, "the operator is unknown");
  g_assert_cmpstr (error->message, ==, "the operator is unknown");
  g_assert_false (hyb_error_at (NULL, HYB_OP_ERROR, HYB_OP_ERROR_UNKNOWN, NULL, NULL, "ignored"));
}

TEST_PROGRAM (test_error)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/base/error/domains-have-the-usual-names",
                   test_domains_have_the_usual_names);
  g_test_add_func ("/engine/base/error/messages-have-place-fact-and-hint",
                   test_messages_have_place_fact_and_hint);
  g_test_add_func ("/engine/base/error/place-and-hint-may-be-missing",
                   test_place_and_hint_may_be_missing);

  return g_test_run ();
}
