/* compare.c — several forms of a model side by side: hscope compare.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/compare/compare.h"
#include "app/command/command.h"
#include "app/command/inputs.h"
#include "app/command/variants.h"

#include "engine/base/error.h"
#include "engine/block/plugin.h"

#include <string.h>

#define DEFAULT_SECONDS 60.0
#define PRESET_SECONDS  150.0
#define N_TRACED        7
#define N_TRACED_PRESET 3

/* --- Lists --- */

static gboolean
parse_numbers (const char *option, const char *text, GArray *numbers, GError **error)
{
  g_auto (GStrv) words = g_strsplit (text ? text : "0", ",", -1);

  for (guint i = 0; words[i]; i++)
    {
      gint64 number;

      if (!g_ascii_string_to_signed (g_strstrip (words[i]),
                                     10,
                                     text ? 1 : 0,
                                     1 << 24,
                                     &number,
                                     NULL))
        {
          g_set_error (error,
                       SCOPE_ERROR,
                       SCOPE_ERROR_USAGE,
                       "--%s %s: “%s” is no size",
                       option,
                       text,
                       words[i]);
          return FALSE;
        }
      g_array_append_val (numbers, number);
    }
  return TRUE;
}

static gboolean
parse_modes (const ScopeCommon *common, const char *text, GArray *modes, GError **error)
{
  g_auto (GStrv) words = g_strsplit (text ? text : common->mode ? common->mode : "static", ",", -1);

  for (guint i = 0; words[i]; i++)
    {
      HybMode mode = HYB_MODE_IMPERATIVE;

      while (mode <= HYB_MODE_STATIC && strcmp (g_strstrip (words[i]), scope_mode_name (mode)) != 0)
        mode++;
      if (mode > HYB_MODE_STATIC)
        {
          g_set_error (error,
                       SCOPE_ERROR,
                       SCOPE_ERROR_USAGE,
                       "--modes %s: “%s” is none of imperative, hybrid, static",
                       text,
                       words[i]);
          return FALSE;
        }
      g_array_append_val (modes, mode);
    }
  return TRUE;
}

/* “data=T,B,64”: T is the length, B the batch. */
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

/* A model of the gallery is built for a batch and a length. */
static char *
fill_name (const char *file, gint64 batch, gint64 length)
{
  GString *name = g_string_new (file);

  if (!hyb_is_plugin_name (file))
    return g_string_free (name, FALSE);
  if (batch > 0)
    g_string_append_printf (name,
                            "%cbatch=%" G_GINT64_FORMAT,
                            strchr (name->str, '?') ? '&' : '?',
                            batch);
  if (length > 0)
    g_string_append_printf (name,
                            "%clength=%" G_GINT64_FORMAT,
                            strchr (name->str, '?') ? '&' : '?',
                            length);
  return g_string_free (name, FALSE);
}

/* --- Groups of models --- */

ProfSubject *
scope_compare_subject (const ScopeComparison *self,
                       const ScopeGroup      *group,
                       HybGraph              *graph,
                       HybTensor            **values,
                       const char            *variant,
                       HybMode                mode,
                       GError               **error)
{
  g_autofree char   *name = g_strdup_printf ("%s, %s", variant, scope_mode_name (mode));
  ProfSubjectOptions options = {
    .name = name,
    .variant = variant,
    .mode = mode,
    .batch = group->batch,
    .length = group->length,
    .training = self->common->train || group->backward,
    .backward = group->backward,
    .without = (const char *const *) self->common->without,
    .seed = (guint64) self->common->seed,
  };

  return prof_subject_new (graph, values, &options, error);
}

/* One variant of one model in every mode asked for. */
static gboolean
add_variant (const ScopeComparison *self,
             ScopeGroup            *group,
             HybModel              *model,
             HybTensorList         *given,
             const ScopeCommon     *common,
             const char            *name,
             const GArray          *modes,
             GError               **error)
{
  ScopeCommon filled = *common;
  ScopeInputs inputs = { 0 };
  gboolean    is_done;

  scope_choose_init (&filled, model);
  is_done = scope_inputs_fill (&inputs, &filled, model, given, group->backward, error);
  for (guint m = 0; is_done && m < modes->len; m++)
    {
      HybMode      mode = g_array_index (modes, HybMode, m);
      ProfSubject *subject =
          scope_compare_subject (self, group, inputs.graph, inputs.values, name, mode, error);

      is_done = subject != NULL;
      if (subject)
        scope_group_add (group, name, mode, subject);
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
  g_autofree char *name = fill_name (file, group->batch, group->length);
  g_auto (GStrv) shapes = fill_shapes (self->common->shapes, group->batch, group->length);
  g_auto (GStrv) variants =
      g_strsplit (self->options->variants ? self->options->variants : "as-is", ",", -1);
  g_autofree char *base = g_path_get_basename (file);
  ScopeCommon      common = *self->common;
  char            *files[] = { name, NULL, NULL };
  g_autoptr (HybModel) model = NULL;
  g_autoptr (HybTensorList) inputs = NULL;

  common.shapes = shapes;
  common.train = common.train || group->backward;
  if (!(model = scope_open_model (&common, files, error)) ||
      !(inputs = scope_variant_inputs (&common, model, error)))
    return FALSE;
  for (guint i = 0; variants[i]; i++)
    {
      const ScopeVariant *variant = scope_variant_find (g_strstrip (variants[i]), error);
      g_autoptr (HybModel) made =
          variant ? scope_variant_make (variant, model, inputs, group->length, error) : NULL;
      g_autofree char *label =
          self->files[1] ? g_strdup_printf ("%s %s", base, variants[i]) : g_strdup (variants[i]);

      if (!made || !add_variant (self, group, made, inputs, &common, label, modes, error))
        {
          g_prefix_error (error, "%s as %s: ", file, variants[i]);
          return FALSE;
        }
    }
  return TRUE;
}

/* --- Measuring --- */

/* This group's part of the time that is left. */
double
scope_compare_share (const ScopeComparison *self, const double *weights, guint at, guint n)
{
  double left = self->seconds - (double) (g_get_monotonic_time () - self->begin) * 1e-6;
  double all = 0;

  for (guint i = at; i < n; i++)
    all += weights[i];
  return MAX (left, 1) * weights[at] / all;
}

gboolean
scope_compare_measure (ScopeComparison *self, ScopeGroup *group, double seconds, GError **error)
{
  ProfMeasureOptions ways = {
    .warmup = self->options->preset ? 0 : -1,
    .repeat = (guint) self->options->repeat,
    .traced = self->options->preset ? N_TRACED_PRESET : N_TRACED,
    .seconds = seconds,
    .cancellable = scope_cancel_on_signal (),
    .progress = scope_progress_tell,
    .data = &self->progress,
  };
  gboolean is_done = scope_group_measure (group, &ways, self->facts, !self->options->preset, error);

  scope_progress_finish (&self->progress, "group", NULL);
  return is_done;
}

static gboolean
is_cancelled (void)
{
  return g_cancellable_is_cancelled (scope_cancel_on_signal ());
}

/* The ladder from the slowest form, run in the plainest way, up to the fastest. */
static gboolean
climb (ScopeComparison *self, const ScopeGroup *group, GError **error)
{
  ScopeCandidate    *slow = group->candidates->pdata[0], *fast = slow;
  ProfSubjectOptions options;
  ProfMeasureOptions ways = {
    .warmup = 2,
    .traced = N_TRACED,
    .seconds = MAX (self->seconds / 3, 1),
    .cancellable = scope_cancel_on_signal (),
    .progress = scope_progress_tell,
    .data = &self->progress,
  };
  gboolean is_done;

  if (!scope_group_extremes (group, &slow, &fast))
    slow = fast = group->candidates->pdata[0];
  options = *prof_subject_get_options (slow->subject);
  self->ladder = prof_ladder_new (prof_subject_get_graph (slow->subject),
                                  prof_subject_get_values (slow->subject),
                                  strcmp (slow->variant, fast->variant) == 0 ? NULL : fast->subject,
                                  &options,
                                  error);
  is_done = self->ladder && prof_ladder_measure (self->ladder, &ways, error);
  scope_progress_finish (&self->progress, "ladder", NULL);
  if (!is_done)
    return FALSE;
  self->is_proved = prof_ladder_explain (self->ladder, self->facts, &self->explanation, error);
  return self->is_proved || !*error;
}

static gboolean
compare_models (ScopeComparison *self, GError **error)
{
  g_autoptr (GArray) batches = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GArray) lengths = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GArray) modes = g_array_new (FALSE, FALSE, sizeof (HybMode));
  g_autofree double *weights = NULL;
  g_autoptr (GError) local = NULL;
  guint n, at = 0;

  if (!parse_numbers ("batch", self->options->batch, batches, error) ||
      !parse_numbers ("length", self->options->length, lengths, error) ||
      !parse_modes (self->common, self->options->modes, modes, error))
    return FALSE;
  n = batches->len * lengths->len;
  weights = g_new (double, n + 1);
  for (guint i = 0; i < n; i++)
    weights[i] = 1;
  weights[n] = self->options->no_ladder ? 0 : 0.5;

  for (guint b = 0; b < batches->len; b++)
    for (guint l = 0; l < lengths->len && !is_cancelled (); l++)
      {
        ScopeGroup *group = scope_group_new (NULL,
                                             g_array_index (batches, gint64, b),
                                             g_array_index (lengths, gint64, l),
                                             self->options->backward);

        g_ptr_array_add (self->groups, group);
        for (guint f = 0; self->files[f]; f++)
          if (!add_file (self, group, self->files[f], modes, error))
            return FALSE;
        if (!scope_compare_measure (self,
                                    group,
                                    scope_compare_share (self, weights, at++, n + 1),
                                    error) ||
            (self->options->captures &&
             !scope_group_write (group, self->options->captures, self->groups->len - 1, error)))
          return FALSE;
        if (!self->common->json)
          scope_group_print (group);
        if (self->groups->len == 1 && !self->options->no_ladder && !is_cancelled () &&
            !climb (self, group, &local))
          {
            g_propagate_error (error, g_steal_pointer (&local));
            return FALSE;
          }
        scope_group_drop_subjects (group);
      }
  return TRUE;
}

static void
comparison_clear (ScopeComparison *self)
{
  prof_explanation_clear (&self->explanation);
  g_clear_pointer (&self->ladder, prof_ladder_free);
  g_ptr_array_unref (self->groups);
  prof_facts_free (self->facts);
}

static int
run_compare (const ScopeCommon *common, gpointer data, char **files, GError **error)
{
  const ScopeCompareOptions *options = data;
  ScopeComparison            self = {
               .common = common,
               .options = options,
               .files = files,
               .groups = g_ptr_array_new_with_free_func ((GDestroyNotify) scope_group_free),
               .facts = prof_facts_new (),
               .begin = g_get_monotonic_time (),
  };
  gboolean is_done;

  if (!scope_check_device (common, error))
    {
      comparison_clear (&self);
      return SCOPE_EXIT_MODEL;
    }
  if (options->preset && strcmp (options->preset, "control-flow") != 0)
    {
      g_set_error (error,
                   SCOPE_ERROR,
                   SCOPE_ERROR_USAGE,
                   "--preset %s: there is “control-flow”",
                   options->preset);
      comparison_clear (&self);
      return SCOPE_EXIT_USAGE;
    }
  self.seconds = options->time_limit > 0 ? options->time_limit
                 : options->preset       ? PRESET_SECONDS
                                         : DEFAULT_SECONDS;
  scope_progress_init (&self.progress, common);
  prof_facts_set (self.facts, "program", "hscope " SCOPE_VERSION);
  prof_facts_set (self.facts, "model", files[0]);
  prof_machine_describe (self.facts);
  is_done = options->preset ? scope_compare_preset (&self, error) : compare_models (&self, error);
  if (is_done && common->json)
    scope_compare_print_json (&self);
  else if (is_done)
    scope_compare_print (&self);
  if (is_done && options->report)
    is_done = scope_compare_write (&self, options->report, error);
  comparison_clear (&self);
  return is_done                                                    ? SCOPE_EXIT_DONE
         : g_error_matches (*error, PROF_ERROR, PROF_ERROR_UNEQUAL) ? SCOPE_EXIT_NO
                                                                    : SCOPE_EXIT_MODEL;
}

#define OPTION(name, kind, member, doc, arg)                             \
  {                                                                      \
    name, 0, 0, kind, SCOPE_INTO (ScopeCompareOptions, member), doc, arg \
  }

static const GOptionEntry compare_options[] = {
  OPTION ("variants",
          G_OPTION_ARG_STRING,
          variants,
          "as-is, unrolled, foreach, while, fused (default: as-is)",
          "LIST"),
  OPTION ("modes",
          G_OPTION_ARG_STRING,
          modes,
          "imperative, hybrid, static (default: static)",
          "LIST"),
  OPTION ("batch", G_OPTION_ARG_STRING, batch, "Batch sizes; B in --shape stands for them", "LIST"),
  OPTION ("length", G_OPTION_ARG_STRING, length, "Lengths; T in --shape stands for them", "LIST"),
  OPTION ("preset",
          G_OPTION_ARG_STRING,
          preset,
          "control-flow: cells × forms × batch 1, 32 × inference, training",
          "NAME"),
  OPTION ("backward", G_OPTION_ARG_NONE, backward, "Forward and backward, in training mode", NULL),
  OPTION ("repeat",
          G_OPTION_ARG_INT,
          repeat,
          "Clean samples of each (default: until decided)",
          "N"),
  OPTION ("time-limit",
          G_OPTION_ARG_DOUBLE,
          time_limit,
          "For all of it (default: 60; a preset 150)",
          "SECONDS"),
  OPTION ("report",
          G_OPTION_ARG_FILENAME,
          report,
          "Charts, table and reasons",
          "FILE.html|.svg|.pdf"),
  OPTION ("captures",
          G_OPTION_ARG_FILENAME,
          captures,
          "A capture of each: PREFIX-NUMBER-VARIANT-MODE.hscope",
          "PREFIX"),
  OPTION ("no-ladder",
          G_OPTION_ARG_NONE,
          no_ladder,
          "Do not run the engine's optimisations one by one",
          NULL),
  { 0 },
};

const ScopeCommand scope_command_compare = {
  .name = "compare",
  .arguments = "MODEL…",
  .summary = "Measure forms of a model side by side, and explain what one saves",
  .n_files = { 1, 16 },
  .groups = SCOPE_GROUP_MODEL | SCOPE_GROUP_TYPES | SCOPE_GROUP_RUN,
  .options = compare_options,
  .options_size = sizeof (ScopeCompareOptions),
  .run = run_compare,
};
