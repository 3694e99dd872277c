/* test-smooth-l1.c — smooth_l1 from its declaration.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"

static const OpSample samples[] = {
  { "smooth_l1", "both branches", "scalar=1.0", { "f32[3,4] -3..3" } },
  { "smooth_l1", "narrow", "scalar=3.0", { "f32[3,4]" } },
  { 0 },
};

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("smooth-l1", hyb_ops_smooth_l1, samples, NULL);

  return g_test_run ();
}
