/* test-param.c — tests of attributes as text: what is written is read as the same value.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/param.h"

#include "engine/base/error.h"
#include "engine/base/one-line.h"
#include "engine/op/op.h"
#include "tests/program.h"

typedef struct
{
  gint64    plain, optional;
  HybInts   tuple;
  HybFloats numbers;
  int       choice;
} Values;

static const HybParam table[] = {
  { "plain", G_STRUCT_OFFSET (Values, plain), HYB_PARAM_INT, "0" },
  { "optional", G_STRUCT_OFFSET (Values, optional), HYB_PARAM_OPTIONAL_INT, "None" },
  { "tuple", G_STRUCT_OFFSET (Values, tuple), HYB_PARAM_INTS, "()" },
  { "numbers", G_STRUCT_OFFSET (Values, numbers), HYB_PARAM_FLOATS, "()" },
  { "choice", G_STRUCT_OFFSET (Values, choice), HYB_PARAM_OPTIONAL_BOOL, "None" },
  { 0 },
};

static Values *
parse (const char *key, const char *text, GError **error)
{
  const char *const attributes[] = { key, text, NULL };

  return hyb_params_parse (table, sizeof (Values), attributes, NULL, error);
}

static void
test_smallest (void)
{
  /* −2⁶³ stands for None inside, so as a number it would be written as “None”. */
  static const struct
  {
    const char *key, *smallest, *next;
  } cases[] = {
    { "plain", "-9223372036854775808", "-9223372036854775807" },
    { "optional", "-9223372036854775808", "-9223372036854775807" },
    { "tuple", "(1, -9223372036854775808)", "(1, -9223372036854775807)" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *again = NULL;
      Values          *values = parse (cases[i].key, cases[i].smallest, &error);

      g_assert_error (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE);
      g_assert_null (values);
      g_clear_error (&error);
      values = parse (cases[i].key, cases[i].next, &error);
      g_assert_no_error (error);
      again = hyb_param_to_string (&table[i], values);
      g_assert_cmpstr (again, ==, cases[i].next);
      hyb_params_unref (values);
    }
}

static void
test_nan (void)
{
  Values          *values = parse ("numbers", "(nan(3), -nan)", NULL);
  g_autofree char *text = hyb_param_to_string (&table[3], values);
  Values          *again = parse ("numbers", text, NULL);

  g_assert_true (hyb_params_equal (table, values, again));
  hyb_params_unref (values);
  hyb_params_unref (again);
}

static void
test_none (void)
{
  g_autoptr (GError) error = NULL;
  Values *values = parse ("optional", "None", &error);

  g_assert_no_error (error);
  g_assert_cmpint (values->optional, ==, HYB_NONE);
  hyb_params_unref (values);
}

static void
test_optional_boolean (void)
{
  static const struct
  {
    const char *text;
    gint64      number;
  } cases[] = { { "None", -1 }, { "False", 0 }, { "True", 1 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      Values *values = parse ("choice", cases[i].text, &error);

      g_assert_no_error (error);
      g_assert_cmpint (hyb_params_get_int (table, values, "choice", 7), ==, cases[i].number);
      hyb_params_unref (values);
    }
}

/* Long values are cut between two characters. */
static void
test_messages_are_utf8 (void)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < 100; i++)
    {
      g_autofree char *value = g_strdup_printf ("%sé€𝄞", text->str);
      g_autoptr (GError) error = NULL;

      g_assert_null (parse ("optional", value, &error));
      if (!g_utf8_validate (error->message, -1, NULL))
        g_error ("after %u bytes: %s", i, error->message);
      g_string_append_c (text, 'x');
    }
  g_assert_cmpint (hyb_prefix_length ("né", 1), ==, 1);
  g_assert_cmpint (hyb_prefix_length ("né", 2), ==, 1);
  g_assert_cmpint (hyb_prefix_length ("né", 3), ==, 3);
  g_assert_cmpint (hyb_prefix_length ("né", 4), ==, 3);
}

TEST_PROGRAM (test_param)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/op/param/every-nan-is-written-and-read-as-the-same", test_nan);
  g_test_add_func ("/engine/op/param/the-smallest-integer-is-no-number", test_smallest);
  g_test_add_func ("/engine/op/param/none-is-an-optional-integer", test_none);
  g_test_add_func ("/engine/op/param/messages-are-utf8", test_messages_are_utf8);
  g_test_add_func ("/engine/op/param/optional-booleans-are-read-as-numbers", test_optional_boolean);
  return g_test_run ();
}
