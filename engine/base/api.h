/* api.h — marks what the installed library exports.
 *
 * The engine is compiled with hidden symbols.  A function in an installed header carries
 * HYB_API; engine/abi.txt lists them all, and tests/engine/check-exports.sh compares the
 * list, the headers and the library.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#define HYB_API __attribute__ ((visibility ("default")))
