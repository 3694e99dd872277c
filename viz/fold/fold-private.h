/* fold-private.h — the steps of folding, and the tree of name parts that some of them share.
 *
 * fold.c calls, in this order: fold-weights.c; fold-names.c (names into parts); fold-hints.c,
 * fold-steps.c, fold-absorb.c and fold-grids.c (chains of cells); fold-adopt.c and fold-names.c (scopes);
 * fold-series.c, fold-cycles.c, fold-repeats.c with fold-regions.c and fold-blocks.c, fold-twins.c, fold-branches.c,
 * fold-titles.c, fold-open.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/fold/fold.h"

#define VIZ_NO_CELL G_MAXUINT32

/* Finding bands compares all chains of a group with each other. */
#define VIZ_MAX_CHAINS 400

/* Adds a group and moves boxes, of guint32, into it. */
void viz_fold_add_group (VizDiagramBuilder *builder, const VizBoxInfo *info, const GArray *boxes);

/* One part of a name, as "l0" in "lstm_l0_t3_i2h".  All boxes below it share the parts up to it. */
typedef struct
{
  guint32     parent; /* 0: the group whose children are being named */
  const char *token;
  char        separator; /* the character after the token: '/', '_' or '.' */
  guint32     n_leaves;  /* boxes below this part */
  guint32     cell;      /* the box of the cell that this part names; VIZ_NO_CELL: it names none */
  guint32     group; /* the box made for this part, or for the nearest part above that has one */
} VizNamePart;

/* A chain of cells found among the parts: "t0", "t1", … below one part. */
typedef struct
{
  guint32  part; /* the parent of all its cells */
  guint32  n_steps;
  gint32   first; /* the number in the name of the first cell */
  guint32 *cells; /* parts by step, from 0 */
  guint32  band;  /* the first chain of the grid that this chain is a layer of */
  gint32   layer;
  char    *stem;      /* the name of a cell without its number: "t" */
  gboolean is_time;   /* the stem of time steps */
  gboolean is_hinted; /* from VizFoldHints, where stack and is_backward come from */
  guint32  stack;
  gboolean is_backward; /* runs from the last step to the first */
  guint32  twin;        /* number among the chains whose cells have the same path, from 0 */
  gboolean is_blocks;   /* its cells share no weights: they are layers, not steps of one cell */
  gboolean is_equal;    /* its cells have the same operators */
} VizChain;

/* The names of the children of one group. */
typedef struct
{
  VizDiagramBuilder  *builder;
  guint32             group;   /* the group */
  GArray             *members; /* guint32: its children */
  GStringChunk       *strings; /* owns the tokens */
  GArray             *parts;   /* VizNamePart, parents before children; 0 is the group itself */
  guint32            *part_of; /* per box of the diagram: its part; set for members only */
  guint32             n_boxes; /* of the diagram, before groups are added */
  GArray             *chains;  /* VizChain */
  const VizFoldHints *hints;   /* (nullable) */
} VizNames;

/* A part by number. */
static inline VizNamePart *
viz_names_part (const VizNames *names, guint32 part)
{
  return &g_array_index (names->parts, VizNamePart, part);
}

/* The chain and step that a box belongs to. */
typedef struct
{
  guint32 chain; /* index + 1; 0: no chain */
  guint32 step;  /* from 0 */
} VizChainStep;

/* Folds weights into the boxes that read them, and operators that join the weights of a fused cell into
 * its box. */
void viz_fold_weights (VizDiagramBuilder *builder);

/* Fills parts and part_of from the names of the members. */
void viz_names_read (VizNames *names);

/* Makes scopes from parts (only if by_name), and moves every member into the group of its part. */
void viz_names_add_scopes (VizNames *names, gboolean by_name);

/* "lstm_l0": all tokens down to part.  (transfer full) */
char *viz_names_path (const VizNames *names, guint32 part);

/* Adds a chain for each chain of the hints that has boxes among the members, and moves these boxes to the
 * parts of its cells.  Returns whether there were any. */
gboolean viz_names_add_hinted (VizNames *names);

/* The deepest part above both a and b. */
guint32 viz_names_common_part (const VizNames *names, guint32 a, guint32 b);

/* Moves members whose names have no parts into the parts between which they lie. */
void viz_names_adopt (VizNames *names);

/* Moves a box to another part. */
void viz_names_move_box (VizNames *names, guint32 box, guint32 part);

/* Fills places for all members from their parts.  absorbed: (nullable) from viz_names_absorb(). */
void viz_names_place_boxes (const VizNames *names, const guint32 *absorbed, VizChainStep *places);

/* Assigns operators whose names belong to no cell to the cell that they work for.  Returns, per box
 * of the diagram, the part that names this cell, or 0.  (transfer full) */
guint32 *viz_names_absorb (const VizNames *names, const VizChainStep *places);

/* Fills chains, and marks their arrows from step to step as states. */
void viz_names_find_chains (VizNames *names);

/* Adds a VIZ_BOX_STEPS for each band of chains, and its cells; sets cell and group of their parts. */
void viz_names_add_chains (VizNames *names);

/* Moves inputs and outputs that each step of a chain has for itself into the cells of their steps, and adds
 * one box for all of a kind.  n_given: the number of boxes before folding. */
void viz_fold_series (VizDiagramBuilder *builder, guint32 n_given);

/* Dissolves the scopes among the boxes from n_given on that lie on a cycle of arrows. */
void viz_fold_dissolve_cycles (VizDiagramBuilder *builder, guint32 n_given);

/* Whether an arrow joins a frame with a box of its body. */
static inline gboolean
viz_fold_is_inner (const VizDiagramBuilder *builder, const VizArrow *arrow)
{
  const guint32 ends[2] = { arrow->tail, arrow->head };

  for (guint e = 0; e < 2; e++)
    if (viz_diagram_builder_box (builder, ends[e])->kind == VIZ_BOX_FRAME)
      for (guint32 at = ends[1 - e]; at != VIZ_ROOT;
           at = viz_diagram_builder_box (builder, at)->parent)
        if (at == ends[e])
          return TRUE;
  return FALSE;
}

/* Finds equal regions of a diagram. */
typedef struct _VizRegions VizRegions;

/* The arrows between the boxes that the diagram has now.  (transfer full) */
VizRegions *viz_regions_new (VizDiagramBuilder *builder);
/* Frees the result of viz_regions_new(). */
void viz_regions_free (VizRegions *regions);

/* Groups equal regions of a sequence of siblings, given in the order of the flow, if they hold more than n_least
 * boxes.  Returns whether it did. */
gboolean viz_regions_fold (VizRegions *regions, const GArray *sequence, guint32 n_least);

/* Groups consecutive blocks of equal structure among the boxes that names did not group.  n_given:
 * the number of boxes before folding.  Returns whether it added a group. */
gboolean viz_fold_repeats (VizDiagramBuilder *builder, guint32 n_given);

/* Groups equal branches that one operator joins.  n_given: the number of boxes before folding.  Returns
 * whether it added a group. */
gboolean viz_fold_branches (VizDiagramBuilder *builder, guint32 n_given);

/* Groups many equal operators that read from and write to the same boxes. */
void viz_fold_twins (VizDiagramBuilder *builder, guint32 n_given);

/* Numbers the groups among the boxes from n_given on that have the same parent and title. */
void viz_fold_number_titles (VizDiagramBuilder *builder, guint32 n_given);

/* Sets VIZ_BOX_OPEN on the groups that are open at first. */
void viz_fold_choose_open (VizDiagramBuilder *builder);
