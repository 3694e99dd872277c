/* arguments.h — the arguments of our kernels, one struct each, for kernel and host.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Operands of one pointwise kernel, and axes of a tensor after neighbours are joined, at most. */
#define EACH_MOST 16
#define AXES_MOST 8
/* Inputs of a reduction, at most. */
#define REDUCE_MOST 2

/* y[i] = f (x0[i], x1[i] …) for i < n. */
struct EachArguments
{
  const void *x[EACH_MOST];
  void       *y;
  double      s[EACH_MOST]; /* numbers in the formulas */
  long long   n;
};

/* The same with inputs that are broadcast: element (i0, i1 …) of y reads x[Σ stride · i]. */
struct BroadcastArguments
{
  struct EachArguments each;
  long long            dim[AXES_MOST];
  long long            stride[EACH_MOST][AXES_MOST]; /* in elements */
  int                  rank;
};

/* y[Σ to · i] = x[Σ from · i] for all i below dim. */
struct MoveArguments
{
  const void *x;
  void       *y;
  long long   n;
  long long   dim[AXES_MOST];
  long long   from[AXES_MOST], to[AXES_MOST]; /* strides in elements; may be negative */
  int         rank;
};

/* Rows and columns of the tiles of a transpose, and the threads that move one. */
#define TILE         32
#define TILE_THREADS 256

/* The same in tiles of two axes: x lies side by side along axis `columns`, y along axis `rows`.  The other
 * axes are in dim. */
struct TileArguments
{
  const void *x;
  void       *y;
  long long   n; /* tiles */
  long long   dim[AXES_MOST];
  long long   from[AXES_MOST], to[AXES_MOST];
  int         rank;
  long long   rows, columns;
  long long   from_row;  /* elements from row to row of x */
  long long   to_column; /* elements from column to column of y */
};

/* Axes of padded images, missing ones of size 1 in front; and the modes, in the order of the attribute. */
#define PAD_AXES     5
#define PAD_CONSTANT 0
#define PAD_EDGE     1
#define PAD_REFLECT  2

/* y (outside) is x (inside) with cells before and after it, or the sums in the other direction. */
struct PadArguments
{
  const void *x;
  void       *y;
  long long   n; /* elements of y */
  long long   inside[PAD_AXES], outside[PAD_AXES], before[PAD_AXES];
  double      constant;
  int         mode;
};

/* Result i along an axis is the sum over its taps of weight[tap · to + i] times element index[tap · to + i]; taps 0: the axis
 * stays as it is. */
struct ResampleAxis
{
  const float *index, *weight;
  long long    from, to; /* elements */
  int          taps;
};

/* Planes of rows and columns, resampled, or the gradient in the other direction. */
struct ResampleArguments
{
  const void         *x;
  void               *y;
  long long           n; /* elements of y */
  struct ResampleAxis rows, columns;
};

/* Lengths of sequences; x and y have `rest` elements for each step of each sample. */
struct SequenceArguments
{
  const void *x, *lengths; /* lengths may be NULL: all have `steps` steps */
  void       *y;
  long long   n; /* elements of y */
  long long   steps, samples, rest;
  int         samples_first; /* (samples, steps, …), else (steps, samples, …) */
  double      value;
};

/* y[o] = Σ x[k], or another reduction, over the elements k of the inner axes; the elements of output o begin at Σ outer_from
 * · o. */
struct ReduceArguments
{
  const void *x[REDUCE_MOST]; /* inputs of the same strides */
  void       *y;
  void       *part;    /* results of the first stage: n_parts accumulators for each output */
  double      divisor; /* the argument n of FINISH */
  long long   n_outer, n_inner, n_parts;
  long long   outer_dim[AXES_MOST], outer_from[AXES_MOST];
  long long   inner_dim[AXES_MOST], inner_from[AXES_MOST];
  int         outer_rank, inner_rank;
  int parts_first; /* neighbouring threads add parts of one output, else of neighbouring outputs */
};

/* Threads of a block that ranks a line. */
#define RANK_THREADS 256

/* Lines of `length` elements, which lie `inner` apart, of which `kept` are kept in order. */
struct RankArguments
{
  const void *x, *places;              /* places: the indices, for the gradient */
  void       *values, *indices, *mask; /* the requested ones, else NULL */
  double      sign;                    /* -1: the largest first */
  long long   lines, length, inner, kept;
};

/* The source of random numbers of a step: the seed of the run, which is in the memory of the device,
 * the key of the node, and the steps of the loops around it. */
struct Draws
{
  const unsigned long long *seed;
  unsigned long long        step;
  unsigned                  key;
};

/* n numbers, n_drawn of them for each element of the parameters. */
struct RandomArguments
{
  struct Draws draws;
  const void  *p, *q; /* parameters in tensors; NULL: numbers */
  void        *y;
  double       numbers[2];
  long long    first; /* of random integers, and how many there are */
  long long    range;
  long long    n, n_drawn;
};

/* Dropout of n elements; the strides are those of the mask. */
struct DropArguments
{
  struct Draws draws;
  const void  *x;
  void        *y, *mask;
  double       share; /* that is dropped */
  long long    n;
  long long    dim[AXES_MOST], stride[AXES_MOST];
  int          rank;
};

/* Threads of a block, operands and numbers of an operator on lines. */
#define LINES_THREADS 256
#define LINES_INPUTS  8
#define LINES_OUTPUTS 5
#define LINES_NUMBERS 4

/* Line l begins at l / inner · outer_step + l % inner · inner_step, and its element k is
 * k / span · jump + k % span · step behind that. */
struct LinesArguments
{
  const void *x[LINES_INPUTS];
  void       *y[LINES_OUTPUTS];
  double      s[LINES_NUMBERS];
  long long   lines, inner, outer_step, inner_step;
  long long   length, span, jump, step;
  long long   cycle; /* lines after which operands of a cycle begin again */
};

/* Indices into `length` slices of `inner` elements each. */
struct LookupArguments
{
  const void *x, *indices;
  void       *y;
  long long  *next;  /* of n_indices, for gradients: chain_uses() of prelude.cuh */
  int        *heads; /* of `length`, likewise */
  long long   n;     /* threads that have work */
  long long   n_indices, length, inner;
  int         wraps;   /* indices beyond the end begin again, else they are the last */
  double      on, off; /* of one_hot */
};

/* Coordinates (depth, columns); each column selects a row of `row` elements. */
struct GatherArguments
{
  const void *x, *indices;
  void       *y;
  long long  *rows;  /* the number of the row of each column */
  long long  *next;  /* for results that are written, of columns: chain_uses() of prelude.cuh */
  int        *heads; /* of all rows, likewise */
  long long   n;     /* elements of all selected rows */
  long long   columns, row;
  long long   dim[AXES_MOST];
  int         depth;
};

/* How a window is reduced, in the order of the attribute. */
#define POOL_MAX     0
#define POOL_AVERAGE 1
#define POOL_SUM     2
#define POOL_NORM    3

/* Windows over three spatial axes; missing ones are the first, of size 1.  A plane is one channel of one
 * sample, and its cells lie `step` elements apart. */
struct PoolingArguments
{
  const void *x, *y, *dy;
  void       *to;
  long long  *at; /* the cell of the maximum of each window */
  long long   planes, channels, step;
  long long   image[3], map[3], kernel[3], stride[3], pad[3];
  long long   p;
  int         counts_padding;
};

/* The step of a recurrent cell: n elements of its state, `hidden` a row. */
struct GatesArguments
{
  const float *i2h, *h2h; /* the two products: as many gates a row */
  const float *before;    /* previous c (LSTM) or h (GRU) */
  float       *h, *c;     /* new state; c of an LSTM alone */
  float       *kept[5];   /* of recording operators: i, f, g, o, tanh (c), or r, z, candidate */
  long long    n, hidden;
};

/* The gradient of such a step. */
struct GateGradientArguments
{
  const float *h, *c;   /* gradients of the new state; c: 0 where none arrives */
  const float *kept[5]; /* as above */
  const float *h2h;     /* of a GRU alone */
  const float *before;  /* previous c or h */
  float       *to_i2h;  /* gradients of the products; of an LSTM both are one */
  float       *to_h2h;  /* of a GRU alone */
  float       *to_before;
  long long    n, hidden;
};

/* The numbers of an update that change from step to step. */
#define UPDATE_RATE    0
#define UPDATE_DECAY   1
#define UPDATE_RESCALE 2
#define UPDATE_CLIP    3
#define UPDATE_NUMBERS 4

/* One update of n elements.  Limits that are NaN do not apply. */
struct UpdateArguments
{
  void         *weight;
  const void   *gradient;
  const double *numbers;
  const double *norm; /* the norm of all gradients, and the factor that limits it */
  float        *state[3];
  double        momentum, beta1, beta2, epsilon, clip_weights;
  long long     n;
};

/* Threads of the block that adds the parts of the norm. */
#define NORM_THREADS 256

/* The sum of squares of one gradient in parts, or the norm of all parts. */
struct NormArguments
{
  const void *gradient;
  double     *parts, *y;
  double      limit; /* 0: none */
  long long   n, n_parts;
};
