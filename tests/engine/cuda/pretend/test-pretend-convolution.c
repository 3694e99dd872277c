/* test-pretend-convolution.c — faults in the use of convolutions that the pretend cuDNN finds, and the
 * algorithms that it offers.  Numbers are compared with the processor's by
 * engine/cuda/ops/convolution/test-convolution.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/pretend/cudnn-convolution.h"
#include "tests/engine/cuda/pretend/test-pretend.h"
#include "tests/program.h"

enum
{
  BATCH = 2,
  CHANNELS = 3,
  FILTERS = 2,
  SIZE = 5,
  KERNEL = 3,
  OUT = SIZE - KERNEL + 1,
  IMAGE = BATCH * CHANNELS * SIZE * SIZE,
  MAP = BATCH * FILTERS * OUT * OUT,
  WEIGHT = FILTERS * CHANNELS * KERNEL * KERNEL
};

#define POINTER(at) ((void *) (gsize) (at))
#define FINE(call)  g_assert_cmpint (call, ==, CUDNN_STATUS_SUCCESS)

typedef struct
{
  Gpu                          gpu;
  CUstream                     stream;
  cudnnHandle_t                dnn;
  cudnnTensorDescriptor_t      x, y;
  cudnnFilterDescriptor_t      w;
  cudnnConvolutionDescriptor_t convolution;
  guint64                      image, map, weight, work;
  gsize                        work_bytes;
} Layer;

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

static cudnnTensorDescriptor_t
new_tensor (int channels, int size)
{
  const int               dims[] = { BATCH, channels, size, size };
  const int               strides[] = { channels * size * size, size * size, size, 1 };
  cudnnTensorDescriptor_t tensor;

  FINE (cudnnCreateTensorDescriptor (&tensor));
  FINE (cudnnSetTensorNdDescriptor (tensor, CUDNN_DATA_FLOAT, 4, dims, strides));
  return tensor;
}

static void
begin (Layer *this)
{
  static const int dims[] = { FILTERS, CHANNELS, KERNEL, KERNEL };
  static const int none[] = { 0, 0 }, one[] = { 1, 1 };

  gpu_begin (&this->gpu, "");
  this->stream = gpu_stream ();
  FINE (cudnnCreate (&this->dnn));
  FINE (cudnnSetStream (this->dnn, this->stream));
  this->x = new_tensor (CHANNELS, SIZE);
  this->y = new_tensor (FILTERS, OUT);
  FINE (cudnnCreateFilterDescriptor (&this->w));
  FINE (cudnnSetFilterNdDescriptor (this->w, CUDNN_DATA_FLOAT, 0, 4, dims));
  FINE (cudnnCreateConvolutionDescriptor (&this->convolution));
  FINE (
      cudnnSetConvolutionNdDescriptor (this->convolution, 2, none, one, one, 1, CUDNN_DATA_FLOAT));
  FINE (cudnnSetConvolutionMathType (this->convolution, CUDNN_FMA_MATH));
  this->image = numbers (this, IMAGE);
  this->map = numbers (this, MAP);
  this->weight = numbers (this, WEIGHT);
  FINE (cudnnGetConvolutionForwardWorkspaceSize (this->dnn, this->x, this->w, this->convolution,
                                                 this->y, 1, &this->work_bytes));
  g_assert_cmpuint (this->work_bytes, >, 0);
  this->work = gpu_memory (this->work_bytes);
}

static const float one_ = 1, zero_ = 0;

static cudnnStatus_t
forward (const Layer *this, int algorithm, gsize work_bytes, const float *beta)
{
  return cudnnConvolutionForward (this->dnn, &one_, this->x, POINTER (this->image), this->w,
                                  POINTER (this->weight), this->convolution, algorithm,
                                  POINTER (this->work), work_bytes, beta, this->y,
                                  POINTER (this->map));
}

static cudnnStatus_t
find_weight (const Layer *this, int algorithm)
{
  return cudnnConvolutionBackwardFilter (this->dnn, &one_, this->x, POINTER (this->image), this->y,
                                         POINTER (this->map), this->convolution, algorithm,
                                         POINTER (this->work), this->work_bytes, &zero_, this->w,
                                         POINTER (this->weight));
}

static void
read_numbers (const Layer *this, guint64 at, int n, float *values)
{
  OK (cuMemcpyDtoHAsync_v2 (values, at, (gsize) n * sizeof (float), this->stream));
  OK (cuStreamSynchronize (this->stream));
}

/* y = conv (x) + y, twice the sum of what is in a window. */
static void
test_sums (void)
{
  Layer layer;
  float values[MAP], again[MAP];

  begin (&layer);
  FINE (forward (&layer, 1, layer.work_bytes, &zero_));
  read_numbers (&layer, layer.map, MAP, values);
  FINE (forward (&layer, 0, 0, &one_));
  read_numbers (&layer, layer.map, MAP, again);
  for (int i = 0; i < MAP; i++)
    g_assert_cmpfloat_with_epsilon (again[i], 2 * values[i], 1e-5);
  gpu_assert_content ();
}

static void
test_spaces (void)
{
  Layer layer;

  begin (&layer);
  g_assert_cmpint (forward (&layer, 1, layer.work_bytes - 1, &zero_), ==, CUDNN_STATUS_BAD_PARAM);
  layer.work = gpu_memory (layer.work_bytes / 2);
  FINE (forward (&layer, 1, layer.work_bytes, &zero_));
  g_assert_cmpint (cuCtxSynchronize (), !=, CUDA_SUCCESS);

  begin (&layer);
  FINE (forward (&layer, 1, layer.work_bytes, &zero_));
  layer.stream = gpu_stream ();
  layer.map = gpu_memory (MAP * sizeof (float));
  FINE (cudnnSetStream (layer.dnn, layer.stream));
  FINE (forward (&layer, 1, layer.work_bytes, &zero_));
  cuCtxSynchronize ();
  g_assert_true (gpu_complained ("and no event puts one before the other"));
}

static void
test_refusals (void)
{
  Layer                   layer;
  cudnnTensorDescriptor_t y;

  begin (&layer);
  g_assert_cmpint (forward (&layer, 6, layer.work_bytes, &zero_), ==, CUDNN_STATUS_NOT_SUPPORTED);
  g_assert_cmpint (forward (&layer, 99, layer.work_bytes, &zero_), ==, CUDNN_STATUS_NOT_SUPPORTED);
  y = layer.y;
  layer.y = new_tensor (FILTERS, OUT + 1);
  g_assert_cmpint (forward (&layer, 0, 0, &zero_), ==, CUDNN_STATUS_BAD_PARAM);
  layer.y = y;
  FINE (cudnnSetConvolutionGroupCount (layer.convolution, CHANNELS));
  g_assert_cmpint (forward (&layer, 0, 0, &zero_), ==, CUDNN_STATUS_BAD_PARAM);
}

/* Algorithm 0 gives other numbers in every run, and says so; algorithm 1 gives the same. */
static void
test_determinism (void)
{
  cudnnConvolutionChoice choices[8];
  int                    count = 0;

  for (int algorithm = 0; algorithm < 2; algorithm++)
    {
      Layer layer;
      float values[WEIGHT], again[WEIGHT];

      begin (&layer);
      FINE (cudnnGetConvolutionBackwardFilterAlgorithm_v7 (layer.dnn, layer.x, layer.y,
                                                           layer.convolution, layer.w, 8, &count,
                                                           choices));
      for (int i = 0; i < count; i++)
        if (choices[i].algorithm == algorithm)
          g_assert_cmpint (choices[i].determinism, ==, algorithm);
      FINE (find_weight (&layer, algorithm));
      read_numbers (&layer, layer.weight, WEIGHT, values);
      FINE (find_weight (&layer, algorithm));
      read_numbers (&layer, layer.weight, WEIGHT, again);
      g_assert_cmpint (memcmp (values, again, sizeof values) == 0, ==, algorithm == 1);
      gpu_assert_content ();
    }
}

TEST_PROGRAM (test_pretend_convolution)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cuda/pretend/convolution/results-are-added-to-what-is-kept", test_sums);
  g_test_add_func ("/cuda/pretend/convolution/spaces-are-checked", test_spaces);
  g_test_add_func ("/cuda/pretend/convolution/what-does-not-fit-is-refused", test_refusals);
  g_test_add_func ("/cuda/pretend/convolution/algorithms-say-whether-they-are-deterministic",
                   test_determinism);
  return g_test_run ();
}
