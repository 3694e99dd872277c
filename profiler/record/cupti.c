/* cupti.c — finds and opens libcupti.so.13 or .12, and words its errors.
 *
 * It is looked for where the module for GPUs looks for its libraries (engine/device/folders.c); HYB_CUPTI names another
 * file.  It is never closed.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/record/cupti.h"

#include "engine/device/gpu.h"

#include <dlfcn.h>
#include <string.h>

#define NEWEST_MAJOR 13
#define OLDEST_MAJOR 12

/* A function, and where its address goes. */
typedef struct
{
  const char *name;
  gsize       offset; /* in ProfCuptiFunctions */
  gboolean    is_optional;
} Symbol;

#define NEEDED(result, name, parameters) \
  { #name, G_STRUCT_OFFSET (ProfCuptiFunctions, name), FALSE },
#define OPTIONAL(result, name, parameters) \
  { #name, G_STRUCT_OFFSET (ProfCuptiFunctions, name), TRUE },
static const Symbol symbols[] = { PROF_CUPTI_FUNCTIONS (NEEDED)
                                      PROF_CUPTI_OPTIONAL_FUNCTIONS (OPTIONAL) };

/* The first library of this name.  *why: the message of ld.so about an existing file; (nullable) */
static void *
open_library (const char *soname, int major, char **why)
{
  g_auto (GStrv) folders = hyb_gpu_list_folders (major);

  for (guint i = 0; folders[i]; i++)
    {
      g_autofree char *path = *folders[i] ? g_build_filename (folders[i], soname, NULL) : NULL;
      void            *library;

      if (path && !g_file_test (path, G_FILE_TEST_EXISTS))
        continue;
      library = dlopen (path ? path : soname, RTLD_NOW | RTLD_LOCAL);
      if (library)
        return library;
      if (path && why && !*why)
        *why = g_strdup (dlerror ());
    }
  return NULL;
}

/* FALSE if a function is missing. */
static gboolean
bind (void *library, ProfCuptiFunctions *functions)
{
  for (guint i = 0; i < G_N_ELEMENTS (symbols); i++)
    {
      void *function = dlsym (library, symbols[i].name);

      if (!function && !symbols[i].is_optional)
        return FALSE;
      memcpy ((char *) functions + symbols[i].offset, &function, sizeof function);
    }
  return TRUE;
}

/* The newest version of CUDA that the driver supports, which can be queried before the driver is initialised. */
static int
find_newest (void)
{
  void *driver = open_library ("libcuda.so.1", NEWEST_MAJOR, NULL);
  void *function = driver ? dlsym (driver, "cuDriverGetVersion") : NULL;
  int (*get_version) (int *);
  int version = 0;

  if (!function)
    return NEWEST_MAJOR;
  memcpy (&get_version, &function, sizeof function);
  return get_version (&version) == 0 ? MIN (version / 1000, NEWEST_MAJOR) : NEWEST_MAJOR;
}

/* The newest version that the driver supports, or the one of HYB_CUPTI. */
static void *
open_any (ProfCupti *cupti, char **why)
{
  const char *given = g_getenv ("HYB_CUPTI");
  void       *library = NULL;

  cupti->major = find_newest ();
  if (given && *given)
    {
      library = dlopen (given, RTLD_NOW | RTLD_LOCAL);
      if (!library && g_file_test (given, G_FILE_TEST_EXISTS))
        *why = g_strdup (dlerror ());
      return library;
    }
  for (; !library && cupti->major >= OLDEST_MAJOR; cupti->major -= !library)
    {
      g_autofree char *soname = g_strdup_printf ("libcupti.so.%d", cupti->major);

      library = open_library (soname, cupti->major, why);
    }
  return library;
}

/* Why it cannot be used, for good; NULL if it can. */
static const char *
load (ProfCupti *cupti)
{
  g_autofree char *why = NULL;
  void            *library = open_any (cupti, &why);

  if (!library && why)
    {
      g_autofree char *text =
          g_strdup_printf ("CUPTI cannot be opened (%s): HYB_CUPTI names another file", why);

      return g_intern_string (text);
    }
  if (!library)
    return "CUPTI is not installed (libcupti.so.13, or .12 for older drivers, was not found): "
           "tools/gpu.sh fetches it";
  if (!bind (library, &cupti->call))
    return "the CUPTI that was found lacks a function: tools/gpu.sh fetches one that fits";
  if (cupti->call.cuptiGetVersion (&cupti->version))
    return "the CUPTI that was found does not report its version: tools/gpu.sh fetches a suitable "
           "one";
  return NULL;
}

const ProfCupti *
prof_cupti_load (const char **why)
{
  static GMutex      lock;
  static ProfCupti   cupti;
  static gboolean    is_open;
  static const char *reason;

  g_mutex_lock (&lock);
  if (!is_open)
    {
      reason = load (&cupti);
      is_open = !reason;
    }
  if (why)
    *why = reason;
  g_mutex_unlock (&lock);
  return is_open ? &cupti : NULL;
}

/* --- Errors --- */

static const struct
{
  CUptiResult result;
  const char *sentence;
} sentences[] = {
  { PROF_CUPTI_OTHER_PROFILER, "another profiler holds CUPTI, such as nsys, ncu, cuda-gdb or "
                               "compute-sanitizer: end it and measure again" },
  { PROF_CUPTI_NO_RIGHTS, "the NVIDIA driver does not let this user trace the GPU: an "
                          "administrator allows it with NVreg_RestrictProfilingToAdminUsers=0" },
  { PROF_CUPTI_HARDWARE_BUSY,
    "another program uses GPU resources that CUPTI needs: measure again later" },
  { PROF_CUPTI_UNKNOWN,
    "CUPTI found no NVIDIA driver that it can use: hscope devices lists what is missing" },
  { PROF_CUPTI_VIRTUALIZED,
    "CUPTI does not trace this virtual GPU: its host must allow profiling" },
};

char *
prof_cupti_explain (const ProfCupti *cupti, const char *function, CUptiResult result)
{
  const char *name = NULL;

  if (result == PROF_CUPTI_NOT_INITIALIZED)
    return g_strdup_printf ("the NVIDIA driver is older than CUPTI %d: install a driver for CUDA "
                            "%d",
                            cupti->major, cupti->major);
  for (guint i = 0; i < G_N_ELEMENTS (sentences); i++)
    if (sentences[i].result == result)
      return g_strdup (sentences[i].sentence);
  cupti->call.cuptiGetResultString (result, &name);
  return g_strdup_printf ("%s failed with %s (%d): measure again, or without a GPU", function,
                          name ? name : "an error without a name", (int) result);
}
