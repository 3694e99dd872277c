/* data-task.c — the synthetic data of a gallery model or plug-in.
 *
 * The model's class fills each batch from its number and the seed (HybModelClass.task); held-out
 * batches use another seed.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/base/error.h"
#include "engine/train/data-private.h"

#include <string.h>

typedef struct
{
  HybData       parent;
  HybModelSpec *spec; /* borrowed */
  guint64       seed;
  HybType       label;
} TaskData;

static guint64
task_n_batches (HybData *data, gboolean held_out)
{
  guint n = ((TaskData *) data)->spec->klass->task.steps;

  return held_out ? MAX (n / 10, 1) : MAX (n, 1);
}

static GHashTable *
task_batch (HybData *data, guint64 index, gboolean held_out, GError **error)
{
  TaskData              *self = (TaskData *) data;
  HybModelSpec          *spec = self->spec;
  guint                  n = spec->types->len;
  g_autofree HybType    *types = g_new (HybType, n + 1);
  g_autofree HybTensor **inputs = g_new0 (HybTensor *, n + 1);
  g_autoptr (GHashTable) batch = hyb_batch_new ();
  HybBatch to_fill = {
    .seed = held_out ? ~self->seed : self->seed, .step = index, .n_inputs = n, .inputs = inputs
  };

  memcpy (types, spec->types->data, n * sizeof *types);
  types[n] = self->label;
  if (spec->klass->task.vary)
    spec->klass->task.vary (spec->options, index, types);
  for (guint i = 0; i < n; i++)
    {
      inputs[i] = hyb_batch_add (batch, hyb_model_spec_input_name (spec, i), &types[i], error);
      if (!inputs[i])
        return NULL;
    }
  if (self->label.shape.rank >= 0)
    {
      to_fill.label = hyb_batch_add (batch, "label", &types[n], error);
      if (!to_fill.label)
        return NULL;
    }
  spec->klass->task.fill (spec->options, &to_fill);
  return g_steal_pointer (&batch);
}

static const HybDataClass task_class = { task_n_batches, task_batch, NULL };

HybData *
hyb_data_new_task (HybModelSpec *spec, guint64 seed, GError **error)
{
  HybType   label;
  TaskData *self;

  if (!spec->klass->task.fill)
    {
      hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_MISSING, spec->klass->name,
                    "Give batches with --data", "the model has no synthetic data");
      return NULL;
    }
  if (!hyb_model_spec_label_type (spec, &label, error))
    return NULL;
  self = g_new0 (TaskData, 1);
  self->parent.klass = &task_class;
  self->parent.description = g_strdup_printf ("the synthetic data of %s", spec->klass->name);
  self->spec = spec;
  self->seed = seed;
  self->label = label;
  return &self->parent;
}
