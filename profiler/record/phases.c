/* phases.c — finds the entry for a part of an operator, in a table with open addressing.
 *
 * Entries are never changed or removed while the recorder is in use, so that reading takes no lock.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/record/phases.h"

#include "engine/op/phase.h"

#include <string.h>

static guint
hash_part (guint16 slot, const HybSpan *span)
{
  guint64 bits;

  memcpy (&bits, &span->cost->flops, sizeof bits);
  bits ^= (guint64) slot << 40 ^ (guint64) span->id << 8 ^ (guint64) span->phase->category ^
          (guint64) (guchar) span->phase->name[0] << 56;
  return (guint) (bits * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15) >> 40) % (2 * PROF_MAX_PHASES);
}

static gboolean
is_entry (const ProfPhase *entry, guint16 slot, const HybSpan *span)
{
  return entry->slot == slot && entry->node == span->id && entry->cost.flops == span->cost->flops &&
         entry->cost.bytes_read == span->cost->bytes_read &&
         entry->cost.bytes_written == span->cost->bytes_written &&
         strcmp (entry->name, span->phase->name) == 0 &&
         g_strcmp0 (entry->type, span->phase->type) == 0;
}

/* The number of the entry; 0 if there is none, and *bucket is where it belongs. */
static guint32
look_up (const ProfPhaseTable *table, guint16 slot, const HybSpan *span, guint *bucket)
{
  guint at = hash_part (slot, span);

  for (; table->bucket[at] != 0; at = (at + 1) % (2 * PROF_MAX_PHASES))
    if (is_entry (&table->entry[table->bucket[at] - 1], slot, span))
      return table->bucket[at];
  *bucket = at;
  return 0;
}

guint32
prof_phases_find (ProfPhaseTable *table, guint16 slot, const HybSpan *span)
{
  guint   bucket = 0;
  guint32 number = look_up (table, slot, span, &bucket);

  if (number != 0 || g_atomic_int_get (&table->n) == PROF_MAX_PHASES)
    return number;

  while (!g_atomic_int_compare_and_exchange (&table->lock, 0, 1))
    ;
  number = look_up (table, slot, span, &bucket);
  if (number == 0 && table->n < PROF_MAX_PHASES)
    {
      table->entry[table->n] = (ProfPhase){ .slot = slot,
                                            .category = (guint16) span->phase->category,
                                            .node = span->id,
                                            .name = g_strdup (span->phase->name),
                                            .type = g_strdup (span->phase->type),
                                            .cost = *span->cost };
      number = (guint32) table->n + 1;
      g_atomic_int_set (&table->n, (gint) number);
      table->bucket[bucket] = (guint16) number;
    }
  g_atomic_int_set (&table->lock, 0);
  return number;
}

void
prof_phases_clear (ProfPhaseTable *table)
{
  for (gint i = 0; i < table->n; i++)
    {
      g_free (table->entry[i].name);
      g_free (table->entry[i].type);
    }
}
