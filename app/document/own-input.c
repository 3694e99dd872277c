/* own-input.c — a file of the user as the input of a run.
 *
 * Pictures become numbers from 0 to 1, channels where the shape of the input has 1 or 3 of them; each sample of
 * a batch gets the same picture.  Start reading with read_file().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/document/own-input.h"

#include "app/process/worker.h"
#include "engine/base/error.h"
#include "engine/base/one-line.h"
#include "engine/formats/array-file.h"
#include "engine/formats/file.h"

#include <gdk-pixbuf/gdk-pixbuf.h>
#include <glib/gi18n.h>
#include <string.h>

#define MAX_SHOWN 20 /* bytes of a word in a message */

static const char *const picture_endings[] = { ".png", ".jpg", ".jpeg", ".bmp", ".gif", NULL };
static const char *const array_endings[] = { ".npy", ".npz", NULL };

void
scope_own_input_free (ScopeOwnInput *input)
{
  if (!input)
    return;
  g_free (input->path);
  g_free (input->note);
  g_free (input);
}

static gboolean
ends_in (const char *path, const char *const *endings)
{
  g_autofree char *lower = g_ascii_strdown (path, -1);

  for (guint i = 0; endings[i]; i++)
    if (g_str_has_suffix (lower, endings[i]))
      return TRUE;
  return FALSE;
}

gboolean
scope_own_input_is_named (const char *path)
{
  return ends_in (path, picture_endings) || ends_in (path, array_endings) ||
         ends_in (path, (const char *const[]){ ".csv", NULL });
}

gboolean
scope_own_input_has_inputs (const char *path, ScopeDocument *document)
{
  const GArray *inputs = scope_document_get_inputs (document);
  g_autoptr (HybTensorList) list = hyb_arrays_read (path, NULL);

  for (guint i = 0; list && i < inputs->len; i++)
    if (hyb_tensor_list_find (list, g_array_index (inputs, ScopeInput, i).name))
      return TRUE;
  return FALSE;
}

static gboolean
refuse (GError **error, const char *path, const char *format, ...) G_GNUC_PRINTF (3, 4);

static gboolean
refuse (GError **error, const char *path, const char *format, ...)
{
  g_autofree char *name = g_path_get_basename (path);
  g_autofree char *text = NULL;
  va_list          list;

  va_start (list, format);
  text = g_strdup_vprintf (format, list);
  va_end (list);
  g_set_error (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MISMATCH, "%s: %s", name, text);
  return FALSE;
}

/* --- Pictures --- */

/* Where the axes of a picture are in a shape. */
typedef struct
{
  gint64 n_samples, n_channels, height, width;
  gint64 sample_step, channel_step, row_step, column_step;
} PictureShape;

/* FALSE: the shape has no room for a picture. */
static gboolean
find_axes (const HybShape *shape, PictureShape *axes)
{
  int           rank = shape->rank;
  const gint64 *dim = shape->dim + MAX (rank - 3, 0);
  gboolean      is_first = rank >= 3 && (dim[0] == 1 || dim[0] == 3);
  gboolean      is_last = rank >= 3 && (dim[2] == 1 || dim[2] == 3);

  if (rank < 3 || rank > 4 || (!is_first && !is_last))
    return FALSE;
  *axes = (PictureShape){ .n_samples = rank == 4 ? shape->dim[0] : 1,
                          .n_channels = is_first ? dim[0] : dim[2],
                          .height = is_first ? dim[1] : dim[0],
                          .width = is_first ? dim[2] : dim[1] };
  axes->channel_step = is_first ? axes->height * axes->width : 1;
  axes->column_step = is_first ? 1 : axes->n_channels;
  axes->row_step = axes->column_step * axes->width;
  axes->sample_step = axes->n_channels * axes->height * axes->width;
  return TRUE;
}

/* From 0 to 1; one channel is the brightness. */
static float
colour_of (const guchar *pixel, gint64 channel, gint64 n_channels)
{
  return n_channels == 1 ? (float) (0.299 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2]) / 255
                         : (float) pixel[channel] / 255;
}

static void
fill_sample (float *values, const PictureShape *axes, GdkPixbuf *picture)
{
  const guchar *pixels = gdk_pixbuf_read_pixels (picture);
  int           n = gdk_pixbuf_get_n_channels (picture);
  int           stride = gdk_pixbuf_get_rowstride (picture);

  for (gint64 row = 0; row < axes->height; row++)
    for (gint64 column = 0; column < axes->width; column++)
      for (gint64 channel = 0; channel < axes->n_channels; channel++)
        values[channel * axes->channel_step + row * axes->row_step + column * axes->column_step] =
            colour_of (pixels + row * stride + column * n, channel, axes->n_channels);
}

static HybTensor *
read_picture (const char *path, const ScopeInput *input, GError **error)
{
  HybType      type = { input->type.shape, HYB_F32 };
  PictureShape axes;
  g_autoptr (GdkPixbuf) picture = NULL;
  HybTensor *tensor;
  float     *values;

  if (!find_axes (&type.shape, &axes))
    {
      g_autofree char *shape = hyb_shape_to_string (&type.shape);

      refuse (error, path, _ ("the input “%s” is %s, which is not a picture of 1 or 3 channels"),
              input->name, shape);
      return NULL;
    }
  if (axes.width > 16384 || axes.height > 16384)
    {
      refuse (error, path, _ ("the input “%s” is larger than pictures can be"), input->name);
      return NULL;
    }
  picture =
      gdk_pixbuf_new_from_file_at_scale (path, (int) axes.width, (int) axes.height, FALSE, error);
  tensor = picture ? hyb_tensor_new (&type, error) : NULL;
  if (!tensor)
    return NULL;
  values = hyb_tensor_get_data (tensor);
  fill_sample (values, &axes, picture);
  for (gint64 i = 1; i < axes.n_samples; i++)
    memcpy (values + i * axes.sample_step, values, (gsize) axes.sample_step * sizeof (float));
  return tensor;
}

/* --- Tables --- */

static HybTensor *
read_table (const char *path, const ScopeInput *input, GError **error)
{
  HybType type = { input->type.shape, HYB_F32 };
  gint64  n = hyb_shape_size (&type.shape), n_read = 0;
  g_autoptr (GBytes) bytes = hyb_file_read (path, HYB_FILE_TEXT_LIMIT, error);
  g_autoptr (HybTensor) tensor = bytes ? hyb_tensor_new (&type, error) : NULL;
  g_autofree char *text = NULL;
  float           *values;
  char            *at;

  if (!tensor)
    return NULL;
  text = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  values = hyb_tensor_get_data (tensor);
  for (at = text + strspn (text, " \t\r\n,;"); *at; at += strspn (at, " \t\r\n,;"))
    {
      char  *end;
      double value = g_ascii_strtod (at, &end);

      if (end == at)
        {
          refuse (error, path, _ ("“%.*s” is not a number"), hyb_prefix_length (at, MAX_SHOWN), at);
          return NULL;
        }
      if (n_read < n)
        values[n_read] = (float) value;
      n_read++;
      at = end;
    }
  if (n_read != n)
    {
      g_autofree char *got = g_strdup_printf ("%" G_GINT64_FORMAT, n_read);
      g_autofree char *wanted = g_strdup_printf ("%" G_GINT64_FORMAT, n);

      refuse (error, path, _ ("it has %s numbers, and the input “%s” takes %s"), got, input->name,
              wanted);
      return NULL;
    }
  return g_steal_pointer (&tensor);
}

/* --- All of it --- */

typedef struct
{
  char          *path, *folder;
  ScopeDocument *document;
} Job;

static void
job_free (gpointer data)
{
  Job *job = data;

  scope_document_unref (job->document);
  g_free (job->path);
  g_free (job->folder);
  g_free (job);
}

/* The first input that is neither a label nor a state. */
static const ScopeInput *
find_data (ScopeDocument *document)
{
  const GArray *inputs = scope_document_get_inputs (document);

  for (guint i = 0; i < inputs->len; i++)
    {
      const ScopeInput *input = &g_array_index (inputs, ScopeInput, i);

      if (input->role != HYB_ROLE_LABEL && input->role != HYB_ROLE_STATE)
        return input;
    }
  return NULL;
}

/* Writes the only array of a run's input.  (transfer full) */
static ScopeOwnInput *
write_array (const Job *job, const ScopeInput *input, HybTensor *tensor, GError **error)
{
  g_autoptr (HybTensorList) list = hyb_tensor_list_new ();
  g_autoptr (ScopeOwnInput) own = g_new0 (ScopeOwnInput, 1);
  g_autofree char *name = g_path_get_basename (job->path);
  g_autofree char *shape = hyb_shape_to_string (hyb_tensor_get_shape (tensor));
  g_autofree char *base = g_strconcat (name, ".npz", NULL);

  g_mkdir_with_parents (job->folder, 0700);
  own->path = g_build_filename (job->folder, base, NULL);
  hyb_tensor_list_set (list, input->name, tensor);
  if (!hyb_arrays_write (list, own->path, error))
    return NULL;
  own->note = ends_in (job->path, picture_endings)
                  ? g_strdup_printf (_ ("Runs take %s as “%s”: %s, with values from 0 to 1"), name,
                                     input->name, shape)
                  : g_strdup_printf (_ ("Runs take %s as “%s”: %s"), name, input->name, shape);
  return g_steal_pointer (&own);
}

static ScopeOwnInput *
read_file (const Job *job, GError **error)
{
  const ScopeInput *input = find_data (job->document);
  g_autoptr (HybTensor) tensor = NULL;

  if (ends_in (job->path, array_endings))
    {
      ScopeOwnInput   *own = g_new0 (ScopeOwnInput, 1);
      g_autofree char *name = g_path_get_basename (job->path);

      own->path = g_strdup (job->path);
      own->note = g_strdup_printf (_ ("Runs take the arrays of %s"), name);
      return own;
    }
  if (!input || !hyb_shape_is_known (&input->type.shape))
    {
      refuse (error, job->path, _ ("the shape of the model’s input is not known"));
      return NULL;
    }
  tensor = ends_in (job->path, picture_endings) ? read_picture (job->path, input, error)
                                                : read_table (job->path, input, error);
  return tensor ? write_array (job, input, tensor, error) : NULL;
}

static void
read_in_worker (GTask *task, gpointer data)
{
  GError        *error = NULL;
  ScopeOwnInput *own = read_file (data, &error);

  scope_task_return (task, own, (GDestroyNotify) scope_own_input_free, error);
}

void
scope_own_input_read_async (const char         *path,
                            ScopeDocument      *document,
                            const char         *folder,
                            GAsyncReadyCallback callback,
                            gpointer            user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, NULL, callback, user_data);
  Job *job = g_new0 (Job, 1);

  job->path = g_strdup (path);
  job->folder = g_strdup (folder);
  job->document = scope_document_ref (document);
  g_task_set_task_data (task, job, job_free);
  scope_worker_run (task, read_in_worker);
}

ScopeOwnInput *
scope_own_input_read_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
