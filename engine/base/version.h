/* version.h — the version of the headers, and that of the library that runs.
 * Both follow the same rule: a program that was compiled with one runs with every later one of the same soname.
 * Threads: any thread.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/api.h"

#include <glib.h>

G_BEGIN_DECLS

#define HYB_VERSION_MAJOR 0 /* incompatible changes */
#define HYB_VERSION_MINOR 2 /* additions */
#define HYB_VERSION_MICRO 0 /* corrections */
/* The same as text. */
#define HYB_VERSION               \
  G_STRINGIFY (HYB_VERSION_MAJOR) \
  "." G_STRINGIFY (HYB_VERSION_MINOR) "." G_STRINGIFY (HYB_VERSION_MICRO)
/* TRUE if the headers have this version or a later one; works in #if. */
#define HYB_CHECK_VERSION(major, minor, micro)                                                     \
  (HYB_VERSION_MAJOR > (major) || (HYB_VERSION_MAJOR == (major) && HYB_VERSION_MINOR > (minor)) || \
   (HYB_VERSION_MAJOR == (major) && HYB_VERSION_MINOR == (minor) && HYB_VERSION_MICRO >= (micro)))

/* The version of the library, as HYB_VERSION.  Static. */
HYB_API const char *hyb_get_version (void);

G_END_DECLS
