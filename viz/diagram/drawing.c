/* drawing.c — loads Pango and Cairo; see drawing.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/diagram/drawing.h"

#include "viz/diagram/error.h"

#include <dlfcn.h>

/* It is linked with Pango and Cairo, so that their functions are found in it, too. */
#define LIBRARY "libpangocairo-1.0.so.0"
#define WAY_OUT "Install Pango 1.50 or newer (Debian: libpangocairo-1.0-0)."

static const struct
{
  const char *name;
  glong       offset;
} functions[] = {
#define ROW(function) { #function, G_STRUCT_OFFSET (VizDrawing, function) },
  VIZ_DRAWING_FUNCTIONS (ROW)
#undef ROW
};

static VizDrawing drawing;
static char      *failure; /* why there are no functions; NULL: there are */

static void
load (void)
{
  void *library = dlopen (LIBRARY, RTLD_LAZY | RTLD_LOCAL);

  if (!library)
    failure = g_strdup_printf ("Nothing can be drawn: %s. " WAY_OUT, dlerror ());
  for (guint i = 0; i < G_N_ELEMENTS (functions) && !failure; i++)
    {
      void *function = dlsym (library, functions[i].name);

      if (!function)
        failure = g_strdup_printf ("Nothing can be drawn: " LIBRARY " has no function %s. " WAY_OUT,
                                   functions[i].name);
      G_STRUCT_MEMBER (void *, &drawing, functions[i].offset) = function;
    }
}

const VizDrawing *
viz_drawing_load (GError **error)
{
  static gsize is_loaded;

  if (g_once_init_enter (&is_loaded))
    {
      load ();
      g_once_init_leave (&is_loaded, 1);
    }
  if (!failure)
    return &drawing;

  g_set_error_literal (error, VIZ_ERROR, VIZ_ERROR_LIBRARY, failure);
  return NULL;
}

const VizDrawing *
viz_drawing (void)
{
  g_autoptr (GError) error = NULL;
  const VizDrawing *loaded = viz_drawing_load (&error);

  if (!loaded)
    g_error ("%s", error->message);
  return loaded;
}
