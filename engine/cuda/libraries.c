/* libraries.c — opens the driver, cuBLAS, cuDNN and NVRTC by their sonames, all of one major version.
 *
 * A library is looked for in the folders of engine/device/folders.c.  None is closed again: threads of the vendor's
 * would not survive.
 * Start with hyb_cuda_load() at the end.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/libraries.h"

#include "engine/base/error.h"
#include "engine/base/library.h"
#include "engine/device/gpu.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define NEWEST_MAJOR 13
#define OLDEST_MAJOR 12

#define FETCH         "tools/gpu.sh fetches NVIDIA's libraries; "
#define OTHER_FOLDERS "HYB_GPU_PATH names other folders"

#define SYMBOL(result, name, parameters) HYB_LIBRARY_FUNCTION (HybCudaFunctions, name),
static const HybLibraryFunction driver_symbols[] = { HYB_CUDA_DRIVER_FUNCTIONS (SYMBOL) };
static const HybLibraryFunction cublas_symbols[] = { HYB_CUDA_CUBLAS_FUNCTIONS (SYMBOL) };
static const HybLibraryFunction cublaslt_symbols[] = { HYB_CUDA_CUBLASLT_FUNCTIONS (SYMBOL) };
static const HybLibraryFunction cudnn_symbols[] = { HYB_CUDA_CUDNN_FUNCTIONS (SYMBOL) };
static const HybLibraryFunction nvrtc_symbols[] = { HYB_CUDA_NVRTC_FUNCTIONS (SYMBOL) };
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

/* A library of the toolkit. */
typedef struct
{
  const char               *companion; /* see hyb_library_open() */
  const HybLibraryFunction *functions;
  guint                     n;
} Library;

static const Library cublas = { "libcublasLt.so.", cublas_symbols, G_N_ELEMENTS (cublas_symbols) };
static const Library cudnn = { "libcublasLt.so.", cudnn_symbols, G_N_ELEMENTS (cudnn_symbols) };
static const Library nvrtc = { "libnvrtc-builtins.so.", nvrtc_symbols,
                               G_N_ELEMENTS (nvrtc_symbols) };

/* The folders of engine/device/folders.c, and before those of the system `beside` and that of cuDNN's wheel which belongs to
 * it; NULL: none.  (transfer full) */
static GStrv
list_folders (char **folders, const char *beside)
{
  g_autoptr (GStrvBuilder) all = g_strv_builder_new ();
  gboolean is_done = !beside;

  for (guint i = 0; folders[i]; i++)
    {
      if (!*folders[i] && !is_done)
        {
          g_autofree char *wheel = g_build_filename (beside, "../../cudnn/lib", NULL);

          g_strv_builder_add (all, beside);
          g_strv_builder_add (all, wheel);
          is_done = TRUE;
        }
      g_strv_builder_add (all, folders[i]);
    }
  return g_strv_builder_end (all);
}

/* The folder of the library in which a function lies.  (transfer full) (nullable) */
static char *
find_folder (gconstpointer address)
{
  void   *function;
  Dl_info info;

  memcpy (&function, address, sizeof function);
  return dladdr (function, &info) && info.dli_fname ? g_path_get_dirname (info.dli_fname) : NULL;
}

/* --- The driver --- */

static gboolean
start_driver (HybCuda *cuda, GError **error)
{
  CUresult result = cuda->call.cuInit (0);

  /* A stub cannot even name its own error. */
  if (result == HYB_CUDA_STUB)
    return absent (error, "Remove its folder from LD_LIBRARY_PATH",
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
    return absent (error, "Install a newer driver",
                   "the NVIDIA driver is for CUDA %d.%d; CUDA %d is the oldest that is used",
                   cuda->driver / 1000, cuda->driver % 1000 / 10, OLDEST_MAJOR);
  return TRUE;
}

static gboolean
open_driver (HybCuda *cuda, GError **error)
{
  g_auto (GStrv) folders = hyb_gpu_list_folders (NEWEST_MAJOR);
  g_autofree char *why = NULL;
  void *library = hyb_library_open ("libcuda.so.1", (const char *const *) folders, NULL, &why);
  void *function;
  const char *missing;

  if (why)
    return absent (error, NULL, "the NVIDIA driver cannot be opened: %s", why);
  if (!library)
    return absent (error, "Install NVIDIA's driver, version 525 or newer",
                   "no NVIDIA driver is installed (libcuda.so.1 was not found)");
  missing = hyb_library_bind (library, driver_symbols, G_N_ELEMENTS (driver_symbols), &cuda->call);
  if (missing)
    return absent (error, "Install a newer driver",
                   "the NVIDIA driver is too old: it has no function %s", missing);
  function = dlsym (library, "cuEventElapsedTime_v2");
  if (!function)
    function = dlsym (library, "cuEventElapsedTime");
  memcpy (&cuda->elapsed, &function, sizeof function);
  return start_driver (cuda, error);
}

/* --- cuBLAS, cuDNN and NVRTC --- */

static gboolean
open_one (HybCuda *cuda, const char *soname, char **folders, const Library *wanted, GError **error)
{
  g_autofree char *why = NULL;
  void *library = hyb_library_open (soname, (const char *const *) folders, wanted->companion, &why);
  const char *missing;

  if (why)
    return absent (error, OTHER_FOLDERS, "%s is installed but cannot be opened: %s", soname, why);
  if (!library)
    return absent (error, FETCH OTHER_FOLDERS, "%s is not installed (it was not found)", soname);
  missing = hyb_library_bind (library, wanted->functions, wanted->n, &cuda->call);
  return !missing || absent (error, NULL, "%s has no function %s", soname, missing);
}

/* Opens those parts of cuDNN that its calls for layers need.  cuDNN opens them at its first call, and ends the program where
 * that fails, as it does without libz. */
static gboolean
open_parts (HybCuda *cuda, GError **error)
{
  static const char *const parts[] = { "graph", "ops", "cnn", "adv" };
  g_autofree char         *folder = find_folder (&cuda->call.cudnnCreate);

  for (guint i = 0; i < G_N_ELEMENTS (parts) && folder; i++)
    {
      g_autofree char *name = g_strdup_printf ("libcudnn_%s.so.9", parts[i]);
      g_autofree char *path = g_build_filename (folder, name, NULL);

      if (g_file_test (path, G_FILE_TEST_EXISTS) && !dlopen (path, RTLD_NOW | RTLD_LOCAL))
        return absent (error, OTHER_FOLDERS, "%s is installed but cannot be opened: %s", name,
                       dlerror ());
    }
  return TRUE;
}

/* cuDNN 9 has one soname for all versions of CUDA: the one beside cuBLAS is for the same
 * version. */
static gboolean
open_cudnn (HybCuda *cuda, char **folders, GError **error)
{
  g_autofree char *beside = find_folder (&cuda->call.cublasCreate_v2);
  g_auto (GStrv) all = list_folders (folders, beside);
  int made_for;

  if (!open_one (cuda, "libcudnn.so.9", all, &cudnn, error) || !open_parts (cuda, error))
    return FALSE;
  made_for = (int) (cuda->call.cudnnGetCudartVersion () / 1000);
  return made_for == cuda->major || absent (error, FETCH OTHER_FOLDERS,
                                            "libcudnn.so.9 is made for CUDA %d, and the other "
                                            "libraries are of CUDA %d; all must be "
                                            "of one major version",
                                            made_for, cuda->major);
}

/* cuBLASLt lies beside cuBLAS, which needs it.  Without it, or in a version without one of the functions, products
 * and the operators after them are computed one after the other. */
static void
open_cublaslt (HybCuda *cuda)
{
  g_autofree char *folder = find_folder (&cuda->call.cublasCreate_v2);
  g_autofree char *name = g_strdup_printf ("libcublasLt.so.%d", cuda->major);
  g_autofree char *path = folder ? g_build_filename (folder, name, NULL) : NULL;
  void            *library = path ? dlopen (path, RTLD_NOW | RTLD_LOCAL) : NULL;

  cuda->ends_products = library && !hyb_library_bind (library, cublaslt_symbols,
                                                      G_N_ELEMENTS (cublaslt_symbols), &cuda->call);
}

static gboolean
open_major (HybCuda *cuda, int major, GError **error)
{
  g_autofree char *blas_name = g_strdup_printf ("libcublas.so.%d", major);
  g_autofree char *nvrtc_name = g_strdup_printf ("libnvrtc.so.%d", major);
  g_auto (GStrv) folders = hyb_gpu_list_folders (major);

  cuda->major = major;
  if (!open_one (cuda, blas_name, folders, &cublas, error) ||
      !open_one (cuda, nvrtc_name, folders, &nvrtc, error) || !open_cudnn (cuda, folders, error))
    return FALSE;
  if (cuda->call.nvrtcVersion (&cuda->nvrtc[0], &cuda->nvrtc[1]) || cuda->nvrtc[0] != major)
    return absent (error, NULL,
                   "libnvrtc.so.%d is of version %d.%d; all libraries must be of one major version",
                   major, cuda->nvrtc[0], cuda->nvrtc[1]);
  open_cublaslt (cuda);
  return TRUE;
}

/* The newest major version that the driver supports and whose libraries are all there.  The
 * error is that of the newest. */
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
  hyb_error_at (error, HYB_DEVICE_ERROR, HYB_DEVICE_ERROR_FAILED, NULL, NULL,
                "%s failed with %s (%d): %s", function, name ? name : "an error without a name",
                (int) result, text ? text : "no description");
}
