/* fully-connected.c — FullyConnected and its gradients by cuBLAS, the bias by a kernel of our own.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/compile.h"
#include "engine/cuda/kernels/arguments.h"
#include "engine/cuda/ops/op-lists.h"
#include "engine/cuda/ops/product.h"
#include "engine/cuda/ops/types.h"

#define THREADS 256

/* Fills every row of y (rows × columns) with the bias x. */
static const char bias_text[] = "#include \"prelude.cuh\"\n"
                                "#include \"arguments.h\"\n"
                                "extern \"C\" __global__ void\n"
                                "bias (const MoveArguments a)\n"
                                "{\n"
                                "  EACH (i, a.n)\n"
                                "    ((%s *) a.y)[i] = ((const %s *) a.x)[i %% a.dim[0]];\n"
                                "}\n";

typedef struct
{
  CUfunction bias; /* NULL: without */
} Prepared;

/* The sizes of data as a matrix (rows × features). */
static HybProduct
view_matrix (const HybCall *call, const HybShape *data, const HybShape *weight)
{
  gboolean flatten = hyb_params_get_bool (call->op->params, call->params, "flatten");
  int      split = flatten ? 1 : data->rank - 1;

  return (HybProduct){ .dtype = call->output[0].dtype,
                       .m = hyb_shape_count (data, 0, split),
                       .n = weight->dim[0],
                       .k = hyb_shape_count (data, split, data->rank),
                       .alpha = 1 };
}

static HybProduct
forward_product (const HybCall *call)
{
  HybProduct product = view_matrix (call, &call->input[0].shape, &call->input[1].shape);

  product.transpose_b = TRUE;
  product.lda = product.ldb = product.k;
  product.ldc = product.n;
  product.beta = call->n_inputs > 2;
  return product;
}

/* Inputs: gradient of the output, weight, data. */
static HybProduct
data_product (const HybCall *call)
{
  HybProduct view = view_matrix (call, &call->input[2].shape, &call->input[1].shape);

  return (HybProduct){ .dtype = view.dtype,
                       .m = view.m,
                       .n = view.k,
                       .k = view.n,
                       .lda = view.n,
                       .ldb = view.k,
                       .ldc = view.k,
                       .alpha = 1 };
}

/* Inputs: gradient of the output, data, weight. */
static HybProduct
weight_product (const HybCall *call)
{
  HybProduct view = view_matrix (call, &call->input[1].shape, &call->input[2].shape);

  return (HybProduct){ .dtype = view.dtype,
                       .transpose_a = TRUE,
                       .m = view.n,
                       .n = view.k,
                       .k = view.m,
                       .lda = view.n,
                       .ldb = view.k,
                       .ldc = view.k,
                       .alpha = 1 };
}

static const char *
forward_refuses (const HybCall *call)
{
  HybProduct product = forward_product (call);

  return hyb_product_refuses (&product);
}

static const char *
data_refuses (const HybCall *call)
{
  HybProduct product = data_product (call);

  return hyb_product_refuses (&product);
}

static const char *
weight_refuses (const HybCall *call)
{
  HybProduct product = weight_product (call);

  return hyb_product_refuses (&product);
}

static gpointer
forward_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  const char      *type = hyb_cuda_stored_type (call->output[0].dtype);
  g_autofree char *text = g_strdup_printf (bias_text, type, type);
  Prepared        *prepared;
  CUfunction       bias = NULL;

  if (call->n_inputs > 2 && !(bias = hyb_cuda_compile (device, text, "bias", error)))
    return NULL;
  prepared = g_new (Prepared, 1);
  prepared->bias = bias;
  return prepared;
}

static void
forward_launch (HybQueue *queue, const HybCall *call, const HybRun *run, gpointer data)
{
  Prepared  *prepared = data;
  HybProduct product = forward_product (call);

  if (prepared->bias)
    {
      struct MoveArguments arguments = {
        .x = run->input[2], .y = run->output[0], .n = product.m * product.n, .dim = { product.n }
      };

      hyb_cuda_launch (queue, &(HybLaunch){ prepared->bias, arguments.n, THREADS, &arguments,
                                            sizeof arguments });
    }
  hyb_product_launch (queue, &product, run->input[0], run->input[1], run->output[0]);
}

static void
data_launch (HybQueue *queue, const HybCall *call, const HybRun *run, gpointer data)
{
  HybProduct product = data_product (call);

  hyb_product_launch (queue, &product, run->input[0], run->input[1], run->output[0]);
}

static void
weight_launch (HybQueue *queue, const HybCall *call, const HybRun *run, gpointer data)
{
  HybProduct product = weight_product (call);

  hyb_product_launch (queue, &product, run->input[0], run->input[1], run->output[0]);
}

const HybDeviceOp hyb_cuda_ops_fully_connected[] = {
  { .name = "FullyConnected",
    .refuses = forward_refuses,
    .prepare = forward_prepare,
    .launch = forward_launch,
    .release = g_free },
  { .name = "_backward_FullyConnected_data", .refuses = data_refuses, .launch = data_launch },
  { .name = "_backward_FullyConnected_weight", .refuses = weight_refuses, .launch = weight_launch },
  { NULL },
};
