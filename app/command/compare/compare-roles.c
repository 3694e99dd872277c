/* compare-roles.c — see compare-roles.h.
 *
 * Start at scope_compare_join_roles(); engine/variants/roles finds the roles, profiler/explain/time-by-role.h sums the times.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/compare/compare-roles.h"

#include "app/adapt/statements.h"
#include "app/command/frame/command.h"
#include "app/command/frame/complete-model.h"

#include "engine/variants/roles/counterparts.h"
#include "profiler/base/format.h"
#include "profiler/explain/time-by-role.h"

#define MAX_ROWS 12 /* on a terminal */

struct _ScopeComparedRoles
{
  GPtrArray   *counterparts; /* of HybCounterpart */
  ProfSummary *summary[2];
  GArray      *rows; /* of ProfRoleTime */
};

void
scope_compared_roles_free (ScopeComparedRoles *roles)
{
  if (!roles)
    return;
  g_clear_pointer (&roles->rows, g_array_unref);
  g_clear_pointer (&roles->counterparts, g_ptr_array_unref);
  prof_summary_free (roles->summary[0]);
  prof_summary_free (roles->summary[1]);
  g_free (roles);
}

static gboolean
is_foreign (const ScopeCompleted *completed)
{
  return completed->model && hyb_graph_get_dialect (hyb_model_get_graph (completed->model));
}

/* Two files as they are, each measured once. */
static gboolean
is_pair (const ScopeComparison *self)
{
  const ScopeGroup *group = self->groups->len == 1 ? self->groups->pdata[0] : NULL;

  return group && group->candidates->len == 2 && self->completed->len == 2 &&
         !self->options->variants && !self->options->backward &&
         ((ScopeCandidate *) group->candidates->pdata[0])->capture &&
         ((ScopeCandidate *) group->candidates->pdata[1])->capture &&
         (is_foreign (self->completed->pdata[0]) || is_foreign (self->completed->pdata[1]));
}

void
scope_compare_join_roles (ScopeComparison *self)
{
  ScopeCompleted *const *completed = (gpointer) self->completed->pdata;
  ProfRoleSide           sides[2];
  g_autoptr (HybTensorList) inputs = NULL;
  g_autoptr (GPtrArray) counterparts = NULL;

  if (!is_pair (self))
    return;
  inputs = scope_shaped_inputs (&completed[0]->completion.common, completed[0]->model, NULL, NULL);
  counterparts =
      inputs ? hyb_counterparts_find (completed[0]->model, completed[1]->model, inputs, NULL)
             : NULL;
  if (!counterparts)
    return;
  self->roles = g_new0 (ScopeComparedRoles, 1);
  for (guint side = 0; side < 2; side++)
    {
      const ScopeGroup  *group = self->groups->pdata[0];
      const ProfCapture *capture = ((ScopeCandidate *) group->candidates->pdata[side])->capture;

      self->roles->summary[side] = prof_summary_new (capture);
      sides[side] = (ProfRoleSide){ hyb_model_get_graph (completed[side]->model), capture,
                                    self->roles->summary[side] };
    }
  self->roles->counterparts = g_steal_pointer (&counterparts);
  self->roles->rows = prof_time_by_role (sides, self->roles->counterparts);
}

/* --- What is said --- */

static void
add_times (ScopeTable *table, double first, double second)
{
  scope_table_add (table, scope_say_time (first), FALSE);
  scope_table_add (table, scope_say_time (second), FALSE);
}

static char *
dup_role (const ProfRoleTime *row)
{
  return row->role ? g_strdup_printf ("%s: %u and %u nodes, “%s”", row->role, row->n[0], row->n[1],
                                      row->node[0])
                   : g_strdup_printf ("nodes of one file alone: %u and %u", row->n[0], row->n[1]);
}

/* Seconds of a traced run that are in no row. */
static double
count_rest (const ScopeComparedRoles *roles, guint side)
{
  double seconds = roles->summary[side]->traced;

  for (guint i = 0; i < roles->rows->len; i++)
    seconds -= g_array_index (roles->rows, ProfRoleTime, i).seconds[side];
  return MAX (seconds, 0);
}

void
scope_compare_say_roles (ScopeSaid *said, const ScopeComparison *self)
{
  static const ScopeTableColumn columns[] = {
    { "role", NULL, FALSE, 0 },
    { "first", NULL, TRUE, 11 },
    { "second", NULL, TRUE, 11 },
    { "difference", NULL, TRUE, 12 },
  };
  const GArray *rows = self->roles ? self->roles->rows : NULL;
  ScopeTable   *table;

  if (!rows || rows->len == 0)
    return;
  scope_said_heading (said, "Traced time by role",
                      "  traced time by role, as hscope diff matches the nodes of both files");
  table = scope_said_table (said, columns, G_N_ELEMENTS (columns));
  table->n_lines = MAX_ROWS;
  for (guint i = 0; i < rows->len; i++)
    {
      const ProfRoleTime *row = &g_array_index (rows, ProfRoleTime, i);

      scope_table_add (table, dup_role (row), FALSE);
      add_times (table, row->seconds[0], row->seconds[1]);
      scope_table_add (table, prof_format_seconds (row->seconds[1] - row->seconds[0]), FALSE);
    }
  scope_table_begin_foot (table);
  scope_table_add (table, g_strdup ("between the nodes"), FALSE);
  add_times (table, count_rest (self->roles, 0), count_rest (self->roles, 1));
  scope_table_add (table, g_strdup (""), FALSE);
}

/* --- JSON --- */

void
scope_compare_describe_roles (ScopeJson *json, const ScopeComparison *self)
{
  if (!self->roles)
    return;
  scope_json_begin_object (json, "roles");
  scope_json_double (json, "a_between_seconds", count_rest (self->roles, 0));
  scope_json_double (json, "b_between_seconds", count_rest (self->roles, 1));
  scope_json_begin_list (json, "rows");
  for (guint i = 0; i < self->roles->rows->len; i++)
    {
      const ProfRoleTime *row = &g_array_index (self->roles->rows, ProfRoleTime, i);

      scope_json_begin_object (json, NULL);
      scope_json_string (json, "role", row->role);
      scope_json_string (json, "a", row->node[0]);
      scope_json_string (json, "b", row->node[1]);
      scope_json_int (json, "a_nodes", row->n[0]);
      scope_json_int (json, "b_nodes", row->n[1]);
      scope_json_double (json, "a_seconds", row->seconds[0]);
      scope_json_double (json, "b_seconds", row->seconds[1]);
      scope_json_end (json);
    }
  scope_json_end (json);
  scope_json_end (json);
}
