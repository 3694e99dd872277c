/* hawkes.c — _contrib_hawkesll: the log-likelihood of events of several kinds whose past raises the rate
 * of new ones (a multivariate Hawkes process with exponential decay).
 *
 * The rate of kind k is lda[k] + alpha[k] beta[k] s, where s, the state of the kind, is 1 for each event
 * so far, decayed by exp (−beta[k] Δt).  Kinds do not influence each other.  lags are times between
 * events, marks their kinds; max_time ends the observation.  Start with add_event().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/gradient/by-operands.h"
#include "engine/op/dimensions.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <math.h>
#include <string.h>

/* Inputs, in the order of MXNet. */
enum
{
  LDA,
  ALPHA,
  BETA,
  STATE,
  LAGS,
  MARKS,
  VALID_LENGTH,
  MAX_TIME,
  N_INPUTS,
};

/* --- Types --- */

/* Relates the shapes of the inputs: (samples, kinds), (kinds), (samples, events), (samples). */
static gboolean
infer_inputs (HybType *input, gint64 *samples, gint64 *kinds, GError **error)
{
  static const char *const names[] = { "lda",  "alpha", "beta",         "state",
                                       "lags", "marks", "valid_length", "max_time" };
  gint64                   events = HYB_UNKNOWN;
  gint64 *const            sizes[N_INPUTS][2] = {
               [LDA] = { samples, kinds },   [ALPHA] = { kinds },           [BETA] = { kinds },
               [STATE] = { samples, kinds }, [LAGS] = { samples, &events }, [MARKS] = { samples, &events },
               [VALID_LENGTH] = { samples }, [MAX_TIME] = { samples },
  };

  /* The second round propagates the shapes of the last inputs. */
  for (int round = 0; round < 2; round++)
    for (int i = 0; i < N_INPUTS; i++)
      {
        HybShape *shape = &input[i].shape;
        int       rank = sizes[i][1] ? 2 : 1;

        if (!hyb_layer_expect_rank (shape, names[i], rank, rank, error))
          return FALSE;
        if (shape->rank == HYB_UNKNOWN)
          *shape = hyb_shape_make (rank, NULL);
        for (int k = 0; k < rank; k++)
          if (!hyb_dim_unify (&shape->dim[k], sizes[i][k],
                              sizes[i][k] == samples ? "the numbers of samples"
                              : sizes[i][k] == kinds ? "the numbers of kinds"
                                                     : "the numbers of events",
                              error))
            return FALSE;
      }
  return TRUE;
}

static gboolean
hawkes_infer_shape (HybCall *call, GError **error)
{
  gint64   samples = HYB_UNKNOWN, kinds = HYB_UNKNOWN;
  HybShape rows, table;

  if (!infer_inputs (call->input, &samples, &kinds, error))
    return FALSE;
  rows = hyb_shape_1d (samples);
  table = hyb_shape_2d (samples, kinds);
  return hyb_shape_assign (&call->output[0].shape, &rows, error) &&
         hyb_shape_assign (&call->output[1].shape, &table, error);
}

static gboolean
hawkes_infer_dtype (HybCall *call, GError **error)
{
  return hyb_rule_dtype_except (call, 1u << MARKS, error) &&
         (call->input[MARKS].dtype != HYB_DTYPE_UNKNOWN ||
          hyb_dtype_assign (&call->input[MARKS].dtype, HYB_I32, error));
}

/* --- The likelihood --- */

/* The inputs of a call, read as numbers. */
typedef struct
{
  HybDType             dtype, mark_dtype;
  gint64               kinds, events;
  gconstpointer const *data; /* N_INPUTS arrays */
} Process;

static Process
process_of (const HybType *input, gconstpointer const *data)
{
  return (Process){ .dtype = input[LDA].dtype,
                    .mark_dtype = input[MARKS].dtype,
                    .kinds = input[LDA].shape.dim[1],
                    .events = input[LAGS].shape.dim[1],
                    .data = data };
}

static double
number (const Process *process, int input, gint64 at)
{
  return hyb_dtype_get_double (process->data[input], process->dtype, (gsize) at);
}

/* The number of events of a sample that count. */
static gint64
valid_events (const Process *process, gint64 sample)
{
  double length = number (process, VALID_LENGTH, sample);

  return length > 0 ? (gint64) MIN (ceil (length), (double) process->events) : 0;
}

/* One kind of events in one sample: its parameters, the events so far, and the resulting sums. */
typedef struct
{
  double lda, alpha, beta;
  double last;              /* time of the last event */
  double state;             /* s */
  double by_beta, by_state; /* ∂s / ∂beta, ∂s / ∂ initial state */
  double likelihood;
  double slope[4]; /* of the likelihood: lda, alpha, beta, state */
} Kind;

static Kind
kind_of (const Process *process, gint64 sample, gint64 k)
{
  return (Kind){ .lda = number (process, LDA, sample * process->kinds + k),
                 .alpha = number (process, ALPHA, k),
                 .beta = number (process, BETA, k),
                 .state = number (process, STATE, sample * process->kinds + k),
                 .by_state = 1 };
}

/* Subtracts the integral of the rate since the last event, and lets the state decay until `time`. */
static void
pass_time (Kind *kind, double time)
{
  double lag = time - kind->last, decay = exp (-kind->beta * lag);

  kind->likelihood -= kind->lda * lag + kind->alpha * kind->state * (1 - decay);
  kind->slope[LDA] -= lag;
  kind->slope[ALPHA] -= kind->state * (1 - decay);
  kind->slope[BETA] -= kind->alpha * (kind->by_beta * (1 - decay) + kind->state * lag * decay);
  kind->slope[STATE] -= kind->alpha * kind->by_state * (1 - decay);

  kind->by_beta = decay * (kind->by_beta - lag * kind->state);
  kind->by_state *= decay;
  kind->state *= decay;
  kind->last = time;
}

/* Adds the logarithm of the rate at an event, which raises the state. */
static void
add_event (Kind *kind, double time)
{
  double rate;

  pass_time (kind, time);
  rate = kind->lda + kind->alpha * kind->beta * kind->state;
  kind->likelihood += log (rate);
  kind->slope[LDA] += 1 / rate;
  kind->slope[ALPHA] += kind->beta * kind->state / rate;
  kind->slope[BETA] += kind->alpha * (kind->state + kind->beta * kind->by_beta) / rate;
  kind->slope[STATE] += kind->alpha * kind->beta * kind->by_state / rate;
  kind->state += 1;
}

/* The events of one kind in one sample, until the end of the observation. */
static Kind
follow (const Process *process, gint64 sample, gint64 k)
{
  Kind   kind = kind_of (process, sample, k);
  gint64 n = valid_events (process, sample);
  double time = 0;

  for (gint64 i = 0; i < n; i++)
    {
      gint64 at = sample * process->events + i;

      time += number (process, LAGS, at);
      if (hyb_dtype_get_int (process->data[MARKS], process->mark_dtype, (gsize) at) == k)
        add_event (&kind, time);
    }
  pass_time (&kind, number (process, MAX_TIME, sample));
  return kind;
}

/* Reports marks that are not kinds, among the events that count. */
static void
check_marks (const Process *process, const HybRun *run, gint64 sample)
{
  gint64 n = valid_events (process, sample);

  for (gint64 i = sample * process->events; i < sample * process->events + n; i++)
    {
      gint64 mark = hyb_dtype_get_int (process->data[MARKS], process->mark_dtype, (gsize) i);

      if (mark < 0 || mark >= process->kinds)
        hyb_run_report_index (run, 1, (double) mark, process->kinds);
    }
}

static void
hawkes_forward (const HybCall *call, const HybRun *run)
{
  Process process = process_of (call->input, run->input);
  gint64  samples = call->output[0].shape.dim[0];

  for (gint64 i = 0; i < samples; i++)
    {
      double likelihood = 0;

      check_marks (&process, run, i);
      for (gint64 k = 0; k < process.kinds; k++)
        {
          Kind kind = follow (&process, i, k);

          likelihood += kind.likelihood;
          hyb_dtype_set_double (run->output[1], process.dtype, (gsize) (i * process.kinds + k),
                                kind.state);
        }
      hyb_dtype_set_double (run->output[0], process.dtype, (gsize) i, likelihood);
    }
}

/* --- The gradient --- */

static gboolean
backward_infer_dtype (HybCall *call, GError **error)
{
  return hyb_rule_dtype_except (call, 1u << (2 + MARKS), error);
}

static void
add_to (gpointer data, HybDType dtype, gint64 at, double value)
{
  hyb_dtype_set_double (data, dtype, (gsize) at,
                        value + hyb_dtype_get_double (data, dtype, (gsize) at));
}

static void
hawkes_backward (const HybCall *call, const HybRun *run)
{
  Process process = process_of (call->input + 2, run->input + 2);
  gint64  samples = call->output[LDA].shape.dim[0];

  memset (run->output[ALPHA], 0, hyb_type_bytes (&call->output[ALPHA]));
  memset (run->output[BETA], 0, hyb_type_bytes (&call->output[BETA]));
  for (gint64 i = 0; i < samples; i++)
    for (gint64 k = 0; k < process.kinds; k++)
      {
        Kind   kind = follow (&process, i, k);
        gsize  at = (gsize) (i * process.kinds + k);
        double g = hyb_dtype_get_double (run->input[0], process.dtype, (gsize) i);
        double h = hyb_dtype_get_double (run->input[1], process.dtype, at);

        hyb_dtype_set_double (run->output[LDA], process.dtype, at, g * kind.slope[LDA]);
        hyb_dtype_set_double (run->output[STATE], process.dtype, at,
                              g * kind.slope[STATE] + h * kind.by_state);
        add_to (run->output[ALPHA], process.dtype, k, g * kind.slope[ALPHA]);
        add_to (run->output[BETA], process.dtype, k, g * kind.slope[BETA] + h * kind.by_beta);
      }
}

/* Every kind reads all events; most of the time goes into the exponential of each event. */
static void
hawkes_cost (const HybCall *call, HybCost *cost)
{
  const HybShape *marks = &call->input[call->n_inputs - 3].shape;

  cost->flops = 30.0 * (double) hyb_shape_size (marks);
  hyb_rule_cost_bytes (call, cost);
}

#define CONSTANTS (1u << LAGS | 1u << MARKS | 1u << VALID_LENGTH | 1u << MAX_TIME)
#define NAMES     "lda", "alpha", "beta", "state", "lags", "marks", "valid_length", "max_time"

const HybOp hyb_ops_hawkes[] = {
  {
      .name = "_contrib_hawkesll",
      .doc = "Log-likelihood of events whose past raises the rate of new ones (Hawkes process).",
      .category = HYB_CATEGORY_LOSS,
      .inputs = (const char *const[]){ NAMES, NULL },
      .outputs = (const char *const[]){ "output", "out_state", NULL },
      .constant_inputs = CONSTANTS,
      .infer_shape = hawkes_infer_shape,
      .infer_dtype = hawkes_infer_dtype,
      .dtypes = HYB_DTYPES_ALL,
      .forward = hawkes_forward,
      .gradient = hyb_gradient_by_operands,
      .cost = hawkes_cost,
  },
  {
      .name = "_backward_hawkesll",
      .doc = "Gradient of _contrib_hawkesll.",
      .category = HYB_CATEGORY_LOSS,
      .flags = HYB_OP_INTERNAL,
      .inputs = (const char *const[]){ "gradient", "out_state_gradient", NAMES, NULL },
      .outputs = (const char *const[]){ "lda", "alpha", "beta", "state", NULL },
      .gradient_of = "_contrib_hawkesll",
      .operands = "g0 g1 i* > i0 i1 i2 i3",
      .infer_dtype = backward_infer_dtype,
      .dtypes = HYB_DTYPES_ALL,
      .forward = hawkes_backward,
      .cost = hawkes_cost,
  },
  { 0 },
};

#undef NAMES
#undef CONSTANTS
