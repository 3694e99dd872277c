/* convolution.h — what the operators and passes share that convolve.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/kernels/convolution/convolve.h"
#include "engine/op/layer-rules.h"

/* The kernels' view of a window over data that gives output (batch, filters, places…); types
 * are known. */
HybConvolve hyb_convolution_view (const HybWindow *window,
                                  gint64           groups,
                                  gint64           filters,
                                  const HybShape  *data,
                                  const HybShape  *output);
/* The same of one use of Convolution. */
HybConvolve hyb_convolution_view_call (const HybCall *call);

/* FALSE, and why: MXNet refuses channels in the last place on the CPU when it runs, here that
 * is known while planning. */
gboolean hyb_convolution_refuse_layout (const char *layout, GError **error);

/* By the data and the weight through the operators named, and by the bias if there is one. */
void hyb_convolution_gradient (HybGrad *grad, const char *by_data, const char *by_weight);
