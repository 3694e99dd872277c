/* test-render.c — hscope render from outside: every format and option.
 *
 * Each test runs the program in a temporary folder with a small model.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/program.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/wait.h>

/* data → RNN (two layers of LSTM) → head */
static const char symbol[] =
    "{\"nodes\": [{\"op\": \"null\", \"name\": \"data\", \"inputs\": []},"
    "{\"op\": \"null\", \"name\": \"lstm_parameters\", \"inputs\": []},"
    "{\"op\": \"null\", \"name\": \"state\", \"inputs\": []},"
    "{\"op\": \"null\", \"name\": \"cell\", \"inputs\": []},"
    "{\"op\": \"RNN\", \"name\": \"lstm_rnn\", \"attrs\": {\"mode\": \"lstm\", \"num_layers\": "
    "\"2\","
    " \"state_size\": \"4\"}, \"inputs\": [[0,0,0],[1,0,0],[2,0,0],[3,0,0]]},"
    "{\"op\": \"tanh\", \"name\": \"net/squash\", \"inputs\": [[4,0,0]]},"
    "{\"op\": \"exp\", \"name\": \"net/grow\", \"inputs\": [[5,0,0]]}],"
    " \"arg_nodes\": [0,1,2,3], \"heads\": [[6,0,0]],"
    " \"attrs\": {\"mxnet_version\": [\"int\", 10901]}}";

typedef struct
{
  char *folder, *model, *out, *err;
  int   code;
} Fixture;

static char *
in_folder (const Fixture *fixture, const char *name)
{
  return g_build_filename (fixture->folder, name, NULL);
}

static void
set_up (Fixture *fixture, gconstpointer unused)
{
  fixture->folder = g_dir_make_tmp ("render-XXXXXX", NULL);
  fixture->model = in_folder (fixture, "net-symbol.json");
  g_assert_true (g_file_set_contents (fixture->model, symbol, -1, NULL));
}

static void
tear_down (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (GDir) dir = g_dir_open (fixture->folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)))
    {
      g_autofree char *path = in_folder (fixture, name);

      g_remove (path);
    }
  g_rmdir (fixture->folder);
  g_free (fixture->folder);
  g_free (fixture->model);
  g_free (fixture->out);
  g_free (fixture->err);
}

/* Runs hscope in the fixture's folder. */
static void
hscope (Fixture *fixture, const char *line)
{
  g_autofree char *whole = g_strconcat (HSCOPE " ", line, NULL);
  g_auto (GStrv) arguments = NULL;
  int status;

  g_clear_pointer (&fixture->out, g_free);
  g_clear_pointer (&fixture->err, g_free);
  g_assert_true (g_shell_parse_argv (whole, NULL, &arguments, NULL));
  g_assert_true (g_spawn_sync (fixture->folder, arguments, NULL, G_SPAWN_DEFAULT, NULL, NULL,
                               &fixture->out, &fixture->err, &status, NULL));
  fixture->code = WIFEXITED (status) ? WEXITSTATUS (status) : -1;
  if (fixture->code != 0)
    g_test_message ("hscope %s: %d: %s", line, fixture->code, fixture->err);
}

static GBytes *
contents (const Fixture *fixture, const char *name)
{
  g_autofree char *path = in_folder (fixture, name);
  char            *data = NULL;
  gsize            length = 0;

  g_assert_true (g_file_get_contents (path, &data, &length, NULL));
  return g_bytes_new_take (data, length);
}

/* TRUE if the file contains the text. */
static gboolean
contains (const Fixture *fixture, const char *name, const char *text)
{
  g_autoptr (GBytes) bytes = contents (fixture, name);

  return g_strstr_len (g_bytes_get_data (bytes, NULL), (gssize) g_bytes_get_size (bytes), text) !=
         NULL;
}

/* A number of the JSON on stdout. */
static gint64
number (const Fixture *fixture, const char *key)
{
  g_autofree char *quoted = g_strdup_printf ("\"%s\":", key);
  const char      *at = strstr (fixture->out, quoted);

  g_assert_nonnull (at);
  return g_ascii_strtoll (at + strlen (quoted), NULL, 10);
}

static void
test_every_format_repeats_its_bytes (Fixture *fixture, gconstpointer unused)
{
  static const struct
  {
    const char *ending, *start;
  } formats[] = {
    { "svg", "<svg" }, { "png", "\x89PNG" }, { "pdf", "%PDF" }, { "dot", "digraph" }
  };

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      g_autofree char *line =
          g_strdup_printf ("render net-symbol.json --output a.%s", formats[i].ending);
      g_autofree char *again =
          g_strdup_printf ("render net-symbol.json --output b.%s", formats[i].ending);
      g_autofree char *a = g_strconcat ("a.", formats[i].ending, NULL);
      g_autofree char *b = g_strconcat ("b.", formats[i].ending, NULL);
      g_autoptr (GBytes) first = NULL, second = NULL;

      hscope (fixture, line);
      g_assert_cmpint (fixture->code, ==, 0);
      hscope (fixture, again);
      first = contents (fixture, a);
      second = contents (fixture, b);
      g_assert_true (g_bytes_equal (first, second));
      g_assert_cmpint (memcmp (g_bytes_get_data (first, NULL), formats[i].start,
                               strlen (formats[i].start)),
                       ==, 0);
    }
}

static void
test_options_open_groups (Fixture *fixture, gconstpointer unused)
{
  gint64 closed;

  hscope (fixture, "render net-symbol.json --json --output a.svg");
  g_assert_cmpint (number (fixture, "nodes"), ==, 7);
  closed = number (fixture, "drawn");
  g_assert_false (contains (fixture, "a.svg", "forget gate"));
  hscope (fixture, "render net-symbol.json --json --output b.svg --expand 'lstm_rnn'");
  g_assert_cmpint (number (fixture, "nodes"), ==, 7);
  g_assert_cmpint (number (fixture, "drawn"), >, closed + 20);
  g_assert_true (contains (fixture, "b.svg", "forget gate"));
  hscope (fixture, "render net-symbol.json --json --output c.svg --depth 2");
  g_assert_true (contains (fixture, "c.svg", "forget gate"));
  hscope (fixture, "render net-symbol.json --json --output d.svg --fold none");
  g_assert_true (contains (fixture, "d.svg", "lstm_parameters"));
  hscope (fixture,
          "render net-symbol.json --json --output e.svg --shape data=9,2,3 --expand '*rnn*'");
  g_assert_true (contains (fixture, "e.svg", "lstm × 9"));
}

static void
test_themes_limits_and_layouts (Fixture *fixture, gconstpointer unused)
{
  static const char *const layouts[] = { "auto", "layers", "grid", "dot" };
  g_autoptr (GBytes) light = NULL, dark = NULL;

  hscope (fixture, "render net-symbol.json --output light.svg");
  hscope (fixture, "render net-symbol.json --output dark.svg --theme dark");
  light = contents (fixture, "light.svg");
  dark = contents (fixture, "dark.svg");
  g_assert_false (g_bytes_equal (light, dark));
  hscope (fixture, "render net-symbol.json --json --output small.png --max-pixels 5000");
  g_assert_cmpint (number (fixture, "width") * number (fixture, "height"), <=, 5000);
  g_assert_cmpint (number (fixture, "width"), >, 10);
  for (guint i = 0; i < G_N_ELEMENTS (layouts); i++)
    {
      g_autofree char *line =
          g_strdup_printf ("render net-symbol.json --output a.svg --layout %s", layouts[i]);

      hscope (fixture, line);
      g_assert_cmpint (fixture->code, ==, 0);
    }
}

static guint
count (const Fixture *fixture, const char *name, const char *text)
{
  g_autoptr (GBytes) bytes = contents (fixture, name);
  const char *at = g_bytes_get_data (bytes, NULL);
  const char *end = at + g_bytes_get_size (bytes);
  guint       n = 0;

  for (; (at = g_strstr_len (at, end - at, text)); at++)
    n++;
  return n;
}

static void
test_an_svg_names_its_font_once (Fixture *fixture, gconstpointer unused)
{
  hscope (fixture, "render net-symbol.json --output a.svg");
  g_assert_cmpuint (count (fixture, "a.svg", "DejaVu Sans"), ==, 1);
  g_assert_cmpuint (count (fixture, "a.svg", "sans-serif"), ==, 1);
  g_assert_cmpuint (count (fixture, "a.svg", "<text class"), >, 3);
}

/* Pictures are light unless another theme is asked for. */
static void
test_pictures_are_light (Fixture *fixture, gconstpointer unused)
{
  g_autoptr (GBytes) plain = NULL, light = NULL;

  hscope (fixture, "render net-symbol.json --output plain.svg");
  hscope (fixture, "render net-symbol.json --output light.svg --theme light");
  plain = contents (fixture, "plain.svg");
  light = contents (fixture, "light.svg");
  g_assert_true (g_bytes_equal (plain, light));
}

/* What is refused says why: the endings that exist, the least size of a picture. */
static void
test_refusals_say_why (Fixture *fixture, gconstpointer unused)
{
  hscope (fixture, "render net-symbol.json --output a.gif");
  g_assert_nonnull (strstr (fixture->err, ".svg, .png, .pdf, .dot"));
  hscope (fixture, "render net-symbol.json --output a.png --max-pixels 1");
  g_assert_nonnull (strstr (fixture->err, "less than 8 pixels"));
  g_assert_nonnull (strstr (fixture->err, "Allow more pixels"));
}

/* Graphviz is given at most 2000 boxes. */
static void
test_a_layout_that_gives_up_says_so (Fixture *fixture, gconstpointer unused)
{
  hscope (fixture,
          "render 'gallery:lstm-unrolled?length=200' --fold none --output a.svg --layout dot");
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->err, "--layout dot: "));
  g_assert_nonnull (strstr (fixture->err, "placed by “layers” instead"));
}

static void
test_wrong_usage_is_reported (Fixture *fixture, gconstpointer unused)
{
  static const struct
  {
    const char *line;
    int         code;
  } uses[] = {
    { "render net-symbol.json", 2 },
    { "render net-symbol.json --output a.gif", 2 },
    { "render net-symbol.json --output a.svg --theme plaid", 2 },
    { "render net-symbol.json --output a.svg --fold laundry", 2 },
    { "render net-symbol.json --output a.svg --layout spiral", 2 },
    { "render net-symbol.json --output a.png --max-pixels 1", 4 },
    { "render net-symbol.json --output a.svg --depth deep", 2 },
    { "render net-symbol.json --output a.svg --depth 1001", 2 },
    { "render net-symbol.json --output a.svg --heat share --overlay net-symbol.json", 2 },
    { "render missing.json --output a.svg", 3 },
    { "render net-symbol.json --output missing/a.svg", 3 },
    { "render net-symbol.json --output a.svg --overlay net-symbol.json", 3 },
    { "render net-symbol.json --output a.svg --overlay missing.hscope", 3 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (uses); i++)
    {
      hscope (fixture, uses[i].line);
      g_assert_cmpint (fixture->code, ==, uses[i].code);
      g_assert_cmpuint (strlen (fixture->err), >, 10);
    }
}

static void
test_a_capture_colours_the_picture (Fixture *fixture, gconstpointer unused)
{
  hscope (fixture,
          "profile net-symbol.json --shape data=5,2,3 --init uniform --repeat 3 --warmup 1 "
          "--capture net.hscope");
  g_assert_cmpint (fixture->code, ==, 0);
  hscope (fixture, "render net-symbol.json --output a.svg --overlay net.hscope");
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_true (contains (fixture, "a.svg", "self time"));
  g_assert_true (contains (fixture, "a.svg", "traced runs"));
  g_assert_true (contains (fixture, "a.svg", " %"));
}

static guint
n_drawn (Fixture *fixture, const char *line)
{
  const char *drawn;

  hscope (fixture, line);
  g_assert_cmpint (fixture->code, ==, 0);
  drawn = strstr (fixture->out, "\"drawn\":");
  g_assert_nonnull (drawn);
  return (guint) g_ascii_strtoull (drawn + strlen ("\"drawn\":"), NULL, 10);
}

static void
test_depth_and_globs_choose_what_is_open (Fixture *fixture, gconstpointer unused)
{
  guint all_closed = n_drawn (fixture, "render gallery:stacked --output a.svg --json --depth 0");
  guint one = n_drawn (fixture, "render gallery:stacked --output a.svg --json --depth 1");

  g_assert_cmpuint (all_closed, <, one);
  g_assert_cmpuint (n_drawn (fixture,
                             "render gallery:stacked --output a.svg --json --depth 1 --collapse *"),
                    ==, all_closed);
  hscope (fixture, "render gallery:stacked --output a.svg --collapse nothing*");
  g_assert_nonnull (strstr (fixture->err, "no group matches “nothing*”"));
}

static void
test_numbers_by_node_name_colour_the_picture (Fixture *fixture, gconstpointer unused)
{
  static const struct
  {
    const char *json;
    int         code;
    const char *in_picture, *message;
  } cases[] = {
    { "{\"net/squash\": 1.25, \"net/grow\": {\"value\": 2.5}}", 0, "2.5", "" },
    { "{\"net/squash\": -1.25}", 0, "-1.25", "" },
    { "{\"net/squash_output\": 7.75}", 0, "7.75", "" },
    { "{\"results\": {\"net/squash\": {\"value\": 3.5, \"bgColor\": \"red\"}}, \"thresholds\": []}",
      0, "3.5", "" },
    { "{\"net\": {\"results\": {\"net/squash\": {\"value\": 4.5}}}}", 0, "4.5", "" },
    { "{\"net\": {\"results\": {\"net/squash\": {\"value\": 4.5}}}, \"body\": {\"results\": "
      "{\"net/grow\": {\"value\": 8.5}, \"net/squash\": {\"value\": 9.5}}}}",
      0, "8.5", "" },
    { "{\"nodes\": []}", 3, NULL, "is a graph" },
    { "{\"net/squash\": 1, \"other\": 2}", 0, "1", "only 1 of its 2 nodes" },
    { "{\"net/squash\": 1, \"net/grow\": \"many\"}", 0, "1", "1 of its members were left out" },
    { "{\"other\": 2}", 2, NULL, "none of its 1 nodes" },
    { "{\"net/squash\": null}", 3, NULL, "no number" },
    { "{\"net/squash\": 1e999}", 3, NULL, "" },
    { "{\"net/squash\": ", 3, NULL, "" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = in_folder (fixture, "numbers.json");

      g_assert_true (g_file_set_contents (path, cases[i].json, -1, NULL));
      hscope (fixture, "render net-symbol.json --output a.svg --overlay numbers.json");
      g_test_message ("%s: %s", cases[i].json, fixture->err);
      g_assert_cmpint (fixture->code, ==, cases[i].code);
      g_assert_nonnull (strstr (fixture->err, cases[i].message));
      if (cases[i].code == 0)
        {
          g_assert_true (contains (fixture, "a.svg", "numbers.json"));
          g_assert_true (contains (fixture, "a.svg", cases[i].in_picture));
        }
    }
}

static void
test_what_was_done_differently_is_said (Fixture *fixture, gconstpointer unused)
{
  hscope (fixture, "render net-symbol.json --output a.png --scale 100");
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->err, "instead of 100"));
  hscope (fixture, "render net-symbol.json --output a.gif");
  g_assert_nonnull (strstr (fixture->err, "a.gif"));
}

/* The steps of the RNN are open in the file; its states are known but for the batch. */
static void
test_open_shapes_are_guessed (Fixture *fixture, gconstpointer unused)
{
  hscope (fixture, "render net-symbol.json --output a.dot --json");
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_nonnull (strstr (fixture->err, "data: 35,1,"));
  g_assert_nonnull (strstr (fixture->out, "\"guessed\": [\n"));
  g_assert_true (contains (fixture, "a.dot", "35×1×"));
  hscope (fixture, "render net-symbol.json --output a.dot --no-guess");
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_cmpstr (fixture->err, ==, "");
  g_assert_false (contains (fixture, "a.dot", "35×1×"));
}

#define ADD(path, function) g_test_add (path, Fixture, NULL, set_up, function, tear_down)

static void
test_fit_shapes_the_picture (Fixture *fixture, gconstpointer unused)
{
  GString *nodes =
      g_string_new ("{\"nodes\": [{\"op\": \"null\", \"name\": \"data\", \"inputs\": []}");
  gint64 width, height;

  hscope (fixture, "render net-symbol.json -o full.svg --json");
  height = number (fixture, "height");
  hscope (fixture, "render net-symbol.json -o brief.svg --detail brief --json");
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_cmpint (number (fixture, "height"), <, height);
  for (guint i = 0; i < 60; i++)
    g_string_append_printf (nodes,
                            ", {\"op\": \"softmax\", \"name\": \"s%u\", \"inputs\": [[%u,0,0]]}", i,
                            i);
  g_string_append (nodes, "], \"arg_nodes\": [0], \"heads\": [[60,0,0]]}");
  g_assert_true (g_file_set_contents (fixture->model, nodes->str, -1, NULL));
  g_string_free (nodes, TRUE);
  hscope (fixture, "render net-symbol.json -o a.svg --fold none --fit none --json");
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_cmpint (number (fixture, "height"), >, 10 * number (fixture, "width"));
  hscope (fixture, "render net-symbol.json -o b.svg --fold none --fit 1200x800 --json");
  g_assert_cmpint (fixture->code, ==, 0);
  width = number (fixture, "width");
  height = number (fixture, "height");
  g_assert_cmpint (width * 3, >, height);
  g_assert_cmpint (width, <, 3 * height);
  hscope (fixture, "render net-symbol.json -o c.svg --fold none --fit 300x2000 --json");
  g_assert_cmpint (number (fixture, "height"), >, height);
  hscope (fixture, "render net-symbol.json -o c.svg --detail some");
  g_assert_cmpint (fixture->code, ==, 2);
  hscope (fixture,
          "render net-symbol.json -o d.svg --fold none --fit none --direction right --json");
  g_assert_cmpint (fixture->code, ==, 0);
  g_assert_cmpint (number (fixture, "width"), >, 10 * number (fixture, "height"));
  hscope (fixture, "render net-symbol.json -o d.svg --direction up");
  g_assert_cmpint (fixture->code, ==, 2);
  g_assert_nonnull (strstr (fixture->err, "--direction up"));
  hscope (fixture, "render net-symbol.json -o c.svg --fit 500");
  g_assert_cmpint (fixture->code, ==, 2);
  g_assert_nonnull (strstr (fixture->err, "--fit 500: give the width and height"));
}

TEST_PROGRAM (test_render)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("/render/every-format-repeats-its-bytes", test_every_format_repeats_its_bytes);
  ADD ("/render/options-open-groups", test_options_open_groups);
  ADD ("/render/themes-limits-and-layouts", test_themes_limits_and_layouts);
  ADD ("/render/fit-shapes-the-picture", test_fit_shapes_the_picture);
  ADD ("/render/wrong-usage-is-reported", test_wrong_usage_is_reported);
  ADD ("/render/an-svg-names-its-font-once", test_an_svg_names_its_font_once);
  ADD ("/render/pictures-are-light", test_pictures_are_light);
  ADD ("/render/refusals-say-why", test_refusals_say_why);
  ADD ("/render/a-layout-that-gives-up-says-so", test_a_layout_that_gives_up_says_so);
  ADD ("/render/a-capture-colours-the-picture", test_a_capture_colours_the_picture);
  ADD ("/render/depth-and-globs-choose-what-is-open", test_depth_and_globs_choose_what_is_open);
  ADD ("/render/numbers-by-node-name-colour-the-picture",
       test_numbers_by_node_name_colour_the_picture);
  ADD ("/render/open-shapes-are-guessed", test_open_shapes_are_guessed);
  ADD ("/render/what-was-done-differently-is-said", test_what_was_done_differently_is_said);
  return g_test_run ();
}
