/* run.c — hscope run: runs a model on arrays from a file.
 *
 * With --backward the graph is extended by gradients, which become further outputs.  Start at
 * run_run().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/describe/describe.h"
#include "app/command/frame/command.h"
#include "app/command/frame/complete-model.h"
#include "app/command/frame/inputs.h"
#include "app/command/frame/open-model.h"
#include "app/command/frame/run-values.h"
#include "app/command/frame/write-arrays.h"
#include "app/command/open-device.h"
#include "app/command/run/execute.h"
#include "app/command/run/tensor-outputs.h"
#include "app/command/test-data/run-test-data.h"
#include "app/command/test-data/test-data.h"

#include "engine/base/error.h"
#include "engine/base/one-line.h"
#include "engine/formats/npz.h"
#include "engine/gradient/backward.h"
#include "engine/imperative/imperative.h"
#include "profiler/record/subject.h"

#include <stdio.h>
#include <string.h>

typedef struct
{
  char    *input, *output;
  char    *head, *gradients, *aux;
  gboolean backward, values, test_data;
  char   **wanted, *wanted_output; /* of --value and --value-output */
  double   time_limit;             /* seconds; 0: no limit */
} RunOptions;

/* One run with its inputs and outputs. */
typedef struct
{
  const ScopeCommonOptions *common;
  const RunOptions         *options;
  ScopeCompletion           completion;
  ScopeInputs               inputs;
  HybGraph                 *graph; /* the model's; with --backward its gradients are more outputs */
  GPtrArray                *values;       /* of HybTensor, by variable of graph */
  GPtrArray                *heads;        /* of HybTensor: the outputs, then the gradients */
  ScopeRunValues           *inner_values; /* of --values and --value; NULL without them */
  char                    **names;        /* of the model's outputs */
  guint                     n_outputs;
  double                    seconds;
  HybGpu                   *gpu;         /* NULL: the processor */
  char                     *device_work; /* the work of the device; NULL without one */
} Run;

static const char *
variable_name (HybGraph *graph, guint index)
{
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  return hyb_graph_get_node (graph, variables[index])->name;
}

/* Runs graph with values (by variable).  outputs: (out) (transfer full).  Auxiliary states that the
 * run has changed replace the elements of values. */
static gboolean
execute (Run *run, HybGraph *graph, GPtrArray *values, GPtrArray **outputs, GError **error)
{
  ScopeExecution execution = {
    .common = run->common,
    .inputs = &run->inputs,
    .graph = graph,
    .values = (HybTensor *const *) values->pdata,
    .n_values = values->len,
    .backward = run->options->backward,
    .gpu = run->gpu,
    .time_limit = run->options->time_limit,
  };
  g_autoptr (HybExecutor) executor = scope_execute (&execution, &run->seconds, error);

  if (!executor)
    return FALSE;
  g_free (run->device_work);
  run->device_work = hyb_executor_dup_device_work (executor);

  *outputs = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
  for (guint i = 0; i < hyb_executor_n_outputs (executor); i++)
    g_ptr_array_add (*outputs, hyb_tensor_ref (hyb_executor_get_output (executor, i)));
  for (guint i = 0; i < values->len; i++)
    {
      HybTensor *now = hyb_executor_get_bound (executor, variable_name (graph, i));

      if (!now || now == values->pdata[i])
        continue;
      hyb_tensor_ref (now);
      g_clear_pointer ((HybTensor **) &values->pdata[i], hyb_tensor_unref);
      values->pdata[i] = now;
    }
  return TRUE;
}

static GPtrArray *
list_values (const ScopeInputs *inputs)
{
  GPtrArray *values = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);

  for (guint i = 0; i < inputs->n_variables; i++)
    g_ptr_array_add (values, inputs->values[i] ? hyb_tensor_ref (inputs->values[i]) : NULL);
  return values;
}

/* The types of the model's outputs; runs the forward pass if they cannot all be inferred. */
static gboolean
find_output_types (Run *run, HybType *types, GError **error)
{
  const HybValueId *heads = hyb_graph_get_heads (run->inputs.graph, &run->n_outputs);
  gboolean          is_known = TRUE;
  g_autoptr (GPtrArray) values = NULL;
  g_autoptr (GPtrArray) outputs = NULL;

  for (guint i = 0; i < run->n_outputs; i++)
    {
      types[i] = run->inputs.types[heads[i]];
      is_known = is_known && hyb_type_is_known (&types[i]);
    }
  if (is_known)
    return TRUE;

  values = list_values (&run->inputs);
  if (!execute (run, run->inputs.graph, values, &outputs, error))
    return FALSE;
  for (guint i = 0; i < run->n_outputs; i++)
    types[i] = *hyb_tensor_get_type (outputs->pdata[i]);
  return TRUE;
}

/* The gradient of output number index: from given by the output's name or position, else ones. */
static HybTensor *
take_head_gradient (Run           *run,
                    HybTensorList *given,
                    guint          index,
                    const HybType *type,
                    GError       **error)
{
  g_autofree char *position = g_strdup_printf ("%u", index);
  HybTensor       *tensor = given ? hyb_tensor_list_find (given, run->names[index]) : NULL;
  g_autofree char *got = NULL, *expected = NULL;

  if (!tensor && given)
    tensor = hyb_tensor_list_find (given, position);
  if (!tensor)
    return prof_new_ones (type, error);
  if (hyb_shape_equal (hyb_tensor_get_shape (tensor), &type->shape))
    return hyb_tensor_convert (tensor, type->dtype);

  got = hyb_shape_to_string (hyb_tensor_get_shape (tensor));
  expected = hyb_shape_to_string (&type->shape);
  hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, run->options->head, NULL,
                "the head gradient of “%s” has shape %s, but the output has shape %s",
                run->names[index], got, expected);
  return NULL;
}

static void
warn_unknown_heads (const Run *run, HybTensorList *given)
{
  for (guint i = 0; given && i < hyb_tensor_list_n (given); i++)
    {
      const char *name = hyb_tensor_list_get (given, i)->name;
      guint64     position = 0;

      if (!g_strv_contains ((const char *const *) run->names, name) &&
          !(g_ascii_string_to_unsigned (name, 10, 0, G_MAXUINT, &position, NULL) &&
            position < run->n_outputs))
        scope_print_message (HYB_SEVERITY_WARNING,
                             "%s: the model has no output “%s”, so this gradient is not used",
                             run->options->head, name);
    }
}

static gboolean
add_head_gradients (Run *run, GError **error)
{
  g_autoptr (HybTensorList) given = NULL;
  g_autofree HybType *types = g_new (HybType, run->n_outputs + 1);

  if (run->options->head && !(given = hyb_npz_read_file (run->options->head, error)))
    return FALSE;
  if (!find_output_types (run, types, error))
    return FALSE;

  warn_unknown_heads (run, given);
  for (guint i = 0; i < run->n_outputs; i++)
    {
      HybTensor *tensor = take_head_gradient (run, given, i, &types[i], error);

      if (!tensor)
        return FALSE;
      g_ptr_array_add (run->values, tensor);
    }
  return TRUE;
}

/* Makes the graph and its values, with gradients if --backward was given. */
static gboolean
prepare (Run *run, GError **error)
{
  HybGraph        *graph = run->inputs.graph;
  guint            n_wrt;
  const HybNodeId *wrt = hyb_graph_get_arguments (graph, &n_wrt);

  run->values = list_values (&run->inputs);
  if (!run->options->backward)
    {
      run->graph = hyb_graph_ref (graph);
      return TRUE;
    }

  run->graph = hyb_graph_with_gradients (graph, n_wrt, wrt, error);
  return run->graph && add_head_gradients (run, error);
}

static gboolean
write_outputs (const Run *run, GError **error)
{
  g_autoptr (HybTensorList) list = hyb_tensor_list_new ();

  if (!run->options->output)
    return TRUE;

  for (guint i = 0; i < run->n_outputs; i++)
    scope_list_output (list, run->names[i], run->heads->pdata[i]);
  return scope_write_arrays (list, run->options->output, error);
}

static gboolean
write_gradients (const Run *run, GError **error)
{
  g_autoptr (HybTensorList) list = hyb_tensor_list_new ();
  guint            n;
  const HybNodeId *arguments = hyb_graph_get_arguments (run->inputs.graph, &n);

  if (!run->options->gradients)
    return TRUE;

  for (guint i = 0; i < n; i++)
    hyb_tensor_list_set (list, hyb_graph_get_node (run->inputs.graph, arguments[i])->name,
                         run->heads->pdata[run->n_outputs + i]);
  return scope_write_arrays (list, run->options->gradients, error);
}

static gboolean
record_values (Run *run, GError **error)
{
  const char *const *wanted = (const char *const *) run->options->wanted;

  if (!run->options->values && !wanted)
    return TRUE;
  run->inner_values = scope_run_values_new (&run->inputs, run->common, wanted, error);
  if (!run->inner_values || !wanted)
    return run->inner_values != NULL;
  return scope_write_arrays (scope_run_values_get_copies (run->inner_values),
                             run->options->wanted_output, error);
}

static gboolean
write_states (const Run *run, GError **error)
{
  g_autoptr (HybTensorList) list = hyb_tensor_list_new ();
  const ScopeInputs *inputs = &run->inputs;

  if (!run->options->aux)
    return TRUE;

  for (guint i = 0; i < inputs->n_variables; i++)
    if (hyb_graph_is_auxiliary (inputs->graph, inputs->variables[i]) && run->values->pdata[i])
      hyb_tensor_list_set (list, variable_name (inputs->graph, i), run->values->pdata[i]);
  return scope_write_arrays (list, run->options->aux, error);
}

static void
print_json (const Run *run)
{
  g_autoptr (ScopeJson) json = scope_json_new ();

  scope_json_begin_list (json, "outputs");
  for (guint i = 0; i < run->n_outputs; i++)
    {
      scope_json_begin_object (json, NULL);
      scope_describe_tensor (json, run->names[i], run->heads->pdata[i], FALSE);
      scope_json_end (json);
    }
  scope_json_end (json);
  scope_json_double (json, "seconds", run->seconds);
  if (run->device_work)
    scope_json_string (json, "device", run->device_work);
  scope_describe_completion (json, run->inputs.model, &run->completion);
  if (run->options->values)
    scope_run_values_write (run->inner_values, json);
  scope_json_print (json);
}

static void
print_text (const Run *run)
{
  for (guint i = 0; i < run->n_outputs; i++)
    {
      HybTensor       *tensor = run->heads->pdata[i];
      g_autofree char *type = hyb_type_to_string (hyb_tensor_get_type (tensor));
      HybStatistics    statistics;

      if (hyb_tensor_get_size (tensor) == 0)
        {
          printf ("%-40s %-24s (empty)\n", hyb_one_line (run->names[i]), type);
          continue;
        }
      hyb_tensor_statistics (tensor, &statistics);
      printf ("%-40s %-24s %.6g … %.6g, mean %.6g", hyb_one_line (run->names[i]), type,
              statistics.minimum, statistics.maximum, statistics.mean);
      if (statistics.n_nan > 0)
        printf (", %" G_GINT64_FORMAT " NaN", statistics.n_nan);
      printf ("\n");
    }
  printf ("%.6f seconds\n", run->seconds);
  if (run->device_work)
    printf ("%s\n", run->device_work);
  if (run->options->values)
    {
      printf (run->device_work ? "\nThe processor computed these values, in a run of its own:\n"
                               : "\n");
      scope_run_values_print (run->inner_values);
    }
}

/* TRUE if an option requests more than a comparison with the outputs in a folder of test data. */
static gboolean
writes (const RunOptions *options)
{
  return options->output || options->backward || options->values || options->wanted || options->aux;
}

static gboolean
check_options (const ScopeCommonOptions *common, const RunOptions *options, GError **error)
{
  if ((options->head || options->gradients) && !options->backward)
    scope_usage_error (error, "--head and --gradients need --backward");
  else if (!options->wanted != !options->wanted_output)
    scope_usage_error (error, "--value and --value-output need each other");
  else if (options->test_data && (options->input || writes (options)))
    scope_usage_error (error, "--test-data compares what the model returns; leave out --input and "
                              "the options that write");
  else if (!(options->time_limit >= 0))
    scope_usage_error (error, "--time-limit %g: the limit must be a positive number of seconds",
                       options->time_limit);
  else
    return TRUE;

  return FALSE;
}

static void
clear_run (Run *run)
{
  g_clear_pointer (&run->graph, hyb_graph_unref);
  g_clear_pointer (&run->values, g_ptr_array_unref);
  g_clear_pointer (&run->heads, g_ptr_array_unref);
  g_clear_pointer (&run->inner_values, scope_run_values_free);
  g_clear_pointer (&run->names, g_strfreev);
  g_clear_pointer (&run->device_work, g_free);
  g_clear_pointer (&run->gpu, hyb_gpu_unref);
  scope_inputs_clear (&run->inputs);
  scope_completion_clear (&run->completion);
}

static int
run_run (const ScopeCommonOptions *common, gpointer data, char **files, GError **error)
{
  const RunOptions *options = data;
  g_autoptr (HybModel) model = NULL;
  g_autoptr (HybTensorList) given = NULL;
  g_autoptr (GPtrArray) expected = NULL;
  ScopeTestDataRun compared;
  Run              run = { .common = common, .options = options };
  gboolean         is_done;

  if (!check_options (common, options, error) ||
      !scope_check_folding (common, options->backward, error) ||
      !(model = scope_open_model (common, files, error)))
    return SCOPE_EXIT_FAILED;
  if (!options->backward)
    scope_keep_tensor_outputs (model);
  compared = (ScopeTestDataRun){ common, model, options->time_limit };
  if (options->test_data)
    return scope_run_all_test_data (&compared, files[0], error);
  if (options->input && !(given = scope_test_data_read (options->input, model, &expected, error)))
    return SCOPE_EXIT_FAILED;
  if (expected && !writes (options))
    return scope_run_test_data (&compared, (char *[]){ options->input, NULL }, error);

  /* Guesses decide nothing while there are no values. */
  if (common->init)
    {
      if (!scope_complete_model (&run.completion, common, model, &(ScopeCompletionOptions){ given },
                                 error))
        {
          scope_completion_clear (&run.completion);
          return SCOPE_EXIT_FAILED;
        }
      run.common = common = &run.completion.common;
    }
  run.names = hyb_graph_dup_output_names (hyb_model_get_graph (model));
  run.n_outputs = g_strv_length (run.names);
  run.inputs = (ScopeInputs){ .model = model, .given = given, .needs_labels = options->backward };
  is_done = scope_open_device (common, &run.gpu, error) &&
            scope_inputs_fill (&run.inputs, common, error) && prepare (&run, error) &&
            execute (&run, run.graph, run.values, &run.heads, error) &&
            write_outputs (&run, error) && write_gradients (&run, error) &&
            write_states (&run, error) && record_values (&run, error);
  if (is_done && common->json)
    print_json (&run);
  else if (is_done)
    print_text (&run);
  clear_run (&run);
  return is_done ? SCOPE_EXIT_DONE : SCOPE_EXIT_FAILED;
}

static const GOptionEntry run_options[] = {
  { "input", 'i', 0, G_OPTION_ARG_FILENAME, SCOPE_OPTION_FIELD (RunOptions, input),
    "Input arrays, by variable name (.npz), a single one (.npy), or a folder of ONNX' test data",
    "IN.npz" },
  { SCOPE_OPTION (RunOptions, NONE, "test-data", test_data),
    "Run on the folders test_data_set_0, … beside the model, and compare with their outputs",
    NULL },
  { "output", 'o', 0, G_OPTION_ARG_FILENAME, SCOPE_OPTION_FIELD (RunOptions, output),
    "Write the outputs, by name (.npz, .params, .safetensors; a single one: .npy, .csv)", "FILE" },
  { SCOPE_OPTION (RunOptions, NONE, "backward", backward),
    "Also compute the gradients of all arguments", NULL },
  { SCOPE_OPTION (RunOptions, NONE, "values", values),
    "Show statistics of every operator's outputs, also inside loops, and the first NaN", NULL },
  { SCOPE_OPTION (RunOptions, STRING_ARRAY, "value", wanted),
    "Write a value as --values names it (repeatable); of a loop the last one, NAME@3 for step 3",
    "NAME" },
  { SCOPE_OPTION (RunOptions, FILENAME, "value-output", wanted_output),
    "File for --value (as --output)", "FILE" },
  { SCOPE_OPTION (RunOptions, FILENAME, "head", head),
    "Gradients of the outputs, by name or position (default: ones)", "HEAD.npz" },
  { SCOPE_OPTION (RunOptions, FILENAME, "gradients", gradients),
    "Write the gradients, by argument name (as --output)", "FILE" },
  { SCOPE_OPTION (RunOptions, FILENAME, "aux", aux),
    "Write the auxiliary states as they are after the run (as --output)", "FILE" },
  { SCOPE_OPTION (RunOptions, DOUBLE, "time-limit", time_limit),
    "Stop a run that takes longer (default: no limit)", "SECONDS" },
  { 0 },
};

static const char *const examples[] = {
  "hscope run gallery:lenet --init uniform --output out.npz",
  "hscope run gallery:lstm-hybrid --init uniform --backward --gradients gradients.npz",
  "hscope run gallery:lenet --init uniform --value hybridsequential0_conv0_fwd --value-output "
  "conv0.npy",
  NULL,
};

static const ScopeOutput outputs[] = {
  { "output", ".npz", SCOPE_ARRAY_ENDINGS },
  { "gradients", ".npz", SCOPE_ARRAY_ENDINGS },
  { "aux", ".npz", SCOPE_ARRAY_ENDINGS },
  { "value-output", ".npz", SCOPE_ARRAY_ENDINGS },
  { 0 },
};

const ScopeCommand scope_command_run = {
  .name = "run",
  .arguments = "MODEL [PARAMS]",
  .summary = "Run a model on arrays from a file, forward or forward and backward",
  .n_files = { 1, 2 },
  .option_groups = SCOPE_OPTIONS_MODEL | SCOPE_OPTIONS_TYPES | SCOPE_OPTIONS_RUN |
                   SCOPE_OPTIONS_EACH | SCOPE_OPTIONS_TARGET | SCOPE_OPTIONS_FOLD,
  .examples = examples,
  .outputs = outputs,
  .options = run_options,
  .options_size = sizeof (RunOptions),
  .run = run_run,
};
