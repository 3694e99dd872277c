/* marker.c — a plug-in that leaves a file behind when it is loaded, in the path HYB_TEST_MARKER.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include <hybridscope/hybrid.h>

static HybBlock *
build (gconstpointer options)
{
  return hyb_dense (.units = 3);
}

HYB_MODEL (.name = "marker", .doc = "One layer", .inputs = "float32(2, 4)", .build = build);

__attribute__ ((constructor)) static void
leave_marker (void)
{
  const char *path = g_getenv ("HYB_TEST_MARKER");

  if (path)
    g_file_set_contents (path, "loaded", -1, NULL);
}
