/* test-shared-block.c — tests of one block that several threads call at the same time.
 *
 * tests/sanitize.sh thread runs it under ThreadSanitizer.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/block/layers.h"
#include "tests/program.h"

#include <math.h>

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

TEST_PROGRAM (test_shared_block)
{
  g_test_init (&argc, &argv, NULL);

#define ADD(name, function) g_test_add_func ("/engine/block/shared/" name, function)
  ADD ("an-imperative-block-is-shared", test_an_imperative_block_is_shared);
  ADD ("a-hybridized-block-is-shared", test_a_hybridized_block_is_shared);
  ADD ("a-static-block-is-shared", test_a_static_block_is_shared);
#undef ADD

  return g_test_run ();
}
