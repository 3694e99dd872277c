/* test-same-inputs.c — inputs of two models that exporters named differently are paired.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/analysis/same-inputs.h"
#include "engine/open/model-predict.h"
#include "tests/engine/onnx/nodes.h"
#include "tests/program.h"

#define OPSET 17

static const char *const first = "x: float[2,3]\nn: int64[2]\nw = float[3] 1.0 2.0 3.0\n"
                                 "c = Cast n | to=1\nd = Mul x, w\ne = ReduceSum d | keepdims=0\n"
                                 "f = ReduceSum c | keepdims=0\ny = Sub e, f\n-> y\n";

/* Other names, in another order. */
static const char *const second = "args_1: int64[2]\nargs_0: float[2,3]\nw = float[3] 1.0 2.0 3.0\n"
                                  "c = Cast args_1 | to=1\nd = Mul args_0, w\n"
                                  "e = ReduceSum d | keepdims=0\nf = ReduceSum c | keepdims=0\n"
                                  "y = Sub e, f\n-> y\n";

static void
test_pairs (void)
{
  g_autoptr (HybModel) a = nodes_model (first, OPSET);
  g_autoptr (HybModel) b = nodes_model (second, OPSET);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (HybModel) renamed = hyb_model_name_inputs_as (b, a, names);
  g_autoptr (HybTensorList) inputs = hyb_tensor_list_new ();
  g_autoptr (HybTensorList) outputs = NULL;
  g_autoptr (HybTensor) x =
      hyb_tensor_new_float (2, (gint64[]){ 2, 3 }, (const float[]){ 1, 1, 1, 1, 1, 1 });
  g_autoptr (HybTensor) n = hyb_tensor_new_zeros (&(HybType){ hyb_shape_1d (2), HYB_I64 }, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_cmpuint (names->len, ==, 4);
  g_assert_true (hyb_graph_find_variable (hyb_model_get_graph (renamed), "x") != HYB_NO_ID);
  g_assert_true (hyb_graph_find_variable (hyb_model_get_graph (renamed), "args_0") == HYB_NO_ID);
  hyb_tensor_list_set (inputs, "x", x);
  hyb_tensor_list_set (inputs, "n", n);
  outputs = hyb_model_predict (renamed, inputs, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (hyb_tensor_get_value (hyb_tensor_list_get (outputs, 0)->tensor, 0), ==, 12);
}

/* Nothing to rename, one input more, and an input of another type: the model itself comes back. */
static void
test_no_pairs (void)
{
  static const char *const others[] = {
    "x: float[2,3]\nn: int64[2]\ny = Relu x\n-> y\n",
    "a: float[2,3]\nb: int64[2]\nc: float[1]\ny = Relu a\n-> y\n",
    "a: float[2,3]\nb: float[2]\ny = Relu a\n-> y\n",
    "a: float[2,4]\nb: int64[2]\ny = Relu a\n-> y\n",
  };
  g_autoptr (HybModel) a = nodes_model (first, OPSET);

  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    {
      g_autoptr (HybModel) b = nodes_model (others[i], OPSET);
      g_autoptr (HybModel) same = hyb_model_name_inputs_as (b, a, NULL);

      g_assert_true (same == b);
    }
}

TEST_PROGRAM (test_same_inputs)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/analysis/same-inputs/other-names-are-paired-by-type-and-order",
                   test_pairs);
  g_test_add_func ("/engine/analysis/same-inputs/what-cannot-be-paired-stays", test_no_pairs);
  return g_test_run ();
}
