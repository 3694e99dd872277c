/* test-cell-form.c — cells with functions, limits and weights of their own, compared with formulas in doubles.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/recurrent/recurrent.h"

#include "engine/base/parallel.h"
#include "engine/kernels/simd/simd.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

#define GUARD 64 /* elements after each array that must stay unchanged */

/* One form, with the names of its functions for each of two directions. */
typedef struct
{
  HybRnnMode  cell;
  const char *names[2][3];
  double      clip;
  gboolean    couples_input_forget, resets_first, has_peepholes;
} Form;

static const Form forms[] = {
  { HYB_RNN_GRU,
    { { "sigmoid", "tanh" }, { "hard_sigmoid", "scaled_tanh" } },
    .resets_first = TRUE },
  { HYB_RNN_GRU, { { "sigmoid", "relu" }, { "softsign", "elu" } }, .clip = 0.4 },
  { HYB_RNN_GRU,
    { { "sigmoid", "softplus" }, { "sigmoid", "affine" } },
    .clip = 0.3,
    .resets_first = TRUE },
  { HYB_RNN_LSTM,
    { { "sigmoid", "tanh", "tanh" }, { "sigmoid", "tanh", "tanh" } },
    .has_peepholes = TRUE },
  { HYB_RNN_LSTM,
    { { "hard_sigmoid", "leaky_relu", "thresholded_relu" }, { "sigmoid", "softsign", "elu" } },
    .clip = 0.5 },
  { HYB_RNN_LSTM,
    { { "sigmoid", "tanh", "relu" }, { "hard_sigmoid", "tanh", "tanh" } },
    .couples_input_forget = TRUE,
    .has_peepholes = TRUE },
  { HYB_RNN_TANH, { { "sigmoid" }, { "softplus" } }, .clip = 0.2 },
};

#define ALPHA 0.3
#define BETA  0.6

/* --- The formulas --- */

static double
function_of (const char *name, double x)
{
  if (g_str_equal (name, "sigmoid"))
    return 1 / (1 + exp (-x));
  if (g_str_equal (name, "tanh"))
    return tanh (x);
  if (g_str_equal (name, "relu"))
    return x > 0 ? x : 0;
  if (g_str_equal (name, "softsign"))
    return x / (1 + fabs (x));
  if (g_str_equal (name, "softplus"))
    return log1p (exp (x));
  if (g_str_equal (name, "leaky_relu"))
    return x > 0 ? x : ALPHA * x;
  if (g_str_equal (name, "elu"))
    return x > 0 ? x : ALPHA * expm1 (x);
  if (g_str_equal (name, "thresholded_relu"))
    return x > ALPHA ? x : 0;
  if (g_str_equal (name, "affine"))
    return ALPHA * x + BETA;
  if (g_str_equal (name, "hard_sigmoid"))
    return CLAMP (ALPHA * x + BETA, 0, 1);
  g_assert_cmpstr (name, ==, "scaled_tanh");
  return ALPHA * tanh (BETA * x);
}

typedef struct
{
  const Form  *form;
  HybRecurrent net;
  HybCellForm  given;
  gint64       n_x, n_parameters, n_state, n_y;
  float       *x, *parameters, *state, *cell, *peepholes, *y, *state_out, *cell_out;
  double      *want_y, *want_state, *want_cell; /* by the formulas; NULL unless they are compared */
} Fixture;

static double
limit (const Fixture *this, double x)
{
  double clip = this->form->clip;

  return clip > 0 ? CLAMP (x, -clip, clip) : x;
}

static double
apply (const Fixture *this, gint64 d, guint function, double x)
{
  return function_of (this->form->names[d][function], limit (this, x));
}

/* The place of a weight in the flat vector: of W_i (matrix 0) or W_h (1), or of a bias. */
static gint64
weight_at (const Fixture *this, gint64 d, guint matrix, gint64 row, gint64 column)
{
  gint64 I = this->net.input, H = this->net.hidden, GH = hyb_recurrent_n_gates (this->net.cell) * H;

  return d * GH * (I + H) + (matrix == 0 ? row * I : GH * I + row * H) + column;
}

static double
bias (const Fixture *this, gint64 d, guint matrix, gint64 row)
{
  gint64 GH = hyb_recurrent_n_gates (this->net.cell) * this->net.hidden;

  return this->parameters[hyb_recurrent_n_weights (&this->net) + d * 2 * GH + matrix * GH + row];
}

/* Row `row` of a matrix times a vector. */
static double
product (const Fixture *this, gint64 d, guint matrix, gint64 row, const double *vector)
{
  gint64 n = matrix == 0 ? this->net.input : this->net.hidden;
  double sum = 0;

  for (gint64 k = 0; k < n; k++)
    sum += (double) this->parameters[weight_at (this, d, matrix, row, k)] * vector[k];
  return sum;
}

static double
sum_of (const Fixture *this, gint64 d, gint64 row, const double *x, const double *h)
{
  return product (this, d, 0, row, x) + product (this, d, 1, row, h) + bias (this, d, 0, row) +
         bias (this, d, 1, row);
}

static void
gru_step (const Fixture *this, gint64 d, const double *x, double *h)
{
  gint64             H = this->net.hidden;
  g_autofree double *reset = g_new (double, H), *fresh = g_new (double, H);

  for (gint64 j = 0; j < H; j++)
    reset[j] = apply (this, d, 0, sum_of (this, d, j, x, h));
  for (gint64 j = 0; j < H; j++)
    {
      gint64             row = 2 * H + j;
      g_autofree double *scaled = g_new (double, H);
      double             other;

      for (gint64 k = 0; k < H; k++)
        scaled[k] = reset[k] * h[k];
      other = this->form->resets_first
                  ? product (this, d, 1, row, scaled) + bias (this, d, 1, row)
                  : reset[j] * (product (this, d, 1, row, h) + bias (this, d, 1, row));
      fresh[j] = apply (this, d, 1, product (this, d, 0, row, x) + bias (this, d, 0, row) + other);
    }
  for (gint64 j = 0; j < H; j++)
    reset[j] = apply (this, d, 0, sum_of (this, d, H + j, x, h));
  for (gint64 j = 0; j < H; j++)
    h[j] = (1 - reset[j]) * fresh[j] + reset[j] * h[j];
}

static void
lstm_step (const Fixture *this, gint64 d, const double *x, double *h, double *c)
{
  gint64             H = this->net.hidden;
  const float       *p = this->peepholes + d * 3 * H;
  g_autofree double *fresh = g_new (double, H);

  for (gint64 j = 0; j < H; j++)
    {
      double weight[3] = { 0 }, i, f, g, o;

      for (guint k = 0; k < 3 && this->form->has_peepholes; k++)
        weight[k] = p[k * H + j];
      i = apply (this, d, 0, sum_of (this, d, j, x, h) + weight[0] * c[j]);
      f = this->form->couples_input_forget
              ? 1 - i
              : apply (this, d, 0, sum_of (this, d, H + j, x, h) + weight[1] * c[j]);
      g = apply (this, d, 1, sum_of (this, d, 2 * H + j, x, h));
      c[j] = f * c[j] + i * g;
      o = apply (this, d, 0, sum_of (this, d, 3 * H + j, x, h) + weight[2] * c[j]);
      fresh[j] = o * function_of (this->form->names[d][2], c[j]);
    }
  memcpy (h, fresh, (gsize) H * sizeof *h);
}

static void
rnn_step (const Fixture *this, gint64 d, const double *x, double *h)
{
  gint64             H = this->net.hidden;
  g_autofree double *fresh = g_new (double, H);

  for (gint64 j = 0; j < H; j++)
    fresh[j] = apply (this, d, 0, sum_of (this, d, j, x, h));
  memcpy (h, fresh, (gsize) H * sizeof *h);
}

/* --- The comparison --- */

static float *
guarded_new (gint64 n, double shift)
{
  float *data = g_new (float, n + GUARD);

  for (gint64 i = 0; i < n; i++)
    data[i] = 0.6f * sinf ((float) i * 1.7f + (float) shift);
  for (gint64 i = n; i < n + GUARD; i++)
    data[i] = 12345.f;
  return data;
}

static void
guarded_free (float *data, gint64 n)
{
  for (gint64 i = n; i < n + GUARD; i++)
    g_assert_cmpfloat (data[i], ==, 12345.f);
  g_free (data);
}

static void
fixture_init (Fixture *this, const Form *form, const HybRecurrent *net)
{
  gint64 D = net->n_directions;

  *this = (Fixture){ .form = form, .net = *net };
  this->net.cell = form->cell;
  this->given = (HybCellForm){ .clip = form->clip,
                               .couples_input_forget = form->couples_input_forget,
                               .resets_first = form->resets_first };
  for (guint d = 0; d < 2; d++)
    for (guint f = 0; f < 3 && form->names[d][f]; f++)
      this->given.functions[d][f] =
          (HybCellFunction){ hyb_cell_function_find (form->names[d][f], strlen (form->names[d][f])),
                             ALPHA, BETA };
  this->net.form = &this->given;
  this->n_x = net->n_steps * net->batch * net->input;
  this->n_parameters = hyb_recurrent_n_parameters (&this->net);
  this->n_state = D * net->batch * net->hidden;
  this->n_y = net->n_steps * this->n_state;
  this->x = guarded_new (this->n_x, 0);
  this->parameters = guarded_new (this->n_parameters, 1);
  for (gint64 i = 0; i < this->n_parameters; i++)
    this->parameters[i] *= 2 / sqrtf ((float) (net->hidden + net->input));
  this->state = guarded_new (this->n_state, 2);
  this->cell = guarded_new (this->n_state, 3);
  this->peepholes = guarded_new (D * 3 * net->hidden, 4);
  this->y = guarded_new (this->n_y, 5);
  this->state_out = guarded_new (this->n_state, 6);
  this->cell_out = guarded_new (this->n_state, 7);
}

static void
fixture_clear (Fixture *this)
{
  guarded_free (this->x, this->n_x);
  guarded_free (this->parameters, this->n_parameters);
  guarded_free (this->state, this->n_state);
  guarded_free (this->cell, this->n_state);
  guarded_free (this->peepholes, this->net.n_directions * 3 * this->net.hidden);
  guarded_free (this->y, this->n_y);
  guarded_free (this->state_out, this->n_state);
  guarded_free (this->cell_out, this->n_state);
  g_free (this->want_y);
  g_free (this->want_state);
  g_free (this->want_cell);
}

/* A batch of 1 begins with a sequence of 2 steps or of none, so that steps are left out. */
static const gint64 lengths[] = { 2, 0, 4, 1, 3, 4, 2, 0, 1, 3, 2, 4, 1, 0, 2, 3, 4, 1 };

static void
run (Fixture *this)
{
  const HybRecurrent *net = &this->net;
  gint64              n_panels = net->keeps_panels ? hyb_recurrent_panels (net) : 0;
  gint64              n_workspace = hyb_recurrent_forward_workspace (net, FALSE);
  float              *panels = guarded_new (n_panels, 0), *workspace = guarded_new (n_workspace, 0);

  if (net->keeps_panels)
    hyb_recurrent_pack (net, this->parameters, panels);
  hyb_recurrent_forward (net, HYB_F32,
                         &(HybRecurrentForward){
                             .x = this->x,
                             .parameters = this->parameters,
                             .state = this->state,
                             .cell = net->cell == HYB_RNN_LSTM ? this->cell : NULL,
                             .lengths = net->has_lengths ? lengths + net->hidden % 2 : NULL,
                             .peepholes = this->form->has_peepholes ? this->peepholes : NULL,
                             .y = this->y,
                             .state_out = this->state_out,
                             .cell_out = this->cell_out,
                             .panels = panels,
                             .workspace = workspace });
  guarded_free (panels, n_panels);
  guarded_free (workspace, n_workspace);
}

/* Computes sequence n of direction d, all steps. */
static void
compute_sequence (Fixture *this, gint64 d, gint64 n)
{
  const HybRecurrent *net = &this->net;
  gint64              H = net->hidden, I = net->input, N = net->batch, place = (d * N + n) * H;
  gint64              T = net->has_lengths ? lengths[net->hidden % 2 + n] : net->n_steps;
  double             *h = this->want_state + place, *c = this->want_cell + place;
  g_autofree double  *x = g_new (double, I);

  for (gint64 j = 0; j < H; j++)
    h[j] = this->state[place + j], c[j] = this->cell[place + j];
  for (gint64 k = 0; k < net->n_steps; k++)
    {
      gint64 t = k >= T ? k : d == 1 ? T - 1 - k : k;

      for (gint64 i = 0; i < I; i++)
        x[i] = this->x[(t * N + n) * I + i];
      if (k < T && net->cell == HYB_RNN_GRU)
        gru_step (this, d, x, h);
      else if (k < T && net->cell == HYB_RNN_LSTM)
        lstm_step (this, d, x, h, c);
      else if (k < T)
        rnn_step (this, d, x, h);
      if (k < T) /* else zeros */
        memcpy (this->want_y + ((t * N + n) * net->n_directions + d) * H, h, (gsize) H * sizeof *h);
    }
}

static void
compute_wanted (Fixture *this)
{
  this->want_y = g_new0 (double, this->n_y);
  this->want_state = g_new0 (double, this->n_state);
  this->want_cell = g_new0 (double, this->n_state);
  for (gint64 d = 0; d < this->net.n_directions; d++)
    for (gint64 n = 0; n < this->net.batch; n++)
      compute_sequence (this, d, n);
}

static void
assert_near (const float *got, const double *want, gint64 n)
{
  for (gint64 j = 0; j < n; j++)
    g_assert_cmpfloat_with_epsilon (got[j], want[j], 2e-5);
}

/* The formulas give the same at each level, and whether weights are in panels or not. */
static void
check_level (Fixture *this, guint form)
{
  this->net.in_panels = form > 0;
  this->net.keeps_panels = form > 1;
  memset (this->y, 0xff, (gsize) this->n_y * sizeof (float));
  memset (this->state_out, 0xff, (gsize) this->n_state * sizeof (float));
  memset (this->cell_out, 0xff, (gsize) this->n_state * sizeof (float));
  run (this);
  assert_near (this->y, this->want_y, this->n_y);
  assert_near (this->state_out, this->want_state, this->n_state);
  if (this->net.cell == HYB_RNN_LSTM)
    assert_near (this->cell_out, this->want_cell, this->n_state);
}

static void
check (const Form *form, const HybRecurrent *net)
{
  Fixture this;

  fixture_init (&this, form, net);
  compute_wanted (&this);
  for (guint level = HYB_SIMD_PLAIN; level <= HYB_SIMD_AVX512; level++)
    for (guint panels = 0; panels < 3; panels++)
      {
        hyb_simd_cap ((HybSimdLevel) level);
        check_level (&this, panels);
      }
  hyb_simd_cap (HYB_SIMD_AVX512);
  fixture_clear (&this);
}

/* --- Tests --- */

/* Widths at the edges of vectors and panels; weights kept in panels, packed in each run, and not packed. */
static void
test_forms_follow_their_formulas (void)
{
  static const gint64 hidden[] = { 1, 8, 16, 33 }, batches[] = { 1, 2, 17 };

  for (guint form = 0; form < G_N_ELEMENTS (forms); form++)
    for (guint size = 0; size < G_N_ELEMENTS (hidden) * G_N_ELEMENTS (batches); size++)
      for (guint how = 0; how < 2; how++)
        {
          HybRecurrent net = { .n_layers = 1,
                               .n_directions = 1 + how,
                               .n_steps = 4,
                               .input = 5,
                               .hidden = hidden[size % G_N_ELEMENTS (hidden)],
                               .batch = batches[size / G_N_ELEMENTS (hidden)],
                               .has_lengths = (form + size + how) % 2 == 0 };

          check (&forms[form], &net);
        }
}

/* Threads share out steps of 20 rows of 90 units, and rows where the steps are small. */
static void
test_threads_change_no_byte (void)
{
  static const struct
  {
    gint64 batch, hidden;
  } sizes[] = { { 1, 200 }, { 20, 90 }, { 13, 20 } };

  for (guint level = HYB_SIMD_PLAIN; level <= HYB_SIMD_AVX512; level++)
    for (guint i = 0; i < G_N_ELEMENTS (forms) * G_N_ELEMENTS (sizes); i++)
      {
        HybRecurrent net = { .n_layers = 1,
                             .n_directions = 2,
                             .n_steps = 3,
                             .input = 9,
                             .hidden = sizes[i % G_N_ELEMENTS (sizes)].hidden,
                             .batch = sizes[i % G_N_ELEMENTS (sizes)].batch,
                             .in_panels = TRUE,
                             .keeps_panels = TRUE };
        Fixture      one, more;

        hyb_simd_cap ((HybSimdLevel) level);
        fixture_init (&one, &forms[i / G_N_ELEMENTS (sizes)], &net);
        hyb_parallel_set_threads (1);
        run (&one);
        for (guint threads = 2; threads <= 5; threads += 3)
          {
            fixture_init (&more, &forms[i / G_N_ELEMENTS (sizes)], &net);
            hyb_parallel_set_threads (threads);
            run (&more);
            g_assert_cmpmem (more.y, (gsize) more.n_y * sizeof (float), one.y,
                             (gsize) one.n_y * sizeof (float));
            fixture_clear (&more);
          }
        fixture_clear (&one);
      }
  hyb_parallel_set_threads (0);
  hyb_simd_cap (HYB_SIMD_AVX512);
}

static void
test_nan_stays_nan (void)
{
  static const char *const names[] = { "sigmoid",  "tanh",         "relu",       "softsign",
                                       "softplus", "leaky_relu",   "elu",        "thresholded_relu",
                                       "affine",   "hard_sigmoid", "scaled_tanh" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      HybCellFunction function = { hyb_cell_function_find (names[i], strlen (names[i])), ALPHA,
                                   BETA };
      float           x[] = { NAN, 0.25f };

      g_assert_nonnull (function.kind);
      hyb_cell_function_apply (&function, 2, x);
      g_test_message ("%s", names[i]);
      g_assert_true (isnan (x[0]));
      g_assert_cmpfloat_with_epsilon (x[1], function_of (names[i], 0.25), 1e-6);
    }
  g_assert_null (hyb_cell_function_find ("tan", 3));
  g_assert_null (hyb_cell_function_find ("tanhh", 5));
}

TEST_PROGRAM (test_cell_form)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/kernels/cell-form/every-level/forms-follow-their-formulas",
                   test_forms_follow_their_formulas);
  g_test_add_func ("/engine/kernels/cell-form/every-level/threads-change-no-byte",
                   test_threads_change_no_byte);
  g_test_add_func ("/engine/kernels/cell-form/nan-stays-nan", test_nan_stays_nan);
  return g_test_run ();
}
