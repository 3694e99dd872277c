/* memory.h — the memory of the pretend device: allocations with one flag a byte that tells
 * whether it was ever written, and who touched it last.
 *
 * Device addresses lie in a reserved range of the process that nothing is ever mapped into, so
 * the host faults where it uses one.  Addresses are not used twice: an access to memory that was
 * given back is found for as long as the memory object lives.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

typedef struct _PtxMemory PtxMemory;
typedef struct _PtxBlock  PtxBlock;

/* One access from outside of a kernel (a copy, a product), or by one thread of a kernel. */
typedef struct
{
  guint64  address;
  gsize    bytes;
  gboolean write;
  guint    unchecked; /* PTX_CHECK (…) */
} PtxAccess;

/* Which pieces of work come after which.  Work is numbered by the caller, from 1. */
typedef struct
{
  gboolean (*before) (gpointer data, guint32 earlier, guint32 later);
  char *(*describe) (gpointer data, guint32 work); /* "kernel x in stream 2" */
  gpointer data;
} PtxWorkOrder;

/* MOST: how many bytes may be taken at a time. */
PtxMemory *ptx_memory_new (guint64 most);
void       ptx_memory_free (PtxMemory *memory);

/* An address aligned to 512 bytes, its bytes all 0xff and unwritten; 0 if there is too little. */
guint64 ptx_memory_take (PtxMemory *memory, gsize bytes);
/* FALSE if no allocation begins at ADDRESS. */
gboolean ptx_memory_give (PtxMemory *memory, guint64 address);
/* Start and size of the allocation in use that holds ADDRESS. */
gboolean ptx_memory_range (PtxMemory *memory, guint64 address, guint64 *start, gsize *bytes);
/* Whether ADDRESS lies in the reserved range. */
gboolean ptx_memory_holds (const PtxMemory *memory, guint64 address);
guint64  ptx_memory_used (const PtxMemory *memory);
guint64  ptx_memory_most (const PtxMemory *memory);
guint    ptx_memory_count (const PtxMemory *memory); /* allocations in use */

/* Host memory behind ACCESS; it is marked as written or read.  NULL and an error (PTX_ERROR) if
 * a check finds a fault, or if the range is no part of one allocation. */
gpointer ptx_memory_reach (PtxMemory *memory, const PtxAccess *access, GError **error);

/* From here on every access is made by WORK and compared with the last one by other work.
 * RULE: or NULL, nothing is compared. */
void ptx_memory_set_order (PtxMemory *memory, const PtxWorkOrder *rule);
void ptx_memory_set_work (PtxMemory *memory, guint32 work);

/* Copies the flags "was written" from FROM to TO, both checked ranges: a copy of a buffer whose
 * tail was never written leaves the tail of the target unwritten too. */
void ptx_memory_copy_written (PtxMemory *memory, guint64 to, guint64 from, gsize bytes);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtxMemory, ptx_memory_free)
