/* beside.h — a measurement of a model beside the profile that another program made of it, node by node.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/exchange/import.h"
#include "profiler/summary/summary.h"

/* Nodes of the model that at least one of the two programs computes together. */
typedef struct
{
  GPtrArray *nodes;  /* of const char *: names in the order of the model, owned by theirs */
  char      *ours;   /* the node that computes them here: "conv3 (Convolution)"; "" if none does */
  char      *theirs; /* the node that computes them there: "FusedConv_3"; "" if none does */
  double     ours_seconds, theirs_seconds; /* of one run; 0 if nothing ran */
} ProfBesideRow;

/* The two sides of a comparison.  All members are borrowed. */
typedef struct
{
  HybGraph          *graph; /* the model's */
  const ProfCapture *ours;  /* a measurement of that model */
  const ProfSummary *ours_summary;
  const ProfCapture *theirs; /* prof_import_trace() made it, */
  const ProfSummary *theirs_summary;
  const ProfImport  *import; /* and this with it */
} ProfBeside;

/* The nodes of the model that ran in either program, in groups: nodes that a program computes together are in one.  A node
 * that did not run there is counted with the last node before it that did.  unplaced: (out) seconds of our nodes without a
 * node of the model.  (transfer full) array of ProfBesideRow; longest first in one of the two */
GArray *prof_beside_list (const ProfBeside *beside, double *unplaced);
