/* tab-titles.h — short titles for tabs, which keep the part of each name that differs from the others.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* A tab: the name of its subject, and the folder of its file or NULL. */
typedef struct
{
  const char *name, *folder;
} ScopeTab;

/* A title for each of the n tabs.  Names of at most `room` characters stay whole.  Of others, long beginnings and
 * ends that another name has, too, become “…” where the rest still differs; equal names are preceded by the last part
 * of their folders.  NULL-terminated, (transfer full). */
char **scope_tab_titles_new (const ScopeTab *tabs, guint n, guint room);
