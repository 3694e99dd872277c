/* module-calls.c — modules, functions and launches of kernels.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/pretend/driver.h"
#include "tests/engine/cuda/pretend/state.h"

#include <string.h>

#define SHARED_WITHOUT_ASKING (48u << 10)
#define SHARED_ON_REQUEST     (96u << 10)

struct CUmod_st
{
  PtxModule *ptx;
  GPtrArray *functions;
};

struct CUfunc_st
{
  const PtxFunction *kernel;
  guint              most_dynamic;
};

CUresult
cuModuleLoadData (CUmodule *module, const void *image)
{
  g_autoptr (GError) error = NULL;
  PtxModule *ptx;

  PRETEND_BEGIN ();
  if (pretend_captures ())
    {
      pretend_break_captures ();
      return pretend_end (CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    }
  if (!memcmp (image, "\177ELF", 4))
    return pretend_end (CUDA_ERROR_NO_BINARY_FOR_GPU);
  ptx = ptx_module_new (image, pretend.memory, &error);
  if (!ptx)
    {
      pretend_problem ("a module cannot be loaded: %s", error->message);
      return pretend_end (CUDA_ERROR_INVALID_PTX);
    }
  *module = g_new0 (struct CUmod_st, 1);
  (*module)->ptx = ptx;
  (*module)->functions = g_ptr_array_new ();
  pretend_made (*module, PRETEND_MODULE);
  return pretend_end (CUDA_SUCCESS);
}

CUresult
cuModuleLoadDataEx (CUmodule *module, const void *image, guint count, int *options, void **values)
{
  return cuModuleLoadData (module, image);
}

CUresult
cuModuleUnload (CUmodule module)
{
  PRETEND_BEGIN ();
  if (!pretend_destroyed (module, PRETEND_MODULE))
    return pretend_end (CUDA_ERROR_INVALID_HANDLE);
  pretend_wait_all ();
  for (guint i = 0; i < module->functions->len; i++)
    {
      g_hash_table_remove (pretend.handles, g_ptr_array_index (module->functions, i));
      g_free (g_ptr_array_index (module->functions, i));
    }
  g_ptr_array_unref (module->functions);
  ptx_module_free (module->ptx);
  g_free (module);
  return pretend_end (CUDA_SUCCESS);
}

CUresult
cuModuleGetFunction (CUfunction *function, CUmodule module, const char *name)
{
  const PtxFunction *kernel;

  PRETEND_BEGIN ();
  if (!pretend_lives (module, PRETEND_MODULE))
    return pretend_end (CUDA_ERROR_INVALID_HANDLE);
  kernel = ptx_module_find (module->ptx, name);
  if (!kernel)
    return pretend_end (CUDA_ERROR_NOT_FOUND);
  *function = g_new0 (struct CUfunc_st, 1);
  (*function)->kernel = kernel;
  (*function)->most_dynamic = SHARED_WITHOUT_ASKING;
  g_ptr_array_add (module->functions, *function);
  pretend_made (*function, PRETEND_FUNCTION);
  return pretend_end (CUDA_SUCCESS);
}

CUresult
cuModuleGetGlobal_v2 (CUdeviceptr *address, gsize *bytes, CUmodule module, const char *name)
{
  CUdeviceptr start;
  gsize       size;

  PRETEND_BEGIN ();
  if (!pretend_lives (module, PRETEND_MODULE))
    return pretend_end (CUDA_ERROR_INVALID_HANDLE);
  if (!ptx_module_global (module->ptx, name, &start, &size))
    return pretend_end (CUDA_ERROR_NOT_FOUND);
  if (address)
    *address = start;
  if (bytes)
    *bytes = size;
  return pretend_end (CUDA_SUCCESS);
}

/* Attributes by their numbers in cuda.h.  The machine has as many registers as a kernel asks for;
 * 32 is as good as any number. */
CUresult
cuFuncGetAttribute (int *value, int attribute, CUfunction function)
{
  PRETEND_BEGIN ();
  if (!pretend_lives (function, PRETEND_FUNCTION))
    return pretend_end (CUDA_ERROR_INVALID_HANDLE);
  switch (attribute)
    {
    case 0:
      *value = (int) ptx_kernel_most_threads (function->kernel);
      break;
    case 1:
      *value = (int) ptx_kernel_shared_bytes (function->kernel);
      break;
    case 3:
      *value = (int) ptx_kernel_local_bytes (function->kernel);
      break;
    case 4:
      *value = 32;
      break;
    case 8:
      *value = (int) function->most_dynamic;
      break;
    default:
      *value = 0;
      break;
    }
  return pretend_end (CUDA_SUCCESS);
}

CUresult
cuFuncSetAttribute (CUfunction function, int attribute, int value)
{
  PRETEND_BEGIN ();
  if (!pretend_lives (function, PRETEND_FUNCTION))
    return pretend_end (CUDA_ERROR_INVALID_HANDLE);
  if (attribute == 8 && (value < 0 || (guint) value > SHARED_ON_REQUEST))
    return pretend_end (CUDA_ERROR_INVALID_VALUE);
  if (attribute == 8)
    function->most_dynamic = (guint) value;
  return pretend_end (CUDA_SUCCESS);
}

CUresult
cuOccupancyMaxActiveBlocksPerMultiprocessor (int       *blocks,
                                             CUfunction function,
                                             int        threads,
                                             gsize      shared)
{
  gsize used;

  PRETEND_BEGIN ();
  if (!pretend_lives (function, PRETEND_FUNCTION))
    return pretend_end (CUDA_ERROR_INVALID_HANDLE);
  if (threads < 1)
    return pretend_end (CUDA_ERROR_INVALID_VALUE);
  used = shared + ptx_kernel_shared_bytes (function->kernel);
  *blocks = MIN (32, 2048 / threads);
  if (used)
    *blocks = MIN (*blocks, (int) ((100u << 10) / used));
  return pretend_end (CUDA_SUCCESS);
}

/* --- Launches --- */

typedef struct
{
  const PtxFunction *kernel;
  PtxLaunch          launch;
  guint8             arguments[];
} Launch;

static gboolean
run_launch (gpointer data, GError **error)
{
  Launch   *launch = data;
  PtxLaunch run = launch->launch;
  gboolean  good;

  run.arguments = launch->arguments;
  run.order = pretend.order;
  run.seed = g_rand_int (pretend.rand);
  run.unchecked = pretend.unchecked;
  good = ptx_launch (launch->kernel, &run, error);
  pretend.steps += run.steps;
  return good;
}

/* The arguments, from pointers to each of them or from one buffer with its size. */
static gboolean
copy_arguments (Launch *launch, void **parameters, void **extra)
{
  gsize         want = ptx_kernel_argument_bytes (launch->kernel), size = 0, offset, bytes;
  gconstpointer buffer = NULL;

  if (parameters)
    {
      for (guint i = 0; ptx_kernel_parameter (launch->kernel, i, &offset, &bytes); i++)
        memcpy (launch->arguments + offset, parameters[i], bytes);
      return TRUE;
    }
  for (guint i = 0; extra && extra[i]; i += 2)
    if (extra[i] == (void *) 1)
      buffer = extra[i + 1];
    else if (extra[i] == (void *) 2)
      size = *(const gsize *) extra[i + 1];
  if (size != want && pretend_checks (PTX_ERROR_LAUNCH))
    {
      pretend_problem ("%s: arguments of %" G_GSIZE_FORMAT
                       " bytes were given, and the kernel takes %" G_GSIZE_FORMAT,
                       ptx_kernel_name (launch->kernel), size, want);
      return FALSE;
    }
  if (want)
    memcpy (launch->arguments, buffer, MIN (size, want));
  return TRUE;
}

static CUresult
check_launch (CUfunction function, const Launch *launch)
{
  const PtxLaunch *l = &launch->launch;
  guint64          threads = (guint64) l->block[0] * l->block[1] * l->block[2];

  if (!threads || threads > ptx_kernel_most_threads (launch->kernel) || l->block[2] > 64 ||
      !l->grid[0] || !l->grid[1] || !l->grid[2] || l->grid[0] > G_MAXINT32 || l->grid[1] > 65535 ||
      l->grid[2] > 65535 || l->dynamic_shared > function->most_dynamic)
    {
      pretend_problem ("%s: a grid of %u x %u x %u blocks of %u x %u x %u threads with %u bytes of "
                       "shared memory cannot be launched",
                       ptx_kernel_name (launch->kernel), l->grid[0], l->grid[1], l->grid[2],
                       l->block[0], l->block[1], l->block[2], l->dynamic_shared);
      return CUDA_ERROR_INVALID_VALUE;
    }
  return CUDA_SUCCESS;
}

/* clang-format off */
CUresult
cuLaunchKernel (CUfunction function,
                guint grid_x, guint grid_y, guint grid_z,
                guint block_x, guint block_y, guint block_z,
                guint shared, CUstream given, void **parameters, void **extra)
/* clang-format on */
{
  CUstream     stream;
  Launch      *launch;
  CUresult     result;
  PretendDeed *deed;

  PRETEND_BEGIN ();
  stream = pretend_stream (given);
  if (!stream || !pretend_lives (function, PRETEND_FUNCTION))
    return pretend_end (CUDA_ERROR_INVALID_HANDLE);
  launch = g_malloc0 (sizeof *launch + ptx_kernel_argument_bytes (function->kernel));
  launch->kernel = function->kernel;
  launch->launch = (PtxLaunch){ .grid = { grid_x, grid_y, grid_z },
                                .block = { block_x, block_y, block_z },
                                .dynamic_shared = shared,
                                .argument_bytes = ptx_kernel_argument_bytes (function->kernel) };
  result = check_launch (function, launch);
  if (!result && !copy_arguments (launch, parameters, extra))
    result = CUDA_ERROR_INVALID_VALUE;
  if (result)
    {
      g_free (launch);
      return pretend_end (result);
    }
  deed = pretend_deed_new (g_strdup_printf ("kernel %s", ptx_kernel_name (function->kernel)),
                           run_launch, launch);
  deed->facts =
      (PretendFacts){ .kind = PRETEND_KERNEL,
                      .kernel = g_intern_string (ptx_kernel_name (function->kernel)),
                      .grid = { grid_x, grid_y, grid_z },
                      .block = { block_x, block_y, block_z },
                      .dynamic_shared = shared,
                      .static_shared = (guint) ptx_kernel_shared_bytes (function->kernel) };
  deed->seconds = 5e-6 + (double) grid_x * grid_y * grid_z * 1e-7;
  return pretend_end (pretend_add (stream, deed));
}
