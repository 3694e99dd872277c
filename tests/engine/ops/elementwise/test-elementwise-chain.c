/* test-elementwise-chain.c — tests of _elementwise_chain: a chain must give the results of its members
 * run one by one, whichever operand they may overwrite.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/exec/executor.h"
#include "engine/graph/builder.h"
#include "engine/imperative/imperative.h"
#include "tests/program.h"

#include <math.h>
#include <string.h>

static HybTensor *
wave (gint64 n, double phase)
{
  HybType type = { hyb_shape_1d (n), HYB_F32 };
  g_autoptr (GError) error = NULL;
  HybTensor *tensor = hyb_tensor_new (&type, &error);
  float     *values = hyb_tensor_get_data (tensor);

  for (gint64 i = 0; i < n; i++)
    values[i] = (float) (2 * sin (0.37 * (double) i + phase));
  return tensor;
}

static HybValueId
call (HybBuilder *builder, const char *op, HybValueId a, HybValueId b)
{
  HybValueId inputs[] = { a, b };
  g_autoptr (GError) error = NULL;
  HybValueId value =
      hyb_builder_call (builder, op,
                        &(HybNodeSpec){
                            .name = op, .n_inputs = b == HYB_NO_ID ? 1 : 2, .inputs = inputs },
                        &error);

  g_assert_no_error (error);
  return value;
}

/* What the last member of the chain reads besides the product of tanh (x) and y. */
typedef enum
{
  READS_SECOND, /* input 1 */
  READS_FIRST,  /* input 0, which others have read before */
  READS_RESULT, /* tanh (x), which the product has read before */
} LastMember;

static HybGraph *
members (LastMember last)
{
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  HybValueId x = hyb_builder_add_variable (builder, "x", NULL);
  HybValueId y = hyb_builder_add_variable (builder, "y", NULL);
  HybValueId result = call (builder, "tanh", x, HYB_NO_ID);
  HybValueId product = call (builder, "elemwise_mul", result, y);
  HybValueId operands[] = { [READS_SECOND] = y, [READS_FIRST] = x, [READS_RESULT] = result };

  hyb_builder_add_head (builder, call (builder, "elemwise_sub", product, operands[last]));
  return hyb_builder_freeze (g_steal_pointer (&builder));
}

/* exp (x) comes first, so that input 0 of the chain is memory that may be overwritten. */
static HybGraph *
around (HybGraph *body)
{
  g_autoptr (HybBuilder) builder = hyb_builder_new ();
  HybValueId  inputs[2];
  const char *attributes[] = { "num_args", "2", NULL };
  HybNodeSpec spec = { .op = hyb_op_find ("_elementwise_chain"),
                       .name = "chain",
                       .attributes = attributes,
                       .n_inputs = 2,
                       .inputs = inputs,
                       .n_bodies = 1,
                       .bodies = &body };
  g_autoptr (GError) error = NULL;
  HybNodeId id;

  inputs[0] = call (builder, "exp", hyb_builder_add_variable (builder, "a", NULL), HYB_NO_ID);
  inputs[1] = hyb_builder_add_variable (builder, "b", NULL);
  id = hyb_builder_add (builder, &spec, &error);
  g_assert_no_error (error);
  hyb_builder_add_head (builder, hyb_builder_output (builder, id, 0));
  return hyb_builder_freeze (g_steal_pointer (&builder));
}

static HybTensor *
run (HybGraph *graph, const char *first, HybTensor *x, const char *second, HybTensor *y)
{
  HybExecutorOptions options = { .mode = HYB_MODE_STATIC, .no_passes = TRUE };
  g_autoptr (HybExecutor) executor = hyb_executor_new (graph, &options);
  g_autoptr (GError) error = NULL;

  g_assert_true (hyb_executor_bind (executor, first, x, &error));
  g_assert_true (hyb_executor_bind (executor, second, y, &error));
  g_assert_true (hyb_executor_run (executor, NULL, &error));
  g_assert_no_error (error);
  return hyb_tensor_copy (hyb_executor_get_output (executor, 0));
}

static void
check (gint64 n, LastMember last)
{
  g_autoptr (HybGraph) body = members (last);
  g_autoptr (HybGraph) graph = around (body);
  g_autoptr (HybTensor) a = wave (n, 0.3);
  g_autoptr (HybTensor) b = wave (n, 1.1);
  g_autoptr (HybTensor) x = NULL;
  g_autoptr (HybTensor) expected = NULL;
  g_autoptr (HybTensor) y = run (graph, "a", a, "b", b);
  g_autoptr (GError) error = NULL;

  g_assert_true (hyb_imperative_call (&(HybImperativeCall){ .op = hyb_op_find ("exp"),
                                                            .n_inputs = 1,
                                                            .inputs = &a,
                                                            .outputs = &x },
                                      NULL, &error));
  expected = run (body, "x", x, "y", b);
  g_assert_cmpmem (hyb_tensor_get_data (y), hyb_tensor_get_bytes (y),
                   hyb_tensor_get_data (expected), hyb_tensor_get_bytes (expected));
}

static void
test_members_one_by_one (void)
{
  static const gint64 sizes[] = { 1, 7, 8191, 8192, 8193, 24576, 100003 };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    check (sizes[i], READS_SECOND);
}

static void
test_the_output_may_lie_over_the_first_input (void)
{
  check (20000, READS_FIRST);
}

static void
test_a_result_is_kept_until_it_was_read_twice (void)
{
  check (20000, READS_RESULT);
}

/* Checks what HYB_OP_POINTWISE promises for all operators that have it. */
static void
test_pointwise_operators_need_nothing_else (void)
{
  guint               n, n_pointwise = 0;
  const HybOp *const *ops = hyb_op_list (&n);

  for (guint i = 0; i < n; i++)
    {
      if (!(ops[i]->flags & HYB_OP_POINTWISE))
        continue;
      n_pointwise++;
      g_assert_false (ops[i]->flags & (HYB_OP_RANDOM | HYB_OP_TRAINING_DEPENDENT | HYB_OP_OPAQUE));
      g_assert_null (ops[i]->workspace);
      g_assert_null (ops[i]->prepare);
      g_assert_null (ops[i]->view);
      g_assert_cmpuint (ops[i]->mutates, ==, 0);
      g_assert_cmpuint (ops[i]->n_bodies, ==, 0);
      g_assert_true (ops[i]->dtypes & HYB_DTYPES_F32);
    }
  g_assert_cmpuint (n_pointwise, >, 100);
}

TEST_PROGRAM (test_elementwise_chain)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/ops/elementwise-chain/equals-its-members-one-by-one",
                   test_members_one_by_one);
  g_test_add_func ("/engine/ops/elementwise-chain/the-output-may-lie-over-the-first-input",
                   test_the_output_may_lie_over_the_first_input);
  g_test_add_func ("/engine/ops/elementwise-chain/a-result-is-kept-until-it-was-read-twice",
                   test_a_result_is_kept_until_it_was_read_twice);
  g_test_add_func ("/engine/ops/elementwise-chain/pointwise-operators-need-nothing-else",
                   test_pointwise_operators_need_nothing_else);

  return g_test_run ();
}
