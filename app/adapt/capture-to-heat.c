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

static void
set_values (VizOverlay        *overlay,
            VizDiagram        *diagram,
            const double      *seconds,
            const ProfSummary *summary)
{
  for (guint32 box = 1; box < viz_diagram_n_boxes (diagram); box++)
    {
      g_autofree char *time = NULL;
      g_autofree char *text = NULL;

      if (isnan (seconds[box]))
        continue;
      time = prof_format_seconds (seconds[box]);
      text = summary->traced > 0
                 ? g_strdup_printf ("%s · %.1f %%", time, 100 * seconds[box] / summary->traced)
                 : g_strdup (time);
      viz_overlay_set (overlay, box, seconds[box], text);
    }
}

VizOverlay *
scope_capture_to_heat (const ProfCapture *capture,
                       const ProfSummary *summary,
                       HybGraph          *graph,
                       VizDiagram        *diagram,
                       const GArray      *places,
                       ScopeHeatCount    *count)
{
  Match              match = { .capture = capture };
  ScopeHeatCount     counted = { 0 };
  guint32            n = viz_diagram_n_boxes (diagram);
  g_autofree double *seconds = g_new (double, n);
  g_autofree char   *note = NULL;
  VizOverlay        *overlay = viz_overlay_new (diagram, "self time", VIZ_SCALE_LOG);

  match.boxes = g_hash_table_new (place_hash, place_equal);
  for (guint i = 0; i < places->len; i++)
    {
      ScopePlace *place = &g_array_index (places, ScopePlace, i);

      g_hash_table_insert (match.boxes, place, place);
    }
  find_graphs (&match, graph);
  for (guint32 box = 0; box < n; box++)
    seconds[box] = NAN;
  for (guint i = 0; i < summary->node->len; i++)
    {
      const ProfNodeSum *sum = &g_array_index (summary->node, ProfNodeSum, i);
      guint32            box = find_box (&match, sum->row);

      counted.n_executed++;
      if (box == VIZ_ROOT)
        continue;
      counted.n_found++;
      if (isnan (seconds[box]))
        seconds[box] = 0;
      /* The body of a loop stands in its box: what is inside is part of it. */
      seconds[box] += viz_diagram_box (diagram, box)->n_children > 0 ? sum->inclusive : sum->self;
    }
  match_clear (&match);
  set_values (overlay, diagram, seconds, summary);
  viz_overlay_set_format (overlay, prof_format_seconds);
  note = noise_note (capture, summary, &counted);
  viz_overlay_set_note (overlay, note);
  viz_overlay_finish (overlay);
  if (count != NULL)
    *count = counted;
  return overlay;
}
