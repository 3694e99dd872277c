/* test-export.c — tests that exported files are well-formed and repeatable.
 *
 * DOT text is read again with cgraph.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/program.h"
#include "tests/viz/read-dot.h"
#include "tests/viz/scenes.h"

#include "viz/export/dot.h"
#include "viz/export/export.h"
#include "viz/fold/fold.h"
#include "viz/scene/layout-diagram.h"

#include <string.h>

static GBytes *export(const VizPicture       *picture,
                      const char             *format,
                      const VizExportOptions *options)
{
  VizExportResult result;
  g_autoptr (GError) error = NULL;
  GBytes *bytes = viz_export_find (format)->write (picture, options, &result, &error);

  g_assert_no_error (error);
  return bytes;
}

static VizPicture *
make_picture (guint scene)
{
  g_autoptr (VizDiagram) diagram = scenes[scene].make ();

  return viz_layout_diagram (diagram, NULL, NULL, NULL, NULL);
}

static void
assert_well_formed (GBytes *bytes)
{
  static const GMarkupParser parser = { NULL };
  GMarkupParseContext       *context = g_markup_parse_context_new (&parser, 0, NULL, NULL);
  g_autoptr (GError) error = NULL;
  gsize       size;
  const char *text = g_bytes_get_data (bytes, &size);

  g_markup_parse_context_parse (context, text, (gssize) size, &error);
  g_assert_no_error (error);
  g_markup_parse_context_end_parse (context, &error);
  g_assert_no_error (error);
  g_markup_parse_context_free (context);
}

static void
test_every_format_repeats_its_bytes (void)
{
  for (guint i = 0; viz_exports ()[i] != NULL; i++)
    {
      g_autoptr (VizPicture) one = make_picture (2), two = make_picture (2);
      VizExportOptions options = { .scale = 1 };
      g_autoptr (GBytes) a = export(one, viz_exports ()[i]->extension, &options);
      g_autoptr (GBytes) b = export(two, viz_exports ()[i]->extension, &options);

      g_test_message ("%s", viz_exports ()[i]->extension);
      g_assert_true (g_bytes_equal (a, b));
    }
}

static void
test_svg_has_names_and_texts (void)
{
  g_autoptr (VizPicture) picture = make_picture (0);
  g_autoptr (GBytes) bytes = export(picture, "svg", &(VizExportOptions){ .scale = 1 });
  g_autoptr (GBytes) outlined = export(picture, "svg", &(VizExportOptions){ .outlined = TRUE });
  g_autofree char *text = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  g_autofree char *shapes =
      g_strndup (g_bytes_get_data (outlined, NULL), g_bytes_get_size (outlined));

  assert_well_formed (bytes);
  assert_well_formed (outlined);
  g_assert_nonnull (strstr (text, "id=\"fc1\""));
  g_assert_nonnull (strstr (text, "<title>FullyConnected"));
  g_assert_nonnull (strstr (text, ">FC</text>"));
  g_assert_null (strstr (shapes, "<text"));
}

static void
test_special_characters_are_escaped (void)
{
  static const char *const names[] = {
    "</text><script>", "a\"b'c&d", "line\nbreak\ttab", "\x01\x02", "مرحبا", "𝔘𝔫𝔦", ""
  };
  VizDiagramBuilder *builder = viz_diagram_builder_new ("<&>");
  g_autoptr (VizDiagram) diagram = NULL, again = NULL;
  g_autoptr (VizPicture) picture = NULL;
  g_autoptr (GBytes) svg = NULL;
  g_autofree char *dot = NULL;
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    viz_diagram_builder_add_box (builder, &(VizBoxInfo){ .id = names[i],
                                                         .title = names[i],
                                                         .subtitle = names[i],
                                                         .shape = names[i] });
  viz_diagram_builder_add_arrow (builder,
                                 &(VizArrowInfo){ .tail = 1, .head = 2, .label = "<&\"\\>" });
  diagram = viz_diagram_builder_freeze (builder);
  picture = viz_layout_diagram (diagram, NULL, NULL, NULL, NULL);
  svg = export(picture, "svg", &(VizExportOptions){ .scale = 1 });
  assert_well_formed (svg);
  dot = viz_dot_write (picture);
  again = dot_read (dot, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (viz_diagram_n_boxes (again), ==, viz_diagram_n_boxes (diagram));
}

/* An arrow to an open group whose only box is drawn elsewhere, so that no node can stand for the group. */
static void
test_dot_leaves_out_arrows_to_groups_without_nodes (void)
{
  VizDiagramBuilder *builder = viz_diagram_builder_new ("d");
  guint32            a, group;
  g_autoptr (VizDiagram) diagram = NULL;
  g_autoptr (VizPicture) picture = NULL;
  g_autofree char *dot = NULL;

  a = viz_diagram_builder_add_box (builder, &(VizBoxInfo){ .id = "a", .title = "a" });
  group = viz_diagram_builder_add_box (builder, &(VizBoxInfo){ .id = "g",
                                                               .title = "g",
                                                               .kind = VIZ_BOX_SCOPE,
                                                               .flags = VIZ_BOX_OPEN });
  viz_diagram_builder_add_box (builder, &(VizBoxInfo){ .id = "w",
                                                       .title = "w",
                                                       .kind = VIZ_BOX_WEIGHT,
                                                       .flags = VIZ_BOX_FOLDED,
                                                       .parent = group });
  viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = a, .head = group });
  diagram = viz_diagram_builder_freeze (builder);
  picture = viz_layout_diagram (diagram, NULL, NULL, NULL, NULL);
  g_assert_cmpuint (viz_picture_n_wires (picture), ==, 1);
  dot = viz_dot_write (picture);
  g_assert_null (strstr (dot, " -> "));
}

static void
test_dot_text_can_be_read_again (void)
{
  VizDiagramBuilder *builder = scene_lstm (4, 2);
  g_autoptr (VizDiagram) diagram = NULL, again = NULL;
  g_autoptr (VizPicture) picture = NULL;
  g_autofree char *dot = NULL;
  g_autoptr (GError) error = NULL;
  guint n_open = 0;

  viz_fold (builder, VIZ_FOLD_ALL, NULL);
  diagram = viz_diagram_builder_freeze (builder);
  picture = viz_layout_diagram (diagram, NULL, NULL, NULL, NULL);
  dot = viz_dot_write (picture);
  again = dot_read (dot, &error);
  g_assert_no_error (error);
  for (guint32 i = 1; i < viz_diagram_n_boxes (again); i++)
    n_open += viz_diagram_box (again, i)->n_children > 0;
  g_assert_cmpuint (n_open, ==, viz_picture_stats (picture)->n_bodies - 1);
  g_assert_cmpuint (viz_diagram_n_arrows (again), ==, viz_picture_n_wires (picture));
  g_assert_null (dot_read ("digraph { a ->", &error));
  g_assert_error (error, VIZ_ERROR, VIZ_ERROR_FORMAT);
}

static void
test_png_stays_inside_its_limits (void)
{
  g_autoptr (VizPicture) picture = make_picture (1);
  VizExportResult result;
  g_autoptr (GBytes) bytes = NULL;

  bytes = viz_export_find ("png")->write (picture,
                                          &(VizExportOptions){ .scale = 100, .max_pixels = 200000 },
                                          &result, NULL);
  g_assert_nonnull (bytes);
  g_assert_cmpuint ((guint64) result.width * result.height, <=, 202000);
  g_assert_cmpfloat (result.scale, <, 100);
}

static void
test_files_have_a_known_format (void)
{
  g_autoptr (VizPicture) picture = make_picture (0);
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = NULL;
  VizExportResult result;

  bytes = viz_export_bytes (picture, "picture.svg", NULL, &result, &error);
  g_assert_no_error (error);
  g_assert_true (g_str_has_prefix (g_bytes_get_data (bytes, NULL), "<"));
  g_assert_cmpuint (result.width, >, 0);
  g_assert_null (viz_export_bytes (picture, "picture.xyz", NULL, NULL, &error));
  g_assert_error (error, VIZ_ERROR, VIZ_ERROR_FORMAT);
}

TEST_PROGRAM (test_export)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/viz/export/every-format-repeats-its-bytes",
                   test_every_format_repeats_its_bytes);
  g_test_add_func ("/viz/export/svg-has-names-and-texts", test_svg_has_names_and_texts);
  g_test_add_func ("/viz/export/special-characters-are-escaped",
                   test_special_characters_are_escaped);
  g_test_add_func ("/viz/export/dot-leaves-out-arrows-to-groups-without-nodes",
                   test_dot_leaves_out_arrows_to_groups_without_nodes);
  g_test_add_func ("/viz/export/dot-text-can-be-read-again", test_dot_text_can_be_read_again);
  g_test_add_func ("/viz/export/png-stays-inside-its-limits", test_png_stays_inside_its_limits);
  g_test_add_func ("/viz/export/files-have-a-known-format", test_files_have_a_known_format);
  return g_test_run ();
}
