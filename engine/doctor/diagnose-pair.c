/* diagnose-pair.c — the rule about parameters of another model, which comes first.
 *
 * The consequences of a wrong pair (missing and unused arrays, other shapes) are listed in that one
 * finding.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/doctor/diagnosis.h"

#include "engine/base/translate.h"
#include "engine/doctor/match-parameters.h"
#include "engine/doctor/neighbours.h"
#include "engine/op/suggest.h"

#include <sys/stat.h>

#include <string.h>

/* Renames that were made on opening explain nothing if the arrays belong to another model. */
static void
drop_renames (GPtrArray *findings)
{
  for (guint i = findings->len; i-- > 0;)
    if (strcmp (((HybFinding *) findings->pdata[i])->code, "renamed-parameter") == 0)
      g_ptr_array_remove_index (findings, i);
}

static gint64
size_of (const char *path)
{
  struct stat status;

  return stat (path, &status) == 0 ? (gint64) status.st_size : 0;
}

/* At most this many fitting files are named and have their values checked. */
#define MAX_NAMED 12

/* The name of a file, which says so if its values are damaged.  (transfer full) */
static char *
word_file (const char *path)
{
  return g_strconcat (path,
                      hyb_neighbour_has_nan (path) ? _ (" (has values that are not finite)") : "",
                      NULL);
}

/* The only file that fits, with its size and the size of the file that was read.  (transfer
 * full) */
static char *
word_only_file (const char *path, const char *file)
{
  g_autofree char *size = g_strdup_printf ("%" G_GINT64_FORMAT, size_of (path));
  g_autofree char *own = g_strdup_printf ("%" G_GINT64_FORMAT, size_of (file));

  return g_strdup_printf (
      hyb_neighbour_has_nan (path)
          ? _ ("%s (%s bytes, this one has %s) fits: it has all arrays with their "
               "shapes, but values that are not finite")
          : _ ("%s (%s bytes, this one has %s) fits: it has all arrays with their "
               "shapes"),
      path, size, own);
}

/* The way out for parameters of another model.  (transfer full) */
static char *
word_hint (const char *file, const GPtrArray *fitting)
{
  g_autoptr (GString) names = g_string_new (NULL);

  if (fitting->len == 0)
    return g_strdup (_ ("Load the file that was exported with this graph"));
  if (fitting->len == 1)
    return word_only_file (fitting->pdata[0], file);
  for (guint i = 0; i < MIN (fitting->len, MAX_NAMED); i++)
    {
      g_autofree char *name = word_file (fitting->pdata[i]);

      g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", name);
    }
  return g_strdup_printf (_ ("%u files beside it fit, so none is taken: %s%s"), fitting->len,
                          names->str, fitting->len > MAX_NAMED ? ", …" : "");
}

void
hyb_diagnosis_report_wrong_pair (HybDiagnosis *diagnosis, const char *message, GArray *items)
{
  GPtrArray  *findings = hyb_model_get_findings (diagnosis->model);
  const char *file = hyb_model_get_weights_file (diagnosis->model);
  g_autoptr (GPtrArray) fitting = hyb_neighbours_find (diagnosis->model);
  g_autofree char *hint = word_hint (file, fitting);
  HybFinding      *finding =
      hyb_diagnosis_report (diagnosis,
                            &(DiagnosisIssue){ HYB_SEVERITY_ERROR, "wrong-pair", HYB_NO_ID, hint },
                            "%s", message);

  finding->remedy = hyb_neighbour_is_certain (diagnosis->model, fitting) ? HYB_REMEDY_REPAIR
                                                                         : HYB_REMEDY_PARAMETERS;
  for (guint i = 0; items && i < MIN (items->len, HYB_DIAGNOSIS_MAX_ITEMS); i++)
    {
      const HybFindingItem *item = &g_array_index (items, HybFindingItem, i);

      hyb_finding_add_item (finding, item->name, item->expected, item->got);
    }
  drop_renames (findings);
  g_ptr_array_steal_index (findings, findings->len - 1);
  g_ptr_array_insert (findings, 0, finding);
  diagnosis->is_wrong_pair = TRUE;
}

/* TRUE if an unused array may be the missing one, misspelt. */
static gboolean
has_near_name (const HybDiagnosis *diagnosis)
{
  for (guint i = 0; i < diagnosis->n_variables; i++)
    if (diagnosis->roles[i] == HYB_ROLE_PARAMETER && !diagnosis->parameters[i] &&
        hyb_suggest_name ((const char *const *) diagnosis->unused->pdata, diagnosis->unused->len,
                          hyb_diagnosis_variable (diagnosis, i)->name))
      return TRUE;
  return FALSE;
}

/* The parameters that the model lacks, as items.  (transfer full) */
static HybFinding *
list_missing (const HybDiagnosis *diagnosis, guint *n, guint *n_missing)
{
  HybFinding *list = hyb_finding_new ("wrong-pair", HYB_SEVERITY_ERROR, "%s", "");

  *n = *n_missing = 0;
  for (guint i = 0; i < diagnosis->n_variables; i++)
    {
      if (diagnosis->roles[i] != HYB_ROLE_PARAMETER)
        continue;
      ++*n;
      if (diagnosis->parameters[i])
        continue;
      ++*n_missing;
      hyb_finding_add_item (list, hyb_diagnosis_variable (diagnosis, i)->name, NULL, NULL);
    }
  return list;
}

void
hyb_diagnose_pair (HybDiagnosis *diagnosis)
{
  guint            n, n_missing;
  HybFinding      *missing = list_missing (diagnosis, &n, &n_missing);
  gboolean         has_nothing = n_missing == n && !has_near_name (diagnosis);
  g_autofree char *message = NULL;
  g_autoptr (GPtrArray) guess = NULL;
  g_autoptr (GPtrArray) rival = NULL;

  if (diagnosis->has_weights && diagnosis->unused->len > 0 && n > 0 &&
      (has_nothing || (n >= 2 && n_missing * 2 > n)))
    guess = hyb_model_guess_parameters (diagnosis->model, &rival);
  else
    n_missing = 0;

  if (n_missing > 0 && !guess)
    {
      message = g_strdup_printf (_ ("%s belongs to another model: %u of the graph’s %u parameters "
                                    "are not "
                                    "in it, and %u of its arrays match no variable"),
                                 hyb_model_get_weights_file (diagnosis->model), n_missing, n,
                                 diagnosis->unused->len);
      hyb_diagnosis_report_wrong_pair (diagnosis, message, missing->items);
      /* Their shapes and contents mean nothing for this graph. */
      memset (diagnosis->parameters, 0, diagnosis->n_variables * sizeof *diagnosis->parameters);
    }
  hyb_finding_free (missing);
}
