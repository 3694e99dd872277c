/* test-names.c — tests what boxes are called, and activations as strips on their layers.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/program.h"
#include "tests/viz/recording-pen.h"

#include "viz/diagram/box-text.h"
#include "viz/diagram/common-prefix.h"
#include "viz/diagram/short-names.h"
#include "viz/paint/paint.h"
#include "viz/scene/layout-diagram.h"

#include <string.h>

/* A box of a test. */
typedef struct
{
  const char *title, *name, *attribute, *shape;
  VizCategory category;
  guint32     parent;
} Box;

static guint32
add (VizDiagramBuilder *builder, Box box)
{
  const char *attributes[] = { box.attribute, NULL };

  return viz_diagram_builder_add_box (builder, &(VizBoxInfo){ .id = box.name,
                                                              .title = box.title,
                                                              .subtitle = box.name,
                                                              .shape = box.shape,
                                                              .attributes = attributes,
                                                              .kind = VIZ_BOX_OPERATOR,
                                                              .category = box.category,
                                                              .parent = box.parent,
                                                              .user = VIZ_NO_USER });
}

static void
join (VizDiagramBuilder *builder, guint32 tail, guint32 head)
{
  viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = tail,
                                                           .head = head,
                                                           .tail_port = VIZ_NO_PORT,
                                                           .head_port = VIZ_NO_PORT,
                                                           .label = "1×8" });
}

static const char *
line (const GArray *lines, guint i)
{
  return g_array_index (lines, VizTextLine, i).text;
}

static void
test_operators_have_short_names (void)
{
  static const struct
  {
    const char *title, *attribute, *shown;
  } cases[] = {
    { "FullyConnected", NULL, "FC" },
    { "elemwise_add", NULL, "add" },
    { "Activation", "act_type tanh", "tanh" },
    { "Activation", NULL, "Activation" },
    { "Pooling", "pool_type avg", "avg pool" },
    { "Pooling", "kernel 2×2", "max pool" },
    { "_mul_scalar", "scalar 0.5", "× 0.5" },
    { "_contrib_unknown", NULL, "unknown" },
    { "MyOperator", NULL, "MyOperator" },
    { "_plus_scalar", NULL, "+ 1" },
    { "_lesser_equal_scalar", "scalar 5", "≤ 5" },
    { "_contrib_quantize_v2", NULL, "quantize" },
    { "_contrib_interleaved_matmul_selfatt_qk", "heads 8", "self-attention scores" },
    { "_contrib_interleaved_matmul_encdec_valatt", "heads 8", "attention output" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      VizDiagramBuilder *builder = viz_diagram_builder_new ("d");
      guint32 box = add (builder, (Box){ cases[i].title, "n", cases[i].attribute, NULL, 0, 0 });
      g_autoptr (VizDiagram) diagram = viz_diagram_builder_freeze (builder);
      g_autofree char *title = viz_short_title (diagram, box, NULL);

      g_assert_cmpstr (title, ==, cases[i].shown);
    }
}

static void
test_names_leave_out_what_their_group_says (void)
{
  VizDiagramBuilder *builder = viz_diagram_builder_new ("d");
  guint32 stage = viz_diagram_builder_add_box (builder, &(VizBoxInfo){ .title = "net0_stage1",
                                                                       .kind = VIZ_BOX_SCOPE,
                                                                       .parent = VIZ_ROOT });
  guint32 inside = add (builder, (Box){ "dot", "net0_stage1_conv0_fwd", NULL, NULL, 0, stage });
  guint32 outside = add (builder, (Box){ "dot", "net0_dense0_fwd", NULL, NULL, 0, VIZ_ROOT });
  guint32 other = add (builder, (Box){ "dot", "_plus0", NULL, NULL, 0, stage });
  g_autoptr (VizDiagram) diagram = viz_diagram_builder_freeze (builder);
  g_autofree char *a = viz_short_subtitle (diagram, inside);
  g_autofree char *b = viz_short_subtitle (diagram, outside);
  g_autofree char *c = viz_short_subtitle (diagram, other);

  g_assert_cmpstr (a, ==, "conv0");
  g_assert_cmpstr (b, ==, "net0_dense0");
  g_assert_cmpstr (c, ==, "plus0");
}

/* A model whose first group has this title, and operators with a common prefix. */
static VizDiagramBuilder *
build_stage (const char *title, guint32 *conv, guint32 *stage)
{
  VizDiagramBuilder *builder = viz_diagram_builder_new ("d");

  *conv = add (builder, (Box){ "dot", "resnetv10_conv0_fwd", NULL, NULL, 0, VIZ_ROOT });
  *stage = viz_diagram_builder_add_box (builder, &(VizBoxInfo){ .title = title,
                                                                .kind = VIZ_BOX_SCOPE,
                                                                .parent = VIZ_ROOT });
  add (builder, (Box){ "dot", "resnetv10_stage1_conv1_fwd", NULL, NULL, 0, *stage });
  return builder;
}

/* The prefix of nearly all names stands for the whole model, and is not repeated in every box. */
static void
test_prefix_of_all_names_is_left_out (void)
{
  guint32            conv, stage;
  VizDiagramBuilder *builder = build_stage ("resnetv10_stage1", &conv, &stage);
  guint32            output =
      viz_diagram_builder_add_box (builder, &(VizBoxInfo){ .title = "resnetv10_dense0_fwd_output",
                                                           .kind = VIZ_BOX_OUTPUT,
                                                           .parent = VIZ_ROOT });
  g_autoptr (VizDiagram) diagram = NULL;
  g_autofree char *a = NULL, *b = NULL, *c = NULL;

  add (builder, (Box){ "dot", "resnetv10_dense0_fwd", NULL, NULL, 0, VIZ_ROOT });
  diagram = viz_diagram_builder_freeze (builder);
  a = viz_short_subtitle (diagram, conv);
  b = viz_short_title (diagram, stage, NULL);
  c = viz_short_title (diagram, output, NULL);
  g_assert_cmpstr (viz_diagram_common_prefix (diagram), ==, "resnetv10_");
  g_assert_cmpstr (a, ==, "conv0");
  g_assert_cmpstr (b, ==, "stage1");
  g_assert_cmpstr (c, ==, "dense0_fwd");
}

/* The name that comes first need not have it. */
static void
test_prefix_is_what_four_of_five_names_begin_with (void)
{
  static const char *const most[] = { "split0", "net0_cell_a", "net0_cell_b", "net0_cell_c",
                                      "net0_dense0" };
  static const char *const few[] = { "split0", "stack0", "net0_a", "net0_b", "net0_c", "net0_d" };
  g_autofree char         *common = viz_common_prefix (most, G_N_ELEMENTS (most));
  g_autofree char         *none = viz_common_prefix (few, G_N_ELEMENTS (few));

  g_assert_cmpstr (common, ==, "net0_");
  g_assert_cmpstr (none, ==, "");
}

/* “/decoder/self_attn/Add” belongs to the module self_attn: its underscore separates nothing. */
static void
test_paths_of_modules_have_no_prefix_of_words (void)
{
  static const char *const names[] = { "/my_net/a/Add", "/my_net/b/Add", "/my_net/c/Add" };
  g_autofree char         *common = viz_common_prefix (names, G_N_ELEMENTS (names));
  VizDiagramBuilder       *builder = viz_diagram_builder_new ("d");
  guint32 group = viz_diagram_builder_add_box (builder, &(VizBoxInfo){ .title = "my_net",
                                                                       .kind = VIZ_BOX_SCOPE,
                                                                       .parent = VIZ_ROOT });
  guint32 inside = add (builder, (Box){ "Add", "/my_net/a/Add", NULL, NULL, 0, group });
  guint32 outside = add (builder, (Box){ "Add", "/head/Add", NULL, NULL, 0, VIZ_ROOT });
  g_autoptr (VizDiagram) diagram = viz_diagram_builder_freeze (builder);
  g_autofree char *a = viz_short_subtitle (diagram, inside);
  g_autofree char *b = viz_short_subtitle (diagram, outside);

  g_assert_cmpstr (common, ==, "");
  g_assert_cmpstr (a, ==, "a/Add");
  g_assert_cmpstr (b, ==, "/head/Add");
}

/* The title of the loop shows the name that its outputs begin with. */
static void
test_outputs_of_loops_leave_out_its_name (void)
{
  VizDiagramBuilder *builder = viz_diagram_builder_new ("d");
  guint32            loop = viz_diagram_builder_add_box (builder, &(VizBoxInfo){ .title = "foreach",
                                                                                 .subtitle = "fn0__foreach0",
                                                                                 .kind = VIZ_BOX_FRAME,
                                                                                 .parent = VIZ_ROOT });
  guint32            outputs[2];
  g_autoptr (VizDiagram) diagram = NULL;

  for (guint i = 0; i < 2; i++)
    {
      g_autofree char *name = g_strdup_printf ("fn0__foreach0_output%u", i);

      outputs[i] = viz_diagram_builder_add_box (builder, &(VizBoxInfo){ .title = name,
                                                                        .kind = VIZ_BOX_OUTPUT,
                                                                        .parent = VIZ_ROOT });
      join (builder, loop, outputs[i]);
    }
  diagram = viz_diagram_builder_freeze (builder);
  for (guint i = 0; i < 2; i++)
    {
      g_autofree char *shown = viz_short_title (diagram, outputs[i], NULL);

      g_assert_cmpstr (shown, ==, i == 0 ? "output0" : "output1");
    }
}

/* The texts of a picture at a scale.  (transfer full) */
static GArray *
texts_at (const VizPicture *picture, double scale)
{
  GArray *texts = recording_pen_texts ();
  VizPen *pen = recording_pen_new (texts, viz_picture_font (picture));

  viz_paint_with (picture, pen, &(VizPaintOptions){ .scale = scale });
  viz_pen_free (pen);
  return texts;
}

/* In the margin, where nothing else is, also when it is enlarged. */
static void
test_prefix_of_all_names_is_shown_once (void)
{
  static const char *const names[] = { "net0_conv0_fwd", "net0_conv1_fwd", "net0_conv2_fwd",
                                       "net0_dense0" };
  VizDiagramBuilder       *builder = viz_diagram_builder_new ("d");
  g_autoptr (VizDiagram) diagram = NULL;
  g_autoptr (VizPicture) picture = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    add (builder, (Box){ "dot", names[i], NULL, NULL, 0, VIZ_ROOT });
  diagram = viz_diagram_builder_freeze (builder);
  picture = viz_layout_diagram (diagram, NULL, NULL, NULL, NULL);
  for (double scale = 0.5; scale <= 1; scale += 0.25)
    {
      g_autoptr (GArray) texts = texts_at (picture, scale);
      guint n_shown = 0;

      for (guint i = 0; i < texts->len; i++)
        {
          const RecordedText *text = &g_array_index (texts, RecordedText, i);

          if (!strstr (text->text, "net0"))
            continue;
          g_assert_cmpstr (text->text, ==, "net0");
          g_assert_cmpfloat (text->rect.y, >=, 0);
          g_assert_cmpfloat (text->rect.y + text->rect.height, <, viz_picture_item (picture, 1)->y);
          n_shown++;
        }
      g_assert_cmpuint (n_shown, ==, 1);
    }
}

/* Once a scale is large enough for a whole title, it is for every larger one: a title that is made smaller to fill its box is not
 * cut by rounding. */
static void
test_titles_that_fill_their_boxes_are_not_cut (void)
{
  VizDiagramBuilder *builder = viz_diagram_builder_new ("d");
  g_autoptr (VizDiagram) diagram = NULL;
  g_autoptr (VizPicture) picture = NULL;
  gboolean was_whole = FALSE;

  add (builder, (Box){ "embedding", "e", NULL, NULL, 0, VIZ_ROOT });
  diagram = viz_diagram_builder_freeze (builder);
  picture = viz_layout_diagram (diagram, NULL, NULL, NULL, NULL);
  for (double scale = 0.3; scale <= 1; scale += 0.001)
    {
      g_autoptr (GArray) texts = texts_at (picture, scale);
      gboolean is_whole = FALSE;

      for (guint i = 0; i < texts->len; i++)
        is_whole |= g_str_equal (g_array_index (texts, RecordedText, i).text, "embedding");
      g_assert_true (is_whole || !was_whole);
      was_whole = is_whole;
    }
  g_assert_true (was_whole);
}

static void
test_no_cut_text_ends_with_two_ellipses (void)
{
  static const char title[] = "conv … Concat (8)";

  for (guint n = 2; n < sizeof title; n++)
    {
      g_autofree char *cut = viz_text_cut (title, n);

      g_assert_cmpuint (g_utf8_strlen (cut, -1), <=, n);
      g_assert_true (n >= g_utf8_strlen (title, -1) || g_str_has_suffix (cut, "…"));
      g_assert_null (strstr (cut, "……"));
      g_assert_null (strstr (cut, "… …"));
    }
}

/* A group that was found by its structure has a title of operators, and names as any other inside. */
static void
test_titles_of_operators_do_not_hide_the_prefix (void)
{
  guint32            conv, stage;
  VizDiagramBuilder *builder = build_stage ("conv … Concat", &conv, &stage);
  guint32 dense = add (builder, (Box){ "dot", "resnetv10_dense0_fwd", NULL, NULL, 0, VIZ_ROOT });
  g_autoptr (VizDiagram) diagram = viz_diagram_builder_freeze (builder);
  g_autofree char *a = viz_short_subtitle (diagram, conv);
  g_autofree char *b = viz_short_subtitle (diagram, dense);
  g_autofree char *c = viz_short_title (diagram, stage, NULL);

  g_assert_cmpstr (a, ==, "conv0");
  g_assert_cmpstr (b, ==, "dense0");
  g_assert_cmpstr (c, ==, "conv … Concat");
}

static void
test_long_names_wrap_before_they_are_cut (void)
{
  static const char name[] =
      "encoder_layer_with_a_long_name_attention_projection_of_the_queries_and_keys";
  VizDiagramBuilder *builder = viz_diagram_builder_new ("d");
  guint32            box = add (builder, (Box){ "dot", name, NULL, NULL, 0, VIZ_ROOT });
  g_autoptr (VizDiagram) diagram = viz_diagram_builder_freeze (builder);
  g_autoptr (GArray) lines = viz_box_lines (diagram, box, -1, -1, VIZ_DETAIL_BRIEF);
  gsize first;

  g_assert_cmpuint (lines->len, ==, 3);
  first = strlen (line (lines, 1));
  g_assert_cmpint (strncmp (line (lines, 1), name, first), ==, 0);
  g_assert_cmpint (line (lines, 1)[first - 1], ==, '_');
  /* The second line goes on where the first one ends, and is cut at its end. */
  g_assert_true (g_str_has_suffix (line (lines, 2), "…"));
  g_assert_cmpint (strncmp (line (lines, 2), name + first, strlen (line (lines, 2)) - strlen ("…")),
                   ==, 0);
}

/* The letters of a title are larger, so that fewer fit a line. */
static void
test_long_outputs_wrap_before_they_are_cut (void)
{
  VizDiagramBuilder *builder = viz_diagram_builder_new ("d");
  guint32            box =
      viz_diagram_builder_add_box (builder, &(VizBoxInfo){
                                                .title = "hybridsequentialrnncell0_lstm0_t5_state",
                                                .kind = VIZ_BOX_OUTPUT,
                                                .parent = VIZ_ROOT });
  g_autoptr (VizDiagram) diagram = viz_diagram_builder_freeze (builder);
  g_autoptr (GArray) lines = viz_box_lines (diagram, box, -1, -1, VIZ_DETAIL_TITLE);

  g_assert_cmpuint (lines->len, ==, 2);
  g_assert_cmpstr (line (lines, 0), ==, "hybridsequentialrnncell0_");
  g_assert_cmpstr (line (lines, 1), ==, "lstm0_t5_state");
}

/* Operators that the table of short names does not have. */
static void
test_long_operators_wrap_before_they_are_cut (void)
{
  VizDiagramBuilder *builder = viz_diagram_builder_new ("d");
  Box     long_one = { "_contrib_interleaved_matmul_cross_window", "n", NULL, NULL, 0, 0 };
  guint32 box = add (builder, long_one);
  g_autoptr (VizDiagram) diagram = viz_diagram_builder_freeze (builder);
  g_autoptr (GArray) lines = viz_box_lines (diagram, box, -1, -1, VIZ_DETAIL_TITLE);

  g_assert_cmpuint (lines->len, ==, 2);
  g_assert_cmpstr (line (lines, 0), ==, "interleaved_matmul_cross_");
  g_assert_cmpstr (line (lines, 1), ==, "window");
}

/* conv → BatchNorm → Activation → FC, with shapes and a second reader as the case asks for. */
static VizPicture *
stack (const char *shape, gboolean has_second_reader)
{
  VizDiagramBuilder *builder = viz_diagram_builder_new ("d");
  guint32            conv =
      add (builder, (Box){ "Convolution", "c", NULL, "1×8", VIZ_CATEGORY_CONVOLUTION, 0 });
  guint32 norm =
      add (builder, (Box){ "BatchNorm", "b", NULL, "1×8", VIZ_CATEGORY_NORMALISATION, 0 });
  guint32 relu = add (builder, (Box){ "Activation", "r", "act_type relu", shape,
                                      VIZ_CATEGORY_ELEMENTWISE, 0 });
  guint32 last = add (builder, (Box){ "FullyConnected", "f", NULL, "1×2", VIZ_CATEGORY_LINEAR, 0 });
  g_autoptr (VizDiagram) diagram = NULL;

  join (builder, conv, norm);
  join (builder, norm, relu);
  join (builder, relu, last);
  if (has_second_reader)
    join (builder, norm, last);
  diagram = viz_diagram_builder_freeze (builder);
  return viz_layout_diagram (diagram, NULL, NULL, NULL, NULL);
}

static const VizItem *
item (const VizPicture *picture, const char *id)
{
  guint32 box = viz_diagram_find_id (viz_picture_diagram (picture), id);

  return viz_picture_item (picture, viz_picture_find_box (picture, box));
}

static void
test_activations_are_strips_on_their_layer (void)
{
  g_autoptr (VizPicture) picture = stack ("1×8", FALSE);
  const VizItem *conv = item (picture, "c"), *norm = item (picture, "b"),
                *relu = item (picture, "r");
  guint n_drawn = 0;

  g_assert_cmpuint (conv->host, ==, VIZ_NO_ITEM);
  g_assert_cmpuint (norm->host, ==, viz_picture_find_box (picture, conv->box));
  g_assert_cmpuint (relu->host, ==, norm->host);
  g_assert_cmpfloat (norm->y, ==, conv->y + conv->height);
  g_assert_cmpfloat (relu->y, ==, norm->y + norm->height);
  g_assert_cmpfloat (relu->width, ==, conv->width);
  g_assert_cmpfloat (conv->stack, ==, conv->height + norm->height + relu->height);
  /* Only the wire to the next layer is drawn, and it leaves the lowest strip. */
  for (guint32 i = 0; i < viz_picture_n_wires (picture); i++)
    if (viz_picture_wire (picture, i)->n_points > 0)
      {
        n_drawn++;
        g_assert_cmpfloat (viz_picture_points (picture, i)[0].y, ==, relu->y + relu->height);
      }
  g_assert_cmpuint (n_drawn, ==, 1);
}

static void
test_what_is_read_or_changed_in_between_stands_alone (void)
{
  g_autoptr (VizPicture) read = stack ("1×8", TRUE), changed = stack ("1×4", FALSE);

  g_assert_cmpuint (item (read, "b")->host, !=, VIZ_NO_ITEM);
  g_assert_cmpuint (item (read, "r")->host, ==, VIZ_NO_ITEM);
  g_assert_cmpuint (item (changed, "b")->host, !=, VIZ_NO_ITEM);
  g_assert_cmpuint (item (changed, "r")->host, ==, VIZ_NO_ITEM);
}

/* The shape of a layer stands in its box, not on its wires, too. */
static void
test_shapes_are_printed_once (void)
{
  g_autoptr (VizPicture) picture = stack ("1×8", FALSE);
  g_autoptr (VizPicture) brief =
      viz_layout_diagram (viz_picture_diagram (picture), NULL,
                          &(VizLayoutOptions){ .detail = VIZ_DETAIL_BRIEF }, NULL, NULL);
  guint n_full = 0, n_brief = 0;

  for (guint32 i = 0; i < viz_picture_n_wires (picture); i++)
    {
      n_full += viz_picture_wire (picture, i)->has_label;
      n_brief += viz_picture_wire (brief, i)->has_label;
    }
  g_assert_cmpuint (n_full, ==, 0);
  g_assert_cmpuint (n_brief, ==, 1);
}

TEST_PROGRAM (test_names)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/names/operators-have-short-names", test_operators_have_short_names);
  g_test_add_func ("/names/names-leave-out-what-their-group-says",
                   test_names_leave_out_what_their_group_says);
  g_test_add_func ("/names/titles-of-operators-do-not-hide-the-prefix",
                   test_titles_of_operators_do_not_hide_the_prefix);
  g_test_add_func ("/names/prefix-of-all-names-is-left-out", test_prefix_of_all_names_is_left_out);
  g_test_add_func ("/names/prefix-is-what-four-of-five-names-begin-with",
                   test_prefix_is_what_four_of_five_names_begin_with);
  g_test_add_func ("/names/paths-of-modules-have-no-prefix-of-words",
                   test_paths_of_modules_have_no_prefix_of_words);
  g_test_add_func ("/names/outputs-of-loops-leave-out-its-name",
                   test_outputs_of_loops_leave_out_its_name);
  g_test_add_func ("/names/prefix-of-all-names-is-shown-once",
                   test_prefix_of_all_names_is_shown_once);
  g_test_add_func ("/names/titles-that-fill-their-boxes-are-not-cut",
                   test_titles_that_fill_their_boxes_are_not_cut);
  g_test_add_func ("/names/no-cut-text-ends-with-two-ellipses",
                   test_no_cut_text_ends_with_two_ellipses);
  g_test_add_func ("/names/long-names-wrap-before-they-are-cut",
                   test_long_names_wrap_before_they_are_cut);
  g_test_add_func ("/names/long-outputs-wrap-before-they-are-cut",
                   test_long_outputs_wrap_before_they_are_cut);
  g_test_add_func ("/names/long-operators-wrap-before-they-are-cut",
                   test_long_operators_wrap_before_they_are_cut);
  g_test_add_func ("/names/activations-are-strips-on-their-layer",
                   test_activations_are_strips_on_their_layer);
  g_test_add_func ("/names/what-is-read-or-changed-in-between-stands-alone",
                   test_what_is_read_or_changed_in_between_stands_alone);
  g_test_add_func ("/names/shapes-are-printed-once", test_shapes_are_printed_once);
  return g_test_run ();
}
