/* test-document.c — what a document knows of the boxes of its picture.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/document/document.h"
#include "app/document/finding-place.h"
#include "tests/program.h"

#include <string.h>

#define MODEL \
  SOURCE_ROOT "/tests/data/goldens/models/cell-lstm-t6-ntc-none/cell-lstm-t6-ntc-none-symbol.json"

/* Models that were read from no file have findings, too: their places begin with the line. */
static void
test_places_of_findings_begin_with_a_part (void)
{
  HybFinding      *finding = hyb_finding_new ("code", HYB_SEVERITY_ERROR, "a message");
  g_autofree char *nowhere = scope_finding_dup_place (finding);
  g_autofree char *line = NULL, *file = NULL;

  g_assert_cmpstr (nowhere, ==, "");
  finding->line = 3;
  finding->path = g_strdup ("$.nodes[1]");
  line = scope_finding_dup_place (finding);
  g_assert_cmpstr (line, ==, "line 3, $.nodes[1]");
  finding->file = g_strdup ("/models/net-symbol.json");
  file = scope_finding_dup_place (finding);
  g_assert_cmpstr (file, ==, "net-symbol.json, line 3, $.nodes[1]");
  hyb_finding_free (finding);
}

/* A name leads to the box of its node; another one to no box. */
static void
test_names_lead_to_boxes (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ScopeDocument) document = scope_document_open (MODEL, NULL, NULL, NULL, &error);
  HybGraph *graph;
  guint     n_found = 0;

  g_assert_no_error (error);
  graph = scope_document_get_graph (document);
  for (guint i = 0; i < scope_document_n_places (document); i++)
    {
      const ScopePlace *place = scope_document_nth_place (document, i);

      if (place->graph != graph)
        continue;
      g_assert_cmpuint (scope_document_find_name (document,
                                                  hyb_graph_get_node (graph, place->node)->name),
                        ==, place->box);
      n_found++;
    }
  g_assert_cmpuint (n_found, >, 10);
  g_assert_cmpuint (scope_document_find_name (document, "absent"), ==, VIZ_ROOT);
  g_assert_cmpuint (scope_document_find_name (document, NULL), ==, VIZ_ROOT);
}

/* Parameters that somebody has chosen stay when the model is mended; those that were found may be replaced. */
static void
test_found_parameters_are_not_named (void)
{
  g_autofree char *params = g_strconcat (MODEL, NULL);
  g_autoptr (ScopeDocument) found = NULL;
  g_autoptr (ScopeDocument) named = NULL;

  g_assert_true (g_str_has_suffix (params, "-symbol.json"));
  strcpy (params + strlen (params) - strlen ("-symbol.json"), "-0000.params");
  found = scope_document_open (MODEL, NULL, NULL, NULL, NULL);
  named = scope_document_open (MODEL, params, NULL, NULL, NULL);
  g_assert_cmpstr (scope_document_get_params (found), ==, params);
  g_assert_null (scope_document_get_named_params (found));
  g_assert_cmpstr (scope_document_get_named_params (named), ==, params);
}

TEST_PROGRAM (test_document)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/document/places-of-findings-begin-with-a-part",
                   test_places_of_findings_begin_with_a_part);
  g_test_add_func ("/app/document/names-lead-to-boxes", test_names_lead_to_boxes);
  g_test_add_func ("/app/document/found-parameters-are-not-named",
                   test_found_parameters_are_not_named);
  return g_test_run ();
}
