/* sequence.c — SequenceMask, SequenceLast and its gradient, and SequenceReverse.
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
  guint                    lengths; /* number of the input; n_inputs: there is none */
  struct SequenceArguments arguments;
} Prepared;

/* A kernel of sequence.cu; `data` is the array with all steps, and input `lengths`, if there is one, holds
 * the lengths. */
static gpointer
prepare (HybDevice *device, const HybCall *call, const char *kernel, guint lengths, GError **error)
{
  const HybShape  *data = &(lengths == 2 ? call->output : call->input)[0].shape;
  HybDType         dtype = call->output[0].dtype;
  HybDType         length = lengths < call->n_inputs ? call->input[lengths].dtype : HYB_I32;
  g_autofree char *text =
      g_strdup_printf ("#define Stored %s\n#define Result %s\n#define Length %s\n%s",
                       hyb_cuda_stored_type (dtype), hyb_cuda_result_type (dtype),
                       hyb_cuda_stored_type (length), hyb_cuda_kernel_text ("sequence.cu"));
  CUfunction function = hyb_cuda_compile (device, text, kernel, error);
  int        axis = (int) hyb_cuda_get_int (call, "axis", 0);
  Prepared  *prepared;

  if (!function)
    return NULL;
  prepared = g_new0 (Prepared, 1);
  prepared->function = function;
  prepared->lengths = lengths;
  prepared->arguments = (struct SequenceArguments){ .n = hyb_shape_size (&call->output[0].shape),
                                                    .steps = data->dim[axis],
                                                    .samples = data->dim[1 - axis],
                                                    .rest = hyb_shape_count (data, 2, data->rank),
                                                    .samples_first = axis == 1,
                                                    .value = hyb_cuda_get_double (call, "value") };
  return prepared;
}

#define PREPARE(stem, kernel, lengths)                                                      \
  static gpointer stem##_prepare (HybDevice *device, const HybCall *call, gsize *workspace, \
                                  GError **error)                                           \
  {                                                                                         \
    return prepare (device, call, kernel, lengths, error);                                  \
  }
PREPARE (mask, "mask", 1)
PREPARE (last, "last", 1)
PREPARE (last_backward, "last_gradient", 2)
PREPARE (reverse, "reverse", 1)
#undef PREPARE

static void
launch (HybQueue *queue, const HybCall *call, const HybRun *run, gpointer data)
{
  const Prepared          *prepared = data;
  struct SequenceArguments arguments = prepared->arguments;

  arguments.x = run->input[0];
  arguments.y = run->output[0];
  if (prepared->lengths < call->n_inputs)
    arguments.lengths = run->input[prepared->lengths];
  hyb_cuda_launch (queue, &(HybLaunch){ prepared->function, arguments.n, THREADS, &arguments,
                                        sizeof arguments });
}

#define TWIN(id, stem)                                                         \
  {                                                                            \
    .name = id, .prepare = stem##_prepare, .launch = launch, .release = g_free \
  }

const HybDeviceOp hyb_cuda_ops_sequence[] = {
  TWIN ("SequenceMask", mask),
  TWIN ("SequenceLast", last),
  TWIN ("_backward_SequenceLast", last_backward),
  TWIN ("SequenceReverse", reverse),
  { NULL },
};
