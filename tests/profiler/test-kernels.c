/* test-kernels.c — tests of how a capture says which kernels computed its nodes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/exchange/report-text.h"
#include "tests/profiler/made-recording.h"
#include "tests/profiler/profile-run.h"
#include "tests/program.h"

#include <string.h>

/* The number of products among the nodes, each of which has a kernel that the printed plan names. */
static guint
check_products (const ProfCapture *capture, const char *plan)
{
  guint n = 0;

  for (guint32 row = 0; row < prof_capture_n_nodes (capture); row++)
    {
      const ProfNode  *node = prof_capture_get_node (capture, row);
      const char      *kernel = prof_capture_find_kernel (capture, row);
      g_autofree char *printed = g_strdup_printf (", %s", kernel);

      if (strcmp (prof_capture_get_string (capture, node->type), "FullyConnected") != 0 ||
          !(node->flags & PROF_NODE_EXECUTED))
        continue;
      g_assert_cmpstr (kernel, !=, "");
      g_assert_nonnull (strstr (plan, printed));
      n++;
    }
  return n;
}

static void
test_kernels_are_those_of_the_plan (void)
{
  g_autoptr (TestModel) model = test_model_unrolled (3, 8, 2);
  g_autoptr (ProfSubject) subject = test_model_subject (model, HYB_MODE_STATIC, FALSE);
  g_autoptr (ProfCapture) capture = test_model_capture (model, HYB_MODE_STATIC, FALSE);
  g_autoptr (ProfSummary) summary = prof_summary_new (capture);
  g_autofree char *plan =
      hyb_plan_print (hyb_executor_get_plan (prof_subject_get_executor (subject)));
  g_autofree char *report = prof_report_text (capture, summary);

  g_assert_cmpuint (check_products (capture, plan), >=, 6);
  g_assert_nonnull (strstr (report, "; sums of four columns, weights as they lie\n"));
}

static void
test_a_node_without_a_kernel_has_the_empty_text (void)
{
  g_autoptr (ProfCapture) capture = made_recording_new (&made_recording);

  for (guint32 row = 0; row < prof_capture_n_nodes (capture) + 1; row++)
    g_assert_cmpstr (prof_capture_find_kernel (capture, row), ==, "");
}

TEST_PROGRAM (test_kernels)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/profiler/kernels/are-those-of-the-plan", test_kernels_are_those_of_the_plan);
  g_test_add_func ("/profiler/kernels/a-node-without-a-kernel-has-the-empty-text",
                   test_a_node_without_a_kernel_has_the_empty_text);
  return g_test_run ();
}
