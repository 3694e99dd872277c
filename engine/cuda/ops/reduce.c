/* reduce.c — sums over axes in a fixed order, in two stages.
 *
 * Floats are added in double precision, as on the processor, integers as 64 bits that wrap.  The number
 * of parts depends on the shapes alone, so that a result does not depend on the GPU.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/ops/reduce.h"

#include "engine/cuda/compile.h"
#include "engine/cuda/ops/types.h"

#define THREADS 256
/* Threads that are wanted, terms that a thread adds at least, and parts of an output at most. */
#define WANTED      65536
#define LEAST_TERMS 32
#define MOST_PARTS  1024

struct _HybReduce
{
  CUfunction             reduce, finish;
  guint                  n_inputs;
  struct ReduceArguments arguments;
};

static gint64
count (const HybAxes *axes)
{
  gint64 n = 1;

  for (int d = 0; d < axes->rank; d++)
    n *= axes->dim[d];
  return n;
}

static gint64
count_parts (gint64 n_outer, gint64 n_inner)
{
  gint64 wanted = n_outer > 0 ? WANTED / n_outer : 1;

  return MAX (1, MIN (MIN (wanted, n_inner / LEAST_TERMS), MOST_PARTS));
}

/* Joins the axes of a walk and copies them.  FALSE if there are too many. */
static gboolean
set_walk (HybAxes axes, long long *dim, long long *from, int *rank)
{
  axes.n = 1;
  if (!hyb_axes_join (&axes))
    return FALSE;
  *rank = axes.rank;
  for (int d = 0; d < axes.rank; d++)
    {
      dim[d] = axes.dim[d];
      from[d] = axes.stride[0][d];
    }
  return TRUE;
}

static gboolean
set_arguments (const HybReduction *reduction, struct ReduceArguments *arguments, GError **error)
{
  arguments->n_outer = count (&reduction->outer);
  arguments->n_inner = count (&reduction->inner);
  arguments->divisor = (double) reduction->divisor;
  arguments->n_parts = count_parts (arguments->n_outer, arguments->n_inner);
  if (!set_walk (reduction->outer,
                 arguments->outer_dim,
                 arguments->outer_from,
                 &arguments->outer_rank) ||
      !set_walk (reduction->inner,
                 arguments->inner_dim,
                 arguments->inner_from,
                 &arguments->inner_rank))
    return hyb_axes_refuse (error);
  arguments->parts_first =
      arguments->inner_rank > 0 && arguments->inner_from[arguments->inner_rank - 1] == 1;
  return TRUE;
}

HybReduce *
hyb_reduce_new (HybDevice          *device,
                const HybCall      *call,
                const HybReduction *reduction,
                gsize              *workspace,
                GError            **error)
{
  HybDType         dtype = call->output[0].dtype;
  const char      *sum = hyb_dtype_is_float (dtype) ? "double" : "U64";
  g_autofree char *text = g_strdup_printf ("#define Stored %s\n#define Result %s\n#define Sum %s\n"
                                           "#define READS %u\n#define TERM (%s)\n%s%s",
                                           hyb_cuda_stored_type (dtype),
                                           hyb_cuda_result_type (dtype),
                                           sum,
                                           reduction->n,
                                           reduction->term,
                                           reduction->divisor ? "#define DIVIDES\n" : "",
                                           hyb_cuda_kernel_text ("reduce.cu"));
  HybReduce        prepared = { .n_inputs = reduction->n };

  if (!set_arguments (reduction, &prepared.arguments, error) ||
      !(prepared.reduce = hyb_cuda_compile (device, text, "reduce", error)) ||
      !(prepared.finish = hyb_cuda_compile (device, text, "finish", error)))
    return NULL;
  if (prepared.arguments.n_parts > 1)
    *workspace =
        (gsize) (prepared.arguments.n_outer * prepared.arguments.n_parts) * sizeof (double);
  return g_memdup2 (&prepared, sizeof prepared);
}

void
hyb_reduce_launch (HybQueue *queue, const HybCall *call, const HybRun *run, gpointer data)
{
  const HybReduce       *prepared = data;
  struct ReduceArguments arguments = prepared->arguments;

  for (guint i = 0; i < prepared->n_inputs; i++)
    arguments.x[i] = run->input[i];
  arguments.y = run->output[0];
  arguments.part = run->workspace;
  hyb_cuda_launch (queue,
                   &(HybLaunch){ prepared->reduce,
                                 arguments.n_outer * arguments.n_parts,
                                 THREADS,
                                 &arguments,
                                 sizeof arguments });
  if (arguments.n_parts > 1)
    hyb_cuda_launch (queue,
                     &(HybLaunch){ prepared->finish,
                                   arguments.n_outer,
                                   THREADS,
                                   &arguments,
                                   sizeof arguments });
}
