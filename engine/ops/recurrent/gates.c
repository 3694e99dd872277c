/* gates.c — _lstm_gates and _gru_gates: from a recurrent cell's two products i2h and h2h to its
 * new state, in one operator.  The pass fuse-gates puts them in place of the single operators.
 * _recording_lstm_gates and _recording_gru_gates also write what the backward pass reads (gate-gradients.c).
 *
 * Float only, without gradient.  i2h and h2h are (batch, gates × hidden), states (batch, hidden).
 * Each block of elements goes through all operations while it is in the L1 cache; operations and
 * their order are those of the unfused cell, so the results are the same bytes.
 * Start at lstm_block() and gru_block().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/base/parallel.h"
#include "engine/kernels/simd/vector-math.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <string.h>

#include "engine/kernels/vectorise.h"

/* Elements of a block; the buffers of an LSTM block are 4 KiB. */
#define BLOCK 256
/* Fewest elements of a state that are worth a thread. */
#define GRAIN 1024

#define MAX_KEPT 5

/* Arguments of lstm_rows and gru_rows. */
typedef struct
{
  gint64       hidden;
  const float *i2h, *h2h;
  const float *before; /* previous c (LSTM) or h (GRU) */
  float       *h, *c;  /* new state; c: LSTM only */
  float       *kept
      [MAX_KEPT]; /* for the backward pass: i, f, g, o, tanh (c), or r, z, candidate; NULL: not kept */
} GatesArgs;

/* to = a + b; to must not overlap a or b. */
static void
add_block (gint64 n, const float *restrict a, const float *restrict b, float *restrict to)
{
  gint64 k = 0;

  /* At least one, so that the compiler sees the block as written. */
  do
    to[k] = a[k] + b[k];
  while (++k < n);
}

static void
keep (const GatesArgs *args, guint which, gint64 first, gint64 n, const float *values)
{
  if (args->kept[which])
    memcpy (args->kept[which] + first, values, sizeof (float) * (gsize) n);
}

/* Elements [at, at + n) of a row: c = f c' + i g; h = o tanh (c), where the gates i, f, g, o are
 * activations of i2h + h2h.  Works in local buffers and copies the results out. */
static void
lstm_block (const GatesArgs *args, gint64 row, gint64 at, gint64 n)
{
  gint64       H = args->hidden, first = row * H + at;
  float        i[BLOCK], f[BLOCK], g[BLOCK], o[BLOCK];
  float *const gates[] = { i, f, g, o };
  const float *before = args->before + first;
  float       *c = args->c + first, *h = args->h + first;

  for (gint64 k = 0; k < 4; k++)
    add_block (n, args->i2h + (4 * row + k) * H + at, args->h2h + (4 * row + k) * H + at, gates[k]);
  hyb_vector_sigmoid ((gsize) n, i, i);
  hyb_vector_sigmoid ((gsize) n, f, f);
  hyb_vector_tanh ((gsize) n, g, g);
  hyb_vector_sigmoid ((gsize) n, o, o);
  for (guint k = 0; k < 4; k++)
    keep (args, k, first, n, gates[k]);
  for (gint64 k = 0; k < n; k++)
    f[k] = f[k] * before[k] + i[k] * g[k];
  hyb_vector_tanh ((gsize) n, f, g);
  keep (args, 4, first, n, g);
  memcpy (c, f, sizeof (float) * (gsize) n);
  for (gint64 k = 0; k < n; k++)
    g[k] = o[k] * g[k];
  memcpy (h, g, sizeof (float) * (gsize) n);
}

/* Elements [at, at + n) of a row: candidate = tanh (x + r y); h = (1 − z) candidate + z h', where
 * the gates r and z are sigmoids of i2h + h2h, and x and y the third gates of i2h and h2h. */
static void
gru_block (const GatesArgs *args, gint64 row, gint64 at, gint64 n)
{
  gint64       H = args->hidden, first = row * H + at;
  const float *x = args->i2h + 3 * row * H + at, *y = args->h2h + 3 * row * H + at;
  float        r[BLOCK], z[BLOCK], candidate[BLOCK];
  const float *before = args->before + first;

  add_block (n, x, y, r);
  add_block (n, x + H, y + H, z);
  hyb_vector_sigmoid ((gsize) n, r, r);
  hyb_vector_sigmoid ((gsize) n, z, z);
  for (gint64 k = 0; k < n; k++)
    candidate[k] = x[2 * H + k] + r[k] * y[2 * H + k];
  hyb_vector_tanh ((gsize) n, candidate, candidate);
  keep (args, 0, first, n, r);
  keep (args, 1, first, n, z);
  keep (args, 2, first, n, candidate);
  for (gint64 k = 0; k < n; k++)
    r[k] = (1.f - z[k]) * candidate[k] + z[k] * before[k];
  memcpy (args->h + first, r, sizeof (float) * (gsize) n);
}

static void
lstm_rows (gint64 begin, gint64 end, gpointer data)
{
  const GatesArgs *args = data;

  for (gint64 row = begin; row < end; row++)
    for (gint64 at = 0; at < args->hidden; at += BLOCK)
      lstm_block (args, row, at, MIN (BLOCK, args->hidden - at));
}

static void
gru_rows (gint64 begin, gint64 end, gpointer data)
{
  const GatesArgs *args = data;

  for (gint64 row = begin; row < end; row++)
    for (gint64 at = 0; at < args->hidden; at += BLOCK)
      gru_block (args, row, at, MIN (BLOCK, args->hidden - at));
}

static void
gates_forward (const HybCall *call, const HybRun *run, guint n_states, HybParallelFunc rows)
{
  const HybShape *shape = &call->input[2].shape;
  GatesArgs       args = { .hidden = shape->dim[1],
                           .i2h = run->input[0],
                           .h2h = run->input[1],
                           .before = run->input[2],
                           .h = run->output[0],
                           .c = n_states > 1 ? run->output[1] : NULL };

  for (guint i = n_states; i < call->n_outputs; i++)
    args.kept[i - n_states] = run->output[i];
  hyb_parallel_for (shape->dim[0], 1 + GRAIN / MAX (args.hidden, 1), rows, &args);
}

static void
lstm_gates_forward (const HybCall *call, const HybRun *run)
{
  gates_forward (call, run, 2, lstm_rows);
}

static void
gru_gates_forward (const HybCall *call, const HybRun *run)
{
  gates_forward (call, run, 1, gru_rows);
}

/* All shapes follow from the state's; the pass emits only calls whose shapes agree. */
static gboolean
gates_infer_shape (HybCall *call, gint64 n_gates, GError **error)
{
  HybShape *state = &call->input[2].shape;
  HybShape  gates = hyb_shape_2d (HYB_UNKNOWN, HYB_UNKNOWN);

  for (guint i = 0; i < call->n_outputs; i++)
    if (!hyb_shape_unify (state, &call->output[i].shape, error))
      return FALSE;
  if (state->rank == 2)
    gates = hyb_shape_2d (state->dim[0],
                          state->dim[1] == HYB_UNKNOWN ? HYB_UNKNOWN : n_gates * state->dim[1]);
  return hyb_shape_unify (&call->input[0].shape, &gates, error) &&
         hyb_shape_unify (&call->input[1].shape, &gates, error);
}

static gboolean
lstm_gates_infer_shape (HybCall *call, GError **error)
{
  return gates_infer_shape (call, 4, error);
}

static gboolean
gru_gates_infer_shape (HybCall *call, GError **error)
{
  return gates_infer_shape (call, 3, error);
}

/* The cost of the operators that it replaces, per element of the state. */
static void
gates_cost (const HybCall *call, double per_element, HybCost *cost)
{
  hyb_rule_cost_bytes (call, cost);
  cost->flops = per_element * (double) hyb_shape_size (&call->input[2].shape);
}

/* Four sums, five functions, four products and sums. */
static void
lstm_gates_cost (const HybCall *call, HybCost *cost)
{
  gates_cost (call, 13, cost);
}

/* Two sums, three functions, six products and sums. */
static void
gru_gates_cost (const HybCall *call, HybCost *cost)
{
  gates_cost (call, 11, cost);
}

const HybOp hyb_ops_gates[] = {
  { .name = "_lstm_gates",
    .doc = "New output and cell of an LSTM from its two products and its cell.",
    .category = HYB_CATEGORY_ELEMENTWISE,
    .flags = HYB_OP_INTERNAL,
    .inputs = (const char *const[]){ "i2h", "h2h", "cell", NULL },
    .outputs = (const char *const[]){ "output", "cell", NULL },
    .infer_shape = lstm_gates_infer_shape,
    .forward = lstm_gates_forward,
    .cost = lstm_gates_cost },
  { .name = "_gru_gates",
    .doc = "New state of a GRU from its two products and its state.",
    .category = HYB_CATEGORY_ELEMENTWISE,
    .flags = HYB_OP_INTERNAL,
    .inputs = (const char *const[]){ "i2h", "h2h", "state", NULL },
    .infer_shape = gru_gates_infer_shape,
    .forward = gru_gates_forward,
    .cost = gru_gates_cost },
  { .name = "_recording_lstm_gates",
    .doc = "As _lstm_gates, with the values that its gradient reads.",
    .category = HYB_CATEGORY_ELEMENTWISE,
    .flags = HYB_OP_INTERNAL,
    .inputs = (const char *const[]){ "i2h", "h2h", "cell", NULL },
    .outputs = (const char *const[]){ "output", "cell", "_input_gate", "_forget_gate", "_candidate",
                                      "_output_gate", "_cell_tanh", NULL },
    .infer_shape = lstm_gates_infer_shape,
    .forward = lstm_gates_forward,
    .cost = lstm_gates_cost },
  { .name = "_recording_gru_gates",
    .doc = "As _gru_gates, with the values that its gradient reads.",
    .category = HYB_CATEGORY_ELEMENTWISE,
    .flags = HYB_OP_INTERNAL,
    .inputs = (const char *const[]){ "i2h", "h2h", "state", NULL },
    .outputs = (const char *const[]){ "output", "_reset_gate", "_update_gate", "_candidate", NULL },
    .infer_shape = gru_gates_infer_shape,
    .forward = gru_gates_forward,
    .cost = gru_gates_cost },
  { 0 },
};
