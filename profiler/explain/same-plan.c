/* same-plan.c — compares the plans of two subjects, node by node.
 *
 * Passes have already run, so two forms that passes turn into the same graph are the same.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/explain/same-plan.h"

#include <string.h>

static gboolean
has_same_attributes (const HybNode *a, const HybNode *b)
{
  const char *const *x = a->attributes, *const *y = b->attributes;

  for (; x && *x && y && *y; x++, y++)
    if (strcmp (*x, *y) != 0)
      return FALSE;
  return !(x && *x) && !(y && *y);
}

static gboolean has_same_nodes (HybGraph *a, HybGraph *b);

static gboolean
is_same_node (HybGraph *a, HybGraph *b, HybNodeId id)
{
  const HybNode *x = hyb_graph_get_node (a, id), *y = hyb_graph_get_node (b, id);

  if (x->op != y->op || x->n_inputs != y->n_inputs || x->n_outputs != y->n_outputs ||
      x->n_bodies != y->n_bodies || !has_same_attributes (x, y))
    return FALSE;
  for (guint i = 0; i < x->n_inputs; i++)
    if (hyb_graph_get_inputs (a, id)[i] != hyb_graph_get_inputs (b, id)[i])
      return FALSE;
  for (guint i = 0; i < x->n_bodies; i++)
    if (!has_same_nodes (hyb_graph_get_bodies (a, id)[i], hyb_graph_get_bodies (b, id)[i]))
      return FALSE;
  return TRUE;
}

static gboolean
has_same_nodes (HybGraph *a, HybGraph *b)
{
  guint             n_a, n_b;
  const HybValueId *heads_a, *heads_b;

  if (a == b)
    return TRUE;
  heads_a = hyb_graph_get_heads (a, &n_a);
  heads_b = hyb_graph_get_heads (b, &n_b);
  if (hyb_graph_n_nodes (a) != hyb_graph_n_nodes (b) ||
      hyb_graph_n_values (a) != hyb_graph_n_values (b) || n_a != n_b)
    return FALSE;
  for (guint i = 0; i < n_a; i++)
    if (heads_a[i] != heads_b[i])
      return FALSE;
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (a); id++)
    if (!is_same_node (a, b, id))
      return FALSE;
  return TRUE;
}

static gboolean
has_same_types (const HybType *a, const HybType *b, guint n)
{
  for (guint i = 0; i < n; i++)
    if (a[i].dtype != b[i].dtype || !hyb_shape_equal (&a[i].shape, &b[i].shape))
      return FALSE;
  return TRUE;
}

gboolean
prof_subject_has_same_plan (const ProfSubject *a, const ProfSubject *b)
{
  const ProfSubjectOptions *of_a = prof_subject_get_options (a);
  const ProfSubjectOptions *of_b = prof_subject_get_options (b);
  const HybPlan            *x = hyb_executor_get_plan (prof_subject_get_executor (a));
  const HybPlan            *y = hyb_executor_get_plan (prof_subject_get_executor (b));

  if (of_a->gpu != of_b->gpu || of_a->mode != of_b->mode || of_a->threads != of_b->threads ||
      of_a->training != of_b->training || !x != !y)
    return FALSE;
  if (!x)
    return has_same_nodes (prof_subject_get_executed (a), prof_subject_get_executed (b)) &&
           has_same_types (prof_subject_get_types (a), prof_subject_get_types (b),
                           hyb_graph_n_values (prof_subject_get_executed (a)));
  return hyb_plan_is_dynamic (x) == hyb_plan_is_dynamic (y) &&
         hyb_plan_get_memory (x) == hyb_plan_get_memory (y) &&
         has_same_nodes (hyb_plan_get_graph (x), hyb_plan_get_graph (y)) &&
         has_same_types (hyb_plan_get_types (x), hyb_plan_get_types (y),
                         hyb_graph_n_values (hyb_plan_get_graph (x)));
}

gboolean
prof_subject_has_plain_plan (const ProfSubject *subject)
{
  const HybPlan *plan = hyb_executor_get_plan (prof_subject_get_executor (subject));

  return !plan || has_same_nodes (hyb_plan_get_graph (plan), prof_subject_get_executed (subject));
}
