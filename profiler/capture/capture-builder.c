/* capture-builder.c — puts a capture together: sections grow as arrays and are laid out at the end.
 *
 * Start reading at prof_builder_finish() for the layout.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/capture/capture-builder.h"

#include "profiler/capture/capture-format.h"

#include <math.h>
#include <string.h>

struct _ProfBuilder
{
  GHashTable *details; /* row → index in their section + 1 */
  GHashTable *kernels; /* rows that have one */
  GArray     *section[PROF_N_SECTIONS];
  GHashTable *texts; /* text → offset + 1 */
};

ProfBuilder *
prof_builder_new (void)
{
  ProfBuilder *builder = g_new0 (ProfBuilder, 1);
  const char   nothing = 0;

  for (guint i = 0; i < PROF_N_SECTIONS; i++)
    builder->section[i] = g_array_new (FALSE, TRUE, prof_entry_sizes[i]);
  builder->details = g_hash_table_new (NULL, NULL);
  builder->kernels = g_hash_table_new (NULL, NULL);
  builder->texts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_array_append_val (builder->section[PROF_SECTION_STRINGS], nothing);
  return builder;
}

void
prof_builder_free (ProfBuilder *builder)
{
  if (!builder)
    return;
  for (guint i = 0; i < PROF_N_SECTIONS; i++)
    g_array_unref (builder->section[i]);
  g_hash_table_unref (builder->details);
  g_hash_table_unref (builder->kernels);
  g_hash_table_unref (builder->texts);
  g_free (builder);
}

ProfText
prof_builder_text (ProfBuilder *builder, const char *text)
{
  GArray          *strings = builder->section[PROF_SECTION_STRINGS];
  g_autofree char *valid = NULL;
  gpointer         known;
  ProfText         at = strings->len;

  if (!text || !*text)
    return 0;
  if ((known = g_hash_table_lookup (builder->texts, text)))
    return GPOINTER_TO_UINT (known) - 1;

  valid = g_utf8_make_valid (text, -1);
  g_array_append_vals (strings, valid, (guint) strlen (valid) + 1);
  g_hash_table_insert (builder->texts, g_strdup (text), GUINT_TO_POINTER (at + 1));
  return at;
}

const char *
prof_builder_get_text (const ProfBuilder *builder, ProfText text)
{
  return builder->section[PROF_SECTION_STRINGS]->data + text;
}

void
prof_builder_add_facts (ProfBuilder *builder, const ProfFacts *facts)
{
  for (guint i = 0; i < prof_facts_n (facts); i++)
    {
      const ProfFact *fact = prof_facts_get (facts, i);
      ProfText        key = prof_builder_text (builder, fact->key);

      if (fact->text)
        {
          ProfTextFact entry = { key, prof_builder_text (builder, fact->text) };

          g_array_append_val (builder->section[PROF_SECTION_TEXTS], entry);
        }
      else
        {
          ProfNumberFact entry = { .key = key, .value = fact->number };

          g_array_append_val (builder->section[PROF_SECTION_NUMBERS], entry);
        }
    }
}

/* --- Names --- */

/* 12 for “lstm_t12_i2h”, and “lstm_t*_i2h” in *folded; PROF_NONE and the name itself if it has no
 * step. */
static guint32
parse_step (const char *name, char **folded)
{
  for (const char *at = strstr (name, "_t"); at; at = strstr (at + 1, "_t"))
    {
      gsize n_digits = strspn (at + 2, "0123456789");

      if (n_digits == 0 || n_digits > 8 || at[2 + n_digits] != '_')
        continue;
      *folded = g_strdup_printf ("%.*s_t*%s", (int) (at - name), name, at + 2 + n_digits);
      return (guint32) g_ascii_strtoull (at + 2, NULL, 10);
    }

  *folded = g_strdup (name);
  return PROF_NONE;
}

/* “lstm” for “lstm_t*_i2h”, “net_dense0” for “net_dense0_fwd”.  (transfer full) */
static char *
make_scope (const char *folded)
{
  const char *end = strstr (folded, "_t*_");

  if (!end)
    end = strrchr (folded, '_');
  return end ? g_strndup (folded, (gsize) (end - folded)) : g_strdup ("");
}

/* --- The graph --- */

guint32
prof_builder_add_graph (ProfBuilder *builder, const char *name, guint32 parent, guint32 body)
{
  ProfGraph graph = { prof_builder_text (builder, name), parent, body };

  g_array_append_val (builder->section[PROF_SECTION_GRAPHS], graph);
  return builder->section[PROF_SECTION_GRAPHS]->len - 1;
}

guint32
prof_builder_add_node (ProfBuilder *builder, const ProfNode *node)
{
  ProfNode         copy = *node;
  g_autofree char *name = g_strdup (prof_builder_get_text (builder, node->name));
  g_autofree char *folded = NULL, *scope = NULL;

  copy.step = parse_step (name, &folded);
  scope = make_scope (folded);
  copy.folded = prof_builder_text (builder, folded);
  copy.scope = prof_builder_text (builder, scope);
  g_array_append_val (builder->section[PROF_SECTION_NODES], copy);
  return builder->section[PROF_SECTION_NODES]->len - 1;
}

ProfNode *
prof_builder_get_node (ProfBuilder *builder, guint32 row)
{
  return &g_array_index (builder->section[PROF_SECTION_NODES], ProfNode, row);
}

guint
prof_builder_n_nodes (const ProfBuilder *builder)
{
  return builder->section[PROF_SECTION_NODES]->len;
}

/* The details of a row, added if there are none. */
static ProfNodeDetail *
get_detail (ProfBuilder *builder, guint32 row)
{
  GArray        *details = builder->section[PROF_SECTION_DETAILS];
  ProfNodeDetail fresh = { .row = row, .allocated = NAN };
  guint index = GPOINTER_TO_UINT (g_hash_table_lookup (builder->details, GUINT_TO_POINTER (row)));

  if (index == 0)
    {
      g_array_append_val (details, fresh);
      index = details->len;
      g_hash_table_insert (builder->details, GUINT_TO_POINTER (row), GUINT_TO_POINTER (index));
    }
  return &g_array_index (details, ProfNodeDetail, index - 1);
}

void
prof_builder_set_inputs (ProfBuilder *builder, guint32 row, const char *inputs)
{
  get_detail (builder, row)->inputs = prof_builder_text (builder, inputs);
}

void
prof_builder_set_allocated (ProfBuilder *builder, guint32 row, double bytes)
{
  get_detail (builder, row)->allocated = bytes;
}

void
prof_builder_set_kernel (ProfBuilder *builder, guint32 row, const char *kernel)
{
  ProfNodeKernel entry = { row, prof_builder_text (builder, kernel) };

  if (g_hash_table_add (builder->kernels, GUINT_TO_POINTER (row)))
    g_array_append_val (builder->section[PROF_SECTION_KERNELS], entry);
}

static int
compare_kernels (gconstpointer a, gconstpointer b)
{
  guint32 x = ((const ProfNodeKernel *) a)->row, y = ((const ProfNodeKernel *) b)->row;

  return x < y ? -1 : x > y;
}

void
prof_builder_add_origin (ProfBuilder *builder, const ProfOrigin *origin)
{
  g_array_append_vals (builder->section[PROF_SECTION_ORIGINS], origin, 1);
}

/* By row, then by the node of the model; rows that compute it come first. */
static int
compare_origins (gconstpointer a, gconstpointer b)
{
  const ProfOrigin *x = a, *y = b;

  if (x->row != y->row)
    return x->row < y->row ? -1 : 1;
  if (x->of != y->of)
    return x->of < y->of ? -1 : 1;
  return (int) x->role - (int) y->role;
}

/* Sorts the origins and drops repeated ones. */
static void
order_origins (GArray *origins)
{
  guint n = 0;

  g_array_sort (origins, compare_origins);
  for (guint i = 0; i < origins->len; i++)
    {
      ProfOrigin        origin = g_array_index (origins, ProfOrigin, i);
      const ProfOrigin *last = n > 0 ? &g_array_index (origins, ProfOrigin, n - 1) : NULL;

      if (!last || last->row != origin.row || last->of != origin.of)
        g_array_index (origins, ProfOrigin, n++) = origin;
    }
  g_array_set_size (origins, n);
}

static int
compare_details (gconstpointer a, gconstpointer b)
{
  guint32 x = ((const ProfNodeDetail *) a)->row, y = ((const ProfNodeDetail *) b)->row;

  return x < y ? -1 : x > y;
}

void
prof_builder_set_edges (ProfBuilder *builder, guint32 row, const guint32 *edges, guint n)
{
  ProfNode *node = prof_builder_get_node (builder, row);

  node->first_edge = builder->section[PROF_SECTION_EDGES]->len;
  node->n_edges = n;
  if (n > 0)
    g_array_append_vals (builder->section[PROF_SECTION_EDGES], edges, n);
}

/* --- Measurements --- */

void
prof_builder_add_sample (ProfBuilder *builder, ProfSampleKind kind, guint run, double seconds)
{
  ProfSample sample = { kind, run, seconds };

  g_array_append_val (builder->section[PROF_SECTION_SAMPLES], sample);
}

void
prof_builder_add_sample_facts (ProfBuilder           *builder,
                               ProfSampleKind         kind,
                               guint                  run,
                               const ProfSampleFacts *facts)
{
  ProfFactsEntry entry = { kind, run, *facts };

  g_array_append_val (builder->section[PROF_SECTION_FACTS], entry);
}

void
prof_builder_add_event (ProfBuilder *builder, const ProfEvent *event)
{
  g_array_append_vals (builder->section[PROF_SECTION_EVENTS], event, 1);
}

void
prof_builder_add_memory (ProfBuilder *builder, guint32 row, guint64 bytes)
{
  ProfMemoryPoint point = { .row = row, .bytes = bytes };

  g_array_append_val (builder->section[PROF_SECTION_MEMORY], point);
}

void
prof_builder_set_symbol (ProfBuilder *builder, const char *text, gsize length)
{
  g_autoptr (GConverter) pack =
      G_CONVERTER (g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_ZLIB, 6));
  g_autoptr (GOutputStream) memory = g_memory_output_stream_new_resizable ();
  g_autoptr (GOutputStream) stream = g_converter_output_stream_new (memory, pack);
  GMemoryOutputStream *written = G_MEMORY_OUTPUT_STREAM (memory);

  if (!g_output_stream_write_all (stream, text, length, NULL, NULL, NULL) ||
      !g_output_stream_close (stream, NULL, NULL))
    return;
  g_array_set_size (builder->section[PROF_SECTION_SYMBOL], 0);
  g_array_append_vals (builder->section[PROF_SECTION_SYMBOL],
                       g_memory_output_stream_get_data (written),
                       (guint) g_memory_output_stream_get_data_size (written));
}

GBytes *
prof_builder_finish (ProfBuilder *builder)
{
  static const guint8 padding[8];
  ProfHeader          header = {
             .version = PROF_VERSION,
             .byte_order = PROF_BYTE_ORDER,
             .n_sections = PROF_N_SECTIONS,
  };
  ProfSection sections[PROF_N_SECTIONS];
  GByteArray *file = g_byte_array_new ();
  guint64     at = sizeof header + sizeof sections;

  g_array_sort (builder->section[PROF_SECTION_DETAILS], compare_details);
  order_origins (builder->section[PROF_SECTION_ORIGINS]);
  g_array_sort (builder->section[PROF_SECTION_KERNELS], compare_kernels);
  g_hash_table_remove_all (builder->details);
  memcpy (header.magic, PROF_MAGIC, sizeof header.magic);
  for (guint i = 0; i < PROF_N_SECTIONS; i++)
    {
      guint64 bytes = (guint64) builder->section[i]->len * prof_entry_sizes[i];

      sections[i] = (ProfSection){ i, prof_entry_sizes[i], at, builder->section[i]->len };
      at += (bytes + 7) & ~(guint64) 7;
    }
  header.size = at;

  g_byte_array_append (file, (const guint8 *) &header, sizeof header);
  g_byte_array_append (file, (const guint8 *) sections, sizeof sections);
  for (guint i = 0; i < PROF_N_SECTIONS; i++)
    {
      gsize bytes = (gsize) builder->section[i]->len * prof_entry_sizes[i];

      g_byte_array_append (file, (const guint8 *) builder->section[i]->data, (guint) bytes);
      g_byte_array_append (file, padding, (guint) (-bytes & 7));
    }
  return g_byte_array_free_to_bytes (file);
}
