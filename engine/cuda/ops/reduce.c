/* reduce.c — sums, and other reductions over axes, in a fixed order, in two stages.
 *
 * Floats are added in double precision, as on the processor, integers as 64 bits that wrap.  The number
 * of parts depends on the shapes alone, so that a result does not depend on the GPU.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/ops/reduce.h"

#include "engine/cuda/compile.h"
#include "engine/cuda/ops/types.h"

#define THREADS 256
/* The desired number of threads, the least number of terms for a thread, and the largest number
 * of parts of an output. */
#define WANTED      65536
#define LEAST_TERMS 32
#define MOST_PARTS  1024
/* Of an accumulator, a number and its place. */
#define MOST_BYTES 16

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
set_arguments (const HybDeviceReduction *reduction,
               struct ReduceArguments   *arguments,
               GError                  **error)
{
  arguments->n_outer = count (&reduction->outer);
  arguments->n_inner = count (&reduction->inner);
  arguments->divisor = (double) reduction->divisor;
  arguments->n_parts = count_parts (arguments->n_outer, arguments->n_inner);
  if (!set_walk (reduction->outer, arguments->outer_dim, arguments->outer_from,
                 &arguments->outer_rank) ||
      !set_walk (reduction->inner, arguments->inner_dim, arguments->inner_from,
                 &arguments->inner_rank))
    return hyb_axes_refuse (error);
  arguments->parts_first =
      arguments->inner_rank > 0 && arguments->inner_from[arguments->inner_rank - 1] == 1;
  return TRUE;
}

const HybReduceRule hyb_reduce_sum = { .start = "0", .combine = "s + t" };
const HybReduceRule hyb_reduce_mean = {
  .start = "0",
  .combine = "s + t",
  .finish = "s / n",
  .integer_finish = "n > 0 ? (I64) s / (I64) n : 0",
};

/* The least and the greatest number of a type, in the text. */
static const struct
{
  const char *least, *greatest;
} limits[HYB_N_DTYPES] = {
  [HYB_F32] = { "-INFINITE", "INFINITE" },
  [HYB_F64] = { "-INFINITE", "INFINITE" },
  [HYB_F16] = { "-INFINITE", "INFINITE" },
  [HYB_BF16] = { "-INFINITE", "INFINITE" },
  [HYB_U8] = { "0", "255" },
  [HYB_I8] = { "-128", "127" },
  [HYB_I16] = { "-32768", "32767" },
  [HYB_U16] = { "0", "65535" },
  [HYB_I32] = { "-2147483648ll", "2147483647" },
  [HYB_U32] = { "0", "4294967295ll" },
  [HYB_I64] = { "-0x7fffffffffffffffll - 1", "0x7fffffffffffffffll" },
  [HYB_U64] = { "0", "0x7fffffffffffffffll" },
  [HYB_BOOL] = { "0", "1" },
};

/* The types in the text, and their limits; see kernels/reduce.cu. */
static void
add_types (GString *text, const HybReduceRule *rule, const HybCall *call)
{
  HybDType    given = call->input[0].dtype, stored = call->output[0].dtype;
  HybDType    computed = hyb_cuda_computed_type (call->op, given);
  const char *number = rule->extreme || rule->keeps_type ? "Wide<GivenResult>::type"
                       : hyb_dtype_is_float (computed)   ? "double"
                                                         : "U64";

  g_string_append_printf (text,
                          "#define Given %s\n#define GivenResult %s\n#define Stored %s\n"
                          "#define Result %s\n#define Number %s\n#define Sum %s\n"
                          "#define LEAST (%s)\n#define GREATEST (%s)\n",
                          hyb_cuda_stored_type (given), hyb_cuda_result_type (computed),
                          hyb_cuda_stored_type (stored), hyb_cuda_result_type (stored), number,
                          rule->extreme ? "Extreme" : number, limits[given].least,
                          limits[given].greatest);
}

/* (transfer full) */
static char *
dup_text (const HybDeviceReduction *reduction, const HybCall *call)
{
  const HybReduceRule *rule = reduction->rule;
  gboolean is_float = hyb_dtype_is_float (hyb_cuda_computed_type (call->op, call->input[0].dtype));
  const char *finish = rule->integer_finish && !is_float ? rule->integer_finish
                       : rule->finish                    ? rule->finish
                                                         : "s";
  GString    *text = g_string_new (NULL);

  add_types (text, rule, call);
  g_string_append_printf (text,
                          "#define START %s\n#define COMBINE(s, t) (%s)\n#define STEP(s, t) (%s)\n"
                          "#define FINISH(s, n) (%s)\n#define READS %u\n#define TERM (%s)\n",
                          rule->start, rule->combine, rule->step ? rule->step : rule->combine,
                          finish, reduction->n, reduction->term);
  if (rule->extreme)
    g_string_append_printf (text, "#define EXTREME(s, t) (%s)\n", rule->extreme);
  if (reduction->second_is_per_output)
    g_string_append (text, "#define PER_OUTPUT\n");
  g_string_append (text, hyb_cuda_kernel_text ("reduce.cu"));
  return g_string_free (text, FALSE);
}

HybReduce *
hyb_reduce_new (HybDevice                *device,
                const HybCall            *call,
                const HybDeviceReduction *reduction,
                gsize                    *workspace,
                GError                  **error)
{
  g_autofree char *text = dup_text (reduction, call);
  HybReduce        prepared = { .n_inputs = reduction->n };

  if (!set_arguments (reduction, &prepared.arguments, error) ||
      !(prepared.reduce = hyb_cuda_compile (device, text, "reduce", error)) ||
      !(prepared.finish = hyb_cuda_compile (device, text, "finish", error)))
    return NULL;
  if (prepared.arguments.n_parts > 1)
    *workspace = (gsize) (prepared.arguments.n_outer * prepared.arguments.n_parts) *
                 (reduction->rule->extreme ? MOST_BYTES : sizeof (double));
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
  hyb_cuda_launch (queue, &(HybLaunch){ prepared->reduce, arguments.n_outer * arguments.n_parts,
                                        THREADS, &arguments, sizeof arguments });
  if (arguments.n_parts > 1)
    hyb_cuda_launch (queue, &(HybLaunch){ prepared->finish, arguments.n_outer, THREADS, &arguments,
                                          sizeof arguments });
}
