/* cudnn-convolution.c — the calls of the pretend cuDNN for convolutions, with the refusals of the vendor's
 * library.  convolve.c computes.
 *
 * The algorithms that it offers make a careless choice fail: the first ones cannot compute the
 * convolution, want more memory than any GPU has, or give other numbers in every run.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/pretend/cudnn-convolution.h"

#include "tests/engine/cuda/pretend/convolve.h"
#include "tests/engine/cuda/pretend/cublas.h"
#include "tests/engine/cuda/pretend/cudnn-private.h"
#include "tests/engine/cuda/pretend/element.h"

#include <string.h>

/* Spatial axes that a descriptor may have, and that a convolution may have. */
#define MOST_SPATIAL 6
#define MOST_SERVED  3
#define LAST_MATH    3
/* Filters have any type but int32. */
#define LAST_TYPE 9

struct cudnnFilterStruct
{
  int type, rank, dims[CUDNN_MAX_RANK]; /* rank 0: not set */
};

struct cudnnConvolutionStruct
{
  gboolean is_set;
  int      rank, pad[MOST_SPATIAL], stride[MOST_SPATIAL], dilate[MOST_SPATIAL];
  int      precision, groups, math;
};

/* --- Descriptors --- */

CUDNN_DESCRIPTOR (FilterDescriptor, cudnnFilterDescriptor_t)

cudnnStatus_t
cudnnCreateConvolutionDescriptor (cudnnConvolutionDescriptor_t *convolution)
{
  CUDNN_BEGIN ();
  if (!convolution)
    return cudnn_end (CUDNN_STATUS_BAD_PARAM);
  *convolution = cudnn_descriptor_new (sizeof **convolution);
  (*convolution)->groups = 1;
  return cudnn_end (CUDNN_STATUS_SUCCESS);
}

cudnnStatus_t
cudnnDestroyConvolutionDescriptor (cudnnConvolutionDescriptor_t convolution)
{
  CUDNN_BEGIN ();
  return cudnn_end (!convolution || cudnn_descriptor_free (convolution) ? CUDNN_STATUS_SUCCESS
                                                                        : CUDNN_STATUS_BAD_PARAM);
}

/* Format 0 is NCHW, 1 NHWC, of which only the first is served. */
cudnnStatus_t
cudnnSetFilterNdDescriptor (cudnnFilterDescriptor_t filter,
                            int                     type,
                            int                     format,
                            int                     rank,
                            const int              *dims)
{
  CUDNN_BEGIN ();
  if (!filter || !dims || type < 0 || type > LAST_TYPE || type == CUDNN_DATA_INT32 || format < 0 ||
      format > 1 || rank < 3)
    return cudnn_end (CUDNN_STATUS_BAD_PARAM);
  if (rank > CUDNN_MAX_RANK)
    return cudnn_end (CUDNN_STATUS_NOT_SUPPORTED);
  for (int i = 0; i < rank; i++)
    if (dims[i] < 1)
      return cudnn_end (CUDNN_STATUS_BAD_PARAM);
  if (format > 0)
    return cudnn_end (CUDNN_STATUS_NOT_SUPPORTED);
  filter->type = type;
  filter->rank = rank;
  memcpy (filter->dims, dims, sizeof (int) * (gsize) rank);
  return cudnn_end (CUDNN_STATUS_SUCCESS);
}

static gboolean
is_precision (int type)
{
  return type == CUDNN_DATA_FLOAT || type == CUDNN_DATA_DOUBLE || type == CUDNN_DATA_HALF ||
         type == CUDNN_DATA_INT32;
}

/* Mode 0 turns the kernel around, 1 does not; only the second is served. */
cudnnStatus_t
cudnnSetConvolutionNdDescriptor (cudnnConvolutionDescriptor_t convolution,
                                 int                          rank,
                                 const int                   *pad,
                                 const int                   *stride,
                                 const int                   *dilate,
                                 int                          mode,
                                 int                          precision)
{
  CUDNN_BEGIN ();
  if (!convolution || rank < 0 || !pad || !stride || !dilate || mode < 0 || mode > 1 ||
      !is_precision (precision))
    return cudnn_end (CUDNN_STATUS_BAD_PARAM);
  if (rank > MOST_SPATIAL)
    return cudnn_end (CUDNN_STATUS_NOT_SUPPORTED);
  for (int i = 0; i < rank; i++)
    if (pad[i] < 0 || stride[i] < 1 || dilate[i] < 1)
      return cudnn_end (CUDNN_STATUS_BAD_PARAM);
  if (mode != 1)
    return cudnn_end (CUDNN_STATUS_NOT_SUPPORTED);
  convolution->is_set = TRUE;
  convolution->rank = rank;
  convolution->precision = precision;
  memcpy (convolution->pad, pad, sizeof (int) * (gsize) rank);
  memcpy (convolution->stride, stride, sizeof (int) * (gsize) rank);
  memcpy (convolution->dilate, dilate, sizeof (int) * (gsize) rank);
  return cudnn_end (CUDNN_STATUS_SUCCESS);
}

cudnnStatus_t
cudnnSetConvolutionGroupCount (cudnnConvolutionDescriptor_t convolution, int groups)
{
  CUDNN_BEGIN ();
  if (!convolution || groups < 1)
    return cudnn_end (CUDNN_STATUS_BAD_PARAM);
  convolution->groups = groups;
  return cudnn_end (CUDNN_STATUS_SUCCESS);
}

cudnnStatus_t
cudnnSetConvolutionMathType (cudnnConvolutionDescriptor_t convolution, int math)
{
  CUDNN_BEGIN ();
  if (!convolution || math < 0 || math > LAST_MATH)
    return cudnn_end (CUDNN_STATUS_BAD_PARAM);
  convolution->math = math;
  return cudnn_end (CUDNN_STATUS_SUCCESS);
}

/* --- Sizes --- */

/* FALSE if the three do not fit. */
static gboolean
find_output (cudnnConvolutionDescriptor_t convolution,
             cudnnTensorDescriptor_t      x,
             cudnnFilterDescriptor_t      w,
             int                         *dims)
{
  if (!convolution || !convolution->is_set || !x || !w || w->rank == 0 || x->rank != w->rank ||
      convolution->rank != x->rank - 2 || x->dims[1] != w->dims[1] * convolution->groups)
    return FALSE;
  dims[0] = x->dims[0];
  dims[1] = w->dims[0];
  for (int i = 2; i < x->rank; i++)
    {
      int k = i - 2, span = convolution->dilate[k] * (w->dims[i] - 1) + 1;
      int room = x->dims[i] + 2 * convolution->pad[k] - span;

      if (room < 0)
        return FALSE;
      dims[i] = room / convolution->stride[k] + 1;
    }
  return TRUE;
}

cudnnStatus_t
cudnnGetConvolutionNdForwardOutputDim (cudnnConvolutionDescriptor_t convolution,
                                       cudnnTensorDescriptor_t      x,
                                       cudnnFilterDescriptor_t      w,
                                       int                          rank,
                                       int                         *dims)
{
  int found[CUDNN_MAX_RANK];

  CUDNN_BEGIN ();
  if (!dims || !find_output (convolution, x, w, found) || rank != x->rank)
    return cudnn_end (CUDNN_STATUS_BAD_PARAM);
  memcpy (dims, found, sizeof (int) * (gsize) rank);
  return cudnn_end (CUDNN_STATUS_SUCCESS);
}

/* --- What is asked for --- */

typedef struct
{
  cudnnTensorDescriptor_t      x, y;
  cudnnFilterDescriptor_t      w;
  cudnnConvolutionDescriptor_t convolution;
} Given;

static gboolean
types_fit (int type, int precision)
{
  return (type == CUDNN_DATA_HALF && precision == CUDNN_DATA_HALF) ||
         ((type == CUDNN_DATA_HALF || type == CUDNN_DATA_BFLOAT16 || type == CUDNN_DATA_FLOAT) &&
          precision == CUDNN_DATA_FLOAT) ||
         (type == CUDNN_DATA_DOUBLE && precision == CUDNN_DATA_DOUBLE);
}

/* Packed tensors with two or three spatial axes. */
static cudnnStatus_t
check (const Given *given)
{
  const struct cudnnTensorStruct *x = given->x, *y = given->y;
  int                             dims[CUDNN_MAX_RANK];

  if (!y || !find_output (given->convolution, given->x, given->w, dims) || x->rank != y->rank ||
      memcmp (y->dims, dims, sizeof (int) * (gsize) x->rank) != 0 || x->type != y->type ||
      x->type != given->w->type || given->w->dims[0] % given->convolution->groups != 0)
    return CUDNN_STATUS_BAD_PARAM;
  return !types_fit (x->type, given->convolution->precision) || x->rank < 4 || x->rank > 5 ||
                 !cudnn_tensor_is (given->x, x->type, x->rank, x->dims) ||
                 !cudnn_tensor_is (given->y, y->type, y->rank, y->dims)
             ? CUDNN_STATUS_NOT_SUPPORTED
             : CUDNN_STATUS_SUCCESS;
}

/* --- Algorithms --- */

typedef enum
{
  NO_SPACE,
  SOME_SPACE, /* for the windows of a sample */
  MUCH_SPACE, /* more than any GPU has */
  IMPOSSIBLE, /* it cannot compute this convolution */
} Need;

typedef struct
{
  int      number;
  Need     need;
  gboolean scatters;
} Algorithm;

/* In the order in which they are offered, by pass. */
static const Algorithm algorithms[][5] = {
  [CONVOLVE_MAP] = { { 6, IMPOSSIBLE, FALSE },
                     { 5, MUCH_SPACE, FALSE },
                     { 1, SOME_SPACE, FALSE },
                     { 0, NO_SPACE, FALSE },
                     { 3, IMPOSSIBLE, FALSE } },
  [CONVOLVE_IMAGE] = { { 0, NO_SPACE, TRUE },
                       { 4, IMPOSSIBLE, FALSE },
                       { 3, MUCH_SPACE, FALSE },
                       { 1, SOME_SPACE, FALSE },
                       { 2, IMPOSSIBLE, FALSE } },
  [CONVOLVE_WEIGHT] = { { 0, NO_SPACE, TRUE },
                        { 6, MUCH_SPACE, FALSE },
                        { 3, SOME_SPACE, TRUE },
                        { 1, SOME_SPACE, FALSE },
                        { 4, IMPOSSIBLE, FALSE } },
};

static const Algorithm *
find_algorithm (ConvolvePass pass, int number)
{
  for (guint i = 0; i < G_N_ELEMENTS (algorithms[pass]); i++)
    if (algorithms[pass][i].number == number && algorithms[pass][i].need != IMPOSSIBLE)
      return &algorithms[pass][i];
  return NULL;
}

static gsize
space_of (const Algorithm *algorithm, const Given *given)
{
  gsize elements = 1;

  if (algorithm->need != SOME_SPACE)
    return algorithm->need == MUCH_SPACE ? (gsize) 1 << 46 : 0;
  for (int i = 1; i < given->w->rank; i++)
    elements *= (gsize) given->w->dims[i];
  for (int i = 2; i < given->y->rank; i++)
    elements *= (gsize) given->y->dims[i];
  return 256 + elements * sizeof (float);
}

static cudnnStatus_t
offer (ConvolvePass pass, const Given *given, int most, int *count, cudnnConvolutionChoice *choices)
{
  cudnnStatus_t status = check (given);

  if (!count || !choices || most < 1)
    return CUDNN_STATUS_BAD_PARAM;
  if (status)
    return status;
  *count = MIN (most, (int) G_N_ELEMENTS (algorithms[pass]));
  for (int i = 0; i < *count; i++)
    {
      const Algorithm *algorithm = &algorithms[pass][i];
      gboolean         computes = algorithm->need != IMPOSSIBLE;

      choices[i] = (cudnnConvolutionChoice){ .algorithm = algorithm->number,
                                             .status = computes ? 0 : CUDNN_STATUS_NOT_SUPPORTED,
                                             .time = -1,
                                             .memory = computes ? space_of (algorithm, given) : 0,
                                             .determinism = !algorithm->scatters,
                                             .math = given->convolution->math,
                                             .reserved = { -1, -1, -1 } };
    }
  return CUDNN_STATUS_SUCCESS;
}

static cudnnStatus_t
measure (ConvolvePass pass, const Given *given, int number, gsize *bytes)
{
  const Algorithm *algorithm = find_algorithm (pass, number);
  cudnnStatus_t    status = check (given);

  if (!bytes)
    return CUDNN_STATUS_BAD_PARAM;
  if (status || !algorithm)
    return status ? status : CUDNN_STATUS_NOT_SUPPORTED;
  *bytes = space_of (algorithm, given);
  return CUDNN_STATUS_SUCCESS;
}

/* --- Passes --- */

#define AT(pointer) ((guint64) (gsize) (pointer))

typedef struct
{
  ConvolvePass pass;
  const char  *name;
  int          algorithm;
  const void  *alpha, *beta;
  guint64      x, y, w, work;
  gsize        work_bytes;
} Call;

/* The axes, of which missing ones are the first. */
static void
lay_axes (Convolve *c, const Given *given)
{
  int missing = MOST_SERVED - given->convolution->rank;

  for (int i = 0; i < MOST_SERVED; i++)
    {
      int k = i - missing;

      c->image[i] = k < 0 ? 1 : given->x->dims[2 + k];
      c->map[i] = k < 0 ? 1 : given->y->dims[2 + k];
      c->kernel[i] = k < 0 ? 1 : given->w->dims[2 + k];
      c->pad[i] = k < 0 ? 0 : given->convolution->pad[k];
      c->stride[i] = k < 0 ? 1 : given->convolution->stride[k];
      c->dilate[i] = k < 0 ? 1 : given->convolution->dilate[k];
    }
}

/* Scalars are of the type of sums, float for halves. */
static double
scalar (const void *number, int type)
{
  return element_get (number, type == CUDNN_DATA_DOUBLE ? CUDA_R_64F : CUDA_R_32F);
}

static cudnnStatus_t
add_pass (cudnnHandle_t handle, const Given *given, const Call *call)
{
  const Algorithm *algorithm = find_algorithm (call->pass, call->algorithm);
  cudnnStatus_t    status = check (given);
  Convolve        *kept;
  PretendDeed     *deed;

  if (status || !algorithm)
    return status ? status : CUDNN_STATUS_NOT_SUPPORTED;
  if (!call->alpha || !call->beta || !call->x || !call->y || !call->w ||
      call->work_bytes < space_of (algorithm, given) || (call->work_bytes > 0 && !call->work))
    return CUDNN_STATUS_BAD_PARAM;
  kept = g_new0 (Convolve, 1);
  *kept = (Convolve){ .pass = call->pass,
                      .image_at = call->x,
                      .map_at = call->y,
                      .weight_at = call->w,
                      .work_at = call->work,
                      .work_bytes = call->work_bytes,
                      .type = cudnn_element_type (given->x->type),
                      .batch = given->x->dims[0],
                      .groups = given->convolution->groups,
                      .channels = given->x->dims[1],
                      .filters = given->y->dims[1],
                      .alpha = scalar (call->alpha, given->x->type),
                      .beta = scalar (call->beta, given->x->type),
                      .coarse = given->convolution->math != CUDNN_FMA_MATH &&
                                given->x->type == CUDNN_DATA_FLOAT,
                      .scatters = algorithm->scatters };
  lay_axes (kept, given);
  deed = pretend_deed_new (g_strdup (call->name), convolve_run, kept);
  deed->seconds = 1e-5;
  return cudnn_add (handle, call->name, deed);
}

cudnnStatus_t
cudnnGetConvolutionForwardAlgorithm_v7 (cudnnHandle_t                handle,
                                        cudnnTensorDescriptor_t      x,
                                        cudnnFilterDescriptor_t      w,
                                        cudnnConvolutionDescriptor_t convolution,
                                        cudnnTensorDescriptor_t      y,
                                        int                          most,
                                        int                         *count,
                                        cudnnConvolutionChoice      *choices)
{
  CUDNN_BEGIN_WITH (handle);
  return cudnn_end (offer (CONVOLVE_MAP, &(Given){ x, y, w, convolution }, most, count, choices));
}

cudnnStatus_t
cudnnGetConvolutionForwardWorkspaceSize (cudnnHandle_t                handle,
                                         cudnnTensorDescriptor_t      x,
                                         cudnnFilterDescriptor_t      w,
                                         cudnnConvolutionDescriptor_t convolution,
                                         cudnnTensorDescriptor_t      y,
                                         int                          algorithm,
                                         gsize                       *bytes)
{
  CUDNN_BEGIN_WITH (handle);
  return cudnn_end (measure (CONVOLVE_MAP, &(Given){ x, y, w, convolution }, algorithm, bytes));
}

cudnnStatus_t
cudnnConvolutionForward (cudnnHandle_t                handle,
                         const void                  *alpha,
                         cudnnTensorDescriptor_t      x,
                         const void                  *x_at,
                         cudnnFilterDescriptor_t      w,
                         const void                  *w_at,
                         cudnnConvolutionDescriptor_t convolution,
                         int                          algorithm,
                         void                        *work,
                         gsize                        work_bytes,
                         const void                  *beta,
                         cudnnTensorDescriptor_t      y,
                         void                        *y_at)
{
  CUDNN_BEGIN_WITH (handle);
  return cudnn_end (add_pass (handle, &(Given){ x, y, w, convolution },
                              &(Call){ CONVOLVE_MAP, "pretend_convolve_map", algorithm, alpha, beta,
                                       AT (x_at), AT (y_at), AT (w_at), AT (work), work_bytes }));
}

cudnnStatus_t
cudnnGetConvolutionBackwardDataAlgorithm_v7 (cudnnHandle_t                handle,
                                             cudnnFilterDescriptor_t      w,
                                             cudnnTensorDescriptor_t      y,
                                             cudnnConvolutionDescriptor_t convolution,
                                             cudnnTensorDescriptor_t      x,
                                             int                          most,
                                             int                         *count,
                                             cudnnConvolutionChoice      *choices)
{
  CUDNN_BEGIN_WITH (handle);
  return cudnn_end (offer (CONVOLVE_IMAGE, &(Given){ x, y, w, convolution }, most, count, choices));
}

cudnnStatus_t
cudnnGetConvolutionBackwardDataWorkspaceSize (cudnnHandle_t                handle,
                                              cudnnFilterDescriptor_t      w,
                                              cudnnTensorDescriptor_t      y,
                                              cudnnConvolutionDescriptor_t convolution,
                                              cudnnTensorDescriptor_t      x,
                                              int                          algorithm,
                                              gsize                       *bytes)
{
  CUDNN_BEGIN_WITH (handle);
  return cudnn_end (measure (CONVOLVE_IMAGE, &(Given){ x, y, w, convolution }, algorithm, bytes));
}

cudnnStatus_t
cudnnConvolutionBackwardData (cudnnHandle_t                handle,
                              const void                  *alpha,
                              cudnnFilterDescriptor_t      w,
                              const void                  *w_at,
                              cudnnTensorDescriptor_t      y,
                              const void                  *y_at,
                              cudnnConvolutionDescriptor_t convolution,
                              int                          algorithm,
                              void                        *work,
                              gsize                        work_bytes,
                              const void                  *beta,
                              cudnnTensorDescriptor_t      x,
                              void                        *x_at)
{
  CUDNN_BEGIN_WITH (handle);
  return cudnn_end (
      add_pass (handle, &(Given){ x, y, w, convolution },
                &(Call){ CONVOLVE_IMAGE, "pretend_convolve_image", algorithm, alpha, beta,
                         AT (x_at), AT (y_at), AT (w_at), AT (work), work_bytes }));
}

cudnnStatus_t
cudnnGetConvolutionBackwardFilterAlgorithm_v7 (cudnnHandle_t                handle,
                                               cudnnTensorDescriptor_t      x,
                                               cudnnTensorDescriptor_t      y,
                                               cudnnConvolutionDescriptor_t convolution,
                                               cudnnFilterDescriptor_t      w,
                                               int                          most,
                                               int                         *count,
                                               cudnnConvolutionChoice      *choices)
{
  CUDNN_BEGIN_WITH (handle);
  return cudnn_end (
      offer (CONVOLVE_WEIGHT, &(Given){ x, y, w, convolution }, most, count, choices));
}

cudnnStatus_t
cudnnGetConvolutionBackwardFilterWorkspaceSize (cudnnHandle_t                handle,
                                                cudnnTensorDescriptor_t      x,
                                                cudnnTensorDescriptor_t      y,
                                                cudnnConvolutionDescriptor_t convolution,
                                                cudnnFilterDescriptor_t      w,
                                                int                          algorithm,
                                                gsize                       *bytes)
{
  CUDNN_BEGIN_WITH (handle);
  return cudnn_end (measure (CONVOLVE_WEIGHT, &(Given){ x, y, w, convolution }, algorithm, bytes));
}

cudnnStatus_t
cudnnConvolutionBackwardFilter (cudnnHandle_t                handle,
                                const void                  *alpha,
                                cudnnTensorDescriptor_t      x,
                                const void                  *x_at,
                                cudnnTensorDescriptor_t      y,
                                const void                  *y_at,
                                cudnnConvolutionDescriptor_t convolution,
                                int                          algorithm,
                                void                        *work,
                                gsize                        work_bytes,
                                const void                  *beta,
                                cudnnFilterDescriptor_t      w,
                                void                        *w_at)
{
  CUDNN_BEGIN_WITH (handle);
  return cudnn_end (
      add_pass (handle, &(Given){ x, y, w, convolution },
                &(Call){ CONVOLVE_WEIGHT, "pretend_convolve_weight", algorithm, alpha, beta,
                         AT (x_at), AT (y_at), AT (w_at), AT (work), work_bytes }));
}
