/* while-states.h — makes the values that the states of a while_loop begin with.
 *
 * MXNet infers no shapes before such a loop runs, and does not differentiate through a state whose
 * first value needs no gradient.  Both matter where a state begins with a constant.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/variants/rebuild.h"

/* A loop whose states are made.  The caller fills everything. */
typedef struct
{
  HybRebuild   *rebuild;
  HybValueId    data;      /* new value: the inputs of all steps, time on axis 0 */
  HybValueId    one_input; /* old value: the input of one step; HYB_NO_ID: not known */
  const GArray *captured;  /* of HybValueId: old values that every step reads */
} HybWhileStates;

/* The new value that a state begins with, which the old graph calls begin. */
HybValueId hyb_while_initial_state (const HybWhileStates *states, HybValueId begin);
