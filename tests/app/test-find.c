/* test-find.c — the grammar of the search, on a model of the goldens.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/adapt/find.h"
#include "app/document/document.h"
#include "tests/program.h"
#include "viz/diagram/short-names.h"

#include <math.h>

static ScopeDocument *document;

static guint
count (const char *query)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ScopeFind) find = scope_find_new (query, &error);
  guint n = 0;

  g_assert_no_error (error);
  for (guint i = 0; i < scope_document_n_places (document); i++)
    {
      const ScopePlace *place = scope_document_nth_place (document, i);
      VizDiagram       *diagram = scope_document_get_diagram (document);
      g_autofree char  *title = viz_short_title (diagram, place->box, NULL);
      ScopeFindNode     node = { .graph = place->graph,
                                 .node = place->node,
                                 .types = scope_document_get_types (document, place->graph),
                                 .path = viz_diagram_box (diagram, place->box)->id,
                                 .title = title,
                                 .seconds = i == 3 ? 0.002 : NAN };

      n += scope_find_matches (find, &node);
    }
  return n;
}

static void
test_words (void)
{
  g_assert_cmpuint (count ("op:FullyConnected"), ==, 12);
  g_assert_cmpuint (count ("op:fullyconnected"), ==, 12);
  g_assert_cmpuint (count ("op:FullyConnected name:_t0_"), ==, 2);
  g_assert_cmpuint (count ("op:FullyConnected -name:_t0_"), ==, 10);
  g_assert_cmpuint (count ("*_t0_i2h"), ==, 1);
  g_assert_cmpuint (count ("\"FullyConnected\""), ==, 12);
  g_assert_cmpuint (count ("no-such-thing"), ==, 0);
  g_assert_cmpuint (count (""), ==, scope_document_n_places (document));
}

static void
test_facts (void)
{
  g_assert_cmpuint (count ("op:FullyConnected shape:2x*"), ==, 12);
  g_assert_cmpuint (count ("op:FullyConnected shape:3x*"), ==, 0);
  g_assert_cmpuint (count ("dtype:float32"), >, 12);
  g_assert_cmpuint (count ("dtype:int8"), ==, 0);
  g_assert_cmpuint (count ("op:Activation attr:act_type=tanh"), >, 0);
  g_assert_cmpuint (count ("op:Activation attr:act_type=nothing"), ==, 0);
  g_assert_cmpuint (count ("time>1ms"), ==, 1);
  g_assert_cmpuint (count ("time>3ms"), ==, 0);
  g_assert_cmpuint (count ("time<3ms"), ==, 1);
  g_assert_cmpuint (count ("bytes>1"), >, 12);
  g_assert_cmpuint (count ("bytes>1G"), ==, 0);
}

/* What is drawn, and words that look like what they mean. */
static void
test_drawn (void)
{
  g_assert_cmpuint (count ("FC"), ==, 12);
  g_assert_cmpuint (count ("fc"), ==, 12);
  g_assert_cmpuint (count ("FC 2x16"), ==, 12);
  g_assert_cmpuint (count ("FC 2×16"), ==, 12);
  g_assert_cmpuint (count ("FC 2x1"), ==, 0);
  g_assert_cmpuint (count ("FC ?x16"), ==, 12);
  g_assert_cmpuint (count ("num_hidden=16"), ==, 12);
  g_assert_cmpuint (count ("num_hidden=1"), ==, 0);
  g_assert_cmpuint (count ("Num_Hidden=1*"), ==, 12);
}

static void
test_regular_expressions (void)
{
  g_assert_cmpuint (count ("/_t[01]_i2h$/"), ==, 2);
  g_assert_cmpuint (count ("/^FC$/"), ==, 12);
  g_assert_cmpuint (count ("op:/^fully/ name:/h2h/"), ==, 6);
  g_assert_cmpuint (count ("-/./"), ==, 0);
}

static void
test_groups (void)
{
  g_autoptr (ScopeFind) words = scope_find_new ("split × 36", NULL);
  g_autoptr (ScopeFind) field = scope_find_new ("split op:split", NULL);

  g_assert_true (scope_find_matches_title (words, "Split × 36"));
  g_assert_false (scope_find_matches_title (words, "split × 35"));
  g_assert_false (scope_find_matches_title (field, "split × 36"));
}

static void
assert_suggested (const char *query, const char *meant)
{
  g_autoptr (ScopeFind) find = scope_find_new (query, NULL);
  g_autofree char *suggested = scope_find_suggest (find, scope_document_get_graph (document));

  g_assert_cmpstr (suggested, ==, meant);
}

static void
test_suggestions (void)
{
  assert_suggested ("op:FulyConnected", "op:FullyConnected");
  assert_suggested ("FullyConected _t0_", "FullyConnected _t0_");
  assert_suggested ("unrol1", "unroll0");
  assert_suggested ("nothing-like-this", NULL);
  assert_suggested ("FullyConnected", NULL);
  assert_suggested ("-FulyConnected", NULL);
}

static void
test_mistakes (void)
{
  for (const char *const *query =
           (const char *const[]){ "op:", "time>", "time>fast", "bytes<1x", "/[/", NULL };
       *query; query++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (scope_find_new (*query, &error));
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT);
    }
}

TEST_PROGRAM (test_find)
{
  const char *const shapes[] = { "data=2,6,4", NULL };
  int               status;

  g_test_init (&argc, &argv, NULL);
  document = scope_document_open (SOURCE_ROOT "/tests/data/goldens/models/cell-lstm-t6-ntc-none/"
                                              "cell-lstm-t6-ntc-none-symbol.json",
                                  NULL, shapes, NULL, NULL);
  g_assert_nonnull (document);
  g_test_add_func ("/app/find/words-match-names-and-operators", test_words);
  g_test_add_func ("/app/find/fields-match-facts", test_facts);
  g_test_add_func ("/app/find/words-match-what-is-drawn", test_drawn);
  g_test_add_func ("/app/find/regular-expressions-stand-between-slashes", test_regular_expressions);
  g_test_add_func ("/app/find/groups-match-by-title", test_groups);
  g_test_add_func ("/app/find/misspelt-words-have-suggestions", test_suggestions);
  g_test_add_func ("/app/find/mistakes-are-reported", test_mistakes);
  status = g_test_run ();
  scope_document_unref (document);
  return status;
}
