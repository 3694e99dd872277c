/* compare.c — hscope compare: measures several forms of a model side by side.
 *
 * For every batch and length a group of candidates is built (add_file()) and measured.  Then the
 * ladder shows what each of the engine's optimisations saves.  Start at compare_models().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/compare/compare-devices.h"
#include "app/command/compare/compare-ladder.h"
#include "app/command/compare/compare-lists.h"
#include "app/command/compare/compare-memory.h"
#include "app/command/compare/compare-output.h"
#include "app/command/compare/compare-preset.h"
#include "app/command/compare/compare-recordings.h"
#include "app/command/compare/compare-roles.h"
#include "app/command/compare/compare-say.h"
#include "app/command/compare/compare-with.h"
#include "app/command/compare/comparison.h"
#include "app/command/frame/command.h"
#include "app/command/frame/complete-model.h"
#include "app/command/frame/inputs.h"
#include "app/command/frame/open-model.h"
#include "app/command/frame/time-limit.h"
#include "app/command/frame/variants.h"
#include "app/command/targets/original-name.h"

#include "engine/base/error.h"
#include "engine/block/plugin.h"

#include <stdio.h>
#include <string.h>

#define DEFAULT_SECONDS 60.0
#define PRESET_SECONDS  150.0
#define QUICK_SECONDS   40.0

/* --- Names of files, and shapes --- */

/* In "data=T,B,64" replaces T by the length and B by the batch. */
static char **
fill_shapes (char **shapes, gint64 batch, gint64 length)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  for (guint i = 0; shapes && shapes[i]; i++)
    {
      const char *equals = strrchr (shapes[i], '=');
      g_autoptr (GString) text = g_string_new_len (shapes[i], equals ? equals - shapes[i] : 0);

      for (const char *at = equals ? equals : shapes[i]; *at; at++)
        if (equals && *at == 'B' && batch > 0)
          g_string_append_printf (text, "%" G_GINT64_FORMAT, batch);
        else if (equals && *at == 'T' && length > 0)
          g_string_append_printf (text, "%" G_GINT64_FORMAT, length);
        else
          g_string_append_c (text, *at);
      g_strv_builder_add (builder, text->str);
    }
  return g_strv_builder_end (builder);
}

static void
add_option (GString *name, const char *option, gint64 size)
{
  if (size > 0)
    g_string_append_printf (name, "%c%s=%" G_GINT64_FORMAT, strchr (name->str, '?') ? '&' : '?',
                            option, size);
}

/* Gallery models and plug-ins are built for the sizes of a group: adds them to the name. */
static char *
fill_name (const char *file, const ScopeGroup *group)
{
  GString *name = g_string_new (file);

  if (!hyb_is_plugin_name (file))
    return g_string_free (name, FALSE);
  add_option (name, "batch", group->batch);
  add_option (name, "length", group->length);
  add_option (name, "hidden", group->hidden);
  return g_string_free (name, FALSE);
}

/* Only a model that is built can have other units. */
static gboolean
check_hidden (const ScopeComparison *self, GError **error)
{
  for (guint f = 0; self->options->hidden && self->files[f]; f++)
    if (!hyb_is_plugin_name (self->files[f]))
      return scope_usage_error (error,
                                "--hidden: %s is a file, whose layers have their units; name a "
                                "model of the gallery or of a module",
                                self->files[f]);
  return TRUE;
}

/* --- Groups of models --- */

/* A model file of the command line, opened for one group. */
typedef struct
{
  ScopeCommonOptions common; /* --shape with the group's batch and length filled in */
  HybTensorList     *inputs;
  const GArray      *modes; /* of HybMode */
} OpenedFile;

/* A variant of that model. */
typedef struct
{
  HybModel   *model;
  const char *name;
} NamedModel;

/* Adds the variant as a candidate in every mode on every device. */
static gboolean
add_variant (const ScopeComparison *self,
             ScopeGroup            *group,
             const OpenedFile      *file,
             const NamedModel      *variant,
             GError               **error)
{
  ScopeCommonOptions common = file->common;
  ScopeInputs        inputs = { .model = variant->model,
                                .given = file->inputs,
                                .needs_labels = group->backward };
  gboolean           is_done;

  /* The arrays have the shapes already; a conversion may lack an input that --shape names. */
  common.shapes = NULL;
  scope_common_options_set_default_init (&common, variant->model);
  is_done = scope_inputs_fill (&inputs, &common, error);
  for (guint i = 0; is_done && i < file->modes->len * self->devices->len; i++)
    {
      ScopeCandidateSpec spec = {
        .graph = inputs.graph,
        .values = inputs.values,
        .constants = scope_inputs_get_constants (&inputs, &common, group->backward),
        .variant = variant->name,
        .mode = g_array_index (file->modes, HybMode, i / self->devices->len),
        .device = self->devices->pdata[i % self->devices->len],
      };

      is_done = scope_comparison_add_candidate (self, group, &spec, error);
    }
  scope_inputs_clear (&inputs);
  return is_done;
}

static gboolean
add_file (const ScopeComparison *self,
          ScopeGroup            *group,
          const char            *file,
          const GArray          *modes,
          GError               **error)
{
  g_autofree char *name = fill_name (file, group);
  g_auto (GStrv) shapes = fill_shapes (self->common->shapes, group->batch, group->length);
  g_auto (GStrv) variants =
      g_strsplit (self->options->variants ? self->options->variants : "as-is", ",", -1);
  g_autofree char *base = g_path_get_basename (file);
  char            *files[] = { name, NULL, NULL };
  OpenedFile       opened = { .common = *self->common, .modes = modes };
  g_autoptr (HybModel) read = NULL;
  g_autoptr (HybModel) model = NULL;
  g_autoptr (HybTensorList) inputs = NULL;
  ScopeCompleted        *completed = g_new0 (ScopeCompleted, 1);
  ScopeCompletionOptions complete = { NULL, group->batch, group->length, TRUE };

  opened.common.shapes = shapes;
  opened.common.train = opened.common.train || group->backward;
  g_ptr_array_add (self->completed, completed);
  if (!(read = scope_open_model (&opened.common, files, error)))
    return FALSE;
  model = scope_align_inputs (read, ((ScopeCompleted *) self->completed->pdata[0])->model);
  completed->model = hyb_model_ref (model);
  if (!scope_complete_model (&completed->completion, &opened.common, model, &complete, error))
    return FALSE;
  if (completed->completion.n_filled > 0)
    prof_facts_set_number (self->facts, "model.filled", completed->completion.n_filled);
  opened.common.shapes = completed->completion.common.shapes;
  if (!(inputs = scope_variant_inputs (&opened.common, model, error)))
    return FALSE;
  opened.inputs = inputs;
  for (guint i = 0; variants[i]; i++)
    {
      const ScopeVariant *variant = scope_variant_find (g_strstrip (variants[i]), error);
      g_autoptr (HybModel) made =
          variant ? scope_variant_make (variant, model, inputs, group->length, error) : NULL;
      g_autofree char *label =
          self->files[1] ? g_strdup_printf ("%s %s", base, variants[i]) : g_strdup (variants[i]);

      if (!made || !add_variant (self, group, &opened, &(NamedModel){ made, label }, error))
        {
          g_prefix_error (error, "%s as %s: ", file, variants[i]);
          return FALSE;
        }
    }
  return TRUE;
}

static void
completed_free (gpointer data)
{
  ScopeCompleted *completed = data;

  scope_completion_clear (&completed->completion);
  g_clear_pointer (&completed->model, hyb_model_unref);
  g_free (completed);
}

/* --- Measuring --- */

/* Whether the user or the time limit has ended the comparison. */
static gboolean
is_cancelled (const ScopeComparison *self)
{
  return g_cancellable_is_cancelled (self->cancellable);
}

/* The captures that scope_group_write() has written. */
static void
print_captures (const ScopeGroup *group)
{
  for (guint i = 0; i < group->candidates->len; i++)
    {
      const ScopeCandidate *candidate = group->candidates->pdata[i];

      if (candidate->capture && candidate->path)
        scope_print_written (candidate->path);
    }
}

/* Builds, measures and prints one group. */
static gboolean
compare_group (ScopeComparison *self,
               ScopeGroup      *group,
               const GArray    *modes,
               double           seconds,
               GError         **error)
{
  for (guint f = 0; self->files[f]; f++)
    if (!add_file (self, group, self->files[f], modes, error))
      return FALSE;
  if (group->candidates->len == 0)
    return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_UNSUPPORTED, NULL, NULL,
                         "nothing can be measured: %s", (char *) group->left_out->pdata[0]);
  if (!scope_comparison_measure (self, group, seconds, error) ||
      (self->options->captures &&
       !scope_group_write (group, self->options->captures, self->groups->len - 1, error)))
    return FALSE;
  if (!self->common->json)
    {
      scope_group_print (group);
      print_captures (group);
    }
  return TRUE;
}

static gboolean
is_measured (const ScopeComparison *self)
{
  for (guint i = 0; i < self->groups->len; i++)
    if (scope_group_is_measured (self->groups->pdata[i]))
      return TRUE;
  return FALSE;
}

static gboolean
compare_models (ScopeComparison *self, GError **error)
{
  g_autoptr (GArray) batches = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GArray) lengths = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GArray) hidden = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GArray) modes = g_array_new (FALSE, FALSE, sizeof (HybMode));
  g_autofree double *weights = NULL;
  gboolean           has_ladder = !self->options->no_ladder && !self->with;
  guint              n;

  if (!scope_compare_parse_numbers ("batch", self->options->batch, batches, error) ||
      !scope_compare_parse_numbers ("length", self->options->length, lengths, error) ||
      !scope_compare_parse_numbers ("hidden", self->options->hidden, hidden, error) ||
      !check_hidden (self, error) ||
      !scope_compare_parse_modes (self->common, self->options->modes, modes, error))
    return FALSE;
  n = batches->len * lengths->len * hidden->len;
  /* The ladder comes after the first group. */
  weights = g_new (double, n + 1);
  for (guint i = 0; i <= n; i++)
    weights[i] = i != 1 ? 1 : has_ladder ? 0.5 : 0;

  for (guint i = 0; i < n && !is_cancelled (self); i++)
    {
      guint       l = i / hidden->len % lengths->len, b = i / hidden->len / lengths->len;
      ScopeGroup *group =
          scope_group_new (NULL, g_array_index (batches, gint64, b),
                           g_array_index (lengths, gint64, l), self->options->backward);

      group->hidden = g_array_index (hidden, gint64, i % hidden->len);
      g_ptr_array_add (self->groups, group);
      if (!compare_group (self, group, modes,
                          scope_comparison_begin_part (self, weights, i == 0 ? 0 : i + 1, n + 1),
                          error))
        return FALSE;
      if (i == 0)
        scope_comparison_begin_part (self, weights, 1, n + 1);
      if (i == 0 && has_ladder && !is_cancelled (self) &&
          !scope_comparison_measure_ladder (self, group, error))
        return FALSE;
      scope_group_drop_subjects (group);
    }
  return TRUE;
}

/* Compares models; the limit of the user, if there is one, ends everything, a single run included.  What is
 * measured until then is kept. */
static gboolean
compare_in_time (ScopeComparison *self, GError **error)
{
  g_autoptr (ScopeTimeLimit) limit =
      scope_time_limit_new (self->options->time_limit, self->cancellable);
  GCancellable *user = self->cancellable;
  gboolean      is_done;

  if (limit)
    self->cancellable = scope_time_limit_get_cancellable (limit);
  is_done = compare_models (self, error);
  if (is_done && !is_measured (self) && !g_cancellable_is_cancelled (user))
    is_done = hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_UNSUPPORTED, NULL, NULL,
                            "nothing was measured");
  if (!is_done && !g_error_matches (*error, PROF_ERROR, PROF_ERROR_UNEQUAL))
    scope_time_limit_explain (limit, error);
  self->cancellable = user;
  return is_done;
}

static void
comparison_clear (ScopeComparison *self)
{
  prof_explanation_clear (&self->ladder_explanation);
  scope_compared_with_free (self->with);
  scope_compared_roles_free (self->roles);
  g_clear_pointer (&self->ladder, prof_ladder_free);
  g_ptr_array_unref (self->groups);
  g_ptr_array_unref (self->completed);
  g_ptr_array_unref (self->skipped);
  g_ptr_array_unref (self->left_out);
  g_ptr_array_unref (self->devices);
  prof_facts_free (self->facts);
}

static gboolean
check_preset (const ScopeCommonOptions *common, const ScopeCompareOptions *options, GError **error)
{
  if (!options->preset && (options->quick || options->resume))
    return scope_usage_error (error, "--quick and --resume belong to --preset control-flow");
  if (options->preset && strcmp (options->preset, "control-flow") != 0)
    return scope_usage_error (error,
                              "--preset %s: there is no such preset; the only one is control-flow",
                              options->preset);
  if (options->preset &&
      (options->devices || (common->device && strcmp (common->device, "cpu") != 0)))
    return scope_usage_error (error, "--preset measures on the processor: leave out --device and "
                                     "--devices");
  return TRUE;
}

static int
run_models (const ScopeCommonOptions  *common,
            const ScopeCompareOptions *options,
            char                     **files,
            GError                   **error)
{
  ScopeComparison self = {
    .common = common,
    .options = options,
    .files = files,
    .groups = g_ptr_array_new_with_free_func ((GDestroyNotify) scope_group_free),
    .facts = prof_facts_new (),
    .cancellable = scope_cancel_on_signal (),
    .completed = g_ptr_array_new_with_free_func (completed_free),
    .skipped = g_ptr_array_new_with_free_func (g_free),
    .left_out = g_ptr_array_new_with_free_func (g_free),
    .devices = g_ptr_array_new_with_free_func (scope_compared_on_free),
  };
  gboolean is_done;

  if (!check_preset (common, options, error) || !scope_compare_read_with (&self, error) ||
      !scope_compare_open_devices (&self, error))
    {
      comparison_clear (&self);
      return SCOPE_EXIT_FAILED;
    }
  scope_time_budget_init (&self.budget, options->time_limit > 0 ? options->time_limit
                                        : !options->preset      ? DEFAULT_SECONDS
                                        : options->quick        ? QUICK_SECONDS
                                                                : PRESET_SECONDS);
  scope_progress_init (&self.progress, common);
  prof_facts_set (self.facts, "program", "hscope " SCOPE_VERSION);
  scope_describe_origin (self.facts, files[0]);
  prof_machine_describe (self.facts);
  is_done = options->preset ? scope_compare_preset (&self, error)
                            : compare_in_time (&self, error) &&
                                  (!self.with || scope_compare_join_with (&self, error));
  if (is_done && !options->preset)
    scope_compare_join_roles (&self);
  if (is_done && common->json)
    scope_comparison_print_json (&self);
  else if (is_done)
    scope_comparison_print (&self);
  if (is_done && options->report)
    is_done = scope_comparison_write_report (&self, options->report, error);
  comparison_clear (&self);
  return is_done ? SCOPE_EXIT_DONE : SCOPE_EXIT_FAILED;
}

static int
run_compare (const ScopeCommonOptions *common, gpointer data, char **files, GError **error)
{
  const ScopeCompareOptions *options = data;
  gboolean                   is_recordings;

  if (!scope_check_folding (common, options->backward, error) ||
      !scope_compare_find_recordings (common, options, files, &is_recordings, error))
    return SCOPE_EXIT_FAILED;
  return is_recordings     ? scope_compare_recordings (common, options, files, error)
         : options->memory ? scope_compare_memory (common, options, files, error)
                           : run_models (common, options, files, error);
}

/* For the sandbox. */
static gboolean
needs_gpus (gconstpointer options)
{
  const char *devices = ((const ScopeCompareOptions *) options)->devices;

  return devices && strstr (devices, "gpu") != NULL;
}

static const GOptionEntry compare_options[] = {
  { SCOPE_OPTION (ScopeCompareOptions, STRING, "variants", variants),
    "Forms to compare: as-is, unrolled, foreach, while, fused (default: as-is)", "LIST" },
  { SCOPE_OPTION (ScopeCompareOptions, STRING, "modes", modes),
    "Modes to compare: imperative, hybrid, static (default: static)", "LIST" },
  { SCOPE_OPTION (ScopeCompareOptions, STRING, "devices", devices),
    "Devices to compare: cpu, gpu, gpu:N; one that is missing is left out with a message", "LIST" },
  { SCOPE_OPTION (ScopeCompareOptions, STRING, "batch", batch),
    "Batch sizes; B in --shape is replaced by them", "LIST" },
  { SCOPE_OPTION (ScopeCompareOptions, STRING, "length", length),
    "Numbers of time steps; T in --shape is replaced by them", "LIST" },
  { SCOPE_OPTION (ScopeCompareOptions, STRING, "hidden", hidden),
    "Units of the layers, for models of the gallery and of modules", "LIST" },
  { SCOPE_OPTION (ScopeCompareOptions, STRING, "preset", preset),
    "control-flow: every cell and form, batch 1 and 32, inference and training", "NAME" },
  { SCOPE_OPTION (ScopeCompareOptions, NONE, "quick", quick),
    "With --preset: only the LSTM, within 40 seconds", NULL },
  { SCOPE_OPTION (ScopeCompareOptions, FILENAME, "resume", resume),
    "With --preset: keep finished cells in FILE, and continue with those that it holds", "FILE" },
  { SCOPE_OPTION (ScopeCompareOptions, NONE, "backward", backward),
    "Measure forward and backward passes in training mode", NULL },
  { SCOPE_OPTION (ScopeCompareOptions, NONE, "memory", memory),
    "Measure memory instead of time, each in a process of its own; with --backward, of training as "
    "well",
    NULL },
  { SCOPE_OPTION (ScopeCompareOptions, INT, "repeat", repeat),
    "Clean samples per candidate (default: until the verdict is clear)", "N" },
  { SCOPE_OPTION (ScopeCompareOptions, DOUBLE, "time-limit", time_limit),
    "Time limit for the whole comparison (default: 60; with --preset: 150, with --quick: 40)",
    "SECONDS" },
  { SCOPE_OPTION (ScopeCompareOptions, FILENAME, "report", report),
    "Write a report with charts, tables and explanations", "FILE.html|.svg|.pdf" },
  { SCOPE_OPTION (ScopeCompareOptions, FILENAME, "captures", captures),
    "Write a capture of each candidate: PREFIX-NUMBER-VARIANT-MODE.hscope", "PREFIX" },
  { SCOPE_OPTION (ScopeCompareOptions, FILENAME, "with", with),
    "Set the model beside the profile that another program made of it, node by node",
    "PROFILE.json|.sqlite" },
  { SCOPE_OPTION (ScopeCompareOptions, NONE, "no-ladder", no_ladder),
    "Do not measure the engine's optimisations one by one", NULL },
  SCOPE_BASELINE_OPTIONS (ScopeCompareOptions, baseline),
  { 0 },
};

static const char *const examples[] = {
  "hscope compare gallery:lstm-hybrid --variants unrolled,fused --time-limit 5",
  "hscope compare gallery:lstm-hybrid --modes hybrid,static --time-limit 5 --report modes.html",
  "hscope compare gallery:lstm-hybrid --devices cpu,gpu --time-limit 5",
  "hscope compare gallery:lstm-hybrid --variants unrolled,fused --memory --backward",
  "hscope profile gallery:mlp --repeat 5 --trace mlp.json && hscope compare gallery:mlp --with "
  "mlp.json --time-limit 5",
  NULL,
};

static const ScopeOutput outputs[] = {
  { "captures", NULL }, { "report", ".html", ".html .htm .svg .pdf" },
  { "resume", NULL },   { "markdown", ".md" },
  { "junit", ".xml" },  { 0 },
};

static const ScopeChoices compare_choices[] = {
  { "preset", "control-flow" },
  { "variants", "as-is unrolled foreach while fused" },
  { "modes", "imperative hybrid static" },
  { 0 },
};

const ScopeCommand scope_command_compare = {
  .name = "compare",
  .arguments = "MODEL… | OLD.hscope NEW.hscope…",
  .summary =
      "Measure forms of a model side by side and explain the differences; compare recordings",
  .notes =
      "Recordings are made with hscope profile MODEL --capture FILE.  They are compared without "
      "running\nanything; the first one or --baseline is what the others are compared with:\n"
      "  hscope compare monday.hscope tuesday.hscope --fail-if-slower 3%\n",
  .n_files = { 1, 16 },
  .option_groups = SCOPE_OPTIONS_MODEL | SCOPE_OPTIONS_TYPES | SCOPE_OPTIONS_RUN |
                   SCOPE_OPTIONS_TARGET | SCOPE_OPTIONS_FOLD,
  .unused_options = "dump-after",
  .examples = examples,
  .outputs = outputs,
  .options = compare_options,
  .choices = compare_choices,
  .options_size = sizeof (ScopeCompareOptions),
  .needs_gpus = needs_gpus,
  .run = run_compare,
};
