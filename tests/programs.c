/* programs.c — runs one of several test programs that are linked together, see program.h.
 * usage: PROGRAM TEST [ARGUMENT…]    without a test it prints their names
 *
 * TEST_LIST is made by list-programs.sh from the names in meson.build.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/program.h"
#include "tests/temporary-folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAM(function, name) int function##_program (int argc, char **argv);
#include TEST_LIST
#undef PROGRAM

typedef struct
{
  const char *name;
  int (*run) (int argc, char **argv);
} Program;

#define PROGRAM(function, name) { name, function##_program },
static const Program programs[] = {
#include TEST_LIST
};
#undef PROGRAM

/* A test that starts itself again passes only options, so that the variable says which test it is. */
#define VARIABLE "HYB_TEST_PROGRAM"

static const Program *
find_program (const char *name)
{
  for (size_t i = 0; name && i < sizeof programs / sizeof *programs; i++)
    if (strcmp (programs[i].name, name) == 0)
      return &programs[i];
  return NULL;
}

int
main (int argc, char **argv)
{
  const Program *program = find_program (argc > 1 ? argv[1] : NULL);

  if (program)
    {
      setenv (VARIABLE, program->name, 1);
      temporary_folder_use ();
      memmove (argv + 1, argv + 2, (size_t) (argc - 1) * sizeof *argv);
      return program->run (argc - 1, argv);
    }

  program = find_program (getenv (VARIABLE));
  if (program)
    return program->run (argc, argv);

  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
    fprintf (stderr, "%s\n", programs[i].name);
  return 2;
}
