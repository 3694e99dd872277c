/* test-json-reader.c — parses JSON: values, limits, quirks, and errors with their places.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/formats/json-reader.h"

#include "engine/formats/json-text.h"
#include "tests/program.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static HybJson *
parse (const char *text, HybJsonTrouble *trouble, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));

  return hyb_json_parse (bytes, NULL, "x.json", trouble, error);
}

static void
assert_refused (const char *text, const char *code, guint line, const char *fact)
{
  HybJsonTrouble trouble;
  g_autoptr (GError) error = NULL;
  g_autoptr (HybJson) json = parse (text, &trouble, &error);

  g_assert_null (json);
  g_assert_cmpstr (trouble.code, ==, code);
  g_assert_cmpuint (trouble.line, ==, line);
  if (!strstr (error->message, fact))
    g_error ("“%s” says nothing of “%s”", error->message, fact);
}

static void
test_values (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HybJson) json =
      parse ("{\"a\": [1, -2.5e1, true, null],\n \"b\": {}, \"c\": \"x\"}", NULL, &error);
  HybJsonRef a;
  gint64     number;
  double     real;

  g_assert_no_error (error);
  a = hyb_json_find (json, 0, "a");
  g_assert_cmpuint (hyb_json_get_length (json, a), ==, 4);
  g_assert_true (hyb_json_get_int (json, a + 1, &number));
  g_assert_cmpint (number, ==, 1);
  g_assert_false (hyb_json_get_int (json, a + 2, &number));
  g_assert_true (hyb_json_get_double (json, a + 2, &real));
  g_assert_cmpfloat (real, ==, -25);
  g_assert_cmpint (hyb_json_get_kind (json, a + 3), ==, HYB_JSON_TRUE);
  g_assert_cmpint (hyb_json_get_kind (json, a + 4), ==, HYB_JSON_NULL);
  g_assert_cmpuint (hyb_json_get_length (json, hyb_json_find (json, 0, "b")), ==, 0);
  g_assert_cmpstr (hyb_json_get_string (json, hyb_json_find (json, 0, "c")), ==, "x");
  g_assert_cmpuint (hyb_json_find (json, 0, "d"), ==, HYB_JSON_NONE);
}

static void
test_lines_and_paths (void)
{
  g_autoptr (HybJson) json =
      parse ("{\n\"nodes\": [\n{}, {\"attrs\":\n{\"k\": \"v\"}}]}", NULL, NULL);
  HybJsonRef       attrs = hyb_json_find (json, hyb_json_find (json, 0, "nodes") + 2, "attrs");
  HybJsonRef       value = hyb_json_find (json, attrs, "k");
  g_autofree char *path = hyb_json_dup_path (json, value);

  g_assert_cmpuint (hyb_json_get_line (json, value), ==, 4);
  g_assert_cmpuint (hyb_json_get_line (json, 0), ==, 1);
  g_assert_cmpstr (path, ==, "$.nodes[1].attrs.k");
}

static void
test_escapes (void)
{
  g_autoptr (HybJson) json = parse ("[\"\\u00e4\\n\\\"\\\\\", \"\\ud83d\\ude00\", \"\\ud83d!\", "
                                    "\"a\\u0000b\", \"raw\ttab\"]",
                                    NULL, NULL);

  g_assert_cmpstr (hyb_json_get_string (json, 1), ==, "ä\n\"\\");
  g_assert_cmpstr (hyb_json_get_string (json, 2), ==, "😀");
  g_assert_cmpstr (hyb_json_get_string (json, 3), ==, "\xef\xbf\xbd!");
  g_assert_cmpstr (hyb_json_get_string (json, 4), ==,
                   "a\xef\xbf\xbd"
                   "b");
  g_assert_cmpuint (hyb_json_get_quirk (json, HYB_JSON_QUIRK_ESCAPE), ==, 1);
  g_assert_cmpuint (hyb_json_get_quirk (json, HYB_JSON_QUIRK_CONTROL), ==, 5);
}

static void
test_bad_bytes_become_question_marks (void)
{
  g_autoptr (HybJson) json = parse ("[\"gr\xf6\xdf"
                                    "e\"]",
                                    NULL, NULL);

  g_assert_cmpstr (hyb_json_get_string (json, 1), ==, "gr??e");
  g_assert_cmpuint (hyb_json_get_quirk (json, HYB_JSON_QUIRK_ENCODING), ==, 1);
}

static void
test_last_of_equal_keys_counts (void)
{
  g_autoptr (HybJson) json = parse ("{\"a\": 1, \"b\": 2, \"a\": 3}", NULL, NULL);
  gint64 number;

  g_assert_true (hyb_json_get_int (json, hyb_json_find (json, 0, "a"), &number));
  g_assert_cmpint (number, ==, 3);
  g_assert_cmpuint (hyb_json_get_quirk (json, HYB_JSON_QUIRK_DUPLICATE_KEY), !=, HYB_JSON_NONE);
}

/* A value may be equal to a key. */
static void
test_values_are_not_keys (void)
{
  g_autoptr (HybJson) json = parse ("{\"a\": \"b\", \"b\": \"c\", \"c\": \"a\"}", NULL, NULL);

  g_assert_cmpuint (hyb_json_get_quirk (json, HYB_JSON_QUIRK_DUPLICATE_KEY), ==, HYB_JSON_NONE);
}

static void
test_refusals (void)
{
  assert_refused ("[1, 2\n,]", "bad-json", 2, "value is expected");
  assert_refused ("[NaN]", "bad-json", 1, "NaN");
  assert_refused ("[-Infinity]", "bad-json", 1, "Infinity");
  assert_refused ("{\"a\" 1}", "bad-json", 1, "colon");
  assert_refused ("{a: 1}", "bad-json", 1, "key");
  assert_refused ("[1] x", "bad-json", 1, "follows the end");
  assert_refused ("[1}", "bad-json", 1, "]");
  assert_refused ("[\"\\x\"]", "bad-json", 1, "escape");
  assert_refused ("[1.]", "bad-json", 1, "number");
}

static void
test_other_files_are_named (void)
{
  assert_refused ("", "not-a-model", 0, "empty");
  assert_refused ("version https://git-lfs.github.com/spec/v1\n", "not-a-model", 0, "git-lfs");
  assert_refused ("<!DOCTYPE html>", "not-a-model", 0, "web page");
  assert_refused ("PK\3\4....", "not-a-model", 0, "zip");
  assert_refused ("\x08\x07\x12\x07pytorch", "not-a-model", 0, "ONNX");
}

static void
test_every_cut_is_noticed (void)
{
  const char *text = "{\"a\": [1, -2.5e1, true, null], \"b\": {\"c\": \"x\\u00e4\"}}";

  for (gsize n = 1; n < strlen (text); n++)
    {
      g_autofree char *cut = g_strndup (text, n);
      HybJsonTrouble   trouble;
      g_autoptr (HybJson) json = parse (cut, &trouble, NULL);

      g_assert_null (json);
    }
}

/* The mark that some editors write before a text, of which each byte is looked at only if it is there. */
static void
test_a_cut_mark_is_no_json (void)
{
  for (gsize n = 1; n < 3; n++)
    {
      g_autoptr (GBytes) bytes = g_bytes_new ("\xef\xbb\xbf", n);
      HybJsonTrouble trouble;
      g_autoptr (GError) error = NULL;

      g_assert_null (hyb_json_parse (bytes, NULL, "x.json", &trouble, &error));
      g_assert_nonnull (error);
    }
}

static void
test_limits (void)
{
  g_autofree char *deep = g_strnfill (100000, '[');
  HybJsonLimits    limits = { .size = 100, .depth = 10, .count = 5 };
  g_autoptr (GBytes) many = g_bytes_new_static ("[1,2,3,4,5,6]", 13);
  g_autoptr (GBytes) few = g_bytes_new_static ("[1,2,3,4]", 9);
  g_autoptr (HybJson) json = hyb_json_parse (few, &limits, "x", NULL, NULL);

  assert_refused (deep, "bad-json", 1, "in each other");
  g_assert_nonnull (json);
  g_assert_null (hyb_json_parse (many, &limits, "x", NULL, NULL));
  limits.size = 3;
  g_assert_null (hyb_json_parse (few, &limits, "x", NULL, NULL));
}

/* What lies behind the text must not be read: here it is a page that cannot be. */
static void
test_numbers_end_with_the_text (void)
{
  static const struct
  {
    const char *text;
    gsize       end;
  } cases[] = {
    { "12", 2 }, { "-", 0 },   { "-7", 2 },  { "1.", 0 },   { "1.5", 3 },    { "1e", 0 },
    { "1E", 0 }, { "1e+", 0 }, { "1e-", 0 }, { "1e+3", 4 }, { "2.5e-1", 6 }, { "1e5", 3 },
  };
  gsize page = (gsize) sysconf (_SC_PAGESIZE);
  char *pages = mmap (NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  g_assert_true (pages != MAP_FAILED);
  g_assert_cmpint (mprotect (pages + page, page, PROT_NONE), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      gsize length = strlen (cases[i].text);
      char *text = memcpy (pages + page - length, cases[i].text, length);

      g_assert_cmpuint (hyb_json_number_end (text, 0, length), ==, cases[i].end);
    }
  munmap (pages, 2 * page);
}

TEST_PROGRAM (test_json_reader)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/formats/json-reader/values", test_values);
  g_test_add_func ("/engine/formats/json-reader/lines-and-paths", test_lines_and_paths);
  g_test_add_func ("/engine/formats/json-reader/escapes", test_escapes);
  g_test_add_func ("/engine/formats/json-reader/bad-bytes-become-question-marks",
                   test_bad_bytes_become_question_marks);
  g_test_add_func ("/engine/formats/json-reader/last-of-equal-keys-counts",
                   test_last_of_equal_keys_counts);
  g_test_add_func ("/engine/formats/json-reader/values-are-not-keys", test_values_are_not_keys);
  g_test_add_func ("/engine/formats/json-reader/refusals", test_refusals);
  g_test_add_func ("/engine/formats/json-reader/other-files-are-named", test_other_files_are_named);
  g_test_add_func ("/engine/formats/json-reader/every-cut-is-noticed", test_every_cut_is_noticed);
  g_test_add_func ("/engine/formats/json-reader/a-cut-mark-is-no-json", test_a_cut_mark_is_no_json);
  g_test_add_func ("/engine/formats/json-reader/limits", test_limits);
  g_test_add_func ("/engine/formats/json-reader/numbers-end-with-the-text",
                   test_numbers_end_with_the_text);

  return g_test_run ();
}
