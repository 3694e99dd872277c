/* loader.c — finds the module of a back end, opens it, and checks that it fits.
 *
 * HYB_GPU_MODULE names another file.  A module stays open, because threads of the vendor's libraries
 * do not survive its end.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/device/loader.h"

#include "engine/base/beside.h"
#include "engine/base/error.h"
#include "engine/base/remedy.h"

#include <gmodule.h>
#include <string.h>

static void
refuse (GError **error, const char *path, const char *hint, const char *text)
{
  hyb_error_at (error, HYB_DEVICE_ERROR, HYB_DEVICE_ERROR_ABSENT, path, hint, "%s", text);
  hyb_error_add_remedy (error, HYB_REMEDY_DEVICE, NULL);
}

const HybBackend *
hyb_backend_open (const char *path, GError **error)
{
  GModule *module = g_module_open (path, G_MODULE_BIND_LOCAL);
  gpointer symbol = NULL;
  const HybBackend *(*get) (void);
  const HybBackend *backend;
  g_autofree char  *text = NULL;

  if (!module)
    {
      text = g_strdup_printf ("the GPU module cannot be loaded: %s", g_module_error ());
      refuse (error, path, NULL, text);
      return NULL;
    }
  g_module_make_resident (module);
  if (!g_module_symbol (module, "hyb_backend", &symbol) || !symbol)
    {
      refuse (error, path, NULL, "the file is no GPU module: it has no function hyb_backend");
      return NULL;
    }

  memcpy (&get, &symbol, sizeof get);
  backend = get ();
  if (backend->abi == HYB_BACKEND_ABI)
    return backend;
  text = g_strdup_printf ("the GPU module has interface %u, this program needs interface %u",
                          backend->abi, HYB_BACKEND_ABI);
  refuse (error, path, "Install both from the same version", text);
  return NULL;
}

/* (transfer full); NULL if it is not installed */
static char *
find_module (void)
{
  static const char *const relative[] = {
    "hybridscope/hybridscope-cuda.so",
    "../" HYB_LIBDIR "/hybridscope/hybridscope-cuda.so",
    "../engine/cuda/hybridscope-cuda.so",
    "cuda/hybridscope-cuda.so",
    NULL,
  };
  const char *given = g_getenv ("HYB_GPU_MODULE");

  return given && *given ? g_strdup (given) : hyb_find_beside (relative);
}

static GMutex            lock;
static const HybBackend *loaded; /* NULL: not yet */
static char             *loaded_from;

const HybBackend *
hyb_backend_load (GError **error)
{
  g_autofree char  *path = NULL;
  const HybBackend *backend;

  g_mutex_lock (&lock);
  if (!loaded)
    {
      path = find_module ();
      if (path)
        loaded = hyb_backend_open (path, error);
      else
        refuse (error, NULL,
                "It is hybridscope-cuda.so, which is built unless the option cuda of the build is "
                "disabled",
                "the GPU module of Hybridscope is not installed");
      if (loaded)
        loaded_from = g_steal_pointer (&path);
    }
  backend = loaded;
  g_mutex_unlock (&lock);
  return backend;
}

char *
hyb_backend_dup_path (const HybBackend *backend)
{
  char *path;

  g_mutex_lock (&lock);
  path = g_strdup (backend == loaded && loaded_from ? loaded_from : "");
  g_mutex_unlock (&lock);
  return path;
}
