/* corpus.h — a text as a sequence of tokens, one for each character.
 *
 * Token 0 is the most frequent character.  The last tenth of the tokens is held out for evaluation.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

typedef struct _HybCorpus HybCorpus;

/* Reads `size` bytes of UTF-8; invalid bytes count as characters with their value.  There are at
 * most n_classes different tokens (0: no limit): the rarest characters share the last one. */
HybCorpus *hyb_corpus_new (const char *text, gsize size, guint n_classes);
void       hyb_corpus_free (HybCorpus *corpus); /* accepts NULL */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybCorpus, hyb_corpus_free)

/* Returns all tokens of the text and their number.  (transfer none) */
const guint32 *hyb_corpus_get_tokens (const HybCorpus *corpus, gsize *n);
gsize          hyb_corpus_n_train (const HybCorpus *corpus);   /* the first tokens, for training */
guint          hyb_corpus_n_classes (const HybCorpus *corpus); /* different tokens */
/* Appends the character of a token to text; U+FFFD for the token that rare characters share. */
void hyb_corpus_append (const HybCorpus *corpus, guint32 token, GString *text);
/* Returns the perplexity of the held-out tokens for a model that predicts each token by its frequency among the training
 * tokens; NaN if nothing is held out. */
double hyb_corpus_unigram_perplexity (const HybCorpus *corpus);
