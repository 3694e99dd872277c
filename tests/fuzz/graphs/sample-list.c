/* sample-list.c — reads samples of operators; see sample-list.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/fuzz/graphs/sample-list.h"

#include <string.h>

static void
sample_free (gpointer data)
{
  OperatorSample *sample = data;

  g_strfreev (sample->attributes);
  g_strfreev (sample->inputs);
  g_free (sample);
}

static void
operator_free (gpointer data)
{
  SampledOperator *sampled = data;

  g_ptr_array_unref (sampled->samples);
  g_free (sampled);
}

/* Words: “sample”, operator, name, “any” or “training”, then attributes as “key=value” and inputs as “<text”. */
static OperatorSample *
sample_from_words (const HybOp *op, char **words)
{
  OperatorSample *sample = g_new0 (OperatorSample, 1);
  g_autoptr (GStrvBuilder) attributes = g_strv_builder_new ();
  g_autoptr (GStrvBuilder) inputs = g_strv_builder_new ();

  sample->op = op;
  for (guint i = 4; words[i]; i++)
    if (words[i][0] == '<')
      g_strv_builder_add (inputs, words[i] + 1);
    else
      {
        g_auto (GStrv) pair = g_strsplit (words[i], "=", 2);

        g_strv_builder_addv (attributes, (const char **) pair);
      }
  sample->attributes = g_strv_builder_end (attributes);
  sample->inputs = g_strv_builder_end (inputs);
  return sample;
}

/* Whether models have this operator, as far as its row tells: not if it belongs to passes or only gradients use it. */
static gboolean
is_in_models (const HybOp *op)
{
  return op && !(op->flags & (HYB_OP_INTERNAL | HYB_OP_OPAQUE | HYB_OP_FOREIGN)) &&
         (op->forward || op->compute) && op->n_bodies == 0;
}

GPtrArray *
sample_list_read (const char *path, GError **error)
{
  g_autoptr (GPtrArray) list = g_ptr_array_new_with_free_func (operator_free);
  g_autoptr (GHashTable) known = g_hash_table_new (NULL, NULL);
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;

  if (!g_file_get_contents (path, &text, NULL, error))
    return NULL;
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i]; i++)
    {
      g_auto (GStrv) words = g_strsplit (lines[i], "\t", -1);
      const HybOp     *op = g_strv_length (words) < 4 ? NULL : hyb_op_find (words[1]);
      SampledOperator *sampled = g_hash_table_lookup (known, op);

      if (!is_in_models (op))
        continue;
      if (!sampled)
        {
          sampled = g_new0 (SampledOperator, 1);
          sampled->op = op;
          sampled->samples = g_ptr_array_new_with_free_func (sample_free);
          g_hash_table_insert (known, (gpointer) op, sampled);
          g_ptr_array_add (list, sampled);
        }
      g_ptr_array_add (sampled->samples, sample_from_words (op, words));
    }
  return g_steal_pointer (&list);
}
