/* memory-private.h — what the instructions ld, st and atom need of a PtxMemory.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "tests/engine/cuda/ptx/memory.h"

#define PTX_PAGE 4096u

struct _PtxBlock
{
  guint64  address;
  gsize    bytes;
  guint8  *data;
  guint8  *written; /* one a byte */
  guint32 *writer;  /* work that wrote last, one for each 4 bytes; NULL without an order */
  guint32 *readers; /* number of a set of work, see marks.c */
  gboolean freed;
  guint    number; /* "allocation 7" */
};

/* Bytes of each of the arrays writer and readers. */
static inline gsize
ptx_block_mark_bytes (const PtxBlock *block)
{
  return (block->bytes / 4 + 1) * sizeof (guint32);
}

/* The allocation at ADDRESS or just before it, in use or given back; NULL if none is near. */
PtxBlock *ptx_memory_near (PtxMemory *memory, guint64 address);
/* Whether accesses are compared with those of other work. */
gboolean ptx_memory_ordered (const PtxMemory *memory);
/* Marks bytes of BLOCK as touched by the current work.  NULL, or what is wrong (to be freed). */
char *
ptx_memory_mark (PtxMemory *memory, PtxBlock *block, gsize offset, gsize bytes, gboolean write);
/* The fault of an access that lies in no allocation (in use), as an error. */
void ptx_memory_complain (PtxMemory *memory, const PtxAccess *access, GError **error);

/* --- pages.c --- */

/* BYTES bytes, all 0 or all 0xff, to be given back by ptx_pages_free() with the same number. */
gpointer ptx_pages_zero (gsize bytes);
gpointer ptx_pages_filled (gsize bytes);
void     ptx_pages_free (gpointer pages, gsize bytes);

/* --- marks.c --- */

typedef struct _PtxMarks PtxMarks;
PtxMarks                *ptx_marks_new (const PtxWorkOrder *rule);
void                     ptx_marks_free (PtxMarks *marks);
void                     ptx_marks_set_work (PtxMarks *marks, guint32 work);
char *ptx_marks_touch (PtxMarks *marks, PtxBlock *block, gsize offset, gsize bytes, gboolean write);
