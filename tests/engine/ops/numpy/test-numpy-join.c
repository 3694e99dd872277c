/* test-numpy-join.c — tests of operators that join arrays: samples and refusals for op-check.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

static const OpSample samples[] = {
  { "_npi_concatenate _npi_vstack _npi_hstack _npi_dstack _npi_column_stack",
    "one array",
    "num_args=1",
    { "f32[2,3,2]" } },
  { "_npi_vstack _npi_hstack _npi_dstack _npi_column_stack",
    "no dimensions",
    "num_args=2",
    { "f32[]", "f32[]" } },
  { "_npi_concatenate _npi_vstack _npi_hstack _npi_dstack _npi_column_stack",
    "vectors",
    "num_args=2",
    { "f32[3]", "f32[3]" } },
  { "_npi_concatenate _npi_vstack _npi_hstack _npi_dstack _npi_column_stack",
    "matrices",
    "num_args=3",
    { "f32[2,3]", "f32[2,3]", "f32[2,3]" } },
  { "_npi_concatenate", "last axis", "num_args=2 axis=-1", { "f32[2,3]", "f32[2,1]" } },
  { "_npi_concatenate", "flattened", "num_args=2 axis=None", { "f32[2,3]", "f32[4]" } },
  { "_npi_concatenate", "an empty array", "num_args=2", { "f32[0,3]", "f32[2,3]" } },
  { "_npi_column_stack", "a vector and a matrix", "num_args=2", { "f32[2]", "f32[2,3]" } },
  { "_npi_vstack", "integers", "num_args=2", { "i32[3]", "i32[2,3]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_npi_concatenate", "sizes that differ", "num_args=2", { "f32[2,3]", "f32[2,2]" }, "input 1" },
  { "_npi_concatenate", "an axis outside", "num_args=1 axis=1", { "f32[2]" }, "axis 1" },
  { 0 },
};

TEST_PROGRAM (test_numpy_join)
{
  g_test_init (&argc, &argv, NULL);
  op_check_family ("numpy-join", hyb_ops_numpy_join, samples, refusals);
  return g_test_run ();
}
