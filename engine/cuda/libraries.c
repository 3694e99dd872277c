/* libraries.c — opens the driver, cuBLAS, cuDNN and NVRTC by their sonames, all of one major version.
 *
 * A library is looked for in the folders of HYB_GPU_PATH, by ld.so, below /usr/local/cuda, and where
 * tools/gpu.sh puts it.  No library is closed again: threads of the vendor's would not survive.
 * Start with hyb_cuda_load() at the end.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/libraries.h"

#include "engine/base/error.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define NEWEST_MAJOR 13
#define OLDEST_MAJOR 12

/* A function, and where its address goes. */
typedef struct
{
  const char *name;
  gsize       offset; /* in HybCudaFunctions */
} Symbol;

#define SYMBOL(result, name, parameters) { #name, G_STRUCT_OFFSET (HybCudaFunctions, name) },
static const Symbol driver_symbols[] = { HYB_CUDA_DRIVER_FUNCTIONS (SYMBOL){ NULL, 0 } };
static const Symbol cublas_symbols[] = { HYB_CUDA_CUBLAS_FUNCTIONS (SYMBOL){ NULL, 0 } };
static const Symbol cudnn_symbols[] = { HYB_CUDA_CUDNN_FUNCTIONS (SYMBOL){ NULL, 0 } };
static const Symbol nvrtc_symbols[] = { HYB_CUDA_NVRTC_FUNCTIONS (SYMBOL){ NULL, 0 } };
#undef SYMBOL

static gboolean
    G_GNUC_PRINTF (3, 4) absent (GError **error, const char *hint, const char *format, ...)
{
  va_list          list;
  g_autofree char *text = NULL;

  va_start (list, format);
  text = g_strdup_vprintf (format, list);
  va_end (list);
  return hyb_error_at (error, HYB_DEVICE_ERROR, HYB_DEVICE_ERROR_ABSENT, NULL, hint, "%s", text);
}

/* --- Opening --- */

/* The folders that are searched; an empty one stands for ld.so.  (transfer full) */
static char **
list_folders (int major)
{
  const char      *first = g_getenv ("HYB_GPU_PATH");
  g_autofree char *ours = g_strdup_printf ("%s/hybridscope/cuda-%d", g_get_user_data_dir (), major);
  g_autofree char *all = g_strdup_printf ("%s%s:/usr/local/cuda/lib64:/usr/local/cuda/lib:%s",
                                          first ? first : "",
                                          first && *first ? ":" : "",
                                          ours);

  return g_strsplit (all, ":", -1);
}

/* Opens the files of a folder whose names begin so, which a library in it opens by name alone. */
static void
open_companions (const char *folder, const char *prefix)
{
  GDir       *dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name (dir)))
    if (g_str_has_prefix (name, prefix))
      {
        g_autofree char *path = g_build_filename (folder, name, NULL);

        dlopen (path, RTLD_NOW | RTLD_GLOBAL);
      }
  if (dir)
    g_dir_close (dir);
}

/* What ld.so said; NULL if it only did not find the file.  (transfer full) */
static char *
dup_reason (const char *text)
{
  return text && strstr (text, "cannot open shared object file: No such file") ? NULL
                                                                               : g_strdup (text);
}

/* The first library of this soname.  companion: the beginning of names in the same folder that must
 * be open before, or NULL.  *why: the first reason of dup_reason(); NULL if there is none. */
static void *
open_library (const char *soname, const char *companion, int major, char **why)
{
  g_auto (GStrv) folders = list_folders (major);

  *why = NULL;
  for (guint i = 0; folders[i]; i++)
    {
      g_autofree char *path = *folders[i] ? g_build_filename (folders[i], soname, NULL) : NULL;
      void            *library;

      if (path && !g_file_test (path, G_FILE_TEST_EXISTS))
        continue;
      if (path && companion)
        open_companions (folders[i], companion);
      library = dlopen (path ? path : soname, RTLD_NOW | RTLD_LOCAL);
      if (library)
        {
          g_clear_pointer (why, g_free);
          return library;
        }
      if (!*why)
        *why = dup_reason (dlerror ());
    }
  return NULL;
}

/* The name of the first function that is missing; NULL if all are there. */
static const char *
bind (void *library, const Symbol *symbols, HybCudaFunctions *functions)
{
  for (; symbols->name; symbols++)
    {
      void *function = dlsym (library, symbols->name);

      if (!function)
        return symbols->name;
      memcpy ((char *) functions + symbols->offset, &function, sizeof function);
    }
  return NULL;
}

/* --- The driver --- */

static gboolean
start_driver (HybCuda *cuda, GError **error)
{
  CUresult result = cuda->call.cuInit (0);

  /* A stub cannot even name its own error. */
  if (result == HYB_CUDA_STUB)
    return absent (error,
                   "Remove its folder from LD_LIBRARY_PATH",
                   "the libcuda.so.1 that was found is the stub of a toolkit, not a driver");
  if (result == HYB_CUDA_NO_DEVICE)
    return absent (error, NULL, "the NVIDIA driver sees no GPU");
  if (result)
    {
      hyb_cuda_fail (cuda, "cuInit", result, error);
      g_prefix_error (error, "the NVIDIA driver refused to start: ");
      return FALSE;
    }
  result = cuda->call.cuDriverGetVersion (&cuda->driver);
  if (result)
    {
      hyb_cuda_fail (cuda, "cuDriverGetVersion", result, error);
      return FALSE;
    }
  if (cuda->driver / 1000 < OLDEST_MAJOR)
    return absent (error,
                   "Install a newer driver",
                   "the NVIDIA driver is for CUDA %d.%d; CUDA %d is the oldest that is used",
                   cuda->driver / 1000,
                   cuda->driver % 1000 / 10,
                   OLDEST_MAJOR);
  return TRUE;
}

static gboolean
open_driver (HybCuda *cuda, GError **error)
{
  g_autofree char *why = NULL;
  void            *function;
  void            *library = open_library ("libcuda.so.1", NULL, NEWEST_MAJOR, &why);
  const char      *missing;

  if (!library)
    return absent (error,
                   "Install NVIDIA's driver, version 525 or newer",
                   "no NVIDIA driver is installed (%s)",
                   why ? why : "libcuda.so.1 was not found");
  missing = bind (library, driver_symbols, &cuda->call);
  if (missing)
    return absent (error,
                   "Install a newer driver",
                   "the NVIDIA driver is too old: it has no function %s",
                   missing);
  function = dlsym (library, "cuEventElapsedTime_v2");
  if (!function)
    function = dlsym (library, "cuEventElapsedTime");
  memcpy (&cuda->elapsed, &function, sizeof function);
  return start_driver (cuda, error);
}

/* --- cuBLAS, cuDNN and NVRTC --- */

static gboolean
open_one (HybCuda      *cuda,
          const char   *soname,
          const char   *companion,
          const Symbol *symbols,
          GError      **error)
{
  g_autofree char *why = NULL;
  void            *library = open_library (soname, companion, cuda->major, &why);
  const char      *missing;

  if (!library)
    return absent (error,
                   "tools/gpu.sh fetches NVIDIA's libraries",
                   "%s is not installed (%s)",
                   soname,
                   why ? why : "it was not found");
  missing = bind (library, symbols, &cuda->call);
  return !missing || absent (error, NULL, "%s has no function %s", soname, missing);
}

/* cuDNN 9 has one soname for all versions of CUDA. */
static gboolean
open_cudnn (HybCuda *cuda, GError **error)
{
  int made_for;

  if (!open_one (cuda, "libcudnn.so.9", "libcublasLt.so.", cudnn_symbols, error))
    return FALSE;
  made_for = (int) (cuda->call.cudnnGetCudartVersion () / 1000);
  return made_for == cuda->major || absent (error,
                                            "tools/gpu.sh fetches NVIDIA's libraries",
                                            "libcudnn.so.9 is made for CUDA %d, and the other "
                                            "libraries are of CUDA %d; all must be "
                                            "of one major version",
                                            made_for,
                                            cuda->major);
}

static gboolean
open_major (HybCuda *cuda, int major, GError **error)
{
  g_autofree char *cublas = g_strdup_printf ("libcublas.so.%d", major);
  g_autofree char *nvrtc = g_strdup_printf ("libnvrtc.so.%d", major);

  cuda->major = major;
  if (!open_one (cuda, cublas, "libcublasLt.so.", cublas_symbols, error) ||
      !open_one (cuda, nvrtc, "libnvrtc-builtins.so.", nvrtc_symbols, error) ||
      !open_cudnn (cuda, error))
    return FALSE;
  if (cuda->call.nvrtcVersion (&cuda->nvrtc[0], &cuda->nvrtc[1]) || cuda->nvrtc[0] != major)
    return absent (error,
                   NULL,
                   "libnvrtc.so.%d is of version %d.%d; all libraries must be of one major version",
                   major,
                   cuda->nvrtc[0],
                   cuda->nvrtc[1]);
  return TRUE;
}

/* The newest major that the driver knows and whose libraries are all there.  The error is that of
 * the newest. */
static gboolean
open_libraries (HybCuda *cuda, GError **error)
{
  int newest = MIN (cuda->driver / 1000, NEWEST_MAJOR);
  g_autoptr (GError) first = NULL;

  for (int major = newest; major >= OLDEST_MAJOR; major--)
    if (open_major (cuda, major, first ? NULL : &first))
      return TRUE;
  g_propagate_error (error, g_steal_pointer (&first));
  return FALSE;
}

const HybCuda *
hyb_cuda_load (GError **error)
{
  static GMutex   lock;
  static HybCuda  cuda;
  static gboolean is_open;
  gboolean        is_good;

  g_mutex_lock (&lock);
  if (!is_open)
    is_open = open_driver (&cuda, error) && open_libraries (&cuda, error);
  is_good = is_open;
  g_mutex_unlock (&lock);
  return is_good ? &cuda : NULL;
}

char *
hyb_cuda_dup_paths (const HybCuda *cuda)
{
  static const gsize functions[] = {
    G_STRUCT_OFFSET (HybCudaFunctions, cuInit),
    G_STRUCT_OFFSET (HybCudaFunctions, cublasCreate_v2),
    G_STRUCT_OFFSET (HybCudaFunctions, cudnnCreate),
    G_STRUCT_OFFSET (HybCudaFunctions, nvrtcVersion),
  };
  g_autoptr (GString) paths = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
    {
      void   *function;
      Dl_info info;

      memcpy (&function, (const char *) &cuda->call + functions[i], sizeof function);
      if (dladdr (function, &info) && info.dli_fname)
        {
          g_autofree char *path = g_canonicalize_filename (info.dli_fname, NULL);
          char            *file = realpath (path, NULL);

          g_string_append_printf (paths, "%s%s", paths->len > 0 ? "\n" : "", file ? file : path);
          free (file);
        }
    }
  return g_string_free (g_steal_pointer (&paths), FALSE);
}

void
hyb_cuda_fail (const HybCuda *cuda, const char *function, CUresult result, GError **error)
{
  const char *name = NULL, *text = NULL;

  cuda->call.cuGetErrorName (result, &name);
  cuda->call.cuGetErrorString (result, &text);
  hyb_error_at (error,
                HYB_DEVICE_ERROR,
                HYB_DEVICE_ERROR_FAILED,
                NULL,
                NULL,
                "%s failed with %s (%d): %s",
                function,
                name ? name : "an error without a name",
                (int) result,
                text ? text : "no description");
}
