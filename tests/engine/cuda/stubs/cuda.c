/* cuda.c — a driver without the functions that are needed.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
int stub_cuda (void);

__attribute__ ((visibility ("default"))) int
stub_cuda (void)
{
  return 0;
}
