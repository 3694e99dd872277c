/* test-shared-block.c — tests of one block that several threads call at the same time.
 *
 * tests/sanitize.sh thread runs it under ThreadSanitizer.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/block/control.h"
#include "engine/block/layers.h"
#include "engine/rnn/cell.h"
#include "engine/rnn/layer.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

#define N_THREADS 8
#define N_CALLS   200
#define UNITS     32

typedef struct
{
  HybBlock *block;
  float     value; /* of every element of the input */
  guint     n_rows;
  guint     n_wrong;
} Caller;

/* Sums of rows that are value everywhere. */
static gpointer
call_often (gpointer data)
{
  Caller *caller = data;

  for (guint i = 0; i < N_CALLS; i++)
    {
      gint64 dims[] = { caller->n_rows, UNITS };
      g_autoptr (HybTensor) x = hyb_tensor_new_float (2, dims, NULL);
      g_autoptr (HybTensor) y = NULL;
      float *elements = hyb_tensor_get_data (x);

      for (guint k = 0; k < caller->n_rows * UNITS; k++)
        elements[k] = caller->value;
      y = hyb_block_predict (caller->block, x, NULL);
      for (gint64 k = 0; k < hyb_tensor_get_size (y); k++)
        caller->n_wrong += fabs (hyb_tensor_get_value (y, k) - UNITS * caller->value) > 1e-3;
      caller->n_wrong += hyb_tensor_get_size (y) != (gint64) caller->n_rows * UNITS;
    }
  return NULL;
}

static void
call_from_threads (HybBlock *block)
{
  GThread *threads[N_THREADS];
  Caller   callers[N_THREADS];

  for (guint i = 0; i < N_THREADS; i++)
    {
      /* Shapes differ, so that plans are made and exchanged while others run. */
      callers[i] = (Caller){ .block = block, .value = (float) (i + 1), .n_rows = 1 + i % 3 };
      threads[i] = g_thread_new ("caller", call_often, &callers[i]);
    }
  for (guint i = 0; i < N_THREADS; i++)
    {
      g_thread_join (threads[i]);
      g_assert_cmpuint (callers[i].n_wrong, ==, 0);
    }
}

static HybBlock *
new_block (void)
{
  HybBlock *block = hyb_dense (.units = UNITS, .weight_init = "ones");

  hyb_block_initialize (block, NULL, 0);
  return block;
}

static void
test_an_imperative_block_is_shared (void)
{
  g_autoptr (HybBlock) block = new_block ();

  call_from_threads (block);
}

static void
test_a_hybridized_block_is_shared (void)
{
  g_autoptr (HybBlock) block = new_block ();

  g_assert_true (hyb_block_hybridize (block, TRUE, NULL, NULL));
  call_from_threads (block);
}

static void
test_a_static_block_is_shared (void)
{
  g_autoptr (HybBlock) block = new_block ();

  g_assert_true (hyb_block_hybridize (block, TRUE, &(HybHybridize){ .static_alloc = TRUE }, NULL));
  call_from_threads (block);
}

/* --- Blocks of several kinds, compared with one thread --- */

#define N_STEPS 3

static HybValue *
unroll_forward (HybF *F, HybBlock *block, HybValue *x)
{
  HybValue *states = NULL;

  return hyb_unroll (F, hyb_block_get_child (block, 0), &states, .length = N_STEPS, .inputs = x,
                     .merge = HYB_MERGE_YES);
}

static HybValue *
loop_forward (HybF *F, HybBlock *block, HybValue *x)
{
  HybBlock *cell = hyb_block_get_child (block, 0);
  HybValue *states = hyb_cell_begin_state (F, cell, "_zeros", 2);
  HybValue *steps = hyb_foreach_cell (F, cell, hyb_swap_axes (F, x, 0, 1), states);

  return hyb_loop_result (F, steps).outputs;
}

static const HybBlockClass unroll_class = { .name = "Unrolled",
                                            .size = sizeof (HybBlock),
                                            .forward = unroll_forward };
static const HybBlockClass loop_class = { .name = "Looped",
                                          .size = sizeof (HybBlock),
                                          .forward = loop_forward };

/* Takes the cell. */
static HybBlock *
wrap (const HybBlockClass *klass, HybBlock *cell)
{
  HybBlock *block = hyb_block_new (klass, NULL);

  hyb_block_add_child (block, cell, NULL);
  return block;
}

/* Takes the data (2, 3, 8). */
static HybBlock *
new_kind (guint kind)
{
  HybBlock *block;

  switch (kind)
    {
    case 0:
      return wrap (&unroll_class, hyb_lstm_cell (.hidden = 8));
    case 1:
      return wrap (&loop_class, hyb_gru_cell (.hidden = 8));
    case 2:
      return wrap (&unroll_class, hyb_zoneout_cell_new (hyb_lstm_cell (.hidden = 8), 0.2, 0.2));
    case 3:
      return wrap (&unroll_class,
                   hyb_variational_dropout_cell_new (hyb_rnn_cell (.hidden = 8), 0.3, 0.3, 0.3));
    case 4:
      block = hyb_sequential_cell_new (HYB_STYLE_GLUON, NULL);
      hyb_append (block, hyb_lstm_cell (.hidden = 8));
      hyb_append (block, hyb_residual_cell_new (hyb_gru_cell (.hidden = 8)));
      return wrap (&unroll_class, block);
    case 5:
      return hyb_rnn_layer (.hidden = 8, .layers = 2, .layout = "NTC");
    case 6:
      block = hyb_sequential (NULL);
      hyb_append (block, hyb_dense (.units = 8, .activation = "relu"));
      hyb_append (block, hyb_batch_norm (.axis = 1));
      hyb_append (block, hyb_dropout_new (0.5, NULL));
      return block;
    default:
      return NULL;
    }
}

typedef struct
{
  HybBlock  *block;
  HybTensor *x, *expected;
  guint      n_wrong;
} Repeater;

static gboolean
is_equal (HybTensor *a, HybTensor *b)
{
  return a && hyb_tensor_get_bytes (a) == hyb_tensor_get_bytes (b) &&
         memcmp (hyb_tensor_get_data (a), hyb_tensor_get_data (b), hyb_tensor_get_bytes (a)) == 0;
}

static gpointer
repeat (gpointer data)
{
  Repeater *repeater = data;

  for (guint i = 0; i < 30; i++)
    {
      g_autoptr (HybTensor) y = hyb_block_predict (repeater->block, repeater->x, NULL);

      repeater->n_wrong += !is_equal (y, repeater->expected);
    }
  return NULL;
}

static void
test_kinds_of_blocks_are_shared (gconstpointer data)
{
  HybBlock *block;

  for (guint kind = 0; (block = new_kind (kind)); kind++)
    {
      GThread *threads[N_THREADS];
      Repeater repeaters[N_THREADS];
      g_autoptr (HybTensor) x = hyb_tensor_new_float (3, (const gint64[]){ 2, N_STEPS, 8 }, NULL);
      g_autoptr (HybTensor) expected = NULL;
      g_autoptr (GError) error = NULL;

      for (gint64 i = 0; i < hyb_tensor_get_size (x); i++)
        ((float *) hyb_tensor_get_data (x))[i] = (float) (i % 7) / 7 - 0.5f;
      hyb_block_initialize (block, NULL, 3);
      if (data)
        hyb_block_hybridize (block, TRUE, NULL, &error);
      g_assert_no_error (error);
      expected = hyb_block_predict (block, x, &error);
      g_assert_no_error (error);
      for (guint i = 0; i < N_THREADS; i++)
        {
          repeaters[i] = (Repeater){ .block = block, .x = x, .expected = expected };
          threads[i] = g_thread_new ("repeater", repeat, &repeaters[i]);
        }
      for (guint i = 0; i < N_THREADS; i++)
        {
          g_thread_join (threads[i]);
          g_assert_cmpuint (repeaters[i].n_wrong, ==, 0);
        }
      hyb_block_unref (block);
    }
}

TEST_PROGRAM (test_shared_block)
{
  g_test_init (&argc, &argv, NULL);

#define ADD(name, function) g_test_add_func ("/engine/block/shared/" name, function)
  ADD ("an-imperative-block-is-shared", test_an_imperative_block_is_shared);
  ADD ("a-hybridized-block-is-shared", test_a_hybridized_block_is_shared);
  ADD ("a-static-block-is-shared", test_a_static_block_is_shared);
#undef ADD
  g_test_add_data_func ("/engine/block/shared/kinds-of-blocks-are-shared", NULL,
                        test_kinds_of_blocks_are_shared);
  g_test_add_data_func ("/engine/block/shared/hybridized-kinds-of-blocks-are-shared", "",
                        test_kinds_of_blocks_are_shared);

  return g_test_run ();
}
