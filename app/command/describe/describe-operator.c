/* describe-operator.c — one operator as a page of text or as JSON.
 *
 * Everything is read from the operator's struct (engine/op/op.h).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/describe/describe-operator.h"

#include "app/command/frame/messages.h"
#include "engine/op/suggest.h"
#include "engine/op/twin.h"
#include "profiler/summary/summary.h"

#include <stdio.h>

/* The text expected for an attribute in a file, by HybParamKind. */
static const char *const kinds[] = {
  [HYB_PARAM_INT] = "integer",        [HYB_PARAM_OPTIONAL_INT] = "integer or None",
  [HYB_PARAM_FLOAT] = "number",       [HYB_PARAM_OPTIONAL_FLOAT] = "number or None",
  [HYB_PARAM_BOOL] = "True or False", [HYB_PARAM_OPTIONAL_BOOL] = "True, False or None",
  [HYB_PARAM_ENUM] = "one of",        [HYB_PARAM_DTYPE] = "element type",
  [HYB_PARAM_SHAPE] = "shape",        [HYB_PARAM_INTS] = "integers",
  [HYB_PARAM_FLOATS] = "numbers",     [HYB_PARAM_STRING] = "text",
  [HYB_PARAM_TENSOR] = "array",
};

/* "integer, 1 to 8", "one of null, same".  (transfer full) */
static char *
describe_values (const HybParam *param)
{
  g_autofree char *choices = param->choices ? g_strjoinv (", ", (char **) param->choices) : NULL;

  if (choices)
    return g_strdup_printf ("%s %s", kinds[param->kind], choices);
  if (param->low == param->high)
    return g_strdup (kinds[param->kind]);
  if (param->high >= G_MAXINT32)
    return g_strdup_printf ("%s, at least %g", kinds[param->kind], param->low);
  return g_strdup_printf ("%s, %g to %g", kinds[param->kind], param->low, param->high);
}

static const char *
describe_gradient (const HybOp *op)
{
  if (op->flags & HYB_OP_NO_GRADIENT)
    return "zero everywhere";
  if (!op->gradient)
    return "none";
  return op->flags & HYB_OP_CUSTOM_GRADIENT ? "its own, which is not the derivative" : "yes";
}

/* The names of element types in a mask.  (transfer full) */
static GPtrArray *
list_dtypes (const HybOp *op)
{
  GPtrArray *names = g_ptr_array_new ();
  guint32    mask = op->dtypes ? op->dtypes : HYB_DTYPES_F32;

  for (guint i = 0; i < HYB_N_DTYPES; i++)
    if (mask & HYB_DTYPE_BIT (i))
      g_ptr_array_add (names, (gpointer) hyb_dtype_name ((HybDType) i));
  g_ptr_array_add (names, NULL);
  return names;
}

/* The outputs that users see.  (transfer full) */
static GPtrArray *
list_outputs (const HybOp *op)
{
  static const char *const single[] = { "output", NULL };
  const char *const       *all = op->outputs ? op->outputs : single;
  GPtrArray               *names = g_ptr_array_new ();

  for (guint i = 0; all[i]; i++)
    if (all[i][0] != '_')
      g_ptr_array_add (names, (gpointer) all[i]);
  g_ptr_array_add (names, NULL);
  return names;
}

/* The names of the subgraphs, of which an operator has `n_bodies`.  (transfer full) */
static GPtrArray *
list_bodies (const HybOp *op)
{
  GPtrArray *names = g_ptr_array_new ();

  for (guint i = 0; i < op->n_bodies; i++)
    g_ptr_array_add (names, (gpointer) op->body_names[i]);
  g_ptr_array_add (names, NULL);
  return names;
}

/* --- Text --- */

static void
print_names (const char *what, const char *const *names)
{
  g_autofree char *text = names ? g_strjoinv (", ", (char **) names) : NULL;

  if (text && *text)
    printf ("%-12s%s\n", what, text);
}

static void
print_param (const HybParam *param)
{
  g_autofree char *values = describe_values (param);

  printf ("  %s: %s; ", param->name, values);
  if (param->fallback)
    printf ("default %s\n", *param->fallback ? param->fallback : "empty");
  else
    printf ("required\n");
  if (param->doc)
    printf ("      %s\n", param->doc);
}

static void
print_text (const HybOp *op)
{
  g_auto (GStrv) names = hyb_op_dup_names (op);
  g_autoptr (GPtrArray) dtypes = list_dtypes (op);
  g_autoptr (GPtrArray) outputs = list_outputs (op);
  g_autoptr (GPtrArray) bodies = list_bodies (op);

  printf ("%s\n%s\n\n", op->name, op->doc);
  print_names ("also", (const char *const *) names + 1);
  printf ("%-12s%s\n", "category", prof_category_name (op->category));
  print_names ("inputs", op->inputs);
  print_names ("outputs", (const char *const *) outputs->pdata);
  if (op->arity || op->body_arity)
    printf ("%-12sthe attributes say how many inputs and outputs there are\n", "");
  print_names ("subgraphs", (const char *const *) bodies->pdata);
  if (op->dtypes == HYB_DTYPES_ALL)
    printf ("%-12sall element types\n", "computes in");
  else if (op->forward || op->compute)
    print_names ("computes in", (const char *const *) dtypes->pdata);
  else
    printf ("%-12snothing; only types are inferred\n", "computes in");
  printf ("%-12s%s\n", "gradient", describe_gradient (op));
  printf ("%-12s%s\n", "on a GPU", hyb_op_has_twin (op) ? "yes" : "no, on the processor");
  if (!op->params)
    return;
  printf ("\nattributes\n");
  for (const HybParam *param = op->params; param->name; param++)
    print_param (param);
}

/* --- JSON --- */

static void
write_names (ScopeJson *json, const char *key, const char *const *names)
{
  scope_json_begin_list (json, key);
  for (guint i = 0; names && names[i]; i++)
    scope_json_string (json, NULL, names[i]);
  scope_json_end (json);
}

static void
write_param (ScopeJson *json, const HybParam *param)
{
  scope_json_begin_object (json, NULL);
  scope_json_string (json, "name", param->name);
  scope_json_string (json, "kind", kinds[param->kind]);
  if (param->choices)
    write_names (json, "choices", param->choices);
  if (param->low != param->high)
    {
      scope_json_double (json, "low", param->low);
      scope_json_double (json, "high", param->high);
    }
  if (param->fallback)
    scope_json_string (json, "default", param->fallback);
  scope_json_boolean (json, "required", !param->fallback);
  if (param->doc)
    scope_json_string (json, "doc", param->doc);
  scope_json_end (json);
}

void
scope_describe_operator (ScopeJson *json, const HybOp *op)
{
  g_auto (GStrv) names = hyb_op_dup_names (op);
  g_autoptr (GPtrArray) dtypes = list_dtypes (op);
  g_autoptr (GPtrArray) outputs = list_outputs (op);
  g_autoptr (GPtrArray) bodies = list_bodies (op);

  scope_json_string (json, "name", op->name);
  scope_json_string (json, "doc", op->doc);
  write_names (json, "aliases", (const char *const *) names + 1);
  scope_json_string (json, "category", prof_category_name (op->category));
  write_names (json, "inputs", op->inputs);
  write_names (json, "outputs", (const char *const *) outputs->pdata);
  write_names (json, "subgraphs", (const char *const *) bodies->pdata);
  write_names (json, "dtypes", (const char *const *) dtypes->pdata);
  scope_json_boolean (json, "runs", op->forward || op->compute);
  scope_json_boolean (json, "differentiable", op->gradient || op->flags & HYB_OP_NO_GRADIENT);
  scope_json_string (json, "gradient", describe_gradient (op));
  scope_json_boolean (json, "gpu", hyb_op_has_twin (op));
  scope_json_begin_list (json, "attributes");
  for (const HybParam *param = op->params; param && param->name; param++)
    write_param (json, param);
  scope_json_end (json);
}

/* --- One operator --- */

static gboolean
report_missing (const char *name, GError **error)
{
  const char             *reason = hyb_op_missing_reason (name);
  guint                   n_ops;
  const HybOp *const     *ops = hyb_op_list (&n_ops);
  g_autofree const char **names = g_new (const char *, n_ops);
  const char             *near;

  if (reason)
    return scope_usage_error (error, "MXNet's operator “%s” does not exist here: %s", name, reason);
  for (guint i = 0; i < n_ops; i++)
    names[i] = ops[i]->name;
  near = hyb_suggest_name (names, n_ops, name);
  return scope_usage_error (error, "there is no operator “%s”; %s%s%s", name,
                            near ? "did you mean “" : "hscope info --operators lists them",
                            near ? near : "", near ? "”?" : "");
}

gboolean
scope_print_operator (const char *name, gboolean as_json, GError **error)
{
  const HybOp *op = hyb_op_find (name);
  g_autoptr (ScopeJson) json = as_json ? scope_json_new () : NULL;

  if (!op)
    return report_missing (name, error);
  if (!json)
    {
      print_text (op);
      return TRUE;
    }
  scope_describe_operator (json, op);
  scope_json_print (json);
  return TRUE;
}
