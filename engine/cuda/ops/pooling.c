/* pooling.c — Pooling and AdaptiveAvgPooling2D, and their gradients.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/compile.h"
#include "engine/cuda/kernels/arguments.h"
#include "engine/cuda/ops/attributes.h"
#include "engine/cuda/ops/op-lists.h"
#include "engine/cuda/ops/types.h"

#define THREADS 256
/* The first value of the attribute layout with the channels last. */
#define FIRST_CHANNEL_LAST 4

typedef struct
{
  CUfunction              function;
  CUfunction              search; /* of the cells of maxima, for their gradient; else NULL */
  struct PoolingArguments arguments;
} Prepared;

/* The number of a tuple for an axis, which may be missing. */
static gint64
tuple_value (const HybCall *call, const char *name, int axis, gint64 fallback)
{
  const HybShape *tuple = hyb_cuda_get_shape (call, name);

  return tuple && axis < tuple->rank ? tuple->dim[axis] : fallback;
}

static struct PoolingArguments
lay_windows (const HybCall *call, const HybShape *data, const HybShape *output)
{
  gboolean                is_last = hyb_cuda_get_int (call, "layout", 0) >= FIRST_CHANNEL_LAST;
  gboolean                is_global = hyb_cuda_get_int (call, "global_pool", FALSE) != 0;
  int                     spatial = data->rank - 2, first = is_last ? 1 : 2;
  struct PoolingArguments a = { .channels = data->dim[is_last ? data->rank - 1 : 1],
                                .p = hyb_cuda_get_int (call, "p_value", 1),
                                .counts_padding =
                                    hyb_cuda_get_int (call, "count_include_pad", TRUE) != 0 };

  a.planes = data->dim[0] * a.channels;
  a.step = is_last ? a.channels : 1;
  for (int i = 0; i < 3; i++)
    {
      int from = i - (3 - spatial);

      a.image[i] = from < 0 ? 1 : data->dim[first + from];
      a.map[i] = from < 0 ? 1 : output->dim[first + from];
      a.kernel[i] = from < 0 ? 1 : is_global ? a.image[i] : tuple_value (call, "kernel", from, 1);
      a.stride[i] = from < 0 || is_global ? 1 : tuple_value (call, "stride", from, 1);
      a.pad[i] = from < 0 || is_global ? 0 : tuple_value (call, "pad", from, 0);
    }
  return a;
}

/* search: the gradient of the maximum needs the cells. */
static gpointer
prepare (HybDevice                     *device,
         const HybCall                 *call,
         const char                    *kernel,
         const struct PoolingArguments *arguments,
         GError                       **error)
{
  HybDType         stored = call->output[0].dtype;
  gboolean         is_double = hyb_cuda_computed_type (call->op, stored) == HYB_F64;
  gint64           mode = hyb_cuda_get_int (call, "pool_type", POOL_AVERAGE);
  gboolean         searches = g_str_equal (kernel, "spread") && mode == POOL_MAX;
  g_autofree char *text =
      g_strdup_printf ("#define Stored %s\n#define REAL %s\n#define LOWEST %s\n#define MODE %d\n%s",
                       hyb_cuda_stored_type (stored), is_double ? "double" : "float",
                       is_double ? "-1.7976931348623157e308" : "-3.40282346638528859812e38",
                       (int) mode, hyb_cuda_kernel_text ("pooling.cu"));
  Prepared prepared = { .function = hyb_cuda_compile (device, text, kernel, error),
                        .arguments = *arguments };

  if (prepared.function && searches)
    prepared.search = hyb_cuda_compile (device, text, "pool", error);
  if (!prepared.function || (searches && !prepared.search))
    return NULL;
  return g_memdup2 (&prepared, sizeof prepared);
}

static gpointer
forward_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  struct PoolingArguments a = lay_windows (call, &call->input[0].shape, &call->output[0].shape);

  return prepare (device, call, "pool", &a, error);
}

/* Inputs: gradient, data, output. */
static gpointer
backward_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  struct PoolingArguments a = lay_windows (call, &call->input[1].shape, &call->input[0].shape);
  Prepared               *prepared = prepare (device, call, "spread", &a, error);

  if (prepared && prepared->search)
    *workspace = sizeof (gint64) * (gsize) hyb_shape_size (&call->input[0].shape);
  return prepared;
}

/* The last two axes alone count. */
static struct PoolingArguments
lay_adaptive (const HybShape *data, const HybShape *output)
{
  struct PoolingArguments a = { .image = { 1, data->dim[2], data->dim[3] },
                                .map = { 1, output->dim[2], output->dim[3] },
                                .planes = data->dim[0] * data->dim[1],
                                .channels = 1,
                                .step = 1 };

  return a;
}

static gpointer
adaptive_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  struct PoolingArguments a = lay_adaptive (&call->input[0].shape, &call->output[0].shape);

  return prepare (device, call, "adaptive_pool", &a, error);
}

/* Inputs: gradient, data. */
static gpointer
adaptive_backward_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  struct PoolingArguments a = lay_adaptive (&call->input[1].shape, &call->input[0].shape);

  return prepare (device, call, "adaptive_spread", &a, error);
}

static void
launch_one (HybQueue *queue, CUfunction function, gint64 n, struct PoolingArguments *arguments)
{
  hyb_cuda_launch (queue, &(HybLaunch){ function, n, THREADS, arguments, sizeof *arguments });
}

static void
forward_launch (HybQueue *queue, const HybCall *call, const HybRun *run, gpointer data)
{
  const Prepared         *prepared = data;
  struct PoolingArguments arguments = prepared->arguments;

  arguments.x = run->input[0];
  arguments.to = run->output[0];
  launch_one (queue, prepared->function, hyb_shape_size (&call->output[0].shape), &arguments);
}

static void
backward_launch (HybQueue *queue, const HybCall *call, const HybRun *run, gpointer data)
{
  const Prepared         *prepared = data;
  struct PoolingArguments arguments = prepared->arguments;

  arguments.dy = run->input[0];
  arguments.x = run->input[1];
  arguments.y = call->n_inputs > 2 ? run->input[2] : NULL;
  arguments.to = run->output[0];
  if (prepared->search)
    {
      arguments.at = run->workspace;
      launch_one (queue, prepared->search, hyb_shape_size (&call->input[0].shape), &arguments);
    }
  launch_one (queue, prepared->function, hyb_shape_size (&call->output[0].shape), &arguments);
}

#define POOLING_OP(id, function, launcher)                                 \
  {                                                                        \
    .name = id, .prepare = function, .launch = launcher, .release = g_free \
  }

const HybDeviceOp hyb_cuda_ops_pooling[] = {
  POOLING_OP ("Pooling", forward_prepare, forward_launch),
  POOLING_OP ("_backward_Pooling", backward_prepare, backward_launch),
  POOLING_OP ("_contrib_AdaptiveAvgPooling2D", adaptive_prepare, forward_launch),
  POOLING_OP ("_backward_AdaptiveAvgPooling2D", adaptive_backward_prepare, backward_launch),
  { NULL },
};
