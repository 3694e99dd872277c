/* test-linalg-pack.c — diagonals and triangles as vectors: samples and refusals for op-check.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_linalg_extractdiag _linalg_extracttrian", "the main diagonal", NULL, { "f32[2,3,3]" } },
  { "_linalg_extractdiag _linalg_extracttrian", "above", "offset=1", { "f32[3,3]" } },
  { "_linalg_extractdiag _linalg_extracttrian", "the corner", "offset=-2", { "f32[3,3]" } },
  { "_linalg_makediag", "the main diagonal", NULL, { "f32[2,3]" } },
  { "_linalg_makediag", "below", "offset=-1", { "f32[3]" } },
  { "_linalg_maketrian", "lower", NULL, { "f32[2,6]" } },
  { "_linalg_maketrian", "upper", "lower=False", { "f32[3]" } },
  { "_linalg_maketrian", "below the diagonal", "offset=-1 lower=False", { "f32[3]" } },
  { "_linalg_maketrian", "above the diagonal", "offset=2", { "f32[1]" } },
  { "_linalg_extracttrian", "upper", "lower=False", { "f32[3,3]" } },
  { "_linalg_sumlogdiag", "one matrix", NULL, { "f32[3,3] 0.5..3" } },
  { "_linalg_sumlogdiag", "a batch", NULL, { "f64[2,1,2,2] 0.5..3" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_linalg_extractdiag",
    "the offset is the size",
    "offset=3",
    { "f32[3,3]" },
    "offset 3 is outside of matrices with 3 rows" },
  { "_linalg_extracttrian",
    "the offset is minus the size",
    "offset=-3",
    { "f32[3,3]" },
    "offset -3 is outside" },
  { "_linalg_extractdiag", "not square", NULL, { "f32[2,3]" }, "matrices of 2 × 3" },
  { "_linalg_maketrian", "no triangle", NULL, { "f32[4]" }, "4 elements do not fill a triangle" },
  { "_linalg_makediag", "a scalar", NULL, { "f32[]" }, "0-dimensional" },
  { "_linalg_makediag", "too large", "offset=20000", { "f32[1]" }, "at most" },
  { "_linalg_sumlogdiag", "not square", NULL, { "f32[2,3]" }, "matrices of 2 × 3" },
  { 0 },
};

TEST_PROGRAM (test_linalg_pack)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("linalg-pack", hyb_ops_linalg_pack, samples, refusals);

  return g_test_run ();
}
