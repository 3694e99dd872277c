/* inferred.h — the types of a graph of another format, and its lowered form.
 *
 * The last two results stay with the graph, since a command or window requests them several times.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/lower/lowering.h"
#include "engine/lower/open-dims.h"

typedef struct
{
  HybType    *given; /* of the variables, in their order */
  gboolean    training;
  HybType    *types;    /* by value */
  Sizes       sizes;    /* that the graph accepts */
  HybLowered *lowered;  /* with these */
  GArray     *refusals; /* of HybLoweringFault, of distinct sizes; NULL: it accepts them */
} HybInferred;

/* The types inferred from the variables and the file's declarations.  (transfer full) */
HybInferred *hyb_inferred_get (HybGraph *graph, const HybType *types, gboolean training);
/* Drops a reference; accepts NULL. */
void hyb_inferred_unref (HybInferred *inferred);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybInferred, hyb_inferred_unref)
