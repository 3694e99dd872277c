/* selftest.c — hscope selftest: does a GPU compute what the processor computes?
 *
 * Operators are compared one by one, then models of the gallery or of a folder run forward and backward on both, with the
 * same numbers.  Start at run_selftest().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/command.h"
#include "app/command/json-writer.h"
#include "app/command/open-device.h"
#include "app/command/selftest/test-models.h"
#include "app/command/selftest/test-operators.h"
#include "app/command/selftest/verdict.h"
#include "app/command/terminal.h"

#include "engine/block/plugin.h"

#include <stdio.h>
#include <string.h>

#define QUICK_SECONDS 12 /* for operators; models follow */

typedef struct
{
  char   **models;
  char   **operators;
  char    *goldens; /* a folder of models */
  gboolean quick;
} SelftestOptions;

typedef struct
{
  const SelftestOptions *options;
  HybGpu                *gpu;
  ScopeJson             *json; /* NULL: text */
  guint                  n_tests, n_failed;
  guint                  n_models; /* of n_tests: runs of models */
  ScopeOperatorResults  *results;  /* of operators; NULL: not tested */
} Selftest;

#define INDENT 4 /* of lines that go on */

static const char *const quick_models[] = {
  "mlp", "lenet?batch=2", "lstm-unrolled?length=3&batch=2", "foreach-rnn?length=3&batch=2", NULL,
};

/* --- Operators --- */

/* "agree exactly", or by how much numbers differ.  (transfer full) */
static char *
describe_agreement (double error)
{
  return error == 0 ? g_strdup ("exactly") : g_strdup_printf ("to %.1e", error);
}

static void
print_operator (const char *op, const ScopeOperatorResult *result)
{
  g_autofree char *agreement = describe_agreement (result->error);
  g_autofree char *line = result->why ? g_strdup_printf ("%-36s FAILED: %s.", op, result->why)
                                      : g_strdup_printf ("%-36s %5u comparison%s %s.",
                                                         op,
                                                         result->n,
                                                         result->n == 1 ? " agrees" : "s agree",
                                                         agreement);

  scope_terminal_print (line, INDENT);
}

static void
describe_operator (ScopeJson *json, const char *op, const ScopeOperatorResult *result)
{
  scope_json_begin_object (json, NULL);
  scope_json_string (json, "name", op);
  scope_json_boolean (json, "passed", !result->why);
  scope_json_string (json, "failure", result->why);
  scope_json_int (json, "comparisons", result->n);
  scope_json_double (json, "error", result->error);
  scope_json_end (json);
}

/* The operators that the GPU computes and no sample reached.  (transfer full) */
static char **
list_missing (HybGpu *gpu, const ScopeOperatorResults *results)
{
  g_autofree const char **names = hyb_gpu_list_operators (gpu);
  g_autoptr (GStrvBuilder) missing = g_strv_builder_new ();

  for (guint i = 0; names[i]; i++)
    if (!g_hash_table_contains (results->operators, names[i]))
      g_strv_builder_add (missing, names[i]);
  return g_strv_builder_end (missing);
}

static void
describe_missing (ScopeJson *json, const ScopeOperatorResults *results, char **missing)
{
  scope_json_end (json);
  scope_json_begin_list (json, "not_compared");
  for (guint i = 0; missing[i]; i++)
    scope_json_string (json, NULL, missing[i]);
  scope_json_end (json);
  scope_json_int (json, "samples", results->n_samples);
  scope_json_int (json, "samples_without_time", results->n_left);
  scope_json_string (json, "lost", results->lost);
}

static void
print_missing (const ScopeOperatorResults *results, char **missing)
{
  guint            n = g_hash_table_size (results->operators);
  g_autofree char *list = g_strjoinv (", ", missing);

  printf ("%u operators were compared in %u samples, %u of them are wrong.\n",
          n,
          results->n_samples,
          scope_operator_results_n_wrong (results));
  if (results->n_left > 0)
    printf ("There was no time for %u samples; “hscope selftest” without --quick takes it.\n",
            results->n_left);
  if (*missing)
    {
      g_autofree char *line = g_strdup_printf ("Not compared: %s.", list);

      scope_terminal_print (line, INDENT);
    }
  if (results->lost)
    {
      g_autofree char *line = g_strdup_printf ("The GPU cannot go on: %s.", results->lost);

      scope_terminal_print (line, INDENT);
    }
}

static void
show_operators (Selftest *self, const ScopeOperatorResults *results)
{
  g_autofree const char **names = scope_operator_results_list (results);
  g_auto (GStrv) missing =
      self->options->operators ? g_new0 (char *, 1) : list_missing (self->gpu, results);

  if (self->json)
    scope_json_begin_list (self->json, "operators");
  for (guint i = 0; names[i]; i++)
    {
      const ScopeOperatorResult *result = g_hash_table_lookup (results->operators, names[i]);

      if (self->json)
        describe_operator (self->json, names[i], result);
      else
        print_operator (names[i], result);
    }
  if (self->json)
    describe_missing (self->json, results, missing);
  else
    print_missing (results, missing);
}

static gboolean
test_operators (Selftest *self, const ScopeCommonOptions *common, GError **error)
{
  ScopeOperatorTest     test = { .device = common->device,
                                 .math = hyb_gpu_get_math (self->gpu),
                                 .quick = self->options->quick,
                                 .seconds = self->options->quick ? QUICK_SECONDS : 0,
                                 .only = self->options->operators };
  ScopeOperatorResults *results = scope_test_operators (&test, error);

  self->results = results;
  if (!results)
    return FALSE;
  self->n_tests += g_hash_table_size (results->operators);
  self->n_failed += scope_operator_results_n_wrong (results);
  show_operators (self, results);
  return TRUE;
}

/* --- Models --- */

static void
describe_model (ScopeJson *json, const ScopeModelResult *result)
{
  scope_json_begin_object (json, NULL);
  scope_json_string (json, "model", result->model);
  scope_json_string (json, "mode", result->mode);
  scope_json_boolean (json, "passed", !result->failure);
  scope_json_string (json, "failure", result->failure);
  scope_json_int (json, "arrays", result->n_arrays);
  scope_json_double (json, "error", result->error);
  scope_json_string (json, "work", result->work);
  scope_json_end (json);
}

static void
print_model (const ScopeModelResult *result)
{
  g_autofree char *agreement = describe_agreement (result->error);
  g_autofree char *verdict =
      result->failure ? g_strdup_printf ("FAILED: %s.", result->failure)
                      : g_strdup_printf ("%u arrays agree %s.", result->n_arrays, agreement);
  g_autofree char *line = g_strdup_printf ("%-32s %-11s %s%s%s",
                                           result->model,
                                           result->mode,
                                           verdict,
                                           result->work ? " " : "",
                                           result->work ? result->work : "");

  scope_terminal_print (line, INDENT);
  fflush (stdout);
}

static void
show_model (const ScopeModelResult *result, gpointer data)
{
  Selftest *self = data;

  self->n_tests++;
  self->n_models++;
  self->n_failed += result->failure != NULL;
  if (self->json)
    {
      describe_model (self->json, result);
      return;
    }
  print_model (result);
}

/* The names of the models to be tested.  NULL and an error: the folder has none.  (transfer full) */
static char **
list_models (const SelftestOptions *options, GError **error)
{
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
  g_autoptr (GPtrArray) gallery = NULL;

  if (options->models)
    return g_strdupv (options->models);
  if (options->goldens)
    return scope_test_models_find (options->goldens, error);
  if (options->quick)
    return g_strdupv ((char **) quick_models);
  gallery = hyb_gallery_list ();
  for (guint i = 0; i < gallery->len; i++)
    g_strv_builder_add (names, ((const HybModelClass *) gallery->pdata[i])->name);
  return g_strv_builder_end (names);
}

static gboolean
test_models (Selftest *self, const ScopeCommonOptions *common, GError **error)
{
  ScopeModelTest test = { .common = common,
                          .gpu = self->gpu,
                          .quick = self->options->quick,
                          .show = show_model,
                          .data = self };
  g_auto (GStrv) models = list_models (self->options, error);

  if (!models)
    return FALSE;
  if (self->json)
    scope_json_begin_list (self->json, "tests");
  for (guint i = 0; models[i]; i++)
    if (!scope_test_model (&test, models[i], error))
      return FALSE;
  if (self->json)
    {
      scope_json_end (self->json);
      scope_json_int (self->json, "models", g_strv_length (models));
    }
  return TRUE;
}

/* --- Both --- */

static int
finish (Selftest *self)
{
  if (self->json)
    {
      scope_json_int (self->json, "failed", self->n_failed);
      scope_json_print (self->json);
    }
  else if (self->n_failed > 0)
    printf ("%u of %u tests failed: do not rely on this GPU.\n", self->n_failed, self->n_tests);
  else
    printf ("All %u tests passed.\n", self->n_tests);
  return self->n_failed > 0 ? SCOPE_EXIT_CHECK_FAILED : SCOPE_EXIT_DONE;
}

/* Keeps what all tests found, unless that would replace a whole test by a quick one. */
static void
keep_verdict (const Selftest *self)
{
  guint            n_wrong = scope_operator_results_n_wrong (self->results);
  g_autofree char *path = scope_verdict_dup_path (self->gpu);
  g_autoptr (ScopeVerdict) old = scope_verdict_read (path);
  g_autoptr (ScopeVerdict) verdict = scope_verdict_new (self->results, !self->options->quick);
  g_autoptr (GError) error = NULL;

  verdict->n_models = self->n_models;
  verdict->n_failed = self->n_failed - n_wrong;
  if (self->results->lost || (old && old->is_full && self->options->quick && self->n_failed == 0))
    return;
  if (!scope_verdict_write (verdict, path, &error))
    scope_print_message (HYB_SEVERITY_WARNING, "the result cannot be kept: %s", error->message);
}

static gboolean
check_operators (char **names, GError **error)
{
  for (guint i = 0; names && names[i]; i++)
    if (!hyb_gpu_computes (names[i]))
      {
        g_set_error (error,
                     SCOPE_ERROR,
                     SCOPE_ERROR_USAGE,
                     "--operator %s: a GPU computes no operator of this name",
                     names[i]);
        return FALSE;
      }
  return TRUE;
}

static int
run_tests (Selftest *self, const ScopeCommonOptions *common, GError **error)
{
  const SelftestOptions *options = self->options;
  gboolean               names_models = options->models || options->goldens;
  g_autofree char       *device = hyb_gpu_describe (self->gpu);

  if (self->json)
    scope_json_string (self->json, "device", device);
  else
    printf ("%s\n", device);
  if ((options->operators || !names_models) && !test_operators (self, common, error))
    return SCOPE_EXIT_MODEL;
  if ((names_models || !options->operators) && !test_models (self, common, error))
    return SCOPE_EXIT_MODEL;
  if (!names_models && !options->operators)
    keep_verdict (self);
  return finish (self);
}

static int
run_selftest (const ScopeCommonOptions *common, gpointer data, char **files, GError **error)
{
  const SelftestOptions *options = data;
  ScopeCommonOptions     with_device = *common;
  g_autoptr (HybGpu) gpu = NULL;
  g_autoptr (ScopeJson) json = NULL;
  Selftest self;
  int      code;

  if (!common->device)
    with_device.device = (char *) "gpu";
  if (!scope_open_whole_device (&with_device, &gpu, error))
    return SCOPE_EXIT_MODEL;
  if (!gpu)
    {
      g_set_error_literal (error,
                           SCOPE_ERROR,
                           SCOPE_ERROR_USAGE,
                           "the processor is what GPUs are compared with: name a GPU");
      return SCOPE_EXIT_USAGE;
    }
  if (!check_operators (options->operators, error))
    return SCOPE_EXIT_USAGE;
  json = common->json ? scope_json_new () : NULL;
  self = (Selftest){ .options = options, .gpu = gpu, .json = json };
  code = run_tests (&self, &with_device, error);
  scope_operator_results_free (self.results);
  return code;
}

static const GOptionEntry selftest_options[] = {
  { "quick",
    0,
    0,
    G_OPTION_ARG_NONE,
    SCOPE_OPTION_FIELD (SelftestOptions, quick),
    "One sample of each operator, for at most 12 seconds, and four small models",
    NULL },
  { "operator",
    0,
    0,
    G_OPTION_ARG_STRING_ARRAY,
    SCOPE_OPTION_FIELD (SelftestOptions, operators),
    "Only this operator (repeatable)",
    "NAME" },
  { "model",
    0,
    0,
    G_OPTION_ARG_STRING_ARRAY,
    SCOPE_OPTION_FIELD (SelftestOptions, models),
    "Only this model of the gallery, with its options (repeatable)",
    "NAME[?option=value&…]" },
  { "goldens",
    0,
    0,
    G_OPTION_ARG_FILENAME,
    SCOPE_OPTION_FIELD (SelftestOptions, goldens),
    "Only the models NAME/NAME-symbol.json in this folder, with the inputs in NAME/input.npz",
    "FOLDER" },
  { 0 },
};

static const char *const examples[] = {
  "hscope selftest --device gpu --quick",
  "hscope selftest --model mlp --json",
  "hscope selftest --operator dot --operator softmax",
  NULL,
};

const ScopeCommand scope_command_selftest = {
  .name = "selftest",
  .arguments = "",
  .summary = "Check that a GPU computes what the processor computes, forward and backward",
  .notes =
      "Operators are compared one by one in float32, float64 and float16, with their "
      "gradients: numbers may\n"
      "differ by 0.0001, 1e-9 and 0.004, above 1 as a part of the number; random bits must be "
      "the same.\n"
      "Models run in three modes on both, with the same numbers. An array passes if it differs "
      "by at most\n"
      "0.0001 of its largest number, or 1e-7 of the largest number of all arrays; more runs, "
      "100 in static mode,\n"
      "must give the same bytes and take no more memory of the GPU. Operators that the GPU "
      "does not compute are\n"
      "not tested. Without --operator, --model and --goldens the result is kept for this chip, "
      "driver, libraries\n"
      "and program: the processor then computes the operators that are wrong. The first run on "
      "a GPU does a\n"
      "part of this.",
  .n_files = { 0, 0 },
  .option_groups = SCOPE_OPTIONS_RUN,
  .unused_options = "mode train init random-values plan-without dump-after",
  .examples = examples,
  .options = selftest_options,
  .options_size = sizeof (SelftestOptions),
  .opens_gpus = TRUE,
  .run = run_selftest,
};
