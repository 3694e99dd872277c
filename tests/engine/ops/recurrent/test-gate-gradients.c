/* test-gate-gradients.c — _backward_lstm_gates and _backward_gru_gates, compared with differences of the formulas of
 * the cells in double precision.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/imperative/imperative.h"
#include "tests/engine/ops/op-check.h"
#include "tests/program.h"

#include <math.h>

#define HIDDEN 37
#define BATCH  3
#define STEP   1e-5

static const OpSample samples[] = {
  { "_backward_lstm_gates",
    "several rows",
    NULL,
    { "f32[3,5]", "f32[3,5]", "f32[3,5]", "f32[3,5]", "f32[3,5]", "f32[3,5]", "f32[3,5]",
      "f32[3,5]" } },
  { "_backward_lstm_gates",
    "no gradient of the cell",
    "has_cell_gradient=False",
    { "f32[2,3]", "f32[2,3]", "f32[2,3]", "f32[2,3]", "f32[2,3]", "f32[2,3]", "f32[2,3]" } },
  { "_backward_gru_gates",
    "several rows",
    NULL,
    { "f32[3,5]", "f32[3,5]", "f32[3,5]", "f32[3,5]", "f32[3,15]", "f32[3,5]" } },
  { 0 },
};

static const OpRefusal refusals[] = {
  { "_backward_gru_gates",
    "gates of another size",
    NULL,
    { "f32[3,5]", "f32[3,5]", "f32[3,5]", "f32[3,5]", "f32[3,14]", "f32[3,5]" },
    "14" },
  { 0 },
};

/* One element of a cell: the arguments of its gates, y of a GRU, and the state before. */
typedef struct
{
  double gate[4], y, before;
} Element;

static double
sigmoid (double x)
{
  return 1 / (1 + exp (-x));
}

/* dh h + dc c */
static double
lstm_value (const Element *e, double dh, double dc)
{
  double c = sigmoid (e->gate[1]) * e->before + sigmoid (e->gate[0]) * tanh (e->gate[2]);

  return dh * sigmoid (e->gate[3]) * tanh (c) + dc * c;
}

/* dh h, where gate 2 is x. */
static double
gru_value (const Element *e, double dh, double unused)
{
  double z = sigmoid (e->gate[1]);

  return dh * ((1 - z) * tanh (e->gate[2] + sigmoid (e->gate[0]) * e->y) + z * e->before);
}

typedef double (*Value) (const Element *e, double dh, double dc);

/* The derivative by one of the numbers of the element. */
static double
slope (Value value, const Element *e, const double *number, double dh, double dc)
{
  Element low = *e, high = *e;
  gsize   at = (gsize) ((const char *) number - (const char *) e);

  *(double *) ((char *) &low + at) -= STEP;
  *(double *) ((char *) &high + at) += STEP;
  return (value (&high, dh, dc) - value (&low, dh, dc)) / (2 * STEP);
}

static Element
element (gint64 at)
{
  Element e = { .y = sin (0.9 * (double) at + 2), .before = 0.7 * cos (1.3 * (double) at) };

  for (int i = 0; i < 4; i++)
    e.gate[i] = 2 * sin (0.37 * (double) at + i);
  return e;
}

static double
gradient_at (gint64 at, double phase)
{
  return sin (0.61 * (double) at + phase);
}

static HybTensor *
new_tensor (gint64 columns)
{
  HybType type = { hyb_shape_2d (BATCH, columns), HYB_F32 };
  g_autoptr (GError) error = NULL;
  HybTensor *tensor = hyb_tensor_new (&type, &error);

  g_assert_no_error (error);
  return tensor;
}

static void
set (HybTensor *tensor, gint64 at, double value)
{
  hyb_dtype_set_double (hyb_tensor_get_data (tensor), HYB_F32, (gsize) at, value);
}

static void
call (const char *op, guint n, HybTensor **inputs, HybTensor **outputs)
{
  const HybOp *found = hyb_op_find (op);
  const char  *no_attributes[] = { NULL };
  gpointer     params = NULL;
  g_autoptr (GError) error = NULL;

  if (found->params)
    params = hyb_params_parse (found->params, found->params_size, no_attributes, NULL, &error);
  g_assert_no_error (error);
  hyb_imperative_call (&(HybImperativeCall){ .op = found,
                                             .params = params,
                                             .n_inputs = n,
                                             .inputs = inputs,
                                             .outputs = outputs },
                       NULL, &error);
  g_assert_no_error (error);
  if (params)
    hyb_params_unref (params);
}

static void
assert_near (HybTensor *tensor, gint64 at, double expected)
{
  g_assert_cmpfloat_with_epsilon (hyb_tensor_get_value (tensor, at), expected, 3e-6);
}

static void
clear (guint n, HybTensor **tensors)
{
  for (guint i = 0; i < n; i++)
    hyb_tensor_unref (tensors[i]);
}

static void
test_lstm (void)
{
  HybTensor *inputs[8], *outputs[2] = { NULL };

  for (guint i = 0; i < G_N_ELEMENTS (inputs); i++)
    inputs[i] = new_tensor (HIDDEN);
  for (gint64 at = 0; at < BATCH * HIDDEN; at++)
    {
      Element e = element (at);
      double  i = sigmoid (e.gate[0]), f = sigmoid (e.gate[1]), g = tanh (e.gate[2]);
      double  all[] = {
         gradient_at (at, 0), i, f, g, sigmoid (e.gate[3]), tanh (f * e.before + i * g), e.before,
         gradient_at (at, 1)
      };

      for (guint k = 0; k < G_N_ELEMENTS (all); k++)
        set (inputs[k], at, all[k]);
    }
  call ("_backward_lstm_gates", G_N_ELEMENTS (inputs), inputs, outputs);
  for (gint64 at = 0; at < BATCH * HIDDEN; at++)
    {
      Element e = element (at);
      double  dh = gradient_at (at, 0), dc = gradient_at (at, 1);

      for (gint64 k = 0; k < 4; k++)
        assert_near (outputs[0], at / HIDDEN * 4 * HIDDEN + k * HIDDEN + at % HIDDEN,
                     slope (lstm_value, &e, &e.gate[k], dh, dc));
      assert_near (outputs[1], at, slope (lstm_value, &e, &e.before, dh, dc));
    }
  clear (G_N_ELEMENTS (inputs), inputs);
  clear (G_N_ELEMENTS (outputs), outputs);
}

static void
test_gru (void)
{
  HybTensor *inputs[6], *outputs[3] = { NULL };

  for (guint i = 0; i < G_N_ELEMENTS (inputs); i++)
    inputs[i] = new_tensor (i == 4 ? 3 * HIDDEN : HIDDEN);
  for (gint64 at = 0; at < BATCH * HIDDEN; at++)
    {
      Element e = element (at);
      double  r = sigmoid (e.gate[0]);
      double  all[] = { gradient_at (at, 0),        r, sigmoid (e.gate[1]),
                        tanh (e.gate[2] + r * e.y), 0, e.before };

      for (guint k = 0; k < G_N_ELEMENTS (all); k++)
        if (k != 4)
          set (inputs[k], at, all[k]);
      for (gint64 k = 0; k < 3; k++)
        set (inputs[4], at / HIDDEN * 3 * HIDDEN + k * HIDDEN + at % HIDDEN, k == 2 ? e.y : 100);
    }
  call ("_backward_gru_gates", G_N_ELEMENTS (inputs), inputs, outputs);
  for (gint64 at = 0; at < BATCH * HIDDEN; at++)
    {
      Element e = element (at);
      double  dh = gradient_at (at, 0);

      for (gint64 k = 0; k < 3; k++)
        {
          gint64 place = at / HIDDEN * 3 * HIDDEN + k * HIDDEN + at % HIDDEN;

          assert_near (outputs[0], place, slope (gru_value, &e, &e.gate[k], dh, 0));
          assert_near (outputs[1], place, slope (gru_value, &e, k == 2 ? &e.y : &e.gate[k], dh, 0));
        }
      assert_near (outputs[2], at, slope (gru_value, &e, &e.before, dh, 0));
    }
  clear (G_N_ELEMENTS (inputs), inputs);
  clear (G_N_ELEMENTS (outputs), outputs);
}

TEST_PROGRAM (test_gate_gradients)
{
  g_test_init (&argc, &argv, NULL);

  op_check_family ("gate-gradients", hyb_ops_gate_gradients, samples, refusals);
  g_test_add_func ("/engine/ops/gate-gradients/lstm-is-the-slope-of-its-formula", test_lstm);
  g_test_add_func ("/engine/ops/gate-gradients/gru-is-the-slope-of-its-formula", test_gru);

  return g_test_run ();
}
