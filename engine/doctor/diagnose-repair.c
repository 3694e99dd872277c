/* diagnose-repair.c — repairs that need no decision of the user.
 *
 * Opening has already renamed, packed and densified parameters, and writing corrects prefixes and
 * leaves dead nodes out.  hyb_diagnose_repair() does the rest.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/doctor/change.h"
#include "engine/doctor/diagnose.h"

#include "engine/base/translate.h"
#include "engine/doctor/batch.h"
#include "engine/doctor/layout.h"
#include "engine/doctor/match-parameters.h"
#include "engine/doctor/misspelt-parameters.h"
#include "engine/doctor/neighbours.h"
#include "engine/doctor/spelling.h"

#include <string.h>

/* Codes of findings about changes that were made when the files were opened. */
static const char *const codes_of_opening[] = {
  "renamed-parameter",   "packed-parameter", "sparse-parameter",
  "duplicate-parameter", "wrong-prefix",     NULL,
};

static const char *const codes_of_gaps[] = { "missing-parameter", "wrong-pair", NULL };

/* Removes parameters without a variable, unless others are missing, since an unused parameter may be a
 * missing one under another name, or the file belongs to another model. */
static void
drop_unused (HybModel *model, GPtrArray *changes)
{
  HybGraph  *graph = hyb_model_get_graph (model);
  GPtrArray *findings = hyb_model_get_findings (model);

  for (guint i = 0; i < findings->len; i++)
    if (g_strv_contains (codes_of_gaps, ((HybFinding *) findings->pdata[i])->code))
      return;

  for (guint i = hyb_model_n_parameters (model); i-- > 0;)
    {
      g_autofree char *name = g_strdup (hyb_model_get_parameter_name (model, i));

      if (hyb_graph_find_variable (graph, name) != HYB_NO_ID)
        continue;
      hyb_model_remove_parameter (model, name);
      hyb_changes_add (changes, name, _ ("left out %s, for which the graph has no variable"),
                       HYB_CHANGE_NAME);
    }
}

/* Casts the parameters that a “wrong-dtype” finding lists to the type that it expects. */
static void
cast_parameters (HybModel *model, const HybFinding *finding, GPtrArray *changes)
{
  for (guint i = 0; finding->items && i < finding->items->len; i++)
    {
      const HybFindingItem *item = &g_array_index (finding->items, HybFindingItem, i);
      HybTensor            *tensor = hyb_model_get_parameter (model, item->name);
      g_autofree char      *type =
          item->expected ? g_strndup (item->expected + 1, strlen (item->expected) - 2) : NULL;
      HybDType dtype = type ? hyb_dtype_from_name (type) : HYB_DTYPE_UNKNOWN;
      g_autoptr (HybTensor) cast = NULL;

      if (!tensor || dtype == HYB_DTYPE_UNKNOWN)
        continue;
      cast = hyb_tensor_convert (tensor, dtype);
      if (!cast)
        continue;
      hyb_model_set_parameter (model, item->name, cast);
      hyb_changes_add (changes, item->name, _ ("cast %s to %s"), HYB_CHANGE_NAME, type);
    }
}

/* Renames parameters.  pairs: variable, parameter, variable, …; why: the end of the note. */
static void
rename_parameters (HybModel *model, GPtrArray *pairs, const char *why, GPtrArray *changes)
{
  for (guint i = 0; pairs && i < pairs->len; i += 2)
    {
      g_autoptr (HybTensor) tensor =
          hyb_tensor_ref (hyb_model_get_parameter (model, pairs->pdata[i + 1]));

      hyb_model_remove_parameter (model, pairs->pdata[i + 1]);
      hyb_model_set_parameter (model, pairs->pdata[i], tensor);
      hyb_changes_add (changes, pairs->pdata[i + 1], _ ("renamed %s to “%s”, %s"), HYB_CHANGE_NAME,
                       (char *) pairs->pdata[i], why);
    }
}

static void
rename_misspelt (HybModel *model, GPtrArray *changes)
{
  g_autoptr (GPtrArray) pairs = hyb_misspelt_parameters (model);

  rename_parameters (model, pairs, _ ("the only near name with a fitting shape"), changes);
}

static void
rename_guessed (HybModel *model, GPtrArray *changes)
{
  g_autoptr (GPtrArray) rival = NULL;
  g_autoptr (GPtrArray) pairs = hyb_model_guess_parameters (model, &rival);

  if (!rival)
    rename_parameters (model, pairs, _ ("by kind, order and shape"), changes);
}

/* Changes the axes of arrays that other programs store in another order. */
static void
change_layouts (HybModel *model, GPtrArray *changes)
{
  g_autoptr (GArray) fixes = hyb_layout_find (model);

  for (guint i = 0; i < fixes->len; i++)
    {
      const HybLayoutFix *fix = &g_array_index (fixes, HybLayoutFix, i);
      HybTensor          *old = hyb_model_get_parameter (model, fix->name);
      g_autoptr (HybTensor) changed = hyb_layout_apply (fix, old);
      g_autofree char *from = hyb_shape_to_string (hyb_tensor_get_shape (old));
      g_autofree char *to = hyb_shape_to_string (&fix->shape);

      if (!changed)
        continue;
      hyb_changes_add (changes, fix->name,
                       fix->is_permuted ? _ ("transposed %s from %s to %s")
                                        : _ ("reshaped %s from %s to %s"),
                       HYB_CHANGE_NAME, from, to);
      hyb_model_set_parameter (model, fix->name, changed);
    }
}

static void
free_batch (HybModel *model, GPtrArray *changes)
{
  g_autoptr (HybFrozenBatch) frozen = hyb_batch_find (model);

  if (!frozen)
    return;
  hyb_changes_append (changes, frozen->changes);
  hyb_model_set_graph (model, frozen->freed);
}

/* Reads the parameters from the only fitting file beside those of another model, unless these were named. */
static void
take_neighbour (HybModel *model, GPtrArray *changes)
{
  GPtrArray *findings = hyb_model_get_findings (model);

  for (guint i = 0; i < findings->len; i++)
    {
      const HybFinding *finding = findings->pdata[i];
      g_autoptr (GPtrArray) fitting = NULL;

      if (strcmp (finding->code, "wrong-pair") != 0 || finding->remedy != HYB_REMEDY_REPAIR)
        continue;
      fitting = hyb_neighbours_find (model);
      if (hyb_neighbour_is_certain (model, fitting) &&
          hyb_neighbour_take (model, fitting->pdata[0], NULL))
        hyb_changes_add (changes, NULL, _ ("took the parameters from %s"),
                         (char *) fitting->pdata[0]);
      return;
    }
}

/* Names the nodes that writing leaves out. */
static void
note_dead_nodes (const HybFinding *finding, GPtrArray *changes)
{
  for (guint i = 0; finding->items && i < finding->items->len; i++)
    hyb_changes_add (changes, g_array_index (finding->items, HybFindingItem, i).name,
                     _ ("left out %s, which no output needs"), HYB_CHANGE_NAME);
}

gboolean
hyb_diagnose_can_repair (HybModel *model)
{
  GPtrArray *findings = hyb_model_get_findings (model);

  for (guint i = 0; i < findings->len; i++)
    {
      const HybFinding *finding = findings->pdata[i];

      if (strcmp (finding->code, "wrong-pair") == 0 && finding->remedy != HYB_REMEDY_REPAIR)
        return FALSE;
    }
  return TRUE;
}

void
hyb_diagnose_repair (HybModel *model, GPtrArray *changes)
{
  GPtrArray *findings = hyb_model_get_findings (model);
  g_autoptr (HybGraph) graph = NULL;

  take_neighbour (model, changes);

  for (guint i = 0; i < findings->len; i++)
    {
      const HybFinding *finding = findings->pdata[i];

      if (g_strv_contains (codes_of_opening, finding->code))
        hyb_changes_add (changes, NULL, "%s", finding->message);
      if (strcmp (finding->code, "dead-node") == 0)
        note_dead_nodes (finding, changes);
      if (strcmp (finding->code, "wrong-dtype") == 0)
        cast_parameters (model, finding, changes);
    }

  graph = hyb_spelling_correct (hyb_model_get_graph (model), changes);
  hyb_model_set_graph (model, graph);
  rename_misspelt (model, changes);
  rename_guessed (model, changes);
  change_layouts (model, changes);
  free_batch (model, changes);
  drop_unused (model, changes);
}
