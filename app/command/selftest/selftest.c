/* selftest.c — hscope selftest: does a GPU compute what the processor computes?
 *
 * Operators are compared one by one, then models of the gallery or of a folder run forward and backward on both, with the
 * same numbers, each in a process of its own (parts.h).  Start at run_selftest().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/frame/command.h"
#include "app/command/frame/json-writer.h"
#include "app/command/frame/terminal.h"
#include "app/command/open-device.h"
#include "app/command/selftest/parts.h"
#include "app/command/selftest/show-results.h"
#include "app/command/selftest/test-models.h"
#include "app/command/selftest/test-operators.h"
#include "app/command/selftest/verdict.h"
#include "app/sandbox/sandbox.h"

#include "engine/base/error.h"
#include "engine/block/plugin.h"

#include <stdio.h>
#include <string.h>

#define QUICK_SECONDS 12  /* for operators; models follow */
#define PART_SECONDS  600 /* for an operator or a model in a process of its own */

typedef struct
{
  char   **models;
  char   **operators;
  char    *goldens; /* a folder of models */
  char    *shard;   /* "3/14" */
  int      part_seconds;
  gboolean quick, in_process, json_lines;
} SelftestOptions;

typedef struct
{
  const SelftestOptions    *options;
  const ScopeCommonOptions *common; /* with the device */
  HybGpu                   *gpu;    /* NULL while children use it */
  char                     *device; /* its kind */
  char                     *verdict_path;
  const char              **names; /* of the operators that it computes */
  HybGpuMath                math;
  ScopeParts                parts;
  ScopeJson                *json; /* the document; NULL: text or lines */
  guint                     n_tests, n_failed;
  guint                     n_models; /* of n_tests: runs of models */
  ScopeOperatorResults     *results;  /* of operators; NULL: not tested */
} Selftest;

#define INDENT 4 /* of continued lines */

static const char *const quick_models[] = {
  "mlp", "lenet?batch=2", "lstm-unrolled?length=3&batch=2", "foreach-rnn?length=3&batch=2", NULL,
};

/* NULL where “all” was said, or nothing. */
static char **
get_chosen (char **names)
{
  return names && g_strv_contains ((const char *const *) names, "all") ? NULL : names;
}

/* Parts in processes of their own take longer to start than --quick has time for, and a sandbox starts no program. */
static gboolean
has_children (const Selftest *self)
{
  return !self->options->quick && !self->options->in_process && scope_sandbox_allows_programs ();
}

/* --- Operators --- */

/* The operators that the GPU computes and no sample reached; of a part of the test, none.  (transfer full) */
static char **
list_missing (const Selftest *self)
{
  g_autoptr (GStrvBuilder) missing = g_strv_builder_new ();

  for (guint i = 0; self->names[i] && !self->options->operators && !self->options->shard; i++)
    if (!g_hash_table_contains (self->results->operators, self->names[i]))
      g_strv_builder_add (missing, self->names[i]);
  return g_strv_builder_end (missing);
}

static void
describe_missing (ScopeJson *json, char **missing)
{
  scope_json_begin_list (json, "not_compared");
  for (guint i = 0; missing[i]; i++)
    scope_json_string (json, NULL, missing[i]);
  scope_json_end (json);
}

static void
print_missing (const ScopeOperatorResults *results, char **missing)
{
  guint            n = g_hash_table_size (results->operators);
  g_autofree char *list = g_strjoinv (", ", missing);

  printf ("%u operators were compared in %u samples, %u of them are wrong.\n", n,
          results->n_samples, scope_operator_results_n_wrong (results));
  if (results->n_left > 0)
    printf ("%u samples were skipped to save time; “hscope selftest” without --quick includes "
            "them.\n",
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

/* Unless they were shown one after the other. */
static void
print_operators (const ScopeOperatorResults *results)
{
  g_autofree const char **names = scope_operator_results_list (results);

  for (guint i = 0; names[i]; i++)
    scope_results_print_operator (names[i], g_hash_table_lookup (results->operators, names[i]));
}

static void
show_operators (Selftest *self)
{
  g_auto (GStrv) missing = list_missing (self);

  if (self->options->json_lines && !has_children (self))
    {
      g_autoptr (ScopeJson) line = scope_json_new_line ();

      scope_results_describe_operators (line, self->results);
      scope_json_print (line);
    }
  if (self->options->json_lines)
    return;
  if (self->json)
    {
      scope_results_describe_operators (self->json, self->results);
      describe_missing (self->json, missing);
      return;
    }
  if (!has_children (self))
    print_operators (self->results);
  print_missing (self->results, missing);
}

/* A child has tested one operator. */
static void
add_operator (const char *op, ScopeOperatorResults *found, double seconds, gpointer data)
{
  Selftest *self = data;

  scope_operator_results_add (self->results, found);
  if (self->options->json_lines)
    {
      g_autoptr (ScopeJson) line = scope_json_new_line ();
      gboolean is_compared = g_hash_table_size (found->operators) > 0;

      scope_json_string (line, "operator", op);
      scope_json_boolean (line, "compared", is_compared);
      scope_json_boolean (line, "passed",
                          is_compared && scope_operator_results_n_wrong (found) == 0);
      scope_json_double (line, "seconds", seconds);
      scope_results_describe_operators (line, found);
      scope_json_print (line);
    }
  else if (!self->json)
    scope_results_print_operator_part (op, found);
}

static gboolean
test_operators (Selftest *self, GError **error)
{
  const SelftestOptions *options = self->options;
  ScopeOperatorTest      test = { .device = self->common->device,
                                  .math = self->math,
                                  .quick = options->quick,
                                  .seconds = options->quick ? QUICK_SECONDS : 0,
                                  .only = get_chosen (options->operators) };

  if (has_children (self))
    {
      self->results = scope_operator_results_new ();
      scope_parts_test_operators (&self->parts, get_chosen (options->operators));
    }
  else
    self->results = scope_test_operators (&test, error);
  if (!self->results)
    return FALSE;
  self->n_tests += g_hash_table_size (self->results->operators);
  self->n_failed += scope_operator_results_n_wrong (self->results);
  show_operators (self);
  return TRUE;
}

/* --- Models --- */

/* seconds: of the process that tested it; 0: it was this one. */
static void
describe_model (ScopeJson *json, const ScopeModelResult *result, double seconds)
{
  scope_results_describe_model (json, result);
  if (seconds > 0)
    scope_json_double (json, "process_seconds", seconds);
}

static void
add_model (const ScopeModelResult *result, double seconds, gpointer data)
{
  Selftest *self = data;

  self->n_tests++;
  self->n_models++;
  self->n_failed += result->failure != NULL;
  if (self->options->json_lines)
    {
      g_autoptr (ScopeJson) line = scope_json_new_line ();

      describe_model (line, result, seconds);
      scope_json_print (line);
    }
  else if (self->json)
    {
      scope_json_begin_object (self->json, NULL);
      describe_model (self->json, result, 0);
      scope_json_end (self->json);
    }
  else
    scope_results_print_model (result);
}

static void
show_model (const ScopeModelResult *result, gpointer data)
{
  add_model (result, 0, data);
}

/* The names of the models to be tested.  NULL and an error: the folder has none.  (transfer full) */
static char **
list_models (const SelftestOptions *options, GError **error)
{
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
  g_autoptr (GPtrArray) gallery = NULL;

  if (get_chosen (options->models))
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
test_models (Selftest *self, GError **error)
{
  ScopeModelTest test = { .common = self->common,
                          .gpu = self->gpu,
                          .quick = self->options->quick,
                          .show = show_model,
                          .data = self };
  g_auto (GStrv) models = list_models (self->options, error);

  if (!models)
    return FALSE;
  if (self->json)
    scope_json_begin_list (self->json, "tests");
  if (has_children (self))
    scope_parts_test_models (&self->parts, models);
  else
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

static void
print_summary (const Selftest *self)
{
  g_autoptr (ScopeJson) line = NULL;

  if (self->json)
    {
      scope_json_int (self->json, "failed", self->n_failed);
      scope_json_print (self->json);
    }
  else if (self->options->json_lines)
    {
      line = scope_json_new_line ();
      scope_json_int (line, "tests", self->n_tests);
      scope_json_int (line, "failed", self->n_failed);
      scope_json_print (line);
    }
  else if (self->n_failed > 0)
    printf ("%u of %u tests failed: do not rely on this GPU.\n", self->n_failed, self->n_tests);
  else if (self->n_tests == 0)
    printf ("Nothing was compared: the processor computes all of it.\n");
  else
    printf ("All %u tests passed.\n", self->n_tests);
}

/* Keeps the results of all tests, unless that would replace a whole test by a quick one. */
static void
keep_verdict (const Selftest *self)
{
  guint n_wrong = scope_operator_results_n_wrong (self->results);
  g_autoptr (ScopeVerdict) old = scope_verdict_read (self->verdict_path);
  g_autoptr (ScopeVerdict) verdict = scope_verdict_new (self->results, !self->options->quick);
  g_autoptr (GError) error = NULL;

  verdict->n_models = self->n_models;
  verdict->n_failed = self->n_failed - n_wrong;
  if (self->results->lost || (old && old->is_full && self->options->quick && self->n_failed == 0))
    return;
  if (!scope_verdict_write (verdict, self->verdict_path, &error))
    scope_print_message (HYB_SEVERITY_WARNING, "the result cannot be kept: %s", error->message);
}

static gboolean
check_operators (char **names, GError **error)
{
  for (guint i = 0; names && names[i]; i++)
    if (!hyb_gpu_computes (names[i]))
      return scope_usage_error (error, "--operator %s: a GPU computes no operator of this name",
                                names[i]);
  return TRUE;
}

/* Reads "3/14" as the shard 2 of 14. */
static gboolean
read_shard (const char *text, ScopeParts *parts, GError **error)
{
  g_auto (GStrv) numbers = g_strsplit (text, "/", 2);
  guint64 shard = 0, n = 0;

  if (numbers[0] && numbers[1] && g_ascii_string_to_unsigned (numbers[1], 10, 1, 1000, &n, NULL) &&
      g_ascii_string_to_unsigned (numbers[0], 10, 1, n, &shard, NULL))
    {
      parts->shard = (guint) shard - 1;
      parts->n_shards = (guint) n;
      return TRUE;
    }
  return scope_usage_error (error,
                            "--shard %s: write it as K/N, with K from 1 to N and N up to 1000",
                            text);
}

static gboolean
check_options (const SelftestOptions *options, ScopeParts *parts, GError **error)
{
  if (options->shard && options->quick)
    return scope_usage_error (error, "--shard divides a whole test: leave out --quick");
  return check_operators (get_chosen (options->operators), error) &&
         (!options->shard || read_shard (options->shard, parts, error));
}

/* Keeps the facts about the GPU for later, and closes it if children open it: a GPU may be one process's at a
 * time. */
static void
begin_tests (Selftest *self)
{
  self->device = hyb_gpu_describe (self->gpu);
  self->verdict_path = scope_verdict_dup_path (self->gpu);
  self->math = hyb_gpu_get_math (self->gpu);
  self->names = hyb_gpu_list_operators (self->gpu);
  if (has_children (self))
    g_clear_pointer (&self->gpu, hyb_gpu_unref);
  if (self->json)
    scope_json_string (self->json, "device", self->device);
  else if (!self->options->json_lines)
    printf ("%s\n", self->device);
  fflush (stdout);
}

static int
run_tests (Selftest *self, GError **error)
{
  const SelftestOptions *options = self->options;
  gboolean               names_models = options->models || options->goldens;

  begin_tests (self);
  if ((options->operators || !names_models) && !test_operators (self, error))
    return SCOPE_EXIT_FAILED;
  if ((names_models || !options->operators) && !test_models (self, error))
    return SCOPE_EXIT_FAILED;
  if (!names_models && !options->operators && !options->shard)
    keep_verdict (self);
  if (self->parts.unread)
    {
      hyb_error_at (error, G_FILE_ERROR, G_FILE_ERROR_INVAL, NULL, NULL, "%s", self->parts.unread);
      return SCOPE_EXIT_FAILED;
    }
  print_summary (self);
  return self->n_failed > 0 ? SCOPE_EXIT_CHECK_FAILED : SCOPE_EXIT_DONE;
}

static void
selftest_clear (Selftest *self)
{
  scope_operator_results_free (self->results);
  g_clear_pointer (&self->gpu, hyb_gpu_unref);
  g_free (self->parts.unread);
  g_free (self->device);
  g_free (self->verdict_path);
  g_free (self->names);
}

static int
run_selftest (const ScopeCommonOptions *common, gpointer data, char **files, GError **error)
{
  const SelftestOptions *options = data;
  ScopeCommonOptions     with_device = *common;
  g_autoptr (ScopeJson) json = common->json && !options->json_lines ? scope_json_new () : NULL;
  Selftest self = { .options = options, .common = &with_device, .json = json };
  int      code;

  if (!common->device)
    with_device.device = (char *) "gpu";
  self.parts = (ScopeParts){ .common = &with_device,
                             .seconds = (guint) options->part_seconds,
                             .n_shards = 1,
                             .show_operator = add_operator,
                             .show_model = add_model,
                             .data = &self };
  /* Without it NVIDIA does not promise that recurrent layers repeat their bytes. */
  g_setenv ("CUBLAS_WORKSPACE_CONFIG", ":4096:8", FALSE);
  if (!scope_open_whole_device (&with_device, &self.gpu, error))
    return SCOPE_EXIT_FAILED;
  if (!self.gpu)
    {
      scope_usage_error (error, "GPUs are compared with the processor: name a GPU");
      return SCOPE_EXIT_FAILED;
    }
  code = check_options (options, &self.parts, error) ? run_tests (&self, error) : SCOPE_EXIT_FAILED;
  selftest_clear (&self);
  return code;
}

static const GOptionEntry selftest_options[] = {
  { SCOPE_OPTION (SelftestOptions, NONE, "quick", quick),
    "One sample of each operator, for at most 12 seconds, and four small models", NULL },
  { SCOPE_OPTION (SelftestOptions, STRING_ARRAY, "operator", operators),
    "Only this operator (repeatable); all: no models", "NAME" },
  { SCOPE_OPTION (SelftestOptions, STRING_ARRAY, "model", models),
    "Only this model of the gallery, with its options (repeatable); all: no operators",
    "NAME[?option=value&…]" },
  { SCOPE_OPTION (SelftestOptions, FILENAME, "goldens", goldens),
    "Only the models NAME/NAME-symbol.json in this folder, with the inputs in NAME/input.npz",
    "FOLDER" },
  { SCOPE_OPTION (SelftestOptions, STRING, "shard", shard),
    "Only every Nth operator and model, beginning with the Kth, so that N processes share the test",
    "K/N" },
  { SCOPE_OPTION (SelftestOptions, INT, "part-seconds", part_seconds),
    "Seconds that an operator or model may take (default: 600)", "SECONDS" },
  { SCOPE_OPTION (SelftestOptions, NONE, "json-lines", json_lines),
    "Print a line of JSON for each operator and model as soon as it is tested", NULL },
  { "in-process", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_NONE,
    SCOPE_OPTION_FIELD (SelftestOptions, in_process),
    "Test in this process, as the processes of parts do", NULL },
  { 0 },
};

static const ScopeRange ranges[] = {
  { "part-seconds", 1, 86400, PART_SECONDS },
  { 0 },
};

static const char *const examples[] = {
  "hscope selftest --device gpu --quick",
  "hscope selftest --model mlp --json",
  "hscope selftest --operator dot --operator softmax",
  "hscope selftest --json-lines --shard 3/14",
  NULL,
};

const ScopeCommand scope_command_selftest = {
  .name = "selftest",
  .arguments = "",
  .summary = "Check that a GPU gives the processor’s results, forward and backward",
  .notes = "Operators are compared one by one in float32, float64 and float16, with their "
           "gradients: numbers may\n"
           "differ by 0.0001, 1e-9 and 0.004 (recurrent layers by 0.01), above 1 as a part of the "
           "number; random\n"
           "bits must be the same.\n"
           "Models run in three modes on both, with the same numbers. An array passes if it "
           "differs by at most\n"
           "0.0001 of its largest number, or 1e-7 of the largest number of all arrays; more runs, "
           "100 in static mode,\n"
           "must give the same numbers, and take no more memory of the GPU: a note says where "
           "bytes differ. Operators\n"
           "that the GPU does not compute are not tested. Each operator and model has a process of "
           "its own,\n"
           "so that a crash, or an error after which\n"
           "the GPU refuses everything, costs that part only; with --quick all share one process. "
           "Without\n"
           "--operator, --model, --goldens and --shard the result is kept for this chip, driver, "
           "libraries and program:\n"
           "the processor then computes the operators that are wrong. The first run on a GPU does "
           "a part of this.",
  .n_files = { 0, 0 },
  .option_groups = SCOPE_OPTIONS_RUN,
  .unused_options = "mode train init random-values plan-without dump-after",
  .examples = examples,
  .options = selftest_options,
  .options_size = sizeof (SelftestOptions),
  .ranges = ranges,
  .opens_gpus = TRUE,
  .run = run_selftest,
};
