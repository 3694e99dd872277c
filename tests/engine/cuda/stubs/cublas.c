/* cublas.c — a cuBLAS without the functions that are needed.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
int stub_cublas (void);

__attribute__ ((visibility ("default"))) int
stub_cublas (void)
{
  return 0;
}
