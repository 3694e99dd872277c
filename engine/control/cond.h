/* cond.h — attributes of _cond, which its gradient has too.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/control/control-flow.h"

typedef struct
{
  gint64  num_args;
  gint64  num_outputs;
  HybInts cond_input_locs;
  HybInts then_input_locs;
  HybInts else_input_locs;
} HybCondParams;

/* For a struct that starts with HybCondParams. */
#define HYB_COND_FIELDS                                                                       \
  { HYB_FIELD (HybCondParams, num_args),    HYB_PARAM_INT, NULL, .low = 3, .high = 65536,     \
    .doc = "inputs and the three subgraphs" },                                                \
      { HYB_FIELD (HybCondParams, num_outputs), HYB_PARAM_INT, NULL, .low = 1, .high = 65536, \
        .doc = "outputs of either branch" },                                                  \
      { HYB_FIELD (HybCondParams, cond_input_locs),                                           \
        HYB_PARAM_INTS,                                                                       \
        NULL,                                                                                 \
        .doc = "inputs that the predicate's variables are" },                                 \
      { HYB_FIELD (HybCondParams, then_input_locs),                                           \
        HYB_PARAM_INTS,                                                                       \
        NULL,                                                                                 \
        .doc = "inputs that the first branch's variables are" },                              \
  {                                                                                           \
    HYB_FIELD (HybCondParams, else_input_locs), HYB_PARAM_INTS, NULL,                         \
        .doc = "inputs that the second branch's variables are"                                \
  }

gboolean              hyb_cond_check (gconstpointer params, GError **error);
extern const HybParam hyb_cond_params[];

void hyb_cond_differentiate (HybGrad *grad);
