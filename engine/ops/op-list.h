/* op-list.h — every file of operators, named once: HYB_OPS (softmax) is the
 * array hyb_ops_softmax at the bottom of softmax.c.  Alphabetical, no guard: it
 * is included once to declare and once to list.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
HYB_OPS (gradient_helpers)
HYB_OPS (activation)
HYB_OPS (batch_norm)
HYB_OPS (convolution)
HYB_OPS (deconvolution)
HYB_OPS (fully_connected)
HYB_OPS (leaky_relu)
HYB_OPS (rnn)
HYB_OPS (softmax)
HYB_OPS (variable)
