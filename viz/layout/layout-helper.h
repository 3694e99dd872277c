/* layout-helper.h — the binary format between layout-dot.c and the helper process.
 *
 * Input:  HelperHead; HelperNode × n_nodes; HelperEdge × n_edges.
 * Output: per node double x, y (its middle; y upwards); per edge int32 count and count × double x, y,
 *         where count is 0 or 3k + 1.  Lengths are in points, numbers in native byte order.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdint.h>

#define HELPER_MAX_NODES 2000
#define HELPER_MAX_EDGES 20000

typedef enum
{
  HELPER_ANYWHERE,
  HELPER_FIRST, /* in the first row */
  HELPER_LAST,  /* in the last row */
} HelperRow;

typedef struct
{
  int32_t n_nodes, n_edges;
} HelperHead;

typedef struct
{
  float   width, height; /* points */
  int32_t row;           /* HelperRow */
  int32_t order;         /* position in its row; -1: free */
} HelperNode;

typedef struct
{
  int32_t tail, head; /* nodes */
} HelperEdge;
