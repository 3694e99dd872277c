/* test-schedule.c — learning rates compared with MXNet's lr_scheduler; settings and metrics.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/train/metric.h"
#include "engine/train/schedule.h"
#include "engine/train/settings.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

static double
rate (const char *text, guint64 update)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HybSchedule) schedule = hyb_schedule_new (text, &error);

  g_assert_no_error (error);
  return hyb_schedule_get_rate (schedule, 1, update);
}

#define ASSERT_RATE(text, update, want) \
  g_assert_cmpfloat_with_epsilon (rate (text, update), want, 1e-12)

/* Expected rates are computed by hand from the formulas of mx.lr_scheduler 1.9.1. */
static void
test_factor (void)
{
  ASSERT_RATE ("factor:step=10,factor=0.5", 1, 1);
  ASSERT_RATE ("factor:step=10,factor=0.5", 10, 1);
  ASSERT_RATE ("factor:step=10,factor=0.5", 11, 0.5);
  ASSERT_RATE ("factor:step=10,factor=0.5", 31, 0.125);
  ASSERT_RATE ("factor:step=1,factor=0.1,stop_factor_lr=0.01", 9, 0.01);
}

static void
test_multifactor (void)
{
  ASSERT_RATE ("multifactor: step=(5, 8), factor=0.1", 5, 1);
  ASSERT_RATE ("multifactor: step=(5, 8), factor=0.1", 6, 0.1);
  ASSERT_RATE ("multifactor: step=(5, 8), factor=0.1", 9, 0.01);
}

static void
test_descents (void)
{
  ASSERT_RATE ("poly:max_update=10,pwr=2", 5, 0.25);
  ASSERT_RATE ("poly:max_update=10,pwr=1,final_lr=0.2", 5, 0.6);
  ASSERT_RATE ("poly:max_update=10", 12, 0);
  ASSERT_RATE ("cosine:max_update=10", 5, 0.5);
  ASSERT_RATE ("cosine:max_update=10,final_lr=0.1", 10, 0.1);
}

static void
test_warm_up (void)
{
  ASSERT_RATE ("cosine:max_update=14,warmup_steps=4", 1, 0.25);
  ASSERT_RATE ("cosine:max_update=14,warmup_steps=4,warmup_begin_lr=0.2", 2, 0.6);
  ASSERT_RATE ("cosine:max_update=14,warmup_steps=4,warmup_begin_lr=0.2,warmup_mode=constant", 3,
               0.2);
  ASSERT_RATE ("cosine:max_update=14,warmup_steps=4", 4, 1);
  ASSERT_RATE ("cosine:max_update=14,warmup_steps=4", 9, 0.5);
}

static void
test_refusals (void)
{
  static const char *const rows[][2] = {
    { "linear", "there is no schedule “linear”; there are factor" },
    { "poly", "max_update" },
    { "poly:max_update=3,step=4", "has no setting “step”; it has warmup_steps" },
    { "poly:max_update", "has no value" },
    { "cosine:max_update=0", "max_update" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (hyb_schedule_new (rows[i][0], &error));
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, rows[i][1]));
    }
}

static void
test_settings (void)
{
  g_auto (GStrv) settings = hyb_settings_parse (" a=1 ,b = (2, 3),, a=4", NULL);

  g_assert_cmpuint (g_strv_length (settings), ==, 6);
  g_assert_cmpstr (settings[3], ==, "(2, 3)");
  g_assert_cmpstr (settings[4], ==, "a");
  g_assert_cmpstr (settings[5], ==, "4");
  g_assert_null (hyb_settings_parse ("=1", NULL));
}

static void
test_metrics (void)
{
  g_autoptr (HybTensor) output =
      hyb_tensor_new_float (2, (gint64[]){ 3, 2 }, (float[]){ 1, 2, 5, 4, -1, -2 });
  g_autoptr (HybTensor) label = hyb_tensor_new_float (1, (gint64[]){ 3 }, (float[]){ 1, 0, 1 });
  HybMetricSum sum = { 0 };
  g_autoptr (GError) error = NULL;

  hyb_metric_find ("accuracy", NULL)->update (&sum, output, label, 0);
  g_assert_cmpfloat_with_epsilon (hyb_metric_find ("accuracy", NULL)->value (&sum), 2 / 3., 1e-12);

  sum = (HybMetricSum){ 0 };
  g_assert_true (isnan (hyb_metric_find ("perplexity", NULL)->value (&sum)));
  hyb_metric_find ("perplexity", NULL)->update (&sum, NULL, NULL, log (2));
  hyb_metric_find ("perplexity", NULL)->update (&sum, NULL, NULL, log (8));
  g_assert_cmpfloat_with_epsilon (hyb_metric_find ("perplexity", NULL)->value (&sum), 4, 1e-12);

  g_assert_null (hyb_metric_find ("f1", &error));
  g_assert_nonnull (strstr (error->message, "loss, accuracy, perplexity"));
}

TEST_PROGRAM (test_schedule)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/train/schedule/factor-lowers-the-rate-after-every-step", test_factor);
  g_test_add_func ("/engine/train/schedule/multifactor-lowers-the-rate-after-each-listed-update",
                   test_multifactor);
  g_test_add_func ("/engine/train/schedule/poly-and-cosine-end-at-the-final-rate", test_descents);
  g_test_add_func ("/engine/train/schedule/warm-up-comes-first", test_warm_up);
  g_test_add_func ("/engine/train/schedule/invalid-schedules-are-errors", test_refusals);
  g_test_add_func ("/engine/train/settings/commas-in-brackets-belong-to-the-value", test_settings);
  g_test_add_func ("/engine/train/metric/values", test_metrics);
  return g_test_run ();
}
