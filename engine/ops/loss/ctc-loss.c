/* ctc-loss.c — CTCLoss: −log of the probability that a sequence spells a label, summed over all
 * alignments with repeats and blanks (Graves et al., “Connectionist temporal classification”,
 * 2006), and its gradient.
 *
 * The gradient needs the same forward-backward pass and is a hidden output; _backward_CTCLoss
 * only scales it.  All probabilities are logarithms, in double.  Start at ctc_forward().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/base/error.h"
#include "engine/gradient/by-formula.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <math.h>
#include <string.h>

typedef enum
{
  BLANK_FIRST, /* blank is 0 and pads labels */
  BLANK_LAST,  /* blank is the last class, −1 pads labels */
} BlankLabel;

typedef struct
{
  gboolean use_data_lengths, use_label_lengths;
  int      blank_label;
} CtcParams;

static const char *const blank_names[] = { "first", "last", NULL };

static const HybParam ctc_params[] = {
  { HYB_FIELD (CtcParams, use_data_lengths), HYB_PARAM_BOOL, "False",
    .doc = "an input gives the number of valid steps of each sequence" },
  { HYB_FIELD (CtcParams, use_label_lengths), HYB_PARAM_BOOL, "False",
    .doc = "an input gives the length of each label; else padding ends it" },
  { HYB_FIELD (CtcParams, blank_label), HYB_PARAM_ENUM, "first", .choices = blank_names,
    .doc = "which class is the blank" },
  { 0 },
};

static void
ctc_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  const CtcParams *params = values;

  *n_inputs = 2 + (params->use_data_lengths ? 1 : 0) + (params->use_label_lengths ? 1 : 0);
  *n_outputs = 2;
}

/* data (steps, batch, classes), label (batch, length), lengths (batch). */
static gboolean
ctc_infer_shape (HybCall *call, GError **error)
{
  HybShape *data = &call->input[0].shape;
  HybShape *label = &call->input[1].shape;
  HybShape  want = hyb_shape_3d (HYB_UNKNOWN, HYB_UNKNOWN, HYB_UNKNOWN);
  gint64    batch;

  if (label->rank == 2)
    want.dim[1] = label->dim[0];
  if (!hyb_layer_expect (data, "data", &want, error))
    return FALSE;

  batch = data->dim[1];
  want = hyb_shape_2d (batch, HYB_UNKNOWN);
  if (!hyb_layer_expect (label, "label", &want, error))
    return FALSE;
  if (data->dim[0] != HYB_UNKNOWN && label->dim[1] > data->dim[0])
    return hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, "label",
                         "Use shorter labels or more steps",
                         "labels have up to %" G_GINT64_FORMAT
                         " classes but the data has only %" G_GINT64_FORMAT " steps",
                         label->dim[1], data->dim[0]);
  for (guint i = 2; i < call->n_inputs; i++)
    if (!hyb_layer_expect_vector (&call->input[i].shape, "lengths", batch, error))
      return FALSE;

  return hyb_layer_expect_vector (&call->output[0].shape, "output", batch, error) &&
         hyb_shape_unify (data, &call->output[1].shape, error);
}

/* Labels and lengths may be of any type. */
static gboolean
ctc_infer_dtype (HybCall *call, GError **error)
{
  if (!hyb_rule_dtype_except (call, ~(guint32) 1, error))
    return FALSE;

  for (guint i = 1; i < call->n_inputs; i++)
    if (call->input[i].dtype == HYB_DTYPE_UNKNOWN)
      call->input[i].dtype = call->input[0].dtype;
  return TRUE;
}

/* One sample.  The extended label has a blank before, between and after the L classes of the
 * label: n_positions = 2 L + 1. */
typedef struct
{
  gint64  steps, classes, blank;
  gint64  label_length, n_positions;
  gint64 *extended; /* class at each position of the extended label */
  double *logp;     /* steps × classes: log softmax of the data */
  double *alpha;    /* steps × n_positions: log p of the steps up to and including this one */
  double *beta;     /* n_positions: log p of the steps after the current one */
  double *next;     /* n_positions: beta of the next step */
  double *mass;     /* classes: log Σ alpha · beta over the positions of a class */
} CtcSample;

/* log (eᵃ + eᵇ) */
static double
log_add (double a, double b)
{
  double high = MAX (a, b), low = MIN (a, b);

  return isinf (high) && high < 0 ? high : high + log1p (exp (low - high));
}

/* Whether a position may be reached from two positions before, skipping a blank: only between two
 * different classes. */
static gboolean
may_skip (const CtcSample *sample, gint64 position)
{
  return position >= 2 && sample->extended[position] != sample->blank &&
         sample->extended[position] != sample->extended[position - 2];
}

/* Fills alpha; returns log p (label). */
static double
forward_pass (CtcSample *sample)
{
  gint64 n = sample->n_positions, last = sample->steps - 1;

  for (gint64 t = 0; t < sample->steps; t++)
    for (gint64 s = 0; s < n; s++)
      {
        const double *before = sample->alpha + (t - 1) * n;
        double        sum = -INFINITY;

        if (t == 0)
          sum = s < 2 ? 0.0 : -INFINITY;
        else
          {
            sum = before[s];
            if (s >= 1)
              sum = log_add (sum, before[s - 1]);
            if (may_skip (sample, s))
              sum = log_add (sum, before[s - 2]);
          }
        sample->alpha[t * n + s] = sum + sample->logp[t * sample->classes + sample->extended[s]];
      }

  return n == 1 ? sample->alpha[last * n]
                : log_add (sample->alpha[last * n + n - 1], sample->alpha[last * n + n - 2]);
}

/* Computes beta of step t from `next`, beta of step t + 1. */
static void
backward_step (CtcSample *sample, gint64 t)
{
  gint64        n = sample->n_positions;
  const double *logp = sample->logp + (t + 1) * sample->classes;

  for (gint64 s = 0; s < n; s++)
    {
      double sum = sample->next[s] + logp[sample->extended[s]];

      if (s + 1 < n)
        sum = log_add (sum, sample->next[s + 1] + logp[sample->extended[s + 1]]);
      if (s + 2 < n && may_skip (sample, s + 2))
        sum = log_add (sum, sample->next[s + 2] + logp[sample->extended[s + 2]]);
      sample->beta[s] = sum;
    }
}

/* Workspace in bytes: the arrays of CtcSample for one sample; G_MAXSIZE if that overflows. */
static gsize
sample_bytes (gint64 steps, gint64 classes, gint64 label_length)
{
  gsize n_positions = 2 * (gsize) label_length + 1;
  gsize words, product;

  if (!g_size_checked_mul (&words, (gsize) steps, n_positions) ||
      !g_size_checked_mul (&product, (gsize) steps, (gsize) classes) ||
      !g_size_checked_add (&words, words, product) ||
      !g_size_checked_add (&words, words, 3 * n_positions + (gsize) classes) ||
      !g_size_checked_mul (&words, words, sizeof (double)))
    return G_MAXSIZE;

  return words;
}

static gsize
ctc_workspace (const HybCall *call)
{
  const HybShape *data = &call->input[0].shape;

  return sample_bytes (data->dim[0], data->dim[2], call->input[1].shape.dim[1]);
}

/* The call and its sizes. */
typedef struct
{
  const HybCall *call;
  const HybRun  *run;
  gint64         steps, n_samples, classes, max_label_length;
} CtcBatch;

static gint64
read_length (const CtcBatch *batch, guint input, gint64 sample, gint64 max_length)
{
  return CLAMP (hyb_dtype_get_int (batch->run->input[input], batch->call->input[input].dtype,
                                   (gsize) sample),
                0, max_length);
}

static gint64
read_label (const CtcBatch *batch, gint64 sample, gint64 i)
{
  return hyb_dtype_get_int (batch->run->input[1], batch->call->input[1].dtype,
                            (gsize) (sample * batch->max_label_length + i));
}

static gint64
label_length (const CtcBatch *batch, gint64 sample)
{
  const CtcParams *params = batch->call->params;
  gint64           padding = params->blank_label == BLANK_FIRST ? 0 : -1;
  gint64           n = 0;

  if (params->use_label_lengths)
    return read_length (batch, batch->call->n_inputs - 1, sample, batch->max_label_length);

  while (n < batch->max_label_length && read_label (batch, sample, n) != padding)
    n++;
  return n;
}

/* Sets *sample up for sample number `index`, with arrays in the workspace.  FALSE if the label has
 * a class that does not exist. */
static gboolean
init_sample (CtcSample *sample, const CtcBatch *batch, gint64 index)
{
  const CtcParams *params = batch->call->params;
  double          *room = batch->run->workspace;

  sample->steps =
      params->use_data_lengths ? read_length (batch, 2, index, batch->steps) : batch->steps;
  sample->classes = batch->classes;
  sample->blank = params->blank_label == BLANK_FIRST ? 0 : batch->classes - 1;
  sample->label_length = label_length (batch, index);
  sample->n_positions = 2 * sample->label_length + 1;

  sample->logp = room;
  sample->alpha = sample->logp + batch->steps * batch->classes;
  sample->beta = sample->alpha + batch->steps * (2 * batch->max_label_length + 1);
  sample->next = sample->beta + 2 * batch->max_label_length + 1;
  sample->extended = (gint64 *) (sample->next + 2 * batch->max_label_length + 1);
  sample->mass = (double *) (sample->extended + 2 * batch->max_label_length + 1);

  for (gint64 s = 0; s < sample->n_positions; s++)
    {
      sample->extended[s] = s % 2 == 0 ? sample->blank : read_label (batch, index, s / 2);
      if (sample->extended[s] < 0 || sample->extended[s] >= batch->classes)
        return FALSE;
    }
  return TRUE;
}

/* Whether there are enough steps: one for each class of the label, and one for the blank between
 * two equal ones. */
static gboolean
is_feasible (const CtcSample *sample)
{
  gint64 needed = sample->label_length;

  for (gint64 s = 3; s < sample->n_positions; s += 2)
    needed += sample->extended[s] == sample->extended[s - 2];
  return needed <= sample->steps;
}

#define REAL_KERNEL "engine/ops/loss/ctc-loss-kernel.h"
#include "engine/kernels/each-real.h"

static void
ctc_forward (const HybCall *call, const HybRun *run)
{
  CtcBatch batch = { .call = call,
                     .run = run,
                     .steps = call->input[0].shape.dim[0],
                     .n_samples = call->input[0].shape.dim[1],
                     .classes = call->input[0].shape.dim[2],
                     .max_label_length = call->input[1].shape.dim[1] };

  memset (run->output[1], 0, hyb_type_bytes (&call->output[1]));
  for (gint64 sample = 0; sample < batch.n_samples; sample++)
    if (call->output[0].dtype == HYB_F64)
      loss_of_sample_f64 (&batch, sample);
    else
      loss_of_sample_f32 (&batch, sample);
}

static gboolean
backward_infer_shape (HybCall *call, GError **error)
{
  HybShape want = hyb_shape_make (3, NULL);

  if (!hyb_layer_expect (&call->input[1].shape, "data_gradient", &want, error) ||
      !hyb_shape_unify (&call->input[1].shape, &call->output[0].shape, error))
    return FALSE;

  return hyb_layer_expect_vector (&call->input[0].shape, "gradient", call->input[1].shape.dim[1],
                                  error);
}

/* Inputs: gradient (batch), gradient of each sample's loss with respect to the data. */
static void
ctc_backward (const HybCall *call, const HybRun *run)
{
  if (call->output[0].dtype == HYB_F64)
    scale_gradient_f64 (call, run);
  else
    scale_gradient_f32 (call, run);
}

/* About ten operations per position and step, forward and backward, and softmax. */
static void
ctc_cost (const HybCall *call, HybCost *cost)
{
  const HybShape *data = &call->input[0].shape;
  double          n_positions = 2.0 * (double) call->input[1].shape.dim[1] + 1.0;

  cost->flops = (double) data->dim[0] * (double) data->dim[1] *
                (20.0 * n_positions + 6.0 * (double) data->dim[2]);
  hyb_rule_cost_bytes (call, cost);
}

static const char *const ctc_aliases[] = {
  "ctc_loss",
  "_contrib_CTCLoss",
  "_contrib_ctc_loss",
  NULL,
};
static const char *const ctc_inputs[] = { "data", "label", "data_lengths", "label_lengths", NULL };
static const char *const ctc_outputs[] = { "out", "_gradient", NULL };
static const char *const backward_inputs[] = { "gradient", "data_gradient", NULL };

const HybOp hyb_ops_ctc_loss[] = {
  {
      .name = "CTCLoss",
      .aliases = ctc_aliases,
      .doc = "Negative logarithm of the probability that a sequence spells its label.",
      .category = HYB_CATEGORY_LOSS,
      .inputs = ctc_inputs,
      .outputs = ctc_outputs,
      .constant_inputs = 1u << 1 | 1u << 2 | 1u << 3,
      HYB_PARAMS (ctc_params, CtcParams),
      .arity = ctc_arity,
      .infer_shape = ctc_infer_shape,
      .infer_dtype = ctc_infer_dtype,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = ctc_forward,
      .workspace = ctc_workspace,
      HYB_GRADIENT ("_backward_CTCLoss (g0, o1) > i0"),
      .cost = ctc_cost,
  },
  {
      .name = "_backward_CTCLoss",
      .doc = "Gradient of CTCLoss: scales each sample's gradient by the incoming one.",
      .category = HYB_CATEGORY_LOSS,
      .flags = HYB_OP_INTERNAL,
      .inputs = backward_inputs,
      .infer_shape = backward_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = ctc_backward,
  },
  { 0 },
};
