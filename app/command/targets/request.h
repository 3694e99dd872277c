/* request.h — the lines of JSON that hscope here and hscope on a target exchange.
 *
 * Of an answer each line begins with the token of the request, since a launcher may print something of its own, and the command
 * prints in between.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/targets/remote-file.h"

/* A request. */
typedef struct
{
  char      *token;
  char      *folder;    /* for the files there; NULL: the default */
  char     **words;     /* of the command, NULL-terminated */
  char     **variables; /* of its environment: NAME, VALUE, …, NULL-terminated */
  GPtrArray *files;     /* of ScopeRemoteFile, that the command reads */
  GPtrArray *outputs;   /* of ScopeRemoteFile, that it writes */
} ScopeRequest;

/* The line of a request, with its end.  (transfer full) */
GString *scope_request_write (const ScopeRequest *request);
/* Reads a request.  (transfer full) NULL: it is none, or requests something that this version of hscope does not support. */
ScopeRequest *scope_request_parse (const char *text, gsize n, GError **error);
/* Frees the request. */
void scope_request_free (ScopeRequest *request);
/* The environment of the command of a request.  (transfer full) */
char **scope_request_dup_environment (const ScopeRequest *request);

/* Begins a line of an answer, an object that the caller completes.  (transfer full) */
GString *scope_answer_begin (const ScopeRequest *request);
/* Adds facts about this side: version, host, vectors, products and time. */
void scope_answer_add_facts (GString *line);
/* Adds a member to an object that has members. */
void scope_line_add_text (GString *line, const char *key, const char *text);

/* The seconds that one end waits for the other: 120, or the environment's HYBRIDSCOPE_TARGET_SILENCE. */
guint scope_get_silence (void);
