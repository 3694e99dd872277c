/* rnn-form.c — _rnn_form is a layer of RNN whose cells have functions, limits and weights of their own
 * (kernels/recurrent/cell-form.h).
 *
 * Lowering writes it for graphs that only run: it has no gradient.  Its inputs are those of RNN, and with has_peepholes the
 * weights of the LSTM's cell for i, f and o.  Start with form_prepare().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/base/error.h"
#include "engine/op/layer-rules.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"
#include "engine/ops/recurrent/rnn-plan.h"

#include <string.h>

typedef struct
{
  RnnParams rnn; /* first: the rules of RNN read it */
  char     *functions;
  HybFloats alpha, beta;
  double    clip;
  gboolean  couples_input_forget, resets_first, has_peepholes;
} FormParams;

#define RNN_FIELD(member) .name = #member, .offset = G_STRUCT_OFFSET (FormParams, rnn.member)

static const char *const modes[] = { "rnn_relu", "rnn_tanh", "lstm", "gru", NULL };

static const HybParam form_params[] = {
  { RNN_FIELD (state_size), HYB_PARAM_INT, NULL, .low = 1, .high = G_MAXINT32,
    .doc = "hidden units per direction" },
  { RNN_FIELD (num_layers), HYB_PARAM_INT, "1", .low = 1, .high = 1, .doc = "one layer" },
  { RNN_FIELD (bidirectional), HYB_PARAM_BOOL, "False", .doc = "run in both directions" },
  { RNN_FIELD (mode), HYB_PARAM_ENUM, NULL, .choices = modes, .doc = "kind of cell" },
  { RNN_FIELD (state_outputs), HYB_PARAM_BOOL, "False", .doc = "return the final states as well" },
  { RNN_FIELD (projection_size), HYB_PARAM_OPTIONAL_INT, "None", .doc = "no projection" },
  { RNN_FIELD (lstm_state_clip_min), HYB_PARAM_OPTIONAL_FLOAT, "None", .doc = "no limit" },
  { RNN_FIELD (lstm_state_clip_max), HYB_PARAM_OPTIONAL_FLOAT, "None", .doc = "no limit" },
  { RNN_FIELD (use_sequence_length), HYB_PARAM_BOOL, "False",
    .doc = "an input gives the length of each sequence" },
  { HYB_FIELD (FormParams, functions), HYB_PARAM_STRING, NULL,
    .doc = "names of the activation functions with commas between them, for each direction of "
           "gates, of the candidate (GRU, "
           "LSTM) and of the cell (LSTM)" },
  { HYB_FIELD (FormParams, alpha), HYB_PARAM_FLOATS, "()",
    .doc = "the first parameter (alpha) of each function" },
  { HYB_FIELD (FormParams, beta), HYB_PARAM_FLOATS, "()",
    .doc = "the second parameter (beta) of each function" },
  { HYB_FIELD (FormParams, clip), HYB_PARAM_FLOAT, "0", .low = 0, .high = G_MAXDOUBLE,
    .doc = "limits the sums of gates to ±clip; 0: no limit" },
  { HYB_FIELD (FormParams, couples_input_forget), HYB_PARAM_BOOL, "False",
    .doc = "the LSTM’s forget gate is 1 − its input gate" },
  { HYB_FIELD (FormParams, resets_first), HYB_PARAM_BOOL, "False",
    .doc = "the GRU’s reset gate multiplies the state before the product" },
  { HYB_FIELD (FormParams, has_peepholes), HYB_PARAM_BOOL, "False",
    .doc = "an input gives the weights of the LSTM’s cell" },
  { 0 },
};

/* --- Attributes --- */

static void
form_arity (gconstpointer values, guint *n_inputs, guint *n_outputs)
{
  const FormParams *params = values;
  RnnOperands       operands = hyb_rnn_operands (params);

  *n_inputs = operands.n_inputs + (params->has_peepholes ? 1 : 0);
  *n_outputs = operands.n_visible;
}

static guint
functions_of_direction (const FormParams *params)
{
  static const guint n[HYB_RNN_N_MODES] = { 1, 1, 3, 2 };

  return n[params->rnn.mode];
}

static gboolean
refuse (GError **error, const char *what)
{
  return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, NULL, NULL, "%s", what);
}

/* Reads the functions into form (may be NULL). */
static gboolean
read_functions (const FormParams *params, HybCellForm *form, GError **error)
{
  guint each = functions_of_direction (params);
  guint n = params->rnn.bidirectional ? 2 * each : each;
  g_auto (GStrv) names = g_strsplit (params->functions, ",", -1);
  HybCellFunction *function;

  if (g_strv_length (names) != n)
    return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, NULL, NULL,
                         "functions “%s” has %u names, but %s needs %u", params->functions,
                         g_strv_length (names), modes[params->rnn.mode], n);
  if ((params->alpha.n > 0 && params->alpha.n != (int) n) ||
      (params->beta.n > 0 && params->beta.n != (int) n))
    return refuse (error, "alpha and beta need a number for each function, or none");
  for (guint i = 0; i < n; i++)
    {
      const HybCellFunctionKind *kind = hyb_cell_function_find (names[i], strlen (names[i]));

      if (!kind)
        return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, NULL, NULL,
                             "there is no function “%s”", names[i]);
      if (!form)
        continue;
      function = &form->functions[i / each][i % each];
      *function = (HybCellFunction){ .kind = kind,
                                     .alpha = params->alpha.n > 0 ? params->alpha.value[i] : 0,
                                     .beta = params->beta.n > 0 ? params->beta.value[i] : 0 };
    }
  return TRUE;
}

static gboolean
form_check (gconstpointer values, GError **error)
{
  const FormParams *params = values;

  if (params->rnn.projection_size != HYB_NONE || params->rnn.num_layers != 1)
    return refuse (error, "there is one layer without a projection");
  if ((params->couples_input_forget || params->has_peepholes) && params->rnn.mode != HYB_RNN_LSTM)
    return refuse (error, "couples_input_forget and has_peepholes need mode lstm");
  if (params->resets_first && params->rnn.mode != HYB_RNN_GRU)
    return refuse (error, "resets_first needs mode gru");
  return hyb_rnn_check (params, error) && read_functions (params, NULL, error);
}

/* --- Types --- */

static gboolean
form_infer_shape (HybCall *call, GError **error)
{
  const FormParams *params = call->params;
  HybShape          peepholes;

  if (!hyb_rnn_infer_shape (call, error))
    return FALSE;
  if (!params->has_peepholes)
    return TRUE;
  peepholes = hyb_shape_2d (params->rnn.bidirectional ? 2 : 1, 3 * params->rnn.state_size);
  if (hyb_shape_unify (&call->input[call->n_inputs - 1].shape, &peepholes, error))
    return TRUE;
  g_prefix_error (error, "peepholes: ");
  return FALSE;
}

/* --- Running --- */

static gboolean
form_prepare (HybCall *call, GError **error)
{
  const FormParams       *params = call->params;
  g_autofree HybCellForm *form = g_new0 (HybCellForm, 1);

  if (!read_functions (params, form, error))
    return FALSE;
  form->clip = params->clip;
  form->couples_input_forget = params->couples_input_forget;
  form->resets_first = params->resets_first;
  return hyb_rnn_prepare (call, g_steal_pointer (&form), TRUE, error);
}

static void
form_forward (const HybCall *call, const HybRun *run)
{
  const FormParams *params = call->params;

  hyb_rnn_run (call, run, NULL, params->has_peepholes ? run->input[call->n_inputs - 1] : NULL);
}

const HybOp hyb_ops_rnn_form[] = {
  {
      .name = "_rnn_form",
      .doc = "A recurrent layer whose cells have functions, limits and weights that RNN’s do not "
             "have.",
      .category = HYB_CATEGORY_RECURRENT,
      .flags = HYB_OP_INTERNAL,
      .inputs = (const char *[]){ "data", "parameters", "state", "operand", NULL },
      .outputs = (const char *[]){ "output", "state_output", "statecell_output", NULL },
      HYB_PARAMS (form_params, FormParams),
      .arity = form_arity,
      .check = form_check,
      .infer_shape = form_infer_shape,
      .infer_dtype = hyb_rnn_infer_dtype,
      .forward = form_forward,
      .workspace = hyb_rnn_workspace,
      .prepare = form_prepare,
      .release = hyb_rnn_release,
      .note = hyb_rnn_note,
      .cost = hyb_rnn_cost,
  },
  { 0 },
};
