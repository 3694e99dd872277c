/* compile.c — compiles kernels by NVRTC and keeps the results.
 *
 * A result is kept in memory for each device, and in a file whose name is the SHA-256 of everything that decides it
 * (kernel-cache.h).  A file that is damaged, or that the driver refuses, is made again.  HYB_GPU_CHIPS lists chips, as 75,90,
 * for which everything is compiled into the folder of HYB_GPU_KERNELS besides.  Start with hyb_cuda_compile() at the end.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/compile.h"

#include "engine/base/error.h"
#include "engine/cuda/kernel-cache.h"

#include <string.h>

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

/* --- The target of compilation --- */

/* Options of NVRTC for this chip.  An unknown chip gets PTX for the newest known chip that is
 * not newer, which the driver compiles. */
typedef struct
{
  char     arch[32];
  gboolean is_ptx;
} Target;

static gboolean
choose_target (const HybCuda *cuda, int arch, Target *target, GError **error)
{
  const HybCudaFunctions *call = &cuda->call;
  int                     n = 0, best = 0;
  g_autofree int         *archs = NULL;

  if (!call->nvrtcGetNumSupportedArchs (&n) && n > 0)
    {
      archs = g_new0 (int, n);
      call->nvrtcGetSupportedArchs (archs);
    }
  for (int i = 0; i < n; i++)
    if (archs[i] <= arch)
      best = MAX (best, archs[i]);
  if (best == 0)
    return hyb_error_at (error, HYB_DEVICE_ERROR, HYB_DEVICE_ERROR_ABSENT, NULL, NULL,
                         "NVRTC %d.%d does not compile for compute capability %d.%d",
                         cuda->nvrtc[0], cuda->nvrtc[1], arch / 10, arch % 10);
  target->is_ptx = best != arch;
  g_snprintf (target->arch, sizeof target->arch, "-arch=%s_%d", target->is_ptx ? "compute" : "sm",
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
  hyb_error_at (error, HYB_DEVICE_ERROR, HYB_DEVICE_ERROR_FAILED, NULL, NULL,
                "its kernel does not compile: %.*s", (int) (end - log), log);
}

static GBytes *
compile (const HybCuda *cuda, const char *text, const Target *target, GError **error)
{
  const HybCudaFunctions *call = &cuda->call;
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

/* --- Files --- */

/* version: of NVRTC; "" for files that are used whatever NVRTC there is.  (transfer full) */
static char *
make_key (const char *text, const Target *target, const char *version)
{
  g_autofree char *all =
      g_strdup_printf ("%s\n%s\n%s\n%s -fmad=true -lineinfo\n%s", text,
                       hyb_cuda_kernel_text ("prelude.cuh"), hyb_cuda_kernel_text ("arguments.h"),
                       target->arch, version);

  return g_compute_checksum_for_string (G_CHECKSUM_SHA256, all, -1);
}

/* Compiles for a chip that need not be there. */
static void
compile_for (const HybCuda *cuda, const char *text, int arch, const char *folder)
{
  Target           target;
  g_autofree char *key = NULL;
  g_autoptr (GBytes) image = NULL;
  g_autoptr (GError) error = NULL;

  if (choose_target (cuda, arch, &target, &error))
    {
      key = make_key (text, &target, "");
      if (hyb_kernel_cache_has (folder, key))
        return;
      image = compile (cuda, text, &target, &error);
    }
  if (image)
    hyb_kernel_cache_write (folder, key, image);
  else
    g_info ("nothing is compiled for chip %d: %s", arch, error->message);
}

static void
compile_for_others (const HybCuda *cuda, const char *text)
{
  const char *folder = hyb_kernel_cache_get_shared (), *list = g_getenv ("HYB_GPU_CHIPS");
  g_auto (GStrv) chips = g_strsplit (folder && list ? list : "", ",", -1);

  for (guint i = 0; chips[i]; i++)
    {
      guint64 arch;

      if (g_ascii_string_to_unsigned (chips[i], 10, 10, 999, &arch, NULL))
        compile_for (cuda, text, (int) arch, folder);
    }
}

/* --- Modules --- */

/* Loads the module of a kept file; NULL if the file is missing or the driver refuses it. */
static CUmodule
load_file (const HybCuda *cuda, const char *folder, const char *key)
{
  g_autoptr (GBytes) image = folder ? hyb_kernel_cache_read (folder, key) : NULL;
  CUmodule module = NULL;

  return image && !cuda->call.cuModuleLoadData (&module, g_bytes_get_data (image, NULL)) ? module
                                                                                         : NULL;
}

/* From a file, or compiled; a file that the driver refuses is compiled again. */
static CUmodule
load_module (HybDevice    *device,
             const char   *text,
             const char   *key,
             const Target *target,
             GError      **error)
{
  const HybCuda   *cuda = device->cuda;
  g_autofree char *folder = hyb_kernel_cache_dup_folder ();
  g_autofree char *shared_key = make_key (text, target, "");
  CUmodule         module = load_file (cuda, folder, key);
  g_autoptr (GBytes) image = NULL;
  CUresult result;

  if (!module)
    module = load_file (cuda, hyb_kernel_cache_get_shared (), shared_key);
  if (module || !(image = compile (cuda, text, target, error)))
    return module;
  result = cuda->call.cuModuleLoadData (&module, g_bytes_get_data (image, NULL));
  if (result)
    {
      hyb_cuda_fail (cuda, "cuModuleLoadData", result, error);
      return NULL;
    }
  hyb_kernel_cache_write (folder, key, image);
  return module;
}

static CUmodule
find_module (HybDevice *device, const char *text, GError **error)
{
  const HybCuda   *cuda = device->cuda;
  Target           target;
  g_autofree char *key = NULL;
  g_autofree char *version = g_strdup_printf ("%d.%d", cuda->nvrtc[0], cuda->nvrtc[1]);
  CUmodule         module;

  if (!choose_target (cuda, device->arch, &target, error))
    return NULL;
  key = make_key (text, &target, version);
  module = g_hash_table_lookup (device->modules, key);
  if (!module)
    compile_for_others (cuda, text);
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
