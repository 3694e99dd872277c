/* rival-names.c — assigns arrays that differ in counters only in their order, as a rival of a renaming.
 *
 * Start at hyb_rival_find().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/doctor/rival-names.h"

#include "engine/base/translate.h"
#include "engine/doctor/counters.h"
#include "engine/doctor/match-parameter-order.h"

#include <string.h>

static int
compare_names (gconstpointer a, gconstpointer b)
{
  const char *first = *(const char *const *) a, *second = *(const char *const *) b;

  return hyb_counters_compare (first, second);
}

/* --- Names with the same stem --- */

/* The variables of the graph, or the parameters of the file, with this stem.  (transfer container) */
static GPtrArray *
list_variables (HybModel *model, const char *stem)
{
  HybGraph        *graph = hyb_model_get_graph (model);
  GPtrArray       *names = g_ptr_array_new ();
  guint            n;
  const HybNodeId *variables = hyb_graph_get_variables (graph, &n);

  for (guint i = 0; i < n; i++)
    {
      const char      *name = hyb_graph_get_node (graph, variables[i])->name;
      g_autofree char *other = hyb_counters_dup_stem (name);

      if (strcmp (stem, other) == 0)
        g_ptr_array_add (names, (gpointer) name);
    }
  return names;
}

static GPtrArray *
list_parameters (HybModel *model, const char *stem)
{
  GPtrArray *names = g_ptr_array_new ();

  for (guint i = 0; i < hyb_model_n_parameters (model); i++)
    {
      const char      *name = hyb_model_get_parameter_name (model, i);
      g_autofree char *other = hyb_counters_dup_stem (name);

      if (strcmp (stem, other) == 0)
        g_ptr_array_add (names, (gpointer) name);
    }
  return names;
}

/* Adds variable, parameter, … of one stem, in the order of graph and file or of counters.  FALSE if there are not as
 * many of both, so that some have no partner. */
static gboolean
assign_in_order (HybModel *model, const char *stem, gboolean by_counters, GPtrArray *pairs)
{
  g_autoptr (GPtrArray) variables = list_variables (model, stem);
  g_autoptr (GPtrArray) parameters = list_parameters (model, stem);

  if (by_counters)
    {
      g_ptr_array_sort (variables, compare_names);
      g_ptr_array_sort (parameters, compare_names);
    }
  for (guint i = 0; i < MIN (variables->len, parameters->len); i++)
    {
      g_ptr_array_add (pairs, g_strdup (variables->pdata[i]));
      g_ptr_array_add (pairs, g_strdup (parameters->pdata[i]));
    }
  return variables->len == parameters->len;
}

/* --- Rivals --- */

/* The stems that variable and parameter of a pair share.  (transfer container) */
static GHashTable *
collect_stems (const GPtrArray *pairs)
{
  GHashTable *stems = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < pairs->len; i += 2)
    {
      g_autofree char *stem = hyb_counters_dup_stem (pairs->pdata[i]);
      g_autofree char *other = hyb_counters_dup_stem (pairs->pdata[i + 1]);

      if (strcmp (stem, other) == 0)
        g_hash_table_add (stems, g_steal_pointer (&stem));
    }
  return stems;
}

/* The name of a parameter after applying the pairs: the variable of a pair, or else its own name. */
static const char *
variable_of (const GPtrArray *pairs, const char *parameter)
{
  for (guint i = 0; i < pairs->len; i += 2)
    if (strcmp (pairs->pdata[i + 1], parameter) == 0)
      return pairs->pdata[i];
  return parameter;
}

static gboolean
is_same (const GPtrArray *pairs, const GPtrArray *other)
{
  for (guint i = 0; i < other->len; i += 2)
    if (strcmp (variable_of (pairs, other->pdata[i + 1]), other->pdata[i]) != 0)
      return FALSE;
  return TRUE;
}

/* Whether the shapes of the parameters agree with the variables that the pairs assign them to. */
static gboolean
fits (HybModel *model, const GPtrArray *pairs)
{
  g_autoptr (GPtrArray) parameters = g_ptr_array_new ();
  g_autoptr (GPtrArray) variables = g_ptr_array_new ();

  for (guint i = 0; i < pairs->len; i += 2)
    {
      g_ptr_array_add (variables, pairs->pdata[i]);
      g_ptr_array_add (parameters, pairs->pdata[i + 1]);
    }
  return hyb_match_agrees (model, parameters, (const char *const *) variables->pdata);
}

GPtrArray *
hyb_rival_find (HybModel *model, GPtrArray *pairs)
{
  g_autoptr (GHashTable) stems = collect_stems (pairs);

  for (guint by_counters = 1; by_counters < 2 && g_hash_table_size (stems) > 0; by_counters--)
    {
      g_autoptr (GPtrArray) rival = g_ptr_array_new_with_free_func (g_free);
      gboolean       is_complete = TRUE;
      GHashTableIter iter;
      gpointer       stem;

      g_hash_table_iter_init (&iter, stems);
      while (g_hash_table_iter_next (&iter, &stem, NULL))
        is_complete &= assign_in_order (model, stem, by_counters == 1, rival);
      /* Where arrays are missing, counters may be shifted by any number: shapes cannot exclude all. */
      if (!is_same (pairs, rival) && (!is_complete || fits (model, rival)))
        return g_steal_pointer (&rival);
    }
  return NULL;
}

void
hyb_rival_report (HybModel *model, GPtrArray *pairs, GPtrArray *rival)
{
  HybFinding *finding =
      hyb_finding_new ("ambiguous-names", HYB_SEVERITY_WARNING,
                       _ ("the arrays fit the graph in two ways, so none was renamed: “%s” may be "
                          "“%s”, or “%s” is “%s”"),
                       (char *) pairs->pdata[1], (char *) pairs->pdata[0], (char *) rival->pdata[1],
                       (char *) rival->pdata[0]);

  finding->file = g_strdup (hyb_model_get_weights_file (model));
  finding->node = g_strdup (pairs->pdata[0]);
  finding->hint = g_strdup (
      _ ("If all counters are shifted, which is likelier, load the file in the process that made "
         "the graph, or rename its arrays"));
  for (guint i = 0; i < rival->len; i += 2)
    {
      g_autofree char *one = g_strdup_printf ("\"%s\"", variable_of (pairs, rival->pdata[i + 1]));
      g_autofree char *other = g_strdup_printf ("\"%s\"", (char *) rival->pdata[i]);

      hyb_finding_add_item (finding, rival->pdata[i + 1], one, other);
    }
  hyb_model_add_finding (model, finding);
}
