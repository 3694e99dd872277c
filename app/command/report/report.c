/* report.c — hscope report: shows captures as text, HTML, SVG or PDF.
 *
 * With several captures, each later one is also compared with the first.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/describe/describe-capture.h"
#include "app/command/frame/command.h"
#include "app/command/frame/open-model.h"
#include "app/command/frame/said-text.h"
#include "app/command/report/report-sections.h"
#include "app/command/report/report-sweep.h"
#include "app/command/sweep/sweep-results.h"

#include "engine/base/one-line.h"
#include "profiler/exchange/report-text.h"

#include <stdio.h>
#include <string.h>

typedef struct
{
  gboolean html, svg;
  char    *output, *rows, *columns;
} ReportOptions;

static GPtrArray *
open_captures (char **files, GError **error)
{
  g_autoptr (GPtrArray) captures =
      g_ptr_array_new_with_free_func ((GDestroyNotify) prof_capture_unref);

  for (guint i = 0; files[i]; i++)
    {
      ProfCapture *capture = scope_open_capture (files[i], error);

      if (!capture)
        return NULL;
      g_ptr_array_add (captures, capture);
    }
  return g_steal_pointer (&captures);
}

static void
print_text (const GPtrArray *captures)
{
  g_autoptr (ScopeSaid) said = scope_said_new ();

  for (guint i = 0; i < captures->len; i++)
    {
      g_autoptr (ProfSummary) summary = prof_summary_new (captures->pdata[i]);
      g_autofree char *text = prof_report_text (captures->pdata[i], summary);

      printf ("%s%s\n", i > 0 ? "\n" : "",
              hyb_one_line (prof_capture_get_file (captures->pdata[i])));
      fputs (text, stdout);
    }
  for (guint i = 1; i < captures->len; i++)
    scope_say_differences (said, captures->pdata[0], captures->pdata[i]);
  scope_said_print (said);
}

static void
print_json (const GPtrArray *captures)
{
  g_autoptr (ScopeJson) json = scope_json_new ();

  scope_json_begin_list (json, "captures");
  for (guint i = 0; i < captures->len; i++)
    {
      g_autoptr (ProfSummary) summary = prof_summary_new (captures->pdata[i]);

      scope_json_begin_object (json, NULL);
      scope_json_string (json, "file", prof_capture_get_file (captures->pdata[i]));
      scope_describe_capture (json, captures->pdata[i], summary);
      scope_json_end (json);
    }
  scope_json_end (json);
  scope_json_print (json);
}

static ScopeReportPage *
make_page (const GPtrArray *captures)
{
  const char      *subject = prof_capture_get_text (captures->pdata[0], "subject");
  g_autofree char *title =
      g_strdup_printf ("%s, measured by Hybridscope", subject ? subject : "A model");
  g_autoptr (ScopeSaid) said = scope_said_new ();
  ScopeReportPage *page = scope_report_page_new (title);

  /* Differences come first. */
  for (guint i = 1; i < captures->len; i++)
    scope_say_differences (said, captures->pdata[0], captures->pdata[i]);
  for (guint i = 0; i < captures->len; i++)
    {
      g_autofree char *name = g_path_get_basename (prof_capture_get_file (captures->pdata[i]));

      if (captures->len > 1)
        scope_said_heading (said, name, NULL);
      scope_say_capture (said, captures->pdata[i]);
    }
  scope_report_page_add_said (page, said);
  return page;
}

/* The output file: of --output or, with --html or --svg, the last argument if its name ends in
 * .html or .svg.  (transfer full); NULL: stdout. */
static char *
dup_output_file (const ReportOptions *options, char **files)
{
  guint n = g_strv_length (files);

  if (options->output)
    return g_strdup (options->output);
  if (n < 2 || !(options->html || options->svg))
    return NULL;
  if (!g_str_has_suffix (files[n - 1], ".html") && !g_str_has_suffix (files[n - 1], ".svg"))
    return NULL;
  return g_strdup (files[n - 1]);
}

/* The folder of a sweep has no captures to describe one by one. */
static int
report_sweep (const ScopeCommonOptions *common,
              const ReportOptions      *options,
              const char               *folder,
              const char               *output,
              GError                  **error)
{
  ScopeSweepReport report = { .folder = folder,
                              .output = output,
                              .rows = options->rows,
                              .columns = options->columns,
                              .is_html = options->html,
                              .is_json = common->json };

  if (options->svg ||
      (output && !g_str_has_suffix (output, ".csv") && !g_str_has_suffix (output, ".sqlite") &&
       !g_str_has_suffix (output, ".html") && !g_str_has_suffix (output, ".htm")))
    {
      scope_usage_error (error,
                         "the report of a sweep has tables only: name it .html, .csv or .sqlite");
      return SCOPE_EXIT_FAILED;
    }
  return scope_report_sweep (&report, error) ? SCOPE_EXIT_DONE : SCOPE_EXIT_FAILED;
}

static int
run_report (const ScopeCommonOptions *common, gpointer data, char **files, GError **error)
{
  const ReportOptions *options = data;
  g_autofree char     *output = dup_output_file (options, files);
  g_autofree char    **names = g_memdup2 (files, (g_strv_length (files) + 1) * sizeof *files);
  guint                n = g_strv_length (files);
  g_autoptr (GPtrArray) captures = NULL;
  g_autoptr (ScopeReportPage) page = NULL;
  g_autofree char *text = NULL;

  if (output && !options->output)
    names[n - 1] = NULL;
  if (names[0] && !names[1] && scope_is_sweep (names[0]))
    return report_sweep (common, options, names[0], output, error);
  if (options->rows || options->columns)
    {
      scope_usage_error (error, "--%s chooses an axis of a sweep, and there is none here",
                         options->rows ? "rows" : "columns");
      return SCOPE_EXIT_FAILED;
    }
  if (output && (g_str_has_suffix (output, ".csv") || g_str_has_suffix (output, ".sqlite")))
    {
      scope_usage_error (error, "only the report of a sweep is a table: name this one .html, .svg "
                                "or .pdf");
      return SCOPE_EXIT_FAILED;
    }
  if (!(captures = open_captures (names, error)))
    return SCOPE_EXIT_FAILED;
  if (common->json)
    print_json (captures);
  else if (!options->html && !options->svg && !output)
    print_text (captures);
  else
    {
      page = make_page (captures);
      if (output)
        return scope_report_page_write (page, output, error) ? SCOPE_EXIT_DONE : SCOPE_EXIT_FAILED;
      text =
          options->svg ? scope_report_page_print_svg (page) : scope_report_page_print_html (page);
      fputs (text, stdout);
    }
  return SCOPE_EXIT_DONE;
}

static const GOptionEntry report_options[] = {
  { SCOPE_OPTION (ReportOptions, NONE, "html", html), "Write one self-contained HTML file", NULL },
  { SCOPE_OPTION (ReportOptions, NONE, "svg", svg), "Write the charts as one SVG", NULL },
  { "output", 'o', 0, G_OPTION_ARG_FILENAME, SCOPE_OPTION_FIELD (ReportOptions, output),
    "Output file: .html, .svg or .pdf; of a sweep .html, .csv or .sqlite (default: stdout)",
    "FILE" },
  { SCOPE_OPTION (ReportOptions, STRING, "rows", rows),
    "Of a sweep: the axis of the rows, as batch or models (default: the longest)", "AXIS" },
  { SCOPE_OPTION (ReportOptions, STRING, "columns", columns),
    "Of a sweep: the axis of the columns (default: variants)", "AXIS" },
  { 0 },
};

static const char *const examples[] = {
  "hscope profile gallery:lenet --repeat 5 --capture a.hscope && hscope report a.hscope",
  "hscope report a.hscope --output a.html",
  NULL,
};

static const ScopeOutput outputs[] = {
  { "output", ".html", ".html .htm .svg .pdf .csv .sqlite" },
  { 0 },
};

const ScopeCommand scope_command_report = {
  .name = "report",
  .arguments = "CAPTURE… [FILE.html] | SWEEP",
  .summary = "Show the contents of captures, or the results of a sweep, as text, HTML or SVG",
  .n_files = { 1, 32 },
  .examples = examples,
  .outputs = outputs,
  .options = report_options,
  .options_size = sizeof (ReportOptions),
  .writes_last_file = TRUE,
  .run = run_report,
};
