/* run-test-data.c — see run-test-data.h.  Start at scope_run_test_data().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/test-data/run-test-data.h"

#include "app/command/command.h"
#include "app/command/inputs.h"
#include "app/command/json-writer.h"
#include "app/command/open-device.h"
#include "app/command/test-data/test-data.h"

#include "engine/base/one-line.h"
#include "engine/exec/executor.h"

#include <math.h>
#include <stdio.h>

/* The run of one folder. */
typedef struct
{
  const ScopeCommonOptions *common;
  HybGpu                   *gpu;
  ScopeJson                *json; /* NULL: text is printed */
  const char               *folder;
  char                    **names; /* of outputs */
} TestRun;

static HybExecutor *
make_executor (const TestRun *test, const ScopeInputs *inputs, GError **error)
{
  GHashTable        *constants = scope_inputs_get_constants (inputs, test->common, FALSE);
  HybExecutorOptions options = { .mode = scope_common_options_get_mode (test->common),
                                 .training = test->common->train,
                                 .fold_parameters = test->common->fold_parameters || constants,
                                 .same_bytes = !constants,
                                 .seed = (guint64) test->common->seed,
                                 .without = (const char *const *) test->common->without,
                                 .gpu = test->gpu };
  g_autoptr (HybExecutor) executor = hyb_executor_new (inputs->graph, &options);

  for (guint i = 0; i < inputs->n_variables; i++)
    {
      const char *name = hyb_graph_get_node (inputs->graph, inputs->variables[i])->name;

      if (inputs->values[i] && !hyb_executor_bind (executor, name, inputs->values[i], error))
        return NULL;
      if (constants && g_hash_table_contains (constants, name))
        hyb_executor_set_constant (executor, name, TRUE);
    }
  return hyb_executor_prepare (executor, error) && hyb_executor_run (executor, NULL, error) &&
                 hyb_executor_finish (executor, error)
             ? g_steal_pointer (&executor)
             : NULL;
}

static void
describe (const TestRun *test, const char *name, const ScopeTestVerdict *verdict)
{
  if (!test->json)
    {
      if (!verdict->is_equal)
        printf ("  %s %s\n", hyb_one_line (name), verdict->reason);
      return;
    }
  scope_json_begin_object (test->json, NULL);
  scope_json_string (test->json, "name", name);
  scope_json_boolean (test->json, "ok", verdict->is_equal);
  scope_json_double (test->json, "max_abs", verdict->max_abs);
  if (verdict->reason)
    scope_json_string (test->json, "reason", verdict->reason);
  scope_json_end (test->json);
}

/* Compares all outputs for which something is expected.  Returns whether they are equal. */
static gboolean
compare_outputs (const TestRun *test, HybExecutor *executor, const GPtrArray *expected)
{
  guint            n = MIN (expected->len, hyb_executor_n_outputs (executor)), n_equal = 0;
  double           largest = 0;
  g_autofree char *folder = g_path_get_basename (test->folder);
  g_autofree ScopeTestVerdict *verdicts = g_new0 (ScopeTestVerdict, MAX (n, 1));

  for (guint i = 0; i < n; i++)
    {
      verdicts[i] =
          scope_test_data_compare (expected->pdata[i], hyb_executor_get_output (executor, i));
      n_equal += verdicts[i].is_equal;
      largest = isnan (verdicts[i].max_abs) ? largest : MAX (largest, verdicts[i].max_abs);
    }
  if (test->json)
    {
      scope_json_begin_object (test->json, NULL);
      scope_json_string (test->json, "set", folder);
      scope_json_boolean (test->json, "ok", n_equal == n);
      scope_json_begin_list (test->json, "outputs");
    }
  else
    printf ("%s: %s, %u of %u outputs, largest difference %.3g\n", hyb_one_line (folder),
            n_equal == n ? "equal" : "DIFFERS", n_equal, n, largest);
  for (guint i = 0; i < n; i++)
    {
      describe (test, test->names[i], &verdicts[i]);
      scope_test_verdict_clear (&verdicts[i]);
    }
  if (test->json)
    {
      scope_json_end (test->json);
      scope_json_end (test->json);
    }
  return n_equal == n;
}

/* *status: set to the exit status.  FALSE: an error. */
static gboolean
run_folder (const TestRun *test, HybModel *model, int *status, GError **error)
{
  g_autoptr (GPtrArray) expected = NULL;
  g_autoptr (HybTensorList) given = scope_test_data_read (test->folder, model, &expected, error);
  ScopeInputs inputs = { .model = model, .given = given };
  g_autoptr (HybExecutor) executor = NULL;

  *status = SCOPE_EXIT_FILE;
  if (!given)
    return FALSE;
  if (!expected)
    {
      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT,
                   "%s: the folder has no output_0.pb to compare with. Use --output to write what "
                   "the model returns",
                   test->folder);
      return FALSE;
    }
  *status = SCOPE_EXIT_MODEL;
  if (scope_inputs_fill (&inputs, test->common, error))
    executor = make_executor (test, &inputs, error);
  if (executor)
    *status =
        compare_outputs (test, executor, expected) ? SCOPE_EXIT_DONE : SCOPE_EXIT_CHECK_FAILED;
  scope_inputs_clear (&inputs);
  return executor != NULL;
}

int
scope_run_test_data (const ScopeCommonOptions *common,
                     HybModel                 *model,
                     char *const              *folders,
                     GError                  **error)
{
  g_autoptr (HybGpu) gpu = NULL;
  g_autoptr (ScopeJson) json = common->json ? scope_json_new () : NULL;
  g_auto (GStrv) names = hyb_graph_dup_output_names (hyb_model_get_graph (model));
  int highest = SCOPE_EXIT_DONE;

  if (!scope_open_device (common, &gpu, error))
    return SCOPE_EXIT_MODEL;
  if (json)
    scope_json_begin_list (json, "test_data");
  for (guint i = 0; folders[i]; i++)
    {
      TestRun test = { common, gpu, json, folders[i], names };
      int     status;

      if (!run_folder (&test, model, &status, error))
        return status;
      highest = MAX (highest, status);
    }
  if (json)
    {
      scope_json_end (json);
      scope_json_boolean (json, "ok", highest == SCOPE_EXIT_DONE);
      scope_json_print (json);
    }
  return highest;
}

int
scope_run_all_test_data (const ScopeCommonOptions *common,
                         HybModel                 *model,
                         const char               *file,
                         GError                  **error)
{
  g_auto (GStrv) folders = scope_test_data_list (file, error);

  return folders ? scope_run_test_data (common, model, folders, error) : SCOPE_EXIT_FILE;
}
