/* manual-option.h — the options of a command as pages and scripts need them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/command.h"

typedef enum
{
  SCOPE_TAKES_NOTHING,
  SCOPE_TAKES_FILE,
  SCOPE_TAKES_CHOICE, /* one of its choices */
  SCOPE_TAKES_TEXT,   /* a number or any other text */
} ScopeTakes;

typedef struct
{
  const GOptionEntry *entry;
  ScopeTakes          takes;
  const char         *choices; /* separated by spaces, or NULL */
} ScopeManualOption;

/* Calls visit with each option of the command, its own first, then the common ones. */
void scope_manual_each_option (const ScopeCommand *command,
                               void (*visit) (const ScopeManualOption *option, gpointer data),
                               gpointer data);
