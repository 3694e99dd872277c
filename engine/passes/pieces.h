/* pieces.h — finds patterns of several nodes that one operator replaces.
 *
 * A pass gives a function that matches a pattern at its last node; hyb_pieces_replace() tries it and rewrites the graph.
 * Nodes of a pattern must have no reader outside of it, so nothing is replaced while training: the backward pass reads them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/analysis/facts.h"

#define HYB_MAX_PIECES        16
#define HYB_MAX_PIECES_INPUTS 6

/* A graph in which patterns are searched. */
typedef struct
{
  HybGraph *graph;
  HybFacts *facts;
} HybPieces;

/* The replacement of a pattern. match() fills it. */
typedef struct
{
  HybNodeId   pieces[HYB_MAX_PIECES]; /* the nodes of the pattern but the last one */
  guint       n_pieces;
  const char *op;
  char      **attributes; /* key, value, …, NULL; owned */
  HybValueId  inputs[HYB_MAX_PIECES_INPUTS];
  guint       n_inputs;
} HybReplacement;

/* A pattern.  Names of operators are NULL-terminated. */
typedef struct
{
  const char *const *last;  /* one of these is its last node */
  const char *const *needs; /* a graph without any of these has none */

  /* TRUE if the node, one of last, is the last one of a pattern. */
  gboolean (*match) (const HybPieces *pieces, HybNodeId id, HybReplacement *found);
} HybPattern;

/* Replaces all patterns.  The graph to continue with, as HybPass.run() returns it. */
HybGraph *hyb_pieces_replace (HybGraph         *graph,
                              HybFacts         *facts,
                              const HybPattern *pattern,
                              GArray           *map,
                              GError          **error);

/* The node that returns value. */
const HybNode *hyb_pieces_node (const HybPieces *pieces, HybValueId value);
/* Inputs of that node. */
const HybValueId *hyb_pieces_inputs (const HybPieces *pieces, HybValueId value);
/* The type of a value. */
const HybType *hyb_pieces_type (const HybPieces *pieces, HybValueId value);
/* TRUE if value is float and its shape is known. */
gboolean hyb_pieces_is_float (const HybPieces *pieces, HybValueId value);
/* TRUE if one of these operators returns value.  names: NULL-terminated. */
gboolean
hyb_pieces_is_made_by (const HybPieces *pieces, HybValueId value, const char *const *names);
/* Reads a float constant of one element. */
gboolean hyb_pieces_read_number (const HybPieces *pieces, HybValueId value, double *number);
/* Adds the node that returns value to the pattern; FALSE if it has too many. */
gboolean hyb_pieces_add (const HybPieces *pieces, HybReplacement *found, HybValueId value);

/* Names of operators that do the same. */
extern const char *const hyb_pieces_sums[],
    *const hyb_pieces_differences[], *const hyb_pieces_products[], *const hyb_pieces_quotients[];
