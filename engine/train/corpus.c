/* corpus.c — a text as a sequence of tokens, one for each character.
 *
 * hyb_corpus_new() counts the characters, numbers them by frequency, and translates the text.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/train/corpus.h"

#include <math.h>

/* U+FFFD, the character of the token that all rare characters share. */
#define RARE 0xFFFDu

typedef struct
{
  gunichar character;
  guint    count;
} Counted;

struct _HybCorpus
{
  GArray     *tokens;  /* of guint32 */
  GArray     *classes; /* of Counted by token: the most frequent first */
  GHashTable *numbers; /* from character to token + 1 */
};

/* Reads the next character; an invalid byte is a character with its value. */
static gunichar
next_character (const char **at, const char *end)
{
  gunichar character = g_utf8_get_char_validated (*at, end - *at);

  if (character == (gunichar) -1 || character == (gunichar) -2)
    return (guchar) * (*at)++;
  *at = g_utf8_next_char (*at);
  return character;
}

static gint
more_frequent_first (gconstpointer a, gconstpointer b)
{
  const Counted *x = a, *y = b;

  if (x->count != y->count)
    return x->count > y->count ? -1 : 1;
  return x->character < y->character ? -1 : x->character > y->character;
}

static GArray *
count_characters (const char *text, const char *end)
{
  g_autoptr (GHashTable) counts = g_hash_table_new (NULL, NULL);
  GArray        *classes = g_array_new (FALSE, FALSE, sizeof (Counted));
  GHashTableIter iter;
  gpointer       key, value;

  while (text < end)
    {
      key = GUINT_TO_POINTER (next_character (&text, end));
      value = g_hash_table_lookup (counts, key);
      g_hash_table_insert (counts, key, GUINT_TO_POINTER (GPOINTER_TO_UINT (value) + 1));
    }
  g_hash_table_iter_init (&iter, counts);
  while (g_hash_table_iter_next (&iter, &key, &value))
    {
      Counted counted = { GPOINTER_TO_UINT (key), GPOINTER_TO_UINT (value) };

      g_array_append_val (classes, counted);
    }
  g_array_sort (classes, more_frequent_first);
  return classes;
}

HybCorpus *
hyb_corpus_new (const char *text, gsize size, guint n_classes)
{
  HybCorpus  *corpus = g_new0 (HybCorpus, 1);
  const char *end = size > 0 ? text + size : text;

  corpus->tokens =
      g_array_sized_new (FALSE, FALSE, sizeof (guint32), (guint) MIN (size, G_MAXUINT));
  corpus->classes = count_characters (text, end);
  corpus->numbers = g_hash_table_new (NULL, NULL);
  if (n_classes > 0 && corpus->classes->len > n_classes)
    {
      g_array_set_size (corpus->classes, n_classes);
      g_array_index (corpus->classes, Counted, n_classes - 1).character = RARE;
    }
  for (guint i = 0; i < corpus->classes->len; i++)
    g_hash_table_insert (corpus->numbers,
                         GUINT_TO_POINTER (g_array_index (corpus->classes, Counted, i).character),
                         GUINT_TO_POINTER (i + 1));
  while (text < end)
    {
      gpointer key = GUINT_TO_POINTER (next_character (&text, end));
      guint32  number = GPOINTER_TO_UINT (g_hash_table_lookup (corpus->numbers, key));
      guint32  token = number > 0 ? number - 1 : corpus->classes->len - 1;

      g_array_append_val (corpus->tokens, token);
    }
  return corpus;
}

void
hyb_corpus_free (HybCorpus *corpus)
{
  if (!corpus)
    return;
  g_array_unref (corpus->tokens);
  g_array_unref (corpus->classes);
  g_hash_table_unref (corpus->numbers);
  g_free (corpus);
}

const guint32 *
hyb_corpus_get_tokens (const HybCorpus *corpus, gsize *n)
{
  *n = corpus->tokens->len;
  return (const guint32 *) (gconstpointer) corpus->tokens->data;
}

gsize
hyb_corpus_n_train (const HybCorpus *corpus)
{
  return corpus->tokens->len - corpus->tokens->len / 10;
}

guint
hyb_corpus_n_classes (const HybCorpus *corpus)
{
  return corpus->classes->len;
}

void
hyb_corpus_append (const HybCorpus *corpus, guint32 token, GString *text)
{
  if (token < corpus->classes->len)
    g_string_append_unichar (text, g_array_index (corpus->classes, Counted, token).character);
}

/* One is added to every count (Laplace smoothing), so that no token has probability 0. */
double
hyb_corpus_unigram_perplexity (const HybCorpus *corpus)
{
  gsize             n, n_train = hyb_corpus_n_train (corpus);
  const guint32    *tokens = hyb_corpus_get_tokens (corpus, &n);
  g_autofree gsize *counts = g_new0 (gsize, MAX (corpus->classes->len, 1));
  double            total = 0;

  for (gsize i = 0; i < n_train; i++)
    counts[tokens[i]]++;
  for (gsize i = n_train; i < n; i++)
    total -= log ((double) (counts[tokens[i]] + 1) / (double) (n_train + corpus->classes->len));
  return n > n_train ? exp (total / (double) (n - n_train)) : NAN;
}
