/* fold.c — runs the steps of folding in order: weights, names, cycles, repeats, open groups.
 *
 * Each step is a file of its own (fold-private.h lists them).
 * Start reading at viz_fold(), at the end.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/fold/fold.h"

#include "viz/fold/fold-private.h"

static void
chain_clear (gpointer data)
{
  VizChain *chain = data;

  g_free (chain->cells);
  g_free (chain->stem);
}

typedef struct
{
  VizFoldWhat         what;
  const VizFoldHints *hints; /* (nullable) */
} Fold;

static void
fold_group (VizDiagramBuilder *builder,
            guint32            group,
            GArray            *members,
            guint32           *part_of,
            const Fold        *fold)
{
  VizNamePart root = { 0, "", '/', 0, VIZ_NO_CELL, group };
  VizNames    names = {
       .builder = builder,
       .group = group,
       .members = members,
       .strings = g_string_chunk_new (4096),
       .parts = g_array_new (FALSE, TRUE, sizeof (VizNamePart)),
       .part_of = part_of,
       .n_boxes = viz_diagram_builder_n_boxes (builder),
       .chains = g_array_new (FALSE, TRUE, sizeof (VizChain)),
       .hints = fold->hints,
  };

  g_array_set_clear_func (names.chains, chain_clear);
  g_array_append_val (names.parts, root);
  viz_names_read (&names);
  if (fold->what & VIZ_FOLD_REPEATS)
    {
      viz_names_find_chains (&names);
      viz_names_add_chains (&names);
    }
  if (fold->what & VIZ_FOLD_SCOPES)
    viz_names_adopt (&names);
  viz_names_add_scopes (&names, (fold->what & VIZ_FOLD_SCOPES) != 0);
  g_array_unref (names.chains);
  g_array_unref (names.parts);
  g_string_chunk_free (names.strings);
}

/* Folds by name inside each group that the diagram had before folding. */
static void
fold_names (VizDiagramBuilder *builder, const Fold *fold)
{
  guint32  n = viz_diagram_builder_n_boxes (builder);
  GArray **members = g_new0 (GArray *, n);
  guint32 *part_of = g_new0 (guint32, n);

  for (guint32 i = 1; i < n; i++)
    {
      const VizBox *box = viz_diagram_builder_box (builder, i);

      if (box->flags & (VIZ_BOX_FOLDED | VIZ_BOX_INSIDE) || box->step >= 0 ||
          box->kind == VIZ_BOX_INPUT || box->kind == VIZ_BOX_OUTPUT)
        continue;
      if (!members[box->parent])
        members[box->parent] = g_array_new (FALSE, FALSE, sizeof (guint32));
      g_array_append_val (members[box->parent], i);
    }
  for (guint32 i = 0; i < n; i++)
    if (members[i])
      {
        if (viz_diagram_builder_box (builder, i)->kind != VIZ_BOX_STEPS)
          fold_group (builder, i, members[i], part_of, fold);
        g_array_unref (members[i]);
      }
  g_free (part_of);
  g_free (members);
}

void
viz_fold (VizDiagramBuilder *builder, VizFoldWhat what, const VizFoldHints *hints)
{
  Fold    fold = { what, hints };
  guint32 n_given = viz_diagram_builder_n_boxes (builder);

  if (what & VIZ_FOLD_WEIGHTS)
    viz_fold_weights (builder);
  if (what & (VIZ_FOLD_SCOPES | VIZ_FOLD_REPEATS))
    fold_names (builder, &fold);
  if (what & VIZ_FOLD_REPEATS)
    viz_fold_series (builder, n_given);
  viz_fold_dissolve_cycles (builder, n_given);
  if (what & VIZ_FOLD_REPEATS && viz_fold_repeats (builder, n_given))
    viz_fold_dissolve_cycles (builder, n_given);
  if (what & VIZ_FOLD_REPEATS)
    {
      viz_fold_twins (builder, n_given);
      if (viz_fold_branches (builder, n_given))
        viz_fold_dissolve_cycles (builder, n_given);
    }
  viz_fold_number_titles (builder, n_given);
  viz_fold_choose_open (builder);
}
