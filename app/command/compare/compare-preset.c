/* compare-preset.c — hscope compare --preset control-flow: the control flow benchmark.
 *
 * Traces every cell in every form with the same weights (control-flow.h) and measures the forms
 * of each cell, batch and pass as one group.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/compare/compare-preset.h"

#include "app/command/compare/compare-text.h"
#include "app/command/compare/control-flow.h"
#include "app/command/messages.h"

#include "engine/block/plugin.h"

#include <string.h>

/* The candidates of every group. */
static const struct
{
  ScopeForm form;
  HybMode   mode;
} preset_forms[] = {
  { SCOPE_FORM_UNROLLED, HYB_MODE_IMPERATIVE }, { SCOPE_FORM_UNROLLED, HYB_MODE_STATIC },
  { SCOPE_FORM_FOREACH, HYB_MODE_IMPERATIVE },  { SCOPE_FORM_FOREACH, HYB_MODE_STATIC },
  { SCOPE_FORM_WHILE, HYB_MODE_STATIC },        { SCOPE_FORM_FUSED, HYB_MODE_STATIC },
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
    {
      g_set_error_literal (error,
                           SCOPE_ERROR,
                           SCOPE_ERROR_USAGE,
                           "--preset control-flow measures only gallery:foreach-rnn. Its options "
                           "inputs, hidden and length are optional: "
                           "gallery:foreach-rnn?hidden=256&length=50");
      return FALSE;
    }
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
                                  .mode = preset_forms[i].mode };

      loop.form = preset_forms[i].form;
      spec.graph = graph = scope_loop_trace (&loop, &values, error);
      spec.values = graph ? (HybTensor **) values->pdata : NULL;
      if (!graph || !scope_comparison_add_candidate (self, group, &spec, error))
        {
          g_prefix_error (error,
                          "%s, %s: ",
                          scope_cell_kind_name (loop.cell),
                          scope_form_name (loop.form));
          return FALSE;
        }
    }
  return TRUE;
}

gboolean
scope_compare_preset (ScopeComparison *self, GError **error)
{
  static const gint64 batches[] = { 1, 32 };
  ScopeLoop           loop;
  g_autoptr (GArray) weights = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (GArray) loops = g_array_new (FALSE, FALSE, sizeof (ScopeLoop));

  if (!read_preset (self, &loop, error))
    return FALSE;
  for (guint cell = 0; cell < SCOPE_N_CELLS; cell++)
    for (guint b = 0; b < G_N_ELEMENTS (batches); b++)
      for (guint training = 0; training < 2; training++)
        {
          /* Expected time: proportional to the work, plus a part that does not depend on the batch. */
          double weight = (cell == 0 ? 1 : cell + 2) * (batches[b] + 6.0) * (training ? 3 : 1);

          loop.cell = cell;
          loop.batch = batches[b];
          loop.training = training;
          g_array_append_val (loops, loop);
          g_array_append_val (weights, weight);
        }

  for (guint i = 0; i < loops->len && !g_cancellable_is_cancelled (scope_cancel_on_signal ()); i++)
    {
      const ScopeLoop *current = &g_array_index (loops, ScopeLoop, i);
      ScopeGroup      *group = scope_group_new (scope_cell_kind_name (current->cell),
                                           current->batch,
                                           current->length,
                                           current->training);

      g_ptr_array_add (self->groups, group);
      if (!add_preset_candidates (self, group, *current, error) ||
          !scope_comparison_measure (self,
                                     group,
                                     scope_comparison_share_time (self,
                                                                  (const double *) weights->data,
                                                                  i,
                                                                  loops->len),
                                     error))
        return FALSE;
      scope_group_drop_subjects (group);
      if (!self->common->json)
        scope_group_print (group);
    }
  return TRUE;
}
