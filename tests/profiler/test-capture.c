/* test-capture.c — captures are read back as they were written, and damaged ones are refused or
 * read safely.
 *
 * Damage is random but always the same; everything that opens is read to the end.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/limits.h"
#include "engine/base/random.h"
#include "engine/base/remedy.h"
#include "engine/formats/mxnet-symbol.h"
#include "engine/graph/model.h"
#include "profiler/capture/capture-builder.h"
#include "profiler/capture/capture-format.h"
#include "profiler/exchange/report-text.h"
#include "profiler/exchange/write-trace.h"
#include "profiler/summary/steps.h"
#include "tests/profiler/profile-run.h"
#include "tests/program.h"

#include <cjson/cJSON.h>
#include <glib/gstdio.h>
#include <locale.h>
#include <math.h>
#include <string.h>

/* Reads everything that a capture holds. */
static void
read_all (const ProfCapture *capture)
{
  g_autoptr (ProfSummary) summary = prof_summary_new (capture);
  g_autoptr (GBytes) symbol = prof_capture_dup_symbol (capture, NULL);
  g_autofree char *text = prof_report_text (capture, summary);
  g_autofree char *chrome = prof_print_chrome (capture, 2000, NULL);
  g_autofree char *csv = prof_print_csv (capture, summary);

  for (guint i = 0; i < prof_capture_n_nodes (capture); i++)
    {
      guint          n;
      const guint32 *edges = prof_capture_get_edges (capture, i, &n);
      guint32        sum = 0;

      for (guint k = 0; k < n; k++)
        sum += edges[k];
      (void) sum;
    }
  g_assert_true (g_utf8_validate (text, -1, NULL));
}

/* More cells of nodes and runs than memory in proportion to the file allows: the first runs are summed. */
static void
test_many_runs (void)
{
  g_autoptr (ProfBuilder) builder = prof_builder_new ();
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (ProfCapture) capture = NULL;
  g_autoptr (ProfSummary) all = NULL;
  g_autoptr (ProfSummary) some = NULL;
  g_autoptr (ProfSummary) none = NULL;
  g_autofree char *of_all = NULL;
  g_autofree char *of_some = NULL;
  g_autofree char *of_none = NULL;

  prof_builder_add_graph (builder, "main", PROF_NONE, 0);
  for (guint i = 0; i < 100; i++)
    {
      prof_builder_add_node (builder, &(ProfNode){ .name = prof_builder_text (builder, "n") });
      prof_builder_add_event (builder, &(ProfEvent){ .node = i,
                                                     .packed = prof_event_pack (10, PROF_EVENT_NODE,
                                                                                0, 1, 0) });
    }
  for (guint i = 0; i < 1000; i++)
    prof_builder_add_event (builder, &(ProfEvent){ .run = (guint16) i,
                                                   .packed = prof_event_pack (1000, PROF_EVENT_RUN,
                                                                              0, 0, 0) });
  bytes = prof_builder_finish (builder);
  capture = prof_capture_new (bytes, "test", NULL);
  all = prof_summary_new (capture);
  g_assert_cmpuint (all->n_runs, ==, 1000);

  /* 100 rows of two numbers with 8 bytes; half of the limit is for them. */
  hyb_limits_set (2 * 100 * 16 * 10, 0);
  some = prof_summary_new (capture);
  hyb_limits_set (2 * 100 * 16 - 1, 0);
  none = prof_summary_new (capture);
  hyb_limits_set (0, 0);
  g_assert_cmpuint (some->n_runs, ==, 10);
  g_assert_cmpuint (none->n_runs, ==, 0);

  of_all = prof_summary_relation (all);
  of_some = prof_summary_relation (some);
  of_none = prof_summary_relation (none);
  g_assert_null (of_all); /* the capture has no clean runs */
  g_assert_cmpstr (of_some, ==,
                   "990 of 1000 traced runs are left out: their times would take more memory than "
                   "the "
                   "limit for a file of its size.");
  g_assert_true (g_str_has_prefix (of_none, "1000 of 1000 traced runs are left out: "));
}

/* Three operators, of which the last ran in the last of 100 steps only. */
static void
test_many_steps (void)
{
  g_autoptr (ProfBuilder) builder = prof_builder_new ();
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (ProfCapture) capture = NULL;
  g_autoptr (ProfStepMatrix) all = NULL;
  g_autoptr (ProfStepMatrix) some = NULL;
  static const char *const names[] = { "a_t0_x", "a_t1_x", "a_t99_x" };
  static const char *const types[] = { "relu", "exp", "tanh" };

  for (guint i = 0; i < 3; i++)
    {
      prof_builder_add_node (builder, &(ProfNode){ .name = prof_builder_text (builder, names[i]),
                                                   .type = prof_builder_text (builder, types[i]) });
      prof_builder_add_event (builder, &(ProfEvent){ .node = i,
                                                     .packed = prof_event_pack (10, PROF_EVENT_NODE,
                                                                                0, 1, 0) });
    }
  bytes = prof_builder_finish (builder);
  capture = prof_capture_new (bytes, "test", NULL);

  /* 300 cells of two numbers with 8 bytes; half of the limit is for them. */
  hyb_limits_set (2 * 300 * 16, 0);
  all = prof_step_matrix_new (capture, NULL);
  hyb_limits_set (2 * 300 * 16 - 1, 0);
  some = prof_step_matrix_new (capture, NULL);
  hyb_limits_set (0, 0);
  g_assert_cmpuint (all->rows->len, ==, 3);
  g_assert_cmpuint (all->n_steps, ==, 100);
  g_assert_cmpuint (some->rows->len, ==, 2);
  g_assert_cmpuint (some->n_steps, ==, 2);
}

static void
test_symbol_at_the_limit (void)
{
  g_autoptr (ProfBuilder) builder = prof_builder_new ();
  g_autofree char *text = g_strnfill (100000, ' ');
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GBytes) symbol = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (ProfCapture) capture = NULL;

  prof_builder_set_symbol (builder, text, 100000);
  bytes = prof_builder_finish (builder);
  capture = prof_capture_new (bytes, "test", NULL);
  hyb_limits_set (100000, 0);
  symbol = prof_capture_dup_symbol (capture, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_bytes_get_size (symbol), ==, 100000);
  hyb_limits_set (99999, 0);
  g_assert_null (prof_capture_dup_symbol (capture, &error));
  hyb_limits_set (0, 0);
  g_assert_cmpint (hyb_error_get_remedy (error), ==, HYB_REMEDY_MEMORY);
  g_assert_nonnull (strstr (error->message, "the model's graph: "));
}

/* A capture with one name, and perhaps another text that is not UTF-8. */
static void
assert_name (gsize length, gboolean is_damaged, gboolean is_shown)
{
  g_autoptr (ProfBuilder) builder = prof_builder_new ();
  g_autofree char *name = g_strnfill (length, 'a');
  g_autoptr (GByteArray) copy = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (ProfCapture) capture = NULL;
  ProfNode node = { .name = prof_builder_text (builder, name),
                    .type = prof_builder_text (builder, "zq") };
  guint8  *text;

  prof_builder_add_node (builder, &node);
  copy = g_bytes_unref_to_array (prof_builder_finish (builder));
  text = memmem (copy->data, copy->len, "zq", 3);
  g_assert_nonnull (text);
  if (is_damaged)
    *text = 0xff;
  bytes = g_bytes_new (copy->data, copy->len);
  capture = prof_capture_new (bytes, "test", NULL);
  g_assert_cmpstr (prof_capture_get_string (capture, node.name), ==, is_shown ? name : "");
  g_assert_cmpstr (prof_capture_get_string (capture, node.type), ==, is_damaged ? "" : "zq");
}

static void
test_long_names (void)
{
  assert_name ((1 << 14) - 1, FALSE, TRUE);
  assert_name (1 << 14, FALSE, FALSE);
  assert_name ((1 << 8) - 1, TRUE, TRUE);
  assert_name (1 << 8, TRUE, FALSE);
}

static void
test_survives_any_damage (void)
{
  g_autoptr (TestModel) model = test_model_foreach (5);
  g_autoptr (ProfCapture) capture = test_model_capture (model, HYB_MODE_STATIC, FALSE);
  gsize         size;
  gconstpointer data = g_bytes_get_data (prof_capture_get_bytes (capture), &size);
  guint64       at = 0;
  guint         n_opened = 0;

  for (guint round = 0; round < 600; round++)
    {
      guint8 *copy = g_memdup2 (data, size);
      gsize   length = size;
      g_autoptr (GBytes) bytes = NULL;
      g_autoptr (ProfCapture) damaged = NULL;

      for (guint hit = 0; hit < 1 + round % 16; hit++)
        {
          guint32 place = hyb_random_word (7, at++);
          /* Every second round damages only the header and the table of sections. */
          gsize where = place % (round % 2 ? size : 512);

          copy[where] = (guint8) hyb_random_word (7, at++);
        }
      if (round % 7 == 0)
        length = hyb_random_word (7, at++) % size;
      bytes = g_bytes_new_take (copy, length);
      damaged = prof_capture_new (bytes, "damaged", NULL);
      if (damaged)
        {
          read_all (damaged);
          n_opened++;
        }
    }
  g_assert_cmpuint (n_opened, >, 100);
}

/* --- Captures that were cut --- */

typedef struct
{
  const guint8      *data;
  gsize              size;
  const ProfSection *sections;
  guint              n_sections;
} WholeFile;

static WholeFile
whole_file (const ProfCapture *capture)
{
  WholeFile         file = { 0 };
  const ProfHeader *header;

  file.data = g_bytes_get_data (prof_capture_get_bytes (capture), &file.size);
  header = (const ProfHeader *) (gconstpointer) file.data;
  file.sections = (const ProfSection *) (gconstpointer) (header + 1);
  file.n_sections = header->n_sections;
  return file;
}

/* Entries of a section that are whole in the first size bytes of the file. */
static guint
count_before (const WholeFile *file, ProfSectionKind kind, gsize size)
{
  const ProfSection *section = &file->sections[kind];
  guint              n = 0;

  g_assert_cmpuint (section->kind, ==, kind);
  while (n < section->count && section->offset + (n + 1) * section->entry <= size)
    n++;
  return n;
}

static void
assert_cut_capture (const WholeFile *file, const ProfCapture *whole, gsize size)
{
  g_autofree guint8 *start = g_memdup2 (file->data, size); /* the sanitizer sees its end */
  g_autoptr (GBytes) bytes = g_bytes_new_static (start, size);
  g_autoptr (GError) error = NULL;
  g_autoptr (ProfCapture) cut = prof_capture_new (bytes, "cut", &error);
  const ProfSection *strings = &file->sections[PROF_SECTION_STRINGS];
  guint              n = count_before (file, PROF_SECTION_EVENTS, size);

  if (size <= strings->offset)
    {
      g_assert_null (cut);
      g_assert_nonnull (error);
      return;
    }
  g_assert_no_error (error);
  g_assert_nonnull (strstr (prof_capture_get_missing (cut), "the capture was cut"));
  g_assert_cmpuint (prof_capture_n_events (cut), ==, n);
  g_assert_cmpmem (prof_capture_get_events (cut), n * sizeof (ProfEvent),
                   prof_capture_get_events (whole), n * sizeof (ProfEvent));
  g_assert_cmpuint (prof_capture_n_nodes (cut), ==, count_before (file, PROF_SECTION_NODES, size));
  g_assert_cmpuint (prof_capture_n_graphs (cut), ==,
                    count_before (file, PROF_SECTION_GRAPHS, size));
  g_assert_cmpuint (prof_capture_n_samples (cut), ==,
                    count_before (file, PROF_SECTION_SAMPLES, size));
  g_assert_cmpuint (prof_capture_n_memory (cut), ==,
                    count_before (file, PROF_SECTION_MEMORY, size));
  if (prof_capture_n_nodes (cut) > 0)
    g_assert_cmpstr (prof_capture_get_string (cut, prof_capture_get_node (cut, 0)->name), ==,
                     prof_capture_get_string (whole, prof_capture_get_node (whole, 0)->name));
  if (n < prof_capture_n_events (whole))
    {
      g_autofree char *missing =
          g_strdup_printf ("%u of %u events", prof_capture_n_events (whole) - n,
                           prof_capture_n_events (whole));

      g_assert_nonnull (strstr (prof_capture_get_missing (cut), missing));
    }
  read_all (cut);
}

/* Cut around the borders of all sections, and everywhere else in steps. */
static void
test_cut_file_keeps_whole_entries (void)
{
  g_autoptr (TestModel) model = test_model_foreach (5);
  g_autoptr (ProfCapture) capture = test_model_capture (model, HYB_MODE_STATIC, FALSE);
  WholeFile file = whole_file (capture);

  g_assert_null (prof_capture_get_missing (capture));
  for (guint i = 0; i < file.n_sections; i++)
    {
      const ProfSection *section = &file.sections[i];
      gsize              end = section->offset + section->count * section->entry;

      /* The last section may be empty, and then begins at the end of the file. */
      for (gsize size = section->offset - 1; size <= MIN (section->offset + 1, file.size - 1);
           size++)
        assert_cut_capture (&file, capture, size);
      for (gsize size = end - 1; size <= MIN (end + 1, file.size - 1); size++)
        assert_cut_capture (&file, capture, size);
    }
  for (gsize size = 0; size < file.size; size += 37)
    assert_cut_capture (&file, capture, size);
  assert_cut_capture (&file, capture, file.size - 1);
}

static void
test_cut_symbol_is_refused (void)
{
  g_autoptr (TestModel) model = test_model_foreach (5);
  g_autoptr (ProfCapture) capture = test_model_capture (model, HYB_MODE_STATIC, FALSE);
  WholeFile          file = whole_file (capture);
  const ProfSection *symbol = &file.sections[PROF_SECTION_SYMBOL];
  g_autoptr (GBytes) bytes = g_bytes_new (file.data, symbol->offset + symbol->count - 1);
  g_autoptr (ProfCapture) cut = prof_capture_new (bytes, "cut", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_null (prof_capture_dup_symbol (cut, &error));
  g_assert_error (error, PROF_ERROR, PROF_ERROR_DAMAGED);
  g_assert_nonnull (strstr (error->message, "bytes of the model's graph as a file"));
}

static void
test_written_file_is_read_back (void)
{
  g_autoptr (TestModel) model = test_model_unrolled (4, 8, 2);
  g_autoptr (ProfCapture) capture = test_model_capture (model, HYB_MODE_STATIC, FALSE);
  g_autofree char *folder = g_dir_make_tmp ("prof-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "a.hscope", NULL);
  g_autoptr (ProfCapture) again = NULL;
  g_autoptr (HybModel) read = hyb_model_new ();
  g_autoptr (GBytes) symbol = NULL;
  g_autoptr (GError) error = NULL;
  guint              n, n_again;
  g_autofree double *samples = NULL, *samples_again = NULL;

  g_assert_true (prof_capture_write (capture, path, &error));
  again = prof_capture_open (path, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (prof_capture_get_text (again, "mode"), ==, "static");
  g_assert_cmpuint (prof_capture_n_nodes (again), ==, prof_capture_n_nodes (capture));
  samples = prof_capture_dup_samples (capture, PROF_SAMPLE_CLEAN, &n);
  samples_again = prof_capture_dup_samples (again, PROF_SAMPLE_CLEAN, &n_again);
  g_assert_cmpmem (samples, n * sizeof *samples, samples_again, n_again * sizeof *samples);
  g_assert_cmpuint (n, ==, 5);

  symbol = prof_capture_dup_symbol (again, &error);
  g_assert_no_error (error);
  g_assert_true (hyb_symbol_read (read, symbol, "capture", &error));
  g_assert_cmpuint (hyb_graph_n_nodes (hyb_model_get_graph (read)), ==,
                    hyb_graph_n_nodes (model->graph));
  g_unlink (path);
  g_rmdir (folder);
}

/* The graph is stored once, and events take at most 40 bytes per node and run. */
static void
test_size_of_a_large_capture (void)
{
  g_autoptr (TestModel) small = test_model_unrolled (250, 4, 1);
  g_autoptr (ProfSubject) subject = test_model_subject (small, HYB_MODE_STATIC, FALSE);
  gsize sizes[2];

  for (guint i = 0; i < 2; i++)
    {
      ProfMeasureOptions options = {
        .warmup = 1, .repeat = 2, .traced = 5 + 10 * i, .seconds = 60
      };
      ProfSeries series;
      g_autoptr (ProfCapture) capture = NULL;

      prof_series_init (&series);
      g_assert_true (prof_measure (&subject, 1, &series, &options, NULL));
      capture = prof_capture_measurement (subject, &series, NULL, NULL);
      sizes[i] = g_bytes_get_size (prof_capture_get_bytes (capture));
      prof_series_clear (&series);
    }
  g_assert_cmpuint (sizes[1] - sizes[0], <=, 10 * 40 * (1 + 4 * 250));
}

static void
test_refusals_say_why (void)
{
  g_autoptr (GBytes) text = g_bytes_new_static ("{\"nodes\": []}", 13);
  g_autoptr (GBytes) nothing = g_bytes_new_static ("", 0);
  g_autoptr (GError) error = NULL;

  g_assert_null (prof_capture_new (text, "a.json", &error));
  g_assert_error (error, PROF_ERROR, PROF_ERROR_NOT_A_CAPTURE);
  g_assert_nonnull (strstr (error->message, "a.json: this is not a capture"));
  g_clear_error (&error);
  g_assert_null (prof_capture_new (nothing, "empty", &error));
  g_assert_error (error, PROF_ERROR, PROF_ERROR_NOT_A_CAPTURE);
}

/* The text is valid JSON, events are in order, and complete events are nested or disjoint. */
static void
check_chrome (const char *text)
{
  cJSON       *root = cJSON_Parse (text);
  const cJSON *event;
  double       last = -1, end[64];
  guint        depth = 0, n = 0;

  g_assert_nonnull (root);
  cJSON_ArrayForEach (event, cJSON_GetObjectItem (root, "traceEvents"))
  {
    double ts = cJSON_GetObjectItem (event, "ts")->valuedouble;
    double stop;

    if (strcmp (cJSON_GetObjectItem (event, "ph")->valuestring, "X") != 0)
      continue;
    g_assert_nonnull (cJSON_GetObjectItem (event, "cat"));
    stop = ts + cJSON_GetObjectItem (event, "dur")->valuedouble;
    g_assert_cmpfloat (ts, >=, last);
    last = ts;
    while (depth > 0 && end[depth - 1] <= ts + 1e-6)
      depth--;
    if (depth > 0)
      g_assert_cmpfloat (stop, <=, end[depth - 1] + 1e-6);
    g_assert_cmpuint (depth, <, G_N_ELEMENTS (end));
    end[depth++] = stop;
    n++;
  }
  g_assert_cmpuint (n, >, 5);
  cJSON_Delete (root);
}

static void
test_chrome_nests_and_is_sorted (void)
{
  g_autoptr (TestModel) model = test_model_foreach (6);
  static const HybMode modes[] = { HYB_MODE_STATIC, HYB_MODE_IMPERATIVE };

  for (guint m = 0; m < G_N_ELEMENTS (modes); m++)
    {
      g_autoptr (ProfCapture) capture = test_model_capture (model, modes[m], TRUE);
      g_autofree char *text = prof_print_chrome (capture, 0, NULL);
      g_autofree char *german = NULL;

      check_chrome (text);
      if (setlocale (LC_NUMERIC, "de_DE.UTF-8"))
        {
          german = prof_print_chrome (capture, 0, NULL);
          setlocale (LC_NUMERIC, "C");
          g_assert_cmpstr (text, ==, german);
        }
    }
}

static void
test_csv_quotes_fields_with_commas (void)
{
  g_autoptr (TestModel) model = test_model_unrolled (2, 4, 1);
  g_autoptr (ProfCapture) capture = test_model_capture (model, HYB_MODE_STATIC, FALSE);
  g_autoptr (ProfSummary) summary = prof_summary_new (capture);
  g_autofree char *csv = prof_print_csv (capture, summary);
  g_auto (GStrv) lines = g_strsplit (csv, "\n", -1);

  g_assert_cmpuint (g_strv_length (lines), >=, 1 + 8 + 1);
  g_assert_nonnull (strstr (csv, "\"float32 (1, 4)\""));
}

static void
test_names_are_parsed (void)
{
  static const struct
  {
    const char *name;
    guint32     step;
    const char *folded, *scope;
  } names[] = {
    { "net0_lstm0_t12_i2h", 12, "net0_lstm0_t*_i2h", "net0_lstm0" },
    { "lstm_t0_out", 0, "lstm_t*_out", "lstm" },
    { "dense_t3", PROF_NONE, "dense_t3", "dense" },
    { "net_test_t5x_t7_a", 7, "net_test_t5x_t*_a", "net_test_t5x" },
    { "fc1", PROF_NONE, "fc1", "" },
    { "_t99999999999_a", PROF_NONE, "_t99999999999_a", "_t99999999999" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (ProfBuilder) builder = prof_builder_new ();
      ProfNode        node = { .name = prof_builder_text (builder, names[i].name) };
      const ProfNode *got = prof_builder_get_node (builder, prof_builder_add_node (builder, &node));

      g_assert_cmpuint (got->step, ==, names[i].step);
      g_assert_cmpstr (prof_builder_get_text (builder, got->folded), ==, names[i].folded);
      g_assert_cmpstr (prof_builder_get_text (builder, got->scope), ==, names[i].scope);
    }
}

TEST_PROGRAM (test_capture)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/profiler/capture/sums-as-many-runs-as-the-limit-allows", test_many_runs);
  g_test_add_func ("/profiler/capture/steps-are-bounded-by-the-limit", test_many_steps);
  g_test_add_func ("/profiler/capture/symbol-is-unpacked-up-to-the-limit",
                   test_symbol_at_the_limit);
  g_test_add_func ("/profiler/capture/long-names-are-left-out", test_long_names);
  g_test_add_func ("/profiler/capture/survives-any-damage", test_survives_any_damage);
  g_test_add_func ("/profiler/capture/cut-file-keeps-whole-entries",
                   test_cut_file_keeps_whole_entries);
  g_test_add_func ("/profiler/capture/cut-symbol-is-refused", test_cut_symbol_is_refused);
  g_test_add_func ("/profiler/capture/written-file-is-read-back", test_written_file_is_read_back);
  g_test_add_func ("/profiler/capture/size-of-a-large-capture", test_size_of_a_large_capture);
  g_test_add_func ("/profiler/capture/refusals-say-why", test_refusals_say_why);
  g_test_add_func ("/profiler/capture/chrome-nests-and-is-sorted", test_chrome_nests_and_is_sorted);
  g_test_add_func ("/profiler/capture/csv-quotes-fields-with-commas",
                   test_csv_quotes_fields_with_commas);
  g_test_add_func ("/profiler/capture/names-are-parsed", test_names_are_parsed);
  return g_test_run ();
}
