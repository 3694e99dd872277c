/* command-list.c — the table of commands: a new one is a line here.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/frame/command-list.h"

#include <string.h>

extern const ScopeCommand scope_command_info;
extern const ScopeCommand scope_command_check;
extern const ScopeCommand scope_command_run;
extern const ScopeCommand scope_command_profile;
extern const ScopeCommand scope_command_import;
extern const ScopeCommand scope_command_report;
extern const ScopeCommand scope_command_compare;
extern const ScopeCommand scope_command_convert;
extern const ScopeCommand scope_command_extract;
extern const ScopeCommand scope_command_prove;
extern const ScopeCommand scope_command_diff;
extern const ScopeCommand scope_command_weights;
extern const ScopeCommand scope_command_bench;
extern const ScopeCommand scope_command_devices;
extern const ScopeCommand scope_command_selftest;
extern const ScopeCommand scope_command_render;
extern const ScopeCommand scope_command_new;
extern const ScopeCommand scope_command_trace;
extern const ScopeCommand scope_command_train;
extern const ScopeCommand scope_command_sweep;
extern const ScopeCommand scope_command_targets;

const ScopeCommand *const scope_commands[] = {
  &scope_command_info,     &scope_command_check,
  &scope_command_run,      &scope_command_profile,
  &scope_command_weights,  &scope_command_render,
  &scope_command_new,      &scope_command_trace,
  &scope_command_train,    &scope_command_bench,
  &scope_command_import,   &scope_command_compare,
  &scope_command_convert,  &scope_command_extract,
  &scope_command_prove,    &scope_command_report,
  &scope_command_diff,     &scope_command_devices,
  &scope_command_selftest, &scope_command_sweep,
  &scope_command_targets,  NULL,
};

const ScopeCommand *
scope_command_find (const char *name)
{
  for (guint i = 0; scope_commands[i]; i++)
    if (strcmp (name, scope_commands[i]->name) == 0)
      return scope_commands[i];
  return NULL;
}
