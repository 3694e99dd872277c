/* convolution.h — helpers shared by Convolution, Deconvolution, _fused_convolution and the
 * passes that rewrite convolutions.  Implemented in convolution.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/convolution/convolve.h"
#include "engine/op/layer-rules.h"

/* Describes, for kernels/convolution, a window over data (batch, channels, space…) that gives
 * output (batch, filters, space…).  Both shapes must be known. */
HybConvolve hyb_convolution_view (const HybWindow *window,
                                  gint64           groups,
                                  gint64           filters,
                                  const HybShape  *data,
                                  const HybShape  *output);
/* The same for a call of Convolution or of one of its gradients. */
HybConvolve hyb_convolution_view_call (const HybCall *call);

/* Checks, for the check() of an operator, that groups divides filters; FALSE sets the error. */
gboolean hyb_convolution_check_groups (gint64 filters, gint64 groups, GError **error);
/* Checks, when shapes are inferred, that groups divides the channels of the data, which may be
 * HYB_UNKNOWN; FALSE sets the error. */
gboolean hyb_convolution_expect_groups (gint64 channels, gint64 groups, GError **error);

/* The cost of a call that computes convolve and, if it is not a gradient and has three inputs, adds a bias. */
void hyb_convolution_cost (const HybCall *call, const HybConvolve *convolve, HybCost *cost);

/* Always FALSE: sets the error for a channel-last layout.  MXNet's CPU build refuses it too,
 * though only when it runs. */
gboolean hyb_convolution_refuse_layout (const char *layout, GError **error);
