/* diagnose-weights.c — rules about parameters (their names and contents), and about states and labels
 * that are inputs.
 *
 * diagnose-types.c checks their shapes and element types.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/doctor/diagnosis.h"

#include "engine/base/translate.h"
#include "engine/doctor/match-parameters.h"
#include "engine/doctor/misspelt-parameters.h"
#include "engine/doctor/rival-names.h"
#include "engine/formats/model-weights.h"
#include "engine/op/suggest.h"
#include "engine/tensor/finite.h"

#include <math.h>
#include <string.h>

/* How many parameters the graph has, and how many of them the model lacks. */
static guint
count_parameters (const HybDiagnosis *diagnosis, guint *n_missing)
{
  guint n = 0;

  *n_missing = 0;
  for (guint i = 0; i < diagnosis->n_variables; i++)
    if (diagnosis->roles[i] == HYB_ROLE_PARAMETER)
      {
        n++;
        *n_missing += !diagnosis->parameters[i];
      }
  return n;
}

/* (transfer full) */
static char *
hint_for_missing (const HybDiagnosis *diagnosis, const char *name)
{
  const char *near = hyb_suggest_name ((const char *const *) diagnosis->unused->pdata,
                                       diagnosis->unused->len, name);

  if (near)
    return g_strdup_printf (_ ("The file has “%s” instead of “%s”"), near, name);
  for (guint i = 0; i < diagnosis->unused->len; i++)
    if (strchr (diagnosis->unused->pdata[i], '.'))
      return g_strdup (
          _ ("The file has names with dots, so save_parameters() wrote it; load it into "
             "its Gluon block and use export()"));

  return g_strdup (_ ("Load the parameters that were exported with this graph"));
}

static void
report_missing (HybDiagnosis *diagnosis)
{
  g_autoptr (GPtrArray) misspelt = hyb_misspelt_parameters (diagnosis->model);
  HybFinding *finding = NULL;
  guint       n_missing = 0;

  for (guint i = 0; i < diagnosis->n_variables; i++)
    {
      const HybNode   *node = hyb_diagnosis_variable (diagnosis, i);
      g_autofree char *expected = NULL, *hint = NULL;

      if (diagnosis->roles[i] != HYB_ROLE_PARAMETER || diagnosis->parameters[i])
        continue;
      if (!finding)
        {
          hint = hint_for_missing (diagnosis, node->name);
          finding =
              hyb_diagnosis_report (diagnosis,
                                    &(DiagnosisIssue){ HYB_SEVERITY_ERROR, "missing-parameter",
                                                       diagnosis->variables[i], hint },
                                    _ ("%s has no array for variables of the graph"),
                                    hyb_model_get_weights_file (diagnosis->model));
        }
      expected = hyb_shape_to_json (&diagnosis->types[node->first_output].shape);
      hyb_finding_add_item (finding, node->name, expected, NULL);
      n_missing++;
    }
  if (finding && misspelt->len == 2 * n_missing)
    finding->remedy = HYB_REMEDY_REPAIR;
}

static void
report_unused (HybDiagnosis *diagnosis, guint n_missing)
{
  HybFinding *finding;

  if (diagnosis->unused->len == 0)
    return;

  finding =
      hyb_diagnosis_report (diagnosis,
                            &(DiagnosisIssue){
                                HYB_SEVERITY_WARNING, "unused-parameter", HYB_NO_ID,
                                _ ("MXNet’s import refuses them unless ignore_extra is set") },
                            _ ("the graph has no variables for arrays of the file"));
  /* If others are missing, an unused one may be a missing one under another name: no repair. */
  if (n_missing == 0)
    finding->remedy = HYB_REMEDY_REPAIR;
  g_free (finding->file);
  finding->file = g_strdup (hyb_model_get_weights_file (diagnosis->model));
  for (guint i = 0; i < diagnosis->unused->len; i++)
    {
      const char      *name = diagnosis->unused->pdata[i];
      g_autofree char *got = hyb_shape_to_json (
          hyb_tensor_get_shape (hyb_model_get_parameter (diagnosis->model, name)));

      hyb_finding_add_item (finding, name, NULL, got);
    }
}

/* TRUE if an operator that is not known reads the variable: it may write it as well. */
static gboolean
has_opaque_reader (HybGraph *graph, HybNodeId variable)
{
  guint            n;
  HybValueId       value = hyb_graph_get_node (graph, variable)->first_output;
  const HybNodeId *users = hyb_graph_get_users (graph, value, &n);

  for (guint i = 0; i < n; i++)
    if (hyb_graph_get_node (graph, users[i])->op->flags & HYB_OP_OPAQUE)
      return TRUE;
  return FALSE;
}

/* Reports auxiliary states that are stored as arguments, and the other way round. */
static void
report_prefixes (HybDiagnosis *diagnosis)
{
  HybFinding *finding = NULL;

  for (guint i = 0; i < hyb_model_n_parameters (diagnosis->model); i++)
    {
      const char *name = hyb_model_get_parameter_name (diagnosis->model, i);
      HybNodeId   id = hyb_graph_find_variable (diagnosis->graph, name);
      HybPrefix   prefix = hyb_model_get_parameter_prefix (diagnosis->model, i);
      HybPrefix   correct;

      if (id == HYB_NO_ID || prefix == HYB_PREFIX_NONE || has_opaque_reader (diagnosis->graph, id))
        continue;
      correct = hyb_variable_is_stored_as_auxiliary (diagnosis->graph, id) ? HYB_PREFIX_AUX
                                                                           : HYB_PREFIX_ARG;
      if (prefix == correct)
        continue;
      if (!finding)
        {
          finding =
              hyb_diagnosis_report (diagnosis,
                                    &(DiagnosisIssue){ HYB_SEVERITY_WARNING, "wrong-prefix", id,
                                                       _ ("Write them with the correct prefix") },
                                    _ ("auxiliary states are stored as arguments, or arguments as "
                                       "auxiliary states"));
          finding->remedy = HYB_REMEDY_REPAIR;
        }
      hyb_finding_add_item (finding, name, correct == HYB_PREFIX_AUX ? "\"aux:\"" : "\"arg:\"",
                            prefix == HYB_PREFIX_AUX ? "\"aux:\"" : "\"arg:\"");
    }
}

/* Reports parameters that match by kind, order and shape, but have other names: from
 * save_parameters(), or from blocks that were counted differently. */
static void
report_guess (HybDiagnosis *diagnosis, GPtrArray *pairs)
{
  HybFinding *finding = hyb_diagnosis_report (
      diagnosis,
      &(DiagnosisIssue){ HYB_SEVERITY_ERROR, "missing-parameter",
                         hyb_graph_find_variable (diagnosis->graph, pairs->pdata[0]),
                         _ ("Kind, order and shape of all arrays agree: give them the names of the "
                            "graph, or export the network with export()") },
      _ ("%s names its arrays in another way than the graph"),
      hyb_model_get_weights_file (diagnosis->model));
  finding->remedy = HYB_REMEDY_REPAIR;

  for (guint i = 0; i < pairs->len; i += 2)
    {
      g_autofree char *expected = g_strdup_printf ("\"%s\"", (char *) pairs->pdata[i]);
      g_autofree char *got = g_strdup_printf ("\"%s\"", (char *) pairs->pdata[i + 1]);

      hyb_finding_add_item (finding, pairs->pdata[i], expected, got);
    }
}

static void
report_no_file (HybDiagnosis *diagnosis, guint n_parameters)
{
  HybFinding *finding =
      hyb_diagnosis_report (diagnosis,
                            &(DiagnosisIssue){ HYB_SEVERITY_NOTE, "no-parameters", HYB_NO_ID,
                                               _ ("Choose the file that was exported with it") },
                            _ ("the graph has %u parameters, but no file of parameters was found "
                               "beside "
                               "it"),
                            n_parameters);

  finding->remedy = HYB_REMEDY_PARAMETERS;
}

/* TRUE if there is a parameter file, but the reader could not read it and said why. */
static gboolean
is_unreadable (const HybDiagnosis *diagnosis)
{
  GPtrArray  *findings = hyb_model_get_findings (diagnosis->model);
  const char *file = hyb_model_get_weights_file (diagnosis->model);

  if (hyb_model_n_parameters (diagnosis->model) > 0)
    return FALSE;
  for (guint i = 0; i < findings->len; i++)
    {
      const HybFinding *finding = findings->pdata[i];

      if (finding->severity == HYB_SEVERITY_ERROR && g_strcmp0 (finding->file, file) == 0)
        return TRUE;
    }
  return FALSE;
}

void
hyb_diagnose_names (HybDiagnosis *diagnosis)
{
  guint n_missing, n_parameters = count_parameters (diagnosis, &n_missing);
  g_autoptr (GPtrArray) guess = NULL;
  g_autoptr (GPtrArray) rival = NULL;

  if (diagnosis->is_wrong_pair)
    return;

  if (!diagnosis->has_weights)
    {
      if (n_parameters > 0)
        report_no_file (diagnosis, n_parameters);
      return;
    }
  if (is_unreadable (diagnosis))
    return;

  guess = hyb_model_guess_parameters (diagnosis->model, &rival);
  if (guess && !rival)
    {
      report_guess (diagnosis, guess);
      return;
    }
  if (rival)
    hyb_rival_report (diagnosis->model, guess, rival);
  report_missing (diagnosis);
  report_unused (diagnosis, n_missing);
  report_prefixes (diagnosis);
}

void
hyb_diagnose_inputs (HybDiagnosis *diagnosis)
{
  static const struct
  {
    HybRole     role;
    HybSeverity severity;
    const char *code, *message, *hint;
  } inputs[] = {
    { HYB_ROLE_STATE, HYB_SEVERITY_WARNING, "state-as-input",
      N_ ("the initial states of a recurrent layer are inputs of the graph"),
      N_ ("Give zeros of the shape (layers × directions, batch, hidden), list them as inputs when "
          "importing into MXNet, or wrap the layer in a block before exporting") },
    { HYB_ROLE_LABEL, HYB_SEVERITY_NOTE, "label-needed",
      N_ ("the graph ends in a loss that needs a label"),
      N_ ("The outputs do not depend on it: MXNet needs zeros of its shape, and here it can be "
          "left "
          "out") },
  };

  for (guint k = 0; k < G_N_ELEMENTS (inputs); k++)
    {
      HybFinding *finding = NULL;

      for (guint i = 0; i < diagnosis->n_variables; i++)
        {
          const HybNode   *node = hyb_diagnosis_variable (diagnosis, i);
          g_autofree char *expected =
              hyb_shape_to_json (&diagnosis->types[node->first_output].shape);

          if (diagnosis->roles[i] != inputs[k].role || diagnosis->parameters[i])
            continue;
          if (!finding)
            finding = hyb_diagnosis_report (diagnosis,
                                            &(DiagnosisIssue){ inputs[k].severity, inputs[k].code,
                                                               diagnosis->variables[i],
                                                               _ (inputs[k].hint) },
                                            "%s", _ (inputs[k].message));
          hyb_finding_add_item (finding, node->name, expected, NULL);
        }
    }
}

/* *finding: created with the first parameter that has NaN or infinity. */
static void
check_finite (HybDiagnosis *diagnosis, guint i, HybFinding **finding)
{
  HybStatistics    statistics;
  g_autofree char *got = NULL;

  if (hyb_tensor_is_finite (diagnosis->parameters[i]))
    return;

  hyb_tensor_statistics (diagnosis->parameters[i], &statistics);
  if (!*finding)
    *finding = hyb_diagnosis_report (diagnosis,
                                     &(DiagnosisIssue){
                                         HYB_SEVERITY_ERROR, "not-finite", diagnosis->variables[i],
                                         _ ("Training diverged or the file is damaged; "
                                            "take an earlier epoch") },
                                     _ ("parameters hold NaN or infinity"));
  got = g_strdup_printf ("\"%" G_GINT64_FORMAT " NaN, %" G_GINT64_FORMAT " infinite\"",
                         statistics.n_nan, statistics.n_infinite);
  hyb_finding_add_item (*finding, hyb_diagnosis_variable (diagnosis, i)->name, NULL, got);
}

/* The index of the operand with this name; -1 if the operator has none. */
static int
find_operand (const HybNode *node, const char *name)
{
  for (guint i = 0; node->op->inputs && node->op->inputs[i]; i++)
    if (strcmp (node->op->inputs[i], name) == 0)
      return (int) i;
  return -1;
}

/* With fix_gamma, BatchNorm uses 1 instead of the stored gamma. */
static void
check_fixed_gamma (HybDiagnosis *diagnosis, HybNodeId id, HybFinding **finding)
{
  const HybNode *node = hyb_graph_get_node (diagnosis->graph, id);
  const char    *text = hyb_node_get_attribute (node, "fix_gamma");
  int            operand = find_operand (node, "gamma");
  HybStatistics  statistics;
  const HybNode *gamma;
  HybTensor     *tensor;

  if (operand < 0 || operand >= (int) node->n_inputs || !text ||
      g_ascii_strcasecmp (text, "false") == 0 || strcmp (text, "0") == 0)
    return;

  gamma = hyb_graph_get_node (diagnosis->graph,
                              hyb_graph_get_producer (diagnosis->graph,
                                                      hyb_graph_get_inputs (diagnosis->graph,
                                                                            id)[operand]));
  tensor = hyb_model_get_parameter (diagnosis->model, gamma->name);
  if (!tensor)
    return;

  hyb_tensor_statistics (tensor, &statistics);
  if (statistics.minimum == 1 && statistics.maximum == 1)
    return;
  if (!*finding)
    *finding =
        hyb_diagnosis_report (diagnosis,
                              &(DiagnosisIssue){
                                  HYB_SEVERITY_NOTE, "fixed-gamma", id,
                                  _ ("Converters to other frameworks must write 1 in its place") },
                              _ ("gamma is stored with values other than 1, but fix_gamma makes "
                                 "every run use 1"));
  hyb_finding_add_item (*finding, gamma->name, NULL, NULL);
}

void
hyb_diagnose_contents (HybDiagnosis *diagnosis)
{
  HybFinding *finite = NULL, *gamma = NULL;

  for (guint i = 0; i < diagnosis->n_variables; i++)
    if (diagnosis->parameters[i])
      check_finite (diagnosis, i, &finite);
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (diagnosis->graph); id++)
    check_fixed_gamma (diagnosis, id, &gamma);
}
