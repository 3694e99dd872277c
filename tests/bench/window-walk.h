/* window-walk.h — uses every part of a window as a person would, while a watchdog measures how late
 * the main loop is.
 *
 * Used by window.c only.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "tests/app/gui-test.h"

/* Called after each part of the walk with its name. */
typedef void (*BenchStep) (const char *done);

/* Walks through a window.  example: a large model of the gallery. */
void bench_walk (ScopeWindow *window, const char *example, BenchStep step);
