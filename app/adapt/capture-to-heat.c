/* capture-to-heat.c — leads rows of a capture to boxes of a diagram.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "app/adapt/capture-to-heat.h"

#include "profiler/report.h"
#include "profiler/statistics.h"

#include <math.h>
#include <string.h>

/* Nodes that passes made may stem from each other, but not for ever. */
#define MOST_ORIGINS 64

typedef struct
{
  const ProfCapture *capture;
  GHashTable        *boxes;  /* ScopePlace → itself, by graph and node */
  HybGraph         **graphs; /* of the model, by graph of the capture; NULL: not there */
  GHashTable       **names;  /* by graph of the capture: name → node + 1; made when needed */
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

  if (match->names[graph] == NULL)
    {
      match->names[graph] = g_hash_table_new (g_str_hash, g_str_equal);
      /* Of names that come twice the first counts. */
      for (HybNodeId i = hyb_graph_n_nodes (model); i-- > 0;)
        g_hash_table_insert (match->names[graph],
                             (gpointer) hyb_graph_get_node (model, i)->name,
                             GUINT_TO_POINTER (i + 1));
    }
  return GPOINTER_TO_UINT (g_hash_table_lookup (match->names[graph], name)) - 1;
}

/* The node of the model behind a row; G_MAXUINT32: none. */
static HybNodeId
find_node (Match *match, guint32 row)
{
  const ProfNode *node = prof_capture_get_node (match->capture, row);
  const char     *name = prof_capture_get_string (match->capture, node->name);
  HybGraph       *graph = match->graphs[node->graph];

  if (graph == NULL)
    return G_MAXUINT32;
  if (node->id < hyb_graph_n_nodes (graph) &&
      strcmp (hyb_graph_get_node (graph, node->id)->name, name) == 0)
    return node->id;
  return find_name (match, node->graph, name);
}

/* Bodies stand behind the node that owns them, so that parents are known first. */
static void
find_graphs (Match *match, HybGraph *graph)
{
  guint n = prof_capture_n_graphs (match->capture);

  match->graphs = g_new0 (HybGraph *, MAX (n, 1));
  match->names = g_new0 (GHashTable *, MAX (n, 1));
  for (guint i = 0; i < n; i++)
    {
      const ProfGraph *told = prof_capture_get_graph (match->capture, i);
      HybGraph        *above;
      HybNodeId        owner;

      if (told->parent == PROF_NONE)
        {
          match->graphs[i] = i == 0 ? graph : NULL;
          continue;
        }
      owner = find_node (match, told->parent);
      above = match->graphs[prof_capture_get_node (match->capture, told->parent)->graph];
      if (owner != G_MAXUINT32 && told->body < hyb_graph_get_node (above, owner)->n_bodies)
        match->graphs[i] = hyb_graph_get_bodies (above, owner)[told->body];
    }
}

/* VIZ_ROOT: none. */
static guint32
find_box (Match *match, guint32 row)
{
  for (guint i = 0; i < MOST_ORIGINS && row != PROF_NONE; i++)
    {
      ScopePlace        key = { NULL, find_node (match, row), VIZ_ROOT };
      const ScopePlace *place;

      key.graph = match->graphs[prof_capture_get_node (match->capture, row)->graph];
      place = key.node != G_MAXUINT32 ? g_hash_table_lookup (match->boxes, &key) : NULL;
      if (place != NULL)
        return place->box;
      row = prof_capture_get_node (match->capture, row)->origin;
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

static double
clean_median (const ProfCapture *capture)
{
  guint              n;
  g_autofree double *samples = prof_capture_dup_samples (capture, PROF_SAMPLE_CLEAN, &n);

  return n > 0 ? prof_median (samples, n) : NAN;
}

/* How sure the numbers are, and how much watching slowed them down. */
static char *
noise_note (const ProfCapture *capture, const ProfSummary *summary, const ScopeHeatCount *count)
{
  GString           *text = g_string_new (NULL);
  const ProfNodeSum *slowest =
      summary->node->len > 0 ? &g_array_index (summary->node, ProfNodeSum, 0) : NULL;
  double clean = clean_median (capture);

  g_string_append_printf (text, "median of %u traced runs", summary->n_runs);
  if (slowest != NULL && slowest->self > 0 && slowest->high > slowest->low)
    g_string_append_printf (text,
                            " · the slowest node ± %.0f %%",
                            50 * (slowest->high - slowest->low) / slowest->self);
  if (clean > 0 && summary->traced > 0)
    g_string_append_printf (text, " · traced × %.2f of clean", summary->traced / clean);
  if (count->n_found < count->n_executed)
    g_string_append_printf (text, " · %u of %u nodes found", count->n_found, count->n_executed);
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

/* ---- Measures ---- */

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
};

const char *
scope_heat_name (ScopeHeat heat)
{
  return heats[heat].name;
}

/* seconds: of the node, or of all that is inside it. */
static double
measure (const ProfNodeSum *sum, double seconds, const ProfSummary *summary, ScopeHeat heat)
{
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
    case SCOPE_N_HEATS:
      break;
    }
  return NAN;
}

static void
set_values (VizOverlay        *overlay,
            VizDiagram        *diagram,
            const double      *values,
            const ProfSummary *summary,
            ScopeHeat          heat)
{
  for (guint32 box = 1; box < viz_diagram_n_boxes (diagram); box++)
    {
      g_autofree char *value = NULL;
      g_autofree char *text = NULL;

      if (isnan (values[box]))
        continue;
      value = heats[heat].format (values[box]);
      text = heat == SCOPE_HEAT_SELF && summary->traced > 0
                 ? g_strdup_printf ("%s · %.1f %%", value, 100 * values[box] / summary->traced)
                 : g_strdup (value);
      viz_overlay_set (overlay, box, values[box], text);
    }
}

static VizOverlay *
paint (const ProfCapture *capture,
       const ProfSummary *summary,
       VizDiagram        *diagram,
       const guint32     *boxes,
       const VizFolds    *folds,
       VizOverlay        *overlay,
       ScopeHeat          heat,
       ScopeHeatCount    *counted)
{
  guint32            n = viz_diagram_n_boxes (diagram);
  g_autofree double *values = g_new (double, n);
  g_autofree char   *note = NULL;

  for (guint32 box = 0; box < n; box++)
    values[box] = NAN;
  for (guint i = 0; i < summary->node->len; i++)
    {
      const ProfNodeSum *sum = &g_array_index (summary->node, ProfNodeSum, i);
      guint32            box = boxes[sum->row];
      double             value;

      counted->n_executed++;
      if (box == VIZ_ROOT)
        continue;
      counted->n_found++;
      /* The body of a loop stands in its box: what is inside is part of it. */
      value = measure (sum,
                       viz_diagram_box (diagram, box)->n_children > 0 ? sum->inclusive : sum->self,
                       summary,
                       heat);
      if (isfinite (value))
        values[box] = isnan (values[box]) ? value : values[box] + value;
    }
  set_values (overlay, diagram, values, summary, heat);
  viz_overlay_set_format (overlay, heats[heat].format);
  note = noise_note (capture, summary, counted);
  viz_overlay_set_note (overlay, note);
  viz_overlay_finish (overlay, folds);
  return overlay;
}

VizOverlay *
scope_capture_paint (const ProfCapture *capture,
                     const ProfSummary *summary,
                     VizDiagram        *diagram,
                     const guint32     *boxes,
                     ScopeHeat          heat,
                     VizScale           scale)
{
  ScopeHeatCount counted = { 0 };

  return paint (capture,
                summary,
                diagram,
                boxes,
                NULL,
                viz_overlay_new (diagram, heats[heat].title, scale),
                heat,
                &counted);
}

VizOverlay *
scope_capture_to_heat (const ProfCapture *capture,
                       const ProfSummary *summary,
                       HybGraph          *graph,
                       VizDiagram        *diagram,
                       const GArray      *places,
                       const VizFolds    *folds,
                       ScopeHeatCount    *count)
{
  g_autofree guint32 *boxes = scope_capture_find_boxes (capture, graph, places);
  ScopeHeatCount      counted = { 0 };
  VizOverlay         *overlay = viz_overlay_new (diagram, "self time", VIZ_SCALE_LOG);

  paint (capture, summary, diagram, boxes, folds, overlay, SCOPE_HEAT_SELF, &counted);
  if (count != NULL)
    *count = counted;
  return overlay;
}
