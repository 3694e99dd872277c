/* convolution.c — Convolution and Deconvolution, and their gradients, by cuDNN's convolution calls.
 *
 * cuDNN 9 calls them deprecated and exports them; nothing else of the module uses them, so that its graph
 * interface can take their place here.  In terms of the processor's kernels, the map has a cell for each
 * window over the image: the three passes compute the map, the image or the weight of the other two.
 * Deconvolution computes an image.  Start at the table of roles and at prepare().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/error.h"
#include "engine/cuda/compile.h"
#include "engine/cuda/dnn.h"
#include "engine/cuda/kernels/arguments.h"
#include "engine/cuda/ops/attributes.h"
#include "engine/cuda/ops/op-lists.h"
#include "engine/cuda/ops/types.h"

#define THREADS 256
/* Batch, channels and three spatial axes. */
#define MOST_AXES 5
/* Algorithms of a pass; the vendor has eight at most, and each may be offered with several types of products. */
#define MOST_CHOICES 32
/* In place of the number of an input: output 0. */
#define RESULT G_MAXUINT

typedef struct _Plan Plan;

/* The array that cuDNN computes from the other two. */
typedef struct
{
  const char *name; /* of cuDNN's function */
  /* Offers algorithms, the fastest first. */
  gboolean (*offer) (const Plan *plan, int *count, HybCudnnChoice *choices, GError **error);
  /* Sets plan->work_bytes for plan->algorithm. */
  gboolean (*measure) (Plan *plan, GError **error);
  cudnnStatus_t (*run) (cudnnHandle_t handle, const Plan *plan, const HybRun *run);
} Pass;

/* The operands of an operator. */
typedef struct
{
  const Pass *pass;
  guint       image, map, weight; /* numbers of inputs, or RESULT */
  guint       bias;               /* number of the input, which may be missing; 0: it has none */
} Role;

struct _Plan
{
  HybDevice                   *device;
  const Role                  *role;
  cudnnTensorDescriptor_t      image, map;
  cudnnFilterDescriptor_t      weight;
  cudnnConvolutionDescriptor_t windows;
  int                          algorithm;
  gsize                        work_bytes;
  HybDType                     dtype;
  CUfunction                   bias; /* NULL: without */
};

/* --- Sizes --- */

/* The windows of a call as cuDNN describes them, with two spatial axes at least. */
typedef struct
{
  int    spatial;
  gint64 image[MOST_AXES], map[MOST_AXES], weight[MOST_AXES];
  gint64 pad[3], stride[3], dilate[3];
  gint64 groups;
} Windows;

static const HybType *
type_of (const HybCall *call, guint operand)
{
  return operand == RESULT ? &call->output[0] : &call->input[operand];
}

/* The number of a tuple for an axis, which may be missing. */
static gint64
tuple_value (const HybCall *call, const char *name, int axis, gint64 fallback)
{
  const HybShape *tuple = hyb_cuda_get_shape (call, name);

  return tuple && axis < tuple->rank ? tuple->dim[axis] : fallback;
}

/* A given target_shape of Deconvolution determines the padding. */
static gboolean
has_target (const HybCall *call)
{
  for (int i = 0; i < 3; i++)
    if (tuple_value (call, "target_shape", i, 0) != 0)
      return TRUE;
  return FALSE;
}

/* A missing axis is the first, with one cell. */
static void
lay_shape (gint64 *to, const HybShape *shape)
{
  int missing = shape->rank == 3;

  to[0] = shape->dim[0];
  to[1] = shape->dim[1];
  to[2] = 1;
  for (int i = 2; i < shape->rank; i++)
    to[i + missing] = shape->dim[i];
}

static Windows
lay_windows (const Role *role, const HybCall *call)
{
  const HybShape *image = &type_of (call, role->image)->shape;
  int             axes = image->rank - 2, missing = axes == 1;
  gboolean        fits_target = has_target (call);
  Windows         w = { .spatial = axes + missing,
                        .stride = { 1, 1, 1 },
                        .dilate = { 1, 1, 1 },
                        .groups = hyb_cuda_get_int (call, "num_group", 1) };

  lay_shape (w.image, image);
  lay_shape (w.map, &type_of (call, role->map)->shape);
  lay_shape (w.weight, &type_of (call, role->weight)->shape);
  for (int i = 0; i < axes; i++)
    {
      int k = i + missing;

      w.stride[k] = tuple_value (call, "stride", i, 1);
      w.dilate[k] = tuple_value (call, "dilate", i, 1);
      w.pad[k] = tuple_value (call, "pad", i, 0);
      if (fits_target)
        w.pad[k] = (w.stride[k] * (w.map[2 + k] - 1) + w.dilate[k] * (w.weight[2 + k] - 1) + 1 -
                    w.image[2 + k] + 1) /
                   2;
    }
  return w;
}

/* --- Refusals --- */

/* cuDNN pads both ends of an axis alike. */
static gboolean
pads_alike (const Windows *w)
{
  for (int k = 0; k < w->spatial; k++)
    {
      gint64 span = w->dilate[k] * (w->weight[2 + k] - 1) + 1;
      gint64 room = w->image[2 + k] + 2 * w->pad[k] - span;

      if (room < 0 || room / w->stride[k] + 1 != w->map[2 + k])
        return FALSE;
    }
  return TRUE;
}

static gboolean
is_large (const HybShape *shape)
{
  return hyb_shape_size (shape) > G_MAXINT;
}

static const char *
refuses (const Role *role, const HybCall *call)
{
  const HybType *image = type_of (call, role->image), *map = type_of (call, role->map);
  const HybType *weight = type_of (call, role->weight);
  Windows        w;

  if (!hyb_dnn_has_type (image->dtype))
    return "cuDNN computes convolutions in float16, float32 and float64 alone";
  if (hyb_shape_size (&image->shape) == 0 || hyb_shape_size (&map->shape) == 0 ||
      hyb_shape_size (&weight->shape) == 0)
    return "cuDNN takes no empty tensors";
  if (is_large (&image->shape) || is_large (&map->shape) || is_large (&weight->shape))
    return "it is larger than cuDNN takes";
  w = lay_windows (role, call);
  for (int k = 0; k < w.spatial; k++)
    if (w.pad[k] > G_MAXINT || w.stride[k] > G_MAXINT || w.dilate[k] > G_MAXINT)
      return "it is larger than cuDNN takes";
  if (!pads_alike (&w))
    return "cuDNN pads both ends of an axis alike, and this needs more at one end";
  return NULL;
}

/* --- Planning --- */

#define CHECK(plan, function, arguments, error)                                                  \
  hyb_dnn_check ((plan)->device->cuda, #function, (plan)->device->cuda->call.function arguments, \
                 error)

static void
narrow (int *to, const gint64 *from, int n)
{
  for (int i = 0; i < n; i++)
    to[i] = (int) from[i];
}

static cudnnTensorDescriptor_t
describe_tensor (const Plan *plan, const gint64 *sizes, int rank, GError **error)
{
  int dims[MOST_AXES];

  narrow (dims, sizes, rank);
  return hyb_dnn_tensor_new (plan->device->cuda, plan->dtype, rank, dims, error);
}

static gboolean
describe_windows (Plan *plan, const Windows *w, GError **error)
{
  int pad[3], stride[3], dilate[3];

  narrow (pad, w->pad, 3);
  narrow (stride, w->stride, 3);
  narrow (dilate, w->dilate, 3);
  return CHECK (plan, cudnnCreateConvolutionDescriptor, (&plan->windows), error) &&
         CHECK (plan, cudnnSetConvolutionNdDescriptor,
                (plan->windows, w->spatial, pad, stride, dilate, HYB_CUDNN_CROSS_CORRELATION,
                 hyb_dnn_precision (plan->dtype)),
                error) &&
         CHECK (plan, cudnnSetConvolutionGroupCount, (plan->windows, (int) w->groups), error) &&
         CHECK (plan, cudnnSetConvolutionMathType, (plan->windows, hyb_dnn_math (plan->device)),
                error);
}

static gboolean
describe (Plan *plan, const Windows *w, GError **error)
{
  int weight[MOST_AXES], rank = w->spatial + 2;

  narrow (weight, w->weight, rank);
  return (plan->image = describe_tensor (plan, w->image, rank, error)) &&
         (plan->map = describe_tensor (plan, w->map, rank, error)) &&
         CHECK (plan, cudnnCreateFilterDescriptor, (&plan->weight), error) &&
         CHECK (plan, cudnnSetFilterNdDescriptor,
                (plan->weight, hyb_dnn_type (plan->dtype), HYB_CUDNN_NCHW, rank, weight), error) &&
         describe_windows (plan, w, error);
}

/* Whether a run with this algorithm gives the same numbers as the last one, within the limit of memory. */
static gboolean
suits (const HybCudnnChoice *choice, gsize most)
{
  return choice->status == 0 && choice->determinism == HYB_CUDNN_DETERMINISTIC &&
         choice->memory <= most;
}

/* The attribute workspace is the limit in MiB, as for MXNet. */
static gboolean
choose (Plan *plan, const HybCall *call, GError **error)
{
  gsize          most = (gsize) CLAMP (hyb_cuda_get_int (call, "workspace", 0), 0, G_MAXINT) << 20;
  HybCudnnChoice choices[MOST_CHOICES];
  int            count = 0, i = 0;

  if (!plan->role->pass->offer (plan, &count, choices, error))
    return FALSE;
  while (i < count && !suits (&choices[i], most))
    i++;
  if (i == count)
    return hyb_error_at (error, HYB_DEVICE_ERROR, HYB_DEVICE_ERROR_FAILED, NULL, NULL,
                         "none of the %d algorithms that cuDNN offers gives the same numbers in "
                         "every run with %" G_GSIZE_FORMAT " MiB of workspace",
                         count, most >> 20);
  plan->algorithm = choices[i].algorithm;
  /* Where fewer bits are allowed, the algorithm says how it multiplies. */
  return (plan->device->precise ||
          CHECK (plan, cudnnSetConvolutionMathType, (plan->windows, choices[i].math), error)) &&
         plan->role->pass->measure (plan, error);
}

static void
release (gpointer prepared)
{
  Plan                   *plan = prepared;
  const HybCudaFunctions *call = &plan->device->cuda->call;

  if (plan->image)
    call->cudnnDestroyTensorDescriptor (plan->image);
  if (plan->map)
    call->cudnnDestroyTensorDescriptor (plan->map);
  if (plan->weight)
    call->cudnnDestroyFilterDescriptor (plan->weight);
  if (plan->windows)
    call->cudnnDestroyConvolutionDescriptor (plan->windows);
  g_free (plan);
}

static gboolean
compile_bias (Plan *plan, GError **error)
{
  g_autofree char *text =
      g_strdup_printf ("#define Stored %s\n%s", hyb_cuda_stored_type (plan->dtype),
                       hyb_cuda_kernel_text ("bias.cu"));

  plan->bias = hyb_cuda_compile (plan->device, text, "add_bias", error);
  return plan->bias != NULL;
}

static gpointer
prepare (const Role *role, HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  Plan   *plan = g_new0 (Plan, 1);
  Windows windows = lay_windows (role, call);

  plan->device = device;
  plan->role = role;
  plan->dtype = call->output[0].dtype;
  if (hyb_dnn_get_handle (device, error) && describe (plan, &windows, error) &&
      choose (plan, call, error) &&
      (role->bias == 0 || call->n_inputs <= role->bias || compile_bias (plan, error)))
    {
      *workspace = plan->work_bytes;
      return plan;
    }
  release (plan);
  return NULL;
}

/* --- Passes --- */

/* The factors of the result and of the previous contents, in the type of the sums. */
typedef struct
{
  gconstpointer one, zero;
} Factors;

static Factors
factors (const Plan *plan)
{
  static const double one = 1, zero = 0;
  static const float  one_single = 1, zero_single = 0;

  return plan->dtype == HYB_F64 ? (Factors){ &one, &zero } : (Factors){ &one_single, &zero_single };
}

static gboolean
offer_map (const Plan *plan, int *count, HybCudnnChoice *choices, GError **error)
{
  return CHECK (plan, cudnnGetConvolutionForwardAlgorithm_v7,
                (hyb_dnn_get_handle (plan->device, NULL), plan->image, plan->weight, plan->windows,
                 plan->map, MOST_CHOICES, count, choices),
                error);
}

static gboolean
measure_map (Plan *plan, GError **error)
{
  return CHECK (plan, cudnnGetConvolutionForwardWorkspaceSize,
                (hyb_dnn_get_handle (plan->device, NULL), plan->image, plan->weight, plan->windows,
                 plan->map, plan->algorithm, &plan->work_bytes),
                error);
}

static cudnnStatus_t
run_map (cudnnHandle_t handle, const Plan *plan, const HybRun *run)
{
  Factors by = factors (plan);

  return plan->device->cuda->call.cudnnConvolutionForward (handle, by.one, plan->image,
                                                           run->input[plan->role->image],
                                                           plan->weight,
                                                           run->input[plan->role->weight],
                                                           plan->windows, plan->algorithm,
                                                           run->workspace, plan->work_bytes,
                                                           by.zero, plan->map, run->output[0]);
}

static const Pass find_map = { "cudnnConvolutionForward", offer_map, measure_map, run_map };

static gboolean
offer_image (const Plan *plan, int *count, HybCudnnChoice *choices, GError **error)
{
  return CHECK (plan, cudnnGetConvolutionBackwardDataAlgorithm_v7,
                (hyb_dnn_get_handle (plan->device, NULL), plan->weight, plan->map, plan->windows,
                 plan->image, MOST_CHOICES, count, choices),
                error);
}

static gboolean
measure_image (Plan *plan, GError **error)
{
  return CHECK (plan, cudnnGetConvolutionBackwardDataWorkspaceSize,
                (hyb_dnn_get_handle (plan->device, NULL), plan->weight, plan->map, plan->windows,
                 plan->image, plan->algorithm, &plan->work_bytes),
                error);
}

static cudnnStatus_t
run_image (cudnnHandle_t handle, const Plan *plan, const HybRun *run)
{
  Factors by = factors (plan);

  return plan->device->cuda->call.cudnnConvolutionBackwardData (handle, by.one, plan->weight,
                                                                run->input[plan->role->weight],
                                                                plan->map,
                                                                run->input[plan->role->map],
                                                                plan->windows, plan->algorithm,
                                                                run->workspace, plan->work_bytes,
                                                                by.zero, plan->image,
                                                                run->output[0]);
}

static const Pass find_image = { "cudnnConvolutionBackwardData", offer_image, measure_image,
                                 run_image };

static gboolean
offer_weight (const Plan *plan, int *count, HybCudnnChoice *choices, GError **error)
{
  return CHECK (plan, cudnnGetConvolutionBackwardFilterAlgorithm_v7,
                (hyb_dnn_get_handle (plan->device, NULL), plan->image, plan->map, plan->windows,
                 plan->weight, MOST_CHOICES, count, choices),
                error);
}

static gboolean
measure_weight (Plan *plan, GError **error)
{
  return CHECK (plan, cudnnGetConvolutionBackwardFilterWorkspaceSize,
                (hyb_dnn_get_handle (plan->device, NULL), plan->image, plan->map, plan->windows,
                 plan->weight, plan->algorithm, &plan->work_bytes),
                error);
}

static cudnnStatus_t
run_weight (cudnnHandle_t handle, const Plan *plan, const HybRun *run)
{
  Factors by = factors (plan);

  return plan->device->cuda->call.cudnnConvolutionBackwardFilter (handle, by.one, plan->image,
                                                                  run->input[plan->role->image],
                                                                  plan->map,
                                                                  run->input[plan->role->map],
                                                                  plan->windows, plan->algorithm,
                                                                  run->workspace, plan->work_bytes,
                                                                  by.zero, plan->weight,
                                                                  run->output[0]);
}

static const Pass find_weight = { "cudnnConvolutionBackwardFilter", offer_weight, measure_weight,
                                  run_weight };

/* --- Launching --- */

static void
add_bias (HybQueue *queue, const Plan *plan, const HybCall *call, const HybRun *run)
{
  const HybShape      *shape = &call->output[0].shape;
  struct MoveArguments arguments = { .x = run->input[plan->role->bias],
                                     .y = run->output[0],
                                     .n = hyb_shape_size (shape),
                                     .dim = { shape->dim[1],
                                              hyb_shape_count (shape, 2, shape->rank) } };

  hyb_cuda_launch (queue,
                   &(HybLaunch){ plan->bias, arguments.n, THREADS, &arguments, sizeof arguments });
}

static void
launch (HybQueue *queue, const HybCall *call, const HybRun *run, gpointer prepared)
{
  const Plan *plan = prepared;
  const Pass *pass = plan->role->pass;

  if (hyb_dnn_queue_is_ready (queue) &&
      hyb_dnn_queue_check (queue, pass->name, pass->run (queue->cudnn, plan, run)) && plan->bias)
    add_bias (queue, plan, call, run);
}

/* --- Operators --- */

/* A role, and its functions. */
#define ROLE(stem, ...)                                                                     \
  static const Role  stem = { __VA_ARGS__ };                                                \
  static const char *stem##_refuses (const HybCall *call)                                   \
  {                                                                                         \
    return refuses (&stem, call);                                                           \
  }                                                                                         \
  static gpointer stem##_prepare (HybDevice *device, const HybCall *call, gsize *workspace, \
                                  GError **error)                                           \
  {                                                                                         \
    return prepare (&stem, device, call, workspace, error);                                 \
  }

ROLE (convolution, &find_map, .image = 0, .map = RESULT, .weight = 1, .bias = 2)
ROLE (convolution_data, &find_image, .image = RESULT, .map = 0, .weight = 1)
ROLE (convolution_weight, &find_weight, .image = 1, .map = 0, .weight = RESULT)
ROLE (deconvolution, &find_image, .image = RESULT, .map = 0, .weight = 1, .bias = 2)
ROLE (deconvolution_data, &find_map, .image = 0, .map = RESULT, .weight = 1)
ROLE (deconvolution_weight, &find_weight, .image = 0, .map = 1, .weight = RESULT)

#define CONVOLUTION_OP(id, stem)                                                        \
  {                                                                                     \
    .name = id, .refuses = stem##_refuses, .prepare = stem##_prepare, .launch = launch, \
    .release = release                                                                  \
  }

const HybDeviceOp hyb_cuda_ops_convolution[] = {
  CONVOLUTION_OP ("Convolution", convolution),
  CONVOLUTION_OP ("_backward_Convolution_data", convolution_data),
  CONVOLUTION_OP ("_backward_Convolution_weight", convolution_weight),
  CONVOLUTION_OP ("Deconvolution", deconvolution),
  CONVOLUTION_OP ("_backward_Deconvolution_data", deconvolution_data),
  CONVOLUTION_OP ("_backward_Deconvolution_weight", deconvolution_weight),
  { NULL },
};
