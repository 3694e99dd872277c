/* cond-params.h — attributes of _cond, shared by cond.c and its gradient, cond-gradient.c.
 *
 * A _cond node owns three bodies: a predicate of one element and two branches.  The attributes
 * say which inputs of the node feed the variables of each body.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/op/op.h"

enum
{
  HYB_COND_PREDICATE,
  HYB_COND_THEN,
  HYB_COND_ELSE,
  HYB_COND_N_BODIES,
};

typedef struct
{
  gint64  num_args;        /* inputs of the node and its bodies */
  gint64  num_outputs;     /* of either branch */
  HybInts cond_input_locs; /* by variable of the predicate: the input that feeds it */
  HybInts then_input_locs; /* the same for the branches */
  HybInts else_input_locs;
} HybCondParams;

/* The rows of an attribute table whose struct starts with HybCondParams. */
#define HYB_COND_FIELDS                                                                           \
  { HYB_FIELD (HybCondParams, num_args),                                                          \
    HYB_PARAM_INT,                                                                                \
    NULL,                                                                                         \
    .low = 3,                                                                                     \
    .high = 65536,                                                                                \
    .doc = "number of inputs and the three subgraphs" },                                          \
      { HYB_FIELD (HybCondParams, num_outputs),     HYB_PARAM_INT, NULL, .low = 1, .high = 65536, \
        .doc = "number of outputs of either branch" },                                            \
      { HYB_FIELD (HybCondParams, cond_input_locs), HYB_PARAM_INTS, NULL,                         \
        .doc = "inputs that feed the predicate's variables" },                                    \
      { HYB_FIELD (HybCondParams, then_input_locs), HYB_PARAM_INTS, NULL,                         \
        .doc = "inputs that feed the first branch's variables" },                                 \
  {                                                                                               \
    HYB_FIELD (HybCondParams, else_input_locs), HYB_PARAM_INTS, NULL,                             \
        .doc = "inputs that feed the second branch's variables"                                   \
  }

extern const HybParam hyb_cond_params[]; /* HYB_COND_FIELDS alone */

/* Names of the bodies in messages. */
extern const char *const hyb_cond_body_names[HYB_COND_N_BODIES];

/* HybOp.check: FALSE and an error unless all locations are inputs of the node. */
gboolean hyb_cond_check (gconstpointer params, GError **error);

/* By variable of a body: the input of the node that feeds it. */
const HybInts *hyb_cond_locations (const HybCondParams *params, guint body);
