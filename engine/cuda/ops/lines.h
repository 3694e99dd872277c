/* lines.h — operators that compute something of each line of a tensor and then each element, as kernels made
 * of formulas.
 *
 * Formulas may use the inputs x0, x1 …, the numbers c0, c1 … (as T; a.s[0] … as double), the results of
 * passes r0, r1 …, the line, the number k of the element and the number n of elements that count.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/cuda/device.h"
#include "engine/cuda/kernels/arguments.h"
#include "engine/op/op.h"

#define LINES_PASSES 3

/* Which element of an operand belongs to an element of a line. */
typedef enum
{
  HYB_LINES_FULL,  /* the one at its place */
  HYB_LINES_LINE,  /* one for each line */
  HYB_LINES_CYCLE, /* one for each line, from the beginning again after `cycle` lines */
  HYB_LINES_PLACE, /* one for each place within a line */
  HYB_LINES_ONE,   /* the only one */
  HYB_LINES_NONE,  /* the operand is not read */
} HybLinesIndex;

typedef struct
{
  HybDType      dtype;
  HybLinesIndex by;
  const char   *text; /* input: its type in formulas (NULL: T); output: its formula */
} HybLinesOperand;

/* One pass over the elements that count: s and t are combined from start on. */
typedef struct
{
  const char *type, *start, *combine, *term;
} HybLinesPass;

/* The sum of a term. */
#define HYB_LINES_SUM(its_term)                                            \
  {                                                                        \
    .type = "double", .start = "0", .combine = "s + t", .term = (its_term) \
  }
/* The largest term; -INFINITE if there is none. */
#define HYB_LINES_LARGEST(its_term)                                                   \
  {                                                                                   \
    .type = "T", .start = "-INFINITE", .combine = "t > s ? t : s", .term = (its_term) \
  }

typedef struct
{
  HybDType        computed; /* T */
  gint64          lines, inner, outer_step, inner_step;
  gint64          length, span, jump, step;
  gint64          cycle;
  const char     *count; /* elements that count, at most length; NULL: all */
  const char     *first; /* statements before the passes; may be NULL */
  HybLinesPass    pass[LINES_PASSES];
  const char     *then; /* statements after the passes; may be NULL */
  HybLinesOperand input[LINES_INPUTS];
  HybLinesOperand output[LINES_OUTPUTS]; /* FULL or LINE */
  guint           n_inputs, n_outputs;
  double          number[LINES_NUMBERS];
} HybLines;

typedef struct _HybLinesKernel HybLinesKernel;

/* Sets the walk: a tensor of outer × length × inner elements has a line of `length` for each of the others. */
void hyb_lines_lay (HybLines *lines, gint64 outer, gint64 length, gint64 inner);
/* The same for an axis of a shape. */
void hyb_lines_lay_axis (HybLines *lines, const HybShape *shape, int axis);
/* The tensor as one line of n elements. */
void hyb_lines_lay_all (HybLines *lines, gint64 n);
/* Appends an input; type: its type in formulas, T if NULL. */
void hyb_lines_add_input (HybLines *lines, HybDType dtype, HybLinesIndex by, const char *type);
/* Appends an output, FULL or LINE. */
void hyb_lines_add_output (HybLines *lines, HybDType dtype, HybLinesIndex by, const char *formula);

/* NULL and an error if the kernel does not compile; g_free(). */
HybLinesKernel *hyb_lines_new (HybDevice *device, const HybLines *lines, GError **error);
/* Hands one run to the queue; the arrays are in the order in which operands were appended. */
void hyb_lines_launch (HybQueue             *queue,
                       const HybLinesKernel *kernel,
                       gconstpointer const  *inputs,
                       gpointer const       *outputs);

/* For HybDeviceOp.launch of an operator that is one kernel, which takes the operands of the call in order. */
void
hyb_lines_launch_call (HybQueue *queue, const HybCall *call, const HybRun *run, gpointer prepared);

/* A row of a list of twins: an operator that is one kernel, and its prepare(). */
#define HYB_LINES_OP(id, function)                                                      \
  {                                                                                     \
    .name = id, .prepare = function, .launch = hyb_lines_launch_call, .release = g_free \
  }
