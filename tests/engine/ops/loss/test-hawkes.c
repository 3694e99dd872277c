/* test-hawkes.c — tests of _contrib_hawkesll: samples and refusals for
 * op-check.h, and the likelihood of a Poisson process.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#include <math.h>

#define PROCESS \
  "f32[2,3] 0.5..1.5", "f32[3] 0.1..0.6", "f32[3] 0.5..2", "f32[2,3] 0.1..1", "f32[2,4] 0.1..1.1"

static const OpSample samples[] = {
  { "_contrib_hawkesll",
    "three kinds",
    NULL,
    { PROCESS, "i32[2,4] = 0,2,2,1,1,0,2,2", "f32[2] = 4,3", "f32[2] = 5,6" },
    OP_COARSE },
  { "_contrib_hawkesll",
    "no event",
    NULL,
    { "f32[1,1] = 0.5", "f32[1] = 0.5", "f32[1] = 2", "f32[1,1] = 0.7", "f32[1,0]", "i32[1,0]",
      "f32[1] = 0", "f32[1] = 3" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_backward_hawkesll",
    "a gradient of another batch",
    NULL,
    { "f32[3]", "f32[2,3]", PROCESS, "i32[2,4] = 0,2,2,1,1,0,2,2", "f32[2] = 4,3", "f32[2] = 5,6" },
    "as a gradient of _contrib_hawkesll" },
  { "_contrib_hawkesll",
    "unknown kind",
    NULL,
    { PROCESS, "i32[2,4] = 0,3,2,1,1,0,2,2", "f32[2] = 4,3", "f32[2] = 5,6" },
    "index 3 is outside of axis 1" },
  { "_contrib_hawkesll",
    "other events",
    NULL,
    { PROCESS, "i32[2,5]", "f32[2]", "f32[2]" },
    "the numbers of events" },
  { 0 },
};

/* Without influence of the past: n log (rate) − rate · time.  Events beyond the valid length do not
 * count, not even those of unknown kinds. */
static void
test_without_influence_it_is_a_poisson_process (void)
{
  g_autoptr (HybTensor) y =
      op_run ("_contrib_hawkesll", NULL, op_tensor ("f64[1,1]", 1.5), op_tensor ("f64[1]", 0.),
              op_tensor ("f64[1]", 1.), op_tensor ("f64[1,1]", 0.),
              op_tensor ("f64[1,3]", 0.5, 0.25, 9.), op_tensor ("i32[1,3]", 0., 0., 7.),
              op_tensor ("f64[1]", 2.), op_tensor ("f64[1]", 4.), NULL);

  op_assert_near (y, 1e-12, 2 * log (1.5) - 1.5 * 4);
}

TEST_PROGRAM (test_hawkes)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("hawkes", hyb_ops_hawkes, samples, refusals);
  g_test_add_func ("/engine/ops/hawkes/without-influence-it-is-a-poisson-process",
                   test_without_influence_it_is_a_poisson_process);
  return g_test_run ();
}
