/* tfidf.c — TfIdfVectorizer: how often each sequence of a list occurs in rows of integers.
 *
 * Elements of a sequence may be up to max_skip_count others apart, all at the same distance.  Lists of strings are not
 * computed with.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/ops/direct.h"

#include <string.h>

/* A sequence of the list, or a part of a row. */
typedef struct
{
  const gint64 *first;
  gint64        distance; /* from one element to the next */
  guint         n;
} Sequence;

typedef struct
{
  const HybOnnxAttribute *pool, *counts, *places, *weights;
  gint64                  shortest, longest, max_skip;
  gint64                  width; /* of the result */
  gboolean                is_idf, has_weights;
  GHashTable             *table; /* Sequence → its number in the list, plus 1 */
} Vectorizer;

static guint
hash_sequence (gconstpointer key)
{
  const Sequence *sequence = key;
  guint           hash = sequence->n;

  for (guint i = 0; i < sequence->n; i++)
    hash = hash * 31 + g_int64_hash (&sequence->first[i * sequence->distance]);
  return hash;
}

static gboolean
equal_sequences (gconstpointer a, gconstpointer b)
{
  const Sequence *x = a, *y = b;

  if (x->n != y->n)
    return FALSE;
  for (guint i = 0; i < x->n; i++)
    if (x->first[i * x->distance] != y->first[i * y->distance])
      return FALSE;
  return TRUE;
}

/* The sequences of `n` elements begin at ngram_counts[n − 1]. */
static gboolean
fill_table (Vectorizer *vectorizer)
{
  guint number = 0;

  for (guint n = 1; n <= vectorizer->counts->n; n++)
    {
      gint64 begin = vectorizer->counts->ints[n - 1];
      gint64 end = n < vectorizer->counts->n ? vectorizer->counts->ints[n] : vectorizer->pool->n;

      if (begin < 0 || end > vectorizer->pool->n)
        return FALSE;
      for (gint64 at = begin; at + n <= end; at += n, number++)
        {
          Sequence *sequence;

          if (number >= vectorizer->places->n || vectorizer->places->ints[number] < 0)
            return FALSE;
          if (n < vectorizer->shortest || n > vectorizer->longest)
            continue;
          sequence = g_new (Sequence, 1);
          *sequence = (Sequence){ vectorizer->pool->ints + at, 1, n };
          g_hash_table_replace (vectorizer->table, sequence, GUINT_TO_POINTER (number + 1));
        }
    }
  return TRUE;
}

/* The weight of a sequence; 1 in mode TF. */
static float
find_weight (const Vectorizer *vectorizer, guint number)
{
  return vectorizer->has_weights && vectorizer->weights && number < vectorizer->weights->n
             ? (float) vectorizer->weights->floats[number]
             : 1;
}

/* Counts the sequences of one row, each with its weight; in mode IDF once.  Those of one element have no distance, and are
 * counted once. */
static void
count_row (const Vectorizer *vectorizer, const gint64 *row, gint64 size, float *counts)
{
  for (gint64 distance = 1; distance <= vectorizer->max_skip + 1; distance++)
    for (gint64 n = MAX (vectorizer->shortest, distance > 1 ? 2 : 1); n <= vectorizer->longest; n++)
      for (gint64 at = 0; at + (n - 1) * distance < size; at++)
        {
          Sequence sequence = { row + at, distance, (guint) n };
          guint    number = GPOINTER_TO_UINT (g_hash_table_lookup (vectorizer->table, &sequence));
          float   *count = number > 0 ? &counts[vectorizer->places->ints[number - 1]] : NULL;

          if (count)
            *count = (vectorizer->is_idf ? 0 : *count) + find_weight (vectorizer, number - 1);
        }
}

static gboolean
read_vectorizer (Vectorizer *vectorizer, const HybCall *call)
{
  *vectorizer = (Vectorizer){
    .pool = onnx_direct_attribute (call, "pool_int64s", HYB_ONNX_ATTRIBUTE_INTS),
    .counts = onnx_direct_attribute (call, "ngram_counts", HYB_ONNX_ATTRIBUTE_INTS),
    .places = onnx_direct_attribute (call, "ngram_indexes", HYB_ONNX_ATTRIBUTE_INTS),
    .weights = onnx_direct_attribute (call, "weights", HYB_ONNX_ATTRIBUTE_FLOATS),
    .shortest = onnx_direct_int (call, "min_gram_length", 1),
    .longest = onnx_direct_int (call, "max_gram_length", 1),
    .is_idf = onnx_direct_is (call, "mode", "IDF", ""),
    .has_weights = !onnx_direct_is (call, "mode", "TF", ""),
    .max_skip = CLAMP (onnx_direct_int (call, "max_skip_count", 0), 0, G_MAXINT16),
  };
  if (!vectorizer->pool || !vectorizer->counts || !vectorizer->places ||
      vectorizer->counts->n > G_MAXINT16)
    return FALSE;
  vectorizer->longest = MIN (vectorizer->longest, vectorizer->counts->n);
  for (guint i = 0; i < vectorizer->places->n; i++)
    vectorizer->width = MAX (vectorizer->width, vectorizer->places->ints[i] + 1);
  return vectorizer->width <= G_MAXINT32 - 1;
}

static gboolean
compute_rows (const Vectorizer *vectorizer, HybTensor *x, HybTensor **outputs, GError **error)
{
  const HybShape *shape = hyb_tensor_get_shape (x);
  gint64          n_rows = shape->rank == 2 ? shape->dim[0] : 1;
  gint64          size = shape->rank == 0 ? 1 : shape->dim[shape->rank - 1];
  HybType         type = { hyb_shape_1d (vectorizer->width), HYB_F32 };
  g_autoptr (HybTensor) rows = hyb_tensor_convert (x, HYB_I64);
  float *counts;

  if (shape->rank == 2)
    type.shape = hyb_shape_2d (n_rows, vectorizer->width);
  if (!rows)
    return onnx_direct_refuse (error, "memory is short for its input");
  outputs[0] = hyb_tensor_new_zeros (&type, error);
  if (!outputs[0])
    return FALSE;
  counts = hyb_tensor_get_data (outputs[0]);
  for (gint64 i = 0; i < n_rows; i++, counts += vectorizer->width)
    count_row (vectorizer, (const gint64 *) hyb_tensor_get_data (rows) + i * size, size, counts);
  return TRUE;
}

static gboolean
compute_tfidf (HybCall          *call,
               const HybRun     *run,
               HybTensor *const *inputs,
               HybTensor       **outputs,
               GError          **error)
{
  HybTensor *x = onnx_direct_input (call, inputs, 0);
  Vectorizer vectorizer;
  gboolean   is_done;

  if (!read_vectorizer (&vectorizer, call))
    return onnx_direct_refuse (error, "it has no list of integers, or one that is not complete");
  if (!x || hyb_tensor_get_shape (x)->rank > 2)
    return onnx_direct_refuse (error, "its input has more than 2 dimensions");
  vectorizer.table = g_hash_table_new_full (hash_sequence, equal_sequences, g_free, NULL);
  is_done = fill_table (&vectorizer)
                ? compute_rows (&vectorizer, x, outputs, error)
                : onnx_direct_refuse (error, "its list of sequences does not fit its counts");
  g_hash_table_unref (vectorizer.table);
  return is_done;
}

static void
lower_tfidf (HybLowering *lowering)
{
  HybType       type = *hyb_onnx_type (lowering, 0);
  guint         n;
  const gint64 *places;
  gint64        width = 0;

  type.dtype = HYB_F32;
  hyb_onnx_ints (lowering, "ngram_indexes", &n, &places);
  for (guint i = 0; i < n; i++)
    width = MAX (width, places[i] + 1);
  if (type.shape.rank == 2)
    type.shape.dim[1] = width;
  else if (type.shape.rank >= 0)
    type.shape = hyb_shape_1d (width);
  hyb_lowering_set_type (lowering, 0, &type);
}

static const char *const inputs[] = { "X", NULL };
static const char *const outputs[] = { "Y", NULL };

const HybOnnxOp hyb_onnx_ops_tfidf[] = {
  { .op = { HYB_ONNX_BODIES_ROW, .name = "TfIdfVectorizer",
            .doc = "How often each sequence of a list occurs.", .category = HYB_CATEGORY_REDUCTION,
            .inputs = inputs, .outputs = outputs, .lower = lower_tfidf, .compute = compute_tfidf },
    .since = 9 },
  { .since = 0 },
};
