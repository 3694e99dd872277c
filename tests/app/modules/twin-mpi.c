/* twin-mpi.c — a library in the place of Open MPI's: this process is the first of two, and the other does the same at the same time.
 *
 * A sum is therefore twice the number; the least and the largest number are the number itself. With TWIN_LOST=N, test number N
 * of a reduction (from 1) and all that follow say that the other process is lost;
 * with TWIN_SILENT=N they say that it has not come so far, and the first of them makes the file TWIN_MARK.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/train/mpi-library.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define API  __attribute__ ((visibility ("default")))
#define LOST 15

int MPI_Init_thread (int *argc, char ***argv, int required, int *provided) API;
int MPI_Finalize (void) API;
int MPI_Comm_rank (gpointer communicator, int *rank) API;
int MPI_Comm_size (gpointer communicator, int *size) API;
int MPI_Comm_set_errhandler (gpointer communicator, gpointer handler) API;
int MPI_Iallreduce (gconstpointer    from,
                    gpointer         to,
                    int              n,
                    gpointer         type,
                    gpointer         operation,
                    gpointer         communicator,
                    ScopeMpiRequest *request) API;
int MPI_Test (ScopeMpiRequest *request, int *is_done, gpointer status) API;
int MPI_Error_string (int code, char *text, int *length) API;

extern char ompi_mpi_comm_world API, ompi_mpi_float API, ompi_mpi_double API, ompi_mpi_op_sum API,
    ompi_mpi_op_min API, ompi_mpi_op_max API, ompi_mpi_errors_return API;
char ompi_mpi_comm_world, ompi_mpi_float, ompi_mpi_double, ompi_mpi_op_sum, ompi_mpi_op_min,
    ompi_mpi_op_max, ompi_mpi_errors_return;

static int n_tests;

int
MPI_Init_thread (int *argc, char ***argv, int required, int *provided)
{
  *provided = required;
  return 0;
}

int
MPI_Finalize (void)
{
  return 0;
}

int
MPI_Comm_rank (gpointer communicator, int *rank)
{
  *rank = 0;
  return 0;
}

int
MPI_Comm_size (gpointer communicator, int *size)
{
  *size = 2;
  return 0;
}

int
MPI_Comm_set_errhandler (gpointer communicator, gpointer handler)
{
  return 0;
}

int
MPI_Iallreduce (gconstpointer    from,
                gpointer         to,
                int              n,
                gpointer         type,
                gpointer         operation,
                gpointer         communicator,
                ScopeMpiRequest *request)
{
  int factor = operation == &ompi_mpi_op_sum ? 2 : 1;

  for (int i = 0; i < n; i++)
    if (type == &ompi_mpi_float)
      ((float *) to)[i] = (float) factor * ((const float *) from)[i];
    else
      ((double *) to)[i] = factor * ((const double *) from)[i];
  *request = NULL;
  return 0;
}

int
MPI_Test (ScopeMpiRequest *request, int *is_done, gpointer status)
{
  const char *lost = getenv ("TWIN_LOST"), *silent = getenv ("TWIN_SILENT");
  const char *mark = getenv ("TWIN_MARK");

  n_tests++;
  *is_done = !(lost && n_tests >= atoi (lost)) && !(silent && n_tests >= atoi (silent));
  if (mark && silent && n_tests == atoi (silent))
    close (open (mark, O_CREAT | O_WRONLY, 0600));
  return *is_done || silent ? 0 : LOST;
}

int
MPI_Error_string (int code, char *text, int *length)
{
  *length = snprintf (text, SCOPE_MPI_MAX_ERROR, "error %d of the twin", code);
  return 0;
}
