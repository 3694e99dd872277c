/* fold-open.c — chooses the groups that are open at first.
 *
 * Opens groups breadth first from the root while the picture stays readable as a whole.  The cells of a chain, and groups
 * that are numbered alike, open together or not at all.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/fold/fold-private.h"

#include "viz/fold/folds.h"

#include <string.h>

/* A chain of up to VIZ_SMALL_CHAIN steps is drawn whole at first, of a longer one LONG_CHAIN boxes a layer. */
#define LONG_CHAIN 4

/* Boxes that are visible at first.  With 60, 18 of 287 pictures of models could not be read as a whole on a page, with
 * 40 six.  A picture of FEW boxes may open a group that leads to MAX_OF_FEW. */
#define MAX_VISIBLE 40
#define FEW         16
#define MAX_OF_FEW  60

/* Boxes in all cells of a chain, from which on they stay closed: open cells stand side by side and are wide. */
#define MAX_IN_CELLS 16

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

/* The number of steps of a chain, and of its layers. */
static guint32
measure_chain (const VizDiagramBuilder *builder, const Tree *tree, guint32 chain, guint32 *n_layers)
{
  gint32 first = G_MAXINT32, last = -1, layers = 0;

  for (guint32 i = tree->first[chain]; i < tree->first[chain + 1]; i++)
    {
      const VizBox *cell = viz_diagram_builder_box (builder, tree->child[i]);

      layers = MAX (layers, cell->layer + 1);
      if (cell->step < 0)
        continue;
      first = MIN (first, cell->step);
      last = MAX (last, cell->step);
    }
  *n_layers = (guint32) layers;
  return (guint32) MAX (last - first + 1, 0);
}

/* The number of boxes that opening a box makes visible; 0 if it has no children. */
static guint32
cost_of_opening (const VizDiagramBuilder *builder, const Tree *tree, guint32 box)
{
  guint32 n_layers;

  if (viz_diagram_builder_box (builder, box)->kind == VIZ_BOX_STEPS &&
      measure_chain (builder, tree, box, &n_layers) > VIZ_SMALL_CHAIN)
    return (LONG_CHAIN + 1) * n_layers;
  return n_children (tree, box);
}

/* --- Families --- */

/* Groups that open together or not at all: siblings whose titles differ only in numbers, and the cousins of
 * theirs in a family of their parents. */
typedef struct
{
  GArray *groups; /* guint32 */
  guint32 cost;   /* of opening all */
} Family;

static Family *
family_new (void)
{
  Family *family = g_new0 (Family, 1);

  family->groups = g_array_new (FALSE, FALSE, sizeof (guint32));
  return family;
}

static void
family_free (gpointer data)
{
  Family *family = data;

  g_array_unref (family->groups);
  g_free (family);
}

/* The kind and the title of a group without numbers; chains of steps are one family whatever they are called.
 * (transfer full) */
static char *
family_name (const VizBox *box)
{
  GString *name = g_string_new (NULL);

  g_string_append_printf (name, "%u %d ", box->kind, box->flags & VIZ_BOX_BLOCKS);
  if (box->kind == VIZ_BOX_STEPS)
    return g_string_free (name, FALSE);
  for (const char *at = box->title ? box->title : ""; *at != '\0'; at++)
    if (!g_ascii_isdigit (*at) && !strchr (" ()", *at))
      g_string_append_c (name, *at);
  return g_string_free (name, FALSE);
}

/* Whether a group is the body of a fused layer, which stays closed, as the layers beside it that are not fused. */
static gboolean
is_fused (const VizBox *box)
{
  return box->kind == VIZ_BOX_FRAME && box->category != VIZ_CATEGORY_CONTROL &&
         box->category != VIZ_CATEGORY_OTHER;
}

/* The families of the groups inside the groups of a family, in the order of their first groups.
 * (transfer full) */
static GPtrArray *
find_families (const VizDiagramBuilder *builder, const Tree *tree, const Family *parents)
{
  GPtrArray *families = g_ptr_array_new_with_free_func (family_free);
  g_autoptr (GHashTable) known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint p = 0; p < parents->groups->len; p++)
    {
      guint32 group = g_array_index (parents->groups, guint32, p);

      for (guint32 i = tree->first[group]; i < tree->first[group + 1]; i++)
        {
          const VizBox    *box = viz_diagram_builder_box (builder, tree->child[i]);
          guint32          cost = cost_of_opening (builder, tree, tree->child[i]);
          g_autofree char *name = NULL;
          Family          *family;

          if (cost == 0 || box->flags & VIZ_BOX_TWINS || is_fused (box))
            continue;
          name = family_name (box);
          family = g_hash_table_lookup (known, name);
          if (!family)
            {
              family = family_new ();
              g_ptr_array_add (families, family);
              g_hash_table_insert (known, g_steal_pointer (&name), family);
            }
          family->cost += cost;
          g_array_append_val (family->groups, tree->child[i]);
        }
    }
  return families;
}

/* Whether a picture stays readable when groups of this cost are opened. */
static gboolean
may_open (const Tree *tree, guint32 cost)
{
  return tree->n_visible + cost <= (tree->n_visible <= FEW ? MAX_OF_FEW : MAX_VISIBLE);
}

/* Opens the groups of a family, and adds it to the queue. */
static void
open_family (VizDiagramBuilder *builder, Tree *tree, Family *family, GPtrArray *queue)
{
  tree->n_visible += family->cost;
  for (guint i = 0; i < family->groups->len; i++)
    viz_diagram_builder_add_flags (builder, g_array_index (family->groups, guint32, i),
                                   VIZ_BOX_OPEN);
  g_ptr_array_add (queue, family);
}

/* Opens all cells of a chain, or none if the chain is long or its cells hold too many boxes. */
static void
open_cells (VizDiagramBuilder *builder, Tree *tree, guint32 steps, GPtrArray *queue)
{
  Family *cells;
  guint32 cost = 0, n_layers;

  for (guint32 i = tree->first[steps]; i < tree->first[steps + 1]; i++)
    cost += n_children (tree, tree->child[i]);
  if (measure_chain (builder, tree, steps, &n_layers) > VIZ_SMALL_CHAIN || cost > MAX_IN_CELLS ||
      !may_open (tree, cost))
    return;
  cells = family_new ();
  cells->cost = cost;
  g_array_append_vals (cells->groups, tree->child + tree->first[steps],
                       tree->first[steps + 1] - tree->first[steps]);
  open_family (builder, tree, cells, queue);
}

void
viz_fold_choose_open (VizDiagramBuilder *builder)
{
  Tree    tree = tree_new (builder);
  guint32 root = VIZ_ROOT;
  Family *first = family_new ();
  g_autoptr (GPtrArray) queue = g_ptr_array_new_with_free_func (family_free);

  tree.n_visible = n_children (&tree, VIZ_ROOT);
  g_array_append_val (first->groups, root);
  g_ptr_array_add (queue, first);
  for (guint at = 0; at < queue->len; at++)
    {
      Family *family = queue->pdata[at];
      g_autoptr (GPtrArray) inner = NULL;

      if (viz_diagram_builder_box (builder, g_array_index (family->groups, guint32, 0))->kind ==
          VIZ_BOX_STEPS)
        {
          for (guint i = 0; i < family->groups->len; i++)
            open_cells (builder, &tree, g_array_index (family->groups, guint32, i), queue);
          continue;
        }
      inner = find_families (builder, &tree, family);
      for (guint i = 0; i < inner->len; i++)
        {
          Family *next = inner->pdata[i];

          if (!may_open (&tree, next->cost))
            continue;
          inner->pdata[i] = family_new (); /* freed with inner; the queue owns next */
          open_family (builder, &tree, next, queue);
        }
    }
  g_free (tree.child);
  g_free (tree.first);
}
