/* public-exports.h — public exports, and what the program must make of each without any option.
 *
 * The files are those of $HYB_SHARED/models or ../shared/models; docs/exports.md explains each guess.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Twenty that run, and one with operators whose code is not in the file. */
#define N_PUBLIC_EXPORTS 21

typedef struct
{
  const char *file;
  const char *guess;    /* of every open input: "data 1,3,224,224; label 1" */
  const char *used;     /* what its authors used instead; NULL: the guess is right */
  const char *to;       /* the form that it is converted to; NULL: it has only one */
  const char *not_run;  /* why it cannot be run; NULL: it can */
  gboolean    is_heavy; /* takes minutes on a busy machine: only with -m slow */
} PublicExport;

extern const PublicExport public_exports[N_PUBLIC_EXPORTS];

/* The path of the file, or NULL if there is no folder of models; the running test is then skipped.
 * (transfer full) */
char *public_export_path (const PublicExport *export);
