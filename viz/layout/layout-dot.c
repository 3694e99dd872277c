/* layout-dot.c — asks Graphviz, in a process of its own, with a deadline.
 *
 * Only bodies that dot is known to finish: at most 500 nodes, and at most 2,000
 * together with the virtual nodes its own ranking would make.  Input and answer
 * pass through anonymous files: no pipe can fill up or break.
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

/* Nodes, and ranks that edges cross. */
static guint64
work_for_dot (const VizBody *body, GCancellable *cancellable)
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
write_question (const VizBody *body)
{
  GByteArray *bytes = g_byte_array_new ();
  HelperHead  head = { (int32_t) body->n_nodes, 0 };

  for (guint32 e = 0; e < body->n_edges; e++)
    head.n_edges += (body->edges[e].flags & VIZ_EDGE_FEEDBACK) == 0;
  g_byte_array_append (bytes, (const guint8 *) &head, sizeof head);
  for (guint32 i = 0; i < body->n_nodes; i++)
    {
      const VizBodyNode *node = &body->nodes[i];
      HelperNode         told = {
                MAX (node->width, 2 * node->label), node->height, HELPER_ANYWHERE, node->order
      };

      if (node->kind == VIZ_NODE_OUT)
        told.row = HELPER_LAST;
      else if (node->kind != VIZ_NODE_BOX)
        told.row = HELPER_FIRST;
      g_byte_array_append (bytes, (const guint8 *) &told, sizeof told);
    }
  for (guint32 e = 0; e < body->n_edges; e++)
    {
      HelperEdge told = { (int32_t) body->edges[e].tail, (int32_t) body->edges[e].head };

      if ((body->edges[e].flags & VIZ_EDGE_FEEDBACK) == 0)
        g_byte_array_append (bytes, (const guint8 *) &told, sizeof told);
    }
  return bytes;
}

/* Beside the program, in the build tree, or where it was installed. */
static char *
find_helper (const char *helper)
{
  g_autofree char *program = NULL, *folder = NULL;
  const char *places[] = { "layout-helper", "../viz/layout-helper", "../../viz/layout-helper" };

  if (helper)
    return g_strdup (helper);
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
    g_set_error (error,
                 VIZ_ERROR,
                 VIZ_ERROR_LAYOUT,
                 "no memory file for dot: %s",
                 g_strerror (errno));
  return file;
}

typedef struct
{
  GSubprocess *helper;
  gboolean     done, too_late;
} Wait;

static void
on_ended (GObject *source, GAsyncResult *result, gpointer data)
{
  g_subprocess_wait_finish (G_SUBPROCESS (source), result, NULL);
  ((Wait *) data)->done = TRUE;
}

static gboolean
on_deadline (gpointer data)
{
  Wait *wait = data;

  wait->too_late = TRUE;
  g_subprocess_force_exit (wait->helper);
  return G_SOURCE_REMOVE;
}

static void
on_cancelled (GCancellable *cancellable G_GNUC_UNUSED, gpointer data)
{
  g_subprocess_force_exit (data);
}

/* Runs a context of its own: the layout thread has no main loop. */
static gboolean
wait_for (GSubprocess *helper, GCancellable *cancellable, GError **error)
{
  GMainContext *context = g_main_context_new ();
  GSource      *deadline = g_timeout_source_new (DEADLINE_MS);
  Wait          wait = { helper, FALSE, FALSE };
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
  if (wait.too_late)
    g_set_error (error, VIZ_ERROR, VIZ_ERROR_LAYOUT, "dot had no answer after %d ms", DEADLINE_MS);
  else if (g_subprocess_get_if_signaled (helper))
    g_set_error (error,
                 VIZ_ERROR,
                 VIZ_ERROR_LAYOUT,
                 "dot was stopped by signal %d",
                 g_subprocess_get_term_sig (helper));
  else if (g_subprocess_get_exit_status (helper) != 0)
    g_set_error (error,
                 VIZ_ERROR,
                 VIZ_ERROR_LAYOUT,
                 "dot failed with status %d",
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
      g_set_error (error, VIZ_ERROR, VIZ_ERROR_LAYOUT, "dot's answer is too long");
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

static GBytes *
ask (const VizBody *body, const char *program, GCancellable *cancellable, GError **error)
{
  g_autoptr (GByteArray) question = write_question (body);
  g_autoptr (GSubprocessLauncher) launcher =
      g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDERR_SILENCE);
  g_autoptr (GSubprocess) helper = NULL;
  GBytes *answer = NULL;
  int     input, output;

  input = open_anonymous ("layout-question", question, error);
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

/* Reading the answer: as untrusted as a file. */

typedef struct
{
  const guint8 *at;
  gsize         left;
} Reader;

static gboolean
take (Reader *reader, gpointer data, gsize n_bytes)
{
  if (reader->left < n_bytes)
    return FALSE;
  memcpy (data, reader->at, n_bytes);
  reader->at += n_bytes;
  reader->left -= n_bytes;
  return TRUE;
}

static gboolean
take_point (Reader *reader, VizPoint *point)
{
  double pair[2];

  if (!take (reader, pair, sizeof pair) || !isfinite (pair[0]) || !isfinite (pair[1]) ||
      fabs (pair[0]) > 1e7 || fabs (pair[1]) > 1e7)
    return FALSE;
  *point = (VizPoint){ pair[0], -pair[1] };
  return TRUE;
}

/* dot's curve ends near the middle of a side; a port may be elsewhere. */
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

  if (!take (reader, &count, sizeof count) || count < 0 || (count > 0 && count % 3 != 1) ||
      count > 100000)
    return FALSE;
  body->first_point[edge] = body->points->len;
  for (gint32 i = 0; i < count; i++)
    {
      if (!take_point (reader, &point))
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
      if (!take_point (&reader, &body->at[i]))
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

/* dot knows no ports: where an end had to be moved, its curve may now run through a box. */
static gboolean
runs_through_box (const VizBody *body, guint32 edge)
{
  const VizBodyEdge *ends = &body->edges[edge];
  const VizPoint    *p = (const VizPoint *) body->points->data;

  for (guint32 k = body->first_point[edge]; k + 3 < body->first_point[edge + 1]; k += 3)
    for (guint step = 1; step < 8; step++)
      {
        double t = step / 8.0, u = 1 - t;
        double x = u * u * u * p[k].x + 3 * u * u * t * p[k + 1].x + 3 * u * t * t * p[k + 2].x +
                   t * t * t * p[k + 3].x;
        double y = u * u * u * p[k].y + 3 * u * u * t * p[k + 1].y + 3 * u * t * t * p[k + 2].y +
                   t * t * t * p[k + 3].y;

        for (guint32 i = 0; i < body->n_nodes; i++)
          if (i != ends->tail && i != ends->head && x > body->at[i].x + 1 &&
              x < body->at[i].x + body->nodes[i].width - 1 && y > body->at[i].y + 1 &&
              y < body->at[i].y + body->nodes[i].height - 1)
            return TRUE;
      }
  return FALSE;
}

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
      work_for_dot (body, cancellable) > MAX_WITH_VIRTUAL)
    {
      g_set_error (error,
                   VIZ_ERROR,
                   VIZ_ERROR_LIMIT,
                   "%u boxes are too many, or too far apart",
                   body->n_nodes);
      return FALSE;
    }
  program = find_helper (helper);
  answer = ask (body, program, cancellable, error);
  if (!answer)
    return FALSE;
  if (!read_answer (body, answer))
    g_set_error (error, VIZ_ERROR, VIZ_ERROR_LAYOUT, "dot's answer makes no sense");
  else if (!is_clean (body))
    g_set_error (error, VIZ_ERROR, VIZ_ERROR_LAYOUT, "dot's lines do not reach the ports");
  else
    return TRUE;
  return FALSE;
}

const VizLayout viz_layout_dot = {
  .name = "dot",
  .label = "Graphviz",
  .place = dot_place,
};
