/* stream-calls.c — streams and events.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/pretend/driver.h"
#include "tests/engine/cuda/pretend/state.h"

static CUresult
create_stream (CUstream *stream, guint flags)
{
  if (flags & ~(guint) CU_STREAM_NON_BLOCKING)
    return CUDA_ERROR_INVALID_VALUE;
  *stream = pretend_stream_new (!(flags & CU_STREAM_NON_BLOCKING));
  pretend_made (*stream, PRETEND_STREAM);
  return CUDA_SUCCESS;
}

CUresult
cuStreamCreate (CUstream *stream, guint flags)
{
  PRETEND_BEGIN ();
  return pretend_end (create_stream (stream, flags));
}

CUresult
cuStreamCreateWithPriority (CUstream *stream, guint flags, int priority)
{
  PRETEND_BEGIN ();
  return pretend_end (create_stream (stream, flags));
}

/* Its work still takes place, as the vendor says. */
CUresult
cuStreamDestroy_v2 (CUstream stream)
{
  PRETEND_BEGIN ();
  return pretend_end (pretend_destroyed (stream, PRETEND_STREAM) ? CUDA_SUCCESS
                                                                 : CUDA_ERROR_INVALID_HANDLE);
}

/* A stream that records cannot be waited for. */
static CUresult
refuse_capture (CUstream stream)
{
  if (!stream->capture)
    return CUDA_SUCCESS;
  stream->capture->broken = TRUE;
  return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

CUresult
cuStreamSynchronize (CUstream given)
{
  CUstream stream;
  CUresult result;

  PRETEND_BEGIN ();
  stream = pretend_stream (given);
  if (!stream)
    return pretend_end (CUDA_ERROR_INVALID_HANDLE);
  result = refuse_capture (stream);
  return pretend_end (result ? result : pretend_wait_stream (stream));
}

CUresult
cuStreamQuery (CUstream given)
{
  CUstream stream;
  CUresult result;

  PRETEND_BEGIN ();
  stream = pretend_stream (given);
  if (!stream)
    return pretend_end (CUDA_ERROR_INVALID_HANDLE);
  result = refuse_capture (stream);
  if (result)
    return pretend_end (result);
  pretend_some_work ();
  if (!g_queue_is_empty (&stream->queue))
    return pretend_end (CUDA_ERROR_NOT_READY);
  return pretend_end (pretend_wait_stream (stream));
}

CUresult
cuStreamWaitEvent (CUstream given, CUevent event, guint flags)
{
  CUstream stream;

  PRETEND_BEGIN ();
  stream = pretend_stream (given);
  if (!stream || !pretend_lives (event, PRETEND_EVENT))
    return pretend_end (CUDA_ERROR_INVALID_HANDLE);
  if (event->capture)
    {
      if (stream->capture && stream->capture != event->capture)
        return pretend_end (CUDA_ERROR_STREAM_CAPTURE_MERGE);
      if (!stream->capture)
        {
          stream->capture = event->capture;
          g_ptr_array_set_size (stream->last, 0);
          g_ptr_array_add (event->capture->streams, stream);
        }
      for (guint i = 0; i < event->nodes->len; i++)
        g_ptr_array_add (stream->last, g_ptr_array_index (event->nodes, i));
      return pretend_end (CUDA_SUCCESS);
    }
  if (stream->capture)
    {
      stream->capture->broken = TRUE;
      return pretend_end (CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
    }
  if (event->work)
    pretend_mark (stream, event->work->clock);
  return pretend_end (CUDA_SUCCESS);
}

/* --- Functions of the host --- */

typedef struct
{
  CUhostFn function;
  void    *data;
} HostCall;

static gboolean
run_host_call (gpointer data, GError **error)
{
  const HostCall *call = data;

  call->function (call->data);
  return TRUE;
}

CUresult
cuLaunchHostFunc (CUstream given, CUhostFn function, void *data)
{
  HostCall call = { function, data };
  CUstream stream;

  PRETEND_BEGIN ();
  stream = pretend_stream (given);
  if (!stream)
    return pretend_end (CUDA_ERROR_INVALID_HANDLE);
  return pretend_end (
      pretend_add (stream, pretend_deed_new (g_strdup ("a function of the host"), run_host_call,
                                             g_memdup2 (&call, sizeof call))));
}

/* --- Events --- */

CUresult
cuEventCreate (CUevent *event, guint flags)
{
  PRETEND_BEGIN ();
  *event = g_new0 (struct CUevent_st, 1);
  (*event)->timing = !(flags & CU_EVENT_DISABLE_TIMING);
  (*event)->nodes = g_ptr_array_new ();
  pretend_made (*event, PRETEND_EVENT);
  return pretend_end (CUDA_SUCCESS);
}

CUresult
cuEventDestroy_v2 (CUevent event)
{
  PRETEND_BEGIN ();
  if (!pretend_destroyed (event, PRETEND_EVENT))
    return pretend_end (CUDA_ERROR_INVALID_HANDLE);
  g_ptr_array_unref (event->nodes);
  g_free (event);
  return pretend_end (CUDA_SUCCESS);
}

CUresult
cuEventRecord (CUevent event, CUstream given)
{
  CUstream stream;

  PRETEND_BEGIN ();
  stream = pretend_stream (given);
  if (!stream || !pretend_lives (event, PRETEND_EVENT))
    return pretend_end (CUDA_ERROR_INVALID_HANDLE);
  event->capture = stream->capture;
  g_ptr_array_set_size (event->nodes, 0);
  if (stream->capture)
    for (guint i = 0; i < stream->last->len; i++)
      g_ptr_array_add (event->nodes, g_ptr_array_index (stream->last, i));
  else
    event->work = pretend_mark (stream, NULL);
  return pretend_end (CUDA_SUCCESS);
}

static CUresult
check_event (CUevent event)
{
  if (!pretend_lives (event, PRETEND_EVENT))
    return CUDA_ERROR_INVALID_HANDLE;
  if (!event->capture)
    return CUDA_SUCCESS;
  event->capture->broken = TRUE;
  return CUDA_ERROR_CAPTURED_EVENT;
}

CUresult
cuEventSynchronize (CUevent event)
{
  CUresult result;

  PRETEND_BEGIN ();
  result = check_event (event);
  if (result)
    return pretend_end (result);
  return pretend_end (event->work ? pretend_wait (event->work) : CUDA_SUCCESS);
}

CUresult
cuEventQuery (CUevent event)
{
  CUresult result;

  PRETEND_BEGIN ();
  result = check_event (event);
  if (result || !event->work)
    return pretend_end (result);
  pretend_some_work ();
  return pretend_end (event->work->done ? pretend_wait (event->work) : CUDA_ERROR_NOT_READY);
}

CUresult
cuEventElapsedTime (float *milliseconds, CUevent from, CUevent to)
{
  CUresult result;

  PRETEND_BEGIN ();
  result = check_event (from);
  result = result ? result : check_event (to);
  if (result)
    return pretend_end (result);
  if (!from->timing || !to->timing || !from->work || !to->work)
    return pretend_end (CUDA_ERROR_INVALID_HANDLE);
  if (!from->work->done || !to->work->done)
    return pretend_end (CUDA_ERROR_NOT_READY);
  *milliseconds = (float) ((to->work->time - from->work->time) * 1e3);
  return pretend_end (CUDA_SUCCESS);
}

CUresult
cuEventElapsedTime_v2 (float *milliseconds, CUevent from, CUevent to)
{
  return cuEventElapsedTime (milliseconds, from, to);
}
