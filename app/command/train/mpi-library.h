/* mpi-library.h — Open MPI's library, opened when it is asked for.
 *
 * Nothing here needs its headers: the few functions are declared by hand for the interface of Open MPI 3 to 4, whose library is
 * libmpi.so.40.  Communicators, types and operations are addresses of its variables.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

typedef gpointer ScopeMpiRequest;

typedef struct
{
  int (*init_thread) (int *argc, char ***argv, int required, int *provided);
  int (*finalize) (void);
  int (*comm_rank) (gpointer communicator, int *rank);
  int (*comm_size) (gpointer communicator, int *size);
  int (*comm_set_errhandler) (gpointer communicator, gpointer handler);
  int (*iallreduce) (gconstpointer    from,
                     gpointer         to,
                     int              n,
                     gpointer         type,
                     gpointer         operation,
                     gpointer         communicator,
                     ScopeMpiRequest *request);
  int (*test) (ScopeMpiRequest *request, int *is_done, gpointer status);
  int (*error_string) (int code, char *text, int *length);
  gpointer world, type_float, type_double, sum, minimum, maximum, errors_return;
} ScopeMpi;

#define SCOPE_MPI_MAX_ERROR 256 /* bytes of error_string() */

/* Opens the library once.  NULL and an error that says what to install. */
const ScopeMpi *scope_mpi_open (GError **error);
