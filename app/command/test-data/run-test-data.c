/* run-test-data.c — see run-test-data.h.  Start at scope_run_test_data().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/test-data/run-test-data.h"

#include "app/command/frame/command.h"
#include "app/command/frame/inputs.h"
#include "app/command/frame/json-writer.h"
#include "app/command/open-device.h"
#include "app/command/run/execute.h"
#include "app/command/test-data/test-data.h"

#include "engine/base/one-line.h"

#include <math.h>
#include <stdio.h>

/* The run of one folder. */
typedef struct
{
  const ScopeTestDataRun *run;
  HybGpu                 *gpu;
  ScopeJson              *json; /* NULL: text is printed */
  const char             *folder;
  char                  **names; /* of outputs */
} TestRun;

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

/* Compares output number i; also one that only the model or only the folder has. */
static ScopeTestVerdict
compare_output (const TestRun *test, HybExecutor *executor, const GPtrArray *expected, guint i)
{
  guint n = hyb_executor_n_outputs (executor);

  if (i >= n)
    return (ScopeTestVerdict){ .max_abs = NAN,
                               .reason = g_strdup_printf ("is expected, but the model has %u "
                                                          "output%s",
                                                          n, n == 1 ? "" : "s") };
  if (i >= expected->len)
    return (ScopeTestVerdict){ .max_abs = NAN,
                               .reason = g_strdup_printf ("has nothing to be compared with: the "
                                                          "folder has no output_%u.pb",
                                                          i) };
  return scope_test_data_compare (expected->pdata[i], hyb_executor_get_output (executor, i));
}

/* Compares all outputs of the model and of the folder.  Returns whether they are equal. */
static gboolean
compare_outputs (const TestRun *test, HybExecutor *executor, const GPtrArray *expected)
{
  guint                        n_outputs = hyb_executor_n_outputs (executor), n_equal = 0;
  guint                        n = MAX (expected->len, n_outputs);
  double                       largest = 0;
  g_autofree char             *folder = g_path_get_basename (test->folder);
  g_autofree ScopeTestVerdict *verdicts = g_new0 (ScopeTestVerdict, MAX (n, 1));

  for (guint i = 0; i < n; i++)
    {
      verdicts[i] = compare_output (test, executor, expected, i);
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
      g_autofree char *file = g_strdup_printf ("output_%u.pb", i);

      describe (test, i < n_outputs ? test->names[i] : file, &verdicts[i]);
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
run_folder (const TestRun *test, int *status, GError **error)
{
  HybModel *model = test->run->model;
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
  if (scope_inputs_fill (&inputs, test->run->common, error))
    executor = scope_execute (&(ScopeExecution){ .common = test->run->common,
                                                 .inputs = &inputs,
                                                 .graph = inputs.graph,
                                                 .values = inputs.values,
                                                 .n_values = inputs.n_variables,
                                                 .gpu = test->gpu,
                                                 .time_limit = test->run->time_limit },
                              NULL, error);
  if (executor)
    *status =
        compare_outputs (test, executor, expected) ? SCOPE_EXIT_DONE : SCOPE_EXIT_CHECK_FAILED;
  scope_inputs_clear (&inputs);
  return executor != NULL;
}

int
scope_run_test_data (const ScopeTestDataRun *run, char *const *folders, GError **error)
{
  g_autoptr (HybGpu) gpu = NULL;
  g_autoptr (ScopeJson) json = run->common->json ? scope_json_new () : NULL;
  g_auto (GStrv) names = hyb_graph_dup_output_names (hyb_model_get_graph (run->model));
  int highest = SCOPE_EXIT_DONE;

  if (!scope_open_device (run->common, &gpu, error))
    return SCOPE_EXIT_FAILED;
  if (json)
    scope_json_begin_list (json, "test_data");
  for (guint i = 0; folders[i]; i++)
    {
      TestRun test = { run, gpu, json, folders[i], names };
      int     status;

      if (!run_folder (&test, &status, error))
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
scope_run_all_test_data (const ScopeTestDataRun *run, const char *file, GError **error)
{
  g_auto (GStrv) folders = scope_test_data_list (file, error);

  return folders ? scope_run_test_data (run, folders, error) : SCOPE_EXIT_FAILED;
}
