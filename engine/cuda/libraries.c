/* libraries.c — opens the driver, cuBLAS, cuDNN and NVRTC by their sonames, all of one major version.
 *
 * A library is looked for in the folders of engine/device/folders.c.  None is closed again: threads of the vendor's
 * would not survive.
 * Start with hyb_cuda_load() at the end.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/libraries.h"

#include "engine/base/error.h"
#include "engine/device/gpu.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define NEWEST_MAJOR 13
#define OLDEST_MAJOR 12

#define FETCH         "tools/gpu.sh fetches NVIDIA's libraries; "
#define OTHER_FOLDERS "HYB_GPU_PATH names other folders"

/* A function, and where its address goes. */
typedef struct
{
  const char *name;
  gsize       offset; /* in HybCudaFunctions */
} Symbol;

#define SYMBOL(result, name, parameters) { #name, G_STRUCT_OFFSET (HybCudaFunctions, name) },
static const Symbol driver_symbols[] = { HYB_CUDA_DRIVER_FUNCTIONS (SYMBOL){ NULL, 0 } };
static const Symbol cublas_symbols[] = { HYB_CUDA_CUBLAS_FUNCTIONS (SYMBOL){ NULL, 0 } };
static const Symbol cublaslt_symbols[] = { HYB_CUDA_CUBLASLT_FUNCTIONS (SYMBOL){ NULL, 0 } };
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

/* The message of ld.so; NULL if the library itself was not found.  A missing dependency of the library does give a message.
 * (transfer full) */
static char *
dup_reason (const char *soname, const char *text)
{
  return text && g_str_has_prefix (text, soname) && text[strlen (soname)] == ':' &&
                 strstr (text, "cannot open shared object file: No such file")
             ? NULL
             : g_strdup (text);
}

/* A library that is looked for. */
typedef struct
{
  const char *soname;
  const char
      *companion; /* the beginning of names in the same folder that must be open before, or NULL */
  char      **folders; /* of the major version of CUDA */
  const char *beside;  /* a folder that comes before those of the system, or NULL */
  char       *why;     /* why the library that was found cannot be opened; NULL if none was found */
} Search;

/* The folders of engine/device/folders.c with the one to be preferred, and with that of cuDNN's wheel which belongs to
 * it.  (transfer full) */
static GStrv
list_folders (const Search *search)
{
  char **folders = search->folders;
  g_autoptr (GStrvBuilder) all = g_strv_builder_new ();
  gboolean is_done = !search->beside;

  for (guint i = 0; folders[i]; i++)
    {
      if (!*folders[i] && !is_done)
        {
          g_autofree char *wheel = g_build_filename (search->beside, "../../cudnn/lib", NULL);

          g_strv_builder_add (all, search->beside);
          g_strv_builder_add (all, wheel);
          is_done = TRUE;
        }
      g_strv_builder_add (all, folders[i]);
    }
  return g_strv_builder_end (all);
}

/* The first library that can be opened. */
static void *
open_library (Search *search)
{
  g_auto (GStrv) folders = list_folders (search);

  for (guint i = 0; folders[i]; i++)
    {
      g_autofree char *path =
          *folders[i] ? g_build_filename (folders[i], search->soname, NULL) : NULL;
      void *library;

      if (path && !g_file_test (path, G_FILE_TEST_EXISTS))
        continue;
      if (path && search->companion)
        open_companions (folders[i], search->companion);
      library = dlopen (path ? path : search->soname, RTLD_NOW | RTLD_LOCAL);
      if (library)
        {
          g_clear_pointer (&search->why, g_free);
          return library;
        }
      if (!search->why)
        search->why = dup_reason (search->soname, dlerror ());
    }
  return NULL;
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
  Search           search = { .soname = "libcuda.so.1", .folders = folders };
  void            *function;
  void            *library = open_library (&search);
  g_autofree char *why = search.why;
  const char      *missing;

  if (why)
    return absent (error, NULL, "the NVIDIA driver cannot be opened: %s", why);
  if (!library)
    return absent (error, "Install NVIDIA's driver, version 525 or newer",
                   "no NVIDIA driver is installed (libcuda.so.1 was not found)");
  missing = bind (library, driver_symbols, &cuda->call);
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
open_one (HybCuda *cuda, Search *search, const Symbol *symbols, GError **error)
{
  void            *library = open_library (search);
  g_autofree char *why = search->why;
  const char      *missing;

  if (why)
    return absent (error, OTHER_FOLDERS, "%s is installed but cannot be opened: %s", search->soname,
                   why);
  if (!library)
    return absent (error, FETCH OTHER_FOLDERS, "%s is not installed (it was not found)",
                   search->soname);
  missing = bind (library, symbols, &cuda->call);
  return !missing || absent (error, NULL, "%s has no function %s", search->soname, missing);
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
  Search           search = {
              .soname = "libcudnn.so.9", .companion = "libcublasLt.so.", .folders = folders, .beside = beside
  };
  int made_for;

  if (!open_one (cuda, &search, cudnn_symbols, error) || !open_parts (cuda, error))
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

  cuda->ends_products = library && !bind (library, cublaslt_symbols, &cuda->call);
}

static gboolean
open_major (HybCuda *cuda, int major, GError **error)
{
  g_autofree char *blas_name = g_strdup_printf ("libcublas.so.%d", major);
  g_autofree char *nvrtc_name = g_strdup_printf ("libnvrtc.so.%d", major);
  g_auto (GStrv) folders = hyb_gpu_list_folders (major);
  Search blas = { .soname = blas_name, .companion = "libcublasLt.so.", .folders = folders };
  Search nvrtc = { .soname = nvrtc_name, .companion = "libnvrtc-builtins.so.", .folders = folders };

  cuda->major = major;
  if (!open_one (cuda, &blas, cublas_symbols, error) ||
      !open_one (cuda, &nvrtc, nvrtc_symbols, error) || !open_cudnn (cuda, folders, error))
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
