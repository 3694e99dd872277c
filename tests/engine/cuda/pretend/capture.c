/* capture.c — work that is recorded into a graph instead of done, and graphs that are run again.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/engine/cuda/pretend/driver.h"
#include "tests/engine/cuda/pretend/state.h"

guint
pretend_captures (void)
{
  return pretend.captures;
}

void
pretend_break_captures (void)
{
  for (guint i = 0; i < pretend.streams->len; i++)
    {
      CUstream stream = g_ptr_array_index (pretend.streams, i);

      if (stream->capture)
        stream->capture->broken = TRUE;
    }
}

static void
tell_node (PretendNode *node, PretendNode *from)
{
  node->id = ++pretend.node_ids;
  if (pretend.observer)
    pretend.observer->made_node (node, from);
}

CUresult
pretend_capture_deed (CUstream stream, PretendDeed *deed)
{
  CUgraph      graph = stream->capture->graph;
  PretendNode *node = g_new0 (PretendNode, 1);

  node->deed = deed;
  node->after = g_ptr_array_new ();
  while (node->lane < stream->capture->streams->len &&
         g_ptr_array_index (stream->capture->streams, node->lane) != stream)
    node->lane++;
  for (guint i = 0; i < stream->last->len; i++)
    g_ptr_array_add (node->after, g_ptr_array_index (stream->last, i));
  g_ptr_array_add (graph->nodes, node);
  g_ptr_array_set_size (stream->last, 0);
  g_ptr_array_add (stream->last, node);
  tell_node (node, NULL);
  return stream->capture->broken ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_SUCCESS;
}

static void
free_node (gpointer data)
{
  PretendNode *node = data;

  pretend_deed_unref (node->deed);
  g_ptr_array_unref (node->after);
  g_free (node);
}

CUresult
cuStreamBeginCapture_v2 (CUstream given, int mode)
{
  CUstream stream;

  PRETEND_BEGIN ();
  stream = pretend_stream (given);
  if (!stream)
    return pretend_end (CUDA_ERROR_INVALID_HANDLE);
  if (stream->capture)
    return pretend_end (CUDA_ERROR_ILLEGAL_STATE);
  if (!stream->index || mode < 0 || mode > 2)
    return pretend_end (stream->index ? CUDA_ERROR_INVALID_VALUE
                                      : CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  stream->capture = g_new0 (PretendCapture, 1);
  stream->capture->graph = g_new0 (struct CUgraph_st, 1);
  stream->capture->graph->nodes = g_ptr_array_new_with_free_func (free_node);
  stream->capture->streams = g_ptr_array_new ();
  stream->origin = TRUE;
  g_ptr_array_add (stream->capture->streams, stream);
  g_ptr_array_set_size (stream->last, 0);
  pretend.captures++;
  return pretend_end (CUDA_SUCCESS);
}

/* Adds NODES and all that they come after to SET. */
static void
collect_before (GHashTable *set, const GPtrArray *nodes)
{
  for (guint i = 0; i < nodes->len; i++)
    if (g_hash_table_add (set, g_ptr_array_index (nodes, i)))
      collect_before (set, ((PretendNode *) g_ptr_array_index (nodes, i))->after);
}

static gboolean
is_joined (const PretendCapture *capture, CUstream origin)
{
  g_autoptr (GHashTable) joined = g_hash_table_new (NULL, NULL);

  collect_before (joined, origin->last);
  for (guint i = 0; i < capture->streams->len; i++)
    {
      CUstream stream = g_ptr_array_index (capture->streams, i);

      for (guint k = 0; k < stream->last->len; k++)
        if (!g_hash_table_contains (joined, g_ptr_array_index (stream->last, k)))
          return FALSE;
    }
  return TRUE;
}

static void
forget_events (const PretendCapture *capture)
{
  GHashTableIter iter;
  gpointer       handle, kind;

  g_hash_table_iter_init (&iter, pretend.handles);
  while (g_hash_table_iter_next (&iter, &handle, &kind))
    if (pretend_kind (kind) == PRETEND_EVENT && ((CUevent) handle)->capture == capture)
      {
        ((CUevent) handle)->capture = NULL;
        g_ptr_array_set_size (((CUevent) handle)->nodes, 0);
      }
}

/* Recording ends where this fails, too. */
CUresult
cuStreamEndCapture (CUstream given, CUgraph *graph)
{
  CUresult        failure = pretend_begin (__func__), result;
  CUstream        stream = pretend_stream (given);
  PretendCapture *capture;

  if (!stream)
    return pretend_end (failure ? failure : CUDA_ERROR_INVALID_HANDLE);
  *graph = NULL;
  capture = stream->capture;
  if (!capture)
    return pretend_end (failure ? failure : CUDA_ERROR_ILLEGAL_STATE);
  if (!stream->origin)
    return pretend_end (CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
  result = failure                        ? failure
           : capture->broken              ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED
           : !is_joined (capture, stream) ? CUDA_ERROR_STREAM_CAPTURE_UNJOINED
                                          : CUDA_SUCCESS;
  if (result == CUDA_ERROR_STREAM_CAPTURE_UNJOINED)
    pretend_problem ("recording ends while another stream has work that was not joined");
  pretend.captures--;
  stream->origin = FALSE;
  capture->graph->lanes = capture->streams->len;
  for (guint i = 0; i < capture->streams->len; i++)
    ((CUstream) g_ptr_array_index (capture->streams, i))->capture = NULL;
  forget_events (capture);
  if (result)
    {
      g_ptr_array_unref (capture->graph->nodes);
      g_free (capture->graph);
    }
  else
    {
      *graph = capture->graph;
      pretend_made (*graph, PRETEND_GRAPH);
    }
  g_ptr_array_unref (capture->streams);
  g_free (capture);
  return pretend_end (result);
}

CUresult
cuStreamIsCapturing (CUstream given, int *status)
{
  CUstream stream;

  PRETEND_BEGIN ();
  stream = pretend_stream (given);
  if (!stream)
    return pretend_end (CUDA_ERROR_INVALID_HANDLE);
  *status = !stream->capture ? 0 : stream->capture->broken ? 2 : 1;
  return pretend_end (CUDA_SUCCESS);
}

/* --- Graphs --- */

CUresult
cuGraphGetNodes (CUgraph graph, CUgraphNode *nodes, gsize *count)
{
  PRETEND_BEGIN ();
  if (!pretend_lives (graph, PRETEND_GRAPH))
    return pretend_end (CUDA_ERROR_INVALID_HANDLE);
  for (gsize i = 0; nodes && i < *count && i < graph->nodes->len; i++)
    nodes[i] = g_ptr_array_index (graph->nodes, i);
  *count = graph->nodes->len;
  return pretend_end (CUDA_SUCCESS);
}

CUresult
cuGraphDestroy (CUgraph graph)
{
  PRETEND_BEGIN ();
  if (!pretend_destroyed (graph, PRETEND_GRAPH))
    return pretend_end (CUDA_ERROR_INVALID_HANDLE);
  g_ptr_array_unref (graph->nodes);
  g_free (graph);
  return pretend_end (CUDA_SUCCESS);
}

/* The nodes of GRAPH again, with deeds shared: an instantiated graph outlives its graph. */
static GPtrArray *
copy_nodes (CUgraph graph)
{
  GPtrArray  *copies = g_ptr_array_new_with_free_func (free_node);
  GHashTable *copy_of = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < graph->nodes->len; i++)
    {
      PretendNode *node = g_ptr_array_index (graph->nodes, i);
      PretendNode *copy = g_new0 (PretendNode, 1);

      copy->deed = pretend_deed_ref (node->deed);
      copy->lane = node->lane;
      copy->after = g_ptr_array_new ();
      for (guint k = 0; k < node->after->len; k++)
        g_ptr_array_add (copy->after,
                         g_hash_table_lookup (copy_of, g_ptr_array_index (node->after, k)));
      g_hash_table_insert (copy_of, node, copy);
      tell_node (copy, node);
      g_ptr_array_add (copies, copy);
    }
  g_hash_table_unref (copy_of);
  return copies;
}

CUresult
cuGraphInstantiateWithFlags (CUgraphExec *exec, CUgraph graph, guint64 flags)
{
  PRETEND_BEGIN ();
  if (!pretend_lives (graph, PRETEND_GRAPH))
    return pretend_end (CUDA_ERROR_INVALID_HANDLE);
  *exec = g_new0 (struct CUgraphExec_st, 1);
  (*exec)->nodes = copy_nodes (graph);
  (*exec)->lanes = g_ptr_array_new ();
  for (guint i = 0; i < graph->lanes; i++)
    g_ptr_array_add ((*exec)->lanes, pretend_stream_new (FALSE));
  pretend_made (*exec, PRETEND_EXEC);
  return pretend_end (CUDA_SUCCESS);
}

/* The vendor's result: a code and two nodes. */
typedef struct
{
  int         result;
  CUgraphNode node, from;
} UpdateResult;

CUresult
cuGraphExecUpdate_v2 (CUgraphExec exec, CUgraph graph, void *result)
{
  UpdateResult *told = result;
  gboolean      same;

  PRETEND_BEGIN ();
  if (!pretend_lives (exec, PRETEND_EXEC) || !pretend_lives (graph, PRETEND_GRAPH))
    return pretend_end (CUDA_ERROR_INVALID_HANDLE);
  same = exec->nodes->len == graph->nodes->len;
  for (guint i = 0; same && i < graph->nodes->len; i++)
    {
      const PretendNode *old = g_ptr_array_index (exec->nodes, i),
                        *new = g_ptr_array_index (graph->nodes, i);

      same = old->deed->run == new->deed->run && old->lane == new->lane &&
             old->after->len == new->after->len &&g_str_equal (old->deed->name, new->deed->name);
    }
  *told = (UpdateResult){ same ? 0 : 2, NULL, NULL };
  if (!same)
    return pretend_end (CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  g_ptr_array_unref (exec->nodes);
  exec->nodes = copy_nodes (graph);
  return pretend_end (CUDA_SUCCESS);
}

CUresult
cuGraphLaunch (CUgraphExec exec, CUstream given)
{
  CUstream     stream;
  PretendWork *start, *work;
  GHashTable  *works;
  GArray      *ends;

  PRETEND_BEGIN ();
  stream = pretend_stream (given);
  if (!stream || !pretend_lives (exec, PRETEND_EXEC))
    return pretend_end (CUDA_ERROR_INVALID_HANDLE);
  if (stream->capture)
    return pretend_end (CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  start = pretend_mark (stream, NULL);
  works = g_hash_table_new (NULL, NULL);
  ends = g_array_new (FALSE, TRUE, sizeof (guint32));
  for (guint i = 0; i < exec->nodes->len; i++)
    {
      const PretendNode *node = g_ptr_array_index (exec->nodes, i);
      GArray            *after = g_array_copy (start->clock);

      for (guint k = 0; k < node->after->len; k++)
        pretend_join (after,
                      ((PretendWork *) g_hash_table_lookup (works,
                                                            g_ptr_array_index (node->after, k)))
                          ->clock);
      work = pretend_mark (g_ptr_array_index (exec->lanes, node->lane), after);
      work->deed = pretend_deed_ref (node->deed);
      work->node = node->id;
      g_hash_table_insert (works, (gpointer) node, work);
      pretend_join (ends, work->clock);
      g_array_unref (after);
    }
  pretend_mark (stream, ends);
  g_array_unref (ends);
  g_hash_table_unref (works);
  return pretend_end (CUDA_SUCCESS);
}

CUresult
cuGraphExecDestroy (CUgraphExec exec)
{
  PRETEND_BEGIN ();
  if (!pretend_destroyed (exec, PRETEND_EXEC))
    return pretend_end (CUDA_ERROR_INVALID_HANDLE);
  g_ptr_array_unref (exec->nodes);
  g_ptr_array_unref (exec->lanes);
  g_free (exec);
  return pretend_end (CUDA_SUCCESS);
}
