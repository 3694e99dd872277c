/* node-view-run.c — the summary of a measurement at the top of the side pane, when nothing is selected.
 *
 * Start reading at scope_node_view_show_run().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/views/node-view-private.h"

#include "profiler/base/format.h"
#include "profiler/summary/clean-samples.h"

#include <glib/gi18n.h>
#include <math.h>

/* --- How long --- */

/* “1.67 ms ± 3.6 %” */
static char *
describe_median (const ProfInterval *median)
{
  g_autofree char *time = prof_format_seconds (median->median);
  double           percent = 50 * (median->high - median->low) / median->median;

  return prof_interval_is_known (median)
             ? g_strdup_printf (percent < 10 ? _ ("%s ± %.2g %%") : _ ("%s ± %.0f %%"), time,
                                percent)
             : g_steal_pointer (&time);
}

/* Returns the seconds of a run; NaN if the measurement has none. */
static double
add_length (ScopeSheet *sheet, const ProfCapture *capture, const ProfSummary *summary)
{
  guint            n;
  ProfDisturbance  disturbance;
  ProfInterval     median = prof_clean_median (capture);
  g_autofree char *title = NULL;
  g_autofree char *subtitle = NULL;

  g_free (prof_capture_dup_undisturbed (capture, &n, &disturbance));
  if (n == 0)
    {
      g_autofree char *traced = prof_format_seconds (summary->traced);

      scope_sheet_add_title (sheet, traced, _ ("a traced run; there are no others"));
      return summary->traced;
    }
  title = describe_median (&median);
  subtitle =
      prof_interval_is_known (&median)
          ? g_strdup_printf (g_dngettext (NULL, "median of %u run, with 95 %% confidence",
                                          "median of %u runs, with 95 %% confidence", n),
                             n)
          : g_strdup_printf (g_dngettext (NULL, "median of %u run: too few to say how sure it is",
                                          "median of %u runs: too few to say how sure it is", n),
                             n);
  scope_sheet_add_title (sheet, title, subtitle);
  return median.median;
}

static void
add_rate (ScopeNodeView *self, ScopeMeasurement *measurement, double seconds)
{
  gint64           batch = scope_measurement_get_batch (measurement);
  g_autofree char *rate = NULL;
  g_autofree char *hint = NULL;

  if (!(seconds > 0))
    return;
  rate = prof_format_quantity ((double) MAX (batch, 1) / seconds);
  if (batch > 0)
    hint = g_strdup_printf (g_dngettext (NULL, "%u sample in each run", "%u samples in each run",
                                         (gulong) batch),
                            (guint) MIN (batch, G_MAXUINT));
  scope_sheet_add_row (self->sheet, batch > 0 ? _ ("Samples per second") : _ ("Runs per second"),
                       g_strstrip (rate), hint, 0);
}

/* --- Other facts --- */

static void
add_memory (ScopeSheet *sheet, const ProfCapture *capture)
{
  double           planned = prof_capture_get_number (capture, "memory.planned");
  double           resident = prof_capture_get_number (capture, "memory.resident");
  g_autofree char *planned_text = prof_format_bytes (planned);
  g_autofree char *resident_text = prof_format_bytes (resident);

  if (isfinite (planned))
    scope_sheet_add_row (sheet, _ ("Peak memory"), planned_text,
                         _ ("Planned for values and workspaces: an upper bound of the memory that "
                            "a run touches"),
                         0);
  if (isfinite (resident))
    scope_sheet_add_row (sheet, _ ("Process memory"), resident_text,
                         _ ("The most that the process held, with the program itself"), 0);
}

static void
add_outside (ScopeSheet *sheet, const ProfSummary *summary)
{
  double           outside = summary->between + summary->other + summary->no_operator;
  g_autofree char *time = prof_format_seconds (outside);
  g_autofree char *share = NULL;

  if (!(summary->traced > 0))
    return;
  share = g_strdup_printf (_ ("%.1f %% · %s"), 100 * outside / summary->traced, time);
  scope_sheet_add_row (sheet, _ ("Outside operators"), share,
                       _ ("Share of a traced run that belongs to no operator"), 0);
}

static void
add_warm_up (ScopeSheet *sheet, const ProfCapture *capture)
{
  guint              n_first, n_warm;
  g_autofree double *first = prof_capture_dup_samples (capture, PROF_SAMPLE_FIRST, &n_first);
  g_autofree double *warm = prof_capture_dup_samples (capture, PROF_SAMPLE_WARM, &n_warm);

  if (n_first > 0)
    {
      g_autofree char *time = prof_format_seconds (first[0]);

      scope_sheet_add_row (sheet, _ ("First run"), time,
                           _ ("With page faults and what is prepared only once"), 0);
    }
  if (n_warm > 0)
    {
      g_autofree char *time = prof_format_seconds (warm[n_warm - 1]);
      g_autofree char *text =
          g_strdup_printf (g_dngettext (NULL, "%u run, %s", "%u runs, the last %s", n_warm), n_warm,
                           time);

      scope_sheet_add_row (sheet, _ ("Warm-up"), text, _ ("Runs that are not counted"), 0);
    }
}

/* How far the numbers can be trusted. */
static void
add_noise (ScopeSheet *sheet, const ProfCapture *capture)
{
  guint           n;
  ProfDisturbance disturbance;
  double          deviation = prof_capture_get_number (capture, "clean.deviation");
  double          load = prof_capture_get_number (capture, "system.load");
  double          cores = prof_capture_get_number (capture, "cpu.cores");

  g_free (prof_capture_dup_undisturbed (capture, &n, &disturbance));
  if (disturbance.n_disturbed > 0)
    {
      g_autofree char *text = g_strdup_printf (disturbance.uses_all ? _ ("%u of %u, all used")
                                                                    : _ ("%u of %u, left out"),
                                               disturbance.n_disturbed, disturbance.n);

      scope_sheet_add_row (sheet, _ ("Disturbed runs"), text,
                           disturbance.uses_all
                               ? _ ("Runs that waited for a processor; there are too few others")
                               : _ ("Runs that waited for a processor"),
                           0);
    }
  if (deviation > 0.05)
    {
      g_autofree char *text = g_strdup_printf (_ ("Noise: the runs vary by %.0f %%. Measure again "
                                                  "on a quieter machine."),
                                               100 * deviation);

      scope_sheet_add_text (sheet, text, "warning");
    }
  if (load > cores)
    {
      g_autofree char *text = g_strdup_printf (_ ("Other processes were using the processors: the "
                                                  "load was %.1f on %.0f cores."),
                                               load, cores);

      scope_sheet_add_text (sheet, text, "warning");
    }
}

/* --- Which run --- */

/* “Run 4 · 2.95 ms · waited for a processor” */
static char *
describe_run (const ProfTracedRun *run)
{
  g_autofree char *time = prof_format_seconds (run->seconds);
  const char *note = run->is_disturbed ? _ (" · waited") : run->is_outlier ? _ (" · unusual") : "";

  return g_strdup_printf (_ ("Run %u · %s%s"), run->number + 1, time, note);
}

static void
on_picked (GtkDropDown *picker, GParamSpec *pspec G_GNUC_UNUSED, gpointer data)
{
  ScopeWorkspace   *workspace = scope_view_get_workspace (data);
  ScopeMeasurement *measurement = workspace ? scope_workspace_get_measurement (workspace) : NULL;
  const GArray     *runs = measurement ? scope_measurement_get_runs (measurement) : NULL;
  guint             index = gtk_drop_down_get_selected (picker);

  if (!runs || index > runs->len)
    return;
  scope_workspace_pick_run (workspace,
                            index == 0
                                ? -1
                                : (int) g_array_index (runs, ProfTracedRun, index - 1).number);
}

static void
add_picker (ScopeNodeView *self, ScopeMeasurement *measurement)
{
  const GArray    *runs = scope_measurement_get_runs (measurement);
  GtkStringList   *names = gtk_string_list_new (NULL);
  GtkWidget       *picker = gtk_drop_down_new (G_LIST_MODEL (names), NULL);
  guint            selected = 0, n_used = 0;
  g_autofree char *typical = NULL;

  for (guint i = 0; i < runs->len; i++)
    n_used += g_array_index (runs, ProfTracedRun, i).is_used;
  typical = g_strdup_printf (g_dngettext (NULL, "Typical: mean of %u of %u run",
                                          "Typical: mean of %u of %u runs", runs->len),
                             n_used, runs->len);
  gtk_string_list_append (names, typical);
  for (guint i = 0; i < runs->len; i++)
    {
      const ProfTracedRun *run = &g_array_index (runs, ProfTracedRun, i);

      gtk_string_list_take (names, describe_run (run));
      if ((int) run->number == scope_measurement_get_run (measurement))
        selected = i + 1;
    }
  gtk_drop_down_set_selected (GTK_DROP_DOWN (picker), selected);
  gtk_widget_set_name (picker, "run-picker");
  gtk_widget_set_margin_bottom (picker, 24); /* the model follows */
  gtk_widget_set_tooltip_text (picker,
                               _ ("Which traced run the table, the timeline and the colours show"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (picker), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Traced run"), -1);
  g_signal_connect (picker, "notify::selected", G_CALLBACK (on_picked), self);
  scope_sheet_add (self->sheet, picker);
}

void
scope_node_view_show_run (ScopeNodeView *self, ScopeMeasurement *measurement)
{
  const ProfCapture *capture = scope_measurement_get_capture (measurement);
  const ProfSummary *summary = scope_measurement_get_summary (measurement);
  double             seconds = add_length (self->sheet, capture, summary);

  add_rate (self, measurement, seconds);
  scope_node_view_show_places (self, measurement);
  scope_sheet_add_heading (self->sheet, _ ("The Run"));
  add_memory (self->sheet, capture);
  add_outside (self->sheet, summary);
  add_warm_up (self->sheet, capture);
  add_noise (self->sheet, capture);
  if (scope_measurement_get_runs (measurement)->len > 1)
    {
      scope_sheet_add_heading (self->sheet, _ ("Costs Shown"));
      add_picker (self, measurement);
    }
}
