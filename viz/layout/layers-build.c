/* layers-build.c — from ranks to a proper layered graph, in which links join neighbouring rows.
 *
 * An edge gets one virtual node for each row it crosses.  Edges of one tensor share them: a fan-out
 * becomes a bus with branches and costs one node per row, not one per row and consumer.  Edges that
 * are too long are left out and drawn as stubs.  Start reading at viz_layers_build().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/layout/layers.h"

/* Half the width that a line needs in a row, in points */
#define LINE_ROOM 2.f

/* The virtual nodes that the edges of one tensor share; per tensor. */
typedef struct
{
  guint32 *length; /* number of virtual nodes */
  guint32 *first;  /* the first of them; 0: not numbered yet */
  guint32  n;      /* tensors */
} Buses;

/* The rows that an edge spans, and its upper and lower end; 0 if no row order can hold it. */
static guint32
span_of (const VizLayers *layers, guint32 edge, guint32 *upper, guint32 *lower)
{
  const VizBodyEdge *ends = &layers->body->edges[edge];

  *upper = layers->reversed[edge] ? ends->head : ends->tail;
  *lower = layers->reversed[edge] ? ends->tail : ends->head;
  return layers->rank[*lower] > layers->rank[*upper] ? layers->rank[*lower] - layers->rank[*upper]
                                                     : 0;
}

/* Chooses the edges that are drawn as stubs: those that no row order can hold, very long ones, and
 * all edges over more than one row at a node that has more than VIZ_HUB of them. */
static void
choose_stubs (VizLayers *layers, const Buses *buses)
{
  const VizBody *body = layers->body;
  guint32       *n_long_in = g_new0 (guint32, MAX (body->n_nodes, 1));
  guint32       *n_long_out = g_new0 (guint32, MAX (body->n_nodes, 1));
  guint8        *seen = g_new0 (guint8, MAX (buses->n, 1));

  /* 1. Edges that are stubs by themselves; the long ones among the others are counted at both ends.  Edges of one tensor
   *    share a line at their upper end and count once there. */
  for (guint32 e = 0; e < body->n_edges; e++)
    {
      guint32 upper, lower, span = span_of (layers, e, &upper, &lower);

      layers->stub[e] = span == 0 || span > VIZ_LONG_EDGE;
      if (body->edges[e].flags & VIZ_EDGE_FEEDBACK || span < 2 || span > VIZ_LONG_EDGE)
        continue;
      n_long_in[lower]++;
      if (!seen[body->edges[e].tensor])
        n_long_out[upper]++;
      seen[body->edges[e].tensor] = TRUE;
    }
  /* 2. At a hub all long edges are stubs, not only those beyond the limit. */
  for (guint32 e = 0; e < body->n_edges; e++)
    {
      guint32 upper, lower, span = span_of (layers, e, &upper, &lower);

      if (span > 1 && (n_long_in[lower] > VIZ_HUB || n_long_out[upper] > VIZ_HUB))
        layers->stub[e] = TRUE;
    }
  g_free (seen);
  g_free (n_long_out);
  g_free (n_long_in);
}

static gboolean
is_drawn (const VizLayers *layers, guint32 edge)
{
  return !layers->stub[edge] && (layers->body->edges[edge].flags & VIZ_EDGE_FEEDBACK) == 0;
}

/* Numbers the virtual nodes; those of a bus, and those of a reversed edge, are consecutive. */
static void
number_bends (VizLayers *layers, Buses *buses)
{
  const VizBody *body = layers->body;
  guint32        next = body->n_nodes;

  /* 1. All edges of a tensor share one bus, so the longest of them determines its length. */
  for (guint32 e = 0; e < body->n_edges; e++)
    {
      guint32 upper, lower, span = span_of (layers, e, &upper, &lower);

      if (is_drawn (layers, e) && !layers->reversed[e])
        buses->length[body->edges[e].tensor] = MAX (buses->length[body->edges[e].tensor], span - 1);
    }
  for (guint32 e = 0; e < body->n_edges; e++)
    {
      guint32 upper, lower, span = span_of (layers, e, &upper, &lower);
      guint32 tensor = body->edges[e].tensor;

      if (!is_drawn (layers, e))
        continue;
      layers->n_bends[e] = span - 1;
      /* 2. A reversed edge runs against the bus and cannot share it.  Numbers start at n_nodes, so
       * that 0 marks a bus without numbers. */
      if (layers->reversed[e])
        {
          layers->first_bend[e] = next;
          next += span - 1;
        }
      else
        {
          if (buses->first[tensor] == 0)
            {
              buses->first[tensor] = next;
              next += buses->length[tensor];
            }
          layers->first_bend[e] = buses->first[tensor];
        }
    }
  layers->n_nodes = next;
}

static void
add_link (VizLayers *layers, guint32 upper, guint32 lower, float upper_at, float lower_at)
{
  layers->links[layers->n_links++] = (VizLink){ upper, lower, upper_at, lower_at };
}

/* Converts an x from the left border of a node to one from its middle; VIZ_ANYWHERE to 0. */
static float
from_middle (const VizLayers *layers, guint32 node, float at)
{
  return at < 0 ? 0 : at - layers->body->nodes[node].width / 2;
}

/* Adds the links of all edges.  The first edge of a tensor adds those of the whole bus; the others
 * only branch off. */
static void
add_links (VizLayers *layers, const Buses *buses)
{
  const VizBody *body = layers->body;
  guint8        *linked = g_new0 (guint8, MAX (buses->n, 1));

  layers->links = g_new (VizLink, layers->n_nodes + body->n_edges + 1);
  for (guint32 e = 0; e < body->n_edges; e++)
    {
      const VizBodyEdge *edge = &body->edges[e];
      guint32            upper, lower, from, n_own;
      float              upper_at, lower_at;

      if (!is_drawn (layers, e))
        continue;
      span_of (layers, e, &upper, &lower);
      /* A reversed edge is drawn from its head, so its ends change places. */
      upper_at = from_middle (layers, upper, layers->reversed[e] ? edge->head_at : edge->tail_at);
      lower_at = from_middle (layers, lower, layers->reversed[e] ? edge->tail_at : edge->head_at);
      n_own = layers->reversed[e] ? layers->n_bends[e] : buses->length[edge->tensor];
      if (n_own > 0 && (layers->reversed[e] || !linked[edge->tensor]))
        {
          add_link (layers, upper, layers->first_bend[e], upper_at, 0);
          for (guint32 i = 0; i + 1 < n_own; i++)
            add_link (layers, layers->first_bend[e] + i, layers->first_bend[e] + i + 1, 0, 0);
          if (!layers->reversed[e])
            linked[edge->tensor] = TRUE;
        }
      /* The last link branches off the bus in the row above the lower node. */
      from = layers->n_bends[e] == 0 ? upper : layers->first_bend[e] + layers->n_bends[e] - 1;
      add_link (layers, from, lower, from == upper ? upper_at : 0, lower_at);
    }
  g_free (linked);
}

static void
set_rows (VizLayers *layers)
{
  const VizBody *body = layers->body;

  layers->row = g_new0 (guint32, MAX (layers->n_nodes, 1));
  layers->left = g_new (float, MAX (layers->n_nodes, 1));
  layers->right = g_new (float, MAX (layers->n_nodes, 1));
  for (guint32 i = 0; i < layers->n_nodes; i++)
    {
      layers->left[i] = layers->right[i] = LINE_ROOM;
      if (i < body->n_nodes)
        {
          layers->row[i] = layers->rank[i];
          layers->left[i] = body->nodes[i].width / 2;
          layers->right[i] = MAX (body->nodes[i].width / 2, body->nodes[i].label);
        }
    }
  for (guint32 e = 0; e < body->n_edges; e++)
    {
      guint32 upper, lower;

      span_of (layers, e, &upper, &lower);
      for (guint32 i = 0; i < layers->n_bends[e]; i++)
        layers->row[layers->first_bend[e] + i] = layers->rank[upper] + 1 + i;
    }
}

static int
compare_upper (gconstpointer a, gconstpointer b, gpointer data)
{
  const VizLink *links = data, *left = &links[*(const guint32 *) a],
                *right = &links[*(const guint32 *) b];

  if (left->upper_at != right->upper_at)
    return left->upper_at < right->upper_at ? -1 : 1;
  return *(const guint32 *) a < *(const guint32 *) b ? -1 : 1;
}

static int
compare_lower (gconstpointer a, gconstpointer b, gpointer data)
{
  const VizLink *links = data, *left = &links[*(const guint32 *) a],
                *right = &links[*(const guint32 *) b];

  if (left->lower_at != right->lower_at)
    return left->lower_at < right->lower_at ? -1 : 1;
  return *(const guint32 *) a < *(const guint32 *) b ? -1 : 1;
}

/* Lists the links above or below each node, from left to right. */
static void
index_links (VizLayers *layers, gboolean above, guint32 **first_out, guint32 **list_out)
{
  guint32 *first = g_new0 (guint32, layers->n_nodes + 2);
  guint32 *list = g_new (guint32, MAX (layers->n_links, 1));

  /* Counts are stored two places ahead; filling the lists then moves each start to its place. */
  for (guint32 i = 0; i < layers->n_links; i++)
    first[(above ? layers->links[i].lower : layers->links[i].upper) + 2]++;
  for (guint32 i = 0; i < layers->n_nodes; i++)
    first[i + 2] += first[i + 1];
  for (guint32 i = 0; i < layers->n_links; i++)
    list[first[(above ? layers->links[i].lower : layers->links[i].upper) + 1]++] = i;
  for (guint32 i = 0; i < layers->n_nodes; i++)
    if (first[i + 1] - first[i] > 1)
      g_qsort_with_data (list + first[i], (int) (first[i + 1] - first[i]), sizeof *list,
                         above ? compare_lower : compare_upper, layers->links);
  *first_out = first;
  *list_out = list;
}

gboolean
viz_layers_build (VizLayers *layers)
{
  const VizBody *body = layers->body;
  Buses          buses = { NULL, NULL, 0 };

  for (guint32 e = 0; e < body->n_edges; e++)
    buses.n = MAX (buses.n, body->edges[e].tensor + 1);
  buses.length = g_new0 (guint32, MAX (buses.n, 1));
  buses.first = g_new0 (guint32, MAX (buses.n, 1));
  layers->stub = g_new0 (guint8, MAX (body->n_edges, 1));
  layers->first_bend = g_new0 (guint32, MAX (body->n_edges, 1));
  layers->n_bends = g_new0 (guint32, MAX (body->n_edges, 1));

  choose_stubs (layers, &buses);
  number_bends (layers, &buses);
  add_links (layers, &buses);
  set_rows (layers);
  index_links (layers, FALSE, &layers->first_down, &layers->down);
  index_links (layers, TRUE, &layers->first_up, &layers->up);
  g_free (buses.length);
  g_free (buses.first);
  return !g_cancellable_is_cancelled (layers->cancellable);
}
