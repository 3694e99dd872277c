/* machine-store.h — what was measured of machines, in one file of the user's cache.
 *
 * The file has one group for each machine, since a home may be shared by several, and groups of other measurements
 * (the peaks of roofline.h).  Values are numbers within bounds.  A file that is too long, is not the user's own or cannot be read
 * counts as empty, and a group with a value that is out of bounds as absent; both are replaced by the next measurement.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* A number of a group. */
typedef struct
{
  const char *key;
  double      low, high; /* that are believed */
  gboolean    is_optional;
} ProfStoredNumber;

/* Fills values with the n numbers of a group; NaN for an optional one that is not there.  FALSE if the group is
 * missing or one of its numbers is invalid.  name: of the group, any text; characters that a key file does not allow in a
 * name count as spaces. */
gboolean prof_machine_store_read (const char             *name,
                                  const ProfStoredNumber *numbers,
                                  guint                   n,
                                  double                 *values);
/* Replaces the group.  Numbers that are not within their bounds are left out.  Where the cache cannot be written
 * nothing is stored, and the next command measures again. */
void prof_machine_store_write (const char             *name,
                               const ProfStoredNumber *numbers,
                               guint                   n,
                               const double           *values);
/* The file, in a folder of its own, which may not exist yet.  (transfer full) */
char *prof_machine_store_dup_path (void);
