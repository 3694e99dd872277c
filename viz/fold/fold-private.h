/* fold-private.h — the tree of name parts, shared by the files of fold.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/diagram/diagram.h"

G_BEGIN_DECLS

#define VIZ_NO_CELL G_MAXUINT32

/* One part of a name, "l0" in "lstm_l0_t3_i2h"; the boxes below it share the parts up to here. */
typedef struct
{
  guint32     parent; /* 0: the group whose children are being named */
  const char *token;
  char        separator; /* what follows the token: '/', '_' or '.' */
  guint32     n_leaves;
  guint32     cell;  /* this part names one cell of a chain */
  guint32     group; /* box that stands for it, or for the nearest part above that has one */
} VizNamePart;

/* A chain found among the parts: "t0", "t1", … below one part. */
typedef struct
{
  guint32  part; /* their common parent */
  guint32  n_steps;
  gint32   first; /* number of the first */
  guint32 *cells; /* parts by step */
  guint32  band;  /* chains of one band are layers of one grid */
  gint32   layer;
  char    *stem; /* "t" */
} VizChain;

typedef struct
{
  VizDiagramBuilder *builder;
  guint32            group;   /* whose children these are */
  GArray            *members; /* guint32 boxes */
  GStringChunk      *strings;
  GArray            *parts;   /* VizNamePart; 0 is the group itself */
  guint32           *part_of; /* per box of the diagram; only members are set */
  guint32            n_boxes;
  GArray            *chains; /* VizChain */
} VizNames;

static inline VizNamePart *
viz_names_part (const VizNames *names, guint32 part)
{
  return &g_array_index (names->parts, VizNamePart, part);
}

/* Which chain and step a box belongs to. */
typedef struct
{
  guint32 chain; /* + 1; 0: none */
  guint32 step;
} VizPlace;

/* Fills parts and part_of from the names of the members. */
void viz_names_read (VizNames *names);

/* Makes scopes from parts (only if by_name), and moves every member into the group of its part. */
void viz_names_add_scopes (VizNames *names, gboolean by_name);

/* "lstm_l0": all tokens down to part.  (transfer full) */
char *viz_names_path (const VizNames *names, guint32 part);

/* Per box the part that names the cell it should belong to; 0: none.  (transfer full) */
guint32 *viz_names_absorb (const VizNames *names, const VizPlace *places);

void viz_names_find_chains (VizNames *names);
/* Makes the VIZ_BOX_STEPS and their cells; parts of cells get these as groups. */
void viz_names_add_chains (VizNames *names);

/* Dissolves the scopes among the boxes from n_given on that lie on a cycle of arrows. */
void viz_fold_dissolve_cycles (VizDiagramBuilder *builder, guint32 n_given);

/* Groups of equal structure among what names left over; n_given: boxes before folding.  FALSE:
 * there are none. */
gboolean viz_fold_repeats (VizDiagramBuilder *builder, guint32 n_given);

/* Groups of operators that stand between the same ends. */
void viz_fold_twins (VizDiagramBuilder *builder, guint32 n_given);

/* Sets VIZ_BOX_OPEN on what may stand open at first. */
void viz_fold_open (VizDiagramBuilder *builder);

G_END_DECLS
