/* manual.h — pages and scripts that are made from the tables of commands and options.
 *
 * manual.c has the table of them; each is one file in this folder.  Start there.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/frame/command-list.h"

/* One kind of file.  A file belongs to the first kind whose pattern its name matches. */
typedef struct
{
  const char *pattern; /* of the file's name, with “*” and “?” */

  /* Appends the text of the file of this name.  FALSE: there is no text of this name. */
  gboolean (*write) (GString *text, const char *name);
} ScopeManualKind;

extern const ScopeManualKind scope_manual_window;
extern const ScopeManualKind scope_manual_overview;
extern const ScopeManualKind scope_manual_command;
extern const ScopeManualKind scope_manual_bash;
extern const ScopeManualKind scope_manual_zsh;
extern const ScopeManualKind scope_manual_fish;
