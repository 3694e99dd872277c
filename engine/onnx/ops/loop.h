/* loop.h — the description of a Loop that is lowered, for loop-while.c.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/onnx/ops/bodies.h"

/* Variables of the body: the counter, the condition, the states.  Heads: the condition, the states, the rows. */
enum
{
  COUNTER,
  CONDITION,
  FIRST_STATE,
};

/* A Loop that is being lowered. */
typedef struct
{
  HybLowering *lowering;
  guint        n_states, n_heads, n_rows;
  guint     n_lists; /* states that are lists to which each step appends an array: further rows */
  gboolean *is_list; /* by state */
  gint64    limit;   /* HYB_UNKNOWN: known only while running; G_MAXINT64: none */
  HybOnnxVariables variables;
  HybTensor       *yes; /* a condition that holds */
} HybOnnxLoop;

/* Values for the variables of the body that are the same in every form: all but the counter and the condition. */
void hyb_onnx_loop_connect (const HybOnnxLoop *loop, HybOnnxPort *ports);
/* The values of the counter. */
HybValueId hyb_onnx_loop_counter (HybLowering *lowering, gint64 n_steps);
/* Lowers a loop whose condition is known only while running. */
void hyb_onnx_lower_while (HybOnnxLoop *loop);
