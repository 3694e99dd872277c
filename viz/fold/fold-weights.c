/* fold-weights.c — draws weights as rows of the boxes that read them.
 *
 * Before a fused RNN, Gluon reshapes all weights and joins them into one vector (_rnn_param_concat).  These
 * operators compute nothing that a reader of the picture looks for: they are folded too, and the weights
 * become rows of the RNN.  Start reading at viz_fold_weights().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/fold/fold-private.h"

/* The data of joining, per box. */
typedef struct
{
  VizDiagramBuilder *builder;
  guint32            n, n_arrows;
  guint32           *n_out; /* arrows that leave it */
  guint32 *owner;       /* the fused cell of which it only prepares the weights; VIZ_ROOT: none */
  guint8  *is_prepared; /* a folded weight, or moved about from such weights alone */
} Joined;

static gboolean
is_folded (const Joined *joined, guint32 box)
{
  return (viz_diagram_builder_box (joined->builder, box)->flags & VIZ_BOX_FOLDED) != 0;
}

static gboolean
is_mover (const Joined *joined, guint32 box)
{
  const VizBox *shown = viz_diagram_builder_box (joined->builder, box);

  return shown->kind == VIZ_BOX_OPERATOR && shown->category == VIZ_CATEGORY_MOVEMENT;
}

static gboolean
is_fused_cell (const Joined *joined, guint32 box)
{
  const VizBox *shown = viz_diagram_builder_box (joined->builder, box);

  return shown->kind == VIZ_BOX_OPERATOR && shown->category == VIZ_CATEGORY_RECURRENT;
}

/* Fills is_prepared.  Arrows were added with their heads, which come after their tails. */
static void
find_prepared (Joined *joined)
{
  g_autofree guint8 *has_other = g_new0 (guint8, joined->n),
                    *has_weight = g_new0 (guint8, joined->n);

  for (guint32 i = 0; i < joined->n; i++)
    joined->is_prepared[i] = is_folded (joined, i);
  for (guint32 i = 0; i < joined->n_arrows; i++)
    {
      const VizArrow *arrow = viz_diagram_builder_arrow (joined->builder, i);

      joined->n_out[arrow->tail]++;
      if (joined->is_prepared[arrow->tail])
        has_weight[arrow->head] = TRUE;
      else
        has_other[arrow->head] = TRUE;
      if (is_mover (joined, arrow->head))
        joined->is_prepared[arrow->head] = has_weight[arrow->head] && !has_other[arrow->head];
    }
}

/* Folds operators that join weights for fused cells, from the cells upwards, and gives the weights to
 * the cells. */
static void
fold_joined (VizDiagramBuilder *builder)
{
  guint32 n = viz_diagram_builder_n_boxes (builder);
  Joined  joined = {
     .builder = builder,
     .n = n,
     .n_arrows = viz_diagram_builder_n_arrows (builder),
     .n_out = g_new0 (guint32, n),
     .owner = g_new0 (guint32, n),
     .is_prepared = g_new0 (guint8, n),
  };

  find_prepared (&joined);
  for (guint32 i = joined.n_arrows; i-- > 0;)
    {
      const VizArrow *arrow = viz_diagram_builder_arrow (builder, i);
      guint32         tail = arrow->tail, owner = joined.owner[arrow->head];

      if (is_fused_cell (&joined, arrow->head))
        owner = arrow->head;
      if (owner == VIZ_ROOT || !joined.is_prepared[tail])
        continue;
      if (!is_folded (&joined, tail) && joined.n_out[tail] == 1)
        {
          joined.owner[tail] = owner;
          viz_diagram_builder_add_flags (builder, tail, VIZ_BOX_FOLDED);
        }
    }
  for (guint32 i = 0; i < joined.n_arrows; i++)
    {
      const VizArrow *arrow = viz_diagram_builder_arrow (builder, i);
      guint32         owner = joined.owner[arrow->head], weight = arrow->tail;

      if (owner != VIZ_ROOT && viz_diagram_builder_box (builder, weight)->kind == VIZ_BOX_WEIGHT)
        viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = weight, .head = owner });
    }
  g_free (joined.n_out);
  g_free (joined.owner);
  g_free (joined.is_prepared);
}

void
viz_fold_weights (VizDiagramBuilder *builder)
{
  guint32            n = viz_diagram_builder_n_boxes (builder);
  g_autofree guint8 *fed = g_new0 (guint8, n);
  g_autofree guint8 *used = g_new0 (guint8, n);

  for (guint32 i = 0; i < viz_diagram_builder_n_arrows (builder); i++)
    {
      const VizArrow *arrow = viz_diagram_builder_arrow (builder, i);

      fed[arrow->head] = TRUE;
      used[arrow->tail] |= viz_diagram_builder_box (builder, arrow->head)->kind != VIZ_BOX_OUTPUT;
    }
  for (guint32 i = 1; i < n; i++)
    if (viz_diagram_builder_box (builder, i)->kind == VIZ_BOX_WEIGHT && used[i] && !fed[i])
      viz_diagram_builder_add_flags (builder, i, VIZ_BOX_FOLDED);
  for (guint32 i = 1; i < n; i++)
    if (viz_diagram_builder_box (builder, i)->flags & VIZ_BOX_PREPARED && used[i])
      viz_diagram_builder_add_flags (builder, i, VIZ_BOX_FOLDED);
  fold_joined (builder);
}
