/* session.c — which models are open, kept in the settings with a flag that is cleared at a normal end.
 *
 * The flag is set while the program runs, so a crash leaves it set.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/session/session.h"

#include "app/session/settings.h"

#define OPEN    "open"
#define RUNNING "running"

char **
scope_session_begin (void)
{
  gboolean was_running = scope_settings_get_flag (RUNNING, FALSE);
  char   **models = was_running ? scope_settings_get_list (OPEN) : g_new0 (char *, 1);

  scope_settings_set_flag (RUNNING, TRUE);
  return models;
}

void
scope_session_set_open (const char *const *models)
{
  scope_settings_set_list (OPEN, models);
}

void
scope_session_end (void)
{
  scope_settings_set_flag (RUNNING, FALSE);
}
