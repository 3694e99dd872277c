/* convolutions.h — what the passes share that look for convolutions and make others.
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

void hyb_convolutions_init (HybConvolutions *convolutions, HybGraph *graph, HybFacts *facts);
void hyb_convolutions_clear (HybConvolutions *convolutions);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HybConvolutions, hyb_convolutions_clear)

/* The kernels' view of a Convolution of floats; FALSE: it is none. */
gboolean
hyb_convolutions_view (const HybConvolutions *convolutions, HybNodeId id, HybConvolve *convolve);
/* Whether fold-constants will know what this value holds. */
gboolean hyb_convolutions_is_constant (const HybConvolutions *convolutions, HybValueId value);
/* The one node that reads a value which is no head; HYB_NO_ID: there is none or there are more. */
HybNodeId hyb_convolutions_only_user (const HybConvolutions *convolutions, HybValueId value);

/* What is different from the convolution a fused one is made from. */
typedef struct
{
  HybValueId weight; /* of the new graph; HYB_NO_ID: what there was */
  HybValueId other;  /* likewise; HYB_NO_ID: nothing added */
  gboolean   rectifies, is_winograd;
} HybFusion;

/* A _fused_convolution from a Convolution or another fused one (node id of the old graph);
 * returns its value, HYB_NO_ID and an error. */
HybValueId hyb_convolutions_emit (const HybConvolutions *convolutions,
                                  HybRewrite            *rewrite,
                                  HybNodeId              id,
                                  const HybFusion       *fusion,
                                  GError               **error);
/* A node that stands for this one: its name with a suffix. */
HybValueId hyb_convolutions_add (HybRewrite        *rewrite,
                                 HybNodeId          origin,
                                 const HybOp       *op,
                                 const char        *suffix,
                                 guint              n_inputs,
                                 const HybValueId  *inputs,
                                 const char *const *attributes,
                                 GError           **error);
