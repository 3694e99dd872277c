/* test-sized-shapes.c — the batch and the length among the dimensions of a model's inputs.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/compare/sized-shapes.h"
#include "tests/program.h"

#define MODELS "tests/data/goldens/models/"

static ScopeDocument *
open_document (const char *name, const char *const *shapes)
{
  g_autofree char *file = g_strconcat (name, "-symbol.json", NULL);
  g_autofree char *path = g_build_filename (SOURCE_ROOT, MODELS, name, file, NULL);
  g_autoptr (GError) error = NULL;
  ScopeDocument *document = scope_document_open (path, NULL, shapes, NULL, &error);

  g_assert_no_error (error);
  return document;
}

/* Rows are batch, step, feature: six steps are sliced, four features are multiplied with weights. */
static void
test_unrolled (void)
{
  static const char *const shapes[] = { "data=2,6,4", NULL };
  g_autoptr (ScopeDocument) document = open_document ("cell-lstm-t6-ntc-none", shapes);
  g_auto (GStrv) both =
      scope_sized_shapes (document, shapes, &(ScopeSizedOptions){ 6, TRUE, TRUE });
  g_auto (GStrv) batch =
      scope_sized_shapes (document, shapes, &(ScopeSizedOptions){ 6, TRUE, FALSE });
  g_auto (GStrv) length =
      scope_sized_shapes (document, shapes, &(ScopeSizedOptions){ 6, FALSE, TRUE });

  g_assert_cmpuint (g_strv_length (both), ==, 1);
  g_assert_cmpstr (both[0], ==, "data=B,T,4");
  g_assert_cmpstr (batch[0], ==, "data=B,6,4");
  g_assert_cmpstr (length[0], ==, "data=2,T,4");
}

/* Batch and length of the same size are not confused. */
static void
test_equal_sizes (void)
{
  static const char *const shapes[] = { "data=6,6,4", NULL };
  g_autoptr (ScopeDocument) document = open_document ("cell-lstm-t6-ntc-none", shapes);
  g_auto (GStrv) sized =
      scope_sized_shapes (document, shapes, &(ScopeSizedOptions){ 6, TRUE, TRUE });

  g_assert_cmpstr (sized[0], ==, "data=B,T,4");
}

/* States have the batch on another axis than the data, which is time-major. */
static void
test_states (void)
{
  static const char *const shapes[] = { "data0=5,2,3", "data1=2,4", "data2=2,4", NULL };
  g_autoptr (ScopeDocument) document = open_document ("foreachrnn-lstm", shapes);
  g_auto (GStrv) sized =
      scope_sized_shapes (document, shapes, &(ScopeSizedOptions){ 5, TRUE, TRUE });

  g_assert_cmpuint (g_strv_length (sized), ==, 3);
  g_assert_cmpstr (sized[0], ==, "data0=T,B,3");
  g_assert_cmpstr (sized[1], ==, "data1=B,4");
  g_assert_cmpstr (sized[2], ==, "data2=B,4");
}

static void
test_other_texts (void)
{
  static const char *const shapes[] = { "data=2,6,4", NULL };
  static const char *const odd[] = { "data", "data=", "data=2,?,4", "data=0,6,4", NULL };
  g_autoptr (ScopeDocument) document = open_document ("cell-lstm-t6-ntc-none", shapes);
  g_auto (GStrv) sized = scope_sized_shapes (document, odd, &(ScopeSizedOptions){ 6, TRUE, TRUE });
  g_auto (GStrv) none = scope_sized_shapes (document, NULL, &(ScopeSizedOptions){ 6, TRUE, TRUE });

  g_assert_cmpuint (g_strv_length (sized), ==, 4);
  for (guint i = 0; odd[i]; i++)
    g_assert_cmpstr (sized[i], ==, odd[i]);
  g_assert_cmpuint (g_strv_length (none), ==, 0);
}

TEST_PROGRAM (test_sized_shapes)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/sized-shapes/the-batch-can-change-and-the-length-cannot", test_unrolled);
  g_test_add_func ("/app/sized-shapes/equal-sizes-are-told-apart", test_equal_sizes);
  g_test_add_func ("/app/sized-shapes/all-inputs-have-the-batch", test_states);
  g_test_add_func ("/app/sized-shapes/other-texts-stay-as-they-are", test_other_texts);
  return g_test_run ();
}
