/* update.c — the updates of a trainer: _update_sgd and its relatives, _update_norm and _update_state.
 *
 * The norm is added in a fixed order: each gradient in parts, the number of which depends on its size alone,
 * then all parts by one block.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/compile.h"
#include "engine/cuda/kernels/arguments.h"
#include "engine/cuda/ops/attributes.h"
#include "engine/cuda/ops/op-lists.h"
#include "engine/cuda/ops/types.h"

#include <string.h>

#define THREADS 256
/* Parts of the sum of squares of a gradient, at most. */
#define MOST_PARTS 4096

static CUfunction
compile (HybDevice *device, HybDType dtype, const char *kernel, GError **error)
{
  g_autofree char *text =
      g_strdup_printf ("#define Stored %s\n#define Result %s\n%s", hyb_cuda_stored_type (dtype),
                       hyb_cuda_result_type (dtype), hyb_cuda_kernel_text ("update.cu"));

  return hyb_cuda_compile (device, text, kernel, error);
}

/* --- Updates --- */

typedef struct
{
  CUfunction             function;
  struct UpdateArguments arguments;
} Update;

static gpointer
update_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  const char *kernel = call->op->name + strlen ("_update_");
  CUfunction  function = compile (device, call->input[0].dtype, kernel, error);
  Update     *update;

  if (!function)
    return NULL;
  update = g_new0 (Update, 1);
  update->function = function;
  update->arguments.n = hyb_shape_size (&call->input[0].shape);
  update->arguments.momentum = hyb_cuda_get_double (call, "momentum");
  update->arguments.beta1 = hyb_cuda_get_double (call, "beta1");
  update->arguments.beta2 = hyb_cuda_get_double (call, "beta2");
  update->arguments.epsilon = hyb_cuda_get_double (call, "epsilon");
  update->arguments.clip_weights = hyb_cuda_get_double (call, "clip_weights");
  return update;
}

static void
update_launch (HybQueue *queue, const HybCall *call, const HybRun *run, gpointer prepared)
{
  const Update          *update = prepared;
  struct UpdateArguments arguments = update->arguments;

  arguments.weight = (gpointer) run->input[0];
  arguments.gradient = run->input[1];
  arguments.numbers =
      (const double *) run->input[2] + UPDATE_NUMBERS * hyb_cuda_get_int (call, "row", 0);
  arguments.norm = run->input[3];
  for (guint i = 4; i < call->n_inputs; i++)
    arguments.state[i - 4] = (gpointer) run->input[i];
  hyb_cuda_launch (queue, &(HybLaunch){ update->function, arguments.n, THREADS, &arguments,
                                        sizeof arguments });
}

/* --- The norm --- */

typedef struct
{
  CUfunction norm;
  CUfunction squares[]; /* by gradient */
} Norm;

static gint64
n_parts (const HybType *gradient)
{
  return MIN (hyb_shape_size (&gradient->shape), MOST_PARTS);
}

static gpointer
norm_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  g_autofree Norm *norm = g_malloc0 (sizeof (Norm) + call->n_inputs * sizeof (CUfunction));

  norm->norm = compile (device, HYB_F32, "add_squares", error);
  if (!norm->norm)
    return NULL;
  for (guint i = 0; i < call->n_inputs; i++)
    {
      norm->squares[i] = compile (device, call->input[i].dtype, "squares", error);
      if (!norm->squares[i])
        return NULL;
      *workspace += sizeof (double) * (gsize) n_parts (&call->input[i]);
    }
  return g_steal_pointer (&norm);
}

static void
norm_launch (HybQueue *queue, const HybCall *call, const HybRun *run, gpointer prepared)
{
  const Norm          *norm = prepared;
  struct NormArguments arguments = { .y = run->output[0],
                                     .limit = hyb_cuda_get_double (call, "limit"),
                                     .parts = run->workspace };

  for (guint i = 0; i < call->n_inputs; i++)
    {
      arguments.gradient = run->input[i];
      arguments.n = hyb_shape_size (&call->input[i].shape);
      arguments.n_parts = n_parts (&call->input[i]);
      hyb_cuda_launch (queue, &(HybLaunch){ norm->squares[i], arguments.n_parts, THREADS,
                                            &arguments, sizeof arguments });
      arguments.parts += arguments.n_parts;
    }
  arguments.n_parts = arguments.parts - (double *) run->workspace;
  arguments.parts = run->workspace;
  hyb_cuda_launch (queue, &(HybLaunch){ norm->norm, NORM_THREADS, NORM_THREADS, &arguments,
                                        sizeof arguments });
}

/* --- States --- */

static void
state_launch (HybQueue *queue, const HybCall *call, const HybRun *run, gpointer prepared)
{
  gsize bytes = hyb_type_bytes (&call->input[0]);

  if (bytes > 0)
    hyb_cuda_queue_copy (queue, (gpointer) run->input[0], run->input[1], bytes);
}

#define UPDATE_OP(id)                                                                 \
  {                                                                                   \
    .name = id, .prepare = update_prepare, .launch = update_launch, .release = g_free \
  }

const HybDeviceOp hyb_cuda_ops_update[] = {
  UPDATE_OP ("_update_sgd"),
  UPDATE_OP ("_update_nag"),
  UPDATE_OP ("_update_adam"),
  UPDATE_OP ("_update_rmsprop"),
  UPDATE_OP ("_update_adagrad"),
  UPDATE_OP ("_update_adadelta"),
  { .name = "_update_norm", .prepare = norm_prepare, .launch = norm_launch, .release = g_free },
  { .name = "_update_state", .launch = state_launch },
  { NULL },
};
