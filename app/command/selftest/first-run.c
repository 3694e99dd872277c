/* first-run.c — see first-run.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/selftest/first-run.h"

#include "app/command/messages.h"
#include "app/command/selftest/test-operators.h"
#include "app/command/selftest/verdict.h"

#include <string.h>

#define SECONDS 12 /* after which no operator is begun */

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
                       "%s",
                       text);
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

/* NULL if the test could not be ended.  (transfer full) */
static ScopeVerdict *
test (HybGpu *gpu, const char *device)
{
  const char *list = g_getenv ("HYB_SELFTEST");
  g_auto (GStrv) only = list && *list ? g_strsplit (list, ",", -1) : NULL;
  ScopeOperatorTest quick = { .device = device,
                              .math = hyb_gpu_get_math (gpu),
                              .quick = TRUE,
                              .seconds = SECONDS,
                              .only = only };
  g_autofree char  *name = hyb_gpu_describe (gpu);
  g_autoptr (GError) error = NULL;
  g_autoptr (ScopeOperatorResults) results = NULL;

  scope_print_message (HYB_SEVERITY_NOTE,
                       "the first run on %s compares its operators with the processor's, for at "
                       "most %u seconds",
                       name,
                       SECONDS);
  results = scope_test_operators (&quick, &error);
  if (results && !results->lost)
    return scope_verdict_new (results, FALSE, 0);
  scope_print_message (HYB_SEVERITY_WARNING,
                       "the self-test of the GPU did not come to its end: %s",
                       results ? results->lost : error->message);
  return NULL;
}

void
scope_first_run (HybGpu *gpu, const char *device)
{
  g_autofree char *path = scope_verdict_dup_path (gpu);
  g_autoptr (ScopeVerdict) verdict = scope_verdict_read (path);

  if (!verdict && !is_off ())
    {
      verdict = test (gpu, device);
      if (verdict)
        {
          say (verdict);
          keep (verdict, path);
        }
    }
  if (verdict)
    scope_verdict_apply (verdict, gpu);
}
