/* test-written-onnx.c — files that hscope convert writes of unusual inputs and nodes.
 *
 * tests/data/onnx/make-written.py made the files.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/hscope-fixture.h"
#include "tests/program.h"

#include <string.h>

#define FILES SOURCE_ROOT "/tests/data/onnx/"
#define CLEAN "; status=$?; rm -f *.onnx log; exit $status"

/* NumPy has no bfloat16: files of inputs have the bits as uint16, for runs, conversions and proofs alike. */
static void
test_bits_of_bfloat16_are_inputs_of_proofs (Fixture *fixture, gconstpointer form)
{
  g_autofree char *line =
      g_strdup_printf ("hscope convert " FILES "bfloat16.onnx --input " FILES
                       "bfloat16.npz --to %s --output a.onnx >log && hscope prove " FILES
                       "bfloat16.onnx a.onnx --input " FILES "bfloat16.npz" CLEAN,
                       (const char *) form);

  fixture_run_line (fixture, line);
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_true (g_str_has_prefix (fixture->out, "equal on "));
}

/* A node that no output needs may read what a replaced layer gave. */
static void
test_unread_nodes_read_nothing_that_is_gone (Fixture *fixture, gconstpointer form)
{
  g_autofree char *line =
      g_strdup_printf ("hscope convert " FILES "unread.onnx --to %s --output a.onnx >log && "
                       "hscope check a.onnx" CLEAN,
                       (const char *) form);

  fixture_run_line (fixture, line);
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->out, "no problems found"));
}

TEST_PROGRAM (test_written_onnx)
{
  static const char *const forms[] = { "foreach", "while", "unrolled" };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (forms); i++)
    {
      g_autofree char *bits =
          g_strconcat ("/app/command/written-onnx/bits-of-bfloat16-are-inputs-of-proofs/", forms[i],
                       NULL);
      g_autofree char *unread =
          g_strconcat ("/app/command/written-onnx/unread-nodes-read-nothing-that-is-gone/",
                       forms[i], NULL);

      g_test_add (bits, Fixture, forms[i], fixture_set_up,
                  test_bits_of_bfloat16_are_inputs_of_proofs, fixture_tear_down);
      g_test_add (unread, Fixture, forms[i], fixture_set_up,
                  test_unread_nodes_read_nothing_that_is_gone, fixture_tear_down);
    }
  return g_test_run ();
}
