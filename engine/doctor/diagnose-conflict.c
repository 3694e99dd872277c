/* diagnose-conflict.c — reports shapes that contradict each other, with the facts that collide.
 *
 * conflict.c finds them.  A shape that the user has given is examined before parameters are: parameters that
 * agree with the graph are not wrong because of it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/doctor/diagnosis.h"

#include "engine/base/translate.h"
#include "engine/doctor/conflict.h"
#include "engine/doctor/size-attributes.h"

/* The parameters of a diagnosis, for hyb_conflict_describe(). */
typedef struct
{
  HybDiagnosis *diagnosis;
  char         *in_file;
} Sources;

static gboolean
is_parameter (const HybDiagnosis *diagnosis, HybNodeId variable)
{
  for (guint i = 0; i < diagnosis->n_variables; i++)
    if (diagnosis->variables[i] == variable)
      return diagnosis->parameters[i] != NULL;
  return FALSE;
}

static const char *
name_source (HybNodeId variable, gpointer data)
{
  const Sources *sources = data;

  return is_parameter (sources->diagnosis, variable) ? sources->in_file : _ ("as given");
}

/* (transfer full) */
static char *
describe (HybDiagnosis *diagnosis, const HybConflict *conflict, const HybType *facts)
{
  const char      *file = hyb_model_get_weights_file (diagnosis->model);
  g_autofree char *name = file ? g_path_get_basename (file) : g_strdup (_ ("the parameters"));
  g_autofree char *in_file = g_strdup_printf ("in %s", name);
  Sources          sources = { diagnosis, in_file };
  HybConflictFacts all = { facts, name_source, &sources };

  return hyb_conflict_describe (conflict, diagnosis->graph, &all);
}

/* The shapes of parameters, and with_given the shapes from the user.  (transfer full) */
static HybType *
collect_facts (const HybDiagnosis *diagnosis, gboolean with_given)
{
  guint    n = hyb_graph_n_values (diagnosis->graph);
  HybType *facts = g_new (HybType, MAX (n, 1));

  for (guint i = 0; i < n; i++)
    facts[i] = with_given ? diagnosis->types[i] : HYB_TYPE_UNKNOWN;
  for (guint i = 0; i < diagnosis->n_variables; i++)
    {
      HybType *fact = &facts[hyb_diagnosis_variable (diagnosis, i)->first_output];

      /* Nothing that is computed depends on the labels of a training head. */
      if (hyb_graph_get_role (diagnosis->graph, diagnosis->variables[i], FALSE) == HYB_ROLE_LABEL)
        *fact = HYB_TYPE_UNKNOWN;
      else if (diagnosis->parameters[i])
        fact->shape = diagnosis->shapes[i];
    }
  return facts;
}

char *
hyb_diagnosis_suggest_size (HybDiagnosis *diagnosis)
{
  g_autofree HybType *facts = collect_facts (diagnosis, FALSE);
  g_autoptr (HybConflict) conflict = hyb_conflict_find (diagnosis->graph, facts);
  g_autofree char *size =
      conflict ? hyb_size_suggest (diagnosis->graph, facts, conflict->node) : NULL;

  return size ? g_strdup_printf (_ ("Did you mean %s of “%s”? All shapes would agree"), size,
                                 hyb_graph_get_node (diagnosis->graph, conflict->node)->name)
              : NULL;
}

static void
report (HybDiagnosis *diagnosis, const HybConflict *conflict, const HybType *facts)
{
  g_autofree char *text = describe (diagnosis, conflict, facts);
  g_autofree char *size = hyb_diagnosis_suggest_size (diagnosis);
  HybFinding      *finding =
      hyb_diagnosis_report (diagnosis,
                            &(DiagnosisIssue){
                                HYB_SEVERITY_ERROR, "shape-conflict", conflict->node,
                                size ? size
                                : conflict->facts->len > 0
                                    ? _ ("One of these facts is wrong: give another shape, "
                                         "or load the parameters of this graph")
                                    : _ ("Check the attributes of the nodes that are named") },
                            "%s", text);

  for (guint i = 0; i < conflict->facts->len; i++)
    {
      HybNodeId        id = g_array_index (conflict->facts, HybNodeId, i);
      const HybNode   *node = hyb_graph_get_node (diagnosis->graph, id);
      HybShape         shape = hyb_conflict_expect (conflict, diagnosis->graph, facts, i);
      g_autofree char *expected = hyb_shape_to_json (&shape);
      g_autofree char *got = hyb_shape_to_json (&facts[node->first_output].shape);

      hyb_finding_add_item (finding, node->name, expected, got);
      if (!is_parameter (diagnosis, id))
        finding->remedy = HYB_REMEDY_SHAPES;
    }
  if (size)
    finding->remedy = HYB_REMEDY_ATTRIBUTES;
}

gboolean
hyb_diagnosis_report_conflict (HybDiagnosis *diagnosis, const HybType *facts)
{
  g_autoptr (HybConflict) conflict = hyb_conflict_find (diagnosis->graph, facts);

  if (conflict)
    report (diagnosis, conflict, facts);
  return conflict != NULL;
}

char *
hyb_diagnosis_explain_shapes (HybDiagnosis *diagnosis)
{
  g_autofree HybType *facts = collect_facts (diagnosis, FALSE);
  g_autoptr (HybConflict) conflict = hyb_conflict_find (diagnosis->graph, facts);

  return conflict ? describe (diagnosis, conflict, facts) : NULL;
}

/* Resets the given shapes of a conflict, so that other conflicts are found without them. */
static void
forget_given (HybDiagnosis *diagnosis, const HybConflict *conflict)
{
  for (guint i = 0; i < conflict->facts->len; i++)
    {
      HybNodeId id = g_array_index (conflict->facts, HybNodeId, i);

      if (!is_parameter (diagnosis, id))
        diagnosis->types[hyb_graph_get_node (diagnosis->graph, id)->first_output].shape =
            HYB_SHAPE_UNKNOWN;
    }
}

/* TRUE if a shape that was given takes part. */
static gboolean
is_about_given (const HybDiagnosis *diagnosis, const HybConflict *conflict)
{
  for (guint i = 0; i < conflict->facts->len; i++)
    if (!is_parameter (diagnosis, g_array_index (conflict->facts, HybNodeId, i)))
      return TRUE;
  return FALSE;
}

void
hyb_diagnose_given_shapes (HybDiagnosis *diagnosis)
{
  g_autofree HybType *files = collect_facts (diagnosis, FALSE);
  g_autofree HybType *all = collect_facts (diagnosis, TRUE);
  g_autoptr (HybConflict) without = hyb_conflict_find (diagnosis->graph, files);
  g_autoptr (HybConflict) conflict = without ? NULL : hyb_conflict_find (diagnosis->graph, all);

  /* The length of a flat vector has a finding of its own. */
  if (!conflict || !is_about_given (diagnosis, conflict))
    return;
  for (guint i = 0; i < conflict->facts->len; i++)
    if (hyb_diagnosis_is_flat_vector (diagnosis, g_array_index (conflict->facts, HybNodeId, i)))
      return;
  report (diagnosis, conflict, all);
  forget_given (diagnosis, conflict);
}
