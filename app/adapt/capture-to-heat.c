/* capture-to-heat.c — the measurements of a capture as colours of a diagram.
 *
 * First half: which box a row of the capture belongs to (scope_capture_find_boxes()).  Second half:
 * values, texts and colours (scope_capture_paint()).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/adapt/capture-to-heat.h"

#include "app/adapt/host-badges.h"

#include "profiler/base/format.h"
#include "profiler/base/statistics.h"
#include "profiler/explain/difference.h"
#include "profiler/summary/roofline.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

/* Nodes made by passes refer to the node they were made from.  In a damaged file these references may
 * form a circle. */
#define MAX_ORIGINS 64

/* Matches the graphs and nodes of a capture with a model's. */
typedef struct
{
  const ProfCapture *capture;
  GHashTable        *boxes;  /* ScopePlace → itself, by graph and node */
  HybGraph         **graphs; /* of the model, by graph of the capture; NULL: the model has none */
  GHashTable       **names;  /* by graph of the capture: name → node + 1; made on first use */
} Match;

static guint
place_hash (gconstpointer data)
{
  const ScopePlace *place = data;

  return g_direct_hash (place->graph) * 31u + place->node;
}

static gboolean
place_equal (gconstpointer a, gconstpointer b)
{
  const ScopePlace *left = a, *right = b;

  return left->graph == right->graph && left->node == right->node;
}

static HybNodeId
find_name (Match *match, guint32 graph, const char *name)
{
  HybGraph *model = match->graphs[graph];

  if (!match->names[graph])
    {
      match->names[graph] = g_hash_table_new (g_str_hash, g_str_equal);
      /* Backwards, so that the first of two nodes with the same name wins. */
      for (HybNodeId i = hyb_graph_n_nodes (model); i-- > 0;)
        g_hash_table_insert (match->names[graph], (gpointer) hyb_graph_get_node (model, i)->name,
                             GUINT_TO_POINTER (i + 1));
    }
  return GPOINTER_TO_UINT (g_hash_table_lookup (match->names[graph], name)) - 1;
}

/* The node of the model that a row was measured of; G_MAXUINT32 if there is none. */
static HybNodeId
find_node (Match *match, guint32 row)
{
  const ProfNode *node = prof_capture_get_node (match->capture, row);
  const char     *name = prof_capture_get_string (match->capture, node->name);
  HybGraph       *graph = match->graphs[node->graph];

  if (!graph)
    return G_MAXUINT32;
  if (node->id < hyb_graph_n_nodes (graph) &&
      strcmp (hyb_graph_get_node (graph, node->id)->name, name) == 0)
    return node->id;
  return find_name (match, node->graph, name);
}

/* Finds the model's graph for every graph of the capture.  A capture lists bodies after the graph of
 * their owner, so parents are known first. */
static void
find_graphs (Match *match, HybGraph *graph)
{
  guint n = prof_capture_n_graphs (match->capture);

  match->graphs = g_new0 (HybGraph *, MAX (n, 1));
  match->names = g_new0 (GHashTable *, MAX (n, 1));
  for (guint i = 0; i < n; i++)
    {
      const ProfGraph *recorded = prof_capture_get_graph (match->capture, i);
      HybGraph        *above;
      HybNodeId        owner;

      if (recorded->parent == PROF_NONE)
        {
          match->graphs[i] = i == 0 ? graph : NULL;
          continue;
        }
      owner = find_node (match, recorded->parent);
      above = match->graphs[prof_capture_get_node (match->capture, recorded->parent)->graph];
      if (owner != G_MAXUINT32 && recorded->body < hyb_graph_get_node (above, owner)->n_bodies)
        match->graphs[i] = hyb_graph_get_bodies (above, owner)[recorded->body];
    }
}

static const ScopePlace *
find_place (const Match *match, HybGraph *graph, HybNodeId node)
{
  ScopePlace key = { graph, node, VIZ_ROOT };

  return node != G_MAXUINT32 ? g_hash_table_lookup (match->boxes, &key) : NULL;
}

/* Finds a product that a pass moved out of a loop, which is named LOOP_NAME. */
static const ScopePlace *
find_in_loops (Match *match, HybGraph *graph, const char *name)
{
  for (HybNodeId i = 0; i < hyb_graph_n_nodes (graph); i++)
    {
      const HybNode *loop = hyb_graph_get_node (graph, i);
      gsize          length = strlen (loop->name);

      if (loop->n_bodies == 0 || strncmp (loop->name, name, length) != 0 || name[length] != '_')
        continue;
      for (guint k = 0; k < loop->n_bodies; k++)
        {
          HybGraph *body = hyb_graph_get_bodies (graph, i)[k];

          for (HybNodeId n = 0; n < hyb_graph_n_nodes (body); n++)
            if (strcmp (hyb_graph_get_node (body, n)->name, name + length + 1) == 0)
              return find_place (match, body, n);
        }
    }
  return NULL;
}

/* Finds the node that a pass's node was made from, whose name it has with a suffix:
 * "…_i2h_batched", "…_weight_panels". */
static const ScopePlace *
find_namesake (Match *match, guint32 row)
{
  const ProfNode   *node = prof_capture_get_node (match->capture, row);
  g_autofree char  *name = g_strdup (prof_capture_get_string (match->capture, node->name));
  HybGraph         *graph = match->graphs[node->graph];
  const ScopePlace *place;
  char             *cut;

  if (!graph || (node->flags & PROF_NODE_ADDED) == 0)
    return NULL;
  place = find_in_loops (match, graph, name);
  while (!place && (cut = strrchr (name, '_')))
    {
      *cut = '\0';
      place = find_place (match, graph, find_name (match, node->graph, name));
    }
  return place;
}

/* VIZ_ROOT if the row has no box. */
static guint32
find_box (Match *match, guint32 row)
{
  for (guint i = 0; i < MAX_ORIGINS && row != PROF_NONE; i++)
    {
      const ProfNode   *node = prof_capture_get_node (match->capture, row);
      const ScopePlace *place = NULL;

      /* A part of an operator belongs to the operator's box. */
      if (!(node->flags & PROF_NODE_PHASE))
        place = find_place (match, match->graphs[node->graph], find_node (match, row));
      if (!place && !(node->flags & PROF_NODE_PHASE))
        place = find_namesake (match, row);
      if (place)
        return place->box;
      row = node->origin;
    }
  return VIZ_ROOT;
}

static void
match_clear (Match *match)
{
  for (guint i = 0; i < prof_capture_n_graphs (match->capture); i++)
    g_clear_pointer (&match->names[i], g_hash_table_unref);
  g_hash_table_unref (match->boxes);
  g_free (match->graphs);
  g_free (match->names);
}

/* NaN without clean samples. */
static double
clean_median (const ProfCapture *capture)
{
  guint              n;
  g_autofree double *samples = prof_capture_dup_undisturbed (capture, &n, NULL);

  return n > 0 ? prof_median (samples, n) : NAN;
}

/* Legend: number of runs, uncertainty, overhead of tracing, and nodes not found.  (transfer full) */
static char *
noise_note (const ProfCapture *capture, const ProfSummary *summary, const ScopeHeatCount *count)
{
  GString           *text = g_string_new (NULL);
  const ProfNodeSum *slowest =
      summary->node->len > 0 ? &g_array_index (summary->node, ProfNodeSum, 0) : NULL;
  double clean = clean_median (capture);

  if (summary->n_runs == 0)
    g_string_append (text, _ ("no run was traced, so no colours are known"));
  else if (summary->n_used == 1 && summary->n_runs > 1)
    g_string_append_printf (text, _ ("one of %u traced runs"), summary->n_runs);
  else if (summary->n_used < summary->n_runs)
    g_string_append_printf (text, _ ("mean of %u typical of %u traced runs"), summary->n_used,
                            summary->n_runs);
  else
    g_string_append_printf (text,
                            g_dngettext (NULL, "mean of %u traced run", "mean of %u traced runs",
                                         summary->n_runs),
                            summary->n_runs);
  if (slowest && slowest->self > 0 && slowest->high > slowest->low)
    g_string_append_printf (text, _ (" · the slowest node ± %.0f %%"),
                            50 * (slowest->high - slowest->low) / slowest->self);
  if (clean > 0 && summary->traced > 0)
    g_string_append_printf (text, _ (" · traced × %.2f of clean"), summary->traced / clean);
  if (count->n_found < count->n_executed)
    g_string_append_printf (text, _ (" · %u of %u nodes found"), count->n_found, count->n_executed);
  return g_string_free (text, FALSE);
}

guint32 *
scope_capture_find_boxes (const ProfCapture *capture, HybGraph *graph, const GArray *places)
{
  Match    match = { .capture = capture };
  guint    n = prof_capture_n_nodes (capture);
  guint32 *boxes = g_new0 (guint32, MAX (n, 1));

  match.boxes = g_hash_table_new (place_hash, place_equal);
  for (guint i = 0; i < places->len; i++)
    {
      ScopePlace *place = &g_array_index (places, ScopePlace, i);

      g_hash_table_insert (match.boxes, place, place);
    }
  find_graphs (&match, graph);
  for (guint32 row = 0; row < n; row++)
    boxes[row] = find_box (&match, row);
  match_clear (&match);
  return boxes;
}

/* --- Measures --- */

static char *
format_share (double value)
{
  return g_strdup_printf ("%.1f %%", value * 100);
}

static char *
format_rate (double value)
{
  g_autofree char *quantity = prof_format_quantity (value);

  return g_strconcat (quantity, "FLOP/s", NULL);
}

static const struct
{
  const char *name, *title;
  char *(*format) (double value);
} heats[SCOPE_N_HEATS] = {
  [SCOPE_HEAT_SELF] = { "self", "self time", prof_format_seconds },
  [SCOPE_HEAT_SHARE] = { "share", "share of the run", format_share },
  [SCOPE_HEAT_FLOPS] = { "flops", "arithmetic rate", format_rate },
  [SCOPE_HEAT_BYTES] = { "bytes", "bytes moved", prof_format_bytes },
  [SCOPE_HEAT_INCLUSIVE] = { "inclusive", "time with what is inside", prof_format_seconds },
  [SCOPE_HEAT_ROOF] = { "roofline", "share of what the machine can do", format_share },
};

ScopeHeat
scope_heat_find (const char *name)
{
  ScopeHeat heat = 0;

  while (heat < SCOPE_N_HEATS && strcmp (heats[heat].name, name) != 0)
    heat++;
  return heat;
}

/* The measure of one node.  seconds: its self time, or its inclusive time if its box shows its
 * body. */
static double
measure (const ProfNodeSum *sum,
         double             seconds,
         const ProfSummary *summary,
         const ProfPeaks   *peaks,
         ScopeHeat          heat)
{
  ProfRoofPoint point;

  switch (heat)
    {
    case SCOPE_HEAT_SELF:
      return seconds;
    case SCOPE_HEAT_SHARE:
      return summary->traced > 0 ? seconds / summary->traced : NAN;
    case SCOPE_HEAT_FLOPS:
      return seconds > 0 && sum->flops > 0 ? sum->flops / seconds : NAN;
    case SCOPE_HEAT_BYTES:
      return sum->bytes;
    case SCOPE_HEAT_INCLUSIVE:
      return sum->inclusive;
    case SCOPE_HEAT_ROOF:
      return prof_roofline_point (peaks, sum->self, sum->flops, sum->bytes, &point) ? point.reached
                                                                                    : NAN;
    case SCOPE_N_HEATS:
      break;
    }
  return NAN;
}

/* Sets values and texts of all boxes that have a value.  values: by box, NaN: none. */
static void
set_values (VizOverlay            *overlay,
            const ScopeHeatSource *source,
            const double          *values,
            ScopeHeat              heat)
{
  double traced = source->summary->traced;

  for (guint32 box = 1; box < viz_diagram_n_boxes (source->diagram); box++)
    {
      g_autofree char *value = NULL;
      g_autofree char *text = NULL;

      if (isnan (values[box]))
        continue;
      value = heats[heat].format (values[box]);
      text = heat == SCOPE_HEAT_SELF && traced > 0
                 ? g_strdup_printf ("%s · %.1f %%", value, 100 * values[box] / traced)
                 : g_strdup (value);
      viz_overlay_set (overlay, box, values[box], text);
    }
}

/* Rates cannot be summed: a group's rate is the average of its nodes, weighted by time. */
static gboolean
is_rate (ScopeHeat heat)
{
  return heat == SCOPE_HEAT_FLOPS || heat == SCOPE_HEAT_ROOF;
}

/* Sums per box; of a rate the sum of rate × time. */
typedef struct
{
  double *values;  /* NaN: no node of the box has a value */
  double *seconds; /* of rates */
} BoxSums;

/* Adds a rate to a box and everything around it. */
static void
add_rate (BoxSums *sums, VizDiagram *diagram, guint32 box, double rate, double time)
{
  for (; box != VIZ_ROOT; box = viz_diagram_box (diagram, box)->parent)
    {
      sums->values[box] = (isnan (sums->values[box]) ? 0 : sums->values[box]) + rate * time;
      sums->seconds[box] += time;
    }
}

/* Computes the values of all boxes.  values: by box, NaN at first. */
static void
sum_boxes (const ScopeHeatSource *source, ScopeHeat heat, double *values)
{
  guint32            n = viz_diagram_n_boxes (source->diagram);
  ProfPeaks          peaks = prof_roofline_peaks (source->capture);
  g_autofree double *seconds = g_new0 (double, n);
  BoxSums            sums = { values, seconds };

  for (guint i = 0; i < source->summary->node->len; i++)
    {
      const ProfNodeSum *sum = &g_array_index (source->summary->node, ProfNodeSum, i);
      guint32            box = source->boxes[sum->row];
      double             time = sum->self, value;

      if (box == VIZ_ROOT)
        continue;
      /* The box of a loop contains its body, so it shows the time of the body, too, and of the
       * parts of its operator, which must not be added again. */
      if (!is_rate (heat) && viz_diagram_box (source->diagram, box)->n_children > 0)
        {
          if (prof_capture_get_node (source->capture, sum->row)->flags & PROF_NODE_PHASE)
            continue;
          time = sum->inclusive;
        }
      value = measure (sum, time, source->summary, &peaks, heat);
      if (isfinite (value) && is_rate (heat))
        add_rate (&sums, source->diagram, box, value, time);
      else if (isfinite (value))
        values[box] = isnan (values[box]) ? value : values[box] + value;
    }
  for (guint32 box = 0; box < n; box++)
    if (seconds[box] > 0)
      values[box] /= seconds[box];
}

/* By box; NaN everywhere. */
static double *
new_values (VizDiagram *diagram)
{
  guint32 n = viz_diagram_n_boxes (diagram);
  double *values = g_new (double, n);

  for (guint32 box = 0; box < n; box++)
    values[box] = NAN;
  return values;
}

void
scope_capture_count_boxes (const ProfSummary *summary, const guint32 *boxes, ScopeHeatCount *count)
{
  *count = (ScopeHeatCount){ .n_executed = summary->node->len };
  for (guint i = 0; i < summary->node->len; i++)
    count->n_found += boxes[g_array_index (summary->node, ProfNodeSum, i).row] != VIZ_ROOT;
}

VizOverlay *
scope_capture_paint (const ScopeHeatSource *source, ScopeHeat heat, VizScale scale)
{
  g_autofree double *values = new_values (source->diagram);
  VizOverlay        *overlay = viz_overlay_new (source->diagram, heats[heat].title, scale);
  ScopeHeatCount     count;
  g_autofree char   *note = NULL;

  sum_boxes (source, heat, values);
  set_values (overlay, source, values, heat);
  viz_overlay_set_format (overlay, heats[heat].format);
  scope_capture_count_boxes (source->summary, source->boxes, &count);
  note = noise_note (source->capture, source->summary, &count);
  viz_overlay_set_note (overlay, note);
  scope_host_badges_add (overlay, source->diagram, source->capture, source->boxes);
  viz_overlay_finish (overlay, source->folds);
  return overlay;
}

/* --- Differences --- */

static char *
format_change (double value)
{
  g_autofree char *text = prof_format_seconds (value);

  return value > 0 ? g_strconcat ("+", text, NULL) : g_steal_pointer (&text);
}

static gboolean
is_certain (const ProfDifference *difference)
{
  return difference->row_a == PROF_NONE || difference->pairing.verdict == PROF_SLOWER ||
         difference->pairing.verdict == PROF_FASTER;
}

VizOverlay *
scope_capture_paint_difference (const ScopeHeatSource *source, const ProfCapture *against)
{
  guint32            n = viz_diagram_n_boxes (source->diagram);
  g_autofree double *values = new_values (source->diagram);
  g_autofree char   *file = g_path_get_basename (prof_capture_get_file (against));
  g_autofree char   *note = NULL;
  g_autoptr (GArray) list = prof_difference (against, source->capture);
  VizOverlay *overlay =
      viz_overlay_new (source->diagram, "change of self time", VIZ_SCALE_DIFFERENCE);
  guint n_certain = 0, n_within = 0;

  for (guint i = 0; i < list->len; i++)
    {
      const ProfDifference *difference = &g_array_index (list, ProfDifference, i);
      guint32               box =
          difference->row_b != PROF_NONE ? source->boxes[difference->row_b] : (guint32) VIZ_ROOT;
      double before = isfinite (difference->a) ? difference->a : 0;

      if (box == VIZ_ROOT)
        continue;
      values[box] = isnan (values[box]) ? 0 : values[box];
      if (is_certain (difference))
        values[box] += difference->b - before;
      n_certain += is_certain (difference);
      n_within += !is_certain (difference);
    }
  for (guint32 box = 1; box < n; box++)
    {
      g_autofree char *text = values[box] == 0 ? g_strdup ("same") : format_change (values[box]);

      if (!isnan (values[box]))
        viz_overlay_set (overlay, box, values[box], text);
    }
  viz_overlay_set_format (overlay, format_change);
  note = g_strdup_printf ("against %s · %u nodes differ, %u are the same within the noise", file,
                          n_certain, n_within);
  viz_overlay_set_note (overlay, note);
  scope_host_badges_add (overlay, source->diagram, source->capture, source->boxes);
  viz_overlay_finish (overlay, source->folds);
  return overlay;
}
