/* plan-options.c — whether an optimising pass is enabled.
 *
 * The passes themselves are tables in passes/; operators only query them here.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/plan-options.h"

gboolean
hyb_plan_options_enable_pass (const HybPlanOptions *options, const char *pass)
{
  return options && options->optimise &&
         (!options->without || !g_strv_contains (options->without, pass));
}
