/* bucket.c — vocabularies, sentences as ids, and batches of sentences of similar length.
 *
 * The iterator keeps every bucket as one padded matrix of ids, and a list of the batches of a
 * pass, which reset() shuffles.  Start at hyb_bucket_iterator_new() and hyb_bucket_iterator_next().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/rnn/bucket.h"

#include "engine/base/error.h"
#include "engine/base/random.h"

#include <stdlib.h>
#include <string.h>

/* --- Words --- */

struct _HybVocabulary
{
  GHashTable *places; /* word → index in words and ids */
  GPtrArray  *words;  /* of char * */
  GArray     *ids;    /* of gint64 */
};

HybVocabulary *
hyb_vocabulary_new (void)
{
  HybVocabulary *vocabulary = g_new0 (HybVocabulary, 1);

  vocabulary->words = g_ptr_array_new_with_free_func (g_free);
  vocabulary->ids = g_array_new (FALSE, FALSE, sizeof (gint64));
  vocabulary->places = g_hash_table_new (g_str_hash, g_str_equal);
  return vocabulary;
}

void
hyb_vocabulary_free (HybVocabulary *vocabulary)
{
  if (!vocabulary)
    return;
  g_hash_table_unref (vocabulary->places);
  g_ptr_array_unref (vocabulary->words);
  g_array_unref (vocabulary->ids);
  g_free (vocabulary);
}

void
hyb_vocabulary_set (HybVocabulary *vocabulary, const char *word, gint64 id)
{
  gpointer place;
  char    *copy;

  g_return_if_fail (vocabulary && word);
  if (g_hash_table_lookup_extended (vocabulary->places, word, NULL, &place))
    {
      g_array_index (vocabulary->ids, gint64, GPOINTER_TO_UINT (place)) = id;
      return;
    }
  copy = g_strdup (word);
  g_hash_table_insert (vocabulary->places, copy, GUINT_TO_POINTER (vocabulary->words->len));
  g_ptr_array_add (vocabulary->words, copy);
  g_array_append_val (vocabulary->ids, id);
}

gboolean
hyb_vocabulary_find (HybVocabulary *vocabulary, const char *word, gint64 *id)
{
  gpointer place;

  g_return_val_if_fail (vocabulary && word, FALSE);
  if (!g_hash_table_lookup_extended (vocabulary->places, word, NULL, &place))
    return FALSE;
  *id = g_array_index (vocabulary->ids, gint64, GPOINTER_TO_UINT (place));
  return TRUE;
}

guint
hyb_vocabulary_n (HybVocabulary *vocabulary)
{
  g_return_val_if_fail (vocabulary, 0);
  return vocabulary->words->len;
}

const char *
hyb_vocabulary_get_word (HybVocabulary *vocabulary, guint index, gint64 *id)
{
  g_return_val_if_fail (vocabulary && id && index < vocabulary->words->len, NULL);
  *id = g_array_index (vocabulary->ids, gint64, index);
  return g_ptr_array_index (vocabulary->words, index);
}

typedef struct
{
  const HybEncoding *encoding;
  HybVocabulary     *vocabulary;
  gboolean           may_grow;
  gint64             next; /* id to be assigned next */
} Encoder;

static gboolean
encode_word (Encoder *encoder, const char *word, gint64 *id, GError **error)
{
  const char *token = encoder->encoding->unknown_token;

  if (hyb_vocabulary_find (encoder->vocabulary, word, id))
    return TRUE;
  if (!encoder->may_grow && !token)
    return hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MISMATCH, NULL,
                         "Set unknown_token, or encode with the vocabulary of this text",
                         "unknown token %s: the vocabulary of %u words does not have it", word,
                         hyb_vocabulary_n (encoder->vocabulary));

  if (encoder->next == encoder->encoding->invalid_label)
    encoder->next++;
  *id = encoder->next++;
  hyb_vocabulary_set (encoder->vocabulary, token ? token : word, *id);
  return TRUE;
}

GPtrArray *
hyb_encode_sentences (GPtrArray         *sentences,
                      HybVocabulary    **vocabulary,
                      const HybEncoding *encoding,
                      GError           **error)
{
  g_return_val_if_fail (sentences && vocabulary && encoding, NULL);

  g_autoptr (GPtrArray) result = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  g_autoptr (HybVocabulary) fresh = NULL;
  Encoder encoder = { encoding, *vocabulary, !*vocabulary, encoding->start_label };

  if (!*vocabulary)
    {
      encoder.vocabulary = fresh = hyb_vocabulary_new ();
      hyb_vocabulary_set (fresh, encoding->invalid_key ? encoding->invalid_key : "\n",
                          encoding->invalid_label);
    }
  for (guint i = 0; i < sentences->len; i++)
    {
      char  **words = g_ptr_array_index (sentences, i);
      GArray *coded = g_array_new (FALSE, FALSE, sizeof (gint64));

      g_ptr_array_add (result, coded);
      for (guint k = 0; words[k] != NULL; k++)
        {
          gint64 id;

          if (!encode_word (&encoder, words[k], &id, error))
            return NULL;
          g_array_append_val (coded, id);
        }
    }
  if (fresh)
    *vocabulary = g_steal_pointer (&fresh);
  return g_steal_pointer (&result);
}

/* --- Batches --- */

typedef struct
{
  guint   length;
  GArray *rows;  /* of gint64: padded sentences, `length` ids each */
  GArray *order; /* of guint: numbers of the sentences in the order of this pass */
} Bucket;

/* A batch of a pass: sentences order[first] to order[first + batch_size − 1] of a bucket. */
typedef struct
{
  guint bucket, first;
} BatchPlace;

struct _HybBucketIterator
{
  HybBucketOptions options;
  GArray          *buckets; /* of Bucket */
  GArray          *lengths; /* of guint, by bucket */
  GArray          *places;  /* of BatchPlace: the batches of a pass */
  guint            at;      /* the next batch */
  guint            pass;
  guint            n_discarded; /* sentences that are too long */
  HybTensor       *data, *label;
};

static void
bucket_clear (gpointer data)
{
  Bucket *bucket = data;

  g_array_unref (bucket->rows);
  g_array_unref (bucket->order);
}

static int
compare_lengths (gconstpointer a, gconstpointer b)
{
  guint x = *(const guint *) a, y = *(const guint *) b;

  return (x > y) - (x < y);
}

static guint
length_of (GPtrArray *sentences, guint index)
{
  return ((GArray *) g_ptr_array_index (sentences, index))->len;
}

/* The lengths that the options give, or those of which there are enough sentences for a batch; of
 * guint, sorted. */
static GArray *
choose_lengths (GPtrArray *sentences, const HybBucketOptions *options)
{
  GArray *lengths = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GArray) counts = g_array_new (FALSE, TRUE, sizeof (guint));

  g_array_append_vals (lengths, options->buckets, options->n_buckets);
  for (guint i = 0; options->n_buckets == 0 && i < sentences->len; i++)
    {
      guint length = length_of (sentences, i);

      if (length >= counts->len)
        g_array_set_size (counts, length + 1);
      g_array_index (counts, guint, length)++;
    }
  for (guint length = 1; length < counts->len; length++)
    if (g_array_index (counts, guint, length) >= options->batch_size)
      g_array_append_val (lengths, length);
  g_array_sort (lengths, compare_lengths);
  return lengths;
}

static void
add_sentence (Bucket *bucket, const GArray *sentence, gint64 padding)
{
  guint number = bucket->order->len;

  g_array_append_val (bucket->order, number);
  g_array_append_vals (bucket->rows, sentence->data, sentence->len);
  for (guint i = sentence->len; i < bucket->length; i++)
    g_array_append_val (bucket->rows, padding);
}

/* Puts every sentence into the shortest bucket that is long enough. */
static void
distribute (HybBucketIterator *iterator, GPtrArray *sentences, const GArray *lengths)
{
  for (guint i = 0; i < lengths->len; i++)
    {
      Bucket bucket = { .length = g_array_index (lengths, guint, i),
                        .rows = g_array_new (FALSE, FALSE, sizeof (gint64)),
                        .order = g_array_new (FALSE, FALSE, sizeof (guint)) };

      g_array_append_val (iterator->buckets, bucket);
    }
  for (guint i = 0; i < sentences->len; i++)
    {
      guint k = 0;

      while (k < lengths->len && g_array_index (lengths, guint, k) < length_of (sentences, i))
        k++;
      if (k == lengths->len)
        iterator->n_discarded++;
      else
        add_sentence (&g_array_index (iterator->buckets, Bucket, k),
                      g_ptr_array_index (sentences, i), iterator->options.invalid_label);
    }
  /* Remove empty buckets. */
  for (guint i = iterator->buckets->len; i-- > 0;)
    if (g_array_index (iterator->buckets, Bucket, i).order->len == 0)
      g_array_remove_index (iterator->buckets, i);
}

static void
list_places (HybBucketIterator *iterator)
{
  guint size = iterator->options.batch_size;

  for (guint i = 0; i < iterator->buckets->len; i++)
    {
      const Bucket *bucket = &g_array_index (iterator->buckets, Bucket, i);

      g_array_append_val (iterator->lengths, bucket->length);
      for (guint first = 0; first + size <= bucket->order->len; first += size)
        {
          BatchPlace place = { i, first };

          g_array_append_val (iterator->places, place);
        }
    }
}

static gboolean
check_options (const HybBucketOptions *options, GError **error)
{
  if (options->batch_size == 0)
    return hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MISMATCH, NULL,
                         "Give at least 1", "a batch cannot have 0 sentences");
  for (guint i = 0; i < options->n_buckets; i++)
    if (options->buckets[i] == 0 || options->buckets[i] > G_MAXUINT16)
      return hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MISMATCH, NULL,
                           "Give lengths of 1 to 65535", "a bucket cannot have length %u",
                           options->buckets[i]);
  return TRUE;
}

HybBucketIterator *
hyb_bucket_iterator_new (GPtrArray *sentences, const HybBucketOptions *given, GError **error)
{
  const HybBucketOptions *options = given ? given : &(const HybBucketOptions){ 0 };
  g_autoptr (HybBucketIterator) iterator = NULL;
  g_autoptr (GArray) lengths = NULL;

  if (!check_options (options, error))
    return NULL;
  iterator = g_new0 (HybBucketIterator, 1);
  iterator->options = *options;
  iterator->options.buckets = NULL;
  iterator->buckets = g_array_new (FALSE, FALSE, sizeof (Bucket));
  g_array_set_clear_func (iterator->buckets, bucket_clear);
  iterator->lengths = g_array_new (FALSE, FALSE, sizeof (guint));
  iterator->places = g_array_new (FALSE, FALSE, sizeof (BatchPlace));
  lengths = choose_lengths (sentences, options);
  distribute (iterator, sentences, lengths);
  if (iterator->buckets->len == 0)
    {
      hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MISMATCH, NULL,
                    "Give longer buckets, or a smaller batch", "none of %u sentences fits a bucket",
                    sentences->len);
      return NULL;
    }
  list_places (iterator);
  hyb_bucket_iterator_reset (iterator);
  return g_steal_pointer (&iterator);
}

void
hyb_bucket_iterator_free (HybBucketIterator *iterator)
{
  if (!iterator)
    return;
  g_array_unref (iterator->buckets);
  g_array_unref (iterator->lengths);
  g_array_unref (iterator->places);
  hyb_tensor_unref (iterator->data);
  hyb_tensor_unref (iterator->label);
  g_free (iterator);
}

const guint *
hyb_bucket_iterator_get_buckets (HybBucketIterator *iterator, guint *n)
{
  g_return_val_if_fail (iterator, NULL);
  *n = iterator->lengths->len;
  return (gconstpointer) iterator->lengths->data;
}

guint
hyb_bucket_iterator_get_default_key (HybBucketIterator *iterator)
{
  g_return_val_if_fail (iterator, 0);
  return g_array_index (iterator->lengths, guint, iterator->lengths->len - 1);
}

guint
hyb_bucket_iterator_n_discarded (HybBucketIterator *iterator)
{
  g_return_val_if_fail (iterator, 0);
  return iterator->n_discarded;
}

static HybType
batch_type (HybBucketIterator *iterator, guint length)
{
  guint size = iterator->options.batch_size;

  return (HybType){ iterator->options.time_major ? hyb_shape_2d (length, size)
                                                 : hyb_shape_2d (size, length),
                    iterator->options.dtype };
}

void
hyb_bucket_iterator_get_type (HybBucketIterator *iterator, HybType *type)
{
  g_return_if_fail (iterator);
  *type = batch_type (iterator, hyb_bucket_iterator_get_default_key (iterator));
}

/* Fisher-Yates shuffle; elements may be no larger than a BatchPlace. */
static void
shuffle (GArray *array, guint64 seed)
{
  guint size = g_array_get_element_size (array);
  char  spare[sizeof (BatchPlace)];

  for (guint i = array->len; i > 1; i--)
    {
      guint k = (guint) (hyb_random_uniform (seed, i) * i);
      char *a = array->data + (gsize) (i - 1) * size, *b = array->data + (gsize) k * size;

      memcpy (spare, a, size);
      memmove (a, b, size);
      memcpy (b, spare, size);
    }
}

void
hyb_bucket_iterator_reset (HybBucketIterator *iterator)
{
  g_return_if_fail (iterator);

  guint64 seed = hyb_random_mix (iterator->options.seed, iterator->pass++);

  iterator->at = 0;
  if (!iterator->options.shuffle)
    return;
  shuffle (iterator->places, seed);
  for (guint i = 0; i < iterator->buckets->len; i++)
    shuffle (g_array_index (iterator->buckets, Bucket, i).order, hyb_random_mix (seed, i + 1));
}

/* The ids of a batch, shifted by `shift` steps and padded at the end.  (transfer full) */
static HybTensor *
make_batch (HybBucketIterator *iterator, const BatchPlace *place, guint shift)
{
  const Bucket *bucket = &g_array_index (iterator->buckets, Bucket, place->bucket);
  HybType       type = batch_type (iterator, bucket->length);
  HybTensor    *tensor = hyb_tensor_new (&type, NULL);
  guint         size = iterator->options.batch_size;

  for (guint i = 0; tensor && i < size; i++)
    for (guint t = 0; t < bucket->length; t++)
      {
        guint  row = g_array_index (bucket->order, guint, place->first + i);
        gint64 id = t + shift < bucket->length
                        ? g_array_index (bucket->rows, gint64, row * bucket->length + t + shift)
                        : iterator->options.invalid_label;
        gsize  to =
            iterator->options.time_major ? (gsize) t * size + i : (gsize) i * bucket->length + t;

        hyb_dtype_set_double (hyb_tensor_get_data (tensor), type.dtype, to, (double) id);
      }
  return tensor;
}

gboolean
hyb_bucket_iterator_next (HybBucketIterator *iterator, HybBucketBatch *batch)
{
  const BatchPlace *place;

  g_return_val_if_fail (iterator, FALSE);
  if (iterator->at >= iterator->places->len)
    return FALSE;
  place = &g_array_index (iterator->places, BatchPlace, iterator->at++);
  g_clear_pointer (&iterator->data, hyb_tensor_unref);
  g_clear_pointer (&iterator->label, hyb_tensor_unref);
  iterator->data = make_batch (iterator, place, 0);
  iterator->label = make_batch (iterator, place, 1);
  *batch = (HybBucketBatch){ g_array_index (iterator->lengths, guint, place->bucket),
                             iterator->data, iterator->label };
  return batch->data && batch->label;
}
