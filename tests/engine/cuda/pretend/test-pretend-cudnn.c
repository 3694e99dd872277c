/* test-pretend-cudnn.c — faults in the use of recurrent layers that the pretend cuDNN finds: passes in the
 * wrong order, spaces that are too small, lengths and descriptors that do not fit.  Numbers are compared with the
 * processor's by engine/cuda/ops/recurrent/test-rnn.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/pretend/cudnn.h"
#include "tests/engine/cuda/pretend/test-pretend.h"
#include "tests/program.h"

enum
{
  STEPS = 3,
  BATCH = 2,
  INPUTS = 3,
  HIDDEN = 2,
  WEIGHTS = 4 * HIDDEN * (INPUTS + HIDDEN + 2)
};

#define POINTER(at) ((void *) (gsize) (at))

/* A layer, its arrays, and its gradients. */
typedef struct
{
  Gpu                      gpu;
  CUstream                 stream;
  cudnnHandle_t            dnn;
  cudnnRNNDescriptor_t     rnn;
  cudnnRNNDataDescriptor_t x, y;
  cudnnTensorDescriptor_t  state;
  gsize                    work_bytes, reserve_bytes;
  guint64                  data, output, h, c, weights, gradient, work, reserve;
  guint64                  lengths; /* the copy of the lengths; 0 for NULL */
} Layer;

#define FINE(call) g_assert_cmpint (call, ==, CUDNN_STATUS_SUCCESS)

static guint64
numbers (Layer *this, int n)
{
  g_autofree float *values = g_new (float, n);
  guint64           at = gpu_memory ((gsize) n * sizeof (float));

  for (int i = 0; i < n; i++)
    values[i] = (float) (i % 7) / 7;
  OK (cuMemcpyHtoDAsync_v2 (at, values, (gsize) n * sizeof (float), this->stream));
  OK (cuStreamSynchronize (this->stream));
  return at;
}

static void
describe (Layer *this)
{
  static const int         lengths[BATCH] = { STEPS, STEPS - 1 };
  static const int         dims[] = { 1, BATCH, HIDDEN }, strides[] = { BATCH * HIDDEN, HIDDEN, 1 };
  cudnnDropoutDescriptor_t dropout;
  float                    zero = 0;

  FINE (cudnnCreateDropoutDescriptor (&dropout));
  FINE (cudnnSetDropoutDescriptor (dropout, this->dnn, 0, NULL, 0, 0));
  FINE (cudnnCreateRNNDescriptor (&this->rnn));
  FINE (cudnnSetRNNDescriptor_v8 (this->rnn, 0, CUDNN_LSTM, 2, 0, 0, CUDNN_DATA_FLOAT,
                                  CUDNN_DATA_FLOAT, CUDNN_FMA_MATH, INPUTS, HIDDEN, HIDDEN, 1,
                                  dropout, 1));
  FINE (cudnnCreateRNNDataDescriptor (&this->x));
  FINE (cudnnCreateRNNDataDescriptor (&this->y));
  FINE (cudnnSetRNNDataDescriptor (this->x, 0, 0, STEPS, BATCH, INPUTS, lengths, &zero));
  FINE (cudnnSetRNNDataDescriptor (this->y, 0, 0, STEPS, BATCH, HIDDEN, lengths, &zero));
  FINE (cudnnCreateTensorDescriptor (&this->state));
  FINE (cudnnSetTensorNdDescriptor (this->state, 0, 3, dims, strides));
  FINE (cudnnGetRNNTempSpaceSizes (this->dnn, this->rnn, 1, this->x, &this->work_bytes,
                                   &this->reserve_bytes));
}

static void
begin (Layer *this)
{
  gpu_begin (&this->gpu, "");
  this->lengths = 0;
  this->stream = gpu_stream ();
  FINE (cudnnCreate (&this->dnn));
  FINE (cudnnSetStream (this->dnn, this->stream));
  describe (this);
  this->data = numbers (this, STEPS * BATCH * INPUTS);
  this->output = numbers (this, STEPS * BATCH * HIDDEN);
  this->h = numbers (this, BATCH * HIDDEN);
  this->c = numbers (this, BATCH * HIDDEN);
  this->weights = numbers (this, WEIGHTS);
  this->gradient = numbers (this, WEIGHTS);
  this->work = gpu_memory (this->work_bytes);
  this->reserve = gpu_memory (this->reserve_bytes);
}

static cudnnStatus_t
forward (const Layer *this, gsize reserve_bytes)
{
  return cudnnRNNForward (this->dnn, this->rnn, 1, POINTER (this->lengths), this->x,
                          POINTER (this->data), this->y, POINTER (this->output), this->state,
                          POINTER (this->h), NULL, this->state, POINTER (this->c), NULL,
                          WEIGHTS * sizeof (float), POINTER (this->weights), this->work_bytes,
                          POINTER (this->work), reserve_bytes, POINTER (this->reserve));
}

static cudnnStatus_t
backward_data (Layer *this)
{
  return cudnnRNNBackwardData_v8 (this->dnn, this->rnn, NULL, this->y, POINTER (this->output),
                                  POINTER (numbers (this, STEPS * BATCH * HIDDEN)), this->x,
                                  POINTER (numbers (this, STEPS * BATCH * INPUTS)), this->state,
                                  POINTER (this->h), NULL, NULL, this->state, POINTER (this->c),
                                  NULL, NULL, WEIGHTS * sizeof (float), POINTER (this->weights),
                                  this->work_bytes, POINTER (this->work), this->reserve_bytes,
                                  POINTER (this->reserve));
}

static cudnnStatus_t
backward_weights (const Layer *this, int mode)
{
  return cudnnRNNBackwardWeights_v8 (this->dnn, this->rnn, mode, NULL, this->x,
                                     POINTER (this->data), this->state, POINTER (this->h), this->y,
                                     POINTER (this->output), WEIGHTS * sizeof (float),
                                     POINTER (this->gradient), this->work_bytes,
                                     POINTER (this->work), this->reserve_bytes,
                                     POINTER (this->reserve));
}

static void
test_order (void)
{
  Layer layer;

  begin (&layer);
  FINE (forward (&layer, layer.reserve_bytes));
  FINE (backward_data (&layer));
  FINE (backward_weights (&layer, 0));
  OK (cuCtxSynchronize ());
  gpu_assert_content ();

  begin (&layer);
  FINE (forward (&layer, layer.reserve_bytes));
  FINE (backward_weights (&layer, 0));
  FINE (backward_data (&layer));
  cuCtxSynchronize ();
  g_assert_true (gpu_complained ("BackwardWeights runs before BackwardData"));

  begin (&layer);
  FINE (forward (&layer, layer.reserve_bytes));
  FINE (backward_data (&layer));
  FINE (backward_data (&layer));
  cuCtxSynchronize ();
  g_assert_true (gpu_complained ("without the reserve space of a forward pass"));
}

static void
test_lengths (void)
{
  Layer layer;

  begin (&layer);
  layer.lengths = numbers (&layer, BATCH);
  FINE (forward (&layer, layer.reserve_bytes));
  cuCtxSynchronize ();
  g_assert_true (gpu_complained ("the lengths on the device are not those of the descriptor"));
}

static void
test_small_spaces (void)
{
  Layer layer;

  begin (&layer);
  g_assert_cmpint (forward (&layer, layer.reserve_bytes - 1), ==, CUDNN_STATUS_BAD_PARAM);
  g_assert_true (gpu_complained ("the reserve space of recurrent layers is too small"));

  begin (&layer);
  layer.reserve = gpu_memory (layer.reserve_bytes / 2);
  FINE (forward (&layer, layer.reserve_bytes));
  g_assert_cmpint (cuCtxSynchronize (), !=, CUDA_SUCCESS);

  begin (&layer);
  layer.work_bytes--;
  g_assert_cmpint (forward (&layer, layer.reserve_bytes), ==, CUDNN_STATUS_BAD_PARAM);
}

/* The descriptor has as many steps as the longest sequence, and gradients of weights are added. */
static void
test_refusals (void)
{
  static const int shorter[BATCH] = { STEPS - 1, 1 };
  Layer            layer;
  float            zero = 0;

  begin (&layer);
  FINE (forward (&layer, layer.reserve_bytes));
  FINE (backward_data (&layer));
  g_assert_cmpint (backward_weights (&layer, 1), ==, CUDNN_STATUS_NOT_SUPPORTED);
  FINE (cudnnSetRNNDataDescriptor (layer.x, 0, 0, STEPS, BATCH, INPUTS, shorter, &zero));
  FINE (cudnnSetRNNDataDescriptor (layer.y, 0, 0, STEPS, BATCH, HIDDEN, shorter, &zero));
  g_assert_cmpint (forward (&layer, layer.reserve_bytes), ==, CUDNN_STATUS_BAD_PARAM);
}

/* Two handles in streams of their own, with one workspace. */
static void
test_a_workspace_belongs_to_one_stream (void)
{
  Layer layer;

  begin (&layer);
  FINE (forward (&layer, layer.reserve_bytes));
  layer.stream = gpu_stream ();
  layer.output = gpu_memory (STEPS * BATCH * HIDDEN * sizeof (float));
  layer.reserve = gpu_memory (layer.reserve_bytes);
  FINE (cudnnCreate (&layer.dnn));
  FINE (cudnnSetStream (layer.dnn, layer.stream));
  FINE (forward (&layer, layer.reserve_bytes));
  cuCtxSynchronize ();
  g_assert_true (gpu_complained ("and no event puts one before the other"));
}

TEST_PROGRAM (test_pretend_cudnn)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cuda/pretend/cudnn/gradients-of-weights-come-last", test_order);
  g_test_add_func ("/cuda/pretend/cudnn/other-lengths-are-found", test_lengths);
  g_test_add_func ("/cuda/pretend/cudnn/small-spaces-are-found", test_small_spaces);
  g_test_add_func ("/cuda/pretend/cudnn/what-does-not-fit-is-refused", test_refusals);
  g_test_add_func ("/cuda/pretend/cudnn/a-workspace-belongs-to-one-stream",
                   test_a_workspace_belongs_to_one_stream);
  return g_test_run ();
}
