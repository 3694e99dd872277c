/* fold-open.c — chooses the groups that are open at first.
 *
 * Opens groups breadth first from the root while the number of visible boxes stays within
 * MAX_VISIBLE.  The cells of a chain, and groups that are numbered alike, open together or not at all.
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

/* The kind and the title of a group without numbers.  (transfer full) */
static char *
family_name (const VizBox *box)
{
  GString *name = g_string_new (NULL);

  g_string_append_printf (name, "%u ", box->kind);
  for (const char *at = box->title ? box->title : ""; *at != '\0'; at++)
    if (!g_ascii_isdigit (*at))
      g_string_append_c (name, *at);
  return g_string_free (name, FALSE);
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

          if (cost == 0 || box->flags & VIZ_BOX_TWINS)
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

/* Opens the groups of a family, and adds it to the queue. */
static void
open_family (VizDiagramBuilder *builder, Tree *tree, Family *family, GPtrArray *queue)
{
  tree->n_visible += family->cost;
  for (guint i = 0; i < family->groups->len; i++)
    viz_diagram_builder_add_flags (builder,
                                   g_array_index (family->groups, guint32, i),
                                   VIZ_BOX_OPEN);
  g_ptr_array_add (queue, family);
}

/* Opens all cells of a chain, or none if the chain is long or its cells hold too many boxes. */
static void
open_cells (VizDiagramBuilder *builder, Tree *tree, guint32 steps, GPtrArray *queue)
{
  Family *cells;
  guint32 cost = 0;

  for (guint32 i = tree->first[steps]; i < tree->first[steps + 1]; i++)
    {
      if (viz_diagram_builder_box (builder, tree->child[i])->step >= SHOWN_STEPS)
        return;
      cost += n_children (tree, tree->child[i]);
    }
  if (tree->n_visible + cost > MAX_VISIBLE)
    return;
  cells = family_new ();
  cells->cost = cost;
  g_array_append_vals (cells->groups,
                       tree->child + tree->first[steps],
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

          if (tree.n_visible + next->cost > MAX_VISIBLE)
            continue;
          inner->pdata[i] = family_new (); /* freed with inner; the queue owns next */
          open_family (builder, &tree, next, queue);
        }
    }
  g_free (tree.child);
  g_free (tree.first);
}
