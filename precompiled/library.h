/* library.h — what nearly every file includes, parsed once for each target.
 *
 * It only saves time: every file includes what it uses, and builds without this (-Db_pch=false).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include <gio/gio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
