/* test-numpy-source.c — tests of constants, ranges and windows of the NumPy interface: samples and refusals for op-check.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_npi_eye", "square", "N=2", { NULL } },
  { "_npi_eye", "above", "N=2 M=3 k=1 dtype=int32", { NULL } },
  { "_npi_eye", "no columns", "N=2 M=0", { NULL } },
  { "_npi_identity", "square", "shape=(3,3)", { NULL } },
  { "_npi_indices", "grid", "dimensions=(2,3)", { NULL } },
  { "_npi_indices", "no cell", "dimensions=(0,2)", { NULL } },
  { "_npi_logspace", "base 2", "start=0 stop=2 num=4 endpoint=False base=2", { NULL } },
  { "_npi_logspace", "one", "start=0 stop=2 num=1", { NULL } },
  { "_npi_hanning _npi_hamming _npi_blackman", "five", "M=5", { NULL } },
  { "_npi_hanning _npi_hamming _npi_blackman", "one", "M=1 dtype=float64", { NULL } },
  { "_npi_hanning _npi_hamming _npi_blackman", "none", "M=0", { NULL } },
  { "_npi_full_like", "type kept", "fill_value=2.5", { "i32[2,3]" } },
  { "_npi_full_like", "bool", "fill_value=2.5 dtype=bool", { "f32[]" } },
  { "_npi_tril", "matrices", "k=1", { "f32[2,2,3]" } },
  { "_npi_tril", "vector", NULL, { "f32[3]" } },
  { "_npi_tril", "no element", "k=-1", { "f32[0,3]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_npi_identity", "not square", "shape=(2,3)", { NULL }, "square matrix" },
  { "_npi_tril", "no dimensions", NULL, { "f32[]" }, "no triangle" },
  { 0 },
};

TEST_PROGRAM (test_numpy_source)
{
  g_test_init (&argc, &argv, NULL);
  op_check_family ("numpy-source", hyb_ops_numpy_source, samples, refusals);
  return g_test_run ();
}
