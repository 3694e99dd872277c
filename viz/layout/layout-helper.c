/* layout-helper.c — a program that lays out one graph with Graphviz' dot.
 *
 * A separate program because libgvc can crash, hang and abort, and cannot be cancelled; nothing else
 * links libgvc.  It reads a graph from standard input, writes coordinates to standard output and
 * exits without freeing anything.  layout-helper.h describes both formats; layout-dot.c runs it.
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

/* Exit statuses */
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
  Agnode_t  **node; /* per node of the input */
  Agedge_t  **edge; /* per edge of the input */
} HelperGraph;

#ifdef __SANITIZE_ADDRESS__
/* Graphviz frees nothing; the process ends soon. */
const char *__asan_default_options (void);
const char *
__asan_default_options (void)
{
  return "detect_leaks=0";
}
#endif

/* Makes sure that the process ends, and uses little memory. */
static void
limit_resources (void)
{
  prctl (PR_SET_PDEATHSIG, SIGKILL); /* end with the thread that started this process */
  setrlimit (RLIMIT_CPU, &(struct rlimit){ CPU_SECONDS, CPU_SECONDS });
/* Sanitizers reserve terabytes of addresses. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  setrlimit (RLIMIT_AS, &(struct rlimit){ MEMORY, MEMORY });
#endif
  setrlimit (RLIMIT_CORE, &(struct rlimit){ 0, 0 });
}

static int
read_input (HelperGraph *self)
{
  size_t n_nodes, n_edges;

  if (fread (&self->head, sizeof self->head, 1, stdin) != 1)
    return BAD_INPUT;
  if (self->head.n_nodes < 1 || self->head.n_nodes > HELPER_MAX_NODES || self->head.n_edges < 0 ||
      self->head.n_edges > HELPER_MAX_EDGES)
    return BAD_INPUT;
  n_nodes = (size_t) self->head.n_nodes;
  n_edges = (size_t) self->head.n_edges;
  self->nodes = calloc (n_nodes, sizeof *self->nodes);
  self->edges = calloc (n_edges + 1, sizeof *self->edges);
  self->node = calloc (n_nodes, sizeof *self->node);
  self->edge = calloc (n_edges + 1, sizeof *self->edge);
  if (!self->nodes || !self->edges || !self->node || !self->edge)
    return NO_MEMORY;
  if (fread (self->nodes, sizeof *self->nodes, n_nodes, stdin) != n_nodes ||
      fread (self->edges, sizeof *self->edges, n_edges, stdin) != n_edges)
    return BAD_INPUT;
  for (size_t i = 0; i < n_nodes; i++)
    if (!isfinite (self->nodes[i].width) || !isfinite (self->nodes[i].height))
      return BAD_INPUT;
  for (size_t i = 0; i < n_edges; i++)
    if ((uint32_t) self->edges[i].tail >= (uint32_t) n_nodes ||
        (uint32_t) self->edges[i].head >= (uint32_t) n_nodes)
      return BAD_INPUT;
  return 0;
}

static void
build_nodes (HelperGraph *self)
{
  Agsym_t *width = agattr (self->graph, AGNODE, (char *) "width", (char *) "1");
  Agsym_t *height = agattr (self->graph, AGNODE, (char *) "height", (char *) "0.5");
  char     text[32];

  for (int i = 0; i < self->head.n_nodes; i++)
    {
      snprintf (text, sizeof text, "%d", i);
      self->node[i] = agnode (self->graph, text, 1);
      snprintf (text, sizeof text, "%.4f", self->nodes[i].width / 72); /* inches */
      agxset (self->node[i], width, text);
      snprintf (text, sizeof text, "%.4f", self->nodes[i].height / 72);
      agxset (self->node[i], height, text);
    }
}

/* Puts the nodes of the first or last row into one rank.  Edges between those with an order keep them
 * in that order. */
static void
build_row (HelperGraph *self, HelperRow row, const char *name, const char *rank)
{
  Agraph_t *sub = NULL;
  Agnode_t *last = NULL;

  for (int i = 0; i < self->head.n_nodes; i++)
    {
      if (self->nodes[i].row != (int32_t) row)
        continue;
      if (!sub)
        {
          sub = agsubg (self->graph, (char *) name, 1);
          agsafeset (sub, (char *) "rank", (char *) rank, (char *) "");
        }
      agsubnode (sub, self->node[i], 1);
      if (self->nodes[i].order < 0)
        continue;
      if (last)
        agedge (self->graph, last, self->node[i], NULL, 1);
      last = self->node[i];
    }
}

static void
build (HelperGraph *self)
{
  self->graph = agopen ((char *) "G", Agdirected, NULL);
  agattr (self->graph, AGNODE, (char *) "shape", (char *) "box");
  agattr (self->graph, AGNODE, (char *) "label", (char *) "");
  agattr (self->graph, AGNODE, (char *) "fixedsize", (char *) "true");
  agattr (self->graph, AGEDGE, (char *) "arrowhead", (char *) "none");
  agattr (self->graph, AGRAPH, (char *) "nslimit", (char *) "2");
  agattr (self->graph, AGRAPH, (char *) "ranksep", (char *) "0.45");
  agattr (self->graph, AGRAPH, (char *) "nodesep", (char *) "0.3");
  build_nodes (self);
  for (int i = 0; i < self->head.n_edges; i++)
    self->edge[i] = agedge (self->graph, self->node[self->edges[i].tail],
                            self->node[self->edges[i].head], NULL, 1);
  build_row (self, HELPER_FIRST, "first", "source");
  build_row (self, HELPER_LAST, "last", "sink");
}

static int
write_answer (const HelperGraph *self)
{
  for (int i = 0; i < self->head.n_nodes; i++)
    fwrite (&ND_coord (self->node[i]), sizeof (double), 2, stdout);
  for (int i = 0; i < self->head.n_edges; i++)
    {
      splines *curve = ED_spl (self->edge[i]);
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
  HelperGraph self = { .graph = NULL };
  int         status;

  limit_resources ();
  status = read_input (&self);
  if (status != 0)
    return status;
  build (&self);
  if (gvLayout (gvContext (), self.graph, "dot") != 0)
    return NO_LAYOUT;
  return write_answer (&self);
}
