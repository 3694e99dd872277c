/* layout-dot.c — the layout "dot": runs Graphviz in another process, with a deadline.
 *
 * Refuses bodies that dot may not finish in time: more than 500 nodes, or more than 2,000 together
 * with the virtual nodes that dot adds.  Request and answer are anonymous files instead of pipes, so
 * that neither process can block on a full pipe or fail on a broken one.
 * Start reading at dot_place(), at the end; layout-helper.h describes the format.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/diagram/error.h"
#include "viz/layout/layers.h"
#include "viz/layout/layout-helper.h"
#include "viz/layout/layout.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAX_NODES        500
#define MAX_WITH_VIRTUAL 2000
#define DEADLINE_MS      2000
#define MAX_ANSWER       (64 << 20)

/* An estimate of the number of nodes in dot's layered graph: real nodes, and one virtual node per
 * rank that an edge crosses. */
static guint64
count_with_virtual (const VizBody *body, GCancellable *cancellable)
{
  VizLayers layers = { .body = body, .cancellable = cancellable };
  guint64   n = body->n_nodes;

  viz_layers_rank (&layers);
  for (guint32 e = 0; e < body->n_edges; e++)
    {
      guint32 a = layers.rank[body->edges[e].tail], b = layers.rank[body->edges[e].head];

      n += MAX (a, b) - MIN (a, b) > 1 ? MAX (a, b) - MIN (a, b) - 1 : 0;
    }
  viz_layers_clear (&layers);
  return n;
}

static GByteArray *
write_request (const VizBody *body)
{
  GByteArray *bytes = g_byte_array_new ();
  HelperHead  head = { (int32_t) body->n_nodes, 0 };

  for (guint32 e = 0; e < body->n_edges; e++)
    head.n_edges += (body->edges[e].flags & VIZ_EDGE_FEEDBACK) == 0;
  g_byte_array_append (bytes, (const guint8 *) &head, sizeof head);
  for (guint32 i = 0; i < body->n_nodes; i++)
    {
      const VizBodyNode *node = &body->nodes[i];
      HelperNode record = { MAX (node->width, 2 * node->label), node->height, HELPER_ANYWHERE,
                            node->order };

      if (node->kind == VIZ_NODE_OUT)
        record.row = HELPER_LAST;
      else if (node->kind != VIZ_NODE_BOX)
        record.row = HELPER_FIRST;
      g_byte_array_append (bytes, (const guint8 *) &record, sizeof record);
    }
  for (guint32 e = 0; e < body->n_edges; e++)
    {
      HelperEdge record = { (int32_t) body->edges[e].tail, (int32_t) body->edges[e].head };

      if ((body->edges[e].flags & VIZ_EDGE_FEEDBACK) == 0)
        g_byte_array_append (bytes, (const guint8 *) &record, sizeof record);
    }
  return bytes;
}

/* The path of the helper: beside this program, in the build tree, in the tree that this program was
 * moved in, or where it is installed.  (transfer full) */
static char *
find_helper (void)
{
  g_autofree char *program = NULL, *folder = NULL;
  const char      *places[] = { "layout-helper", "../viz/layout-helper", "../../viz/layout-helper",
                                VIZ_LIBEXECDIR_FROM_PROGRAM "/layout-helper" };

  program = g_file_read_link ("/proc/self/exe", NULL);
  folder = program ? g_path_get_dirname (program) : g_strdup (".");
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      g_autofree char *path = g_build_filename (folder, places[i], NULL);

      if (g_file_test (path, G_FILE_TEST_IS_EXECUTABLE))
        return g_steal_pointer (&path);
    }
  return g_build_filename (VIZ_LIBEXECDIR, "layout-helper", NULL);
}

/* An anonymous file with that content (NULL: empty), positioned at its start.  Returns -1 with an
 * error if it cannot be made. */
static int
open_anonymous (const char *name, const GByteArray *content, GError **error)
{
  int   file = memfd_create (name, MFD_CLOEXEC);
  gsize done = 0;

  while (file >= 0 && content && done < content->len)
    {
      gssize n = write (file, content->data + done, content->len - done);

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        {
          close (file);
          file = -1;
        }
      else
        done += (gsize) n;
    }
  if (file < 0 || lseek (file, 0, SEEK_SET) < 0)
    g_set_error (error, VIZ_ERROR, VIZ_ERROR_LAYOUT,
                 "dot was not started: cannot create a file in memory: %s", g_strerror (errno));
  return file;
}

/* State while waiting for the helper to exit. */
typedef struct
{
  GSubprocess *helper;
  gboolean     done, timed_out;
} HelperWait;

static void
on_ended (GObject *source, GAsyncResult *result, gpointer data)
{
  g_subprocess_wait_finish (G_SUBPROCESS (source), result, NULL);
  ((HelperWait *) data)->done = TRUE;
}

static gboolean
on_deadline (gpointer data)
{
  HelperWait *wait = data;

  wait->timed_out = TRUE;
  g_subprocess_force_exit (wait->helper);
  return G_SOURCE_REMOVE;
}

static void
on_cancelled (GCancellable *cancellable G_GNUC_UNUSED, gpointer data)
{
  g_subprocess_force_exit (data);
}

/* Waits until the helper exits, the deadline passes or the operation is cancelled.  Returns whether
 * the helper succeeded.  Runs its own main context, because the layout thread has no main loop. */
static gboolean
wait_for (GSubprocess *helper, GCancellable *cancellable, GError **error)
{
  GMainContext *context = g_main_context_new ();
  GSource      *deadline = g_timeout_source_new (DEADLINE_MS);
  HelperWait    wait = { helper, FALSE, FALSE };
  gulong        handler = 0;

  g_main_context_push_thread_default (context);
  g_source_set_callback (deadline, on_deadline, &wait, NULL);
  g_source_attach (deadline, context);
  if (cancellable)
    handler = g_cancellable_connect (cancellable, G_CALLBACK (on_cancelled), helper, NULL);
  g_subprocess_wait_async (helper, NULL, on_ended, &wait);
  while (!wait.done)
    g_main_context_iteration (context, TRUE);
  g_cancellable_disconnect (cancellable, handler);
  g_source_destroy (deadline);
  g_source_unref (deadline);
  g_main_context_pop_thread_default (context);
  g_main_context_unref (context);
  if (wait.timed_out)
    g_set_error (error, VIZ_ERROR, VIZ_ERROR_LAYOUT, "dot did not finish within %d ms",
                 DEADLINE_MS);
  else if (g_subprocess_get_if_signaled (helper))
    g_set_error (error, VIZ_ERROR, VIZ_ERROR_LAYOUT, "dot was stopped by signal %d",
                 g_subprocess_get_term_sig (helper));
  else if (g_subprocess_get_exit_status (helper) != 0)
    g_set_error (error, VIZ_ERROR, VIZ_ERROR_LAYOUT, "dot failed with status %d",
                 g_subprocess_get_exit_status (helper));
  else
    return TRUE;
  return FALSE;
}

static GBytes *
read_file (int file, GError **error)
{
  off_t  size = lseek (file, 0, SEEK_END);
  char  *data;
  gssize n;

  if (size < 0 || size > MAX_ANSWER || lseek (file, 0, SEEK_SET) < 0)
    {
      g_set_error (error, VIZ_ERROR, VIZ_ERROR_LAYOUT,
                   "dot's answer has %" G_GINT64_FORMAT " bytes; at most %d are read",
                   (gint64) size, MAX_ANSWER);
      return NULL;
    }
  data = g_malloc ((gsize) size + 1);
  n = read (file, data, (gsize) size);
  if (n != size)
    {
      g_free (data);
      g_set_error (error, VIZ_ERROR, VIZ_ERROR_LAYOUT, "dot's answer could not be read");
      return NULL;
    }
  return g_bytes_new_take (data, (gsize) size);
}

/* Runs the helper on a body and returns its output, or NULL with an error.  (transfer full) */
static GBytes *
run_helper (const VizBody *body, const char *program, GCancellable *cancellable, GError **error)
{
  g_autoptr (GByteArray) request = write_request (body);
  g_autoptr (GSubprocessLauncher) launcher =
      g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDERR_SILENCE);
  g_autoptr (GSubprocess) helper = NULL;
  GBytes *answer = NULL;
  int     input, output;

  input = open_anonymous ("layout-request", request, error);
  if (input < 0)
    return NULL;
  output = open_anonymous ("layout-answer", NULL, error);
  if (output < 0)
    {
      close (input);
      return NULL;
    }
  g_subprocess_launcher_take_stdin_fd (launcher, input);
  g_subprocess_launcher_take_stdout_fd (launcher, dup (output));
  helper = g_subprocess_launcher_spawn (launcher, error, program, NULL);
  if (helper && wait_for (helper, cancellable, error))
    answer = read_file (output, error);
  close (output);
  return answer;
}

/* --- Reading the answer, which is checked like an untrusted file --- */

typedef struct
{
  const guint8 *at;
  gsize         left; /* bytes */
} Reader;

static gboolean
read_bytes (Reader *reader, gpointer data, gsize n_bytes)
{
  if (reader->left < n_bytes)
    return FALSE;
  memcpy (data, reader->at, n_bytes);
  reader->at += n_bytes;
  reader->left -= n_bytes;
  return TRUE;
}

static gboolean
read_point (Reader *reader, VizPoint *point)
{
  double pair[2];

  if (!read_bytes (reader, pair, sizeof pair) || !isfinite (pair[0]) || !isfinite (pair[1]) ||
      fabs (pair[0]) > 1e7 || fabs (pair[1]) > 1e7)
    return FALSE;
  *point = (VizPoint){ pair[0], -pair[1] };
  return TRUE;
}

/* Moves the ends of a route to fixed ports; dot's curves end near the middle of a side. */
static void
move_ends (VizBody *body, guint32 edge)
{
  const VizBodyEdge *ends = &body->edges[edge];
  VizPoint          *first = &g_array_index (body->points, VizPoint, body->first_point[edge]);
  VizPoint          *last = &g_array_index (body->points, VizPoint, body->points->len - 1);

  if (ends->tail_at >= 0)
    {
      first->x = body->at[ends->tail].x + ends->tail_at;
      first->y = body->at[ends->tail].y + body->nodes[ends->tail].height;
      first[1].x = first->x;
    }
  if (ends->head_at >= 0)
    {
      last->x = body->at[ends->head].x + ends->head_at;
      last->y = body->at[ends->head].y;
      last[-1].x = last->x;
    }
}

static gboolean
read_route (Reader *reader, VizBody *body, guint32 edge)
{
  gint32   count;
  VizPoint point;

  if (!read_bytes (reader, &count, sizeof count) || count < 0 || (count > 0 && count % 3 != 1) ||
      count > 100000)
    return FALSE;
  body->first_point[edge] = body->points->len;
  for (gint32 i = 0; i < count; i++)
    {
      if (!read_point (reader, &point))
        return FALSE;
      g_array_append_val (body->points, point);
    }
  body->first_point[edge + 1] = body->points->len;
  if (count > 0)
    move_ends (body, edge);
  return TRUE;
}

static gboolean
read_answer (VizBody *body, GBytes *answer)
{
  Reader reader;

  reader.at = g_bytes_get_data (answer, &reader.left);
  viz_body_begin (body);
  for (guint32 i = 0; i < body->n_nodes; i++)
    {
      if (!read_point (&reader, &body->at[i]))
        return FALSE;
      body->at[i].x -= body->nodes[i].width / 2;
      body->at[i].y -= body->nodes[i].height / 2;
    }
  for (guint32 e = 0; e < body->n_edges; e++)
    if ((body->edges[e].flags & VIZ_EDGE_FEEDBACK) == 0 && !read_route (&reader, body, e))
      return FALSE;
  viz_body_end (body);
  return reader.left == 0;
}

/* Whether a route runs through a box that is not one of its ends. */
static gboolean
runs_through_box (const VizBody *body, guint32 edge)
{
  const VizBodyEdge *ends = &body->edges[edge];
  const VizPoint    *points = (gconstpointer) body->points->data;

  for (guint32 k = body->first_point[edge]; k + 3 < body->first_point[edge + 1]; k += 3)
    for (guint step = 1; step < 8; step++)
      {
        VizPoint p = viz_curve_point (points + k, step / 8.0);

        for (guint32 i = 0; i < body->n_nodes; i++)
          if (i != ends->tail && i != ends->head && p.x > body->at[i].x + 1 &&
              p.x < body->at[i].x + body->nodes[i].width - 1 && p.y > body->at[i].y + 1 &&
              p.y < body->at[i].y + body->nodes[i].height - 1)
            return TRUE;
      }
  return FALSE;
}

/* Whether the routes are usable after move_ends(), which can pull a curve through a box. */
static gboolean
is_clean (const VizBody *body)
{
  for (guint32 e = 0; e < body->n_edges; e++)
    if ((body->edges[e].tail_at >= 0 || body->edges[e].head_at >= 0) && runs_through_box (body, e))
      return FALSE;
  return TRUE;
}

static gboolean
dot_place (VizBody *body, const char *helper, GCancellable *cancellable, GError **error)
{
  g_autofree char *program = NULL;
  g_autoptr (GBytes) answer = NULL;

  if (body->n_nodes == 0 || body->n_nodes > MAX_NODES || body->n_edges > HELPER_MAX_EDGES ||
      count_with_virtual (body, cancellable) > MAX_WITH_VIRTUAL)
    {
      g_set_error (error, VIZ_ERROR, VIZ_ERROR_LIMIT,
                   "%u boxes, or the rows between them, are too many for dot; at most %d boxes, "
                   "and %d boxes and crossed rows, are laid out",
                   body->n_nodes, MAX_NODES, MAX_WITH_VIRTUAL);
      return FALSE;
    }
  program = helper ? g_strdup (helper) : find_helper ();
  answer = run_helper (body, program, cancellable, error);
  if (!answer)
    return FALSE;
  if (!read_answer (body, answer))
    g_set_error (error, VIZ_ERROR, VIZ_ERROR_LAYOUT, "dot's answer is malformed");
  else if (!is_clean (body))
    g_set_error (error, VIZ_ERROR, VIZ_ERROR_LAYOUT, "dot's curves to the ports cross boxes");
  else
    return TRUE;
  return FALSE;
}

const VizLayout viz_layout_dot = {
  .name = "dot",
  .label = "Graphviz",
  .place = dot_place,
  .dup_program = find_helper,
};
