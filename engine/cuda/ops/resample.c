/* resample.c — _resample, and its gradient.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/compile.h"
#include "engine/cuda/kernels/arguments.h"
#include "engine/cuda/ops/attributes.h"
#include "engine/cuda/ops/op-lists.h"
#include "engine/cuda/ops/types.h"

#define THREADS 256

typedef struct
{
  CUfunction               function;
  guint                    first_input; /* the indices of the first axis */
  struct ResampleArguments arguments;
} Prepared;

static struct ResampleAxis
find_axis (const HybCall *call, guint first_input, gint64 from)
{
  const HybShape *shape = &call->input[first_input].shape;

  return (struct ResampleAxis){ .from = from, .to = shape->dim[1], .taps = (int) shape->dim[0] };
}

/* data: the shape before; first_input: the indices of the first axis. */
static void
lay_out (struct ResampleArguments *arguments,
         const HybCall            *call,
         const HybShape           *data,
         guint                     first_input)
{
  int    axis = (int) hyb_cuda_get_int (call, "axis", 0), rank = data->rank;
  gint64 inner = hyb_shape_count (data, axis + 1, rank);

  arguments->n = hyb_shape_size (&call->output[0].shape);
  arguments->rows = find_axis (call, first_input, data->dim[axis]);
  arguments->columns = (struct ResampleAxis){ .from = inner, .to = inner };
  if (hyb_cuda_get_int (call, "n_axes", 1) == 2)
    arguments->columns = find_axis (call, first_input + 2, data->dim[axis + 1]);
}

static gpointer
prepare (HybDevice     *device,
         const HybCall *call,
         guint          first_input,
         const char    *kernel,
         GError       **error)
{
  g_autofree char *text =
      g_strdup_printf ("#define Stored %s\n%s", hyb_cuda_stored_type (call->output[0].dtype),
                       hyb_cuda_kernel_text ("resample.cu"));
  CUfunction function = hyb_cuda_compile (device, text, kernel, error);
  Prepared  *prepared;

  if (!function)
    return NULL;
  prepared = g_new0 (Prepared, 1);
  prepared->function = function;
  prepared->first_input = first_input;
  lay_out (&prepared->arguments, call, &call->input[first_input - 1].shape, first_input);
  return prepared;
}

static gpointer
resample_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  return prepare (device, call, 1, "resample", error);
}

static gpointer
backward_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  return prepare (device, call, 2, "resample_gradient", error);
}

static void
launch (HybQueue *queue, const HybCall *call, const HybRun *run, gpointer data)
{
  const Prepared          *prepared = data;
  struct ResampleArguments arguments = prepared->arguments;
  guint                    first = prepared->first_input;

  arguments.x = run->input[0];
  arguments.y = run->output[0];
  arguments.rows.index = run->input[first];
  arguments.rows.weight = run->input[first + 1];
  if (arguments.columns.taps > 0)
    {
      arguments.columns.index = run->input[first + 2];
      arguments.columns.weight = run->input[first + 3];
    }
  hyb_cuda_launch (queue, &(HybLaunch){ prepared->function, arguments.n, THREADS, &arguments,
                                        sizeof arguments });
}

const HybDeviceOp hyb_cuda_ops_resample[] = {
  { .name = "_resample",

    .prepare = resample_prepare,
    .launch = launch,
    .release = g_free },
  { .name = "_backward_resample",
    .prepare = backward_prepare,
    .launch = launch,
    .release = g_free },
  { NULL },
};
