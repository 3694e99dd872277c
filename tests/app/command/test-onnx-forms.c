/* test-onnx-forms.c — hscope convert writes every file of tests/data/onnx-forms in every form.
 *
 * Each conversion is proved before it is written.  The last form is written from the fused file: foreach, unrolled, and
 * fused again.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/hscope-fixture.h"
#include "tests/program.h"

#include <string.h>

#define FORMS SOURCE_ROOT "/tests/data/onnx-forms/"

/* Forms, and the operators of which one shows that a file has the form; NULL: it has no loop and no layer. */
static const struct
{
  const char *form, *operators[4];
} forms[] = {
  { "unrolled", { NULL } },
  { "foreach", { "Scan", NULL } },
  { "while", { "Loop", NULL } },
  { "fused", { "LSTM", "GRU", "RNN", NULL } },
};

static int
count_operators (const cJSON *json, const char *const *names)
{
  int n = 0;

  for (; *names; names++)
    {
      const cJSON *count =
          cJSON_GetObjectItemCaseSensitive (cJSON_GetObjectItem (json, "operators"), *names);

      n += count ? count->valueint : 0;
    }
  return n;
}

/* A file whose number of steps is open needs one to be unrolled. */
static const char *
length_option (const char *file)
{
  return strstr (file, "-length.onnx") ? "--length 5" : "";
}

static void
check_file (Fixture *fixture, guint form)
{
  static const char *const loops[] = { "LSTM", "GRU", "RNN", "Scan", "Loop", NULL };
  g_autoptr (cJSON) json = NULL;
  int wanted;

  fixture_run_line (fixture, "hscope info --json out.onnx; s=$?; exit $s");
  g_assert_cmpint (fixture->code, ==, 0);
  json = parse_output (fixture);
  wanted = count_operators (json, forms[form].operators);
  if (forms[form].operators[0])
    g_assert_cmpint (wanted, >, 0);
  g_assert_cmpint (count_operators (json, loops), ==, wanted);
}

static void
test_file_in_all_forms (Fixture *fixture, gconstpointer data)
{
  const char *file = data;

  for (guint form = 0; form < G_N_ELEMENTS (forms); form++)
    {
      g_autofree char *line =
          g_strdup_printf ("hscope convert " FORMS "%s %s --to %s --output out.onnx >log 2>&1",
                           file, form == 0 ? length_option (file) : "", forms[form].form);

      g_test_message ("%s", line);
      fixture_run_line (fixture, line);
      g_assert_cmpint (fixture->code, ==, 0);
      check_file (fixture, form);
    }
  fixture_run_line (fixture, "rm -f *.onnx log");
}

static void
test_fused_file_comes_back (Fixture *fixture, gconstpointer data)
{
  const char      *file = data;
  g_autofree char *line =
      g_strdup_printf ("hscope convert " FORMS "%s --to fused --output a.onnx >log 2>&1 && "
                       "hscope convert a.onnx --to foreach --output b.onnx >log 2>&1 && "
                       "hscope convert b.onnx %s --to unrolled --output c.onnx >log 2>&1 && "
                       "hscope convert c.onnx --to fused --output out.onnx >log 2>&1",
                       file, length_option (file));

  fixture_run_line (fixture, line);
  g_assert_cmpint (fixture->code, ==, 0);
  check_file (fixture, G_N_ELEMENTS (forms) - 1);
  fixture_run_line (fixture, "rm -f *.onnx log");
}

TEST_PROGRAM (test_onnx_forms)
{
  g_autoptr (GDir) folder = g_dir_open (FORMS, 0, NULL);
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (g_free);
  const char *name;

  g_test_init (&argc, &argv, NULL);
  while (folder && (name = g_dir_read_name (folder)))
    if (g_str_has_suffix (name, ".onnx"))
      g_ptr_array_add (files, g_strdup (name));
  for (guint i = 0; i < files->len; i++)
    {
      g_autofree char *all =
          g_strconcat ("/app/command/onnx-forms/every-form/", files->pdata[i], NULL);
      g_autofree char *back =
          g_strconcat ("/app/command/onnx-forms/there-and-back/", files->pdata[i], NULL);

      g_test_add (all, Fixture, files->pdata[i], fixture_set_up, test_file_in_all_forms,
                  fixture_tear_down);
      g_test_add (back, Fixture, files->pdata[i], fixture_set_up, test_fused_file_comes_back,
                  fixture_tear_down);
    }
  g_assert_cmpuint (files->len, >, 0);
  return g_test_run ();
}
