/* fully-connected.c — FullyConnected, with a rectifier or without, and its gradients by cuBLAS.
 *
 * cuBLASLt adds the bias and rectifies while it writes the product; where it cannot, kernels of our own do, the bias
 * first, to which cuBLAS adds the product.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/compile.h"
#include "engine/cuda/kernels/arguments.h"
#include "engine/cuda/ops/finished-product.h"
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

/* Rectifies y, as the processor does: a NaN stays. */
static const char rectify_text[] = "#include \"prelude.cuh\"\n"
                                   "#include \"arguments.h\"\n"
                                   "extern \"C\" __global__ void\n"
                                   "rectify (const MoveArguments a)\n"
                                   "{\n"
                                   "  EACH (i, a.n)\n"
                                   "    if (get ((const %s *) a.y, i) <= 0)\n"
                                   "      put ((%s *) a.y, i, 0.f);\n"
                                   "}\n";

typedef struct
{
  HybFinishedProduct *finished; /* NULL: bias, product and rectifier follow each other */
  CUfunction          bias;     /* NULL: without */
  CUfunction          rectify;  /* NULL: without */
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

static void
forward_release (gpointer data)
{
  Prepared *prepared = data;

  hyb_finished_product_free (prepared->finished);
  g_free (prepared);
}

/* The kernels are needed even where cuBLASLt has an algorithm: it depends on the addresses whether that can be used. */
static gpointer
prepare (HybDevice *device, const HybCall *call, gboolean rectifies, GError **error)
{
  const char      *type = hyb_cuda_stored_type (call->output[0].dtype);
  g_autofree char *bias = g_strdup_printf (bias_text, type, type);
  g_autofree char *rectify = g_strdup_printf (rectify_text, type, type);
  gboolean         has_bias = call->n_inputs > 2;
  HybProduct       product = forward_product (call);
  Prepared        *prepared = g_new0 (Prepared, 1);

  if ((has_bias && !(prepared->bias = hyb_cuda_compile (device, bias, "bias", error))) ||
      (rectifies && !(prepared->rectify = hyb_cuda_compile (device, rectify, "rectify", error))))
    {
      forward_release (prepared);
      return NULL;
    }
  if (has_bias)
    prepared->finished = hyb_finished_product_new (device, &product, rectifies);
  return prepared;
}

static gpointer
forward_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  return prepare (device, call, FALSE, error);
}

static gpointer
rectified_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  return prepare (device, call, TRUE, error);
}

static void
launch_rows (HybQueue                  *queue,
             CUfunction                 function,
             const HybProduct          *product,
             const HybFinishedOperands *operands)
{
  struct MoveArguments arguments = {
    .x = operands->bias, .y = operands->c, .n = product->m * product->n, .dim = { product->n }
  };

  hyb_cuda_launch (queue,
                   &(HybLaunch){ function, arguments.n, THREADS, &arguments, sizeof arguments });
}

static void
forward_launch (HybQueue *queue, const HybCall *call, const HybRun *run, gpointer data)
{
  Prepared           *prepared = data;
  HybProduct          product = forward_product (call);
  HybFinishedOperands operands = { .a = run->input[0],
                                   .b = run->input[1],
                                   .bias = call->n_inputs > 2 ? run->input[2] : NULL,
                                   .c = run->output[0] };

  if (prepared->finished && hyb_finished_product_launch (queue, prepared->finished, &operands))
    return;
  if (prepared->bias)
    launch_rows (queue, prepared->bias, &product, &operands);
  hyb_product_launch (queue, &product, run->input[0], run->input[1], run->output[0]);
  if (prepared->rectify)
    launch_rows (queue, prepared->rectify, &product, &operands);
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

static const char *const rectified_parts[] = { "FullyConnected", "Activation", "relu", NULL };

const HybDeviceOp hyb_cuda_ops_fully_connected[] = {
  { .name = "FullyConnected",
    .refuses = forward_refuses,
    .prepare = forward_prepare,
    .launch = forward_launch,
    .release = forward_release },
  { .name = "_rectified_fully_connected",
    .refuses = forward_refuses,
    .prepare = rectified_prepare,
    .launch = forward_launch,
    .release = forward_release,
    .parts = rectified_parts },
  { .name = "_backward_FullyConnected_data", .refuses = data_refuses, .launch = data_launch },
  { .name = "_backward_FullyConnected_weight", .refuses = weight_refuses, .launch = weight_launch },
  { NULL },
};
