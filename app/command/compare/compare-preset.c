/* compare-preset.c — hscope compare --preset control-flow: the control flow benchmark.
 *
 * Traces every cell in every form with the same weights (control-flow.h) and measures the forms
 * of each cell, batch and pass as one group, the least work first, until the time is up.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/compare/compare-preset.h"

#include "app/command/compare/compare-say.h"
#include "app/command/compare/control-flow.h"
#include "app/command/compare/preset-file.h"
#include "app/command/frame/deadline.h"
#include "app/command/frame/messages.h"

#include "engine/block/plugin.h"

#include <string.h>

/* The minimum for a group: the first run of each candidate, six clean ones in as many builds, which
 * is the least for an interval, and three traced ones, which take longer. */
#define LEAST_CLEAN 6
#define LEAST_RUNS  (1 + LEAST_CLEAN + 6)

/* The candidates of every group.  Those without passes separate planning from the passes. */
static const struct
{
  ScopeForm form;
  HybMode   mode;
  gboolean  no_passes;
} preset_forms[] = {
  { SCOPE_FORM_UNROLLED, HYB_MODE_IMPERATIVE, FALSE },
  { SCOPE_FORM_UNROLLED, HYB_MODE_STATIC, TRUE },
  { SCOPE_FORM_UNROLLED, HYB_MODE_STATIC, FALSE },
  { SCOPE_FORM_FOREACH, HYB_MODE_IMPERATIVE, FALSE },
  { SCOPE_FORM_FOREACH, HYB_MODE_STATIC, TRUE },
  { SCOPE_FORM_FOREACH, HYB_MODE_STATIC, FALSE },
  { SCOPE_FORM_WHILE, HYB_MODE_STATIC, FALSE },
  { SCOPE_FORM_FUSED, HYB_MODE_STATIC, FALSE },
};

/* Sizes of MXNet's benchmark script, unless the model's name gives others. */
static gboolean
read_preset (const ScopeComparison *self, ScopeLoop *loop, GError **error)
{
  g_autoptr (HybModelSpec) spec = NULL;
  const char *query = strchr (self->files[0], '?');
  g_auto (GStrv) pairs = g_strsplit_set (query ? query + 1 : "", "&", -1);
  const struct
  {
    const char *key;
    gint64     *value;
  } sizes[] = { { "inputs=", &loop->inputs },
                { "hidden=", &loop->hidden },
                { "length=", &loop->length } };

  *loop = (ScopeLoop){ .inputs = 512, .hidden = 512, .length = 100 };
  if (!g_str_has_prefix (self->files[0], "gallery:foreach-rnn") || self->files[1])
    return scope_usage_error (error, "--preset control-flow measures only gallery:foreach-rnn. Its "
                                     "options inputs, hidden and length are optional: "
                                     "gallery:foreach-rnn?hidden=256&length=50");
  if (!(spec = hyb_model_spec_new (self->files[0], error)))
    return FALSE;
  for (guint i = 0; pairs[i]; i++)
    for (guint k = 0; k < G_N_ELEMENTS (sizes); k++)
      if (g_str_has_prefix (pairs[i], sizes[k].key))
        *sizes[k].value = g_ascii_strtoll (pairs[i] + strlen (sizes[k].key), NULL, 10);
  return TRUE;
}

static gboolean
add_preset_candidates (const ScopeComparison *self,
                       ScopeGroup            *group,
                       ScopeLoop              loop,
                       GError               **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (preset_forms); i++)
    {
      g_autoptr (GPtrArray) values = NULL;
      g_autoptr (HybGraph) graph = NULL;
      ScopeCandidateSpec spec = { .variant = scope_form_name (preset_forms[i].form),
                                  .mode = preset_forms[i].mode,
                                  .no_passes = preset_forms[i].no_passes };

      loop.form = preset_forms[i].form;
      spec.graph = graph = scope_loop_trace (&loop, &values, error);
      spec.values = graph ? (HybTensor **) values->pdata : NULL;
      if (!graph || !scope_comparison_add_candidate (self, group, &spec, error))
        {
          g_prefix_error (error, "%s, %s: ", scope_cell_kind_name (loop.cell),
                          scope_form_name (loop.form));
          return FALSE;
        }
    }
  return TRUE;
}

/* --- The groups --- */

/* A group of the preset. */
typedef struct
{
  ScopeLoop loop;
  double    weight; /* its expected share of the time */
} PresetGroup;

static int
compare_weights (gconstpointer a, gconstpointer b)
{
  double x = ((const PresetGroup *) a)->weight, y = ((const PresetGroup *) b)->weight;

  return (x > y) - (x < y);
}

/* All groups, the least work first, so that most of them fit into the time.  is_quick: only the
 * LSTM's.  GArray of PresetGroup.  (transfer full) */
static GArray *
list_groups (ScopeLoop loop, gboolean is_quick)
{
  static const gint64 batches[] = { 1, 32 };
  GArray             *list = g_array_new (FALSE, FALSE, sizeof (PresetGroup));

  for (guint cell = is_quick ? SCOPE_CELL_LSTM : 0; cell < SCOPE_N_CELLS; cell++)
    for (guint b = 0; b < G_N_ELEMENTS (batches); b++)
      for (guint training = 0; training < 2; training++)
        {
          PresetGroup group = { .loop = loop };

          group.loop.cell = cell;
          group.loop.batch = batches[b];
          group.loop.training = training;
          /* Proportional to the work, plus a part that does not depend on the batch. */
          group.weight = (cell == 0 ? 1 : cell + 2) * (batches[b] + 6.0) * (training ? 3 : 1);
          g_array_append_val (list, group);
        }
  g_array_sort (list, compare_weights);
  return list;
}

static ScopeGroup *
new_group (const PresetGroup *preset)
{
  return scope_group_new (scope_cell_kind_name (preset->loop.cell), preset->loop.batch,
                          preset->loop.length, preset->loop.training);
}

/* Whether an earlier run has finished this group. */
static gboolean
is_finished (const ScopeComparison *self, const PresetGroup *preset)
{
  for (guint i = 0; i < self->groups->len; i++)
    {
      const ScopeGroup *group = self->groups->pdata[i];

      if (g_strcmp0 (group->cell, scope_cell_kind_name (preset->loop.cell)) == 0 &&
          group->batch == preset->loop.batch && group->backward == preset->loop.training)
        return TRUE;
    }
  return FALSE;
}

/* Every candidate has clean samples and was traced. */
static gboolean
is_complete (const ScopeGroup *group)
{
  for (guint i = 0; i < group->candidates->len; i++)
    {
      const ScopeCandidate *candidate = group->candidates->pdata[i];

      if (!candidate->capture || candidate->clean.n < 2 ||
          prof_capture_n_events (candidate->capture) == 0)
        return FALSE;
    }
  return group->candidates->len > 0;
}

/* Builds the candidates and runs each once.  *least gets the seconds that a complete measurement takes
 * at least.  FALSE as measure_group(). */
static gboolean
prepare_group (ScopeComparison   *self,
               ScopeGroup        *group,
               const PresetGroup *preset,
               double            *least,
               GError           **error)
{
  g_autoptr (GError) local = NULL;
  double begin = self->budget.now ();
  double first = 0;

  if (!add_preset_candidates (self, group, preset->loop, error))
    return FALSE;
  *least = LEAST_CLEAN * (self->budget.now () - begin);
  if (!scope_group_check (group, self->cancellable, &local))
    {
      if (!g_cancellable_is_cancelled (self->cancellable))
        g_propagate_error (error, g_steal_pointer (&local));
      return FALSE;
    }
  for (guint i = 0; i < group->candidates->len; i++)
    first += ((ScopeCandidate *) group->candidates->pdata[i])->first_seconds;
  scope_time_budget_learn (&self->budget, preset->weight, *least + LEAST_RUNS * first);
  *least += (LEAST_RUNS - 1) * first;
  return TRUE;
}

/* Measures a group for this many seconds, or for what it needs at least.  FALSE with an error if that
 * fails, and without one if the time is not enough or the user cancelled. */
static gboolean
measure_group (ScopeComparison   *self,
               ScopeGroup        *group,
               const PresetGroup *preset,
               double             seconds,
               GError           **error)
{
  g_autoptr (GError) local = NULL;
  double begin = self->budget.now (), least;

  if (!prepare_group (self, group, preset, &least, error) ||
      least > scope_time_budget_left (&self->budget))
    return FALSE;
  seconds = MAX (seconds - (self->budget.now () - begin), least);
  if (!scope_comparison_measure (self, group, seconds, &local))
    {
      if (!g_cancellable_is_cancelled (self->cancellable))
        g_propagate_error (error, g_steal_pointer (&local));
      return FALSE;
    }
  scope_group_drop_subjects (group);
  return is_complete (group);
}

/* The conditions that must not change when a preset is continued.  (transfer full) */
static char *
describe_conditions (const ScopeComparison *self, const ScopeLoop *loop)
{
  g_autofree char *without =
      self->common->without ? g_strjoinv (",", self->common->without) : g_strdup ("");

  return g_strdup_printf ("control-flow, inputs %" G_GINT64_FORMAT ", hidden %" G_GINT64_FORMAT
                          ", length %" G_GINT64_FORMAT ", seed %" G_GINT64_FORMAT "%s%s%s",
                          loop->inputs, loop->hidden, loop->length, (gint64) self->common->seed,
                          *without ? ", without " : "", without,
                          self->common->freeze_parameters ? ", parameters frozen"
                          : self->common->fold_parameters ? ", parameters folded"
                                                          : "");
}

/* Measures the groups that are not finished, while the time allows; then the user may have
 * cancelled. */
static gboolean
measure_groups (ScopeComparison *self, const GArray *list, const char *conditions, GError **error)
{
  g_autofree double *weights = g_new (double, list->len);
  gboolean           is_over = FALSE;

  for (guint i = 0; i < list->len; i++)
    {
      const PresetGroup *preset = &g_array_index (list, PresetGroup, i);

      weights[i] = is_finished (self, preset) ? 0 : preset->weight;
    }
  for (guint i = 0; i < list->len; i++)
    {
      const PresetGroup *preset = &g_array_index (list, PresetGroup, i);
      ScopeGroup        *group;
      guint              n = i + scope_time_budget_count (&self->budget, weights, i, list->len);
      double             share = scope_comparison_begin_part (self, weights, i, MAX (n, i + 1));

      if (weights[i] == 0)
        continue;
      group = new_group (preset);
      is_over = is_over || g_cancellable_is_cancelled (self->cancellable) ||
                !scope_time_budget_fits (&self->budget, preset->weight);
      if (is_over || !measure_group (self, group, preset, share, error))
        {
          g_ptr_array_add (self->skipped, scope_group_dup_title (group));
          scope_group_free (group);
          if (*error)
            return FALSE;
          continue;
        }
      g_ptr_array_add (self->groups, group);
      if (!self->common->json)
        scope_group_print (group);
      if (self->options->resume &&
          !scope_preset_file_save (self->options->resume, conditions, self->groups, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
scope_compare_preset (ScopeComparison *self, GError **error)
{
  ScopeLoop loop;
  g_autoptr (GArray) list = NULL;
  g_autoptr (ScopeDeadline) deadline = NULL;
  g_autoptr (GError) local = NULL;
  g_autofree char *conditions = NULL;
  GCancellable    *user = self->cancellable;
  gboolean         is_done;

  if (!read_preset (self, &loop, error))
    return FALSE;
  conditions = describe_conditions (self, &loop);
  if (self->options->resume &&
      !scope_preset_file_load (self->options->resume, conditions, self->groups, error))
    return FALSE;
  for (guint i = 0; i < self->groups->len && !self->common->json; i++)
    scope_group_print (self->groups->pdata[i]);
  list = list_groups (loop, self->options->quick);
  deadline = scope_deadline_new (scope_time_budget_left (&self->budget), user);
  self->cancellable = scope_deadline_get_cancellable (deadline);
  is_done = measure_groups (self, list, conditions, &local);
  self->cancellable = user;
  if (!is_done)
    g_propagate_error (error, g_steal_pointer (&local));
  return is_done;
}
