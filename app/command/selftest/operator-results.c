/* operator-results.c — see operator-results.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/selftest/operator-results.h"

#include "engine/base/compare-names.h"

#include <stdlib.h>

static void
result_free (ScopeOperatorResult *result)
{
  g_free (result->why);
  g_free (result->note);
  for (guint i = 0; i < G_N_ELEMENTS (result->types); i++)
    g_free (result->types[i].why);
  g_free (result);
}

ScopeOperatorResults *
scope_operator_results_new (void)
{
  ScopeOperatorResults *results = g_new0 (ScopeOperatorResults, 1);

  results->operators =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) result_free);
  return results;
}

void
scope_operator_results_free (ScopeOperatorResults *results)
{
  if (!results)
    return;
  g_hash_table_unref (results->operators);
  g_free (results->lost);
  g_free (results);
}

/* The result of an operator, with no comparisons yet if it is new.  Owned by results. */
static ScopeOperatorResult *
get_result (ScopeOperatorResults *results, const char *op)
{
  ScopeOperatorResult *result = g_hash_table_lookup (results->operators, op);

  if (!result)
    {
      result = g_new0 (ScopeOperatorResult, 1);
      g_hash_table_insert (results->operators, g_strdup (op), result);
    }
  return result;
}

void
scope_operator_results_count (ScopeOperatorResults *results, const char *op, guint n, double error)
{
  ScopeOperatorResult *result = get_result (results, op);

  result->n += n;
  result->error = MAX (result->error, error);
}

static void
blame_type (ScopeOperatorResult *result, HybDType dtype, double error, const char *why)
{
  ScopeTypeResult *type = &result->types[dtype];

  type->error = MAX (type->error, error);
  if (!type->why)
    type->why = g_strdup (why);
}

void
scope_operator_results_blame (ScopeOperatorResults *results,
                              const char           *op,
                              HybDType              dtype,
                              double                error,
                              const char           *why)
{
  ScopeOperatorResult *result = get_result (results, op);

  result->error = MAX (result->error, error);
  if (!result->why)
    result->why = g_strdup (why);
  for (HybDType i = 0; i < HYB_N_DTYPES; i++)
    if (i == dtype || (dtype == HYB_DTYPE_UNKNOWN && hyb_dtype_is_float (i)))
      blame_type (result, i, error, why);
}

void
scope_operator_results_note (ScopeOperatorResults *results, const char *op, const char *note)
{
  ScopeOperatorResult *result = get_result (results, op);

  if (!result->note)
    result->note = g_strdup (note);
}

/* Adds the result of another test of one operator. */
static void
add_result (ScopeOperatorResults *results, const char *op, const ScopeOperatorResult *found)
{
  scope_operator_results_count (results, op, found->n, found->error);
  if (found->note)
    scope_operator_results_note (results, op, found->note);
  for (HybDType dtype = 0; dtype < HYB_N_DTYPES; dtype++)
    if (found->types[dtype].why)
      scope_operator_results_blame (results, op, dtype, found->types[dtype].error,
                                    found->types[dtype].why);
}

void
scope_operator_results_add (ScopeOperatorResults *results, const ScopeOperatorResults *found)
{
  GHashTableIter iter;
  gpointer       op, result;

  g_hash_table_iter_init (&iter, found->operators);
  while (g_hash_table_iter_next (&iter, &op, &result))
    add_result (results, op, result);
  results->n_samples += found->n_samples;
  results->n_left += found->n_left;
}

const char **
scope_operator_results_list (const ScopeOperatorResults *results)
{
  guint        n;
  const char **names = (const char **) g_hash_table_get_keys_as_array (results->operators, &n);

  qsort (names, n, sizeof *names, hyb_compare_names);
  return names;
}

guint
scope_operator_results_n_wrong (const ScopeOperatorResults *results)
{
  GHashTableIter iter;
  gpointer       result;
  guint          n = 0;

  g_hash_table_iter_init (&iter, results->operators);
  while (g_hash_table_iter_next (&iter, NULL, &result))
    n += ((ScopeOperatorResult *) result)->why != NULL;
  return n;
}
