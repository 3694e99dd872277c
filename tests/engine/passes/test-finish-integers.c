/* test-finish-integers.c — products of integers that are cast, scaled and added to become one operator with the same bytes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/block/trace.h"
#include "engine/exec/executor.h"
#include "tests/engine/ops/op-plan.h"
#include "tests/program.h"

#include <string.h>

#define ROWS    5
#define COLUMNS 7
#define INNER   9

/* A spelling, and what it must become. */
typedef struct
{
  gboolean scale_by_column, is_mirrored; /* operands the other way round */
  gboolean has_bias, has_wide_bias;      /* one for each column; one for each element */
  gboolean shows_scaled;                 /* the scaled product is an output, too */
  gboolean scale_by_row;
  guint    n_casts, n_sums; /* that are left */
} Case;

static HybValue *
binary (HybF *F, const char *op, HybValue *a, HybValue *b, gboolean is_mirrored)
{
  return is_mirrored ? HYB_OP (F, op, .in = { b, a }) : HYB_OP (F, op, .in = { a, b });
}

static HybGraph *
trace (const Case *c)
{
  g_autoptr (HybF) F = hyb_f_new_trace (FALSE);
  g_autoptr (GError) error = NULL;
  HybValue *y, *scaled;
  HybGraph *graph;

  y = HYB_OP (F, "_integer_matmul",
              .in = { hyb_value_variable (F, "a", NULL), hyb_value_variable (F, "b", NULL),
                      hyb_value_variable (F, "za", NULL), hyb_value_variable (F, "zb", NULL) });
  y = HYB_OP (F, "Cast", .in = { y }, .attributes = HYB_WITH ("dtype", "float32"));
  y = scaled =
      binary (F, "broadcast_mul", y, hyb_value_variable (F, "scale", NULL), c->is_mirrored);
  if (c->has_bias || c->has_wide_bias)
    y = binary (F, "broadcast_add", y, hyb_value_variable (F, "offset", NULL), c->is_mirrored);
  graph =
      hyb_f_finish (F, c->shows_scaled ? hyb_list (F, 2, (HybValue *[]){ y, scaled }) : y, &error);
  g_assert_no_error (error);
  return graph;
}

static HybType
type_of (const Case *c, const char *name)
{
  if (g_str_equal (name, "a"))
    return (HybType){ hyb_shape_2d (ROWS, INNER), HYB_U8 };
  if (g_str_equal (name, "b"))
    return (HybType){ hyb_shape_2d (INNER, COLUMNS), HYB_I8 };
  if (name[0] == 'z')
    return (HybType){ hyb_shape_1d (1), name[1] == 'a' ? HYB_U8 : HYB_I8 };
  if (g_str_equal (name, "scale"))
    return (HybType){ c->scale_by_column ? hyb_shape_1d (COLUMNS)
                      : c->scale_by_row  ? hyb_shape_2d (ROWS, 1)
                                         : hyb_shape_1d (1),
                      HYB_F32 };
  return (HybType){ c->has_wide_bias ? hyb_shape_2d (ROWS, COLUMNS) : hyb_shape_1d (COLUMNS),
                    HYB_F32 };
}

static HybExecutor *
run (const Case *c, const HybExecutorOptions *options)
{
  g_autoptr (HybGraph) graph = trace (c);
  HybExecutor     *executor = hyb_executor_new (graph, options);
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < n; i++)
    {
      const char *name = hyb_graph_get_node (graph, variables[i])->name;
      HybType     type = type_of (c, name);
      g_autoptr (HybTensor) tensor = hyb_tensor_new (&type, &error);

      for (gint64 k = 0; k < hyb_tensor_get_size (tensor); k++)
        hyb_dtype_set_double (hyb_tensor_get_data (tensor), type.dtype, (gsize) k,
                              type.dtype == HYB_F32 ? 0.01 * (double) (k + 1)
                                                    : (double) (k * 37 % 101));
      g_assert_true (hyb_executor_bind (executor, name, tensor, &error));
    }
  g_assert_true (hyb_executor_run (executor, NULL, &error));
  g_assert_no_error (error);
  return executor;
}

static void
check (const Case *c)
{
  HybExecutorOptions options = { .mode = HYB_MODE_STATIC };
  HybExecutorOptions no_passes = { .mode = HYB_MODE_STATIC, .no_passes = TRUE };
  g_autoptr (HybExecutor) joined = run (c, &options);
  g_autoptr (HybExecutor) plain = run (c, &no_passes);

  for (guint head = 0; head < hyb_executor_n_outputs (plain); head++)
    {
      HybTensor *left = hyb_executor_get_output (joined, head);
      HybTensor *right = hyb_executor_get_output (plain, head);

      g_assert_cmpmem (hyb_tensor_get_data (left), (gsize) hyb_tensor_get_size (left) * 4,
                       hyb_tensor_get_data (right), (gsize) hyb_tensor_get_size (right) * 4);
    }
  g_assert_cmpuint (op_count_planned (joined, "_integer_matmul"), ==, 1);
  g_assert_cmpuint (op_count_planned (joined, "Cast") +
                        op_count_planned (joined, "_fused_elementwise"),
                    ==, c->n_casts);
  g_assert_cmpuint (op_count_planned (joined, "broadcast_add"), ==, c->n_sums);
}

static void
test_scale_and_bias_are_joined (void)
{
  for (guint bits = 0; bits < 8; bits++)
    check (&(Case){ .scale_by_column = (bits & 1) != 0,
                    .is_mirrored = (bits & 2) != 0,
                    .has_bias = (bits & 4) != 0 });
}

static void
test_other_shapes_and_readers_stay (void)
{
  check (&(Case){ .has_wide_bias = TRUE, .n_sums = 1 });
  check (&(Case){ .has_bias = TRUE, .shows_scaled = TRUE, .n_sums = 1 });
  check (&(Case){ .scale_by_row = TRUE, .n_casts = 1 });
}

TEST_PROGRAM (test_finish_integers)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/passes/finish-integers/scale-and-bias-are-joined",
                   test_scale_and_bias_are_joined);
  g_test_add_func ("/engine/passes/finish-integers/other-shapes-and-readers-stay",
                   test_other_shapes_and_readers_stay);
  return g_test_run ();
}
