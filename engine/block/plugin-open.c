/* plugin-open.c — opens shared modules and checks what they export.
 *
 * A module is never unloaded, because blocks, options and graphs point into it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/block/plugin-open.h"

#include "engine/base/beside.h"
#include "engine/base/error.h"
#include "engine/block/plugin.h"

#include <dlfcn.h>
#include <gmodule.h>
#include <string.h>

#define LIBRARY "libhybridscope-engine.so.0"

/* A module is linked with the library, which the loader finds only in folders of the system.  A program that has all of the
 * engine in it loads the library that was installed with it: then the loader has one of that name.  The module still calls the
 * functions of the program, which come first. */
static void
load_library (void)
{
  static const char *const relative[] = {
    "../" HYB_LIBDIR "/" LIBRARY,
    "../engine/" LIBRARY,
    NULL,
  };
  static gsize     is_done;
  g_autofree char *path = NULL;

  if (!g_once_init_enter (&is_done))
    return;
  path = hyb_find_beside (relative);
  if (path)
    dlopen (path, RTLD_LAZY | RTLD_LOCAL);
  g_once_init_leave (&is_done, 1);
}

/* Why a module cannot be loaded, and the way out. */
static void
refuse_module (const char *path, GError **error)
{
  const char *why = g_module_error ();

  hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MALFORMED, path,
                strstr (why, LIBRARY ": cannot open")
                    ? "Install the library (Debian: libhybridscope-engine0)"
                : strstr (why, "undefined symbol")
                    ? "Link it with what pkg-config --libs hybridscope-engine prints"
                    : NULL,
                "the plug-in cannot be loaded: %s", why);
}

gconstpointer
hyb_plugin_open_table (const char *path, const char *table, const char *hint, GError **error)
{
  GModule *module;
  gpointer symbol = NULL;
  guint32  abi;

  if (!g_file_test (path, G_FILE_TEST_IS_REGULAR))
    {
      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_NOENT, "%s: there is no such file", path);
      return NULL;
    }
  load_library ();
  module = g_module_open (path, G_MODULE_BIND_LOCAL);
  if (!module)
    {
      refuse_module (path, error);
      return NULL;
    }
  g_module_make_resident (module);
  if (!g_module_symbol (module, table, &symbol) || !symbol)
    {
      hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MALFORMED, path, hint,
                    "the module is not a plug-in: it has no table “%s”", table);
      return NULL;
    }

  abi = *(const guint32 *) symbol;
  if (abi != HYB_PLUGIN_ABI)
    {
      hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_VERSION, path,
                    "Compile it again with the headers of this version",
                    "the plug-in was made for interface %u, this program has %u", abi,
                    HYB_PLUGIN_ABI);
      return NULL;
    }
  return symbol;
}
