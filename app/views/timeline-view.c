/* timeline-view.c — the timeline of one traced run, and the time of each step.
 *
 * A capture may hold several traced runs; the one shown is the most typical (ProfSummary.run).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/views/timeline-view.h"

#include "app/views/timeline-sums.h"
#include "app/widgets/bars.h"
#include "app/widgets/lane-chart.h"
#include "profiler/base/format.h"
#include "profiler/summary/device-time.h"
#include "viz/diagram/common-prefix.h"

#include <glib/gi18n.h>
#include <string.h>

struct _ScopeTimelineView
{
  ScopeView parent_instance;

  /* Borrowed: children */
  GtkStack       *stack;
  ScopeLaneChart *lanes;
  ScopeBars      *steps;
  GtkWidget      *steps_box;
  GtkLabel       *steps_label;
  GtkLabel       *unusual_label;
  GtkEditable    *search;
  GtkLabel       *found;
  GtkWidget      *sums_pane;
  ScopeSheet     *sums; /* in sums_pane */

  GArray *spans;
};

G_DEFINE_FINAL_TYPE (ScopeTimelineView, scope_timeline_view, SCOPE_TYPE_VIEW)

static guint32
colour_of (VizCategory category)
{
  const VizTheme  *theme = viz_theme_find (NULL);
  const VizColour *colour = &theme->category[MIN (category, VIZ_N_CATEGORIES - 1)];

  return (guint32) (colour->red * 255) << 16 | (guint32) (colour->green * 255) << 8 |
         (guint32) (colour->blue * 255);
}

static int
compare_spans (gconstpointer a, gconstpointer b)
{
  const ScopeSpan *one = a, *other = b;

  return one->begin < other->begin ? -1 : one->begin > other->begin ? 1 : 0;
}

/* The words with which the names of nearly all nodes of a run begin.  (transfer full) */
static char *
find_prefix (const ProfCapture *capture, guint run)
{
  const ProfEvent *events = prof_capture_get_events (capture);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (guint i = 0; i < prof_capture_n_events (capture); i++)
    if (events[i].run == run &&
        (prof_event_kind (&events[i]) == PROF_EVENT_NODE ||
         prof_event_kind (&events[i]) == PROF_EVENT_DEVICE) &&
        events[i].node < prof_capture_n_nodes (capture))
      g_ptr_array_add (names,
                       (gpointer) prof_capture_get_string (capture,
                                                           prof_capture_get_node (capture,
                                                                                  events[i].node)
                                                               ->name));
  return viz_common_prefix ((const char *const *) names->pdata, names->len);
}

/* The name of a node without the prefix that all names share.  Points into the capture. */
static const char *
short_name_of (const ProfCapture *capture, guint32 node, const char *prefix)
{
  const char *name = prof_capture_get_string (capture, prof_capture_get_node (capture, node)->name);

  return g_str_has_prefix (name, prefix) && name[strlen (prefix)] != '\0' ? name + strlen (prefix)
                                                                          : name;
}

/* The name with "*" for the number of a step, by which times are summed up.  Points into the capture. */
static const char *
group_of (const ProfCapture *capture, guint32 node, const char *prefix)
{
  const char *name =
      prof_capture_get_string (capture, prof_capture_get_node (capture, node)->folded);

  if (*name == '\0')
    return short_name_of (capture, node, prefix);
  return g_str_has_prefix (name, prefix) && name[strlen (prefix)] != '\0' ? name + strlen (prefix)
                                                                          : name;
}

static const char *
label_of (const ProfCapture *capture,
          const ProfEvent   *event,
          gboolean           is_disturbed,
          const char        *prefix)
{
  switch (prof_event_kind (event))
    {
    case PROF_EVENT_NODE:
    case PROF_EVENT_DEVICE:
      if (event->node < prof_capture_n_nodes (capture))
        return short_name_of (capture, event->node, prefix);
      return NULL;
    case PROF_EVENT_BRANCH:
      return _ ("step");
    case PROF_EVENT_RUN:
      return is_disturbed ? _ ("run that waited for a processor") : _ ("run");
    case PROF_EVENT_PASS:
      return _ ("pass");
    case PROF_EVENT_COPY:
      return _ ("copy");
    case PROF_EVENT_MEMORY:
    case PROF_EVENT_SLICE:
    case PROF_N_EVENTS:
      break;
    }
  return NULL;
}

/* A span is unusual if it took more than twice its usual time and its excess is more than this share of the
 * run. */
#define UNUSUAL_FACTOR 2.0
#define UNUSUAL_SHARE  0.01

#define N_STREAM_LANES 8 /* streams beyond share lanes */

/* The usual seconds of a span that took much longer; 0 for others. */
static double
find_usual (ScopeMeasurement *measurement, guint32 row, double seconds)
{
  double usual = scope_measurement_get_usual (measurement, row);
  double run = scope_measurement_get_summary (measurement)->traced;

  return seconds > UNUSUAL_FACTOR * usual && seconds - usual > UNUSUAL_SHARE * run ? usual : 0;
}

/* Below the lanes of the host, copies from and to a GPU have one, and each of its streams. */
static guint32
lane_of (const ProfEvent *event, guint32 n_host_lanes)
{
  if (!prof_event_is_of_device (event))
    return prof_event_depth (event);
  return n_host_lanes + (prof_event_kind (event) == PROF_EVENT_COPY
                             ? 0
                             : 1 + prof_event_stream (event) % N_STREAM_LANES);
}

/* The lanes of the host in a run. */
static guint32
count_host_lanes (const ProfCapture *capture, guint run)
{
  const ProfEvent *events = prof_capture_get_events (capture);
  guint32          n = 0;

  for (guint i = 0; i < prof_capture_n_events (capture); i++)
    if (events[i].run == run && !prof_event_is_of_device (&events[i]) &&
        prof_event_kind (&events[i]) != PROF_EVENT_MEMORY &&
        prof_event_kind (&events[i]) != PROF_EVENT_SLICE)
      n = MAX (n, prof_event_depth (&events[i]) + 1);
  return n;
}

static GArray *
collect_spans (ScopeMeasurement *measurement)
{
  const ProfCapture *capture = scope_measurement_get_capture (measurement);
  const ProfEvent   *events = prof_capture_get_events (capture);
  const ProfSummary *summary = scope_measurement_get_summary (measurement);
  guint              run = summary->run;
  GArray            *spans = g_array_new (FALSE, FALSE, sizeof (ScopeSpan));
  g_autofree char   *prefix = find_prefix (capture, run);
  guint32            n_host_lanes = count_host_lanes (capture, run);

  for (guint i = 0; i < prof_capture_n_events (capture); i++)
    {
      const ProfEvent *event = &events[i];
      ScopeSpan        span = { .colour = 0x9aa5b5 };

      if (event->run != run || prof_event_kind (event) == PROF_EVENT_MEMORY ||
          prof_event_kind (event) == PROF_EVENT_SLICE ||
          (prof_event_kind (event) == PROF_EVENT_DEVICE && prof_event_duration (event) == 0))
        continue;
      span.begin = (double) event->begin_ns * 1e-9;
      span.end = span.begin + (double) prof_event_duration (event) * 1e-9;
      span.lane = lane_of (event, n_host_lanes);
      span.label = label_of (capture, event, summary->is_run_disturbed, prefix);
      if ((prof_event_kind (event) == PROF_EVENT_NODE ||
           prof_event_kind (event) == PROF_EVENT_DEVICE) &&
          event->node < prof_capture_n_nodes (capture))
        {
          span.user = event->node + 1;
          span.group = group_of (capture, event->node, prefix);
          if (!summary->is_of_device)
            span.usual = find_usual (measurement, event->node, span.end - span.begin);
          span.colour = colour_of (
              (VizCategory) (prof_capture_get_node (capture, event->node)->category + 1));
        }
      g_array_append_val (spans, span);
    }
  g_array_sort (spans, compare_spans);
  return spans;
}

static char *
label_step (guint index, double value, gpointer data)
{
  ScopeTimelineView *self = data;
  ScopeMeasurement  *measurement =
      scope_workspace_get_measurement (scope_view_get_workspace (SCOPE_VIEW (self)));
  g_autofree char   *time = prof_format_seconds (value);
  const ProfSummary *summary = measurement ? scope_measurement_get_summary (measurement) : NULL;

  if (!summary || index >= summary->step->len)
    return NULL;
  return g_strdup_printf (_ ("Step %u: %s"), g_array_index (summary->step, ProfStepSum, index).step,
                          time);
}

static void
fill_steps (ScopeTimelineView *self, const ProfSummary *summary)
{
  g_autofree double *values = g_new (double, MAX (summary->step->len, 1));
  g_autofree char   *text = NULL;

  for (guint i = 0; i < summary->step->len; i++)
    values[i] = g_array_index (summary->step, ProfStepSum, i).self;
  gtk_widget_set_visible (self->steps_box, summary->step->len > 1);
  scope_bars_set_values (self->steps, values, summary->step->len);
  if (summary->step->len > 0)
    scope_bars_set_axes (self->steps,
                         &(ScopeBarAxes){ .format = prof_format_seconds,
                                          .name = _ ("step"),
                                          .first =
                                              g_array_index (summary->step, ProfStepSum, 0).step });
  text = g_strdup_printf (_ ("%u steps"), summary->step->len);
  gtk_label_set_text (self->steps_label, text);
  scope_bars_set_description (self->steps, _ ("Time of each step"), text);
}

/* Says how many spans are marked. */
static void
fill_unusual (ScopeTimelineView *self)
{
  guint            n = 0;
  g_autofree char *text = NULL;

  for (guint i = 0; i < self->spans->len; i++)
    n += g_array_index (self->spans, ScopeSpan, i).usual > 0;
  text = g_strdup_printf (g_dngettext (NULL, "%u operator took more than twice its usual time",
                                       "%u operators took more than twice their usual time", n),
                          n);
  gtk_label_set_text (self->unusual_label, text);
  gtk_widget_set_visible (GTK_WIDGET (self->unusual_label), n > 0);
}

static void
update_marks (ScopeTimelineView *self)
{
  ScopeWorkspace *workspace = scope_view_get_workspace (SCOPE_VIEW (self));
  const GArray   *rows = workspace ? scope_workspace_get_focus (workspace) : NULL;
  g_autoptr (GArray) users = g_array_new (FALSE, FALSE, sizeof (guint32));

  for (guint i = 0; rows && i < rows->len; i++)
    {
      guint32 user = g_array_index (rows, guint32, i) + 1;

      g_array_append_val (users, user);
    }
  scope_lane_chart_set_marked (self->lanes, (const guint32 *) (gpointer) users->data, users->len);
  scope_lane_chart_show_marked (self->lanes);
}

/* --- Measuring and searching --- */

static void
update_sums (ScopeTimelineView *self)
{
  double   begin, end;
  gboolean is_measured = self->spans && scope_lane_chart_get_measured (self->lanes, &begin, &end);

  gtk_widget_set_visible (self->sums_pane, is_measured);
  if (is_measured)
    scope_timeline_sums_show (self->sums, self->spans, self->lanes);
  else
    scope_sheet_clear (self->sums);
}

static void
act_measure (GtkWidget *widget, const char *name G_GNUC_UNUSED, GVariant *parameter G_GNUC_UNUSED)
{
  ScopeTimelineView *self = SCOPE_TIMELINE_VIEW (widget);
  double             begin, end;

  if (scope_lane_chart_get_measured (self->lanes, &begin, &end))
    scope_lane_chart_set_measured (self->lanes, 0, 0);
  else
    scope_lane_chart_measure_marked (self->lanes);
}

static void
act_search (GtkWidget *widget, const char *name G_GNUC_UNUSED, GVariant *parameter G_GNUC_UNUSED)
{
  gtk_widget_grab_focus (GTK_WIDGET (SCOPE_TIMELINE_VIEW (widget)->search));
}

static void
on_search (ScopeTimelineView *self)
{
  const char      *wanted = gtk_editable_get_text (self->search);
  guint            n = scope_lane_chart_find (self->lanes, wanted);
  g_autofree char *text = g_strdup_printf (g_dngettext (NULL, "%u hit", "%u hits", n), n);

  gtk_label_set_text (self->found, *wanted != '\0' ? text : "");
}

static void
step (ScopeTimelineView *self, int direction)
{
  ScopeWorkspace *workspace = scope_view_get_workspace (SCOPE_VIEW (self));
  guint32         user = scope_lane_chart_step_hit (self->lanes, direction), row = user - 1;

  if (workspace && user != 0)
    scope_workspace_focus (workspace, &row, 1, TRUE);
}

static void
on_next (ScopeTimelineView *self)
{
  step (self, 1);
}

static void
on_previous (ScopeTimelineView *self)
{
  step (self, -1);
}

static void
on_stop (ScopeTimelineView *self)
{
  gtk_editable_set_text (self->search, "");
  gtk_widget_grab_focus (GTK_WIDGET (self->lanes));
}

static void
scope_timeline_view_workspace_changed (ScopeView *view, ScopeWorkspace *before G_GNUC_UNUSED)
{
  ScopeWorkspace *workspace = scope_view_get_workspace (view);

  if (workspace)
    g_signal_connect_swapped (workspace, "focus-changed", G_CALLBACK (update_marks), view);
}

static void
scope_timeline_view_capture_changed (ScopeView *view)
{
  ScopeTimelineView *self = SCOPE_TIMELINE_VIEW (view);
  ScopeMeasurement *measurement = scope_workspace_get_measurement (scope_view_get_workspace (view));

  scope_lane_chart_set_spans (self->lanes, NULL);
  g_clear_pointer (&self->spans, g_array_unref);
  gtk_stack_set_visible_child_name (self->stack, measurement ? "lanes" : "empty");
  if (measurement)
    {
      self->spans = collect_spans (measurement);
      fill_steps (self, scope_measurement_get_summary (measurement));
      fill_unusual (self);
    }
  scope_lane_chart_set_spans (self->lanes, self->spans);
  on_search (self);
}

static void
scope_timeline_view_selection_changed (ScopeView *view)
{
  update_marks (SCOPE_TIMELINE_VIEW (view));
}

static void
on_picked (ScopeLaneChart *chart G_GNUC_UNUSED, guint32 user, gpointer data)
{
  ScopeWorkspace *workspace = scope_view_get_workspace (data);
  guint32         row = user - 1;

  if (workspace && user != 0)
    scope_workspace_focus (workspace, &row, 1, TRUE);
}

static void
scope_timeline_view_dispose (GObject *object)
{
  g_clear_pointer (&SCOPE_TIMELINE_VIEW (object)->spans, g_array_unref);
  G_OBJECT_CLASS (scope_timeline_view_parent_class)->dispose (object);
}

static void
scope_timeline_view_class_init (ScopeTimelineViewClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (class);

  G_OBJECT_CLASS (class)->dispose = scope_timeline_view_dispose;
  SCOPE_VIEW_CLASS (class)->defers_until_mapped = TRUE;
  SCOPE_VIEW_CLASS (class)->workspace_changed = scope_timeline_view_workspace_changed;
  SCOPE_VIEW_CLASS (class)->document_changed = scope_timeline_view_capture_changed;
  SCOPE_VIEW_CLASS (class)->capture_changed = scope_timeline_view_capture_changed;
  SCOPE_VIEW_CLASS (class)->selection_changed = scope_timeline_view_selection_changed;
  g_type_ensure (SCOPE_TYPE_LANE_CHART);
  g_type_ensure (SCOPE_TYPE_SHEET);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/hybridscope/Hybridscope/ui/timeline-view.ui");
  gtk_widget_class_bind_template_child (widget_class, ScopeTimelineView, stack);
  gtk_widget_class_bind_template_child (widget_class, ScopeTimelineView, lanes);
  gtk_widget_class_bind_template_child (widget_class, ScopeTimelineView, steps_box);
  gtk_widget_class_bind_template_child (widget_class, ScopeTimelineView, steps_label);
  gtk_widget_class_bind_template_child (widget_class, ScopeTimelineView, unusual_label);
  gtk_widget_class_bind_template_child (widget_class, ScopeTimelineView, search);
  gtk_widget_class_bind_template_child (widget_class, ScopeTimelineView, found);
  gtk_widget_class_bind_template_child (widget_class, ScopeTimelineView, sums_pane);
  gtk_widget_class_bind_template_child (widget_class, ScopeTimelineView, sums);
  gtk_widget_class_bind_template_callback (widget_class, on_search);
  gtk_widget_class_bind_template_callback (widget_class, on_next);
  gtk_widget_class_bind_template_callback (widget_class, on_previous);
  gtk_widget_class_bind_template_callback (widget_class, on_stop);
  gtk_widget_class_install_action (widget_class, "timeline.measure", NULL, act_measure);
  gtk_widget_class_install_action (widget_class, "timeline.search", NULL, act_search);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_slash, 0, "timeline.search", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_f, 0, "timeline.search", NULL);
}

static void
scope_timeline_view_init (ScopeTimelineView *self)
{
  GtkWidget *steps = scope_bars_new (36);

  gtk_widget_init_template (GTK_WIDGET (self));
  self->steps = SCOPE_BARS (steps);
  gtk_widget_set_hexpand (steps, TRUE);
  gtk_widget_set_name (steps, "steps-strip");
  scope_bars_set_label (self->steps, label_step, self);
  gtk_box_append (GTK_BOX (self->steps_box), steps);
  g_signal_connect (self->lanes, "picked", G_CALLBACK (on_picked), self);
  g_signal_connect_swapped (self->lanes, "measured", G_CALLBACK (update_sums), self);
}
