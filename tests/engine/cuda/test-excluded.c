/* test-excluded.c — operators that a GPU must not compute, inside of fused chains.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/graph/builder.h"
#include "tests/engine/cuda/on-pretend-gpu.h"
#include "tests/program.h"

static HybValueId
add (HybBuilder *builder, const char *op, HybValueId input)
{
  HybNodeSpec spec = { .name = op, .n_inputs = 1, .inputs = &input };
  g_autoptr (GError) error = NULL;
  HybValueId value = hyb_builder_call (builder, op, &spec, &error);

  g_assert_no_error (error);
  return value;
}

/* sqrt (abs (x)), which becomes one step. */
static HybGraph *
new_chain (void)
{
  HybBuilder *builder = hyb_builder_new ();
  HybValueId  x = hyb_builder_add_variable (builder, "x", NULL);

  hyb_builder_add_head (builder, add (builder, "sqrt", add (builder, "abs", x)));
  return hyb_builder_freeze (builder);
}

/* (transfer full) */
static char *
plan_without (const char *op)
{
  g_autoptr (HybGraph) graph = new_chain ();
  g_autoptr (HybGpu) gpu = open_gpu ();
  HybExecutorOptions options = { .mode = HYB_MODE_STATIC, .gpu = gpu };
  g_autoptr (HybExecutor) executor = hyb_executor_new (graph, &options);
  char *text;

  if (op)
    g_assert_true (hyb_gpu_exclude (gpu, op, "it is wrong"));
  bind (executor, "x", new_tensor (3, 5, 0.7));
  run (executor);
  text = hyb_plan_print (hyb_executor_get_plan (executor));
  g_assert_nonnull (strstr (text, "_elementwise_chain"));
  return text;
}

/* The host computes a chain if it must compute one of its members. */
static void
test_members (void)
{
  static const char *const operators[] = { "abs", "sqrt" };

  if (!set_up ("leaks=fail"))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (operators); i++)
    {
      g_autofree char *text = plan_without (operators[i]);
      g_autofree char *wanted =
          g_strdup_printf (", on the host: %s in it: it is wrong\n", operators[i]);

      g_assert_nonnull (strstr (text, wanted));
    }
}

static void
test_other_operators (void)
{
  g_autofree char *all = NULL, *other = NULL;

  if (!set_up ("leaks=fail"))
    return;
  all = plan_without (NULL);
  other = plan_without ("exp");
  g_assert_null (strstr (all, ", on the host: "));
  g_assert_null (strstr (other, ", on the host: "));
}

/* Only calls with elements of the type are left to the host. */
static void
test_types (void)
{
  static const HybDType dtypes[] = { HYB_F32, HYB_F16 };

  if (!set_up ("leaks=fail"))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (dtypes); i++)
    {
      g_autoptr (HybGraph) graph = new_chain ();
      g_autoptr (HybGpu) gpu = open_gpu ();
      HybExecutorOptions options = { .mode = HYB_MODE_STATIC, .gpu = gpu };
      g_autoptr (HybExecutor) executor = hyb_executor_new (graph, &options);
      HybType          type = { hyb_shape_2d (3, 5), dtypes[i] };
      g_autofree char *text = NULL;
      g_auto (GStrv) names = NULL;

      g_assert_true (hyb_gpu_exclude_type (gpu, "sqrt", HYB_F16, "it is wrong"));
      g_assert_false (hyb_gpu_exclude_type (gpu, "_no_such_operator", HYB_F16, "it is wrong"));
      names = hyb_gpu_list_excluded (gpu);
      g_assert_cmpstr (names[0], ==, "sqrt in float16");
      g_assert_cmpstr (hyb_gpu_why_excluded (gpu, names[0]), ==, "it is wrong");
      bind (executor, "x", hyb_tensor_new_zeros (&type, NULL));
      run (executor);
      text = hyb_plan_print (hyb_executor_get_plan (executor));
      g_assert_true ((strstr (text, "it is wrong") != NULL) == (dtypes[i] == HYB_F16));
    }
}

TEST_PROGRAM (test_excluded)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/cuda/excluded/a-chain-with-an-excluded-member-is-the-host's",
                   test_members);
  g_test_add_func ("/engine/cuda/excluded/a-chain-without-one-is-the-GPU's", test_other_operators);
  g_test_add_func ("/engine/cuda/excluded/one-type-alone", test_types);
  return g_test_run ();
}
