/* profile.c — hscope profile: measures how long a model and each of its operators take.
 *
 * Clean runs give the time of the model, traced runs how it is spread over nodes.  Start at
 * measure().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/describe/describe-capture.h"
#include "app/command/frame/command.h"
#include "app/command/frame/complete-model.h"
#include "app/command/frame/inputs.h"
#include "app/command/frame/open-model.h"
#include "app/command/frame/progress.h"
#include "app/command/open-device.h"
#include "app/command/recordings/recordings.h"
#include "app/command/targets/original-name.h"

#include "engine/base/one-line.h"
#include "engine/device/gpu.h"
#include "engine/formats/npz.h"
#include "engine/graph/reach.h"
#include "engine/variants/variant.h"
#include "profiler/base/format.h"
#include "profiler/exchange/report-text.h"
#include "profiler/exchange/write-trace.h"
#include "profiler/explain/advise.h"
#include "profiler/machine/machine-store.h"
#include "profiler/machine/measured-machine.h"
#include "profiler/summary/measured-capture.h"
#include "profiler/summary/roofline.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_FORMS_NODES 20000 /* of models whose conversions are tried */

typedef struct
{
  char    *capture, *input, *trace, *csv;
  int      repeat, warmup, traced;
  double   time_limit;
  gboolean counters, backward;

  ScopeBaselineOptions baseline;

  HybGpu *gpu; /* of --device; NULL: the processor */
} ProfileOptions;

/* The peak rates of the processor.  From here on, kernels choose by these measurements. */
static void
describe_peaks (ProfFacts *facts)
{
  ProfPeaks peaks;

  prof_machine_use_measured (NULL);
  peaks = prof_roofline_measure (facts);
  prof_facts_set_number (facts, "peak.flops", peaks.flops);
  prof_facts_set_number (facts, "peak.bytes", peaks.bytes);
  prof_facts_set (facts, PROF_PEAKS_KEY, peaks.disturbed);
}

/* The peak rates of the GPU by its clocks. */
static void
describe_gpu_peaks (ProfFacts *facts, HybGpu *gpu)
{
  g_autoptr (HybGpuFacts) of_gpu = hyb_gpu_dup_facts (gpu);

  if (!isfinite (of_gpu->peak_flops) || !isfinite (of_gpu->peak_bytes))
    return;
  prof_facts_set_number (facts, "peak.flops", of_gpu->peak_flops);
  prof_facts_set_number (facts, "peak.bytes", of_gpu->peak_bytes);
}

/* Conditions of the measurement that are set by the command. */
static ProfFacts *
describe_conditions (const ScopeCommonOptions *common,
                     HybModel                 *model,
                     HybGpu                   *gpu,
                     const char               *file)
{
  ProfFacts       *facts = prof_facts_new ();
  g_autofree char *parameters = scope_original_name_dup (hyb_model_get_weights_file (model));

  prof_facts_set (facts, "program", "hscope " SCOPE_VERSION);
  scope_describe_origin (facts, file);
  prof_facts_set (facts, "parameters", parameters);
  prof_facts_set_number (facts, "seed", (double) common->seed);
  prof_machine_describe (facts);
  if (gpu)
    describe_gpu_peaks (facts, gpu);
  else
    describe_peaks (facts);
  return facts;
}

/* Stores the forms that the model can be converted to, which advice may then name. */
static void
describe_forms (ProfFacts *facts, HybModel *model, HybTensorList *input)
{
  HybConvertOptions options = { .input = input };
  g_autoptr (GString) names = g_string_new (NULL);
  g_autoptr (GArray) list = NULL;

  if (hyb_graph_n_nodes (hyb_model_get_graph (model)) > MAX_FORMS_NODES)
    return;
  list = hyb_variant_list (model, &options);
  for (guint i = 0; i < list->len; i++)
    {
      const HybPossibility *entry = &g_array_index (list, HybPossibility, i);

      if (entry->is_possible && !entry->is_same)
        g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "",
                                hyb_form_name (entry->form));
      g_free (entry->reason);
    }
  prof_facts_set (facts, PROF_FORMS_KEY, names->str);
}

static ProfSubject *
make_subject (const ScopeCommonOptions *common,
              const ProfileOptions     *options,
              const ScopeInputs        *inputs,
              const char               *name,
              GError                  **error)
{
  ProfSubjectOptions subject_options = {
    .name = name,
    .mode = scope_common_options_get_mode (common),
    .training = common->train || options->backward,
    .backward = options->backward,
    .fold_parameters = common->fold_parameters,
    .constants = scope_inputs_get_constants (inputs, common, options->backward),
    .without = (const char *const *) common->without,
    .dump_after = common->dump_after,
    .seed = (guint64) common->seed,
    .gpu = options->gpu,
  };

  return prof_subject_new (inputs->graph, inputs->values, &subject_options, error);
}

/* Parameters that the graph itself writes in inference. */
static void
note_written (const ProfSubject *subject)
{
  HybGraph          *graph = prof_subject_get_graph (subject);
  g_autofree guint8 *written = hyb_graph_find_written (graph, FALSE);
  guint              n, n_written = 0;
  const HybNodeId   *variables = hyb_graph_get_variables (graph, &n);
  const char        *first = NULL;

  for (guint i = 0; i < n; i++)
    if (written[variables[i]] && prof_subject_is_parameter (subject, i))
      {
        first = first ? first : hyb_graph_get_node (graph, variables[i])->name;
        n_written++;
      }
  if (n_written > 0)
    scope_print_message (HYB_SEVERITY_NOTE,
                         "the model writes %u of its parameters, such as “%s”: values that depend "
                         "on them are computed in every run",
                         n_written, hyb_one_line (first));
}

/* Prints to stderr the nodes that a plan with --fold-parameters does not fold, and why; nothing without
 * the option. */
static void
note_folding (const ProfSubject *subject)
{
  if (!prof_subject_get_options (subject)->fold_parameters)
    return;
  if (prof_subject_may_fold (subject))
    note_written (subject);
  else
    scope_print_message (HYB_SEVERITY_NOTE, "--fold-parameters changes nothing: %s",
                         hyb_executor_get_plan (prof_subject_get_executor (subject))
                             ? "shapes are known only at run time, or the pass keep-panels is left "
                               "out"
                             : "there is no plan");
}

/* Measures the subject; if it is cancelled, the capture has the samples so far. */
static ProfCapture *
measure (const ScopeCommonOptions *common,
         const ProfileOptions     *options,
         ProfSubject              *subject,
         ProfFacts                *facts,
         GError                  **error)
{
  ScopeProgress      progress;
  ProfMeasureOptions measure_options = {
    .warmup = options->warmup,
    .repeat = (guint) options->repeat,
    .rebuild = TRUE,
    .traced = (guint) options->traced,
    .counters = options->counters,
    .seconds = options->time_limit,
    .cancellable = scope_cancel_on_signal (),
    .progress = scope_progress_update,
    .data = &progress,
  };
  ProfTicks    before = prof_machine_ticks (), after;
  ProfSeries   series;
  ProfCapture *capture = NULL;

  scope_progress_init (&progress, common);
  prof_series_init (&series);
  if (prof_measure (&subject, 1, &series, &measure_options, error))
    {
      after = prof_machine_ticks ();
      prof_facts_set_number (facts, "system.stolen", prof_machine_stolen (&before, &after));
      capture = prof_capture_measurement (subject, &series, facts, error);
    }
  scope_progress_finish (&progress, series.stop == PROF_STOP_CANCELLED ? "cancelled" : "measured",
                         options->capture);
  prof_series_clear (&series);
  return capture;
}

/* Records in the capture that the parameters were not the model's. */
static void
note_completion (ProfFacts *facts, const ScopeCompletion *completion)
{
  if (completion->n_filled > 0)
    prof_facts_set_number (facts, "model.filled", completion->n_filled);
}

static gboolean
write_files (const ProfileOptions *options, const ProfCapture *capture, GError **error)
{
  return (!options->capture || prof_capture_write (capture, options->capture, error)) &&
         (!options->trace || prof_write_chrome (capture, options->trace, error)) &&
         (!options->csv || prof_write_csv (capture, options->csv, error));
}

/* recordings has the comparison of capture with the baseline, if there is one. */
static void
print_result (HybModel              *model,
              const ScopeCompletion *completion,
              const ProfileOptions  *options,
              const ProfCapture     *capture,
              const ScopeRecordings *recordings)
{
  g_autoptr (ProfSummary) summary = prof_summary_new (capture);

  if (completion->common.json)
    {
      g_autoptr (ScopeJson) json = scope_json_new ();

      scope_json_string (json, "capture", options->capture);
      scope_describe_capture (json, capture, summary);
      scope_describe_completion (json, model, completion);
      if (scope_recordings_have_baseline (recordings))
        scope_recordings_describe (json, recordings);
      scope_json_print (json);
    }
  else
    {
      g_autofree char *text = prof_report_text (capture, summary);

      fputs (text, stdout);
      scope_recordings_print (recordings);
    }
}

static int
run_profile (const ScopeCommonOptions *common, gpointer data, char **files, GError **error)
{
  ProfileOptions *options = data;
  g_autoptr (HybGpu) gpu = NULL;
  g_autoptr (HybModel) model = NULL;
  g_autoptr (HybTensorList) given = NULL;
  g_autoptr (ProfFacts) facts = NULL;
  g_autoptr (ProfSubject) subject = NULL;
  g_autoptr (ProfCapture) capture = NULL;
  g_autoptr (ScopeRecordings) recordings = NULL;
  g_autofree char   *name = g_path_get_basename (files[0]);
  ScopeInputs        inputs = { 0 };
  ScopeCommonOptions filled;
  g_auto (ScopeCompletion) completion = { 0 };

  if (!scope_check_folding (common, options->backward, error) ||
      !scope_open_traced_device (common, &gpu, error) ||
      !(recordings = scope_recordings_new (&options->baseline, common, NULL, error)) ||
      !(model = scope_open_model (common, files, error)))
    return SCOPE_EXIT_FAILED;
  if (options->input && !(given = hyb_npz_read_file (options->input, error)))
    return SCOPE_EXIT_FAILED;

  options->gpu = gpu;
  facts = describe_conditions (common, model, gpu, files[0]);
  if (!scope_complete_model (&completion, common, model,
                             &(ScopeCompletionOptions){ given, .fills = TRUE }, error))
    return SCOPE_EXIT_FAILED;
  note_completion (facts, &completion);
  filled = completion.common;
  describe_forms (facts, model, given);
  scope_common_options_set_default_init (&filled, model);
  inputs.model = model;
  inputs.given = given;
  inputs.needs_labels = options->backward;
  if (scope_inputs_fill (&inputs, &filled, error))
    subject = make_subject (common, options, &inputs, name, error);
  if (subject)
    note_folding (subject);
  if (subject)
    capture = measure (common, options, subject, facts, error);
  scope_inputs_clear (&inputs);
  if (!capture || !write_files (options, capture, error) ||
      (scope_recordings_have_baseline (recordings) &&
       (!scope_recordings_add (recordings, capture, files[0], error) ||
        !scope_recordings_write (recordings, &options->baseline, error))))
    return SCOPE_EXIT_FAILED;
  print_result (model, &completion, options, capture, recordings);
  return scope_recordings_exit (recordings);
}

static const GOptionEntry profile_options[] = {
  { SCOPE_OPTION (ProfileOptions, FILENAME, "capture", capture),
    "Write the measurement to a capture", "FILE.hscope" },
  { "input", 'i', 0, G_OPTION_ARG_FILENAME, SCOPE_OPTION_FIELD (ProfileOptions, input),
    "Input arrays, by variable name", "IN.npz" },
  { SCOPE_OPTION (ProfileOptions, INT, "repeat", repeat),
    "Number of clean samples (default: until the median is known to 1 %)", "N" },
  { SCOPE_OPTION (ProfileOptions, INT, "warmup", warmup),
    "Number of discarded runs (default: until times are steady)", "N" },
  { SCOPE_OPTION (ProfileOptions, INT, "traced", traced), "Number of traced runs (default: 10)",
    "N" },
  { SCOPE_OPTION (ProfileOptions, DOUBLE, "time-limit", time_limit),
    "Time limit for the whole measurement (default: 60)", "SECONDS" },
  { SCOPE_OPTION (ProfileOptions, NONE, "backward", backward),
    "Measure forward and backward passes in training mode", NULL },
  { SCOPE_OPTION (ProfileOptions, NONE, "counters", counters),
    "Also count cycles, instructions and cache misses, if the machine allows it", NULL },
  { SCOPE_OPTION (ProfileOptions, FILENAME, "trace", trace),
    "Write the traced runs as a Chrome trace, for Perfetto", "FILE.json" },
  { SCOPE_OPTION (ProfileOptions, FILENAME, "csv", csv), "Write the table of nodes as CSV",
    "FILE.csv" },
  SCOPE_BASELINE_OPTIONS (ProfileOptions, baseline),
  { 0 },
};

static const char *const examples[] = {
  "hscope profile gallery:lstm-hybrid --repeat 5",
  "hscope profile gallery:lenet --backward --repeat 5 --capture lenet.hscope --trace lenet.json",
  NULL,
};

static const ScopeRange ranges[] = {
  { "repeat", 1, 100000, 0 },
  { "warmup", 0, 100000, -1 },
  { "traced", 1, 10000, 10 },
  { 0 },
};

static const ScopeOutput outputs[] = {
  { "capture", ".hscope" }, { "trace", ".json" }, { "csv", ".csv" },
  { "markdown", ".md" },    { "junit", ".xml" },  { 0 },
};

const ScopeCommand scope_command_profile = {
  .name = "profile",
  .arguments = "MODEL [PARAMS]",
  .summary = "Measure how long a model and each of its operators take",
  .notes = "Example for a CI, see docs/ci.md:\n"
           "  hscope profile net-symbol.json --baseline base.hscope --fail-if-slower 3% \\\n"
           "    --junit out.xml --markdown out.md\n"
           "ends with status 1 if it certainly takes more than 3 % longer than the baseline.\n",
  .n_files = { 1, 2 },
  .option_groups = SCOPE_OPTIONS_MODEL | SCOPE_OPTIONS_TYPES | SCOPE_OPTIONS_RUN |
                   SCOPE_OPTIONS_TARGET | SCOPE_OPTIONS_FOLD,
  .examples = examples,
  .outputs = outputs,
  .options = profile_options,
  .options_size = sizeof (ProfileOptions),
  .ranges = ranges,
  .dup_cache_file = prof_machine_store_dup_path,
  .run = run_profile,
};
