/* layout-helper.c — one layout by Graphviz' dot per process.
 *
 * A process of its own because libgvc can crash, hang and abort, and cannot be
 * cancelled.  It reads a graph, writes coordinates and ends; nothing is cleaned
 * up.  See layout-helper.h for both formats.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/layout/layout-helper.h"

#include <graphviz/gvc.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#define CPU_SECONDS 5
#define MEMORY      ((rlim_t) 1 << 30)

enum
{
  BAD_INPUT = 2,
  NO_LAYOUT = 3,
  CANNOT_WRITE = 4,
  NO_MEMORY = 5,
};

typedef struct
{
  HelperHead  head;
  HelperNode *nodes;
  HelperEdge *edges;
  Agraph_t   *graph;
  Agnode_t  **node;
  Agedge_t  **edge;
} Work;

#ifdef __SANITIZE_ADDRESS__
/* Graphviz keeps memory until the process ends, which is soon. */
const char *__asan_default_options (void);
const char *
__asan_default_options (void)
{
  return "detect_leaks=0";
}
#endif

static void
guard (void)
{
  prctl (PR_SET_PDEATHSIG, SIGKILL); /* never outlives the thread that asked */
  setrlimit (RLIMIT_CPU, &(struct rlimit){ CPU_SECONDS, CPU_SECONDS });
#ifndef __SANITIZE_ADDRESS__ /* its shadow alone takes terabytes of addresses */
  setrlimit (RLIMIT_AS, &(struct rlimit){ MEMORY, MEMORY });
#endif
  setrlimit (RLIMIT_CORE, &(struct rlimit){ 0, 0 });
}

static int
read_input (Work *work)
{
  size_t n_nodes, n_edges;

  if (fread (&work->head, sizeof work->head, 1, stdin) != 1)
    return BAD_INPUT;
  if (work->head.n_nodes < 1 || work->head.n_nodes > HELPER_MAX_NODES || work->head.n_edges < 0 ||
      work->head.n_edges > HELPER_MAX_EDGES)
    return BAD_INPUT;
  n_nodes = (size_t) work->head.n_nodes;
  n_edges = (size_t) work->head.n_edges;
  work->nodes = calloc (n_nodes, sizeof *work->nodes);
  work->edges = calloc (n_edges + 1, sizeof *work->edges);
  work->node = calloc (n_nodes, sizeof *work->node);
  work->edge = calloc (n_edges + 1, sizeof *work->edge);
  if (!work->nodes || !work->edges || !work->node || !work->edge)
    return NO_MEMORY;
  if (fread (work->nodes, sizeof *work->nodes, n_nodes, stdin) != n_nodes ||
      fread (work->edges, sizeof *work->edges, n_edges, stdin) != n_edges)
    return BAD_INPUT;
  for (size_t i = 0; i < n_nodes; i++)
    if (!isfinite (work->nodes[i].width) || !isfinite (work->nodes[i].height))
      return BAD_INPUT;
  for (size_t i = 0; i < n_edges; i++)
    if ((uint32_t) work->edges[i].tail >= (uint32_t) n_nodes ||
        (uint32_t) work->edges[i].head >= (uint32_t) n_nodes)
      return BAD_INPUT;
  return 0;
}

static void
build_nodes (Work *work)
{
  Agsym_t *width = agattr (work->graph, AGNODE, (char *) "width", (char *) "1");
  Agsym_t *height = agattr (work->graph, AGNODE, (char *) "height", (char *) "0.5");
  char     text[32];

  for (int i = 0; i < work->head.n_nodes; i++)
    {
      snprintf (text, sizeof text, "%d", i);
      work->node[i] = agnode (work->graph, text, 1);
      snprintf (text, sizeof text, "%.4f", work->nodes[i].width / 72); /* inches */
      agxset (work->node[i], width, text);
      snprintf (text, sizeof text, "%.4f", work->nodes[i].height / 72);
      agxset (work->node[i], height, text);
    }
}

/* Nodes of the first or last row; those with an order are tied together from left to right. */
static void
build_row (Work *work, HelperRow row, const char *name, const char *rank)
{
  Agraph_t *sub = NULL;
  Agnode_t *last = NULL;

  for (int i = 0; i < work->head.n_nodes; i++)
    {
      if (work->nodes[i].row != (int32_t) row)
        continue;
      if (!sub)
        {
          sub = agsubg (work->graph, (char *) name, 1);
          agsafeset (sub, (char *) "rank", (char *) rank, (char *) "");
        }
      agsubnode (sub, work->node[i], 1);
      if (work->nodes[i].order < 0)
        continue;
      if (last)
        agedge (work->graph, last, work->node[i], NULL, 1);
      last = work->node[i];
    }
}

static void
build (Work *work)
{
  work->graph = agopen ((char *) "G", Agdirected, NULL);
  agattr (work->graph, AGNODE, (char *) "shape", (char *) "box");
  agattr (work->graph, AGNODE, (char *) "label", (char *) "");
  agattr (work->graph, AGNODE, (char *) "fixedsize", (char *) "true");
  agattr (work->graph, AGEDGE, (char *) "arrowhead", (char *) "none");
  agattr (work->graph, AGRAPH, (char *) "nslimit", (char *) "2");
  agattr (work->graph, AGRAPH, (char *) "ranksep", (char *) "0.45");
  agattr (work->graph, AGRAPH, (char *) "nodesep", (char *) "0.3");
  build_nodes (work);
  for (int i = 0; i < work->head.n_edges; i++)
    work->edge[i] = agedge (work->graph,
                            work->node[work->edges[i].tail],
                            work->node[work->edges[i].head],
                            NULL,
                            1);
  build_row (work, HELPER_FIRST, "first", "source");
  build_row (work, HELPER_LAST, "last", "sink");
}

static int
write_answer (const Work *work)
{
  for (int i = 0; i < work->head.n_nodes; i++)
    fwrite (&ND_coord (work->node[i]), sizeof (double), 2, stdout);
  for (int i = 0; i < work->head.n_edges; i++)
    {
      splines *curve = ED_spl (work->edge[i]);
      int32_t  count = curve && curve->size > 0 ? curve->list[0].size : 0;

      fwrite (&count, sizeof count, 1, stdout);
      if (count > 0)
        fwrite (curve->list[0].list, 2 * sizeof (double), (size_t) count, stdout);
    }
  return fflush (stdout) == 0 ? 0 : CANNOT_WRITE;
}

int
main (void)
{
  Work work = { .graph = NULL };
  int  status;

  guard ();
  status = read_input (&work);
  if (status != 0)
    return status;
  build (&work);
  if (gvLayout (gvContext (), work.graph, "dot") != 0)
    return NO_LAYOUT;
  return write_answer (&work);
}
