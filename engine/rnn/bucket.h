/* bucket.h — mx.rnn's encode_sentences and BucketSentenceIter: sentences as ids of words, and batches of sentences of
 * similar length.
 *
 * Start at hyb_encode_sentences() and hyb_bucket_iterator_new().
 * Threads: one thread at a time uses an iterator.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/api.h"
#include "engine/tensor/tensor.h"

G_BEGIN_DECLS

/* --- Words --- */

/* Words and their ids, in the order in which they were added. */
typedef struct _HybVocabulary HybVocabulary;

/* An empty vocabulary.  (transfer full) */
HYB_API HybVocabulary *hyb_vocabulary_new (void);
/* NULL is allowed. */
HYB_API void hyb_vocabulary_free (HybVocabulary *vocabulary);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybVocabulary, hyb_vocabulary_free)
/* Adds a word, or gives an existing word another id. */
HYB_API void hyb_vocabulary_set (HybVocabulary *vocabulary, const char *word, gint64 id);
/* FALSE if the vocabulary does not have the word. */
HYB_API gboolean hyb_vocabulary_find (HybVocabulary *vocabulary, const char *word, gint64 *id);
/* The number of words. */
HYB_API guint hyb_vocabulary_n (HybVocabulary *vocabulary);
/* A word and its id, counted in the order in which words were added. */
HYB_API const char *hyb_vocabulary_get_word (HybVocabulary *vocabulary, guint index, gint64 *id);
/* How hyb_encode_sentences() numbers words. */
typedef struct
{
  gint64      invalid_label; /* id of padding; MXNet's examples use -1 or 0 */
  const char *invalid_key;   /* word that has this id; NULL: "\n" */
  gint64      start_label;   /* first id that is assigned */
  const char *unknown_token; /* stands for words that are not in the vocabulary; NULL: such a word
                              * is an error */
} HybEncoding;

/* Replaces words by ids.  sentences: of NULL-terminated char **.  If *vocabulary is NULL it is set
 * to a new one with all words of the text; otherwise it is only searched.  Returns GArrays of
 * gint64, one for each sentence.  (transfer full)
 *
 * With unknown_token, MXNet assigns a new id to the token at every occurrence, and that id may
 * equal one of another word.  This function does the same, so that the results match MXNet's. */
HYB_API GPtrArray *hyb_encode_sentences (GPtrArray         *sentences,
                                         HybVocabulary    **vocabulary,
                                         const HybEncoding *encoding,
                                         GError           **error);

/* --- Batches --- */
/* Gives batches of sentences of similar length. */
typedef struct _HybBucketIterator HybBucketIterator;
/* Options of hyb_bucket_iterator_new(). */
typedef struct
{
  guint        batch_size;
  const guint *buckets;       /* lengths, in any order */
  guint        n_buckets;     /* 0: one for every length of which there are batch_size sentences */
  gint64       invalid_label; /* id of padding */
  HybDType     dtype;
  gboolean     time_major; /* layout TN instead of NT */
  gboolean     shuffle;    /* batches, and sentences in each bucket, at every reset */
  guint64      seed;
} HybBucketOptions;
/* A batch of one bucket. */
typedef struct
{
  guint      key;   /* length of the bucket */
  HybTensor *data;  /* owned by the iterator, valid until the next call */
  HybTensor *label; /* data shifted by one step; likewise */
} HybBucketBatch;

/* Distributes sentences (of GArray of gint64) to buckets: each goes to the shortest bucket that
 * is long enough, and is padded.  Fails if no sentence fits a bucket.  (transfer full) */
HYB_API HybBucketIterator *
hyb_bucket_iterator_new (GPtrArray *sentences, const HybBucketOptions *options, GError **error);
/* NULL is allowed. */
HYB_API void hyb_bucket_iterator_free (HybBucketIterator *iterator);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybBucketIterator, hyb_bucket_iterator_free)
/* Lengths of the buckets that are not empty, shortest first; owned by the iterator. */
HYB_API const guint *hyb_bucket_iterator_get_buckets (HybBucketIterator *iterator, guint *n);
/* The length of the longest bucket. */
HYB_API guint hyb_bucket_iterator_get_default_key (HybBucketIterator *iterator);
/* How many sentences were longer than all buckets. */
HYB_API guint hyb_bucket_iterator_n_discarded (HybBucketIterator *iterator);
/* The type of a batch of the longest bucket. */
HYB_API void hyb_bucket_iterator_get_type (HybBucketIterator *iterator, HybType *type);
/* The next batch; FALSE at the end of a pass. */
HYB_API gboolean hyb_bucket_iterator_next (HybBucketIterator *iterator, HybBucketBatch *batch);
/* Begins another pass. */
HYB_API void hyb_bucket_iterator_reset (HybBucketIterator *iterator);

G_END_DECLS
