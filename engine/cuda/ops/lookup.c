/* lookup.c — Embedding, take, pick, batch_take and one_hot, and their gradients.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/compile.h"
#include "engine/cuda/kernels/arguments.h"
#include "engine/cuda/ops/attributes.h"
#include "engine/cuda/ops/op-lists.h"
#include "engine/cuda/ops/types.h"

#define THREADS 256 /* CHAIN_THREADS of kernels/prelude.cuh */

/* Values of the attribute mode. */
#define TAKE_RAISE 0
#define TAKE_WRAP  1
#define PICK_WRAP  0

typedef struct
{
  CUfunction             function;
  CUfunction             chain;      /* of a gradient that adds, else NULL */
  guint                  x, indices; /* numbers of the inputs */
  gboolean               clears;
  struct LookupArguments arguments;
} Prepared;

/* The kernels of lookup.cu for these operands. */
static Prepared *
prepare (HybDevice *device, const HybCall *call, const char *kernel, guint indices, GError **error)
{
  HybDType         stored = call->output[0].dtype;
  g_autofree char *text =
      g_strdup_printf ("#define Stored %s\n#define Result %s\n#define Index %s\n%s",
                       hyb_cuda_stored_type (stored), hyb_cuda_result_type (stored),
                       hyb_cuda_stored_type (call->input[indices].dtype),
                       hyb_cuda_kernel_text ("lookup.cu"));
  CUfunction function = hyb_cuda_compile (device, text, kernel, error);
  CUfunction chain = function && g_str_equal (kernel, "add_slices")
                         ? hyb_cuda_compile (device, text, "chain", error)
                         : NULL;
  Prepared  *prepared;

  if (!function || (g_str_equal (kernel, "add_slices") && !chain))
    return NULL;
  prepared = g_new0 (Prepared, 1);
  *prepared = (Prepared){ .function = function, .chain = chain, .x = 1 - MIN (indices, 1) };
  prepared->indices = indices;
  prepared->arguments.n_indices = MAX (1, hyb_shape_size (&call->input[indices].shape));
  prepared->arguments.n = hyb_shape_size (&call->output[0].shape);
  return prepared;
}

/* The data along an axis. */
static void
lay_axis (Prepared *prepared, const HybShape *data, gint64 axis)
{
  int at = hyb_cuda_axis_of (axis, data->rank);

  prepared->arguments.length = data->dim[at];
  prepared->arguments.inner = MAX (1, hyb_shape_count (data, at + 1, data->rank));
}

static gsize
heads_bytes (const Prepared *prepared)
{
  return sizeof (gint32) * (gsize) prepared->arguments.length;
}

/* The gradient of the selected slices: it has as many elements as input 0, the incoming gradient. */
static gpointer
finish_gradient (Prepared *prepared, const HybCall *call, gsize *workspace)
{
  prepared->clears = TRUE;
  prepared->arguments.n = hyb_shape_size (&call->input[0].shape);
  if (prepared->chain)
    *workspace = sizeof (gint64) * (gsize) prepared->arguments.n_indices + heads_bytes (prepared);
  return prepared;
}

static gpointer
embedding_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  Prepared *prepared = prepare (device, call, "take", 0, error);

  if (prepared)
    lay_axis (prepared, &call->input[1].shape, 0);
  return prepared;
}

static gpointer
embedding_backward_prepare (HybDevice     *device,
                            const HybCall *call,
                            gsize         *workspace,
                            GError       **error)
{
  Prepared *prepared = prepare (device, call, "add_slices", 1, error);

  if (!prepared)
    return NULL;
  lay_axis (prepared, &call->output[0].shape, 0);
  return finish_gradient (prepared, call, workspace);
}

/* Numbers of uses are int in chain_uses(). */
static const char *
backward_refuses (const HybCall *call)
{
  return hyb_shape_size (&call->input[1].shape) >= G_MAXINT
             ? "it has more indices than the kernel counts"
             : NULL;
}

static const char *
take_refuses (const HybCall *call)
{
  return hyb_cuda_get_int (call, "mode", TAKE_WRAP) == TAKE_RAISE
             ? "only the processor reports indices outside of the axis"
             : NULL;
}

static gpointer
take_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  Prepared *prepared = prepare (device, call, "take", 1, error);

  if (!prepared)
    return NULL;
  lay_axis (prepared, &call->input[0].shape, hyb_cuda_get_int (call, "axis", 0));
  prepared->arguments.wraps = hyb_cuda_get_int (call, "mode", 0) == TAKE_WRAP;
  return prepared;
}

static gpointer
take_backward_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  Prepared *prepared = prepare (device, call, "add_slices", 1, error);

  if (!prepared)
    return NULL;
  lay_axis (prepared, &call->output[0].shape, hyb_cuda_get_int (call, "axis", 0));
  prepared->arguments.wraps = hyb_cuda_get_int (call, "mode", 0) == TAKE_WRAP;
  return finish_gradient (prepared, call, workspace);
}

/* batch_take has no attributes: it clips along axis 1. */
static void
lay_pick (Prepared *prepared, const HybCall *call, const HybShape *data)
{
  lay_axis (prepared, data, hyb_cuda_get_int (call, "axis", 1));
  prepared->arguments.wraps = hyb_cuda_get_int (call, "mode", !PICK_WRAP) == PICK_WRAP;
}

static gpointer
pick_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  Prepared *prepared = prepare (device, call, "pick", 1, error);

  if (prepared)
    lay_pick (prepared, call, &call->input[0].shape);
  return prepared;
}

static gpointer
pick_backward_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  Prepared *prepared = prepare (device, call, "put_picked", 1, error);

  if (!prepared)
    return NULL;
  lay_pick (prepared, call, &call->output[0].shape);
  return finish_gradient (prepared, call, workspace);
}

static gpointer
one_hot_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  Prepared *prepared = prepare (device, call, "one_hot", 0, error);

  if (!prepared)
    return NULL;
  prepared->arguments.length = MAX (1, hyb_cuda_get_int (call, "depth", 1));
  prepared->arguments.on = hyb_cuda_get_double (call, "on_value");
  prepared->arguments.off = hyb_cuda_get_double (call, "off_value");
  return prepared;
}

static void
launch (HybQueue *queue, const HybCall *call, const HybRun *run, gpointer data)
{
  const Prepared        *prepared = data;
  struct LookupArguments arguments = prepared->arguments;

  arguments.indices = run->input[prepared->indices];
  arguments.x = call->n_inputs > 1 ? run->input[prepared->x] : NULL;
  arguments.y = run->output[0];
  arguments.next = run->workspace;
  arguments.heads = (int *) (arguments.next + arguments.n_indices);
  if (prepared->clears)
    hyb_cuda_queue_clear (queue, run->output[0], hyb_type_bytes (&call->output[0]));
  if (prepared->chain && arguments.n > 0)
    {
      hyb_cuda_queue_clear (queue, arguments.heads, heads_bytes (prepared));
      hyb_cuda_launch (queue, &(HybLaunch){ prepared->chain, THREADS, /* one block */
                                            THREADS, &arguments, sizeof arguments });
    }
  hyb_cuda_launch (queue, &(HybLaunch){ prepared->function, arguments.n, THREADS, &arguments,
                                        sizeof arguments });
}

#define LOOKUP_OP(id, stem)                                                    \
  {                                                                            \
    .name = id, .prepare = stem##_prepare, .launch = launch, .release = g_free \
  }

#define BACKWARD_OP(id, stem)                                                             \
  {                                                                                       \
    .name = id, .refuses = backward_refuses, .prepare = stem##_prepare, .launch = launch, \
    .release = g_free                                                                     \
  }

const HybDeviceOp hyb_cuda_ops_lookup[] = {
  LOOKUP_OP ("Embedding", embedding),
  BACKWARD_OP ("_backward_Embedding", embedding_backward),
  { .name = "take",
    .refuses = take_refuses,
    .prepare = take_prepare,
    .launch = launch,
    .release = g_free },
  BACKWARD_OP ("_backward_take", take_backward),
  LOOKUP_OP ("pick", pick),
  LOOKUP_OP ("batch_take", pick),
  LOOKUP_OP ("_backward_pick", pick_backward),
  LOOKUP_OP ("one_hot", one_hot),
  { NULL },
};
