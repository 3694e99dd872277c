/* test-diagnose-files.c — what the doctor says of whole files: a missing file of parameters, a misspelt attribute.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/doctor/diagnose.h"
#include "engine/formats/mxnet-symbol.h"
#include "tests/program.h"

#include <string.h>

#define END(heads) "], \"heads\": [" heads "], \"attrs\": {\"mxnet_version\": [\"int\", 10901]}}"

/* A model read from text, with its findings.  (transfer full) */
static HybModel *
diagnose (const char *text)
{
  HybModel *model = hyb_model_new ();
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  g_autoptr (GError) error = NULL;
  g_autofree HybType *types = NULL;

  g_assert_true (hyb_symbol_read (model, bytes, "x.json", &error));
  hyb_model_set_file (model, "x.json");
  types = hyb_diagnose_new_types (hyb_model_get_graph (model));
  hyb_diagnose (model, types);
  return model;
}

/* The first finding with that code, or NULL. */
static const HybFinding *
find (HybModel *model, const char *code)
{
  GPtrArray *findings = hyb_model_get_findings (model);

  for (guint i = 0; i < findings->len; i++)
    if (strcmp (((HybFinding *) findings->pdata[i])->code, code) == 0)
      return findings->pdata[i];
  return NULL;
}

/* From the first parameter on. */
static void
test_parameters_without_a_file_are_noted (void)
{
  g_autoptr (HybModel) none = diagnose (
      "{\"arg_nodes\": [0], \"nodes\": [{\"op\": \"null\", \"name\": \"data\", \"inputs\": []},"
      "{\"op\": \"relu\", \"name\": \"r\", \"inputs\": [[0,0,0]]}" END ("[1,0,0]"));
  g_autoptr (HybModel) one = diagnose (
      "{\"arg_nodes\": [0, 1], \"nodes\": [{\"op\": \"null\", \"name\": \"data\", \"inputs\": []},"
      "{\"op\": \"null\", \"name\": \"fc_weight\", \"inputs\": []},"
      "{\"op\": \"FullyConnected\", \"name\": \"fc\", \"attrs\": {\"num_hidden\": \"4\", "
      "\"no_bias\": \"True\"}, \"inputs\": [[0,0,0],[1,0,0]]}" END ("[2,0,0]"));

  g_assert_null (find (none, "no-parameters"));
  g_assert_nonnull (find (one, "no-parameters"));
  g_assert_nonnull (strstr (find (one, "no-parameters")->message, "1 parameters"));
}

/* The reader reports an attribute that is missing; the repair renames the one that is misspelt. */
static void
test_a_misspelt_attribute_can_be_repaired (void)
{
  g_autoptr (HybModel) model = diagnose (
      "{\"arg_nodes\": [0, 1], \"nodes\": [{\"op\": \"null\", \"name\": \"data\", \"inputs\": []},"
      "{\"op\": \"null\", \"name\": \"fc_weight\", \"inputs\": []},"
      "{\"op\": \"FullyConnected\", \"name\": \"fc\", \"attrs\": {\"num_hiden\": \"4\", "
      "\"no_bias\": \"True\"}, \"inputs\": [[0,0,0],[1,0,0]]}" END ("[2,0,0]"));
  const HybFinding *finding = find (model, "bad-attribute");

  g_assert_nonnull (finding);
  g_assert_cmpint (finding->remedy, ==, HYB_REMEDY_REPAIR);
  g_assert_true (g_str_has_prefix (finding->hint, "The repair "));
  g_assert_nonnull (strstr (finding->hint, "“num_hidden”"));
}

/* A model whose pooling has this type. */
static HybModel *
diagnose_pooling (const char *type)
{
  g_autofree char *text = g_strdup_printf (
      "{\"arg_nodes\": [0], \"nodes\": [{\"op\": \"null\", \"name\": \"data\", \"inputs\": []},"
      "{\"op\": \"Pooling\", \"name\": \"pool\", \"attrs\": {\"kernel\": \"(2, 2)\", "
      "\"pool_type\": \"%s\"}, \"inputs\": [[0,0,0]]}" END ("[1,0,0]"),
      type);

  return diagnose (text);
}

/* A word that another one shortens is corrected; one that is only similar is named. */
static void
test_a_wrong_word_is_corrected_or_named (void)
{
  g_autoptr (HybModel) longer = diagnose_pooling ("maximum");
  g_autoptr (HybModel) similar = diagnose_pooling ("average");
  g_autoptr (HybModel) other = diagnose_pooling ("median");

  g_assert_cmpint (find (longer, "bad-attribute")->remedy, ==, HYB_REMEDY_REPAIR);
  g_assert_cmpstr (find (longer, "bad-attribute")->hint, ==,
                   "The repair changed pool_type of “pool” (Pooling) from “maximum” to “max”");
  g_assert_cmpint (find (similar, "bad-attribute")->remedy, ==, HYB_REMEDY_ATTRIBUTES);
  g_assert_cmpstr (find (similar, "bad-attribute")->hint, ==, "Did you mean “avg”?");
  g_assert_null (find (other, "bad-attribute")->hint);
}

/* The hint about a layer of nine units whose arrays have eight.  declares: the file has the shape of the weight, too.
 * (transfer full) */
static char *
hint_about_size (gboolean declares)
{
  g_autofree char *text = g_strdup_printf (
      "{\"arg_nodes\": [0, 1], \"nodes\": [{\"op\": \"null\", \"name\": \"data\", \"inputs\": []},"
      "{\"op\": \"null\", \"name\": \"fc_weight\", \"attrs\": {%s}, \"inputs\": []},"
      "{\"op\": \"FullyConnected\", \"name\": \"fc\", \"attrs\": {\"num_hidden\": \"9\", "
      "\"no_bias\": \"True\"}, \"inputs\": [[0,0,0],[1,0,0]]}" END ("[2,0,0]"),
      declares ? "\"__shape__\": \"(8, 5)\"" : "");
  HybType type = { hyb_shape_2d (8, 5), HYB_F32 };
  g_autoptr (HybTensor) weight = hyb_tensor_new_zeros (&type, NULL);
  g_autoptr (HybModel) model = hyb_model_new ();
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  g_autofree HybType *types = NULL;
  const HybFinding   *finding;

  g_assert_true (hyb_symbol_read (model, bytes, "x.json", NULL));
  hyb_model_set_file (model, "x.json");
  hyb_model_set_parameter (model, "fc_weight", weight);
  types = hyb_diagnose_new_types (hyb_model_get_graph (model));
  hyb_diagnose (model, types);
  finding = find (model, declares ? "shape-conflict" : "wrong-shape");
  g_assert_nonnull (finding);
  return g_strdup (finding->hint);
}

static void
test_a_wrong_size_is_named (void)
{
  g_autofree char *declared = hint_about_size (TRUE);
  g_autofree char *loaded = hint_about_size (FALSE);

  g_assert_cmpstr (declared, ==, "Did you mean num_hidden=8 of “fc”? All shapes would agree");
  g_assert_cmpstr (loaded, ==, declared);
}

TEST_PROGRAM (test_diagnose_files)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/doctor/diagnose-files/parameters-without-a-file-are-noted",
                   test_parameters_without_a_file_are_noted);
  g_test_add_func ("/engine/doctor/diagnose-files/a-misspelt-attribute-can-be-repaired",
                   test_a_misspelt_attribute_can_be_repaired);
  g_test_add_func ("/engine/doctor/diagnose-files/a-wrong-word-is-corrected-or-named",
                   test_a_wrong_word_is_corrected_or_named);
  g_test_add_func ("/engine/doctor/diagnose-files/a-wrong-size-is-named",
                   test_a_wrong_size_is_named);
  return g_test_run ();
}
