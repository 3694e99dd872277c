/* convolutions.h — finds convolutions and replaces them with fused ones.
 *
 * Shared by the passes fold-batch-norm, fold-scales, transform-filters and finish-convolutions.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/analysis/pass.h"
#include "engine/analysis/rewrite.h"
#include "engine/kernels/convolution/convolve.h"

typedef struct
{
  HybGraph    *graph;
  HybFacts    *facts;
  const HybOp *convolution, *fused;
  guint8      *is_head; /* by value */
} HybConvolutions;

/* Prepares the search for convolutions in a graph. */
void hyb_convolutions_init (HybConvolutions *convolutions, HybGraph *graph, HybFacts *facts);
/* Frees what hyb_convolutions_init() allocated. */
void hyb_convolutions_clear (HybConvolutions *convolutions);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HybConvolutions, hyb_convolutions_clear)

/* Describes a Convolution of floats as kernels see it.  FALSE if the node is not one. */
gboolean
hyb_convolutions_view (const HybConvolutions *convolutions, HybNodeId id, HybConvolve *convolve);
/* TRUE if fold-constants will compute this value while planning. */
gboolean hyb_convolutions_is_constant (const HybConvolutions *convolutions, HybValueId value);
/* The only reader of a value.  HYB_NO_ID if the value is a head or has no or several readers. */
HybNodeId hyb_convolutions_only_user (const HybConvolutions *convolutions, HybValueId value);

/* How a fused convolution differs from the one that it replaces. */
typedef struct
{
  HybValueId  weight; /* in the new graph; HYB_NO_ID: unchanged */
  HybValueId  other;  /* in the new graph, added to the result; HYB_NO_ID: nothing */
  gboolean    rectifies, is_winograd;
  const char *slope; /* of negative results, if it rectifies; NULL: 0 */
} HybFusion;

/* Adds a _fused_convolution that replaces a Convolution or another fused one (node id of the old
 * graph).  Its result replaces the result of the old node `last`. */
void hyb_convolutions_emit (const HybConvolutions *convolutions,
                            HybRewrite            *rewrite,
                            HybNodeId              id,
                            HybNodeId              last,
                            const HybFusion       *fusion);
/* As hyb_rewrite_add(), but spec->name is a suffix to the name of the old node. */
HybValueId hyb_convolutions_add (HybRewrite *rewrite, HybNodeId origin, const HybNodeSpec *spec);
/* Adds the Convolution that replaces an old one and everything up to the old node `last`: folded is its weight, the value
 * after that its bias. */
void hyb_convolutions_replace (HybRewrite *rewrite,
                               HybNodeId   convolution,
                               HybNodeId   last,
                               HybValueId  folded);
