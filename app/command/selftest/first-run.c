/* first-run.c — see first-run.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/selftest/first-run.h"

#include "app/command/frame/messages.h"
#include "app/command/selftest/test-models.h"
#include "app/command/selftest/test-operators.h"
#include "app/command/selftest/verdict.h"

#include <string.h>

#define SECONDS 12         /* after which no operator is begun */
#define GALLERY "gallery:" /* begins a model in HYB_SELFTEST */

static gboolean
is_off (void)
{
  return g_strcmp0 (g_getenv ("HYB_SELFTEST"), "off") == 0;
}

static void
say (const ScopeVerdict *verdict)
{
  g_autofree char *text = scope_verdict_describe (verdict);

  scope_print_message (scope_verdict_has_passed (verdict) ? HYB_SEVERITY_NOTE
                                                          : HYB_SEVERITY_WARNING,
                       "%s", text);
}

static void
keep (const ScopeVerdict *verdict, const char *path)
{
  g_autoptr (GError) error = NULL;

  if (!scope_verdict_write (verdict, path, &error))
    scope_print_message (HYB_SEVERITY_WARNING,
                         "the result cannot be kept, so that the next run tests again: %s "
                         "(HYB_SELFTEST=off leaves it out)",
                         error->message);
}

/* --- Models --- */

/* One that is written out and replayed, and one of a fused layer. */
static const char *const quick_models[] = {
  "lstm-unrolled?length=3&batch=2",
  "lstm-lm?length=3&batch=2",
  NULL,
};

/* The models of HYB_SELFTEST, or the usual ones.  (transfer full) */
static char **
list_models (char **only)
{
  g_autoptr (GStrvBuilder) models = g_strv_builder_new ();

  if (!only)
    return g_strdupv ((char **) quick_models);
  for (guint i = 0; only[i]; i++)
    if (g_str_has_prefix (only[i], GALLERY))
      g_strv_builder_add (models, only[i] + strlen (GALLERY));
  return g_strv_builder_end (models);
}

static void
count_model (const ScopeModelResult *result, gpointer data)
{
  ScopeVerdict *verdict = data;

  verdict->n_models++;
  if (!result->failure)
    return;
  verdict->n_failed++;
  scope_print_message (HYB_SEVERITY_WARNING, "the self-test of “%s” in %s mode: %s", result->model,
                       result->mode, result->failure);
}

/* Compares models in static mode.  Wrong operators are left to the host already, and are not found again. */
static void
test_models (HybGpu *gpu, const ScopeCommonOptions *common, char **models, ScopeVerdict *verdict)
{
  ScopeCommonOptions with_device = { .device = common->device, .math = common->math };
  ScopeModelTest     test = { .common = &with_device,
                              .gpu = gpu,
                              .quick = TRUE,
                              .only_static = TRUE,
                              .show = count_model,
                              .data = verdict };

  for (guint i = 0; models[i]; i++)
    {
      g_autoptr (GError) error = NULL;

      /* A gallery that is not installed says nothing about the GPU. */
      if (!scope_test_model (&test, models[i], &error))
        scope_print_message (HYB_SEVERITY_NOTE, "the self-test leaves out “%s”: %s", models[i],
                             error->message);
    }
}

/* --- Both --- */

/* NULL if the test could not be ended.  (transfer full) */
static ScopeVerdict *
test (HybGpu *gpu, const ScopeCommonOptions *common)
{
  const char *list = g_getenv ("HYB_SELFTEST");
  g_auto (GStrv) only = list && *list ? g_strsplit (list, ",", -1) : NULL;
  g_auto (GStrv) models = list_models (only);
  ScopeOperatorTest quick = { .device = common->device,
                              .math = hyb_gpu_get_math (gpu),
                              .quick = TRUE,
                              .seconds = SECONDS,
                              .only = only };
  g_autofree char  *name = hyb_gpu_describe (gpu);
  g_autoptr (GError) error = NULL;
  g_autoptr (ScopeOperatorResults) results = NULL;
  ScopeVerdict *verdict;

  scope_print_message (HYB_SEVERITY_NOTE,
                       "the first run on %s compares operators%s with the processor's, which "
                       "takes up to 20 seconds",
                       name, *models ? " and small models" : "");
  results = scope_test_operators (&quick, &error);
  if (!results || results->lost)
    {
      scope_print_message (HYB_SEVERITY_WARNING,
                           "the self-test of the GPU did not come to its end: %s",
                           results ? results->lost : error->message);
      return NULL;
    }
  verdict = scope_verdict_new (results, FALSE);
  scope_verdict_apply (verdict, gpu);
  test_models (gpu, common, models, verdict);
  return verdict;
}

void
scope_first_run (HybGpu *gpu, const ScopeCommonOptions *common)
{
  g_autofree char *path = NULL;
  g_autoptr (ScopeVerdict) verdict = NULL;

  if (is_off ())
    return;
  path = scope_verdict_dup_path (gpu);
  verdict = scope_verdict_read (path);
  if (verdict && verdict->n_failed > 0)
    say (verdict); /* every time, since no operator is left to the host for it */
  if (!verdict)
    {
      verdict = test (gpu, common);
      if (verdict)
        {
          say (verdict);
          keep (verdict, path);
        }
    }
  if (verdict)
    scope_verdict_apply (verdict, gpu);
}
