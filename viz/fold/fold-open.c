/* fold-open.c — chooses the groups that are open at first.
 *
 * Opens groups breadth first from the root while the number of visible boxes stays within
 * MAX_VISIBLE; the cells of a chain open together or not at all.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/fold/fold-private.h"

/* Most steps of a chain that are drawn one by one at first; the same limit as in folds.c. */
#define SHOWN_STEPS 8

/* Boxes that are visible at first. */
#define MAX_VISIBLE 60

/* Not visible at first: rows of their consumers, and details inside operators. */
#define HIDDEN (VIZ_BOX_FOLDED | VIZ_BOX_INSIDE)

typedef struct
{
  guint32 *first, *child; /* the children of box i: child[first[i]] to child[first[i + 1] - 1] */
  guint32  n_visible;     /* boxes shown by the groups opened so far */
} Tree;

static Tree
tree_new (const VizDiagramBuilder *builder)
{
  guint32 n = viz_diagram_builder_n_boxes (builder);
  Tree    tree = { g_new0 (guint32, n + 2), g_new (guint32, n + 1), 0 };

  for (guint32 i = 1; i < n; i++)
    if ((viz_diagram_builder_box (builder, i)->flags & HIDDEN) == 0)
      tree.first[viz_diagram_builder_box (builder, i)->parent + 2]++;
  for (guint32 i = 0; i < n; i++)
    tree.first[i + 2] += tree.first[i + 1];
  for (guint32 i = 1; i < n; i++)
    if ((viz_diagram_builder_box (builder, i)->flags & HIDDEN) == 0)
      tree.child[tree.first[viz_diagram_builder_box (builder, i)->parent + 1]++] = i;
  return tree;
}

static guint32
n_children (const Tree *tree, guint32 box)
{
  return tree->first[box + 1] - tree->first[box];
}

/* The number of boxes that opening a box makes visible; 0 if it has no children. */
static guint32
cost_of_opening (const VizDiagramBuilder *builder, const Tree *tree, guint32 box)
{
  guint32 n = n_children (tree, box);

  if (viz_diagram_builder_box (builder, box)->kind == VIZ_BOX_STEPS)
    {
      gint32 layers = 1;

      for (guint32 i = tree->first[box]; i < tree->first[box + 1]; i++)
        layers = MAX (layers, viz_diagram_builder_box (builder, tree->child[i])->layer + 1);
      n = MIN (n, SHOWN_STEPS * (guint32) layers);
    }
  return n;
}

/* Opens all cells of a chain, or none if the chain is long or its cells hold too many boxes. */
static void
open_cells (VizDiagramBuilder *builder, Tree *tree, guint32 steps, GArray *queue)
{
  guint32 cost = 0;

  for (guint32 i = tree->first[steps]; i < tree->first[steps + 1]; i++)
    {
      if (viz_diagram_builder_box (builder, tree->child[i])->step >= SHOWN_STEPS)
        return;
      cost += n_children (tree, tree->child[i]);
    }
  if (tree->n_visible + cost > MAX_VISIBLE)
    return;
  tree->n_visible += cost;
  for (guint32 i = tree->first[steps]; i < tree->first[steps + 1]; i++)
    {
      viz_diagram_builder_add_flags (builder, tree->child[i], VIZ_BOX_OPEN);
      g_array_append_val (queue, tree->child[i]);
    }
}

void
viz_fold_choose_open (VizDiagramBuilder *builder)
{
  Tree    tree = tree_new (builder);
  GArray *queue = g_array_new (FALSE, FALSE, sizeof (guint32));
  guint32 root = VIZ_ROOT;

  tree.n_visible = n_children (&tree, VIZ_ROOT);
  g_array_append_val (queue, root);
  for (guint at = 0; at < queue->len; at++)
    {
      guint32 group = g_array_index (queue, guint32, at);

      if (viz_diagram_builder_box (builder, group)->kind == VIZ_BOX_STEPS)
        {
          open_cells (builder, &tree, group, queue);
          continue;
        }
      for (guint32 i = tree.first[group]; i < tree.first[group + 1]; i++)
        {
          guint32 child = tree.child[i], cost = cost_of_opening (builder, &tree, child);

          if (cost == 0 || viz_diagram_builder_box (builder, child)->flags & VIZ_BOX_TWINS ||
              tree.n_visible + cost > MAX_VISIBLE)
            continue;
          tree.n_visible += cost;
          viz_diagram_builder_add_flags (builder, child, VIZ_BOX_OPEN);
          g_array_append_val (queue, child);
        }
    }
  g_array_unref (queue);
  g_free (tree.child);
  g_free (tree.first);
}
