/* fold-twins.c — groups many equal boxes in parallel.
 *
 * Eighty slices between one split and one concat show no more than a single slice, but make the
 * picture eighty boxes wide.  They become one closed group, "80 × slice". Start reading at
 * viz_fold_twins().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/fold/fold-private.h"

#include "viz/diagram/short-names.h"

#include <string.h>

#define MIN_TWINS 12

static gboolean
can_be_twin (const VizDiagramBuilder *builder, guint32 number, guint32 n_given)
{
  const VizBox *box = viz_diagram_builder_box (builder, number);

  return number < n_given && box->kind == VIZ_BOX_OPERATOR && box->step < 0 &&
         (box->flags & (VIZ_BOX_FOLDED | VIZ_BOX_INSIDE | VIZ_BOX_HEADER | VIZ_BOX_PROBLEM)) == 0;
}

/* Per box whether it may have twins: each of its inputs feeds, and each of its outputs is fed by, at
 * least MIN_TWINS boxes.  Most boxes are excluded, which saves describing them.  (transfer full) */
static guint8 *
find_candidates (const VizDiagramBuilder *builder, guint32 n_given)
{
  guint32             n = viz_diagram_builder_n_boxes (builder);
  guint8             *candidates = g_new0 (guint8, n + 1);
  g_autofree guint32 *n_out = g_new0 (guint32, n + 1), *n_in = g_new0 (guint32, n + 1);

  for (guint32 i = 1; i < n_given; i++)
    candidates[i] = can_be_twin (builder, i, n_given);
  for (guint32 i = 0; i < viz_diagram_builder_n_arrows (builder); i++)
    {
      n_out[viz_diagram_builder_arrow (builder, i)->tail]++;
      n_in[viz_diagram_builder_arrow (builder, i)->head]++;
    }
  for (guint32 i = 0; i < viz_diagram_builder_n_arrows (builder); i++)
    {
      const VizArrow *arrow = viz_diagram_builder_arrow (builder, i);

      if (viz_diagram_builder_box (builder, arrow->tail)->flags & VIZ_BOX_FOLDED)
        continue;
      candidates[arrow->head] &= n_out[arrow->tail] >= MIN_TWINS;
      candidates[arrow->tail] &= n_in[arrow->head] >= MIN_TWINS;
    }
  return candidates;
}

/* Per candidate a text that is equal for twins: parent, operator, inputs and outputs; NULL for other
 * boxes. */
static GString **
describe_ends (const VizDiagramBuilder *builder, guint32 n_given)
{
  GString          **ends = g_new0 (GString *, n_given + 1);
  g_autofree guint8 *candidates = find_candidates (builder, n_given);

  for (guint32 i = 1; i < n_given; i++)
    if (candidates[i])
      {
        const VizBox *box = viz_diagram_builder_box (builder, i);

        ends[i] = g_string_new (NULL);
        g_string_printf (ends[i], "%u %s", box->parent, box->title ? box->title : "");
      }
  for (guint32 i = 0; i < viz_diagram_builder_n_arrows (builder); i++)
    {
      const VizArrow *arrow = viz_diagram_builder_arrow (builder, i);

      if (viz_diagram_builder_box (builder, arrow->tail)->flags & VIZ_BOX_FOLDED)
        continue;
      if (arrow->tail < n_given && ends[arrow->tail])
        g_string_append_printf (ends[arrow->tail], " >%u", arrow->head);
      if (arrow->head < n_given && ends[arrow->head])
        g_string_append_printf (ends[arrow->head], " <%u", arrow->tail);
    }
  return ends;
}

void
viz_fold_add_group (VizDiagramBuilder *builder, const VizBoxInfo *info, const GArray *boxes)
{
  guint32 group = viz_diagram_builder_add_box (builder, info);

  for (guint i = 0; i < boxes->len; i++)
    viz_diagram_builder_set_parent (builder, g_array_index (boxes, guint32, i), group);
}

static void
add_group (VizDiagramBuilder *builder, const GArray *twins)
{
  guint32          first = g_array_index (twins, guint32, 0);
  const VizBox    *box = viz_diagram_builder_box (builder, first);
  g_autofree char *id = g_strdup_printf ("twins:%s", box->id);
  g_autofree char *name = viz_short_operator (box->title ? box->title : "");
  g_autofree char *title = g_strdup_printf ("%u × %s", twins->len, name);

  viz_fold_add_group (builder,
                      &(VizBoxInfo){ .id = id,
                                     .title = title,
                                     .kind = VIZ_BOX_SCOPE,
                                     .category = box->category,
                                     .flags = VIZ_BOX_TWINS,
                                     .parent = box->parent,
                                     .user = VIZ_NO_USER },
                      twins);
}

void
viz_fold_twins (VizDiagramBuilder *builder, guint32 n_given)
{
  GString  **ends = describe_ends (builder, n_given);
  GPtrArray *groups = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint32 i = 1; i < n_given; i++)
    {
      GArray *twins;

      if (!ends[i])
        continue;
      twins = g_hash_table_lookup (known, ends[i]->str);
      if (!twins)
        {
          twins = g_array_new (FALSE, FALSE, sizeof (guint32));
          g_hash_table_insert (known, ends[i]->str, twins);
          g_ptr_array_add (groups, twins);
        }
      g_array_append_val (twins, i);
    }
  for (guint i = 0; i < groups->len; i++)
    {
      const GArray *twins = g_ptr_array_index (groups, i);

      /* Boxes without inputs and outputs are not in parallel to each other. */
      if (twins->len >= MIN_TWINS && strpbrk (ends[g_array_index (twins, guint32, 0)]->str, "<>"))
        add_group (builder, twins);
    }
  g_ptr_array_unref (groups);
  for (guint32 i = 0; i < n_given; i++)
    if (ends[i])
      g_string_free (ends[i], TRUE);
  g_free (ends);
}
