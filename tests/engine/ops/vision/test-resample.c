/* test-resample.c — tests of _resample: samples and refusals for op-check.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#define ROWS   "f32[2,4] = 0,0,1,2,0,1,2,2", "f32[2,4] = 1,0.25,0.5,0.75,0,0.75,0.5,0.25"
#define COLUMN "f32[1,3] = 1,0,1", "f32[1,3] = 1,1,0.5"

static const OpSample samples[] = {
  { "_resample", "the last axis", "axis=1", { "f32[2,3]", ROWS } },
  { "_resample", "an inner axis", "axis=1", { "f32[2,3,2]", ROWS } },
  { "_resample", "the first axis", "axis=0", { "f32[3,2,2]", ROWS } },
  { "_resample", "two axes", "axis=1 n_axes=2", { "f32[2,3,2]", ROWS, COLUMN } },
  { "_resample", "no planes", "axis=1 n_axes=2", { "f32[0,3,2]", ROWS, COLUMN } },
  { "_backward_resample",
    "two axes",
    "axis=1 n_axes=2",
    { "f32[2,4,3]", "f32[2,3,2]", ROWS, COLUMN } },
  { "_backward_resample", "an inner axis", "axis=1", { "f32[2,4,2]", "f32[2,3,2]", ROWS } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_resample", "no such axis", "axis=2", { "f32[2,3]", ROWS }, "along 1 axes from axis 2" },
  { "_resample",
    "two inner axes",
    "axis=0 n_axes=2",
    { "f32[3,2,2]", ROWS, COLUMN },
    "along 2 axes from axis 0" },
  { "_resample",
    "other weights",
    "axis=0",
    { "f32[3]", "f32[2,2] = 0,1,1,2", "f32[2,3] = 1,1,1,1,1,1" },
    "rows of equal length" },
  { "_resample",
    "too many taps",
    "axis=0",
    { "f32[3]", "f32[5,1] = 0,1,2,0,1", "f32[5,1] = 1,1,1,1,1" },
    "up to 4 rows" },
  { "_resample", "an empty axis", "axis=0", { "f32[0]", ROWS }, "of 0 elements" },
  { 0 },
};

TEST_PROGRAM (test_resample)
{
  g_test_init (&argc, &argv, NULL);
  op_check_family ("resample", hyb_ops_resample, samples, refusals);
  return g_test_run ();
}
