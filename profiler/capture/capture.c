/* capture.c — opens captures and gives access to their entries.
 *
 * All sections are checked when a capture is opened; indices inside entries are checked when they
 * are used.  Of a file that was cut, the entries that are there as a whole are kept.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/capture/capture.h"

#include "engine/base/error.h"
#include "engine/base/limits.h"
#include "engine/formats/file.h"
#include "engine/formats/mapped-file.h"
#include "profiler/capture/capture-format.h"

#include <math.h>
#include <string.h>

#define MAX_TEXT    (1 << 14) /* bytes; a longer text is shown as an empty one */
#define MAX_DAMAGED (1 << 8)  /* the same if some text of the capture is not valid */

/* clang-format off */
G_DEFINE_QUARK (prof-error-quark, prof_error)
/* clang-format on */

struct _ProfCapture
{
  gatomicrefcount references;
  GBytes         *bytes;
  GBytes         *aligned; /* a copy that data points into, if bytes is not aligned to 8 */
  char           *file;
  const guint8   *data;
  gboolean        is_valid; /* all texts are UTF-8 */
  GString        *missing;  /* the missing part of a file that was cut; NULL: the file is whole */
  guint32         count[PROF_N_SECTIONS];
  gconstpointer   section[PROF_N_SECTIONS];
};

/* Sets an error; returns FALSE. */
static gboolean
refuse (const char *where, ProfError code, const char *hint, GError **error, const char *what)
{
  return hyb_error_at (error, PROF_ERROR, code, where, hint, "%s", what);
}

gboolean
prof_capture_sniff (const guint8 *head, gsize length)
{
  return length >= 8 && memcmp (head, PROF_MAGIC, 8) == 0;
}

/* --- Opening --- */

static gboolean
check_header (const ProfHeader *header, gsize size, const char *where, GError **error)
{
  if (size < sizeof *header || !prof_capture_sniff ((const guint8 *) header, size))
    return refuse (where, PROF_ERROR_NOT_A_CAPTURE,
                   "Captures are files such as net.hscope, which measuring a model writes", error,
                   "this is not a capture");
  if (header->byte_order != PROF_BYTE_ORDER)
    return refuse (where, PROF_ERROR_VERSION, NULL, error,
                   "the capture was written on a machine with the other byte order");
  if (header->version != PROF_VERSION)
    return hyb_error_at (error, PROF_ERROR, PROF_ERROR_VERSION, where,
                         "Open it with the program that wrote it",
                         "the capture has version %u, and this program reads version %u",
                         header->version, PROF_VERSION);
  /* A file that was cut is shorter than it says. */
  if (header->size < size)
    return hyb_error_at (error, PROF_ERROR, PROF_ERROR_DAMAGED, where, "Copy it again",
                         "the capture should have %" G_GUINT64_FORMAT
                         " bytes and has %" G_GSIZE_FORMAT,
                         header->size, size);
  if (header->n_sections > (size - sizeof *header) / sizeof (ProfSection))
    return refuse (where, PROF_ERROR_DAMAGED, NULL, error, "the table of sections is truncated");
  return TRUE;
}

/* The name of a section's entries in messages. */
static const char *const section_contents[PROF_N_SECTIONS] = {
  [PROF_SECTION_STRINGS] = "bytes of names",
  [PROF_SECTION_TEXTS] = "texts about the run",
  [PROF_SECTION_NUMBERS] = "numbers about the run",
  [PROF_SECTION_GRAPHS] = "graphs",
  [PROF_SECTION_NODES] = "operators",
  [PROF_SECTION_EDGES] = "edges",
  [PROF_SECTION_SAMPLES] = "samples",
  [PROF_SECTION_EVENTS] = "events",
  [PROF_SECTION_MEMORY] = "values of memory in use",
  [PROF_SECTION_SYMBOL] = "bytes of the model's graph as a file",
  [PROF_SECTION_FACTS] = "facts about samples",
  [PROF_SECTION_DETAILS] = "details of operators",
  [PROF_SECTION_ORIGINS] = "origins of nodes",
  [PROF_SECTION_KERNELS] = "kernels of operators",
};

static guint32
last_text_end (const char *strings, guint32 n)
{
  while (n > 0 && strings[n - 1] != 0)
    n--;
  return n;
}

/* Entries of a section that are in a file of size bytes as a whole. */
static guint32
count_whole (const ProfCapture *capture, const ProfSection *section, gsize size)
{
  guint64 n = section->offset < size ? (size - section->offset) / section->entry : 0;

  if (n >= section->count)
    return (guint32) section->count;
  /* A text without its end is left out, and so is a compressed file that is incomplete. */
  if (section->kind == PROF_SECTION_STRINGS)
    return last_text_end ((const char *) capture->data + section->offset, (guint32) n);
  return section->kind == PROF_SECTION_SYMBOL ? 0 : (guint32) n;
}

/* Checks a section and stores where it is.  Unknown kinds are ignored, so that later versions may
 * add some. */
static gboolean
check_section (ProfCapture *capture, const ProfSection *section, gsize size)
{
  const ProfHeader *header = (const ProfHeader *) (gconstpointer) capture->data;
  guint64           bytes;
  guint32           n;

  if (section->kind >= PROF_N_SECTIONS)
    return TRUE;
  if (section->entry != prof_entry_sizes[section->kind] || section->count >= G_MAXUINT32 ||
      section->offset % 8 != 0 || !g_uint64_checked_mul (&bytes, section->count, section->entry) ||
      section->offset > header->size || bytes > header->size - section->offset)
    return FALSE;
  n = count_whole (capture, section, size);
  if (n < section->count)
    g_string_append_printf (capture->missing, "%s%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " %s",
                            capture->missing->len > 0 ? ", " : "", section->count - n,
                            section->count, section_contents[section->kind]);
  capture->count[section->kind] = n;
  capture->section[section->kind] = n > 0 ? capture->data + section->offset : NULL;
  return TRUE;
}

static gboolean
are_valid (const char *strings, guint32 n)
{
  const char *end = strings + n;

  for (const char *text = strings; text < end; text += strlen (text) + 1)
    if (!g_utf8_validate (text, -1, NULL))
      return FALSE;
  return TRUE;
}

static gboolean
check_sections (ProfCapture *capture, gsize size, const char *where, GError **error)
{
  const ProfHeader  *header = (const ProfHeader *) (gconstpointer) capture->data;
  const ProfSection *sections = (const ProfSection *) (gconstpointer) (header + 1);
  const char        *strings;
  guint32            n;

  if (header->size > size)
    capture->missing = g_string_new (NULL);
  for (guint32 i = 0; i < header->n_sections; i++)
    if (!check_section (capture, &sections[i], size))
      return hyb_error_at (error, PROF_ERROR, PROF_ERROR_DAMAGED, where, "Copy it again",
                           "section %u of the capture lies outside the file", i);

  /* With a 0 at its end, no text can extend beyond the section. */
  n = capture->count[PROF_SECTION_STRINGS];
  strings = capture->section[PROF_SECTION_STRINGS];
  if (n == 0 || strings[n - 1] != 0)
    return refuse (where, PROF_ERROR_DAMAGED, "Copy it again", error,
                   "the texts of the capture are truncated");
  capture->is_valid = are_valid (strings, n);
  return TRUE;
}

/* Makes a sentence of the list of missing parts. */
static void
finish_missing (ProfCapture *capture, gsize size)
{
  const ProfHeader *header = (const ProfHeader *) (gconstpointer) capture->data;
  g_autofree char  *start = g_strdup_printf ("the capture was cut: it has %" G_GSIZE_FORMAT
                                             " of its %" G_GUINT64_FORMAT " bytes. ",
                                             size, header->size);

  if (capture->missing->len == 0)
    g_string_append (capture->missing, "No entries");
  g_string_prepend (capture->missing, start);
  g_string_append (capture->missing, " are missing");
}

ProfCapture *
prof_capture_new (GBytes *bytes, const char *where, GError **error)
{
  g_autoptr (ProfCapture) capture = g_new0 (ProfCapture, 1);
  gsize size;

  g_atomic_ref_count_init (&capture->references);
  capture->bytes = g_bytes_ref (bytes);
  capture->file = g_strdup (where);
  capture->data = g_bytes_get_data (bytes, &size);
  if ((guintptr) capture->data % 8 != 0)
    {
      capture->aligned = g_bytes_new (capture->data, size);
      capture->data = g_bytes_get_data (capture->aligned, NULL);
    }
  if (!check_header ((const ProfHeader *) (gconstpointer) capture->data, size, where, error) ||
      !check_sections (capture, size, where, error))
    return NULL;
  if (capture->missing)
    finish_missing (capture, size);
  return g_steal_pointer (&capture);
}

ProfCapture *
prof_capture_open (const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = hyb_mapped_file_open (path, error);

  return bytes ? prof_capture_new (bytes, path, error) : NULL;
}

void
prof_capture_unref (ProfCapture *capture)
{
  if (!capture || !g_atomic_ref_count_dec (&capture->references))
    return;
  g_bytes_unref (capture->bytes);
  g_clear_pointer (&capture->aligned, g_bytes_unref);
  if (capture->missing)
    g_string_free (capture->missing, TRUE);
  g_free (capture->file);
  g_free (capture);
}

const char *
prof_capture_get_file (const ProfCapture *capture)
{
  return capture->file;
}

const char *
prof_capture_get_missing (const ProfCapture *capture)
{
  return capture->missing ? capture->missing->str : NULL;
}

GBytes *
prof_capture_get_bytes (const ProfCapture *capture)
{
  return capture->bytes;
}

/* --- Texts and facts --- */

const char *
prof_capture_get_string (const ProfCapture *capture, ProfText text)
{
  const char *strings = capture->section[PROF_SECTION_STRINGS];
  gsize       length, limit = capture->is_valid ? MAX_TEXT : MAX_DAMAGED;

  if (text >= capture->count[PROF_SECTION_STRINGS])
    return "";
  /* Names are looked up for every entry, so a long one would be checked again and again. */
  length = strnlen (strings + text, limit);
  if (length >= limit)
    return "";
  return (capture->is_valid && ((guint8) strings[text] & 0xc0) != 0x80) ||
                 g_utf8_validate (strings + text, (gssize) length, NULL)
             ? strings + text
             : "";
}

const char *
prof_capture_get_text (const ProfCapture *capture, const char *key)
{
  const ProfTextFact *facts = capture->section[PROF_SECTION_TEXTS];

  for (guint i = 0; i < capture->count[PROF_SECTION_TEXTS]; i++)
    if (strcmp (prof_capture_get_string (capture, facts[i].key), key) == 0)
      return prof_capture_get_string (capture, facts[i].value);
  return NULL;
}

double
prof_capture_get_number (const ProfCapture *capture, const char *key)
{
  const ProfNumberFact *facts = capture->section[PROF_SECTION_NUMBERS];

  for (guint i = 0; i < capture->count[PROF_SECTION_NUMBERS]; i++)
    if (strcmp (prof_capture_get_string (capture, facts[i].key), key) == 0)
      return facts[i].value;
  return NAN;
}

ProfFacts *
prof_capture_dup_facts (const ProfCapture *capture)
{
  ProfFacts            *copy = prof_facts_new ();
  const ProfTextFact   *texts = capture->section[PROF_SECTION_TEXTS];
  const ProfNumberFact *numbers = capture->section[PROF_SECTION_NUMBERS];

  for (guint i = 0; i < capture->count[PROF_SECTION_TEXTS]; i++)
    prof_facts_set (copy, prof_capture_get_string (capture, texts[i].key),
                    prof_capture_get_string (capture, texts[i].value));
  for (guint i = 0; i < capture->count[PROF_SECTION_NUMBERS]; i++)
    prof_facts_set_number (copy, prof_capture_get_string (capture, numbers[i].key),
                           numbers[i].value);
  return copy;
}

/* --- Graphs and nodes --- */

guint
prof_capture_n_graphs (const ProfCapture *capture)
{
  return capture->count[PROF_SECTION_GRAPHS];
}

const ProfGraph *
prof_capture_get_graph (const ProfCapture *capture, guint index)
{
  g_return_val_if_fail (index < prof_capture_n_graphs (capture), NULL);
  return (const ProfGraph *) capture->section[PROF_SECTION_GRAPHS] + index;
}

guint
prof_capture_n_nodes (const ProfCapture *capture)
{
  return capture->count[PROF_SECTION_NODES];
}

const ProfNode *
prof_capture_get_node (const ProfCapture *capture, guint32 row)
{
  g_return_val_if_fail (row < prof_capture_n_nodes (capture), NULL);
  return (const ProfNode *) capture->section[PROF_SECTION_NODES] + row;
}

const guint32 *
prof_capture_get_edges (const ProfCapture *capture, guint32 row, guint *n)
{
  const ProfNode *node = prof_capture_get_node (capture, row);
  guint           n_edges = capture->count[PROF_SECTION_EDGES];

  *n = 0;
  if (!node || node->n_edges == 0 || node->first_edge > n_edges ||
      node->n_edges > n_edges - node->first_edge)
    return NULL;
  *n = node->n_edges;
  return (const guint32 *) capture->section[PROF_SECTION_EDGES] + node->first_edge;
}

/* --- Samples, events, memory --- */

const ProfNodeDetail *
prof_capture_find_detail (const ProfCapture *capture, guint32 row)
{
  const ProfNodeDetail *details = capture->section[PROF_SECTION_DETAILS];
  guint32               low = 0, high = capture->count[PROF_SECTION_DETAILS];

  while (low < high)
    {
      guint32 middle = low + (high - low) / 2;

      if (details[middle].row == row)
        return &details[middle];
      if (details[middle].row < row)
        low = middle + 1;
      else
        high = middle;
    }
  return NULL;
}

const char *
prof_capture_find_kernel (const ProfCapture *capture, guint32 row)
{
  const ProfNodeKernel *kernels = capture->section[PROF_SECTION_KERNELS];
  guint32               low = 0, high = capture->count[PROF_SECTION_KERNELS];

  while (low < high)
    {
      guint32 middle = low + (high - low) / 2;

      if (kernels[middle].row == row)
        return prof_capture_get_string (capture, kernels[middle].kernel);
      if (kernels[middle].row < row)
        low = middle + 1;
      else
        high = middle;
    }
  return "";
}

const ProfOrigin *
prof_capture_get_origins (const ProfCapture *capture, guint *n)
{
  *n = capture->count[PROF_SECTION_ORIGINS];
  return capture->section[PROF_SECTION_ORIGINS];
}

guint
prof_capture_n_samples (const ProfCapture *capture)
{
  return capture->count[PROF_SECTION_SAMPLES];
}

const ProfSample *
prof_capture_get_samples (const ProfCapture *capture)
{
  return capture->section[PROF_SECTION_SAMPLES];
}

/* Samples of damaged captures may have any time. */
static gboolean
is_usable (const ProfSample *sample, ProfSampleKind kind)
{
  return sample->kind == (guint32) kind && isfinite (sample->seconds) && sample->seconds >= 0;
}

double *
prof_capture_dup_samples (const ProfCapture *capture, ProfSampleKind kind, guint *n)
{
  const ProfSample *samples = prof_capture_get_samples (capture);
  double           *seconds = g_new (double, MAX (prof_capture_n_samples (capture), 1));

  *n = 0;
  for (guint i = 0; i < prof_capture_n_samples (capture); i++)
    if (is_usable (&samples[i], kind))
      seconds[(*n)++] = samples[i].seconds;
  return seconds;
}

ProfSampleFacts *
prof_capture_dup_sample_facts (const ProfCapture *capture, ProfSampleKind kind)
{
  const ProfSample     *samples = prof_capture_get_samples (capture);
  const ProfFactsEntry *entries = capture->section[PROF_SECTION_FACTS];
  ProfSampleFacts      *facts;
  guint                 n = 0;
  g_autoptr (GHashTable) by_run = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < capture->count[PROF_SECTION_FACTS]; i++)
    if (entries[i].kind == (guint32) kind)
      g_hash_table_insert (by_run, GUINT_TO_POINTER (entries[i].run), (gpointer) &entries[i].facts);
  if (g_hash_table_size (by_run) == 0)
    return NULL;

  facts = g_new (ProfSampleFacts, MAX (prof_capture_n_samples (capture), 1));
  for (guint i = 0; i < prof_capture_n_samples (capture); i++)
    if (is_usable (&samples[i], kind))
      {
        const ProfSampleFacts *known =
            g_hash_table_lookup (by_run, GUINT_TO_POINTER (samples[i].run));

        facts[n++] = known ? *known : (ProfSampleFacts){ .wall = NAN, .cpu = NAN, .wait = NAN };
      }
  return facts;
}

double *
prof_capture_dup_undisturbed (const ProfCapture *capture, guint *n, ProfDisturbance *disturbance)
{
  g_autofree ProfSampleFacts *facts = prof_capture_dup_sample_facts (capture, PROF_SAMPLE_CLEAN);
  const ProfSampleFacts      *series = facts;
  guint                       n_clean;
  double           *samples = prof_capture_dup_samples (capture, PROF_SAMPLE_CLEAN, &n_clean);
  g_autofree guint *index = g_new (guint, MAX (n_clean, 1));
  ProfDisturbance   unused;

  *n = prof_select_undisturbed (&series, 1, n_clean, index, disturbance ? disturbance : &unused);
  for (guint i = 0; i < *n; i++)
    samples[i] = samples[index[i]]; /* index[i] ≥ i */
  return samples;
}

guint
prof_capture_n_events (const ProfCapture *capture)
{
  return capture->count[PROF_SECTION_EVENTS];
}

const ProfEvent *
prof_capture_get_events (const ProfCapture *capture)
{
  return capture->section[PROF_SECTION_EVENTS];
}

guint
prof_capture_n_memory (const ProfCapture *capture)
{
  return capture->count[PROF_SECTION_MEMORY];
}

const ProfMemoryPoint *
prof_capture_get_memory (const ProfCapture *capture)
{
  return capture->section[PROF_SECTION_MEMORY];
}

/* --- The graph as a file --- */

GBytes *
prof_capture_dup_symbol (const ProfCapture *capture, GError **error)
{
  g_autoptr (GConverter) unpack = NULL;
  g_autoptr (GInputStream) packed = NULL;
  g_autoptr (GInputStream) stream = NULL;
  g_autoptr (GByteArray) whole = g_byte_array_new ();
  guint64 size = g_bytes_get_size (capture->bytes);
  guint8  piece[1 << 14];
  gssize  n;

  if (capture->count[PROF_SECTION_SYMBOL] == 0)
    {
      refuse (capture->file, PROF_ERROR_DAMAGED, NULL, error,
              capture->missing ? capture->missing->str
                               : "the capture does not contain the model's graph as a file");
      return NULL;
    }

  unpack = G_CONVERTER (g_zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_ZLIB));
  packed = g_memory_input_stream_new_from_data (capture->section[PROF_SECTION_SYMBOL],
                                                capture->count[PROF_SECTION_SYMBOL], NULL);
  stream = g_converter_input_stream_new (packed, unpack);
  while ((n = g_input_stream_read (stream, piece, sizeof piece, NULL, error)) > 0)
    {
      if (!hyb_limits_check_memory ((guint64) whole->len + (guint64) n, size, capture->file, error))
        {
          g_prefix_error (error, "the model's graph: ");
          return NULL;
        }
      g_byte_array_append (whole, piece, (guint) n);
    }
  return n < 0 ? NULL : g_byte_array_free_to_bytes (g_steal_pointer (&whole));
}

gboolean
prof_capture_write (const ProfCapture *capture, const char *path, GError **error)
{
  gsize         size;
  gconstpointer data = g_bytes_get_data (prof_capture_get_bytes (capture), &size);

  return hyb_file_replace_contents (path, data, size, error);
}
