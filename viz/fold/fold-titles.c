/* fold-titles.c — distinguishes groups with equal titles.
 *
 * The eight modules of a SqueezeNet are all titled "conv … Concat".  Siblings that folding gave equal titles are
 * numbered in the order of the file, which follows the flow: "conv … Concat (3)".  Groups of boxes in parallel are not:
 * they stand side by side, and their readers distinguish them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/fold/fold-private.h"

typedef struct
{
  guint32     group, parent;
  guint32     first;               /* the first box in it */
  const char *title;               /* the builder keeps one copy of equal texts */
  guint32     n_equal, n_numbered; /* of the first of several: groups with its title and parent */
} Titled;

static guint
titled_hash (gconstpointer data)
{
  const Titled *titled = data;

  return g_direct_hash (titled->title) * 31u + titled->parent;
}

static gboolean
titled_equal (gconstpointer a, gconstpointer b)
{
  const Titled *left = a, *right = b;

  return left->title == right->title && left->parent == right->parent;
}

static int
compare_first (gconstpointer a, gconstpointer b)
{
  const Titled *left = a, *right = b;

  return left->first < right->first ? -1 : left->first > right->first;
}

/* The scopes of boxes in a row that folding added, in the order of their first boxes.  (transfer full) */
static GArray *
find_titled (const VizDiagramBuilder *builder, guint32 n_given)
{
  guint32             n = viz_diagram_builder_n_boxes (builder);
  GArray             *all = g_array_new (FALSE, FALSE, sizeof (Titled));
  g_autofree guint32 *first = g_new0 (guint32, n);

  for (guint32 i = 1; i < n_given; i++)
    for (guint32 at = viz_diagram_builder_box (builder, i)->parent; at >= n_given && first[at] == 0;
         at = viz_diagram_builder_box (builder, at)->parent)
      first[at] = i;
  for (guint32 i = n_given; i < n; i++)
    {
      const VizBox *box = viz_diagram_builder_box (builder, i);
      Titled        titled = { i, box->parent, first[i], box->title, 0, 0 };

      if (box->kind == VIZ_BOX_SCOPE && (box->flags & VIZ_BOX_TWINS) == 0 && box->step < 0 &&
          box->title && !box->subtitle && first[i] > 0)
        g_array_append_val (all, titled);
    }
  g_array_sort (all, compare_first);
  return all;
}

void
viz_fold_number_titles (VizDiagramBuilder *builder, guint32 n_given)
{
  g_autoptr (GArray) all = find_titled (builder, n_given);
  g_autoptr (GHashTable) known = g_hash_table_new (titled_hash, titled_equal); /* the first ones */

  for (guint i = 0; i < all->len; i++)
    {
      Titled *titled = &g_array_index (all, Titled, i);
      Titled *first = g_hash_table_lookup (known, titled);

      if (!first)
        g_hash_table_add (known, titled);
      (first ? first : titled)->n_equal++;
    }
  for (guint i = 0; i < all->len; i++)
    {
      Titled          *titled = &g_array_index (all, Titled, i);
      Titled          *first = g_hash_table_lookup (known, titled);
      g_autofree char *title = NULL;

      if (first->n_equal == 1)
        continue;
      title = g_strdup_printf ("%s (%u)", titled->title, ++first->n_numbered);
      viz_diagram_builder_set_title (builder, titled->group, title);
    }
}
