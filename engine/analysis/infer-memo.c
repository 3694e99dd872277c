/* infer-memo.c — a table for the thread that lasts as long as its outermost inference.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/analysis/infer-memo.h"

#include "engine/base/error.h"
#include "engine/base/limits.h"
#include "engine/base/remedy.h"

static __thread struct
{
  GHashTable *answers; /* NULL outside of an inference, and before the first answer */
  guint       depth;
  guint64     work; /* rules applied since the outermost inference began */
} memo;

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
  hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_TYPES, NULL, NULL,
                "inferring shapes takes more than %" G_GUINT64_FORMAT " steps, the limit", limit);
  return hyb_error_add_remedy (error, HYB_REMEDY_WORK, NULL);
}

void
hyb_infer_memo_end (void)
{
  if (--memo.depth == 0)
    g_clear_pointer (&memo.answers, g_hash_table_unref);
}

gconstpointer
hyb_infer_memo_find (GBytes *key)
{
  return memo.answers ? g_hash_table_lookup (memo.answers, key) : NULL;
}

void
hyb_infer_memo_store (GBytes *key, gpointer answer)
{
  g_return_if_fail (memo.depth > 0);

  if (!memo.answers)
    memo.answers =
        g_hash_table_new_full (g_bytes_hash, g_bytes_equal, (GDestroyNotify) g_bytes_unref, g_free);
  g_hash_table_insert (memo.answers, g_bytes_ref (key), answer);
}

gboolean
hyb_infer_memo_is_active (void)
{
  return memo.depth > 0;
}
