/* test-exports.c — builds every model of goldens/models that Gluon or mx.rnn made: the graph must
 * equal MXNet's export byte for byte, and the numbers must agree.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/engine/block/export-check.h"
#include "tests/program.h"

TEST_PROGRAM (test_exports)
{
  g_test_init (&argc, &argv, NULL);
  exports_add_cells ();
  exports_add_cond ();
  exports_add_decoders ();
  exports_add_foreach ();
  exports_add_fused ();
  exports_add_language ();
  exports_add_layers ();
  exports_add_mxrnn ();
  exports_add_networks ();
  exports_add_symbols ();
  exports_add_unrolled ();
  exports_add_while ();
  exports_add_zoo ();
  export_check_add_roll ();
  return g_test_run ();
}
