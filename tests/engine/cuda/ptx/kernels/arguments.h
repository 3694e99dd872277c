/* arguments.h — arguments of the kernels of these tests, one struct each, for kernel and host.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

struct RowsArguments
{
  const float *x, *gain, *shift;
  float       *y;
  int          columns;
  float        epsilon;
};

struct EachArguments
{
  const void *x, *w;
  void       *y;
  long long   n;
};

struct TransposeArguments
{
  const float *x;
  float       *y;
  int          rows, columns;
};

struct DropoutArguments
{
  float             *y;
  long long          n;
  unsigned long long seed;
};

struct IndexArguments
{
  const float *x;
  int         *y;
  int          columns;
};
