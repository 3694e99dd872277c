/* ctc-loss.c — CTCLoss: −log of the probability that a sequence spells a label, over all
 * ways of stretching the label with repeats and blanks (Graves et al., 2006).
 *
 * The gradient falls out of the same pass; it is a hidden output.  Everything is in
 * logarithms and in double.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/base/error.h"
#include "engine/gradient/gradient.h"
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
  { HYB_FIELD (CtcParams, use_data_lengths),
    HYB_PARAM_BOOL,
    "False",
    .doc = "an input tells how many steps of each sequence count" },
  { HYB_FIELD (CtcParams, use_label_lengths),
    HYB_PARAM_BOOL,
    "False",
    .doc = "an input tells how long each label is; else padding ends it" },
  { HYB_FIELD (CtcParams, blank_label),
    HYB_PARAM_ENUM,
    "first",
    .choices = blank_names,
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
    return hyb_error_at (error,
                         HYB_GRAPH_ERROR,
                         HYB_GRAPH_ERROR_TYPES,
                         "label",
                         "Use shorter labels or more steps",
                         "there are up to %" G_GINT64_FORMAT " labels but only %" G_GINT64_FORMAT
                         " steps",
                         label->dim[1],
                         data->dim[0]);
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

/* One sample.  A label of length L stretched with blanks has 2 L + 1 places. */
typedef struct
{
  gint64  steps, classes, blank;
  gint64  label_length, places;
  gint64 *path;  /* class at each place */
  double *logp;  /* steps × classes: log softmax */
  double *alpha; /* steps × places: log p of the beginning, this step included */
  double *beta;  /* places: log p of the rest, this step not included */
  double *next;  /* places */
  double *mass;  /* classes */
} Sample;

static double
log_add (double a, double b)
{
  double high = MAX (a, b), low = MIN (a, b);

  return isinf (high) && high < 0 ? high : high + log1p (exp (low - high));
}

/* Whether a place may be reached from two places before: over a blank between two
 * different labels. */
static gboolean
may_skip (const Sample *sample, gint64 place)
{
  return place >= 2 && sample->path[place] != sample->blank &&
         sample->path[place] != sample->path[place - 2];
}

static double
go_forward (Sample *sample)
{
  gint64 n = sample->places, last = sample->steps - 1;

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
        sample->alpha[t * n + s] = sum + sample->logp[t * sample->classes + sample->path[s]];
      }

  return n == 1 ? sample->alpha[last * n]
                : log_add (sample->alpha[last * n + n - 1], sample->alpha[last * n + n - 2]);
}

/* Log probability of what follows step t, from that of what follows t + 1. */
static void
step_back (Sample *sample, gint64 t)
{
  gint64        n = sample->places;
  const double *logp = sample->logp + (t + 1) * sample->classes;

  for (gint64 s = 0; s < n; s++)
    {
      double sum = sample->next[s] + logp[sample->path[s]];

      if (s + 1 < n)
        sum = log_add (sum, sample->next[s + 1] + logp[sample->path[s + 1]]);
      if (s + 2 < n && may_skip (sample, s + 2))
        sum = log_add (sum, sample->next[s + 2] + logp[sample->path[s + 2]]);
      sample->beta[s] = sum;
    }
}

/* Room for one sample, cut out of the workspace. */
static gsize
sample_bytes (gint64 steps, gint64 classes, gint64 label_length)
{
  gsize places = 2 * (gsize) label_length + 1;
  gsize words, product;

  if (!g_size_checked_mul (&words, (gsize) steps, places) ||
      !g_size_checked_mul (&product, (gsize) steps, (gsize) classes) ||
      !g_size_checked_add (&words, words, product) ||
      !g_size_checked_add (&words, words, 3 * places + (gsize) classes) ||
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

/* What a call is about, with the types of its operands out of the way. */
typedef struct
{
  const HybCall *call;
  const HybRun  *run;
  gint64         steps, n_samples, classes, label_room;
} CtcBatch;

static gint64
read_length (const CtcBatch *batch, guint input, gint64 sample, gint64 most)
{
  return CLAMP (hyb_dtype_get_int (batch->run->input[input],
                                   batch->call->input[input].dtype,
                                   (gsize) sample),
                0,
                most);
}

static gint64
read_label (const CtcBatch *batch, gint64 sample, gint64 i)
{
  return hyb_dtype_get_int (batch->run->input[1],
                            batch->call->input[1].dtype,
                            (gsize) (sample * batch->label_room + i));
}

static gint64
label_length (const CtcBatch *batch, gint64 sample)
{
  const CtcParams *params = batch->call->params;
  gint64           padding = params->blank_label == BLANK_FIRST ? 0 : -1;
  gint64           n = 0;

  if (params->use_label_lengths)
    return read_length (batch, batch->call->n_inputs - 1, sample, batch->label_room);

  while (n < batch->label_room && read_label (batch, sample, n) != padding)
    n++;
  return n;
}

/* FALSE: the label names a class that does not exist. */
static gboolean
init_sample (Sample *sample, const CtcBatch *batch, gint64 index)
{
  const CtcParams *params = batch->call->params;
  double          *room = batch->run->workspace;

  sample->steps =
      params->use_data_lengths ? read_length (batch, 2, index, batch->steps) : batch->steps;
  sample->classes = batch->classes;
  sample->blank = params->blank_label == BLANK_FIRST ? 0 : batch->classes - 1;
  sample->label_length = label_length (batch, index);
  sample->places = 2 * sample->label_length + 1;

  sample->logp = room;
  sample->alpha = sample->logp + batch->steps * batch->classes;
  sample->beta = sample->alpha + batch->steps * (2 * batch->label_room + 1);
  sample->next = sample->beta + 2 * batch->label_room + 1;
  sample->path = (gint64 *) (sample->next + 2 * batch->label_room + 1);
  sample->mass = (double *) (sample->path + 2 * batch->label_room + 1);

  for (gint64 s = 0; s < sample->places; s++)
    {
      sample->path[s] = s % 2 == 0 ? sample->blank : read_label (batch, index, s / 2);
      if (sample->path[s] < 0 || sample->path[s] >= batch->classes)
        return FALSE;
    }
  return TRUE;
}

/* A label needs a step for each of its places and one for a blank between equal ones. */
static gboolean
fits (const Sample *sample)
{
  gint64 needed = sample->label_length;

  for (gint64 s = 3; s < sample->places; s += 2)
    needed += sample->path[s] == sample->path[s - 2];
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
                     .label_room = call->input[1].shape.dim[1] };

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

  return hyb_layer_expect_vector (&call->input[0].shape,
                                  "gradient",
                                  call->input[1].shape.dim[1],
                                  error);
}

/* Inputs: gradient (batch), gradient of each loss by the data. */
static void
ctc_backward (const HybCall *call, const HybRun *run)
{
  if (call->output[0].dtype == HYB_F64)
    scale_gradient_f64 (call, run);
  else
    scale_gradient_f32 (call, run);
}

static void
ctc_gradient (HybGrad *grad)
{
  HybValueId inputs[] = { hyb_grad_incoming (grad, 0), hyb_grad_output (grad, 1) };

  hyb_grad_set_input (grad, 0, hyb_grad_emit_with (grad, "_backward_CTCLoss", NULL, 2, inputs));
}

/* About ten operations per place and step, forward and back, and softmax. */
static void
ctc_cost (const HybCall *call, HybCost *cost)
{
  const HybShape *data = &call->input[0].shape;
  double          places = 2.0 * (double) call->input[1].shape.dim[1] + 1.0;

  cost->flops =
      (double) data->dim[0] * (double) data->dim[1] * (20.0 * places + 6.0 * (double) data->dim[2]);
  hyb_rule_cost_bytes (call, cost);
}

static const char *const ctc_aliases[] = {
  "ctc_loss",
  "_contrib_CTCLoss",
  "_contrib_ctc_loss",
  NULL,
};
static const char *const ctc_inputs[] = { "data", "label", "data_lengths", "label_lengths", NULL };
static const char *const ctc_outputs[] = { "output0", "_gradient", NULL };
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
      .params = ctc_params,
      .params_size = sizeof (CtcParams),
      .arity = ctc_arity,
      .infer_shape = ctc_infer_shape,
      .infer_dtype = ctc_infer_dtype,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = ctc_forward,
      .workspace = ctc_workspace,
      .gradient = ctc_gradient,
      .cost = ctc_cost,
  },
  {
      .name = "_backward_CTCLoss",
      .doc = "Gradient of CTCLoss by its data: that of each sample times what flows in.",
      .category = HYB_CATEGORY_LOSS,
      .flags = HYB_OP_INTERNAL,
      .inputs = backward_inputs,
      .infer_shape = backward_infer_shape,
      .dtypes = HYB_DTYPES_FLOAT,
      .forward = ctc_backward,
  },
  { 0 },
};
