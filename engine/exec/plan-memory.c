/* plan-memory.c — assigns offsets in one block of memory to values with limited lifetimes.
 *
 * Walks through the steps as a run would, allocating values whose lifetime begins and freeing
 * values whose lifetime has ended.  Free gaps are found by size in a balanced tree, and by both
 * ends in two hash tables so that adjacent gaps are merged.  Start with hyb_memory_plan().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/exec/plan-memory.h"

#include "engine/tensor/tensor.h"

typedef struct
{
  gsize offset, bytes;
} Gap;

typedef struct
{
  GTree      *by_size;  /* of Gap, owning */
  GHashTable *by_begin; /* offset of the first byte → Gap */
  GHashTable *by_end;   /* offset behind the last byte → Gap */
  gsize       total;    /* the size of the block so far */
} Heap;

static int
compare_gaps (gconstpointer a_pointer, gconstpointer b_pointer, gpointer unused)
{
  const Gap *a = a_pointer, *b = b_pointer;

  if (a->bytes != b->bytes)
    return a->bytes < b->bytes ? -1 : 1;
  return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static void
heap_init (Heap *heap)
{
  heap->by_size = g_tree_new_full (compare_gaps, NULL, g_free, NULL);
  heap->by_begin = g_hash_table_new (NULL, NULL);
  heap->by_end = g_hash_table_new (NULL, NULL);
  heap->total = 0;
}

static void
heap_clear (Heap *heap)
{
  g_hash_table_unref (heap->by_begin);
  g_hash_table_unref (heap->by_end);
  g_tree_unref (heap->by_size);
}

static void
heap_add_gap (Heap *heap, gsize offset, gsize bytes)
{
  Gap *gap;

  if (bytes == 0)
    return;
  gap = g_new (Gap, 1);
  gap->offset = offset;
  gap->bytes = bytes;
  g_tree_insert (heap->by_size, gap, gap);
  g_hash_table_insert (heap->by_begin, GSIZE_TO_POINTER (offset), gap);
  g_hash_table_insert (heap->by_end, GSIZE_TO_POINTER (offset + bytes), gap);
}

static void
heap_remove_gap (Heap *heap, Gap *gap)
{
  g_hash_table_remove (heap->by_begin, GSIZE_TO_POINTER (gap->offset));
  g_hash_table_remove (heap->by_end, GSIZE_TO_POINTER (gap->offset + gap->bytes));
  g_tree_remove (heap->by_size, gap);
}

/* Allocates bytes.  FALSE if the block would grow beyond limit. */
static gboolean
heap_take (Heap *heap, gsize bytes, gsize limit, gsize *offset)
{
  Gap        wanted = { .offset = 0, .bytes = bytes };
  GTreeNode *node = g_tree_lower_bound (heap->by_size, &wanted);
  Gap       *gap;

  if (node)
    {
      gap = g_tree_node_key (node);
      wanted = *gap;
      heap_remove_gap (heap, gap);
      heap_add_gap (heap, wanted.offset + bytes, wanted.bytes - bytes);
      *offset = wanted.offset;
      return TRUE;
    }

  /* No gap is large enough.  A gap at the end of the block may grow. */
  gap = g_hash_table_lookup (heap->by_end, GSIZE_TO_POINTER (heap->total));
  *offset = gap ? gap->offset : heap->total;
  if (bytes > limit || *offset > limit - bytes)
    return FALSE;
  if (gap)
    heap_remove_gap (heap, gap);
  heap->total = *offset + bytes;
  return TRUE;
}

static void
heap_give_back (Heap *heap, gsize offset, gsize bytes)
{
  Gap *before = g_hash_table_lookup (heap->by_end, GSIZE_TO_POINTER (offset));
  Gap *after = g_hash_table_lookup (heap->by_begin, GSIZE_TO_POINTER (offset + bytes));

  if (before)
    {
      offset = before->offset;
      bytes += before->bytes;
      heap_remove_gap (heap, before);
    }
  if (after)
    {
      bytes += after->bytes;
      heap_remove_gap (heap, after);
    }
  heap_add_gap (heap, offset, bytes);
}

/* Rounds up to whole cache lines, at least one, because kernels may read past the last
 * element. */
static gsize
whole_lines (gsize bytes)
{
  if (bytes > G_MAXSSIZE)
    return G_MAXSIZE;
  return MAX ((bytes + HYB_ALIGNMENT - 1) / HYB_ALIGNMENT, 1) * HYB_ALIGNMENT;
}

/* Sorts interval numbers by step (stable): step s has first[s] … first[s + 1] - 1. */
static guint *
sort_by_step (const guint32 *steps, guint n, guint32 n_steps, guint **first_out)
{
  guint *first = g_new0 (guint, (gsize) n_steps + 2);
  guint *order = g_new (guint, MAX (n, 1));

  for (guint i = 0; i < n; i++)
    if (steps[i] < n_steps)
      first[steps[i] + 2]++;
  for (guint32 s = 0; s < n_steps; s++)
    first[s + 2] += first[s + 1];
  for (guint i = 0; i < n; i++)
    if (steps[i] < n_steps)
      order[first[steps[i] + 1]++] = i;
  *first_out = first;
  return order;
}

guint
hyb_memory_plan (HybInterval *intervals, guint n, guint32 n_steps, gsize limit, gsize *total)
{
  g_autofree guint32 *steps = g_new (guint32, MAX (n, 1));
  g_autofree guint   *first_begin = NULL, *first_end = NULL;
  g_autofree guint   *begin_order = NULL, *end_order = NULL;
  guint               failed = n;
  Heap                heap;

  for (guint i = 0; i < n; i++)
    steps[i] = intervals[i].begin;
  begin_order = sort_by_step (steps, n, n_steps, &first_begin);
  for (guint i = 0; i < n; i++)
    steps[i] = intervals[i].end;
  end_order = sort_by_step (steps, n, n_steps, &first_end);

  /* Within a step, all values that begin are placed before any that ends is freed: inputs and
   * outputs of one step share bytes only where they are one value in place. */
  heap_init (&heap);
  for (guint32 s = 0; s < n_steps && failed == n; s++)
    {
      /* Both lists are sorted by step: the values of step s are [first[s], first[s + 1]). */
      for (guint k = first_begin[s]; k < first_begin[s + 1] && failed == n; k++)
        {
          HybInterval *interval = &intervals[begin_order[k]];

          if (!heap_take (&heap, whole_lines (interval->bytes), limit, &interval->offset))
            failed = begin_order[k];
        }
      for (guint k = first_end[s]; k < first_end[s + 1] && failed == n; k++)
        {
          HybInterval *interval = &intervals[end_order[k]];

          heap_give_back (&heap, interval->offset, whole_lines (interval->bytes));
        }
    }

  *total = heap.total;
  heap_clear (&heap);
  return failed;
}
