/* pad.c — Pad, and its gradient.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/compile.h"
#include "engine/cuda/kernels/arguments.h"
#include "engine/cuda/ops/attributes.h"
#include "engine/cuda/ops/op-lists.h"
#include "engine/cuda/ops/types.h"

#define THREADS 256

typedef struct
{
  CUfunction          function;
  struct PadArguments arguments;
} Prepared;

/* A kernel of pad.cu on the cells `inside`, which become `outside`. */
static gpointer
prepare (HybDevice      *device,
         const HybCall  *call,
         const HybShape *inside,
         const char     *kernel,
         GError        **error)
{
  const HybShape *outside =
      inside == &call->input[0].shape ? &call->output[0].shape : &call->input[0].shape;
  const HybShape  *width = hyb_cuda_get_shape (call, "pad_width");
  HybDType         dtype = call->output[0].dtype;
  g_autofree char *text =
      g_strdup_printf ("#define Stored %s\n#define Result %s\n#define Sum %s\n%s",
                       hyb_cuda_stored_type (dtype), hyb_cuda_result_type (dtype),
                       hyb_dtype_is_float (dtype) ? "double" : "U64",
                       hyb_cuda_kernel_text ("pad.cu"));
  CUfunction function = hyb_cuda_compile (device, text, kernel, error);
  Prepared  *prepared;

  if (!function)
    return NULL;
  prepared = g_new0 (Prepared, 1);
  prepared->function = function;
  prepared->arguments.n = hyb_shape_size (&call->output[0].shape);
  prepared->arguments.mode = (int) hyb_cuda_get_int (call, "mode", PAD_CONSTANT);
  prepared->arguments.constant = hyb_cuda_get_double (call, "constant_value");
  for (int d = 0; d < PAD_AXES; d++)
    {
      int from = d - (PAD_AXES - inside->rank);

      prepared->arguments.inside[d] = from < 0 ? 1 : inside->dim[from];
      prepared->arguments.outside[d] = from < 0 ? 1 : outside->dim[from];
      prepared->arguments.before[d] = from < 0 ? 0 : width->dim[2 * from];
    }
  return prepared;
}

static gpointer
pad_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  return prepare (device, call, &call->input[0].shape, "pad", error);
}

static gpointer
backward_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  return prepare (device, call, &call->output[0].shape, "pad_sums", error);
}

static void
launch (HybQueue *queue, const HybCall *call, const HybRun *run, gpointer data)
{
  const Prepared     *prepared = data;
  struct PadArguments arguments = prepared->arguments;

  arguments.x = run->input[0];
  arguments.y = run->output[0];
  hyb_cuda_launch (queue, &(HybLaunch){ prepared->function, arguments.n, THREADS, &arguments,
                                        sizeof arguments });
}

const HybDeviceOp hyb_cuda_ops_pad[] = {
  { .name = "Pad", .prepare = pad_prepare, .launch = launch, .release = g_free },
  { .name = "_backward_Pad", .prepare = backward_prepare, .launch = launch, .release = g_free },
  { NULL },
};
