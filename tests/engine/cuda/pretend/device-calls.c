/* device-calls.c — cuInit, devices, contexts, names of errors.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/pretend/driver.h"
#include "tests/engine/cuda/pretend/state.h"

#include <string.h>

static char contexts[PRETEND_MOST_DEVICES]; /* their addresses are the primary contexts */

#define CONTEXT(device) ((CUcontext) (void *) &contexts[device])

static __thread CUcontext current; /* NULL: none */

guint
pretend_device (void)
{
  return current ? (guint) ((char *) (gpointer) current - contexts) : 0;
}

gboolean
pretend_has_context (const char *call)
{
  if (current && pretend.retained[pretend_device ()])
    return TRUE;
  pretend_problem ("%s: this thread has no context", call);
  return FALSE;
}

static gboolean
is_device (CUdevice device)
{
  return !pretend.no_device && device >= 0 && (guint) device < pretend.n_devices;
}

CUresult
cuInit (guint flags)
{
  PRETEND_BEGIN_ANYWHERE ();
  pretend_watch_faults ();
  return pretend_end (pretend.no_device ? CUDA_ERROR_NO_DEVICE : CUDA_SUCCESS);
}

CUresult
cuDriverGetVersion (int *version)
{
  PRETEND_BEGIN_ANYWHERE ();
  *version = pretend.version;
  return pretend_end (CUDA_SUCCESS);
}

CUresult
cuDeviceGetCount (int *count)
{
  PRETEND_BEGIN_ANYWHERE ();
  *count = pretend.no_device ? 0 : (int) pretend.n_devices;
  return pretend_end (CUDA_SUCCESS);
}

CUresult
cuDeviceGet (CUdevice *device, int index)
{
  PRETEND_BEGIN_ANYWHERE ();
  *device = index;
  return pretend_end (is_device (index) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE);
}

CUresult
cuDeviceGetName (char *name, int length, CUdevice device)
{
  PRETEND_BEGIN_ANYWHERE ();
  g_strlcpy (name, "Pretend GPU", (gsize) MAX (length, 0));
  return pretend_end (CUDA_SUCCESS);
}

CUresult
cuDeviceTotalMem_v2 (gsize *bytes, CUdevice device)
{
  PRETEND_BEGIN_ANYWHERE ();
  *bytes = pretend.most;
  return pretend_end (CUDA_SUCCESS);
}

/* The attributes by their numbers in cuda.h; 75 and 76 are the compute capability. */
static const struct
{
  int attribute, value;
} attributes[] = {
  { 1, 1024 },                                        /* threads of a block */
  { 2, 1024 },                                        /* block x, y, z */
  { 3, 1024 },       { 4, 64 },    { 5, G_MAXINT32 }, /* grid x, y, z */
  { 6, 65535 },      { 7, 65535 }, { 8, 48 << 10 },   /* shared memory of a block */
  { 9, 64 << 10 },                                    /* constant memory */
  { 10, 32 },                                         /* lanes of a warp */
  { 12, 65536 },                                      /* registers of a block */
  { 13, 1500000 },                                    /* kHz */
  { 15, 1 },                                          /* copies beside kernels */
  { 16, 4 },                                          /* multiprocessors */
  { 20, 0 },                                          /* compute mode */
  { 31, 1 },                                          /* concurrent kernels */
  { 36, 1000000 },                                    /* kHz of the memory */
  { 37, 256 },                                        /* bits of its bus */
  { 38, 4 << 20 },                                    /* second level cache */
  { 39, 2048 },                                       /* threads of a multiprocessor */
  { 40, 2 },                                          /* copy engines */
  { 41, 1 },                                          /* one address space with the host */
  { 81, 100 << 10 },                                  /* shared memory of a multiprocessor */
  { 82, 65536 },                                      /* registers of a multiprocessor */
  { 97, 96 << 10 },                                   /* shared memory of a block on request */
  { 106, 32 },                                        /* blocks of a multiprocessor */
  { 115, 0 },                                         /* memory pools */
};

CUresult
cuDeviceGetAttribute (int *value, int attribute, CUdevice device)
{
  PRETEND_BEGIN_ANYWHERE ();
  *value = 0;
  if (attribute == 75)
    *value = (int) pretend.arch / 10;
  else if (attribute == 76)
    *value = (int) pretend.arch % 10;
  for (guint i = 0; i < G_N_ELEMENTS (attributes); i++)
    if (attributes[i].attribute == attribute)
      *value = attributes[i].value;
  return pretend_end (is_device (device) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE);
}

CUresult
cuDeviceGetUuid_v2 (guint8 *uuid, CUdevice device)
{
  PRETEND_BEGIN_ANYWHERE ();
  memcpy (uuid, "pretend GPU 0000", 16);
  return pretend_end (CUDA_SUCCESS);
}

CUresult
cuDeviceGetPCIBusId (char *text, int length, CUdevice device)
{
  PRETEND_BEGIN_ANYWHERE ();
  g_strlcpy (text, "0000:00:00.0", (gsize) MAX (length, 0));
  return pretend_end (CUDA_SUCCESS);
}

/* --- Contexts --- */

CUresult
cuDevicePrimaryCtxRetain (CUcontext *context, CUdevice device)
{
  PRETEND_BEGIN_ANYWHERE ();
  if (!is_device (device))
    return pretend_end (CUDA_ERROR_INVALID_DEVICE);
  if (!pretend.retained[device]++)
    pretend_made (CONTEXT (device), PRETEND_CONTEXT);
  *context = CONTEXT (device);
  return pretend_end (CUDA_SUCCESS);
}

CUresult
cuDevicePrimaryCtxRelease_v2 (CUdevice device)
{
  PRETEND_BEGIN_ANYWHERE ();
  if (!is_device (device) || !pretend.retained[device])
    return pretend_end (CUDA_ERROR_INVALID_CONTEXT);
  if (!--pretend.retained[device])
    {
      pretend_wait_all ();
      pretend_destroyed (CONTEXT (device), PRETEND_CONTEXT);
    }
  return pretend_end (CUDA_SUCCESS);
}

CUresult
cuDevicePrimaryCtxSetFlags_v2 (CUdevice device, guint flags)
{
  PRETEND_BEGIN_ANYWHERE ();
  return pretend_end (CUDA_SUCCESS);
}

CUresult
cuDevicePrimaryCtxGetState (CUdevice device, guint *flags, int *active)
{
  PRETEND_BEGIN_ANYWHERE ();
  *flags = 0;
  *active = is_device (device) && pretend.retained[device] > 0;
  return pretend_end (CUDA_SUCCESS);
}

static CUresult
set_current (CUcontext context)
{
  if (context && !pretend_lives (context, PRETEND_CONTEXT))
    return CUDA_ERROR_INVALID_CONTEXT;
  current = context;
  return CUDA_SUCCESS;
}

CUresult
cuCtxSetCurrent (CUcontext context)
{
  PRETEND_BEGIN_ANYWHERE ();
  return pretend_end (set_current (context));
}

CUresult
cuCtxPushCurrent_v2 (CUcontext context)
{
  PRETEND_BEGIN_ANYWHERE ();
  return pretend_end (set_current (context));
}

CUresult
cuCtxPopCurrent_v2 (CUcontext *context)
{
  PRETEND_BEGIN_ANYWHERE ();
  if (context)
    *context = current;
  current = NULL;
  return pretend_end (CUDA_SUCCESS);
}

CUresult
cuCtxGetCurrent (CUcontext *context)
{
  PRETEND_BEGIN_ANYWHERE ();
  *context = current;
  return pretend_end (CUDA_SUCCESS);
}

CUresult
cuCtxGetDevice (CUdevice *device)
{
  PRETEND_BEGIN ();
  *device = (CUdevice) pretend_device ();
  return pretend_end (CUDA_SUCCESS);
}

CUresult
cuCtxSynchronize (void)
{
  PRETEND_BEGIN ();
  if (pretend_captures ())
    {
      pretend_break_captures ();
      return pretend_end (CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    }
  return pretend_end (pretend_wait_all ());
}

/* --- Names of errors --- */

static const struct
{
  CUresult    error;
  const char *name, *text;
} errors[] = {
  { CUDA_SUCCESS, "CUDA_SUCCESS", "no error" },
  { CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument" },
  { CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory" },
  { CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected" },
  { CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal" },
  { CUDA_ERROR_NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU",
    "no kernel image is available for execution on the device" },
  { CUDA_ERROR_INVALID_PTX, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed" },
  { CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle" },
  { CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found" },
  { CUDA_ERROR_NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready" },
  { CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS",
    "an illegal memory access was encountered" },
  { CUDA_ERROR_ILLEGAL_INSTRUCTION, "CUDA_ERROR_ILLEGAL_INSTRUCTION",
    "an illegal instruction was encountered" },
  { CUDA_ERROR_MISALIGNED_ADDRESS, "CUDA_ERROR_MISALIGNED_ADDRESS", "misaligned address" },
  { CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure" },
  { CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
    "operation not permitted when stream is capturing" },
  { CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
    "operation failed due to a previous error during capture" },
  { CUDA_ERROR_STREAM_CAPTURE_UNJOINED, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED",
    "capturing stream has unjoined work" },
};

static CUresult
find_error (CUresult error, const char **name, const char **text)
{
  for (guint i = 0; i < G_N_ELEMENTS (errors); i++)
    if (errors[i].error == error)
      {
        *name = errors[i].name;
        *text = errors[i].text;
        return CUDA_SUCCESS;
      }
  *name = *text = NULL;
  return CUDA_ERROR_INVALID_VALUE;
}

/* These two work after any error. */
CUresult
cuGetErrorName (CUresult error, const char **text)
{
  const char *other;

  return find_error (error, text, &other);
}

CUresult
cuGetErrorString (CUresult error, const char **text)
{
  const char *other;

  return find_error (error, &other, text);
}

/* NVRTC opens the driver by its soname and asks for tables of functions that no header describes.  A
 * table begins with its size: this one has nothing else, and NVRTC does without. */
CUresult
cuGetExportTable (const void **table, const void *id)
{
  static const gsize empty[] = { sizeof (gsize) };

  PRETEND_BEGIN_ANYWHERE ();
  *table = empty;
  return pretend_end (CUDA_SUCCESS);
}
