/* program.h — a test program that shares an executable with others.
 *
 * Every executable links the whole engine, so the tests of a folder are linked once.
 * TEST_PROGRAM() stands for main() in each of them; programs.c calls the one that its first
 * argument names.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#define TEST_PROGRAM(name)                    \
  int name##_program (int argc, char **argv); \
  int name##_program (int argc, char **argv)
