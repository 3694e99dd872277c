/* rank.c — topk, sort and argsort, and their gradients.
 *
 * A block sorts a line in its shared memory, so that longer lines stay with the processor.  Start with
 * prepare().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/compile.h"
#include "engine/cuda/kernels/arguments.h"
#include "engine/cuda/ops/attributes.h"
#include "engine/cuda/ops/op-lists.h"
#include "engine/cuda/ops/types.h"

#define THREADS 256
/* Entries of 12 bytes in the 48 KiB of shared memory that every GPU has. */
#define MOST_ENTRIES  4096
#define LEAST_ENTRIES 64

/* The kind of output 0 of topk; the order of its attribute ret_typ. */
enum
{
  RETURN_VALUE,
  RETURN_INDICES,
  RETURN_MASK,
  RETURN_BOTH,
};

typedef struct
{
  CUfunction           function;
  int                  returned;
  struct RankArguments arguments;
} Prepared;

/* Lines of `length` elements, which lie `inner` apart. */
typedef struct
{
  gint64 lines, length, inner;
} View;

/* Without an axis the flattened array is one line. */
static View
view_of (const HybCall *call, const HybShape *data)
{
  gint64 axis = hyb_cuda_get_int (call, "axis", HYB_NONE);
  int    at = axis == HYB_NONE ? 0 : hyb_cuda_axis_of (axis, data->rank);
  gint64 inner = axis == HYB_NONE ? 1 : hyb_shape_count (data, at + 1, data->rank);

  return (View){ .lines = axis == HYB_NONE ? 1 : hyb_shape_count (data, 0, at) * inner,
                 .length = axis == HYB_NONE ? hyb_shape_size (data) : data->dim[at],
                 .inner = inner };
}

static const char *
refuses (const HybCall *call)
{
  return view_of (call, &call->input[0].shape).length > MOST_ENTRIES
             ? "the GPU ranks lines of up to 4,096 elements"
             : NULL;
}

/* (transfer full) indices: the type of the indices; entries: 0 for the gradient. */
static char *
dup_text (HybDType stored, HybDType indices, guint entries)
{
  g_autofree char *size =
      entries > 0 ? g_strdup_printf ("#define ENTRIES %u\n", entries) : g_strdup ("");

  return g_strdup_printf ("#define Stored %s\n#define Result %s\n#define Index %s\n#define "
                          "IndexResult %s\n%s%s",
                          hyb_cuda_stored_type (stored), hyb_cuda_result_type (stored),
                          hyb_cuda_stored_type (indices), hyb_cuda_result_type (indices), size,
                          hyb_cuda_kernel_text ("rank.cu"));
}

static guint
count_entries (gint64 length)
{
  guint entries = LEAST_ENTRIES;

  while (entries < length)
    entries *= 2;
  return entries;
}

/* returned: the kind of output 0; kept: elements of a line that are returned. */
static gpointer
prepare (HybDevice *device, const HybCall *call, int returned, gint64 kept, GError **error)
{
  View             view = view_of (call, &call->input[0].shape);
  HybDType         indices = returned == RETURN_INDICES ? call->output[0].dtype
                             : call->n_outputs > 1      ? call->output[1].dtype
                                                        : HYB_I32;
  g_autofree char *text = dup_text (call->input[0].dtype, indices, count_entries (view.length));
  CUfunction       function = hyb_cuda_compile (device, text, "rank_lines", error);
  Prepared        *prepared;

  if (!function)
    return NULL;
  prepared = g_new0 (Prepared, 1);
  prepared->function = function;
  prepared->returned = returned;
  prepared->arguments =
      (struct RankArguments){ .sign = hyb_cuda_get_int (call, "is_ascend", TRUE) ? 1 : -1,
                              .lines = view.lines,
                              .length = view.length,
                              .inner = view.inner,
                              .kept = kept < 1 ? view.length : kept };
  return prepared;
}

static gpointer
topk_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  return prepare (device, call, (int) hyb_cuda_get_int (call, "ret_typ", RETURN_INDICES),
                  hyb_cuda_get_int (call, "k", 1), error);
}

static gpointer
sort_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  return prepare (device, call, RETURN_BOTH, 0, error);
}

static gpointer
argsort_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  return prepare (device, call, RETURN_INDICES, 0, error);
}

static void
launch (HybQueue *queue, const HybCall *call, const HybRun *run, gpointer data)
{
  const Prepared      *prepared = data;
  struct RankArguments arguments = prepared->arguments;

  arguments.x = run->input[0];
  if (prepared->returned == RETURN_INDICES)
    arguments.indices = run->output[0];
  else if (prepared->returned == RETURN_MASK)
    {
      arguments.mask = run->output[0];
      hyb_cuda_queue_clear (queue, run->output[0], hyb_type_bytes (&call->output[0]));
    }
  else
    {
      arguments.values = run->output[0];
      arguments.indices = run->output[1];
    }
  hyb_cuda_launch (queue, &(HybLaunch){ prepared->function, arguments.lines * RANK_THREADS,
                                        RANK_THREADS, &arguments, sizeof arguments });
}

/* --- Gradient: the inputs are the gradient, the indices and the data --- */

static gpointer
backward_prepare (HybDevice *device, const HybCall *call, gsize *workspace, GError **error)
{
  View             view = view_of (call, &call->output[0].shape);
  g_autofree char *text = dup_text (call->output[0].dtype, call->input[1].dtype, 0);
  CUfunction       function = hyb_cuda_compile (device, text, "return_ranked", error);
  Prepared        *prepared;

  if (!function)
    return NULL;
  prepared = g_new0 (Prepared, 1);
  prepared->function = function;
  prepared->arguments = (struct RankArguments){
    .lines = view.lines,
    .length = view.length,
    .inner = view.inner,
    .kept = view.lines > 0 ? hyb_shape_size (&call->input[0].shape) / view.lines : 0
  };
  return prepared;
}

static void
backward_launch (HybQueue *queue, const HybCall *call, const HybRun *run, gpointer data)
{
  const Prepared      *prepared = data;
  struct RankArguments arguments = prepared->arguments;

  hyb_cuda_queue_clear (queue, run->output[0], hyb_type_bytes (&call->output[0]));
  arguments.x = run->input[0];
  arguments.places = run->input[1];
  arguments.values = run->output[0];
  hyb_cuda_launch (queue, &(HybLaunch){ prepared->function, arguments.lines * arguments.kept,
                                        THREADS, &arguments, sizeof arguments });
}

#define RANK_OP(id, function)                                                                \
  {                                                                                          \
    .name = id, .refuses = refuses, .prepare = function, .launch = launch, .release = g_free \
  }
#define BACKWARD_OP(id)                                                                   \
  {                                                                                       \
    .name = id, .prepare = backward_prepare, .launch = backward_launch, .release = g_free \
  }

const HybDeviceOp hyb_cuda_ops_rank[] = {
  RANK_OP ("topk", topk_prepare),       RANK_OP ("sort", sort_prepare),
  RANK_OP ("argsort", argsort_prepare), BACKWARD_OP ("_backward_topk"),
  BACKWARD_OP ("_backward_sort"),       { NULL },
};
