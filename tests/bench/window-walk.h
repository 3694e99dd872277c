/* window-walk.h — over everything a person does, so that the watchdog sees it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "tests/app/gui-test.h"

/* Called after each part of the walk, with what was done. */
typedef void (*BenchStep) (const char *done);

/* example: a large one of the gallery. */
void bench_walk (ScopeWindow *window, const char *example, BenchStep step);
