/* show-results.c — see show-results.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/selftest/show-results.h"

#include "app/command/frame/terminal.h"

#include <stdio.h>
#include <string.h>

#define INDENT 4 /* of continued lines */

/* --- Text --- */

/* "agree exactly", or by how much numbers differ.  (transfer full) */
static char *
describe_agreement (double error)
{
  return error == 0 ? g_strdup ("exactly") : g_strdup_printf ("to %.1e", error);
}

void
scope_results_print_operator (const char *op, const ScopeOperatorResult *result)
{
  g_autofree char *agreement = describe_agreement (result->error);
  g_autofree char *line =
      result->why ? g_strdup_printf ("%-36s FAILED: %s.", op, result->why)
                  : g_strdup_printf ("%-36s %5u comparison%s %s%s%s.", op, result->n,
                                     result->n == 1 ? " agrees" : "s agree", agreement,
                                     result->note ? "; " : "", result->note ? result->note : "");

  scope_terminal_print (line, INDENT);
}

void
scope_results_print_operator_part (const char *op, const ScopeOperatorResults *results)
{
  g_autofree const char **names = scope_operator_results_list (results);

  for (guint i = 0; names[i]; i++)
    {
      const ScopeOperatorResult *result = g_hash_table_lookup (results->operators, names[i]);

      if (strcmp (names[i], op) == 0 || g_str_has_prefix (names[i], "_backward_") || result->why)
        scope_results_print_operator (names[i], result);
    }
  if (!names[0])
    printf ("%-36s was not compared: the processor computes it.\n", op);
  fflush (stdout);
}

void
scope_results_print_model (const ScopeModelResult *result)
{
  g_autofree char *agreement = describe_agreement (result->error);
  g_autofree char *verdict =
      result->failure
          ? g_strdup_printf ("FAILED: %s.", result->failure)
          : g_strdup_printf ("%u arrays agree %s%s%s.", result->n_arrays, agreement,
                             result->note ? "; " : "", result->note ? result->note : "");
  g_autofree char *line =
      g_strdup_printf ("%-32s %-11s %s%s%s", result->model, result->mode, verdict,
                       result->work ? " " : "", result->work ? result->work : "");

  scope_terminal_print (line, INDENT);
  fflush (stdout);
}

/* --- JSON --- */

static void
describe_types (ScopeJson *json, const ScopeOperatorResult *result)
{
  scope_json_begin_list (json, "wrong_types");
  for (HybDType dtype = 0; dtype < HYB_N_DTYPES; dtype++)
    {
      const ScopeTypeResult *type = &result->types[dtype];

      if (!type->why)
        continue;
      scope_json_begin_object (json, NULL);
      scope_json_string (json, "type", hyb_dtype_name (dtype));
      scope_json_double (json, "error", type->error);
      scope_json_string (json, "failure", type->why);
      scope_json_end (json);
    }
  scope_json_end (json);
}

static void
describe_operator (ScopeJson *json, const char *op, const ScopeOperatorResult *result)
{
  scope_json_begin_object (json, NULL);
  scope_json_string (json, "name", op);
  scope_json_boolean (json, "passed", !result->why);
  scope_json_string (json, "failure", result->why);
  describe_types (json, result);
  scope_json_string (json, "note", result->note);
  scope_json_int (json, "comparisons", result->n);
  scope_json_double (json, "error", result->error);
  scope_json_end (json);
}

void
scope_results_describe_operators (ScopeJson *json, const ScopeOperatorResults *results)
{
  g_autofree const char **names = scope_operator_results_list (results);

  scope_json_begin_list (json, "operators");
  for (guint i = 0; names[i]; i++)
    describe_operator (json, names[i], g_hash_table_lookup (results->operators, names[i]));
  scope_json_end (json);
  scope_json_int (json, "samples", results->n_samples);
  scope_json_int (json, "samples_without_time", results->n_left);
  scope_json_string (json, "lost", results->lost);
}

void
scope_results_describe_model (ScopeJson *json, const ScopeModelResult *result)
{
  scope_json_string (json, "model", result->model);
  scope_json_string (json, "mode", result->mode);
  scope_json_boolean (json, "passed", !result->failure);
  scope_json_string (json, "failure", result->failure);
  scope_json_string (json, "note", result->note);
  scope_json_int (json, "arrays", result->n_arrays);
  scope_json_double (json, "error", result->error);
  scope_json_string (json, "work", result->work);
}
