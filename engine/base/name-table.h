/* name-table.h — a table from names to pointers of which the number of names is known before it is filled.
 *
 * Filling it takes a fifth of the instructions of a GHashTable, which grows and allocates: tables of all operators are filled
 * at the start of every program.  Names and values are not copied.
 * Threads: any may read a table that is filled.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

typedef struct
{
  const char   *name; /* NULL: the place is free */
  gconstpointer value;
  guint32       hash;
} HybNameEntry;

typedef struct
{
  HybNameEntry *entries;
  guint32       mask; /* the number of places, a power of two, minus one */
} HybNameTable;

/* Makes an empty table for at most n names.  It lives until the process ends. */
void hyb_name_table_init (HybNameTable *table, guint n);
/* Returns the entry of a name, to which the caller may give a value; its value is NULL if the name is new. */
HybNameEntry *hyb_name_table_add (HybNameTable *table, const char *name);
/* Returns the entry of a name, or NULL. */
const HybNameEntry *hyb_name_table_find (const HybNameTable *table, const char *name);
