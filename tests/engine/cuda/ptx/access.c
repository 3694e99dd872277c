/* access.c — where the bytes of an address lie, and whether a thread may read or write them:
 * alignment, bounds, memory that was given back, bytes that were never written.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/ptx/machine.h"

#include <string.h>

guint8 *
ptx_nowhere (PtxThread *thread)
{
  static guint8 nowhere[64];

  memset (nowhere, 0xff, sizeof nowhere);
  return nowhere;
}

/* Bytes that were written, one flag each. */
static gboolean
all_written (const guint8 *flags, guint bytes)
{
  guint32 four;

  if (bytes == 4)
    {
      memcpy (&four, flags, 4);
      return four == 0x01010101u;
    }
  return !memchr (flags, 0, bytes);
}

static guint8 *
fail_unwritten (PtxThread *thread, const PtxInstruction *in, const PtxBlock *block, gsize at)
{
  ptx_fail (thread, in, PTX_ERROR_UNWRITTEN,
            "reads byte %" G_GSIZE_FORMAT " of allocation %u of %" G_GSIZE_FORMAT
            " bytes, which was never written",
            at, block->number, block->bytes);
  return NULL;
}

/* An access outside of what is allocated; where the check is off it goes nowhere. */
static guint8 *
outside (PtxThread *thread, const PtxInstruction *in, const PtxAccess *access)
{
  g_autoptr (GError) fault = NULL;

  ptx_memory_complain (thread->run->memory, access, &fault);
  if (!ptx_checks (thread, (PtxError) fault->code))
    return ptx_nowhere (thread);
  ptx_fail (thread, in, (PtxError) fault->code, "%s", fault->message);
  return NULL;
}

static gboolean
mark (PtxThread *thread, const PtxInstruction *in, gsize at, guint bytes, gboolean write)
{
  char *fault = NULL;

  if (ptx_checks (thread, PTX_ERROR_ORDER))
    fault = ptx_memory_mark (thread->run->memory, thread->run->last, at, bytes, write);
  if (!fault)
    return TRUE;
  ptx_fail (thread, in, PTX_ERROR_ORDER, "%s", fault);
  g_free (fault);
  return FALSE;
}

static guint8 *
reach_global (PtxThread            *thread,
              const PtxInstruction *in,
              guint64               address,
              guint                 bytes,
              gboolean              write)
{
  PtxRun   *run = thread->run;
  PtxBlock *block = run->last;
  guint64   at;

  if (!block || address - block->address >= block->bytes || block->freed)
    run->last = block = ptx_memory_near (run->memory, address);
  at = block ? address - block->address : 0;
  if (!block || block->freed || at >= block->bytes || bytes > block->bytes - at)
    return outside (thread, in, &(PtxAccess){ .address = address, .bytes = bytes, .write = write });
  if (write)
    memset (block->written + at, 1, bytes);
  else if (!all_written (block->written + at, bytes) && ptx_checks (thread, PTX_ERROR_UNWRITTEN))
    return fail_unwritten (thread, in, block, at);
  if (run->ordered && !mark (thread, in, at, bytes, write))
    return NULL;
  return block->data + at;
}

static guint8 *
reach_local (PtxThread *thread, const PtxInstruction *in, guint64 at, guint bytes, gboolean write)
{
  gsize size = thread->run->local_bytes;

  if (at >= size || bytes > size - at)
    {
      if (!ptx_checks (thread, PTX_ERROR_BOUNDS))
        return ptx_nowhere (thread);
      ptx_fail (thread, in, PTX_ERROR_BOUNDS,
                "%s %u bytes at byte %" G_GINT64_FORMAT " of %" G_GSIZE_FORMAT
                " bytes of local memory",
                write ? "writes" : "reads", bytes, (gint64) at, size);
      return NULL;
    }
  if (write)
    memset (thread->local_written + at, 1, bytes);
  else if (!all_written (thread->local_written + at, bytes) &&
           ptx_checks (thread, PTX_ERROR_UNWRITTEN))
    {
      ptx_fail (thread, in, PTX_ERROR_UNWRITTEN,
                "reads byte %" G_GUINT64_FORMAT " of local memory, which was never written", at);
      return NULL;
    }
  return thread->local + at;
}

guint8 *
ptx_reach (PtxThread            *thread,
           const PtxInstruction *in,
           guint64               address,
           guint                 bytes,
           gboolean              write)
{
  guint64 window = address & ~PTX_WINDOW_MASK;

  if (address & (bytes - 1) && ptx_checks (thread, PTX_ERROR_ALIGNMENT))
    {
      ptx_fail (thread, in, PTX_ERROR_ALIGNMENT,
                "%s %u bytes at the address %#" G_GINT64_MODIFIER "x, which is no multiple of %u",
                write ? "writes" : "reads", bytes, address, bytes);
      return NULL;
    }
  if (in->flags & PTX_SHARED)
    return ptx_shared_reach (thread, in, address & PTX_WINDOW_MASK, bytes,
                             write ? PTX_WRITE : PTX_READ);
  if (in->flags & PTX_LOCAL)
    return reach_local (thread, in,
                        window == PTX_LOCAL_BASE ? address - PTX_LOCAL_BASE
                                                 : address + thread->frame_local,
                        bytes, write);
  if (window == PTX_SHARED_BASE && !(in->flags & PTX_GLOBAL))
    return ptx_shared_reach (thread, in, address - PTX_SHARED_BASE, bytes,
                             write ? PTX_WRITE : PTX_READ);
  if (window == PTX_LOCAL_BASE && !(in->flags & PTX_GLOBAL))
    return reach_local (thread, in, address - PTX_LOCAL_BASE, bytes, write);
  return reach_global (thread, in, address, bytes, write);
}
