/* bucket.h — sentences as numbers, and batches of sentences of about the same length:
 * mx.rnn's encode_sentences and BucketSentenceIter.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/tensor/tensor.h"

G_BEGIN_DECLS

/* --- Words --- */

/* Words and their ids, in the order in which they came. */
typedef struct _HybVocabulary HybVocabulary;

HybVocabulary *hyb_vocabulary_new (void);
void           hyb_vocabulary_free (HybVocabulary *vocabulary);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybVocabulary, hyb_vocabulary_free)
void        hyb_vocabulary_set (HybVocabulary *vocabulary, const char *word, gint64 id);
gboolean    hyb_vocabulary_find (HybVocabulary *vocabulary, const char *word, gint64 *id);
guint       hyb_vocabulary_n (HybVocabulary *vocabulary);
const char *hyb_vocabulary_get_word (HybVocabulary *vocabulary, guint index, gint64 *id);

typedef struct
{
  gint64      invalid_label; /* of padding; MXNet's examples take -1 or 0 */
  const char *invalid_key;   /* its word; NULL: "\n" */
  gint64      start_label;   /* the first id given out */
  const char *unknown_token; /* what a word is taken for that is not there; NULL: an error */
} HybEncoding;

/* sentences: of char **, NULL-terminated.  *vocabulary NULL: a new one, which grows; else
 * it is used as it is.  Gives a list of GArray of gint64; (transfer full).
 *
 * With unknown_token MXNet renews the token's id at every occurrence, which then may
 * meet other ids; the same happens here, so that files match. */
GPtrArray *hyb_encode_sentences (GPtrArray         *sentences,
                                 HybVocabulary    **vocabulary,
                                 const HybEncoding *encoding,
                                 GError           **error);

/* --- Batches --- */

typedef struct _HybBucketIterator HybBucketIterator;

typedef struct
{
  guint        batch_size;
  const guint *buckets;   /* lengths, in any order */
  guint        n_buckets; /* 0: every length that fills a batch */
  gint64       invalid_label;
  HybDType     dtype;      /* HYB_F32 is 0 */
  gboolean     time_major; /* layout TN instead of NT */
  gboolean     shuffle;    /* batches, and sentences within their bucket, at every reset */
  guint64      seed;
} HybBucketOptions;

typedef struct
{
  guint      key;   /* length of the bucket */
  HybTensor *data;  /* lent until the next call */
  HybTensor *label; /* data one step on */
} HybBucketBatch;

/* sentences: of GArray of gint64. */
HybBucketIterator *
hyb_bucket_iterator_new (GPtrArray *sentences, const HybBucketOptions *options, GError **error);
void hyb_bucket_iterator_free (HybBucketIterator *iterator);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybBucketIterator, hyb_bucket_iterator_free)
/* Buckets that got a sentence, shortest first. */
const guint *hyb_bucket_iterator_get_buckets (HybBucketIterator *iterator, guint *n);
guint        hyb_bucket_iterator_get_default_key (HybBucketIterator *iterator); /* the longest */
guint        hyb_bucket_iterator_n_discarded (HybBucketIterator *iterator); /* too long for all */
/* Of a batch of the default bucket. */
void hyb_bucket_iterator_get_type (HybBucketIterator *iterator, HybType *type);
/* FALSE: the pass is over. */
gboolean hyb_bucket_iterator_next (HybBucketIterator *iterator, HybBucketBatch *batch);
void     hyb_bucket_iterator_reset (HybBucketIterator *iterator);

G_END_DECLS
