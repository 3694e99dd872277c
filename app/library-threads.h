/* library-threads.h — keeps OpenBLAS from starting threads that a limit of memory has no room for.
 *
 * Call it first in main() of a program that computes in its own threads (engine/base/parallel.h).
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* If addresses or memory of the process are limited, starts the program again with OPENBLAS_NUM_THREADS=1; then it
 * does not return.  argv: of main(). */
void scope_ensure_library_threads (char **argv);
