/* test-capture-bounds.c — sections, edges and texts of captures at their exact bounds.
 *
 * A small capture is written, and single numbers of it are changed.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/capture/capture-builder.h"
#include "profiler/capture/capture-format.h"
#include "profiler/summary/gradients.h"
#include "tests/program.h"

#include <string.h>

/* Two nodes, of which the second reads the first twice; every section has an entry. */
static GByteArray *
make_capture (void)
{
  g_autoptr (ProfBuilder) builder = prof_builder_new ();
  g_autoptr (ProfFacts) facts = prof_facts_new ();
  ProfNode first = { .name = prof_builder_text (builder, "one") };
  ProfNode second = { .name = prof_builder_text (builder, "two") };

  prof_facts_set (facts, "mode", "static");
  prof_facts_set_number (facts, "threads", 2);
  prof_builder_add_facts (builder, facts);
  prof_builder_add_graph (builder, "main", PROF_NONE, PROF_NONE);
  prof_builder_add_node (builder, &first);
  prof_builder_add_node (builder, &second);
  prof_builder_set_edges (builder, 1, (guint32[]){ 0, 0 }, 2);
  prof_builder_add_sample (builder, PROF_SAMPLE_CLEAN, 0, 1);
  prof_builder_add_event (builder, &(ProfEvent){ .node = 1 });
  prof_builder_add_memory (builder, 1, 100);
  prof_builder_set_symbol (builder, "{}", 2);
  return g_bytes_unref_to_array (prof_builder_finish (builder));
}

static ProfSection *
find_section (GByteArray *file, ProfSectionKind kind)
{
  ProfHeader  *header = (ProfHeader *) (gpointer) file->data;
  ProfSection *sections = (ProfSection *) (gpointer) (header + 1);

  for (guint32 i = 0; i < header->n_sections; i++)
    if (sections[i].kind == (guint32) kind)
      return &sections[i];
  g_assert_not_reached ();
}

/* Opens a copy in memory of exactly the file's length, so that a sanitizer sees what lies beyond it. */
static ProfCapture *
open_copy (const GByteArray *file, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (file->data, file->len);

  return prof_capture_new (bytes, "a.hscope", error);
}

static void
assert_refused (const GByteArray *file, const char *message)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (ProfCapture) capture = open_copy (file, &error);

  g_assert_null (capture);
  g_assert_nonnull (strstr (error->message, message));
}

/* Every section may reach up to the end of the file, and no entry further. */
static void
test_end_of_sections (void)
{
  for (int kind = PROF_SECTION_TEXTS; kind < PROF_N_SECTIONS; kind++)
    {
      g_autoptr (GByteArray) file = make_capture ();
      ProfSection *section = find_section (file, (ProfSectionKind) kind);
      g_autoptr (GError) error = NULL;
      g_autoptr (ProfCapture) capture = NULL;

      section->count = (file->len - section->offset) / section->entry;
      capture = open_copy (file, &error);
      g_assert_no_error (error);
      section->count++;
      assert_refused (file, "lies outside the file");
    }
}

/* An empty section may begin where the file ends. */
static void
test_beginning_of_sections (void)
{
  g_autoptr (GByteArray) file = make_capture ();
  ProfSection *section = find_section (file, PROF_SECTION_MEMORY);
  g_autoptr (GError) error = NULL;
  g_autoptr (ProfCapture) capture = NULL;

  g_assert_cmpuint (file->len % 8, ==, 0);
  section->count = 0;
  section->offset = file->len;
  capture = open_copy (file, &error);
  g_assert_no_error (error);
  section->offset += 8;
  assert_refused (file, "lies outside the file");
  section->offset -= 8 + 4;
  assert_refused (file, "lies outside the file");
}

static void
test_table_of_sections (void)
{
  ProfHeader  header = { .magic = PROF_MAGIC,
                         .version = PROF_VERSION,
                         .byte_order = PROF_BYTE_ORDER,
                         .size = sizeof header + 2 * sizeof (ProfSection) };
  ProfSection unknown[2] = { { .kind = PROF_N_SECTIONS }, { .kind = PROF_N_SECTIONS } };
  g_autoptr (GByteArray) file = g_byte_array_new ();

  g_byte_array_append (file, (const guint8 *) &header, sizeof header);
  g_byte_array_append (file, (const guint8 *) unknown, sizeof unknown);
  ((ProfHeader *) (gpointer) file->data)->n_sections = 2;
  assert_refused (file, "the texts of the capture are truncated");
  ((ProfHeader *) (gpointer) file->data)->n_sections = 3;
  assert_refused (file, "the table of sections is truncated");
}

/* Later versions may add sections. */
static void
test_unknown_section (void)
{
  g_autoptr (GByteArray) file = make_capture ();
  g_autoptr (GError) error = NULL;
  g_autoptr (ProfCapture) capture = NULL;

  find_section (file, PROF_SECTION_MEMORY)->kind = PROF_N_SECTIONS;
  capture = open_copy (file, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (prof_capture_n_memory (capture), ==, 0);
}

static void
test_edges (void)
{
  static const struct
  {
    guint32 first, n;
    guint   expected;
  } cases[] = {
    { 0, 2, 2 }, { 1, 1, 1 }, { 2, 0, 0 }, { 0, 3, 0 },           { 1, 2, 0 },
    { 2, 1, 0 }, { 3, 0, 0 }, { 3, 1, 0 }, { 1, G_MAXUINT32, 0 }, { G_MAXUINT32, 1, 0 },
  };

  for (guint c = 0; c < G_N_ELEMENTS (cases); c++)
    {
      g_autoptr (GByteArray) file = make_capture ();
      ProfNode *node =
          (ProfNode *) (gpointer) (file->data + find_section (file, PROF_SECTION_NODES)->offset) +
          1;
      g_autoptr (GError) error = NULL;
      g_autoptr (ProfCapture) capture = NULL;
      const guint32 *edges;
      guint          n = 77;

      node->first_edge = cases[c].first;
      node->n_edges = cases[c].n;
      capture = open_copy (file, &error);
      g_assert_no_error (error);
      edges = prof_capture_get_edges (capture, 1, &n);
      g_assert_cmpuint (n, ==, cases[c].expected);
      g_assert_true ((edges != NULL) == (n > 0));
    }
}

/* The section of texts is cut behind "one": the next text begins where it ends. */
static void
test_texts (void)
{
  g_autoptr (GByteArray) file = make_capture ();
  ProfSection *section = find_section (file, PROF_SECTION_STRINGS);
  const char  *strings = (const char *) file->data + section->offset;
  ProfText one = (ProfText) ((const char *) memmem (strings, section->count, "one", 4) - strings);
  g_autoptr (GError) error = NULL;
  g_autoptr (ProfCapture) capture = NULL;

  section->count = one + 4;
  g_assert_cmpstr (strings + section->count, !=, "");
  capture = open_copy (file, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (prof_capture_get_string (capture, one), ==, "one");
  g_assert_cmpstr (prof_capture_get_string (capture, one + 2), ==, "e");
  g_assert_cmpstr (prof_capture_get_string (capture, one + 4), ==, "");
  section->count--;
  assert_refused (file, "the texts of the capture are truncated");
}

/* A fact names the row of a node by a number, which need not be that of any. */
static void
test_rows_of_gradients (void)
{
  static const double numbers[] = { -1, 0, 1, 2, 1e300 };

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      g_autoptr (ProfBuilder) builder = prof_builder_new ();
      g_autoptr (ProfFacts) facts = prof_facts_new ();
      g_autoptr (GBytes) bytes = NULL;
      g_autoptr (ProfCapture) capture = NULL;
      g_autoptr (GArray) gradients = NULL;

      prof_facts_set_number (facts, PROF_GRADIENT_KEY "w", numbers[i]);
      prof_builder_add_facts (builder, facts);
      prof_builder_add_graph (builder, "main", PROF_NONE, PROF_NONE);
      for (guint32 node = 0; node < 3; node++)
        {
          if (node < 2)
            prof_builder_add_node (builder,
                                   &(ProfNode){ .name = prof_builder_text (builder, "n") });
          prof_builder_add_event (builder,
                                  &(ProfEvent){
                                      .node = node,
                                      .packed = prof_event_pack (10, PROF_EVENT_NODE, 0, 1, 0) });
        }
      prof_builder_add_event (builder, &(ProfEvent){ .packed = prof_event_pack (20, PROF_EVENT_RUN,
                                                                                0, 0, 0) });
      bytes = prof_builder_finish (builder);
      capture = prof_capture_new (bytes, "test", NULL);
      gradients = prof_gradients (capture);
      g_assert_cmpuint (gradients->len, ==, numbers[i] == 0 || numbers[i] == 1);
    }
}

TEST_PROGRAM (test_capture_bounds)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/profiler/capture-bounds/sections-end-in-the-file", test_end_of_sections);
  g_test_add_func ("/profiler/capture-bounds/sections-begin-in-the-file",
                   test_beginning_of_sections);
  g_test_add_func ("/profiler/capture-bounds/table-of-sections-is-in-the-file",
                   test_table_of_sections);
  g_test_add_func ("/profiler/capture-bounds/unknown-sections-are-ignored", test_unknown_section);
  g_test_add_func ("/profiler/capture-bounds/edges-are-in-their-section", test_edges);
  g_test_add_func ("/profiler/capture-bounds/rows-of-gradients-are-nodes", test_rows_of_gradients);
  g_test_add_func ("/profiler/capture-bounds/texts-are-in-their-section", test_texts);
  return g_test_run ();
}
