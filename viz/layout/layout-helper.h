/* layout-helper.h — what layout-dot.c and the helper process say to each other.
 *
 * In:  HelperHead; HelperNode × n_nodes; HelperEdge × n_edges.
 * Out: per node double x, y (middle, y up); per edge int32 count and count × double x, y,
 *      count 0 or 3k+1.  Both in the machine's own byte order: it is one machine.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdint.h>

#define HELPER_MAX_NODES 2000
#define HELPER_MAX_EDGES 20000

typedef enum
{
  HELPER_ANYWHERE,
  HELPER_FIRST, /* in the first row */
  HELPER_LAST,  /* in the last */
} HelperRow;

typedef struct
{
  int32_t n_nodes, n_edges;
} HelperHead;

typedef struct
{
  float   width, height; /* points */
  int32_t row;           /* HelperRow */
  int32_t order;         /* in its row; -1: free */
} HelperNode;

typedef struct
{
  int32_t tail, head;
} HelperEdge;
