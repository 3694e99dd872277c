/* memory.c — allocations of the pretend device: a reserved range of addresses, host memory
 * behind each allocation, and a table from page to allocation.
 *
 * A page without access stands behind each allocation, and the table names the allocation for
 * that page too, so that a message can tell how far behind the end an access lies.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/ptx/memory-private.h"
#include "tests/engine/cuda/ptx/ptx.h"

#include <string.h>
#include <sys/mman.h>

#define RESERVED (G_GUINT64_CONSTANT (1) << 38) /* bytes of addresses */

struct _PtxMemory
{
  guint64    start; /* of the reserved range */
  guint64    next;  /* first address that was never used */
  guint32   *pages; /* number of the block + 1 of each page */
  GPtrArray *blocks;
  guint64    used, most;
  guint      count;
  PtxMarks  *marks;
};

static gpointer
reserve (gsize bytes, int protection)
{
  void *p = mmap (NULL, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

  if (p == MAP_FAILED)
    g_error ("the pretend device cannot reserve %" G_GSIZE_FORMAT " bytes of addresses", bytes);
  return p;
}

static void
empty_block (PtxBlock *block)
{
  ptx_pages_free (g_steal_pointer (&block->data), block->bytes);
  ptx_pages_free (g_steal_pointer (&block->written), block->bytes);
  ptx_pages_free (g_steal_pointer (&block->writer), ptx_block_mark_bytes (block));
  ptx_pages_free (g_steal_pointer (&block->readers), ptx_block_mark_bytes (block));
}

static void
free_block (gpointer data)
{
  empty_block (data);
  g_free (data);
}

PtxMemory *
ptx_memory_new (guint64 most)
{
  PtxMemory *memory = g_new0 (PtxMemory, 1);

  memory->start = (guint64) (gsize) reserve (RESERVED, PROT_NONE);
  memory->pages = reserve (RESERVED / PTX_PAGE * sizeof (guint32), PROT_READ | PROT_WRITE);
  memory->next = (memory->start + PTX_PAGE - 1) / PTX_PAGE * PTX_PAGE + PTX_PAGE;
  memory->blocks = g_ptr_array_new_with_free_func (free_block);
  memory->most = most;
  return memory;
}

void
ptx_memory_free (PtxMemory *memory)
{
  munmap ((void *) (gsize) memory->start, RESERVED);
  munmap (memory->pages, RESERVED / PTX_PAGE * sizeof (guint32));
  g_ptr_array_unref (memory->blocks);
  if (memory->marks)
    ptx_marks_free (memory->marks);
  g_free (memory);
}

guint64
ptx_memory_take (PtxMemory *memory, gsize bytes)
{
  gsize     pages;
  PtxBlock *block;

  if (bytes > memory->most - memory->used)
    return 0;
  pages = bytes / PTX_PAGE + 2; /* one page at least lies behind the end */
  if ((guint64) pages * PTX_PAGE > memory->start + RESERVED - memory->next)
    g_error ("the pretend device has used all of its addresses");

  block = g_new0 (PtxBlock, 1);
  block->address = memory->next;
  block->bytes = bytes;
  block->data = ptx_pages_filled (bytes);
  block->written = ptx_pages_zero (bytes);
  g_ptr_array_add (memory->blocks, block);
  block->number = memory->blocks->len;
  for (gsize i = 0; i < pages; i++)
    memory->pages[(memory->next - memory->start) / PTX_PAGE + i] = block->number;
  memory->next += pages * PTX_PAGE;
  memory->used += bytes;
  memory->count++;
  return block->address;
}

gboolean
ptx_memory_holds (const PtxMemory *memory, guint64 address)
{
  return address >= memory->start && address < memory->start + RESERVED;
}

PtxBlock *
ptx_memory_near (PtxMemory *memory, guint64 address)
{
  guint32 number;

  if (!ptx_memory_holds (memory, address))
    return NULL;
  number = memory->pages[(address - memory->start) / PTX_PAGE];
  return number ? g_ptr_array_index (memory->blocks, number - 1) : NULL;
}

gboolean
ptx_memory_give (PtxMemory *memory, guint64 address)
{
  PtxBlock *block = ptx_memory_near (memory, address);

  if (!block || block->address != address || block->freed)
    return FALSE;
  empty_block (block);
  block->freed = TRUE;
  memory->used -= block->bytes;
  memory->count--;
  return TRUE;
}

gboolean
ptx_memory_range (PtxMemory *memory, guint64 address, guint64 *start, gsize *bytes)
{
  PtxBlock *block = ptx_memory_near (memory, address);

  if (!block || block->freed || address - block->address >= MAX (block->bytes, 1))
    return FALSE;
  *start = block->address;
  *bytes = block->bytes;
  return TRUE;
}

guint64
ptx_memory_used (const PtxMemory *memory)
{
  return memory->used;
}

guint64
ptx_memory_most (const PtxMemory *memory)
{
  return memory->most;
}

guint
ptx_memory_count (const PtxMemory *memory)
{
  return memory->count;
}

/* --- Access --- */

void
ptx_memory_complain (PtxMemory *memory, const PtxAccess *access, GError **error)
{
  PtxBlock   *block = ptx_memory_near (memory, access->address);
  const char *verb = access->write ? "writes" : "reads";
  gsize       n = access->bytes;

  if (!block)
    g_set_error (error, PTX_ERROR, PTX_ERROR_BOUNDS,
                 "%s %" G_GSIZE_FORMAT " bytes at %#" G_GINT64_MODIFIER
                 "x, where no device memory is",
                 verb, n, access->address);
  else if (block->freed)
    g_set_error (error, PTX_ERROR, PTX_ERROR_FREED,
                 "%s %" G_GSIZE_FORMAT " bytes at byte %" G_GUINT64_FORMAT
                 " of freed memory (allocation %u of %" G_GSIZE_FORMAT " bytes)",
                 verb, n, access->address - block->address, block->number, block->bytes);
  else
    g_set_error (error, PTX_ERROR, PTX_ERROR_BOUNDS,
                 "%s %" G_GSIZE_FORMAT " bytes at byte %" G_GUINT64_FORMAT
                 ", past the end of allocation %u of %" G_GSIZE_FORMAT " bytes",
                 verb, n, access->address - block->address, block->number, block->bytes);
}

gpointer
ptx_memory_reach (PtxMemory *memory, const PtxAccess *access, GError **error)
{
  PtxBlock *block = ptx_memory_near (memory, access->address);
  gsize     at;
  char     *fault;

  if (!block || block->freed || access->address - block->address > block->bytes ||
      access->bytes > block->bytes - (access->address - block->address))
    {
      ptx_memory_complain (memory, access, error);
      return NULL;
    }
  at = access->address - block->address;
  if (access->write)
    memset (block->written + at, 1, access->bytes);
  else if (!(access->unchecked & PTX_CHECK (PTX_ERROR_UNWRITTEN)))
    {
      const guint8 *hole = memchr (block->written + at, 0, access->bytes);

      if (hole)
        {
          g_set_error (error, PTX_ERROR, PTX_ERROR_UNWRITTEN,
                       "reads byte %" G_GSIZE_FORMAT " of allocation %u of %" G_GSIZE_FORMAT
                       " bytes, which was never written",
                       (gsize) (hole - block->written), block->number, block->bytes);
          return NULL;
        }
    }
  if (access->unchecked & PTX_CHECK (PTX_ERROR_ORDER))
    return block->data + at;
  fault = ptx_memory_mark (memory, block, at, access->bytes, access->write);
  if (fault)
    {
      g_set_error_literal (error, PTX_ERROR, PTX_ERROR_ORDER, fault);
      g_free (fault);
      return NULL;
    }
  return block->data + at;
}

void
ptx_memory_copy_written (PtxMemory *memory, guint64 to, guint64 from, gsize bytes)
{
  PtxBlock *target = ptx_memory_near (memory, to), *source = ptx_memory_near (memory, from);

  memmove (target->written + (to - target->address), source->written + (from - source->address),
           bytes);
}

/* --- Order of work --- */

void
ptx_memory_set_order (PtxMemory *memory, const PtxWorkOrder *rule)
{
  g_clear_pointer (&memory->marks, ptx_marks_free);
  if (rule)
    memory->marks = ptx_marks_new (rule);
}

void
ptx_memory_set_work (PtxMemory *memory, guint32 work)
{
  if (memory->marks)
    ptx_marks_set_work (memory->marks, work);
}

gboolean
ptx_memory_ordered (const PtxMemory *memory)
{
  return memory->marks != NULL;
}

char *
ptx_memory_mark (PtxMemory *memory, PtxBlock *block, gsize offset, gsize bytes, gboolean write)
{
  return memory->marks && bytes ? ptx_marks_touch (memory->marks, block, offset, bytes, write)
                                : NULL;
}
