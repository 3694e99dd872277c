/* marks.c — which work wrote and read each four bytes of device memory last, so that work of two
 * streams that touches the same bytes without an event between is found in whatever order the
 * two ran.
 *
 * Readers are kept as numbered sets of work; adding one to a set is looked up in a table, and a
 * reader that comes before the new one leaves the set.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/ptx/memory-private.h"

struct _PtxMarks
{
  PtxWorkOrder rule;
  guint32      work;
  GPtrArray   *sets;      /* of GArray of guint32; set 0 is empty */
  GHashTable  *additions; /* set << 32 | work: number of the new set */
  guint32      from, to;  /* the last addition that was looked up */
  guint32      fine;      /* a writer that is known to come before the current work */
};

static void
free_set (gpointer set)
{
  g_array_unref (set);
}

/* g_int64_hash() adds the halves: sets and works, both counted from 1, would meet all the time. */
static guint
hash_addition (gconstpointer key)
{
  return (guint) ((*(const guint64 *) key * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15)) >> 32);
}

PtxMarks *
ptx_marks_new (const PtxWorkOrder *rule)
{
  PtxMarks *marks = g_new0 (PtxMarks, 1);

  marks->rule = *rule;
  marks->sets = g_ptr_array_new_with_free_func (free_set);
  g_ptr_array_add (marks->sets, g_array_new (FALSE, FALSE, sizeof (guint32)));
  marks->additions = g_hash_table_new_full (hash_addition, g_int64_equal, g_free, NULL);
  marks->from = G_MAXUINT32;
  return marks;
}

void
ptx_marks_free (PtxMarks *marks)
{
  g_ptr_array_unref (marks->sets);
  g_hash_table_unref (marks->additions);
  g_free (marks);
}

void
ptx_marks_set_work (PtxMarks *marks, guint32 work)
{
  marks->work = work;
  marks->from = G_MAXUINT32;
  marks->fine = 0;
}

static gboolean
comes_before (PtxMarks *marks, guint32 earlier)
{
  if (!earlier || earlier == marks->work || earlier == marks->fine)
    return TRUE;
  if (!marks->rule.before (marks->rule.data, earlier, marks->work))
    return FALSE;
  marks->fine = earlier;
  return TRUE;
}

/* The set SET with the current work; members that come before it are dropped. */
static guint32
add_reader (PtxMarks *marks, guint32 set)
{
  gint64   key = (gint64) ((guint64) set << 32 | marks->work);
  gpointer known;
  GArray  *old, *grown;

  if (set == marks->from)
    return marks->to;
  if (g_hash_table_lookup_extended (marks->additions, &key, NULL, &known))
    {
      marks->from = set;
      return marks->to = GPOINTER_TO_UINT (known);
    }
  old = g_ptr_array_index (marks->sets, set);
  grown = g_array_new (FALSE, FALSE, sizeof (guint32));
  for (guint i = 0; i < old->len; i++)
    if (!comes_before (marks, g_array_index (old, guint32, i)))
      g_array_append_val (grown, g_array_index (old, guint32, i));
  g_array_append_val (grown, marks->work);
  g_ptr_array_add (marks->sets, grown);
  g_hash_table_insert (marks->additions, g_memdup2 (&key, sizeof key),
                       GUINT_TO_POINTER (marks->sets->len - 1));
  marks->from = set;
  marks->to = marks->sets->len - 1;
  return marks->to;
}

static char *
tell (PtxMarks *marks, const char *verb, const char *other_verb, guint32 other)
{
  g_autofree char *now = marks->rule.describe (marks->rule.data, marks->work);
  g_autofree char *then = marks->rule.describe (marks->rule.data, other);

  return g_strdup_printf ("%s %s what %s %s, and no event puts one before the other", now, verb,
                          then, other_verb);
}

static char *
touch_word (PtxMarks *marks, PtxBlock *block, gsize word, gboolean write)
{
  if (!comes_before (marks, block->writer[word]))
    return tell (marks, write ? "writes" : "reads", "wrote", block->writer[word]);
  if (!write)
    {
      block->readers[word] = add_reader (marks, block->readers[word]);
      return NULL;
    }
  if (block->readers[word])
    {
      GArray *set = g_ptr_array_index (marks->sets, block->readers[word]);

      for (guint i = 0; i < set->len; i++)
        if (!comes_before (marks, g_array_index (set, guint32, i)))
          return tell (marks, "writes", "read", g_array_index (set, guint32, i));
    }
  block->writer[word] = marks->work;
  block->readers[word] = 0;
  return NULL;
}

char *
ptx_marks_touch (PtxMarks *marks, PtxBlock *block, gsize offset, gsize bytes, gboolean write)
{
  if (!block->writer)
    {
      block->writer = ptx_pages_zero (ptx_block_mark_bytes (block));
      block->readers = ptx_pages_zero (ptx_block_mark_bytes (block));
    }
  for (gsize word = offset / 4; word <= (offset + bytes - 1) / 4; word++)
    {
      char *fault = touch_word (marks, block, word, write);

      if (fault)
        return fault;
    }
  return NULL;
}
