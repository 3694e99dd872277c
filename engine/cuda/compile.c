/* compile.c — compiles kernels by NVRTC and keeps the results.
 *
 * A result is kept in memory for each device, and in a file below the user's cache folder whose name
 * is the SHA-256 of everything that decides it.  A file that is damaged, or that the driver refuses,
 * is made again.  Start with hyb_cuda_compile() at the end.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/compile.h"

#include "engine/base/error.h"

#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

/* Begins every file of the cache; the number grows when the form of the files changes. */
#define MAGIC "hybridscope kernel 1"

typedef struct
{
  const char *file, *text;
} KernelText;

/* Built from kernels/ by embed.sh. */
static const KernelText kernel_texts[] = {
#include "engine/cuda/kernel-texts.h"
  { NULL, NULL },
};

const char *
hyb_cuda_kernel_text (const char *file)
{
  for (guint i = 0; kernel_texts[i].file; i++)
    if (strcmp (kernel_texts[i].file, file) == 0)
      return kernel_texts[i].text;
  return NULL;
}

/* --- What to compile for --- */

/* Options of NVRTC for this chip.  A chip that it does not know gets PTX for the newest that is not
 * newer, which the driver compiles. */
typedef struct
{
  char     arch[32];
  gboolean is_ptx;
} Target;

static gboolean
choose_target (HybDevice *device, Target *target, GError **error)
{
  const HybCudaFunctions *call = &device->cuda->call;
  int                     n = 0, best = 0;
  g_autofree int         *archs = NULL;

  if (!call->nvrtcGetNumSupportedArchs (&n) && n > 0)
    {
      archs = g_new0 (int, n);
      call->nvrtcGetSupportedArchs (archs);
    }
  for (int i = 0; i < n; i++)
    if (archs[i] <= device->arch)
      best = MAX (best, archs[i]);
  if (best == 0)
    return hyb_error_at (error,
                         HYB_DEVICE_ERROR,
                         HYB_DEVICE_ERROR_ABSENT,
                         NULL,
                         NULL,
                         "NVRTC %d.%d does not compile for compute capability %d.%d",
                         device->cuda->nvrtc[0],
                         device->cuda->nvrtc[1],
                         device->arch / 10,
                         device->arch % 10);
  target->is_ptx = best != device->arch;
  g_snprintf (target->arch,
              sizeof target->arch,
              "-arch=%s_%d",
              target->is_ptx ? "compute" : "sm",
              best);
  return TRUE;
}

/* --- NVRTC --- */

static GBytes *
take_image (const HybCudaFunctions *call, nvrtcProgram program, gboolean is_ptx)
{
  size_t bytes = 0;
  char  *image;

  if ((is_ptx ? call->nvrtcGetPTXSize : call->nvrtcGetCUBINSize) (program, &bytes) || bytes == 0)
    return NULL;
  image = g_malloc0 (bytes + 1); /* a text ends with 0 */
  if ((is_ptx ? call->nvrtcGetPTX : call->nvrtcGetCUBIN) (program, image))
    g_clear_pointer (&image, g_free);
  return image ? g_bytes_new_take (image, bytes + 1) : NULL;
}

/* The log goes to our log; its first line is the error. */
static void
fail_to_compile (const HybCudaFunctions *call,
                 nvrtcProgram            program,
                 const char             *text,
                 GError                **error)
{
  size_t           bytes = 0;
  g_autofree char *log = NULL;
  const char      *end;

  if (call->nvrtcGetProgramLogSize (program, &bytes))
    bytes = 0;
  log = g_malloc0 (bytes + 1);
  if (bytes > 0)
    call->nvrtcGetProgramLog (program, log);
  g_info ("NVRTC: %s\nThe text was:\n%s", log, text);
  end = strchrnul (log, '\n');
  hyb_error_at (error,
                HYB_DEVICE_ERROR,
                HYB_DEVICE_ERROR_FAILED,
                NULL,
                NULL,
                "its kernel does not compile: %.*s",
                (int) (end - log),
                log);
}

static GBytes *
compile (HybDevice *device, const char *text, const Target *target, GError **error)
{
  const HybCudaFunctions *call = &device->cuda->call;
  const char *const       names[] = { "prelude.cuh", "arguments.h" };
  const char *const       headers[] = { hyb_cuda_kernel_text (names[0]),
                                        hyb_cuda_kernel_text (names[1]) };
  const char *const       options[] = { target->arch, "-fmad=true", "-lineinfo" };
  nvrtcProgram            program = NULL;
  GBytes                 *image = NULL;

  if (!call->nvrtcCreateProgram (&program, text, "kernel.cu", 2, headers, names) &&
      !call->nvrtcCompileProgram (program, G_N_ELEMENTS (options), options))
    image = take_image (call, program, target->is_ptx);
  if (!image)
    fail_to_compile (call, program, text, error);
  if (program)
    call->nvrtcDestroyProgram (&program);
  return image;
}

/* --- The cache on disk --- */

/* (transfer full) */
static char *
cache_path (const char *key)
{
  g_autofree char *name = g_strconcat (key, ".kernel", NULL);

  return g_build_filename (g_get_user_cache_dir (), "hybridscope", "kernels", name, NULL);
}

/* The first line of a file: the magic, the length and the SHA-256 of what follows.
 * (transfer full) */
static char *
describe_image (gconstpointer image, gsize bytes)
{
  g_autofree char *sum = g_compute_checksum_for_data (G_CHECKSUM_SHA256, image, bytes);

  return g_strdup_printf (MAGIC " %" G_GSIZE_FORMAT " %s\n", bytes, sum);
}

/* NULL if there is no such file or it is damaged. */
static GBytes *
read_image (const char *path)
{
  g_autofree char *contents = NULL, *line = NULL;
  gsize            length, head;
  char            *end;

  if (!g_file_get_contents (path, &contents, &length, NULL))
    return NULL;
  end = memchr (contents, '\n', length);
  head = end ? (gsize) (end - contents) + 1 : length;
  line = describe_image (contents + head, length - head);
  if (!end || strlen (line) != head || memcmp (line, contents, head) != 0 || length == head)
    return NULL;
  return g_bytes_new (contents + head, length - head);
}

/* A cache that cannot be written costs time and nothing else. */
static void
write_image (const char *path, GBytes *image)
{
  gsize            bytes;
  gconstpointer    data = g_bytes_get_data (image, &bytes);
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *line = describe_image (data, bytes);
  g_autoptr (GString) contents = g_string_new (line);
  g_autoptr (GError) error = NULL;

  g_string_append_len (contents, data, (gssize) bytes);
  g_mkdir_with_parents (folder, 0700);
  if (!g_file_set_contents (path, contents->str, (gssize) contents->len, &error))
    g_info ("the cache of kernels cannot be written: %s", error->message);
}

/* --- Modules --- */

/* (transfer full) */
static char *
make_key (HybDevice *device, const char *text, const Target *target)
{
  g_autofree char *all = g_strdup_printf ("%s\n%s\n%s\n%s -fmad=true -lineinfo\n%d.%d",
                                          text,
                                          hyb_cuda_kernel_text ("prelude.cuh"),
                                          hyb_cuda_kernel_text ("arguments.h"),
                                          target->arch,
                                          device->cuda->nvrtc[0],
                                          device->cuda->nvrtc[1]);

  return g_compute_checksum_for_string (G_CHECKSUM_SHA256, all, -1);
}

/* From the cache, or compiled; a file that the driver refuses is compiled again. */
static CUmodule
load_module (HybDevice    *device,
             const char   *text,
             const char   *key,
             const Target *target,
             GError      **error)
{
  const HybCudaFunctions *call = &device->cuda->call;
  g_autofree char        *path = cache_path (key);
  g_autoptr (GBytes) image = read_image (path);
  CUmodule module = NULL;
  CUresult result;

  if (image && !call->cuModuleLoadData (&module, g_bytes_get_data (image, NULL)))
    return module;
  g_clear_pointer (&image, g_bytes_unref);
  image = compile (device, text, target, error);
  if (!image)
    return NULL;
  result = call->cuModuleLoadData (&module, g_bytes_get_data (image, NULL));
  if (result)
    {
      hyb_cuda_fail (device->cuda, "cuModuleLoadData", result, error);
      return NULL;
    }
  write_image (path, image);
  return module;
}

static CUmodule
find_module (HybDevice *device, const char *text, GError **error)
{
  Target           target;
  g_autofree char *key = NULL;
  CUmodule         module;

  if (!choose_target (device, &target, error))
    return NULL;
  key = make_key (device, text, &target);
  module = g_hash_table_lookup (device->modules, key);
  if (!module && (module = load_module (device, text, key, &target, error)))
    g_hash_table_insert (device->modules, g_steal_pointer (&key), module);
  return module;
}

CUfunction
hyb_cuda_compile (HybDevice *device, const char *text, const char *name, GError **error)
{
  const HybCudaFunctions *call = &device->cuda->call;
  CUfunction              function = NULL;
  CUmodule                module;
  CUresult                result = call->cuCtxSetCurrent (device->context);

  g_mutex_lock (&device->lock);
  module = result ? NULL : find_module (device, text, error);
  g_mutex_unlock (&device->lock);
  if (module)
    result = call->cuModuleGetFunction (&function, module, name);
  if (result)
    hyb_cuda_fail (device->cuda, "cuModuleGetFunction", result, error);
  return function;
}
