/* test-diagnose-files.c — what the doctor says of a model whose file of parameters is missing.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/doctor/diagnose.h"
#include "engine/formats/mxnet-symbol.h"

#include <string.h>

#define END(heads) "], \"heads\": [" heads "], \"attrs\": {\"mxnet_version\": [\"int\", 10901]}}"

/* The message of the note that parameters have no file; NULL: there is no such note. */
static char *
dup_note (const char *text)
{
  g_autoptr (HybModel) model = hyb_model_new ();
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));
  g_autoptr (GError) error = NULL;
  g_autofree HybType *types = NULL;
  GPtrArray          *findings;

  g_assert_true (hyb_symbol_read (model, bytes, "x.json", &error));
  hyb_model_set_file (model, "x.json");
  types = hyb_diagnose_new_types (hyb_model_get_graph (model));
  hyb_diagnose (model, types);
  findings = hyb_model_get_findings (model);
  for (guint i = 0; i < findings->len; i++)
    if (strcmp (((HybFinding *) findings->pdata[i])->code, "no-parameters") == 0)
      return g_strdup (((HybFinding *) findings->pdata[i])->message);
  return NULL;
}

/* From the first parameter on. */
static void
test_parameters_without_a_file_are_noted (void)
{
  g_autofree char *none = dup_note (
      "{\"arg_nodes\": [0], \"nodes\": [{\"op\": \"null\", \"name\": \"data\", \"inputs\": []},"
      "{\"op\": \"relu\", \"name\": \"r\", \"inputs\": [[0,0,0]]}" END ("[1,0,0]"));
  g_autofree char *one = dup_note (
      "{\"arg_nodes\": [0, 1], \"nodes\": [{\"op\": \"null\", \"name\": \"data\", \"inputs\": []},"
      "{\"op\": \"null\", \"name\": \"fc_weight\", \"inputs\": []},"
      "{\"op\": \"FullyConnected\", \"name\": \"fc\", \"attrs\": {\"num_hidden\": \"4\", "
      "\"no_bias\": \"True\"}, \"inputs\": [[0,0,0],[1,0,0]]}" END ("[2,0,0]"));

  g_assert_null (none);
  g_assert_nonnull (one);
  g_assert_nonnull (strstr (one, "1 parameters"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/doctor/diagnose-files/parameters-without-a-file-are-noted",
                   test_parameters_without_a_file_are_noted);
  return g_test_run ();
}
