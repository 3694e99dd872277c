/* compute-bodies.c — If, Loop and Scan whose types are known only while running: their bodies run node by node.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/error.h"
#include "engine/imperative/imperative.h"
#include "engine/onnx/compute.h"

/* The arguments that the functions of this file share. */
typedef struct
{
  const HybCall    *call;
  const HybOnnxUse *use;
  const HybRun     *run;
  HybTensor *const *inputs;
} Use;

/* The input as the specification counts; NULL if it is left out. */
static HybTensor *
input (const Use *use, guint slot)
{
  return slot < use->use->n_slots && use->use->slots[slot] >= 0 ? use->inputs[use->use->slots[slot]]
                                                                : NULL;
}

static gboolean
refuse (GError **error, const char *what)
{
  return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_UNSUPPORTED, NULL, NULL, "%s", what);
}

/* The tensors of a body's captured variables; the others stay as they are. */
static void
capture (const Use *use, guint body, HybTensor **variables)
{
  for (guint v = 0; v < use->use->n_variables[body]; v++)
    if (use->use->body_inputs[body][v] != G_MAXUINT)
      variables[v] = use->inputs[use->use->body_inputs[body][v]];
}

/* One use of an operator of the engine. */
typedef struct
{
  const char        *op;
  guint              n_inputs;
  HybTensor *const  *inputs;
  const char *const *attributes;
} Call;

/* (transfer full); NULL and an error if it fails */
static HybTensor *
call_one (const Use *use, const Call *one, GError **error)
{
  const HybOp *op = hyb_op_find (one->op);
  gpointer   params = hyb_params_parse (op->params, op->params_size, one->attributes, NULL, error);
  HybTensor *outputs[8] = { NULL };
  gboolean   is_done;

  if (!params)
    return NULL;
  is_done = hyb_imperative_call (&(HybImperativeCall){ .op = op,
                                                       .params = params,
                                                       .n_inputs = one->n_inputs,
                                                       .inputs = one->inputs,
                                                       .outputs = outputs,
                                                       .has_scalars = TRUE },
                                 use->run, error);
  hyb_params_unref (params);
  return is_done ? outputs[0] : NULL;
}

static gboolean
is_true (HybTensor *tensor)
{
  return hyb_tensor_get_size (tensor) > 0 && hyb_tensor_get_value (tensor, 0) != 0;
}

/* A body's inputs and outputs, and the rows that its steps leave behind. */
typedef struct
{
  HybGraph   *graph;
  guint       n_variables, n_heads, first_row;
  HybTensor **variables; /* borrowed */
  HybTensor **heads;     /* owned */
  GPtrArray **rows;      /* n_heads - first_row arrays of tensors */
} Steps;

static void
steps_clear (Steps *steps)
{
  for (guint h = 0; h < steps->n_heads; h++)
    hyb_tensor_unref (steps->heads[h]);
  for (guint r = 0; steps->rows && r + steps->first_row < steps->n_heads; r++)
    g_ptr_array_unref (steps->rows[r]);
  g_free (steps->variables);
  g_free (steps->heads);
  g_free (steps->rows);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Steps, steps_clear)

/* first_row: the first head that is not a state.  FALSE and an error if the body does not fit. */
static gboolean
steps_init (Steps *steps, const Use *use, guint body, guint first_row, GError **error)
{
  steps->graph = use->call->body[body];
  steps->n_variables = use->use->n_variables[body];
  hyb_graph_get_heads (steps->graph, &steps->n_heads);
  steps->first_row = MIN (first_row, steps->n_heads);
  steps->variables = g_new0 (HybTensor *, MAX (steps->n_variables, 1));
  steps->heads = g_new0 (HybTensor *, MAX (steps->n_heads, 1));
  steps->rows = g_new0 (GPtrArray *, steps->n_heads - steps->first_row + 1);
  for (guint r = 0; r + steps->first_row < steps->n_heads; r++)
    steps->rows[r] = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
  capture (use, body, steps->variables);
  return steps->n_heads >= first_row || refuse (error, "its body has too few outputs");
}

/* Runs the body once.  Its heads replace those of the step before, which its variables may have been. */
static gboolean
step (Steps *steps, const Use *use, GError **error)
{
  g_autofree HybTensor **heads = g_new0 (HybTensor *, MAX (steps->n_heads, 1));

  if (!hyb_imperative_run (steps->graph, steps->variables, heads, use->run, error))
    return FALSE;
  for (guint h = 0; h < steps->n_heads; h++)
    {
      hyb_tensor_unref (steps->heads[h]);
      steps->heads[h] = heads[h];
      if (h >= steps->first_row)
        g_ptr_array_add (steps->rows[h - steps->first_row], hyb_tensor_ref (heads[h]));
    }
  return TRUE;
}

/* The rows of one head as an array. */
static HybTensor *
stack (const Use *use, const GPtrArray *rows, int axis, guint output, GError **error)
{
  g_autofree char *axis_text = g_strdup_printf ("%d", axis);
  g_autofree char *count = g_strdup_printf ("%u", rows->len);

  if (rows->len == 0)
    return hyb_onnx_no_rows (use->call, output, error);
  return call_one (use,
                   &(Call){ "stack", rows->len, (HybTensor *const *) rows->pdata,
                            (const char *const[]){ "axis", axis_text, "num_args", count, NULL } },
                   error);
}

/* Outputs must be different tensors from inputs, which the caller may change. */
static HybTensor *
own (const Use *use, HybTensor *tensor, GError **error)
{
  return call_one (use, &(Call){ "_copy", 1, &tensor, NULL }, error);
}

/* --- If --- */

gboolean
hyb_onnx_compute_if (HybCall          *call,
                     const HybRun     *run,
                     HybTensor *const *inputs,
                     HybTensor       **outputs,
                     GError          **error)
{
  Use        use = { call, call->params, run, inputs };
  HybTensor *condition = input (&use, 0);
  g_auto (Steps) steps = { 0 };

  if (!condition)
    return refuse (error, "its condition is left out");
  if (!steps_init (&steps, &use, is_true (condition) ? 0 : 1, call->n_outputs, error) ||
      !step (&steps, &use, error))
    return FALSE;
  for (guint i = 0; i < call->n_outputs; i++)
    {
      outputs[i] = own (&use, steps.heads[i], error);
      if (!outputs[i])
        return FALSE;
    }
  return TRUE;
}

/* --- Loop --- */

static HybTensor *
counter_new (gint64 value, GError **error)
{
  HybType    type = { .dtype = HYB_I64 };
  HybTensor *tensor = hyb_tensor_new (&type, error);

  if (tensor)
    *(gint64 *) hyb_tensor_get_data (tensor) = value;
  return tensor;
}

static gint64
find_limit (const Use *use)
{
  HybTensor *limit = input (use, 0);

  return limit ? hyb_dtype_get_int (hyb_tensor_get_data (limit), hyb_tensor_get_dtype (limit), 0)
               : G_MAXINT64;
}

/* Variables are the counter, the condition and the states; heads are the condition, the states and the rows. */
static gboolean
run_loop (Steps *steps, const Use *use, guint n_states, GError **error)
{
  HybType    truth = { .dtype = HYB_BOOL };
  gint64     limit = find_limit (use);
  HybTensor *given = input (use, 1);
  g_autoptr (HybTensor) yes = hyb_tensor_new (&truth, error);

  if (!yes)
    return FALSE;
  *(guint8 *) hyb_tensor_get_data (yes) = 1;
  steps->variables[1] = given ? given : yes;
  for (guint s = 0; s < n_states; s++)
    steps->variables[2 + s] = input (use, 2 + s);
  for (gint64 i = 0; i < limit && is_true (steps->variables[1]); i++)
    {
      g_autoptr (HybTensor) counter = counter_new (i, error);

      steps->variables[0] = counter;
      if (!counter || !step (steps, use, error))
        return FALSE;
      for (guint h = 0; h <= n_states; h++)
        steps->variables[1 + h] = steps->heads[h];
    }
  return TRUE;
}

gboolean
hyb_onnx_compute_loop (HybCall          *call,
                       const HybRun     *run,
                       HybTensor *const *inputs,
                       HybTensor       **outputs,
                       GError          **error)
{
  Use   use = { call, call->params, run, inputs };
  guint n_states = use.use->n_slots > 2 ? use.use->n_slots - 2 : 0;
  g_auto (Steps) steps = { 0 };

  if (!steps_init (&steps, &use, 0, 1 + n_states, error))
    return FALSE;
  if (steps.n_variables < 2 + n_states || steps.n_heads < 1 + call->n_outputs)
    return refuse (error, "its body does not fit its inputs and outputs");
  for (guint s = 0; s < n_states; s++)
    if (!input (&use, 2 + s))
      return refuse (error, "a state has no initial value");
  if (!run_loop (&steps, &use, n_states, error))
    return FALSE;
  for (guint i = 0; i < call->n_outputs; i++)
    {
      outputs[i] = i < n_states ? own (&use, steps.variables[2 + i], error)
                                : stack (&use, steps.rows[i - n_states], 0, i, error);
      if (!outputs[i])
        return FALSE;
    }
  return TRUE;
}

/* --- Scan --- */

guint
hyb_onnx_scan_n_states (const HybOnnxUse *use, guint first_input)
{
  guint  n_inputs = use->n_slots > first_input ? use->n_slots - first_input : 0;
  gint64 n_data = 0;

  for (guint i = 0; i < use->node->n_attributes; i++)
    if (g_str_equal (use->node->attributes[i].name, "num_scan_inputs") &&
        use->node->attributes[i].kind == HYB_ONNX_ATTRIBUTE_INT)
      n_data = use->node->attributes[i].i;
  return n_data >= 0 && n_data <= n_inputs ? n_inputs - (guint) n_data : 0;
}

/* Element i of a list of the node; 0 if it is not given. */
static gint64
listed (const Use *use, const char *name, guint i)
{
  const HybOnnxNode *node = use->use->node;

  for (guint a = 0; a < node->n_attributes; a++)
    if (g_str_equal (node->attributes[a].name, name) &&
        node->attributes[a].kind == HYB_ONNX_ATTRIBUTE_INTS && i < node->attributes[a].n)
      return node->attributes[a].ints[i];
  return 0;
}

/* The slice that step number i of n reads. */
static HybTensor *
take_slice (const Use *use, HybTensor *data, gint64 axis, gint64 i, GError **error)
{
  g_autofree char *axis_text = g_strdup_printf ("%" G_GINT64_FORMAT, axis);
  g_autofree char *begin = g_strdup_printf ("%" G_GINT64_FORMAT, i);
  g_autofree char *end = g_strdup_printf ("%" G_GINT64_FORMAT, i + 1);
  g_autoptr (HybTensor) slice =
      call_one (use,
                &(Call){
                    "slice_axis", 1, &data,
                    (const char *const[]){ "axis", axis_text, "begin", begin, "end", end, NULL } },
                error);
  Call squeeze = { "_np_squeeze", 1, &slice, (const char *const[]){ "axis", axis_text, NULL } };

  return slice ? call_one (use, &squeeze, error) : NULL;
}

/* The axis of a slice from 0; FALSE and an error if the data have none. */
static gboolean
find_axis (const Use *use, guint data, guint slot, gint64 *axis, GError **error)
{
  HybTensor *tensor = input (use, slot);
  int        rank = tensor ? hyb_tensor_get_type (tensor)->shape.rank : 0;

  *axis = listed (use, "scan_input_axes", data);
  *axis += *axis < 0 ? rank : 0;
  return (*axis >= 0 && *axis < rank) || refuse (error, "its data have no such axis");
}

static gboolean
run_scan_step (Steps *steps, const Use *use, guint n_states, gint64 i, GError **error)
{
  guint n_data = use->use->n_slots - n_states;
  g_autoptr (GPtrArray) slices = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);

  for (guint d = 0; d < n_data; d++)
    {
      HybTensor *data = input (use, n_states + d), *slice;
      gint64     axis, n;

      if (!find_axis (use, d, n_states + d, &axis, error))
        return FALSE;
      n = hyb_tensor_get_type (data)->shape.dim[axis];
      if (i >= n)
        return refuse (error, "its data have different numbers of rows");
      slice = take_slice (use, data, axis, listed (use, "scan_input_directions", d) ? n - 1 - i : i,
                          error);
      if (!slice)
        return FALSE;
      g_ptr_array_add (slices, slice);
      steps->variables[n_states + d] = slice;
    }
  if (!step (steps, use, error))
    return FALSE;
  for (guint s = 0; s < n_states; s++)
    steps->variables[s] = steps->heads[s];
  return TRUE;
}

static void
turn (GPtrArray *rows)
{
  for (guint i = 0; i < rows->len / 2; i++)
    {
      gpointer row = rows->pdata[i];

      rows->pdata[i] = rows->pdata[rows->len - 1 - i];
      rows->pdata[rows->len - 1 - i] = row;
    }
}

/* The rows of an output, in its direction and along its axis. */
static HybTensor *
stack_scan (Steps *steps, const Use *use, guint n_states, guint output, GError **error)
{
  guint      r = output - n_states;
  GPtrArray *rows = steps->rows[r];
  int        rank = rows->len > 0 ? hyb_tensor_get_type (rows->pdata[0])->shape.rank : 0;
  gint64     axis = listed (use, "scan_output_axes", r);

  axis += axis < 0 ? rank + 1 : 0;
  if (axis < 0 || axis > rank)
    {
      refuse (error, "its rows have no such axis");
      return NULL;
    }
  if (listed (use, "scan_output_directions", r))
    turn (rows);
  return stack (use, rows, (int) axis, output, error);
}

gboolean
hyb_onnx_compute_scan (HybCall          *call,
                       const HybRun     *run,
                       HybTensor *const *inputs,
                       HybTensor       **outputs,
                       GError          **error)
{
  Use    use = { call, call->params, run, inputs };
  guint  n_states = hyb_onnx_scan_n_states (use.use, 0);
  gint64 axis, n;
  g_auto (Steps) steps = { 0 };

  if (!steps_init (&steps, &use, 0, n_states, error))
    return FALSE;
  if (use.use->n_slots <= n_states || steps.n_variables < use.use->n_slots ||
      steps.n_heads < call->n_outputs)
    return refuse (error, "its body does not fit its inputs and outputs");
  for (guint s = 0; s < use.use->n_slots; s++)
    if (!input (&use, s))
      return refuse (error, "an input is left out");
  if (!find_axis (&use, 0, n_states, &axis, error))
    return FALSE;
  for (guint s = 0; s < n_states; s++)
    steps.variables[s] = input (&use, s);
  n = hyb_tensor_get_type (input (&use, n_states))->shape.dim[axis];
  for (gint64 i = 0; i < n; i++)
    if (!run_scan_step (&steps, &use, n_states, i, error))
      return FALSE;
  for (guint i = 0; i < call->n_outputs; i++)
    {
      outputs[i] = i < n_states ? own (&use, steps.variables[i], error)
                                : stack_scan (&steps, &use, n_states, i, error);
      if (!outputs[i])
        return FALSE;
    }
  return TRUE;
}
