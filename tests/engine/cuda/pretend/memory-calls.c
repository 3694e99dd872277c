/* memory-calls.c — device memory, pinned memory, copies and fills.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/pretend/driver.h"
#include "tests/engine/cuda/pretend/state.h"

#include <string.h>

/* Allocating and freeing wait for the whole device, which a capture does not allow. */
static gboolean
is_capturing (void)
{
  if (!pretend_captures () || !pretend_checks (PRETEND_CHECK_CAPTURE))
    return FALSE;
  pretend_problem ("memory is allocated or freed while a stream records");
  pretend_break_captures ();
  return TRUE;
}

CUresult
cuMemGetInfo_v2 (gsize *unused, gsize *total)
{
  PRETEND_BEGIN ();
  *unused = ptx_memory_most (pretend.memory) - ptx_memory_used (pretend.memory);
  *unused -= MIN (*unused, pretend.others * pretend.n_asked++);
  *total = ptx_memory_most (pretend.memory);
  return pretend_end (CUDA_SUCCESS);
}

CUresult
cuMemAlloc_v2 (CUdeviceptr *address, gsize bytes)
{
  PRETEND_BEGIN ();
  if (is_capturing ())
    return pretend_end (CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  if (!bytes)
    return pretend_end (CUDA_ERROR_INVALID_VALUE);
  *address = ptx_memory_take (pretend.memory, bytes);
  if (!*address)
    return pretend_end (CUDA_ERROR_OUT_OF_MEMORY);
  pretend_made ((gpointer) (gsize) *address, PRETEND_ALLOCATION);
  return pretend_end (CUDA_SUCCESS);
}

CUresult
cuMemFree_v2 (CUdeviceptr address)
{
  PRETEND_BEGIN ();
  if (is_capturing ())
    return pretend_end (CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  if (!address)
    return pretend_end (CUDA_SUCCESS);
  /* The vendor's function waits for the device. */
  pretend_wait_all ();
  if (!pretend_destroyed ((gpointer) (gsize) address, PRETEND_ALLOCATION) ||
      !ptx_memory_give (pretend.memory, address))
    return pretend_end (CUDA_ERROR_INVALID_VALUE);
  return pretend_end (CUDA_SUCCESS);
}

CUresult
cuMemGetAddressRange_v2 (CUdeviceptr *start, gsize *bytes, CUdeviceptr address)
{
  PRETEND_BEGIN ();
  return pretend_end (ptx_memory_range (pretend.memory, address, start, bytes)
                          ? CUDA_SUCCESS
                          : CUDA_ERROR_NOT_FOUND);
}

static CUresult
allocate_host (void **host, gsize bytes)
{
  if (is_capturing ())
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (!bytes)
    return CUDA_ERROR_INVALID_VALUE;
  *host = pretend_pinned_new (bytes);
  pretend_made (*host, PRETEND_PINNED);
  return CUDA_SUCCESS;
}

CUresult
cuMemAllocHost_v2 (void **host, gsize bytes)
{
  PRETEND_BEGIN ();
  return pretend_end (allocate_host (host, bytes));
}

CUresult
cuMemHostAlloc (void **host, gsize bytes, guint flags)
{
  PRETEND_BEGIN ();
  return pretend_end (allocate_host (host, bytes));
}

CUresult
cuMemFreeHost (void *host)
{
  PRETEND_BEGIN ();
  if (is_capturing ())
    return pretend_end (CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  if (!pretend_destroyed (host, PRETEND_PINNED) || !pretend_pinned_free (host))
    return pretend_end (CUDA_ERROR_INVALID_VALUE);
  return pretend_end (CUDA_SUCCESS);
}

/* --- Copies --- */

typedef struct
{
  guint64  to, from;
  gsize    bytes;
  gboolean to_device, from_device;
  guint64  sum; /* of the host's bytes when the copy was asked for */
  gboolean summed;
  guint    pattern, width; /* of a fill */
} Move;

static guint64
sum_of (gconstpointer data, gsize bytes)
{
  const guint8 *at = data;
  guint64       sum = bytes;

  for (gsize i = 0; i < bytes; i++)
    sum = (sum ^ at[i]) * G_GUINT64_CONSTANT (0x100000001b3);
  return sum;
}

static gpointer
reach (guint64 address, gsize bytes, gboolean write, GError **error)
{
  PtxAccess access = { address, bytes, write, pretend.unchecked };

  return ptx_memory_reach (pretend.memory, &access, error);
}

static gboolean
move_to_device (const Move *move, GError **error)
{
  gconstpointer from = pretend_alias ((gpointer) (gsize) move->from);
  gpointer      to = reach (move->to, move->bytes, TRUE, error);

  if (!to)
    return FALSE;
  if (move->summed && sum_of (from, move->bytes) != move->sum)
    {
      g_set_error (error, PTX_ERROR, PTX_ERROR_ORDER,
                   "the host changed the %" G_GSIZE_FORMAT
                   " bytes that are copied before the copy took place",
                   move->bytes);
      return FALSE;
    }
  memcpy (to, from, move->bytes);
  return TRUE;
}

/* A copy within the device may hold bytes that were never written; they stay so. */
static gboolean
move_within_device (const Move *move, GError **error)
{
  PtxAccess access = { move->from, move->bytes, FALSE,
                       pretend.unchecked | PTX_CHECK (PTX_ERROR_UNWRITTEN) };
  gpointer  from = ptx_memory_reach (pretend.memory, &access, error), to;

  if (!from)
    return FALSE;
  to = reach (move->to, move->bytes, TRUE, error);
  if (!to)
    return FALSE;
  if (move->to < move->from + move->bytes && move->from < move->to + move->bytes)
    pretend_problem ("a copy within the device overlaps itself");
  memmove (to, from, move->bytes);
  ptx_memory_copy_written (pretend.memory, move->to, move->from, move->bytes);
  return TRUE;
}

static gboolean
run_move (gpointer data, GError **error)
{
  const Move   *move = data;
  gconstpointer from;

  if (move->to_device && move->from_device)
    return move_within_device (move, error);
  if (move->to_device)
    return move_to_device (move, error);
  from = reach (move->from, move->bytes, FALSE, error);
  if (from)
    memcpy (pretend_alias ((gpointer) (gsize) move->to), from, move->bytes);
  return from != NULL;
}

static gboolean
run_fill (gpointer data, GError **error)
{
  const Move *move = data;
  guint8     *to = reach (move->to, move->bytes, TRUE, error);

  for (gsize i = 0; to && i < move->bytes; i++)
    to[i] = (guint8) (move->pattern >> (8 * (i % move->width)));
  return to != NULL;
}

/* Whether work that is not done yet reads or writes the host's bytes too. */
static gboolean
is_busy (gconstpointer host, gsize bytes)
{
  guint64  start = (guint64) (gsize) host;
  gboolean busy = FALSE;

  for (guint i = pretend.copies->len; i-- > 0;)
    {
      const PretendCopy *copy = &g_array_index (pretend.copies, PretendCopy, i);

      if (copy->work->done)
        g_array_remove_index_fast (pretend.copies, i);
      else
        busy = busy || (copy->start < start + bytes && start < copy->end);
    }
  return busy;
}

static void
note_copy (gconstpointer host, gsize bytes, const PretendWork *work)
{
  PretendCopy copy = { (guint64) (gsize) host, (guint64) (gsize) host + bytes, work };

  g_array_append_val (pretend.copies, copy);
}

/* What a graph does not record, and what the host shall not see or change until it waits. */
static CUresult
guard_host (CUstream stream, Move *move)
{
  gpointer host = (gpointer) (gsize) (move->to_device ? move->from : move->to);

  if (move->to_device && move->from_device)
    return CUDA_SUCCESS;
  if (stream->capture)
    {
      if (pretend_is_pinned (host, move->bytes))
        return CUDA_SUCCESS;
      pretend_problem ("a copy of memory that is not pinned is recorded");
      stream->capture->broken = TRUE;
      return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
  if (!pretend_checks (PRETEND_CHECK_HOST) || is_busy (host, move->bytes))
    return CUDA_SUCCESS;
  if (!move->to_device)
    memset (pretend_alias (host), 0xff, move->bytes);
  else
    {
      move->sum = sum_of (pretend_alias (host), move->bytes);
      move->summed = TRUE;
    }
  return CUDA_SUCCESS;
}

static CUresult
add_move (Move move, CUstream given)
{
  CUstream     stream = pretend_stream (given);
  PretendDeed *deed;
  CUresult     result;
  gpointer     host;

  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!move.bytes)
    return CUDA_SUCCESS;
  move.to_device = ptx_memory_holds (pretend.memory, move.to);
  move.from_device = ptx_memory_holds (pretend.memory, move.from);
  host = (gpointer) (gsize) (move.to_device ? move.from : move.to);
  result = guard_host (stream, &move);
  if (result)
    return result;
  deed = pretend_deed_new (g_strdup_printf ("the copy of %" G_GSIZE_FORMAT " bytes %s", move.bytes,
                                            !move.to_device    ? "to the host"
                                            : move.from_device ? "within the device"
                                                               : "to the device"),
                           run_move, g_memdup2 (&move, sizeof move));
  deed->facts = (PretendFacts){ .kind = PRETEND_COPY,
                                .bytes = move.bytes,
                                .to_device = move.to_device,
                                .from_device = move.from_device };
  deed->seconds = 2e-6 + (double) move.bytes / 10e9;
  if (!move.to_device || !move.from_device)
    pretend.host_bytes += move.bytes;
  result = pretend_add (stream, deed);
  if (!result && !stream->capture && !(move.to_device && move.from_device))
    {
      note_copy (host, move.bytes, g_queue_peek_tail (&stream->queue));
      pretend_hide (host, move.bytes, g_queue_peek_tail (&stream->queue), move.to_device);
    }
  return result;
}

static CUresult
add_copy (guint64 to, guint64 from, gsize bytes, CUstream stream)
{
  return add_move ((Move){ .to = to, .from = from, .bytes = bytes }, stream);
}

/* A direction that the addresses contradict is an error of its own. */
static gboolean
fits (guint64 address, gboolean device)
{
  if (ptx_memory_holds (pretend.memory, address) == device)
    return TRUE;
  pretend_problem (device ? "an address of the host is used as one of the device"
                          : "an address of the device is used as one of the host");
  return FALSE;
}

#define COPY(to, to_device, from, from_device, bytes, stream)                 \
  do                                                                          \
    {                                                                         \
      guint64 to_ = (guint64) (gsize) (to), from_ = (guint64) (gsize) (from); \
      PRETEND_BEGIN ();                                                       \
      if (!fits (to_, to_device) || !fits (from_, from_device))               \
        return pretend_end (CUDA_ERROR_INVALID_VALUE);                        \
      return pretend_end (add_copy (to_, from_, bytes, stream));              \
    }                                                                         \
  while (0)

CUresult
cuMemcpyHtoDAsync_v2 (CUdeviceptr to, const void *from, gsize bytes, CUstream stream)
{
  COPY (to, TRUE, from, FALSE, bytes, stream);
}

CUresult
cuMemcpyDtoHAsync_v2 (void *to, CUdeviceptr from, gsize bytes, CUstream stream)
{
  COPY (to, FALSE, from, TRUE, bytes, stream);
}

CUresult
cuMemcpyDtoDAsync_v2 (CUdeviceptr to, CUdeviceptr from, gsize bytes, CUstream stream)
{
  COPY (to, TRUE, from, TRUE, bytes, stream);
}

CUresult
cuMemcpyAsync (CUdeviceptr to, CUdeviceptr from, gsize bytes, CUstream stream)
{
  PRETEND_BEGIN ();
  return pretend_end (add_copy (to, from, bytes, stream));
}

static CUresult
copy_now (guint64 to, guint64 from, gsize bytes)
{
  CUresult result;

  if (pretend_captures ())
    {
      pretend_break_captures ();
      return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    }
  result = add_copy (to, from, bytes, NULL);
  return result ? result : pretend_wait_stream (pretend_stream (NULL));
}

CUresult
cuMemcpyHtoD_v2 (CUdeviceptr to, const void *from, gsize bytes)
{
  PRETEND_BEGIN ();
  return pretend_end (copy_now (to, (guint64) (gsize) from, bytes));
}

CUresult
cuMemcpyDtoH_v2 (void *to, CUdeviceptr from, gsize bytes)
{
  PRETEND_BEGIN ();
  return pretend_end (copy_now ((guint64) (gsize) to, from, bytes));
}

CUresult
cuMemcpyDtoD_v2 (CUdeviceptr to, CUdeviceptr from, gsize bytes)
{
  PRETEND_BEGIN ();
  return pretend_end (copy_now (to, from, bytes));
}

/* --- Fills --- */

static CUresult
add_fill (guint64 to, guint pattern, guint width, gsize count, CUstream given)
{
  CUstream     stream = pretend_stream (given);
  Move         move = { .to = to, .bytes = count * width, .pattern = pattern, .width = width };
  PretendDeed *deed;

  if (!stream)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!fits (to, TRUE) || to % width)
    return CUDA_ERROR_INVALID_VALUE;
  if (!count)
    return CUDA_SUCCESS;
  deed = pretend_deed_new (g_strdup_printf ("the fill of %" G_GSIZE_FORMAT " bytes", move.bytes),
                           run_fill, g_memdup2 (&move, sizeof move));
  deed->facts = (PretendFacts){ .kind = PRETEND_FILL, .bytes = move.bytes, .value = pattern };
  deed->seconds = 1e-6 + (double) move.bytes / 100e9;
  return pretend_add (stream, deed);
}

CUresult
cuMemsetD8Async (CUdeviceptr to, guint8 value, gsize count, CUstream stream)
{
  PRETEND_BEGIN ();
  return pretend_end (add_fill (to, value, 1, count, stream));
}

CUresult
cuMemsetD16Async (CUdeviceptr to, guint16 value, gsize count, CUstream stream)
{
  PRETEND_BEGIN ();
  return pretend_end (add_fill (to, value, 2, count, stream));
}

CUresult
cuMemsetD32Async (CUdeviceptr to, guint value, gsize count, CUstream stream)
{
  PRETEND_BEGIN ();
  return pretend_end (add_fill (to, value, 4, count, stream));
}

CUresult
cuMemsetD8_v2 (CUdeviceptr to, guint8 value, gsize count)
{
  PRETEND_BEGIN ();
  return pretend_end (add_fill (to, value, 1, count, NULL));
}
