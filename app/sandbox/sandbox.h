/* sandbox.h — gives up rights that running a stranger's model does not need.
 *
 * The process enters the sandbox once, before it opens files and loads plug-ins.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

typedef enum
{
  SCOPE_SANDBOX_NONE,
  SCOPE_SANDBOX_AVAILABLE, /* the features that the kernel offers */
  SCOPE_SANDBOX_STRICT,    /* all parts must work, else the process ends */
} ScopeSandboxMode;

typedef struct
{
  ScopeSandboxMode   mode;
  char *const       *argv;    /* of main() */
  const char *const *outputs; /* paths that are written, NULL-terminated */
  const char        *program; /* a program that is started; NULL: none */
  const char *const *devices; /* paths of devices that are controlled, NULL-terminated; NULL: none,
                                 not even one that is open */
  guint64            memory;  /* bytes */
  guint64            seconds; /* of processor time */
  int                status;  /* with which the process ends when that time is used up */
} ScopeSandbox;

/* Enters the sandbox.  The process executes its own program again on the way, with the same arguments, so that
 * threads which libraries started before main() are inside, too: this must be called before anything has an
 * effect, and the second call continues.  FALSE and an error: the mode is strict and a part is missing. */
gboolean scope_sandbox_enter (const ScopeSandbox *sandbox, GError **error);

/* FALSE if the sandbox refuses to start other programs. */
gboolean scope_sandbox_allows_programs (void);
/* Which parts are active and which are missing, one a line.  (transfer full) */
char *scope_sandbox_describe (void);
