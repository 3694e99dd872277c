/* infer-memo.c — a table from a body with known types to what follows from them.
 *
 * Start at hyb_infer_memo_find().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/analysis/infer-memo.h"

#include "engine/base/error.h"
#include "engine/base/limits.h"

#include <string.h>

/* What was inferred about a body. */
typedef struct
{
  HybType *variables, *heads;
  gboolean complete;
} Answer;

static __thread struct
{
  GHashTable *answers; /* NULL outside of an inference */
  guint       depth;
  guint64     work; /* rules applied since the outermost inference began */
} memo;

static void
answer_free (gpointer data)
{
  Answer *answer = data;

  g_free (answer->variables);
  g_free (answer->heads);
  g_free (answer);
}

void
hyb_infer_memo_begin (void)
{
  if (memo.depth++ == 0)
    memo.work = 0;
}

gboolean
hyb_infer_memo_count (GError **error)
{
  guint64 limit = hyb_limits_get_work ();

  if (memo.work++ < limit)
    return TRUE;
  return hyb_error_at (error,
                       HYB_GRAPH_ERROR,
                       HYB_GRAPH_ERROR_TYPES,
                       NULL,
                       "If you trust the file, raise the limit with --limit-work",
                       "inferring shapes takes more than %" G_GUINT64_FORMAT " steps, the limit",
                       limit);
}

void
hyb_infer_memo_end (void)
{
  if (--memo.depth == 0)
    g_clear_pointer (&memo.answers, g_hash_table_unref);
}

/* Only the dimensions that count: the others of a shape are not set. */
static void
append_type (GByteArray *key, const HybType *type)
{
  gint32 head[] = { type->dtype, type->shape.rank };

  g_byte_array_append (key, (const guint8 *) head, sizeof head);
  if (type->shape.rank > 0)
    g_byte_array_append (key,
                         (const guint8 *) type->shape.dim,
                         (guint) ((gsize) type->shape.rank * sizeof type->shape.dim[0]));
}

static GBytes *
new_key (HybGraph *body, const HybSubgraphTypes *types)
{
  GByteArray *key = g_byte_array_new ();
  guint8      modes[] = { types->training != FALSE, types->complete != NULL };

  g_byte_array_append (key, (const guint8 *) &body, sizeof body);
  g_byte_array_append (key, modes, sizeof modes);
  for (guint i = 0; i < hyb_subgraph_n_variables (body); i++)
    append_type (key, &types->variables[i]);
  for (guint i = 0; i < hyb_subgraph_n_heads (body); i++)
    append_type (key, &types->heads[i]);
  return g_byte_array_free_to_bytes (key);
}

gboolean
hyb_infer_memo_find (HybGraph *body, const HybSubgraphTypes *types, GBytes **key)
{
  const Answer *answer;

  *key = NULL;
  if (memo.depth == 0)
    return FALSE;
  *key = new_key (body, types);
  answer = memo.answers ? g_hash_table_lookup (memo.answers, *key) : NULL;
  if (!answer)
    return FALSE;

  g_clear_pointer (key, g_bytes_unref);
  for (guint i = 0; i < hyb_subgraph_n_variables (body); i++)
    types->variables[i] = answer->variables[i];
  for (guint i = 0; i < hyb_subgraph_n_heads (body); i++)
    types->heads[i] = answer->heads[i];
  if (types->complete)
    *types->complete = answer->complete;
  return TRUE;
}

void
hyb_infer_memo_store (GBytes *key, HybGraph *body, const HybSubgraphTypes *types)
{
  Answer *answer;

  if (!key)
    return;
  if (!memo.answers)
    memo.answers = g_hash_table_new_full (g_bytes_hash,
                                          g_bytes_equal,
                                          (GDestroyNotify) g_bytes_unref,
                                          answer_free);
  answer = g_new0 (Answer, 1);
  answer->variables =
      g_memdup2 (types->variables, hyb_subgraph_n_variables (body) * sizeof (HybType));
  answer->heads = g_memdup2 (types->heads, hyb_subgraph_n_heads (body) * sizeof (HybType));
  answer->complete = types->complete && *types->complete;
  g_hash_table_insert (memo.answers, key, answer);
}
