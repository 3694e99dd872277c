/* test-extract.c — hscope extract: parts of ONNX files and of MXNet's, and names that are wrong.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/hscope-fixture.h"
#include "tests/program.h"

#include <string.h>

#define TAGGER SOURCE_ROOT "/examples/tagger.onnx"
#define FORMS  SOURCE_ROOT "/tests/data/onnx-forms/"
#define CLEAN  "; status=$?; rm -f *.onnx *.json *.params *.npz log; exit $status"

static void
add_test (const char *name, gconstpointer data, void (*test) (Fixture *, gconstpointer))
{
  g_autofree char *full = g_strconcat ("/app/command/extract/", name, NULL);

  g_test_add (full, Fixture, data, fixture_set_up, test, fixture_tear_down);
}

/* The first half and the second one compute what the whole does; cut by the name of a value, and of a node. */
static void
test_halves_make_the_whole (Fixture *fixture, gconstpointer cut)
{
  g_autofree char *line = g_strdup_printf (
      "hscope run " TAGGER " --dim time=3 --dim batch=2 --init uniform --output whole.npz >log && "
      "hscope extract " TAGGER " --to %s --output a.onnx >log && "
      "hscope extract " TAGGER " --from %s --output b.onnx >log && "
      "hscope run a.onnx --dim time=3 --dim batch=2 --init uniform --output half.npz >log && "
      "hscope run b.onnx --input half.npz --dim time=3 --dim batch=2 --init uniform --output "
      "end.npz >log && "
      "hscope weights whole.npz end.npz" CLEAN,
      (const char *) cut, (const char *) cut);

  fixture_run_line (fixture, line);
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->out, "tags"));
  g_assert_nonnull (strstr (fixture->out, "same"));
}

/* Types come from the file or follow, with the names of open dimensions; arrays that nothing reads go. */
static void
test_a_part_has_types_and_no_more_arrays (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture, "hscope extract " TAGGER
                             " --from embedded,zeros --to /rnn/Squeeze --output a.onnx "
                             "&& hscope info a.onnx" CLEAN);
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (
      strstr (fixture->out, "2 of 9 nodes\ninputs: embedded, zeros\noutputs: rows\n"));
  g_assert_nonnull (strstr (fixture->out, "float32 (time, batch, 16)\n"));
  g_assert_nonnull (strstr (fixture->out, "float32 (1, batch, 16)   data\n"));
  g_assert_null (strstr (fixture->out, "table"));
  g_assert_null (strstr (fixture->out, "words"));
}

/* What a body reads from outside is needed, too. */
static void
test_bodies_keep_what_they_read (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (fixture, "hscope convert " FORMS
                             "lstm-script-fixed.onnx --to foreach --output a.onnx >log && "
                             "hscope info --json a.onnx | grep -q Scan && "
                             "hscope extract a.onnx --to y --output b.onnx >log && "
                             "hscope run b.onnx --init uniform >log && hscope check b.onnx" CLEAN);
  g_assert_cmpint (fixture->code, ==, 0);
}

static void
test_parts_of_mxnet (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  fixture_run_line (
      fixture,
      "hscope new mlp --output m >log && "
      "hscope run m-symbol.json --shape data=2,512 --init uniform --output whole.npz >log && "
      "hscope extract m-symbol.json --to hybridsequential0_dense1_fwd --output a >log && "
      "hscope extract m-symbol.json --from hybridsequential0_dense1_fwd_output --shape "
      "data=2,512 --output b.onnx && "
      "hscope run a-symbol.json --shape data=2,512 --init uniform --output half.npz >log && "
      "hscope run b.onnx --input half.npz --output end.npz >log && "
      "hscope weights whole.npz end.npz" CLEAN);
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->out, "inputs: hybridsequential0_dense1_fwd_output\n"));
}

static void
test_wrong_names (Fixture *fixture, gconstpointer unused G_GNUC_UNUSED)
{
  static const struct
  {
    const char *arguments, *sentence;
  } rows[] = {
    { TAGGER " --to embeded --output a.onnx", "Did you mean “embedded”?" },
    { TAGGER " --to embedded --from rows --output a.onnx",
      "no output of the part depends on “rows”" },
    { TAGGER " --to rows --from rows --output a.onnx",
      "both where the part begins and where it ends" },
    { "m-symbol.json --to hybridsequential0_dense1_fwt --output a",
      "Did you mean “hybridsequential0_dense1_fwd”?" },
    { "m-symbol.json --from hybridsequential0_dense1_fwd --to hybridsequential0_dense0_fwd "
      "--output a",
      "no output of the part depends on “hybridsequential0_dense1_fwd_output”" },
  };

  fixture_run_line (fixture, "hscope new mlp --output m");
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *line = g_strconcat ("hscope extract ", rows[i].arguments,
                                           "; status=$?; ls a*; exit $status", NULL);

      fixture_run_line (fixture, line);
      g_assert_cmpint (fixture->code, ==, 4);
      g_assert_nonnull (strstr (fixture->err, rows[i].sentence));
      g_assert_cmpstr (fixture->out, ==, ""); /* nothing was written */
    }
  fixture_run_line (fixture, "rm -f m-*; hscope extract " TAGGER " --to embedded --output a");
  g_assert_cmpint (fixture->code, ==, 2);
  g_assert_nonnull (strstr (fixture->err, "NAME.onnx"));
}

TEST_PROGRAM (test_extract)
{
  g_test_init (&argc, &argv, NULL);
  add_test ("halves-make-the-whole/value", "rows", test_halves_make_the_whole);
  add_test ("halves-make-the-whole/node", "/embedding/Gather", test_halves_make_the_whole);
  add_test ("a-part-has-types-and-no-more-arrays", NULL, test_a_part_has_types_and_no_more_arrays);
  add_test ("bodies-keep-what-they-read", NULL, test_bodies_keep_what_they_read);
  add_test ("parts-of-mxnet", NULL, test_parts_of_mxnet);
  add_test ("wrong-names-are-said", NULL, test_wrong_names);
  return g_test_run ();
}
