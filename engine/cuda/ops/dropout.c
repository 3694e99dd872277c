/* dropout.c — Dropout, whose mask is drawn and applied by one kernel; its gradient is a formula.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/compile.h"
#include "engine/cuda/ops/attributes.h"
#include "engine/cuda/ops/axes.h"
#include "engine/cuda/ops/draws.h"
#include "engine/cuda/ops/op-lists.h"
#include "engine/cuda/ops/types.h"

#define THREADS 256

typedef struct
{
  CUfunction           function;
  gboolean             is_always; /* not only while training */
  double               share;
  struct DropArguments arguments;
} Prepared;

static gpointer
prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  const HybShape  *shape = &call->output[0].shape;
  HybDType         dtype = call->output[0].dtype;
  HybAxes          axes = hyb_axes_new (shape, 1);
  g_autofree char *text =
      g_strdup_printf ("#define Stored %s\n#define Result %s\n%s", hyb_cuda_stored_type (dtype),
                       hyb_cuda_result_type (dtype), hyb_cuda_kernel_text ("random.cu"));
  CUfunction function = hyb_cuda_compile (device, text, "drop", error);
  Prepared  *prepared;

  hyb_axes_broadcast (&axes, 0, &call->output[1].shape, FALSE);
  if (!function || (!hyb_axes_join (&axes) && !hyb_axes_refuse (error)))
    return NULL;
  prepared = g_new0 (Prepared, 1);
  prepared->function = function;
  prepared->is_always = hyb_cuda_get_int (call, "mode", 0) != 0;
  prepared->share = hyb_cuda_get_double (call, "p");
  prepared->arguments.n = hyb_shape_size (shape);
  prepared->arguments.rank = axes.rank;
  for (int d = 0; d < axes.rank; d++)
    {
      prepared->arguments.dim[d] = axes.dim[d];
      prepared->arguments.stride[d] = axes.stride[0][d];
    }
  return prepared;
}

static void
launch (HybQueue *queue, const HybCall *call, const HybRun *run, gpointer data)
{
  const Prepared      *prepared = data;
  struct DropArguments arguments = prepared->arguments;

  arguments.draws = hyb_cuda_draws (run);
  arguments.share = run->training || prepared->is_always ? prepared->share : 0;
  arguments.x = run->input[0];
  arguments.y = run->output[0];
  arguments.mask = run->output[1];
  hyb_cuda_launch (queue, &(HybLaunch){ prepared->function, arguments.n, THREADS, &arguments,
                                        sizeof arguments });
}

const HybDeviceOp hyb_cuda_ops_dropout[] = {
  { .name = "Dropout", .prepare = prepare, .launch = launch, .release = g_free },
  { NULL },
};
