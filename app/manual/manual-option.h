/* manual-option.h — the options of a command as pages and scripts need them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/frame/command.h"

typedef enum
{
  SCOPE_TAKES_NOTHING,
  SCOPE_TAKES_FILE,
  SCOPE_TAKES_CHOICE, /* one of its choices, or several with commas between them */
  SCOPE_TAKES_LISTED, /* a name that hscope lists */
  SCOPE_TAKES_TEXT,   /* a number or any other text */
} ScopeTakes;

typedef struct
{
  const GOptionEntry *entry;
  ScopeTakes          takes;
  const char         *choices; /* separated by spaces, or NULL */
  const char
      *lister; /* a command line that prints the names, each at the start of a line, or NULL */
} ScopeManualOption;

/* Prints the names in a list that hscope prints: the first words of lines that begin with a letter. */
#define SCOPE_NAMES_FILTER "2>/dev/null | sed -n '/ not there: /d; s/^\\([A-Za-z_][^ ]*\\).*/\\1/p'"

/* The command that lists the models of the gallery. */
#define SCOPE_GALLERY_LISTER "hscope new --list"
/* TRUE if an argument of the command is a model; then it may be one of the gallery. */
gboolean scope_manual_takes_model (const ScopeCommand *command);

/* Calls visit with each option of the command, its own first, then the common ones. */
void scope_manual_each_option (const ScopeCommand *command,
                               void (*visit) (const ScopeManualOption *option, gpointer data),
                               gpointer data);
