/* corpus.h — a text as a sequence of tokens, one a character.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _HybCorpus HybCorpus;

/* UTF-8 (other bytes count as they are).  At most n_classes tokens (0: no limit): the rarest
 * characters become one. */
HybCorpus *hyb_corpus_new (const char *text, gsize size, guint n_classes);
void       hyb_corpus_free (HybCorpus *corpus);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybCorpus, hyb_corpus_free)

const guint32 *hyb_corpus_get_tokens (const HybCorpus *corpus, gsize *n);
gsize          hyb_corpus_n_train (const HybCorpus *corpus); /* those before are for training */
guint          hyb_corpus_n_classes (const HybCorpus *corpus);
void           hyb_corpus_append (const HybCorpus *corpus, guint32 token, GString *text);
/* Of the held-out part, by a model that knows only how often each token is in the rest. */
double hyb_corpus_unigram_perplexity (const HybCorpus *corpus);

G_END_DECLS
