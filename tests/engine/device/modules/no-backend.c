/* no-backend.c — a module that is no GPU module.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include <gmodule.h>

G_MODULE_EXPORT int something_else (void);

int
something_else (void)
{
  return 1;
}
