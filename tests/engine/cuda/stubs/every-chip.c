/* every-chip.c — an NVRTC that passes every call on to the vendor's, and compiles each program for all chips that
 * the vendor's knows from sm_75 on, too.
 *
 * HYB_VENDOR_NVRTC is the path of the vendor's library; HYB_CHIPS is a file that gets a line for each program
 * and chip: the chip, "ok", "spills" or "fails", and the name of the kernel.  all-chips.sh uses it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/api.h"

#include <dlfcn.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>

#define API        __attribute__ ((visibility ("default")))
#define OLDEST     75
#define MAX_CHIPS  64
#define MAX_HEADER 8

#define DECLARE(result, name, parameters) API result name parameters;
HYB_CUDA_NVRTC_FUNCTIONS (DECLARE)

/* What a program was made of. */
typedef struct
{
  char *text;
  int   n_headers;
  char *headers[MAX_HEADER], *names[MAX_HEADER];
} Source;

static GMutex      lock;
static GHashTable *sources; /* nvrtcProgram → Source */

static void
bind (void *library, const char *name, void *to)
{
  void *function = dlsym (library, name);

  g_assert (function);
  memcpy (to, &function, sizeof function);
}

/* The vendor's functions. */
static const HybCudaFunctions *
vendor (void)
{
  static HybCudaFunctions functions;
  static gsize            once;

  if (g_once_init_enter (&once))
    {
      void *library = dlopen (g_getenv ("HYB_VENDOR_NVRTC"), RTLD_NOW | RTLD_LOCAL);

      if (!library)
        g_error ("%s", dlerror ());
#define BIND(result, name, parameters) bind (library, #name, &functions.name);
      HYB_CUDA_NVRTC_FUNCTIONS (BIND)
#undef BIND
      g_once_init_leave (&once, 1);
    }
  return &functions;
}

/* --- Calls that are only passed on --- */

nvrtcResult
nvrtcVersion (int *major, int *minor)
{
  return vendor ()->nvrtcVersion (major, minor);
}

const char *
nvrtcGetErrorString (nvrtcResult result)
{
  return vendor ()->nvrtcGetErrorString (result);
}

nvrtcResult
nvrtcGetNumSupportedArchs (int *count)
{
  return vendor ()->nvrtcGetNumSupportedArchs (count);
}

nvrtcResult
nvrtcGetSupportedArchs (int *archs)
{
  return vendor ()->nvrtcGetSupportedArchs (archs);
}

nvrtcResult
nvrtcGetProgramLogSize (nvrtcProgram program, size_t *bytes)
{
  return vendor ()->nvrtcGetProgramLogSize (program, bytes);
}

nvrtcResult
nvrtcGetProgramLog (nvrtcProgram program, char *log)
{
  return vendor ()->nvrtcGetProgramLog (program, log);
}

nvrtcResult
nvrtcGetPTXSize (nvrtcProgram program, size_t *bytes)
{
  return vendor ()->nvrtcGetPTXSize (program, bytes);
}

nvrtcResult
nvrtcGetPTX (nvrtcProgram program, char *ptx)
{
  return vendor ()->nvrtcGetPTX (program, ptx);
}

nvrtcResult
nvrtcGetCUBINSize (nvrtcProgram program, size_t *bytes)
{
  return vendor ()->nvrtcGetCUBINSize (program, bytes);
}

nvrtcResult
nvrtcGetCUBIN (nvrtcProgram program, char *cubin)
{
  return vendor ()->nvrtcGetCUBIN (program, cubin);
}

/* --- Programs --- */

static void
free_source (gpointer data)
{
  Source *source = data;

  for (int i = 0; i < source->n_headers; i++)
    {
      g_free (source->headers[i]);
      g_free (source->names[i]);
    }
  g_free (source->text);
  g_free (source);
}

nvrtcResult
nvrtcCreateProgram (nvrtcProgram      *program,
                    const char        *text,
                    const char        *name,
                    int                n_headers,
                    const char *const *headers,
                    const char *const *names)
{
  nvrtcResult result =
      vendor ()->nvrtcCreateProgram (program, text, name, n_headers, headers, names);
  Source *source;

  if (result != 0)
    return result;
  g_assert (n_headers <= MAX_HEADER);
  source = g_new0 (Source, 1);
  source->text = g_strdup (text);
  source->n_headers = n_headers;
  for (int i = 0; i < n_headers; i++)
    {
      source->headers[i] = g_strdup (headers[i]);
      source->names[i] = g_strdup (names[i]);
    }
  g_mutex_lock (&lock);
  if (!sources)
    sources = g_hash_table_new_full (NULL, NULL, NULL, free_source);
  g_hash_table_insert (sources, *program, source);
  g_mutex_unlock (&lock);
  return result;
}

nvrtcResult
nvrtcDestroyProgram (nvrtcProgram *program)
{
  g_mutex_lock (&lock);
  g_hash_table_remove (sources, *program);
  g_mutex_unlock (&lock);
  return vendor ()->nvrtcDestroyProgram (program);
}

/* "ok", "spills" or "fails".  ptxas tells of spills in the log. */
static const char *
compile_for (const Source *source, int chip)
{
  g_autofree char *arch = g_strdup_printf ("--gpu-architecture=sm_%d", chip);
  g_autofree char *log = NULL;
  const char      *options[] = { arch, "-fmad=true", "--ptxas-options=-v" };
  nvrtcProgram     program = NULL;
  nvrtcResult      result;
  size_t           bytes = 0;

  result = vendor ()->nvrtcCreateProgram (&program, source->text, "kernel.cu", source->n_headers,
                                          (const char *const *) source->headers,
                                          (const char *const *) source->names);
  if (result == 0)
    result = vendor ()->nvrtcCompileProgram (program, G_N_ELEMENTS (options), options);
  if (program && vendor ()->nvrtcGetProgramLogSize (program, &bytes) == 0)
    {
      log = g_malloc0 (bytes + 1);
      vendor ()->nvrtcGetProgramLog (program, log);
    }
  if (program)
    vendor ()->nvrtcDestroyProgram (&program);
  if (result != 0)
    return "fails";
  return log && g_regex_match_simple ("[1-9][0-9]* bytes spill", log, 0, 0) ? "spills" : "ok";
}

/* The first kernel of the text.  (transfer full) */
static char *
dup_kernel (const char *text)
{
  g_autoptr (GRegex) regex =
      g_regex_new ("__global__\\s+void\\s+(?:__launch_bounds__\\s*\\([^)]*\\)\\s*)?(\\w+)", 0, 0,
                   NULL);
  g_autoptr (GMatchInfo) match = NULL;

  g_regex_match (regex, text, 0, &match);
  return g_match_info_matches (match) ? g_match_info_fetch (match, 1) : g_strdup ("?");
}

nvrtcResult
nvrtcCompileProgram (nvrtcProgram program, int n, const char *const *options)
{
  int              chips[MAX_CHIPS], n_chips = 0;
  const Source    *source;
  g_autofree char *kernel = NULL;
  FILE            *file = fopen (g_getenv ("HYB_CHIPS"), "a");

  g_assert (file);
  g_mutex_lock (&lock);
  source = g_hash_table_lookup (sources, program);
  g_mutex_unlock (&lock);
  kernel = dup_kernel (source->text);
  if (vendor ()->nvrtcGetNumSupportedArchs (&n_chips) == 0 && n_chips <= MAX_CHIPS)
    vendor ()->nvrtcGetSupportedArchs (chips);
  for (int i = 0; i < n_chips; i++)
    if (chips[i] >= OLDEST)
      fprintf (file, "sm_%d %s %s\n", chips[i], compile_for (source, chips[i]), kernel);
  fclose (file);
  return vendor ()->nvrtcCompileProgram (program, n, options);
}
