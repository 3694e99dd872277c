/* child-message.h — messages of a child process of the window, as lines of JSON on its stderr.
 *
 * A sentence of hscope names an option; the window has a button instead.  So the window requests the sentence
 * and the remedy separately.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/finding.h"

/* If this variable is "json", hscope writes its messages as scope_child_message_write() does. */
#define SCOPE_MESSAGES_VARIABLE "HYBRIDSCOPE_MESSAGES"

typedef struct
{
  HybSeverity severity;
  HybRemedy   remedy;
  char       *text;
  char       *subject; /* the node or variable that it concerns; NULL: unknown */
} ScopeChildMessage;

/* One line without its end: {"event": "message", "severity", "text", "remedy", "subject"}.  (transfer full) */
char *scope_child_message_write (const ScopeChildMessage *message);
/* Reads such a line, or one that begins with "error: ", "warning: " or "note: ", as another version of hscope
 * writes it.  FALSE: it is neither; then *message is empty.  Clear it with scope_child_message_clear(). */
gboolean scope_child_message_read (const char *line, ScopeChildMessage *message);
/* Frees the members. */
void scope_child_message_clear (ScopeChildMessage *message);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ScopeChildMessage, scope_child_message_clear)
