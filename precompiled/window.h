/* window.h — what nearly every file of the window includes, parsed once for each target.
 *
 * It only saves time: every file includes what it uses, and builds without this (-Db_pch=false).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include <adwaita.h>
#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>
