/* lines.c — operators that compute something of each line of a tensor and then each element.
 *
 * The kernel, kernels/lines.cu, is completed by the text of the formulas.  Numbers and shapes are arguments.
 * Start with hyb_lines_new().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/ops/lines.h"

#include "engine/cuda/compile.h"
#include "engine/cuda/ops/types.h"

/* The desired number of threads, and the least number of elements for each thread of a line. */
#define WANTED         65536
#define LEAST_ELEMENTS 4

struct _HybLinesKernel
{
  CUfunction            function;
  guint                 n_inputs, n_outputs;
  guint                 per_block; /* lines of a block */
  struct LinesArguments arguments;
};

void
hyb_lines_lay (HybLines *lines, gint64 outer, gint64 length, gint64 inner)
{
  lines->lines = outer * inner;
  lines->inner = MAX (1, inner);
  lines->outer_step = length * inner;
  lines->inner_step = 1;
  lines->length = lines->span = length;
  lines->step = inner;
}

void
hyb_lines_lay_axis (HybLines *lines, const HybShape *shape, int axis)
{
  hyb_lines_lay (lines, hyb_shape_count (shape, 0, axis), shape->dim[axis],
                 hyb_shape_count (shape, axis + 1, shape->rank));
}

void
hyb_lines_lay_all (HybLines *lines, gint64 n)
{
  hyb_lines_lay (lines, 1, n, 1);
}

void
hyb_lines_add_input (HybLines *lines, HybDType dtype, HybLinesIndex by, const char *type)
{
  g_assert (lines->n_inputs < LINES_INPUTS);
  lines->input[lines->n_inputs++] = (HybLinesOperand){ dtype, by, type };
}

void
hyb_lines_add_output (HybLines *lines, HybDType dtype, HybLinesIndex by, const char *formula)
{
  g_assert (lines->n_outputs < LINES_OUTPUTS);
  lines->output[lines->n_outputs++] = (HybLinesOperand){ dtype, by, formula };
}

/* --- Threads --- */

/* TRUE if neighbouring elements of a line lie side by side. */
static gboolean
is_contiguous (const HybLines *lines)
{
  return lines->step == 1 && lines->span > 1;
}

/* A power of two, at most the threads of a block. */
static guint
choose_group (const HybLines *lines)
{
  gint64 most = is_contiguous (lines) ? LINES_THREADS : WANTED / MAX (1, lines->lines);
  gint64 wanted = MIN (most, lines->length / LEAST_ELEMENTS);
  guint  group = 1;

  while (group * 2 <= MIN (wanted, LINES_THREADS))
    group *= 2;
  return group;
}

/* --- Text --- */

static void
add_load (GString *text, const HybLines *lines, guint k)
{
  static const char *const places[] = { [HYB_LINES_FULL] = "at",
                                        [HYB_LINES_LINE] = "line",
                                        [HYB_LINES_CYCLE] = "line % a.cycle",
                                        [HYB_LINES_PLACE] = "k",
                                        [HYB_LINES_ONE] = "0" };
  const HybLinesOperand   *operand = &lines->input[k];
  const char              *type = operand->text ? operand->text : "T";

  g_string_append_printf (text,
                          " const %s x%u = (%s) To<%s>::from (get ((const %s *) a.x[%u], %s));",
                          type, k, type, type, hyb_cuda_stored_type (operand->dtype), k,
                          places[operand->by]);
}

static gboolean
is_per_element (HybLinesIndex by)
{
  return by == HYB_LINES_FULL || by == HYB_LINES_PLACE;
}

/* One macro with the loads of all operands of one kind. */
static void
add_loads (GString *text, const HybLines *lines, gboolean per_element)
{
  for (guint k = 0; k < lines->n_inputs; k++)
    if (lines->input[k].by != HYB_LINES_NONE && is_per_element (lines->input[k].by) == per_element)
      add_load (text, lines, k);
}

static void
add_first (GString *text, const HybLines *lines)
{
  g_string_append (text, "#define FIRST");
  for (guint k = 0; k < LINES_NUMBERS; k++)
    g_string_append_printf (text, " const T c%u = (T) a.s[%u];", k, k);
  add_loads (text, lines, FALSE);
  g_string_append_printf (text, " %s\n#define LOAD", lines->first ? lines->first : "");
  add_loads (text, lines, TRUE);
  g_string_append_printf (text, "\n#define COUNT %s\n", lines->count ? lines->count : "a.length");
}

static void
add_passes (GString *text, const HybLines *lines)
{
  g_string_append (text, "#define PASSES");
  for (guint k = 0; k < LINES_PASSES && lines->pass[k].term; k++)
    g_string_append_printf (text, " PASS (r%u, %s, %s, (%s), (%s))", k, lines->pass[k].type,
                            lines->pass[k].start, lines->pass[k].combine, lines->pass[k].term);
  g_string_append_printf (text, "\n#define THEN %s\n", lines->then ? lines->then : "");
}

static void
add_stores (GString *text, const HybLines *lines, HybLinesIndex by)
{
  g_string_append_printf (text, "#define %s", by == HYB_LINES_FULL ? "STORE" : "STORE_LINE");
  for (guint k = 0; k < lines->n_outputs; k++)
    {
      const HybLinesOperand *operand = &lines->output[k];
      const char            *result = hyb_cuda_result_type (operand->dtype);

      if (operand->by == by)
        g_string_append_printf (text,
                                " put ((%s *) a.y[%u], %s, (Wide<%s>::type) To<%s>::from (%s));",
                                hyb_cuda_stored_type (operand->dtype), k,
                                by == HYB_LINES_FULL ? "at" : "line", result, result,
                                operand->text);
    }
  g_string_append (text, "\n");
}

/* (transfer full) */
static char *
dup_text (const HybLines *lines, guint group)
{
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "#define GROUP %u\n#define LANE_STRIDE %s\n#define REAL %s\n",
                          group, is_contiguous (lines) ? "1" : "PER_BLOCK",
                          lines->computed == HYB_F64 ? "double" : "float");
  add_first (text, lines);
  add_passes (text, lines);
  add_stores (text, lines, HYB_LINES_FULL);
  add_stores (text, lines, HYB_LINES_LINE);
  g_string_append (text, hyb_cuda_kernel_text ("lines.cu"));
  return g_string_free (text, FALSE);
}

/* --- The kernel --- */

HybLinesKernel *
hyb_lines_new (HybDevice *device, const HybLines *lines, GError **error)
{
  guint            group = choose_group (lines);
  g_autofree char *text = dup_text (lines, group);
  CUfunction       function = hyb_cuda_compile (device, text, "lines", error);
  HybLinesKernel  *kernel;

  if (!function)
    return NULL;
  kernel = g_new (HybLinesKernel, 1);
  *kernel = (HybLinesKernel){ .function = function,
                              .n_inputs = lines->n_inputs,
                              .n_outputs = lines->n_outputs,
                              .per_block = LINES_THREADS / group,
                              .arguments = { .lines = lines->lines,
                                             .inner = lines->inner,
                                             .outer_step = lines->outer_step,
                                             .inner_step = lines->inner_step,
                                             .length = lines->length,
                                             .span = MAX (1, lines->span),
                                             .jump = lines->jump,
                                             .step = lines->step,
                                             .cycle = MAX (1, lines->cycle) } };
  for (guint k = 0; k < LINES_NUMBERS; k++)
    kernel->arguments.s[k] = lines->number[k];
  return kernel;
}

void
hyb_lines_launch (HybQueue             *queue,
                  const HybLinesKernel *kernel,
                  gconstpointer const  *inputs,
                  gpointer const       *outputs)
{
  struct LinesArguments arguments = kernel->arguments;
  gint64                blocks = (arguments.lines + kernel->per_block - 1) / kernel->per_block;

  for (guint k = 0; k < kernel->n_inputs; k++)
    arguments.x[k] = inputs[k];
  for (guint k = 0; k < kernel->n_outputs; k++)
    arguments.y[k] = outputs[k];
  hyb_cuda_launch (queue, &(HybLaunch){ kernel->function, blocks * LINES_THREADS, LINES_THREADS,
                                        &arguments, sizeof arguments });
}

void
hyb_lines_launch_call (HybQueue *queue, const HybCall *call, const HybRun *run, gpointer prepared)
{
  hyb_lines_launch (queue, prepared, run->input, run->output);
}
