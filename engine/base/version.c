/* version.c — the version of the library.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/base/version.h"

const char *
hyb_get_version (void)
{
  return HYB_VERSION;
}
