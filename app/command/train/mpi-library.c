/* mpi-library.c — finds the functions and variables of Open MPI's library.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/command/train/mpi-library.h"

#include "app/command/messages.h"

#include <dlfcn.h>
#include <string.h>

#define LIBRARY "libmpi.so.40"

typedef struct
{
  const char *name;
  gsize       offset; /* of the member in ScopeMpi */
} Symbol;

#define SYMBOL(name, member)                 \
  {                                          \
    name, G_STRUCT_OFFSET (ScopeMpi, member) \
  }

static const Symbol symbols[] = {
  SYMBOL ("MPI_Init_thread", init_thread),
  SYMBOL ("MPI_Finalize", finalize),
  SYMBOL ("MPI_Comm_rank", comm_rank),
  SYMBOL ("MPI_Comm_size", comm_size),
  SYMBOL ("MPI_Comm_set_errhandler", comm_set_errhandler),
  SYMBOL ("MPI_Iallreduce", iallreduce),
  SYMBOL ("MPI_Test", test),
  SYMBOL ("MPI_Error_string", error_string),
  SYMBOL ("ompi_mpi_comm_world", world),
  SYMBOL ("ompi_mpi_float", type_float),
  SYMBOL ("ompi_mpi_double", type_double),
  SYMBOL ("ompi_mpi_op_sum", sum),
  SYMBOL ("ompi_mpi_op_min", minimum),
  SYMBOL ("ompi_mpi_op_max", maximum),
  SYMBOL ("ompi_mpi_errors_return", errors_return),
};

const ScopeMpi *
scope_mpi_open (GError **error)
{
  static ScopeMpi mpi;
  gpointer        library;

  if (mpi.test)
    return &mpi;
  /* Its own plug-ins look for its symbols, therefore globally. */
  library = dlopen (LIBRARY, RTLD_NOW | RTLD_GLOBAL);
  if (!library)
    {
      g_set_error (error,
                   SCOPE_ERROR,
                   SCOPE_ERROR_USAGE,
                   "--data-parallel needs Open MPI: %s. Install it; in Debian it is the package "
                   "openmpi-bin",
                   dlerror ());
      return NULL;
    }
  for (guint i = 0; i < G_N_ELEMENTS (symbols); i++)
    {
      gpointer address = dlsym (library, symbols[i].name);

      if (!address)
        {
          g_set_error (error,
                       SCOPE_ERROR,
                       SCOPE_ERROR_USAGE,
                       "--data-parallel: " LIBRARY " has no %s; it is not Open MPI 3 or 4",
                       symbols[i].name);
          return NULL;
        }
      memcpy ((char *) &mpi + symbols[i].offset, &address, sizeof address);
    }
  return &mpi;
}
