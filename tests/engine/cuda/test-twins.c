/* test-twins.c — the table of the GPU module: its operators exist and are complete.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/device/loader.h"

#include <string.h>

static const HybBackend *
load (void)
{
  g_autoptr (GError) error = NULL;
  const HybBackend *backend = hyb_backend_open (HYB_GPU_MODULE, &error);

  g_assert_no_error (error);
  return backend;
}

static void
test_twins (void)
{
  const HybBackend *backend = load ();
  guint             n = 0;

  for (const HybDeviceOp *twin = backend->ops; twin->name; twin++, n++)
    {
      const HybOp *op = hyb_op_find (twin->name);

      if (!op)
        g_error ("there is no operator %s", twin->name);
      g_assert_cmpstr (op->name, ==, twin->name); /* not an alias: the engine looks names up */
      g_assert_nonnull (twin->launch);
      for (const HybDeviceOp *other = backend->ops; other < twin; other++)
        g_assert_cmpstr (other->name, !=, twin->name);
    }
  g_assert_cmpuint (n, >, 100);
  g_test_message ("%u operators", n);
}

/* What the module computes, with the gradients, which follow from HybOp.gradient_of. */
static const char wanted[] =
    /* pointwise */
    "_elementwise_chain sqrt rsqrt cbrt rcbrt reciprocal exp expm1 log log10 log2 log1p sin "
    "cos tan arcsin arccos arctan sinh cosh tanh arcsinh arccosh arctanh sigmoid degrees "
    "radians sign round rint ceil floor trunc fix logical_not negative abs square clip "
    "gamma gammaln erf erfinv softsign relu hard_sigmoid elemwise_add elemwise_sub "
    "elemwise_mul elemwise_div _mod _power _maximum _minimum _hypot _equal _not_equal "
    "_greater _greater_equal _lesser _lesser_equal _logical_and _logical_or _logical_xor "
    "broadcast_add broadcast_sub broadcast_mul broadcast_div broadcast_mod broadcast_power "
    "broadcast_maximum broadcast_minimum broadcast_hypot broadcast_equal "
    "broadcast_not_equal broadcast_greater broadcast_greater_equal broadcast_lesser "
    "broadcast_lesser_equal broadcast_logical_and broadcast_logical_or "
    "broadcast_logical_xor _plus_scalar _minus_scalar _rminus_scalar _mul_scalar "
    "_div_scalar _rdiv_scalar _mod_scalar _rmod_scalar _power_scalar _rpower_scalar "
    "_maximum_scalar _minimum_scalar _hypot_scalar _equal_scalar _not_equal_scalar "
    "_greater_scalar _greater_equal_scalar _lesser_scalar _lesser_equal_scalar "
    "_logical_and_scalar _logical_or_scalar _logical_xor_scalar where Cast amp_cast "
    "amp_multicast _cast_like LeakyReLU Activation add_n _grad_add zeros_like ones_like "
    "_zeros _zeros_without_dtype _ones _full _eye _arange _linspace _contrib_arange_like "
    /* views */
    "Reshape Flatten expand_dims squeeze _copy BlockGrad reshape_like "
    "_identity_with_attr_like_rhs "
    /* movement */
    "Concat stack SliceChannel _split_v2 slice slice_axis slice_like SwapAxis transpose "
    "reverse tile repeat Pad SequenceMask SequenceLast SequenceReverse _rnn_param_concat "
    "broadcast_to broadcast_axis broadcast_like _reduce_like "
    /* reductions */
    "sum mean prod max min nansum nanprod _square_sum norm moments argmax argmin argmax_channel "
    "_npi_argmax _npi_argmin topk sort argsort "
    /* random numbers */
    "Dropout _random_uniform _random_uniform_like _random_normal _random_normal_like "
    "_random_exponential _random_exponential_like _random_randint _sample_uniform _sample_normal "
    "_sample_exponential "
    /* softmax and losses */
    "softmax softmin log_softmax SoftmaxOutput SoftmaxActivation softmax_cross_entropy "
    "LinearRegressionOutput LogisticRegressionOutput MAERegressionOutput "
    /* normalisation */
    "BatchNorm BatchNorm_v1 _contrib_SyncBatchNorm _contrib_BatchNormWithReLU _recording_BatchNorm "
    "_recording_BatchNorm_v1 _recording_SyncBatchNorm _recording_BatchNormWithReLU LayerNorm "
    "GroupNorm InstanceNorm L2Normalization "
    /* recurrent cells and layers */
    "_lstm_gates _gru_gates RNN _rnn_recording "
    /* convolution */
    "Convolution Deconvolution "
    /* training */
    "_update_sgd _update_nag _update_adam _update_rmsprop _update_adagrad _update_adadelta "
    "_update_norm _update_state "
    /* pooling */
    "Pooling _contrib_AdaptiveAvgPooling2D "
    /* lookup */
    "Embedding take pick batch_take one_hot gather_nd scatter_nd "
    /* products */
    "FullyConnected dot batch_dot _linalg_gemm _linalg_gemm2 "
    "_contrib_interleaved_matmul_selfatt_qk _contrib_interleaved_matmul_selfatt_valatt "
    "_contrib_interleaved_matmul_encdec_qk _contrib_interleaved_matmul_encdec_valatt";

/* Those that the host computes, and why. */
static const struct
{
  const char *name, *reason;
} left_out[] = {
  { "amp_multicast", "a pointwise kernel has one output" },
};

static const char *
reason_of (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (left_out); i++)
    if (strcmp (left_out[i].name, name) == 0)
      return left_out[i].reason;
  return NULL;
}

static gboolean
is_wanted (char **names, const HybOp *op)
{
  return g_strv_contains ((const char *const *) names, op->name) ||
         (op->gradient_of && g_strv_contains ((const char *const *) names, op->gradient_of));
}

static gboolean
has_twin (const HybBackend *backend, const char *name)
{
  for (const HybDeviceOp *twin = backend->ops; twin->name; twin++)
    if (strcmp (twin->name, name) == 0)
      return TRUE;
  return FALSE;
}

static void
test_wanted (void)
{
  const HybBackend   *backend = load ();
  guint               n_ops, n = 0;
  const HybOp *const *ops = hyb_op_list (&n_ops);
  g_auto (GStrv) names = g_strsplit (wanted, " ", -1);

  for (guint i = 0; names[i]; i++)
    if (!hyb_op_find (names[i]))
      g_error ("there is no operator %s", names[i]);
  for (guint i = 0; i < n_ops; i++)
    if (is_wanted (names, ops[i]))
      {
        const char *reason = reason_of (ops[i]->name);

        n++;
        if (!reason && !has_twin (backend, ops[i]->name))
          g_error ("%s has neither a twin nor a reason", ops[i]->name);
        if (reason && has_twin (backend, ops[i]->name))
          g_error ("%s has a twin and a reason to have none: %s", ops[i]->name, reason);
      }
  g_test_message ("%u of %u operators are wanted", n, n_ops);
}

static void
test_functions (void)
{
  const HybBackend *backend = load ();
  const gpointer   *from = (const gpointer *) (gconstpointer) &backend->count;
  const gpointer   *end = (const gpointer *) (gconstpointer) (backend + 1);

  g_assert_cmpuint (backend->abi, ==, HYB_BACKEND_ABI);
  for (; from < end; from++)
    g_assert_nonnull (*from);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/cuda/twins/every-twin-has-an-operator", test_twins);
  g_test_add_func ("/engine/cuda/twins/the-families-of-the-readme-are-complete", test_wanted);
  g_test_add_func ("/engine/cuda/twins/no-function-is-missing", test_functions);
  return g_test_run ();
}
