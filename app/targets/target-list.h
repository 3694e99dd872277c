/* target-list.h — the list of machines that runs may be sent to: ~/.config/hybridscope/targets.ini.
 *
 * A target is a command, the launcher, that starts a program elsewhere: “ssh host”, “srun -p gpu”.  The file has one group
 * for each target.  hscope and the window share it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Names that mean this machine and the scheduler, and so are in no file. */
#define SCOPE_TARGET_LOCAL "local"
#define SCOPE_TARGET_SLURM "slurm"

typedef struct
{
  char  *name;
  char  *launcher; /* as it was written, with the quotes of a shell */
  char **words;    /* its words */
  char  *program;  /* hscope there; "hscope": where a shell without login finds it */
  /* For files there, absolute or beginning with ~/; NULL: its folder for temporary files. */
  char *folder;
} ScopeTarget;

/* The path of the file.  (transfer full) */
char *scope_targets_dup_path (void);
/* The targets in the file, in its order; none if there is no file.  (transfer full) NULL: the file cannot be read, or
 * something in it makes no sense. */
GPtrArray *scope_targets_read (GError **error);
/* The target of that name, or NULL.  Owned by targets. */
const ScopeTarget *scope_targets_find (const GPtrArray *targets, const char *name);

/* Makes a target from the texts of the file.  program, folder: (nullable).  (transfer full) NULL and an error: a text makes no
 * sense. */
ScopeTarget *scope_target_new (const char *name,
                               const char *launcher,
                               const char *program,
                               const char *folder,
                               GError    **error);
/* Frees the target. */
void scope_target_free (ScopeTarget *target);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ScopeTarget, scope_target_free)

/* Whether a word means itself to every shell, so that it can stand behind a launcher, which may hand it to one or not. */
gboolean scope_target_is_plain (const char *word);

/* Writes the target into the file, in place of the one that is called old_name (nullable) or as it is.  The rest of the file
 * stays, with its comments. */
gboolean scope_targets_store (const ScopeTarget *target, const char *old_name, GError **error);
/* Removes the target from the file. */
gboolean scope_targets_remove (const char *name, GError **error);
