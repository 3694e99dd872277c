/* cupti.c — finds and opens libcupti.so.13 or .12, and words its errors.
 *
 * It is looked for where the module for GPUs looks for its libraries (engine/device/folders.c); HYB_CUPTI names another
 * file.  It is never closed.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/record/cupti.h"

#include "engine/base/library.h"
#include "engine/device/gpu.h"

#include <dlfcn.h>

#define NEWEST_MAJOR 13
#define OLDEST_MAJOR 12

#define NEEDED(result, name, parameters) HYB_LIBRARY_FUNCTION (ProfCuptiFunctions, name),
#define OPTIONAL(result, name, parameters) \
  { #name, G_STRUCT_OFFSET (ProfCuptiFunctions, name), TRUE },
static const HybLibraryFunction symbols[] = { PROF_CUPTI_FUNCTIONS (NEEDED)
                                                  PROF_CUPTI_OPTIONAL_FUNCTIONS (OPTIONAL) };

/* The first library of this name; see hyb_library_open(). */
static void *
open_library (const char *soname, int major, char **why)
{
  g_auto (GStrv) folders = hyb_gpu_list_folders (major);

  return hyb_library_open (soname, (const char *const *) folders, NULL, why);
}

typedef struct
{
  int (*cuDriverGetVersion) (int *version);
} Driver;

/* The newest version of CUDA that the driver supports, which can be queried before the driver is initialised. */
static int
find_newest (void)
{
  static const HybLibraryFunction functions[] = { HYB_LIBRARY_FUNCTION (Driver,
                                                                        cuDriverGetVersion) };
  g_autofree char                *why = NULL;
  void                           *library = open_library ("libcuda.so.1", NEWEST_MAJOR, &why);
  Driver                          driver;
  int                             version = 0;

  if (!library || hyb_library_bind (library, functions, G_N_ELEMENTS (functions), &driver) ||
      driver.cuDriverGetVersion (&version))
    return NEWEST_MAJOR;
  return MIN (version / 1000, NEWEST_MAJOR);
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
  const char      *missing;
  g_autofree char *text = NULL;

  if (!library && !why)
    return "CUPTI is not installed (libcupti.so.13, or .12 for older drivers, was not found): "
           "tools/gpu.sh fetches it";
  missing =
      library ? hyb_library_bind (library, symbols, G_N_ELEMENTS (symbols), &cupti->call) : NULL;
  if (!library)
    text = g_strdup_printf ("CUPTI cannot be opened (%s): HYB_CUPTI names another file", why);
  else if (missing)
    text = g_strdup_printf ("the CUPTI that was found has no function %s: tools/gpu.sh fetches one "
                            "that fits",
                            missing);
  if (text)
    return g_intern_string (text);
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
