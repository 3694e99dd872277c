/* selftest.c — hscope selftest: does a GPU compute what the processor computes?
 *
 * Models of the gallery run forward and backward on both, with the same numbers.  Start at
 * run_selftest().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/command.h"
#include "app/command/inputs.h"
#include "app/command/json-writer.h"
#include "app/command/open-model.h"

#include "engine/block/plugin.h"
#include "profiler/record/subject.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TOLERANCE 1e-4 /* of the largest number of an array */
#define RUNS      5    /* in each mode; their bytes must be the same */

typedef struct
{
  char   **models;
  gboolean quick;
} SelftestOptions;

/* One model in one mode. */
typedef struct
{
  const char *mode;
  char       *work;    /* which steps the GPU computed */
  char       *failure; /* NULL: it passed */
  guint       n_arrays;
  double      error; /* the largest, as a part of the largest number of its array */
} Row;

typedef struct
{
  const ScopeCommonOptions *common;
  HybGpu                   *gpu;
  ScopeJson                *json; /* NULL: text */
  guint                     n_failed;
} Selftest;

static const struct
{
  HybMode     mode;
  const char *name;
} modes[] = {
  { HYB_MODE_STATIC, "static" },
  { HYB_MODE_HYBRID, "hybrid" },
  { HYB_MODE_IMPERATIVE, "imperative" },
};

static const char *const quick_models[] = {
  "mlp", "lenet?batch=2", "lstm-unrolled?length=3&batch=2", "foreach-rnn?length=3&batch=2", NULL,
};

static void
row_clear (Row *row)
{
  g_free (row->work);
  g_free (row->failure);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Row, row_clear)

/* --- Comparing --- */

/* The largest difference as a part of the largest number; infinite if one is not a number where the
 * other is. */
static double
relative_error (const HybTensor *a, const HybTensor *b)
{
  double most = 0, difference = 0;

  for (gint64 i = 0; i < hyb_tensor_get_size (a); i++)
    {
      double x = hyb_tensor_get_value (a, i), y = hyb_tensor_get_value (b, i);

      if (x == y || (isnan (x) && isnan (y)))
        continue;
      if (!isfinite (x) || !isfinite (y))
        return INFINITY;
      difference = MAX (difference, fabs (x - y));
      most = MAX (most, fabs (x));
    }
  return difference > 0 ? difference / MAX (most, 1e-6) : 0;
}

static char *
describe_output (const ProfSubject *subject, guint index)
{
  const char *gradient = prof_subject_get_gradient_name (subject, index);

  return gradient ? g_strdup_printf ("the gradient of “%s”", gradient)
                  : g_strdup_printf ("output %u", index);
}

static void
compare_arrays (ProfSubject *wanted, ProfSubject *got, Row *row)
{
  row->n_arrays = prof_subject_n_outputs (wanted);
  for (guint i = 0; i < row->n_arrays; i++)
    {
      double error =
          relative_error (prof_subject_get_output (wanted, i), prof_subject_get_output (got, i));

      row->error = MAX (row->error, error);
      if (error > TOLERANCE && !row->failure)
        {
          g_autofree char *name = describe_output (wanted, i);

          row->failure = g_strdup_printf ("%s differs by %.3g of its largest number", name, error);
        }
    }
}

/* The bytes of all outputs, for runs that must repeat each other. */
static char *
sum_of_bytes (ProfSubject *subject)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);

  for (guint i = 0; i < prof_subject_n_outputs (subject); i++)
    {
      HybTensor *tensor = prof_subject_get_output (subject, i);

      g_checksum_update (sum, hyb_tensor_get_data (tensor), (gssize) hyb_tensor_get_bytes (tensor));
    }
  return g_strdup (g_checksum_get_string (sum));
}

/* --- Running --- */

static ProfSubject *
run_subject (const Selftest    *self,
             const ScopeInputs *inputs,
             HybGpu            *gpu,
             HybMode            mode,
             GError           **error)
{
  ProfSubjectOptions options = { .mode = mode,
                                 .training = TRUE,
                                 .backward = TRUE,
                                 .seed = (guint64) self->common->seed,
                                 .gpu = gpu };
  g_autoptr (ProfSubject) subject =
      prof_subject_new (inputs->graph, inputs->values, &options, error);

  return subject && prof_subject_run (subject, NULL, error) ? g_steal_pointer (&subject) : NULL;
}

/* Runs again with the same seed: the bytes must be the same, and no memory may be lost. */
static void
repeat (const Selftest *self, ProfSubject *subject, Row *row)
{
  g_autofree char *first = sum_of_bytes (subject);
  guint64          unused = 0;

  for (guint i = 0; i < RUNS && !row->failure; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (HybGpuFacts) facts = NULL;
      g_autofree char *sum = NULL;

      hyb_executor_set_seed (prof_subject_get_executor (subject), (guint64) self->common->seed);
      if (!prof_subject_run (subject, NULL, &error))
        {
          row->failure = g_strdup (error->message);
          return;
        }
      sum = sum_of_bytes (subject);
      if (strcmp (sum, first) != 0)
        row->failure = g_strdup_printf ("run %u gave other bytes than the first", i + 2);
      facts = hyb_gpu_dup_facts (self->gpu);
      if (i > 0 && facts->unused < unused && !row->failure)
        row->failure = g_strdup ("every run takes more memory of the GPU");
      unused = facts->unused;
    }
}

static void
test_mode (const Selftest *self, const ScopeInputs *inputs, guint mode, Row *row)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ProfSubject) wanted = run_subject (self, inputs, NULL, modes[mode].mode, &error);
  g_autoptr (ProfSubject) got = NULL;

  if (wanted)
    got = run_subject (self, inputs, self->gpu, modes[mode].mode, &error);
  if (!got)
    {
      row->failure = g_strdup (error->message);
      return;
    }
  row->work = hyb_executor_dup_device_work (prof_subject_get_executor (got));
  compare_arrays (wanted, got, row);
  repeat (self, got, row);
}

/* --- Printing --- */

static void
print_row (Selftest *self, const char *model, const Row *row)
{
  self->n_failed += row->failure != NULL;
  if (!self->json)
    {
      printf ("%-32s %-11s ", model, row->mode);
      if (row->failure)
        printf ("FAILED: %s. ", row->failure);
      else
        printf ("%u arrays agree to %.1e. ", row->n_arrays, row->error);
      printf ("%s\n", row->work ? row->work : "");
      fflush (stdout);
      return;
    }
  scope_json_begin_object (self->json, NULL);
  scope_json_string (self->json, "model", model);
  scope_json_string (self->json, "mode", row->mode);
  scope_json_boolean (self->json, "passed", !row->failure);
  scope_json_string (self->json, "failure", row->failure);
  scope_json_int (self->json, "arrays", row->n_arrays);
  scope_json_double (self->json, "error", row->error);
  scope_json_string (self->json, "work", row->work);
  scope_json_end (self->json);
}

/* FALSE and an error if the model cannot be opened, which is no failure of the GPU. */
static gboolean
test_model (Selftest *self, const char *name, GError **error)
{
  g_autofree char   *path = g_strconcat ("gallery:", name, NULL);
  char              *files[] = { path, NULL };
  ScopeCommonOptions common = *self->common;
  ScopeInputs        inputs = { .needs_labels = TRUE };
  g_autoptr (HybModel) model = scope_open_model (&common, files, error);
  gboolean filled;

  if (!model)
    return FALSE;
  scope_common_options_set_default_init (&common, model);
  inputs.model = model;
  filled = scope_inputs_fill (&inputs, &common, error);
  for (guint i = 0; filled && i < G_N_ELEMENTS (modes); i++)
    {
      g_auto (Row) row = { .mode = modes[i].name };

      test_mode (self, &inputs, i, &row);
      print_row (self, name, &row);
    }
  scope_inputs_clear (&inputs);
  return filled;
}

/* The names of the models to be tested.  (transfer full) */
static char **
list_models (const SelftestOptions *options)
{
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
  g_autoptr (GPtrArray) gallery = NULL;

  if (options->models)
    return g_strdupv (options->models);
  if (options->quick)
    return g_strdupv ((char **) quick_models);
  gallery = hyb_gallery_list ();
  for (guint i = 0; i < gallery->len; i++)
    g_strv_builder_add (names, ((const HybModelClass *) gallery->pdata[i])->name);
  return g_strv_builder_end (names);
}

static int
finish (Selftest *self, guint n_models)
{
  if (self->json)
    {
      scope_json_end (self->json);
      scope_json_int (self->json, "models", n_models);
      scope_json_int (self->json, "failed", self->n_failed);
      scope_json_print (self->json);
    }
  else if (self->n_failed > 0)
    printf ("%u of %u tests failed: do not rely on this GPU.\n",
            self->n_failed,
            n_models * (guint) G_N_ELEMENTS (modes));
  else
    printf ("All %u tests passed.\n", n_models * (guint) G_N_ELEMENTS (modes));
  return self->n_failed > 0 ? SCOPE_EXIT_CHECK_FAILED : SCOPE_EXIT_DONE;
}

static int
run_selftest (const ScopeCommonOptions *common, gpointer data, char **files, GError **error)
{
  const SelftestOptions *options = data;
  ScopeCommonOptions     with_device = *common;
  g_auto (GStrv) models = list_models (options);
  g_autoptr (HybGpu) gpu = NULL;
  g_autoptr (ScopeJson) json = NULL;
  g_autofree char *device = NULL;
  Selftest         self;

  if (!common->device)
    with_device.device = (char *) "gpu";
  if (!scope_open_device (&with_device, &gpu, error))
    return SCOPE_EXIT_MODEL;
  if (!gpu)
    {
      g_set_error_literal (error,
                           SCOPE_ERROR,
                           SCOPE_ERROR_USAGE,
                           "the processor is what GPUs are compared with: name a GPU");
      return SCOPE_EXIT_USAGE;
    }
  json = common->json ? scope_json_new () : NULL;
  device = hyb_gpu_describe (gpu);
  self = (Selftest){ .common = &with_device, .gpu = gpu, .json = json };
  if (json)
    {
      scope_json_string (json, "device", device);
      scope_json_begin_list (json, "tests");
    }
  else
    printf ("%s\n", device);
  for (guint i = 0; models[i]; i++)
    if (!test_model (&self, models[i], error))
      return SCOPE_EXIT_MODEL;
  return finish (&self, g_strv_length (models));
}

static const GOptionEntry selftest_options[] = {
  { "quick",
    0,
    0,
    G_OPTION_ARG_NONE,
    SCOPE_OPTION_FIELD (SelftestOptions, quick),
    "Only four small models",
    NULL },
  { "model",
    0,
    0,
    G_OPTION_ARG_STRING_ARRAY,
    SCOPE_OPTION_FIELD (SelftestOptions, models),
    "Only this model of the gallery, with its options (repeatable)",
    "NAME[?option=value&…]" },
  { 0 },
};

static const char *const examples[] = {
  "hscope selftest --device gpu --quick",
  "hscope selftest --model mlp --json",
  NULL,
};

const ScopeCommand scope_command_selftest = {
  .name = "selftest",
  .arguments = "",
  .summary = "Check that a GPU computes what the processor computes, forward and backward",
  .notes =
      "Models of the gallery run in three modes on both, with the same numbers. An array passes if "
      "it\n"
      "differs by at most 0.0001 of its largest number; five more runs must give the same bytes "
      "and\n"
      "take no more memory of the GPU. Operators that the GPU does not compute are not tested.",
  .n_files = { 0, 0 },
  .option_groups = SCOPE_OPTIONS_RUN,
  .examples = examples,
  .options = selftest_options,
  .options_size = sizeof (SelftestOptions),
  .opens_gpus = TRUE,
  .run = run_selftest,
};
