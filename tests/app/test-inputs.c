/* test-inputs.c — the inputs of a document: which variables they are, and whose shapes are given or guessed.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/document/document.h"
#include "tests/program.h"

#define MODEL "tests/data/goldens/models/cell-lstm-t6-ntc-none/cell-lstm-t6-ntc-none-symbol.json"

static ScopeDocument *
open_document (const char *const *shapes)
{
  g_autofree char *path = g_build_filename (SOURCE_ROOT, MODEL, NULL);
  g_autoptr (GError) error = NULL;
  ScopeDocument *document = scope_document_open (path, NULL, shapes, NULL, &error);

  g_assert_no_error (error);
  return document;
}

static const ScopeInput *
only_input (ScopeDocument *document)
{
  const GArray *inputs = scope_document_get_inputs (document);

  g_assert_cmpuint (inputs->len, ==, 1);
  return &g_array_index (inputs, ScopeInput, 0);
}

static void
test_given (void)
{
  static const char *const shapes[] = { "data=2,6,4", NULL };
  g_autoptr (ScopeDocument) document = open_document (shapes);
  const ScopeInput *input = only_input (document);
  g_autofree char  *option = scope_input_to_option (input);

  g_assert_cmpstr (option, ==, "data=2,6,4");
  g_assert_true (input->is_given);
  g_assert_null (input->reason);
}

static void
test_guessed (void)
{
  g_autoptr (ScopeDocument) document = open_document (NULL);
  const ScopeInput *input = only_input (document);
  g_autofree char  *option = scope_input_to_option (input);

  g_assert_cmpstr (option, ==, "data=1,6,4");
  g_assert_false (input->is_given);
  g_assert_nonnull (input->reason);
}

/* A parameter is no input, also if its shape is given; a name that the graph lacks is ignored. */
static void
test_others (void)
{
  static const char *const shapes[] = { "unroll0_lstm0_i2h_weight=20,4", "absent=3", "data=2,6,4",
                                        NULL };
  g_autoptr (ScopeDocument) document = open_document (shapes);

  g_assert_cmpstr (only_input (document)->name, ==, "data");
  g_assert_true (only_input (document)->is_given);
}

static void
test_parse (void)
{
  static const char *const no_shapes[] = {
    "data", "=1", "data=x", "data=-1", "data=1,", "data=1 2"
  };
  g_autofree char *name = NULL;
  HybShape         shape;

  g_assert_true (scope_input_parse ("a=b=1,?,3", &name, &shape));
  g_assert_cmpstr (name, ==, "a=b");
  g_assert_cmpint (shape.rank, ==, 3);
  g_assert_cmpint (shape.dim[0], ==, 1);
  g_assert_cmpint (shape.dim[1], ==, HYB_UNKNOWN);
  g_assert_cmpint (shape.dim[2], ==, 3);
  g_clear_pointer (&name, g_free);
  g_assert_true (scope_input_parse ("scalar=", &name, &shape));
  g_assert_cmpint (shape.rank, ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (no_shapes); i++)
    {
      g_autofree char *unset = NULL;

      if (scope_input_parse (no_shapes[i], &unset, &shape))
        g_error ("“%s” was taken as a shape of rank %d", no_shapes[i], shape.rank);
    }
}

TEST_PROGRAM (test_inputs)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/inputs/a-given-shape-is-not-guessed", test_given);
  g_test_add_func ("/app/inputs/an-open-shape-is-guessed-with-a-reason", test_guessed);
  g_test_add_func ("/app/inputs/parameters-and-absent-names-are-no-inputs", test_others);
  g_test_add_func ("/app/inputs/texts-become-shapes", test_parse);
  return g_test_run ();
}
