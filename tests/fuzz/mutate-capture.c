/* mutate-capture.c — changes a capture section by section.
 *
 * A change replaces a number of an entry by another, mostly by one near the number of entries of some section,
 * or copies, removes or appends entries; then the file is written anew with offsets that fit.  Now and then
 * one of the numbers of the header or of the table of sections is wrong.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/fuzz/fuzz.h"

#include "profiler/capture/capture-format.h"

#include <math.h>

#include <string.h>

#define MAX_CHANGES 4

typedef struct
{
  GByteArray *section[PROF_N_SECTIONS];
  FuzzRandom *random;
} Parts;

static guint
n_entries (const Parts *parts, guint kind)
{
  return parts->section[kind]->len / prof_entry_sizes[kind];
}

/* Takes the sections that lie inside the file. */
static gboolean
split (Parts *parts, const guint8 *data, gsize size)
{
  ProfHeader  header;
  ProfSection section;
  gboolean    has_any = FALSE;

  for (guint kind = 0; kind < PROF_N_SECTIONS; kind++)
    parts->section[kind] = g_byte_array_new ();
  if (size < sizeof header)
    return FALSE;
  memcpy (&header, data, sizeof header);
  for (guint i = 0;
       i < MIN (header.n_sections, 32) && (i + 1) * sizeof section + sizeof header <= size; i++)
    {
      gsize bytes;

      memcpy (&section, data + sizeof header + i * sizeof section, sizeof section);
      if (section.kind >= PROF_N_SECTIONS ||
          !g_size_checked_mul (&bytes, section.count, prof_entry_sizes[section.kind]) ||
          section.offset > size || bytes > size - section.offset)
        continue;
      g_byte_array_append (parts->section[section.kind], data + section.offset, (guint) bytes);
      has_any = TRUE;
    }
  return has_any;
}

/* --- Changes --- */

/* A number for an entry: near the number of entries of a section, none, or any. */
static guint32
pick_number (const Parts *parts)
{
  guint n = n_entries (parts, fuzz_below (parts->random, PROF_N_SECTIONS));

  switch (fuzz_below (parts->random, 5))
    {
    case 0:
      return n + fuzz_below (parts->random, 3) - 1;
    case 1:
      return PROF_NONE;
    case 2:
    case 3:
      return n > 0 ? fuzz_below (parts->random, n) : 0;
    default:
      return (guint32) fuzz_number (parts->random);
    }
}

static void
change_entry (Parts *parts, guint kind)
{
  static const double reals[] = { 0, -1, 1e-9, 1e300, -1e300, (double) INFINITY, (double) NAN };
  guint8             *entry =
      parts->section[kind]->data +
      (gsize) fuzz_below (parts->random, n_entries (parts, kind)) * prof_entry_sizes[kind];
  guint   at = fuzz_below (parts->random, MAX (prof_entry_sizes[kind] / 4, 1)) * 4;
  guint32 number = pick_number (parts);

  if (prof_entry_sizes[kind] < 4)
    entry[0] = (guint8) number;
  else if (at % 8 == 0 && at + 8 <= prof_entry_sizes[kind] && fuzz_once_in (parts->random, 3))
    memcpy (entry + at, &reals[fuzz_below (parts->random, G_N_ELEMENTS (reals))], 8);
  else
    memcpy (entry + at, &number, 4);
}

static void
change_count (Parts *parts, guint kind)
{
  GByteArray *section = parts->section[kind];
  guint       size = prof_entry_sizes[kind], n = n_entries (parts, kind);
  guint       at = fuzz_below (parts->random, n) * size;

  if (fuzz_once_in (parts->random, 2))
    g_byte_array_remove_range (section, at, size);
  else
    {
      g_autofree guint8 *copy = g_memdup2 (section->data + at, size);

      for (guint i = 1 + fuzz_below (parts->random, 3); i > 0; i--)
        g_byte_array_append (section, copy, size);
    }
}

static void
change (Parts *parts)
{
  guint kind = fuzz_below (parts->random, PROF_N_SECTIONS);

  if (n_entries (parts, kind) == 0)
    return;
  if (fuzz_once_in (parts->random, 4))
    change_count (parts, kind);
  else
    change_entry (parts, kind);
}

/* --- Writing --- */

static void
join (const Parts *parts, GByteArray *out)
{
  ProfHeader          header = { .magic = PROF_MAGIC,
                                 .version = PROF_VERSION,
                                 .byte_order = PROF_BYTE_ORDER,
                                 .n_sections = PROF_N_SECTIONS };
  ProfSection         table[PROF_N_SECTIONS];
  static const guint8 padding[8];

  g_byte_array_set_size (out, sizeof header + sizeof table);
  for (guint kind = 0; kind < PROF_N_SECTIONS; kind++)
    {
      table[kind] = (ProfSection){ .kind = kind,
                                   .entry = prof_entry_sizes[kind],
                                   .offset = out->len,
                                   .count = n_entries (parts, kind) };
      g_byte_array_append (out, parts->section[kind]->data, parts->section[kind]->len);
      g_byte_array_append (out, padding, (8 - out->len % 8) % 8);
    }
  header.size = out->len;
  memcpy (out->data, &header, sizeof header);
  memcpy (out->data + sizeof header, table, sizeof table);
  if (fuzz_once_in (parts->random, 8))
    {
      guint64 number = fuzz_number (parts->random);
      guint   at = 2 + fuzz_below (parts->random, (sizeof header + sizeof table) / 4 - 2);

      memcpy (out->data + (gsize) at * 4, &number, 4);
    }
}

gsize
LLVMFuzzerCustomMutator (guint8 *data, gsize size, gsize max_size, unsigned seed)
{
  FuzzRandom random = seed;
  Parts      parts = { .random = &random };
  g_autoptr (GByteArray) out = g_byte_array_new ();

  if (fuzz_once_in (&random, 8))
    return LLVMFuzzerMutate (data, size, max_size);
  if (split (&parts, data, size))
    {
      for (guint i = 1 + fuzz_below (&random, MAX_CHANGES); i > 0; i--)
        change (&parts);
      join (&parts, out);
    }
  for (guint kind = 0; kind < PROF_N_SECTIONS; kind++)
    g_byte_array_unref (parts.section[kind]);
  if (out->len == 0 || out->len > max_size)
    return LLVMFuzzerMutate (data, size, max_size);
  memcpy (data, out->data, out->len);
  return out->len;
}
