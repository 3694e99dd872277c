/* test-bucket.c — vocabularies, encoded sentences and batches, compared with MXNet's rnn.io.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/rnn/bucket.h"

#include "tests/engine/goldens/golden.h"
#include "tests/program.h"

#include <string.h>

static cJSON *
read_text (const char *file)
{
  g_autofree char *path = golden_path ("text", file, NULL);
  g_autoptr (GError) error = NULL;
  cJSON *json;

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    {
      g_test_skip ("goldens/text is not here");
      return NULL;
    }
  json = golden_read_json (path, &error);
  g_assert_no_error (error);
  return json;
}

static gint64
number (const cJSON *object, const char *key, gint64 fallback)
{
  const cJSON *item = cJSON_GetObjectItemCaseSensitive (object, key);

  return item ? (gint64) item->valuedouble : fallback;
}

static const char *
text (const cJSON *object, const char *key, const char *fallback)
{
  const cJSON *item = cJSON_GetObjectItemCaseSensitive (object, key);

  return item ? item->valuestring : fallback;
}

/* --- encode_sentences --- */

static GPtrArray *
read_words (const cJSON *sentences)
{
  GPtrArray   *all = g_ptr_array_new_with_free_func ((GDestroyNotify) g_strfreev);
  const cJSON *sentence, *word;

  cJSON_ArrayForEach (sentence, sentences)
  {
    GPtrArray *words = g_ptr_array_new ();

    cJSON_ArrayForEach (word, sentence) g_ptr_array_add (words, g_strdup (word->valuestring));
    g_ptr_array_add (words, NULL);
    g_ptr_array_add (all, g_ptr_array_free (words, FALSE));
  }
  return all;
}

static HybVocabulary *
read_vocabulary (const cJSON *object)
{
  HybVocabulary *vocabulary = object ? hyb_vocabulary_new () : NULL;
  const cJSON   *word;

  cJSON_ArrayForEach (word, object)
      hyb_vocabulary_set (vocabulary, word->string, (gint64) word->valuedouble);
  return vocabulary;
}

static void
check_codes (GPtrArray *got, const cJSON *want)
{
  const cJSON *sentence, *id;
  guint        i = 0;

  g_assert_cmpuint (got->len, ==, (guint) cJSON_GetArraySize (want));
  cJSON_ArrayForEach (sentence, want)
  {
    GArray *codes = g_ptr_array_index (got, i++);
    guint   k = 0;

    g_assert_cmpuint (codes->len, ==, (guint) cJSON_GetArraySize (sentence));
    cJSON_ArrayForEach (id, sentence)
        g_assert_cmpint (g_array_index (codes, gint64, k++), ==, (gint64) id->valuedouble);
  }
}

static void
check_vocabulary (HybVocabulary *got, const cJSON *want)
{
  const cJSON *word;
  guint        i = 0;

  g_assert_cmpuint (hyb_vocabulary_n (got), ==, (guint) cJSON_GetArraySize (want));
  cJSON_ArrayForEach (word, want)
  {
    gint64 id;

    g_assert_cmpstr (hyb_vocabulary_get_word (got, i++, &id), ==, word->string);
    g_assert_cmpint (id, ==, (gint64) word->valuedouble);
  }
}

static void
check_encoding (const cJSON *item)
{
  const cJSON *arguments = cJSON_GetObjectItemCaseSensitive (item, "arguments");
  const cJSON *wanted_error = cJSON_GetObjectItemCaseSensitive (item, "error");
  HybEncoding  encoding = { .invalid_label = number (arguments, "invalid_label", -1),
                            .invalid_key = text (arguments, "invalid_key", NULL),
                            .start_label = number (arguments, "start_label", 0),
                            .unknown_token = text (arguments, "unknown_token", NULL) };
  g_autoptr (GPtrArray) words = read_words (cJSON_GetObjectItemCaseSensitive (item, "sentences"));
  g_autoptr (HybVocabulary) vocabulary =
      read_vocabulary (cJSON_GetObjectItemCaseSensitive (arguments, "vocab"));
  g_autoptr (GPtrArray) codes = NULL;
  g_autoptr (GError) error = NULL;

  g_test_message ("%s", text (item, "note", ""));
  codes = hyb_encode_sentences (words, &vocabulary, &encoding, &error);
  if (wanted_error)
    {
      /* "AssertionError: Unknown token mat": the same word is named. */
      g_assert_null (codes);
      g_assert_nonnull (strstr (error->message, strrchr (wanted_error->valuestring, ' ') + 1));
      g_assert_nonnull (strstr (error->message, "unknown_token"));
      return;
    }
  g_assert_no_error (error);
  check_codes (codes, cJSON_GetObjectItemCaseSensitive (item, "result"));
  check_vocabulary (vocabulary, cJSON_GetObjectItemCaseSensitive (item, "vocab"));
}

static void
test_sentences_are_encoded_as_by_mxnet (void)
{
  g_autoptr (cJSON) json = read_text ("encode_sentences.json");
  const cJSON *item;

  cJSON_ArrayForEach (item, json) check_encoding (item);
}

/* --- BucketSentenceIter --- */

static GPtrArray *
read_numbers (const cJSON *sentences)
{
  GPtrArray   *all = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  const cJSON *sentence, *id;

  cJSON_ArrayForEach (sentence, sentences)
  {
    GArray *numbers = g_array_new (FALSE, FALSE, sizeof (gint64));

    cJSON_ArrayForEach (id, sentence)
    {
      gint64 value = (gint64) id->valuedouble;

      g_array_append_val (numbers, value);
    }
    g_ptr_array_add (all, numbers);
  }
  return all;
}

static void
check_array (HybTensor *got, const cJSON *rows)
{
  const cJSON *row, *value;
  gint64       i = 0;

  cJSON_ArrayForEach (row, rows) cJSON_ArrayForEach (value, row)
      g_assert_cmpfloat (hyb_tensor_get_value (got, i++), ==, value->valuedouble);
  g_assert_cmpint (hyb_tensor_get_size (got), ==, i);
  g_assert_cmpint (hyb_tensor_get_shape (got)->dim[0], ==, cJSON_GetArraySize (rows));
}

static void
check_described (HybBucketIterator *iterator, const cJSON *item)
{
  const cJSON     *data = cJSON_GetArrayItem (cJSON_GetObjectItem (item, "provide_data"), 0);
  const cJSON     *shape = cJSON_GetArrayItem (data, 1), *length;
  g_autofree char *said =
      g_strdup_printf ("discarded %u sentences", hyb_bucket_iterator_n_discarded (iterator));
  HybType      type;
  guint        n, i = 0;
  const guint *buckets = hyb_bucket_iterator_get_buckets (iterator, &n);

  cJSON_ArrayForEach (length, cJSON_GetObjectItem (item, "buckets"))
      g_assert_cmpuint (buckets[i++], ==, (guint) length->valueint);
  g_assert_cmpuint (n, ==, i);
  g_assert_cmpint (hyb_bucket_iterator_get_default_key (iterator), ==,
                   number (item, "default_bucket_key", 0));
  g_assert_nonnull (strstr (text (item, "printed", ""), said));
  hyb_bucket_iterator_get_type (iterator, &type);
  g_assert_cmpint (type.shape.dim[0], ==, cJSON_GetArrayItem (shape, 0)->valueint);
  g_assert_cmpint (type.shape.dim[1], ==, cJSON_GetArrayItem (shape, 1)->valueint);
}

static void
check_batches (const cJSON *item)
{
  const cJSON     *arguments = cJSON_GetObjectItemCaseSensitive (item, "arguments");
  const cJSON     *lengths = cJSON_GetObjectItemCaseSensitive (arguments, "buckets"), *want;
  guint            buckets[16], n = (guint) cJSON_GetArraySize (lengths);
  HybBucketOptions options = { .batch_size = (guint) number (arguments, "batch_size", 0),
                               .buckets = buckets,
                               .n_buckets = n,
                               .invalid_label = number (arguments, "invalid_label", -1),
                               .dtype = hyb_dtype_from_name (text (arguments, "dtype", "float32")),
                               .time_major = strcmp (text (arguments, "layout", "NT"), "TN") == 0 };
  g_autoptr (GPtrArray) sentences =
      read_numbers (cJSON_GetObjectItemCaseSensitive (item, "sentences"));
  g_autoptr (HybBucketIterator) iterator = NULL;
  g_autoptr (GError) error = NULL;
  HybBucketBatch batch;

  g_test_message ("%s", text (item, "note", ""));
  for (guint i = 0; i < n; i++)
    buckets[i] = (guint) cJSON_GetArrayItem (lengths, (int) i)->valueint;
  iterator = hyb_bucket_iterator_new (sentences, &options, &error);
  g_assert_no_error (error);
  check_described (iterator, item);
  cJSON_ArrayForEach (want, cJSON_GetObjectItem (item, "batches"))
  {
    g_assert_true (hyb_bucket_iterator_next (iterator, &batch));
    g_assert_cmpint (batch.key, ==, number (want, "bucket_key", 0));
    check_array (batch.data, cJSON_GetObjectItem (want, "data"));
    check_array (batch.label, cJSON_GetObjectItem (want, "label"));
  }
  g_assert_false (hyb_bucket_iterator_next (iterator, &batch));
}

static void
test_batches_are_those_of_mxnet (void)
{
  g_autoptr (cJSON) json = read_text ("bucket_sentence_iter.json");
  const cJSON *item;

  cJSON_ArrayForEach (item, json) check_batches (item);
}

/* --- What goldens cannot fix --- */

static GPtrArray *
counted (guint n, guint length)
{
  GPtrArray *all = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);

  for (guint i = 0; i < n; i++)
    {
      GArray *sentence = g_array_new (FALSE, FALSE, sizeof (gint64));
      gint64  id = i + 1;

      for (guint t = 0; t < length; t++)
        g_array_append_val (sentence, id);
      g_ptr_array_add (all, sentence);
    }
  return all;
}

static gint64
first_of_pass (HybBucketIterator *iterator, guint *n_batches, gint64 *sum)
{
  HybBucketBatch batch;
  gint64         first = -1;

  *n_batches = 0;
  *sum = 0;
  while (hyb_bucket_iterator_next (iterator, &batch))
    {
      if (first < 0)
        first = (gint64) hyb_tensor_get_value (batch.data, 0);
      (*n_batches)++;
      for (gint64 i = 0; i < hyb_tensor_get_size (batch.data); i += 3)
        *sum += (gint64) hyb_tensor_get_value (batch.data, i);
    }
  return first;
}

static void
test_shuffling_keeps_every_sentence_and_repeats_by_seed (void)
{
  g_autoptr (GPtrArray) sentences = counted (40, 3);
  HybBucketOptions options = { .batch_size = 4, .shuffle = TRUE, .seed = 7 };
  g_autoptr (HybBucketIterator) a = hyb_bucket_iterator_new (sentences, &options, NULL);
  g_autoptr (HybBucketIterator) b = hyb_bucket_iterator_new (sentences, &options, NULL);
  guint  n;
  gint64 sum;

  for (guint pass = 0; pass < 3; pass++)
    {
      gint64 first = first_of_pass (a, &n, &sum);

      g_assert_cmpuint (n, ==, 10);
      g_assert_cmpint (sum, ==, 40 * 41 / 2);
      g_assert_cmpint (first, ==, first_of_pass (b, &n, &sum));
      hyb_bucket_iterator_reset (a);
      hyb_bucket_iterator_reset (b);
    }
}

/* A sentence goes to the shortest bucket that holds it, also if lengths are given in another order. */
static void
test_buckets_may_be_given_in_any_order (void)
{
  g_autoptr (GPtrArray) sentences = counted (4, 3);
  const guint      lengths[] = { 9, 4, 6 };
  HybBucketOptions options = { .batch_size = 4, .buckets = lengths, .n_buckets = 3 };
  g_autoptr (HybBucketIterator) iterator = hyb_bucket_iterator_new (sentences, &options, NULL);
  HybBucketBatch batch;

  g_assert_true (hyb_bucket_iterator_next (iterator, &batch));
  g_assert_cmpuint (batch.key, ==, 4);
  g_assert_false (hyb_bucket_iterator_next (iterator, &batch));
}

static void
test_no_fitting_bucket_is_said (void)
{
  g_autoptr (GPtrArray) sentences = counted (3, 5);
  guint            bucket = 2;
  HybBucketOptions options = { .batch_size = 1, .buckets = &bucket, .n_buckets = 1 };
  g_autoptr (GError) error = NULL;

  g_assert_null (hyb_bucket_iterator_new (sentences, &options, &error));
  g_assert_nonnull (strstr (error->message, "longer buckets"));
  g_clear_error (&error);
  options.batch_size = 0;
  g_assert_null (hyb_bucket_iterator_new (sentences, &options, &error));
  g_assert_nonnull (strstr (error->message, "at least 1"));
}

TEST_PROGRAM (test_bucket)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/rnn/bucket/sentences-are-encoded-as-by-mxnet",
                   test_sentences_are_encoded_as_by_mxnet);
  g_test_add_func ("/engine/rnn/bucket/batches-are-those-of-mxnet",
                   test_batches_are_those_of_mxnet);
  g_test_add_func ("/engine/rnn/bucket/shuffling-keeps-every-sentence-and-repeats-by-seed",
                   test_shuffling_keeps_every_sentence_and_repeats_by_seed);
  g_test_add_func ("/engine/rnn/bucket/buckets-may-be-given-in-any-order",
                   test_buckets_may_be_given_in_any_order);
  g_test_add_func ("/engine/rnn/bucket/no-fitting-bucket-is-said", test_no_fitting_bucket_is_said);
  return g_test_run ();
}
