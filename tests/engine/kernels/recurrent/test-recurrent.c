/* test-recurrent.c — recurrent networks use exactly the sizes that they state, and recording or
 * splitting the work does not change results.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/kernels/recurrent/recurrent.h"

#include "engine/base/parallel.h"
#include "engine/kernels/simd/machine-model.h"
#include "engine/kernels/simd/simd.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

#define GUARD 64 /* elements after each array that must stay unchanged */

/* An array of floats with a guard after it. */
static float *
guarded_new (gint64 n)
{
  float *data = g_new (float, n + GUARD);

  for (gint64 i = 0; i < n; i++)
    data[i] = 0.6f * sinf ((float) i * 1.7f);
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

typedef struct
{
  HybRecurrent net;
  gint64       n_x, n_parameters, n_state, n_cell, n_y, n_reserve;
  float       *x, *parameters, *state, *cell, *y, *state_out, *cell_out, *reserve;
} Fixture;

static const gint64 lengths[] = { 2, 0, 3, 20, 1, 19, 10 };

static void
fixture_init (Fixture *this, const HybRecurrent *net)
{
  gint64 slots = net->n_layers * net->n_directions;
  gint64 R = hyb_recurrent_state_size (net);

  this->net = *net;
  this->n_x = net->n_steps * net->batch * net->input;
  this->n_parameters = hyb_recurrent_n_parameters (net);
  this->n_state = slots * net->batch * R;
  this->n_cell = slots * net->batch * net->hidden;
  this->n_y = net->n_steps * net->batch * net->n_directions * R;
  this->n_reserve = hyb_recurrent_reserve (net);
  this->x = guarded_new (this->n_x);
  this->parameters = guarded_new (this->n_parameters);
  this->state = guarded_new (this->n_state);
  this->cell = guarded_new (this->n_cell);
  this->y = guarded_new (this->n_y);
  this->state_out = guarded_new (this->n_state);
  this->cell_out = guarded_new (this->n_cell);
  this->reserve = guarded_new (this->n_reserve);
}

static void
fixture_clear (Fixture *this)
{
  guarded_free (this->x, this->n_x);
  guarded_free (this->parameters, this->n_parameters);
  guarded_free (this->state, this->n_state);
  guarded_free (this->cell, this->n_cell);
  guarded_free (this->y, this->n_y);
  guarded_free (this->state_out, this->n_state);
  guarded_free (this->cell_out, this->n_cell);
  guarded_free (this->reserve, this->n_reserve);
}

static void
run_forward (Fixture *this, gboolean recording)
{
  gint64 n = hyb_recurrent_forward_workspace (&this->net, recording);
  gint64 n_panels = this->net.keeps_panels ? hyb_recurrent_panels (&this->net) : 0;
  float *workspace = guarded_new (n), *panels = guarded_new (n_panels);

  if (this->net.keeps_panels)
    hyb_recurrent_pack (&this->net, this->parameters, panels);

  hyb_recurrent_forward (&this->net, HYB_F32,
                         &(HybRecurrentForward){
                             .x = this->x,
                             .parameters = this->parameters,
                             .state = this->state,
                             .cell = this->cell,
                             .lengths = this->net.has_lengths ? lengths : NULL,
                             .y = this->y,
                             .state_out = this->state_out,
                             .cell_out = this->cell_out,
                             .reserve = recording ? this->reserve : NULL,
                             .panels = panels,
                             .workspace = workspace,
                             .seed = 7,
                         });
  guarded_free (workspace, n);
  guarded_free (panels, n_panels);
}

/* Returns the gradients of the parameters.  (transfer full) */
static float *
run_backward (Fixture *this)
{
  float *result;
  gint64 n = hyb_recurrent_backward_workspace (&this->net);
  float *workspace = guarded_new (n);
  float *dx = guarded_new (this->n_x);
  float *dparameters = guarded_new (this->n_parameters);
  float *dstate = guarded_new (this->n_state);
  float *dcell = guarded_new (this->n_cell);

  for (gint64 i = 0; i < this->n_parameters; i++)
    dparameters[i] = NAN; /* every one must be written */
  hyb_recurrent_backward (&this->net, HYB_F32,
                          &(HybRecurrentBackward){
                              .x = this->x,
                              .parameters = this->parameters,
                              .state = this->state,
                              .cell = this->cell,
                              .lengths = this->net.has_lengths ? lengths : NULL,
                              .y = this->y,
                              .reserve = this->reserve,
                              .dy = this->y,
                              .dx = dx,
                              .dparameters = dparameters,
                              .dstate = dstate,
                              .dcell = dcell,
                              .workspace = workspace,
                          });
  for (gint64 i = 0; i < this->n_parameters; i++)
    g_assert_true (isfinite (dparameters[i]));
  guarded_free (workspace, n);
  guarded_free (dx, this->n_x);
  result = g_memdup2 (dparameters, (gsize) this->n_parameters * sizeof (float));
  guarded_free (dparameters, this->n_parameters);
  guarded_free (dstate, this->n_state);
  guarded_free (dcell, this->n_cell);
  return result;
}

static void
check_network (const HybRecurrent *net)
{
  Fixture this;
  float *y, *state;

  fixture_init (&this, net);
  run_forward (&this, FALSE);
  y = g_memdup2 (this.y, (gsize) this.n_y * sizeof (float));
  state = g_memdup2 (this.state_out, (gsize) this.n_state * sizeof (float));

  for (gint64 i = 0; i < this.n_reserve; i++)
    this.reserve[i] = NAN; /* what backward reads must have been written */
  run_forward (&this, TRUE);
  g_assert_cmpmem (y, (gsize) this.n_y * sizeof (float), this.y, (gsize) this.n_y * sizeof (float));
  g_assert_cmpmem (state, (gsize) this.n_state * sizeof (float), this.state_out,
                   (gsize) this.n_state * sizeof (float));

  g_free (run_backward (&this));
  g_free (y);
  g_free (state);
  fixture_clear (&this);
}

/* Only LSTM projects, and only what is multiplied in panels keeps them. */
static gboolean
is_form (HybRnnMode cell, guint form)
{
  return (cell == HYB_RNN_LSTM || !(form & 16)) && (form & 96) != 64;
}

/* All kinds of cell, with and without each optional feature. */
static void
test_every_form_keeps_to_its_memory (void)
{
  for (guint cell = 0; cell < HYB_RNN_N_MODES; cell++)
    for (guint form = 0; form < 1 << 7; form++)
      {
        HybRecurrent net = {
          .cell = (HybRnnMode) cell,
          .n_steps = 3,
          .batch = 3,
          .input = 2,
          .hidden = 5,
          .n_layers = form & 1 ? 3 : 1,
          .n_directions = form & 2 ? 2 : 1,
          .has_lengths = (form & 4) != 0,
          .dropout = form & 8 ? 0.5 : 0,
          .projection = form & 16 ? 7 : 0,
          .in_panels = (form & 32) != 0,
          .keeps_panels = (form & 64) != 0,
        };

        if (is_form (net.cell, form))
          check_network (&net);
      }
}

/* Both are sums in float32, in another order; their rounding depends on the processor's products. */
static void
assert_near (const float *got, const float *want, gint64 n)
{
  for (gint64 i = 0; i < n; i++)
    g_assert_cmpfloat (fabsf (got[i] - want[i]), <=, 3e-5f * (1 + fabsf (want[i])));
}

/* Batches for which the inputs of one step, of several, or of all steps are multiplied together. */
static void
test_panels_give_the_same_numbers (void)
{
  static const gint64 batches[] = { 1, 3, 12, 40 };

  for (guint cell = 0; cell < HYB_RNN_N_MODES; cell++)
    for (guint b = 0; b < G_N_ELEMENTS (batches); b++)
      {
        HybRecurrent net = {
          .cell = (HybRnnMode) cell,
          .n_steps = 5,
          .batch = batches[b],
          .input = 3,
          .hidden = 9,
          .n_layers = 2,
          .n_directions = 2,
        };
        Fixture           plain, packed;
        g_autofree float *plain_gradients = NULL, *packed_gradients = NULL;

        fixture_init (&plain, &net);
        net.in_panels = TRUE;
        fixture_init (&packed, &net);
        run_forward (&plain, FALSE);
        run_forward (&packed, FALSE);
        assert_near (packed.y, plain.y, plain.n_y);
        packed.net.keeps_panels = TRUE;
        run_forward (&packed, FALSE);
        assert_near (packed.y, plain.y, plain.n_y);
        assert_near (packed.state_out, plain.state_out, plain.n_state);
        packed.net.keeps_panels = FALSE;

        run_forward (&plain, TRUE);
        run_forward (&packed, TRUE);
        g_assert_cmpint (packed.n_reserve, ==, plain.n_reserve);
        assert_near (packed.reserve, plain.reserve, plain.n_reserve);
        plain_gradients = run_backward (&plain);
        packed_gradients = run_backward (&packed);
        assert_near (packed_gradients, plain_gradients, plain.n_parameters);
        fixture_clear (&plain);
        fixture_clear (&packed);
      }
}

/* Small steps, so that threads share out the rows. */
static void
test_threads_change_no_byte (void)
{
  for (guint cell = 0; cell < HYB_RNN_N_MODES; cell++)
    for (guint form = 0; form < (cell == HYB_RNN_LSTM ? 8 : 4); form++)
      {
        gboolean     recording = form & 1;
        HybRecurrent net = {
          .cell = (HybRnnMode) cell,
          .has_lengths = form >> 1 & 1,
          .projection = form & 4 ? 21 : 0,
          .n_steps = 20,
          .batch = 7,
          .input = 30,
          .hidden = 37,
          .n_layers = 2,
          .n_directions = 2,
          .in_panels = TRUE,
        };
        Fixture one, three;
        gsize   y, reserve, state;

        fixture_init (&one, &net);
        fixture_init (&three, &net);
        y = (gsize) one.n_y * sizeof (float);
        reserve = (gsize) one.n_reserve * sizeof (float);
        state = (gsize) one.n_state * sizeof (float);
        hyb_parallel_set_threads (1);
        run_forward (&one, recording);
        hyb_parallel_set_threads (3);
        run_forward (&three, recording);
        hyb_parallel_set_threads (1);
        g_assert_cmpmem (one.y, y, three.y, y);
        g_assert_cmpmem (one.reserve, reserve, three.reserve, reserve);
        g_assert_cmpmem (one.state_out, state, three.state_out, state);
        if (cell == HYB_RNN_LSTM)
          g_assert_cmpmem (one.cell_out, state, three.cell_out, state);
        fixture_clear (&one);
        fixture_clear (&three);
      }
}

/* The results of a network on one machine: outputs, last states, the reserve and gradients.  (transfer full) */
static GByteArray *
run_on_machine (const HybRecurrent *net, const HybMachine *machine)
{
  GByteArray *results = g_byte_array_new ();
  Fixture this;
  g_autofree float *gradients = NULL;

  hyb_machine_use (machine);
  fixture_init (&this, net);
  for (guint again = 0; again < 2;
       again++) /* the second time weights may be read from the other end */
    run_forward (&this, FALSE);
  g_byte_array_append (results, (gpointer) this.y, (guint) this.n_y * sizeof (float));
  this.net.keeps_panels = FALSE;
  run_forward (&this, TRUE);
  gradients = run_backward (&this);
  g_byte_array_append (results, (gpointer) this.state_out, (guint) this.n_state * sizeof (float));
  g_byte_array_append (results, (gpointer) this.reserve, (guint) this.n_reserve * sizeof (float));
  g_byte_array_append (results, (gpointer) gradients, (guint) this.n_parameters * sizeof (float));
  fixture_clear (&this);
  hyb_machine_use (NULL);
  return results;
}

/* Tiny caches, huge ones, vectors in halves, and prefetching that gains something or nothing. */
static void
check_machines (const HybRecurrent *net)
{
  static const HybMachine machines[] = {
    { .second_cache = 1e3, .last_cache = 2e3, .loads = 2 },
    { .second_cache = 1e3, .last_cache = 2e3, .memory = { { 2, 1 }, { 2, 1 }, { 2, 1 } } },
    { .second_cache = 1e3,
      .last_cache = 1e10,
      .loads = 1,
      .last = { { 1, 2 }, { 1, 2 }, { 1, 2 } } },
    { .second_cache = 1e9, .last_cache = 1e10, .loads = 1 },
    { .second_cache = 1e4,
      .last_cache = 1e5,
      .loads = 2,
      .last = { { 2, 1 }, { 2, 1 }, { 2, 1 } } },
  };
  g_autoptr (GByteArray) want = run_on_machine (net, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (machines); i++)
    {
      g_autoptr (GByteArray) got = run_on_machine (net, &machines[i]);

      g_assert_cmpmem (got->data, got->len, want->data, want->len);
    }
}

/* Batches of one group of rows and of several, at each level; weights are in three panels or more, the last of which is a part.
 * The second direction does the same as the first. */
static void
test_machines_change_no_byte (void)
{
  static const gint64 batches[] = { 1, 2, 5, 13 };

  for (guint level = HYB_SIMD_PLAIN; level <= HYB_SIMD_AVX512; level++)
    for (guint cell = 0; cell < HYB_RNN_N_MODES; cell++)
      for (guint form = 0; form < 3 * G_N_ELEMENTS (batches); form++)
        {
          HybRecurrent net = {
            .cell = (HybRnnMode) cell,
            .n_steps = 3,
            .batch = batches[form / 3],
            .input = 19,
            .hidden = 67,
            .n_layers = 1,
            .n_directions = 1,
            .in_panels = form % 3 > 0,
            .keeps_panels = form % 3 > 1,
          };

          hyb_simd_cap ((HybSimdLevel) level);
          check_machines (&net);
        }
  hyb_simd_cap (HYB_SIMD_AVX512);
}

/* Numbers of parameters as in MXNet. */
static void
test_number_of_parameters (void)
{
  HybRecurrent net = {
    .cell = HYB_RNN_LSTM, .n_layers = 1, .n_directions = 1, .input = 3, .hidden = 2
  };

  g_assert_cmpint (hyb_recurrent_n_parameters (&net), ==, 56);
  net.cell = HYB_RNN_GRU;
  net.n_directions = 2;
  net.n_layers = 2;
  g_assert_cmpint (hyb_recurrent_n_parameters (&net), ==,
                   2 * 3 * 2 * (3 + 2 + 2) + 2 * 3 * 2 * (4 + 2 + 2));
  net.hidden = G_MAXINT32;
  net.n_layers = G_MAXINT32;
  g_assert_cmpint (hyb_recurrent_n_parameters (&net), ==, -1);
}

TEST_PROGRAM (test_recurrent)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/kernels/recurrent/every-form-keeps-to-its-memory",
                   test_every_form_keeps_to_its_memory);
  g_test_add_func ("/engine/kernels/recurrent/panels-give-the-same-numbers",
                   test_panels_give_the_same_numbers);
  g_test_add_func ("/engine/kernels/recurrent/threads-change-no-byte", test_threads_change_no_byte);
  g_test_add_func ("/engine/kernels/recurrent/every-level/machines-change-no-byte",
                   test_machines_change_no_byte);
  g_test_add_func ("/engine/kernels/recurrent/number-of-parameters", test_number_of_parameters);

  return g_test_run ();
}
