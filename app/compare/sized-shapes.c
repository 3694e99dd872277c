/* sized-shapes.c — which dimensions of a model's inputs are the batch and the length.
 *
 * A batch can be changed, while a length is fixed by the number of steps, and other dimensions by
 * weights.  Start reading with scope_sized_shapes().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/compare/sized-shapes.h"

#include "app/process/worker.h"
#include "engine/analysis/infer-types.h"

#include <string.h>

#define NO_AXIS G_MAXUINT

/* The shape of one input. */
typedef struct
{
  char    *name;
  HybShape shape;
  guint    batch, length; /* axes, or NO_AXIS */
} Input;

static void
input_clear (gpointer data)
{
  g_free (((Input *) data)->name);
}

/* FALSE: the text is not a whole shape. */
static gboolean
parse (const char *text, Input *input)
{
  const char *equals = strrchr (text, '=');
  g_auto (GStrv) dims = equals ? g_strsplit (equals + 1, ",", HYB_MAX_RANK + 1) : NULL;

  *input = (Input){ .batch = NO_AXIS, .length = NO_AXIS };
  for (guint i = 0; dims && dims[i]; i++)
    {
      gint64 dim;

      if (i == HYB_MAX_RANK ||
          !g_ascii_string_to_signed (dims[i], 10, 1, (gint64) 1 << 48, &dim, NULL))
        return FALSE;
      input->shape.dim[input->shape.rank++] = dim;
    }
  if (input->shape.rank == 0)
    return FALSE;
  input->name = g_strndup (text, (gsize) (equals - text));
  return TRUE;
}

static guint
find_axis (const Input *input, gint64 size, guint except)
{
  for (guint i = 0; i < (guint) input->shape.rank; i++)
    if (i != except && input->shape.dim[i] == size)
      return i;
  return NO_AXIS;
}

/* TRUE if the model accepts one sample more in all inputs. */
static gboolean
accepts (ScopeDocument *document, const GArray *inputs)
{
  HybGraph           *graph = scope_document_get_graph (document);
  g_autofree HybType *types = hyb_model_new_types (scope_document_get_model (document));

  for (guint i = 0; i < inputs->len; i++)
    {
      const Input *input = &g_array_index (inputs, Input, i);
      HybNodeId    id = hyb_graph_find_variable (graph, input->name);
      HybShape     shape = input->shape;

      if (id == HYB_NO_ID)
        continue;
      if (input->batch != NO_AXIS)
        shape.dim[input->batch]++;
      types[hyb_graph_get_node (graph, id)->first_output].shape = shape;
    }
  return hyb_infer_types (graph, types, NULL, FALSE, NULL);
}

/* Takes an axis of the first input as the batch, and in the others the first one of the same size.
 * FALSE: an input has none. */
static gboolean
set_batch (GArray *inputs, guint axis)
{
  gint64   size = g_array_index (inputs, Input, 0).shape.dim[axis];
  gboolean is_everywhere = TRUE;

  for (guint i = 0; i < inputs->len; i++)
    {
      Input *input = &g_array_index (inputs, Input, i);

      input->batch = i == 0 ? axis : find_axis (input, size, NO_AXIS);
      is_everywhere = is_everywhere && input->batch != NO_AXIS;
    }
  return is_everywhere;
}

/* Tries the two slowest axes of the first input.  Loops accept other lengths, too, so an axis that all inputs
 * have is preferred, then one that is not as long as the sequence. */
static void
find_batch (ScopeDocument *document, GArray *inputs, gint64 n_steps)
{
  const HybShape first =
      inputs->len > 0 ? g_array_index (inputs, Input, 0).shape : (HybShape){ .rank = 0 };

  for (guint pass = 0; pass < 4; pass++)
    for (guint axis = 0; axis < MIN ((guint) first.rank, 2); axis++)
      {
        gboolean is_everywhere = set_batch (inputs, axis);

        if ((is_everywhere || pass > 1) && (first.dim[axis] != n_steps || pass % 2 == 1) &&
            accepts (document, inputs))
          return;
      }
  for (guint i = 0; i < inputs->len; i++)
    g_array_index (inputs, Input, i).batch = NO_AXIS;
}

static char *
print (const Input *input)
{
  GString *text = g_string_new (input->name);

  for (guint i = 0; i < (guint) input->shape.rank; i++)
    {
      g_string_append_c (text, i == 0 ? '=' : ',');
      if (i == input->batch)
        g_string_append_c (text, 'B');
      else if (i == input->length)
        g_string_append_c (text, 'T');
      else
        g_string_append_printf (text, "%" G_GINT64_FORMAT, input->shape.dim[i]);
    }
  return g_string_free (text, FALSE);
}

char **
scope_sized_shapes (ScopeDocument           *document,
                    const char *const       *shapes,
                    const ScopeSizedOptions *options)
{
  g_autoptr (GArray) inputs = g_array_new (FALSE, FALSE, sizeof (Input));
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  g_array_set_clear_func (inputs, input_clear);
  for (guint i = 0; shapes && shapes[i]; i++)
    {
      Input input;

      if (parse (shapes[i], &input))
        g_array_append_val (inputs, input);
      else
        g_strv_builder_add (builder, shapes[i]);
    }
  find_batch (document, inputs, options->n_steps);
  for (guint i = 0; i < inputs->len; i++)
    {
      Input           *input = &g_array_index (inputs, Input, i);
      g_autofree char *text = NULL;

      if (options->varies_length && options->n_steps > 0)
        input->length = find_axis (input, options->n_steps, input->batch);
      if (!options->varies_batch)
        input->batch = NO_AXIS;
      text = print (input);
      g_strv_builder_add (builder, text);
    }
  return g_strv_builder_end (builder);
}

/* --- In a worker --- */

typedef struct
{
  ScopeDocument    *document;
  char            **shapes;
  ScopeSizedOptions options;
} SizeJob;

static void
size_job_free (gpointer data)
{
  SizeJob *job = data;

  scope_document_unref (job->document);
  g_strfreev (job->shapes);
  g_free (job);
}

static void
find_in_worker (GTask *task, gpointer data)
{
  const SizeJob *job = data;

  g_task_return_pointer (task,
                         scope_sized_shapes (job->document, (const char *const *) job->shapes,
                                             &job->options),
                         (GDestroyNotify) g_strfreev);
}

void
scope_sized_shapes_async (ScopeDocument           *document,
                          const char *const       *shapes,
                          const ScopeSizedOptions *options,
                          GAsyncReadyCallback      callback,
                          gpointer                 user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, NULL, callback, user_data);
  SizeJob *job = g_new (SizeJob, 1);

  *job = (SizeJob){ scope_document_ref (document), g_strdupv ((char **) shapes), *options };
  g_task_set_task_data (task, job, size_job_free);
  scope_worker_run (task, find_in_worker);
}

char **
scope_sized_shapes_finish (GAsyncResult *result)
{
  return g_task_propagate_pointer (G_TASK (result), NULL);
}
