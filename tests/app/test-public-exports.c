/* test-public-exports.c — public exports without any option: profile, compare, convert and render guess what is
 * open.
 *
 * Options only shorten the measurements; nothing timed is asserted.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hscope-fixture.h"
#include "tests/app/public-exports.h"
#include "tests/program.h"

#include <string.h>

#define SHORT "--repeat 1 --json"
#define NONE  "no recurrent cell, loop or fused operator was found"

/* "data 1,3,224,224; label 1" of the document.  (transfer full) */
static char *
print_guesses (const cJSON *json)
{
  GString     *text = g_string_new (NULL);
  const cJSON *guess, *dim;

  cJSON_ArrayForEach (guess, cJSON_GetObjectItem (json, "guessed"))
  {
    const char *separator = " ";

    g_string_append_printf (text, "%s%s", text->len > 0 ? "; " : "",
                            cJSON_GetObjectItem (guess, "name")->valuestring);
    g_assert_true (cJSON_IsString (cJSON_GetObjectItem (guess, "reason")));
    cJSON_ArrayForEach (dim, cJSON_GetObjectItem (guess, "shape"))
    {
      g_string_append_printf (text, "%s%d", separator, dim->valueint);
      separator = ",";
    }
  }
  return g_string_free (text, FALSE);
}

static void
run (Fixture *fixture, const char *command, const char *file, const char *options)
{
  g_autofree char *line = g_strdup_printf ("hscope %s '%s' %s", command, file, options);

  fixture_run_line (fixture, line);
}

static void
check_run (Fixture *fixture, const PublicExport *export, const char *file)
{
  static const char *const lines[][2] = {
    { "profile", "--warmup 0 --traced 1 " SHORT },
    { "compare", "--no-ladder " SHORT },
  };

  for (guint i = 0; i < G_N_ELEMENTS (lines); i++)
    {
      g_autoptr (cJSON) json = NULL;
      g_autofree char *guessed = NULL;

      run (fixture, lines[i][0], file, lines[i][1]);
      g_assert_cmpint (fixture->code, ==, export->not_run ? 4 : 0);
      json = parse_output (fixture);
      if (export->not_run)
        {
          g_assert_nonnull (strstr (fixture->out, export->not_run));
          continue;
        }
      guessed = print_guesses (json);
      if (i == 0)
        g_assert_cmpstr (guessed, ==, export->guess);
      else
        g_assert_cmpint (cJSON_GetArraySize (cJSON_GetObjectItem (json, "cells")), ==, 1);
    }
}

/* A picture needs no run, so that every export has one, with the same guesses. */
static void
check_picture (Fixture *fixture, const PublicExport *export, const char *file)
{
  g_autoptr (cJSON) json = NULL;
  g_autofree char *guessed = NULL;

  run (fixture, "render", file, "--output net.svg --json");
  g_assert_cmpint (fixture->code, ==, 0);
  json = parse_output (fixture);
  guessed = print_guesses (json);
  g_assert_cmpstr (guessed, ==, export->guess);
}

static void
test_export (Fixture *fixture, gconstpointer data)
{
  const PublicExport *export = data;
  g_autofree char *file = public_export_path (export);
  g_autofree char *options =
      g_strdup_printf ("--to %s --output converted", export->to ? export->to : "fused");

  if (!file)
    return;
  run (fixture, "convert", file, options);
  g_assert_cmpint (fixture->code, ==, export->to ? 0 : 4);
  if (export->to)
    g_assert_nonnull (strstr (fixture->out, "wrote converted-symbol.json"));
  else
    g_assert_nonnull (strstr (fixture->err, NONE));
  check_picture (fixture, export, file);
  if (!export->is_heavy || g_test_slow ())
    check_run (fixture, export, file);
}

static void
test_right_guesses (void)
{
  guint n_right = 0;

  for (guint i = 0; i < N_PUBLIC_EXPORTS; i++)
    n_right += !public_exports[i].used;
  g_assert_cmpuint (n_right, >=, 17);
}

TEST_PROGRAM (test_public_exports)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/public-exports/most-guesses-are-right", test_right_guesses);
  for (guint i = 0; i < N_PUBLIC_EXPORTS; i++)
    {
      const PublicExport *export = &public_exports[i];
      g_autofree char *path = g_strconcat ("/public-exports/", export->file, NULL);

      g_test_add (path, Fixture, export, fixture_set_up, test_export, fixture_tear_down);
    }
  return g_test_run ();
}
