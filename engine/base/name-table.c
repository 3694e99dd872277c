/* name-table.c — open addressing with linear probing, at most half full; see name-table.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/name-table.h"

#include <string.h>

/* FNV-1a. */
static guint32
hash_of (const char *name)
{
  guint32 hash = 2166136261u;

  for (; *name; name++)
    hash = (hash ^ (guchar) *name) * 16777619u;
  return hash;
}

void
hyb_name_table_init (HybNameTable *table, guint n)
{
  guint32 places = 2;

  while (places < 2 * n)
    places *= 2;
  table->entries = g_new0 (HybNameEntry, places);
  table->mask = places - 1;
}

/* The place of a name: its entry, or a free one. */
static HybNameEntry *
place_of (const HybNameTable *table, const char *name, guint32 hash)
{
  guint32 at = (hash ^ hash >> 16) & table->mask;

  while (table->entries[at].name &&
         (table->entries[at].hash != hash || strcmp (table->entries[at].name, name) != 0))
    at = (at + 1) & table->mask;
  return &table->entries[at];
}

HybNameEntry *
hyb_name_table_add (HybNameTable *table, const char *name)
{
  guint32       hash = hash_of (name);
  HybNameEntry *entry = place_of (table, name, hash);

  if (!entry->name)
    *entry = (HybNameEntry){ .name = name, .hash = hash };
  return entry;
}

const HybNameEntry *
hyb_name_table_find (const HybNameTable *table, const char *name)
{
  const HybNameEntry *entry = place_of (table, name, hash_of (name));

  return entry->name ? entry : NULL;
}
