/* test-auto-names.c — unrolled models look the same when their operators have only numbers for names.
 *
 * Models of the gallery are unrolled, and every operator and parameter of a copy gets the name that
 * MXNet makes up: the operator in lower case and a counter.  Both must fold into the same groups, and
 * lie at the same places when texts are left out.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/hscope-fixture.h"
#include "tests/app/models.h"
#include "tests/program.h"

#include "viz/scene/layout-diagram.h"

#include <string.h>

static const char *const models[] = {
  "bidirectional", "bucket-lm",   "ctc-reader",    "foreach-rnn?cell=gru",
  "lstm-foreach",  "lstm-hybrid", "lstm-unrolled", "lstm-lm",
  "residual",      "seq2seq",     "stacked",       "zoneout",
};

/* The name that MXNet's Python interface gives to an operator: a + b is "_plus0". */
static char *
made_up_name (GHashTable *counters, const char *operator)
{
  static const char *const special[][2] = { { "elemwise_add", "_plus" },
                                            { "elemwise_mul", "_mul" },
                                            { "elemwise_sub", "_minus" } };
  g_autofree char         *stem = g_ascii_strdown (operator, - 1);
  guint                    count;

  for (guint i = 0; i < G_N_ELEMENTS (special); i++)
    if (strcmp (operator, special[i][0]) == 0)
      {
        g_free (stem);
        stem = g_strdup (special[i][1]);
      }
  count = GPOINTER_TO_UINT (g_hash_table_lookup (counters, stem));
  g_hash_table_replace (counters, g_strdup (stem), GUINT_TO_POINTER (count + 1));
  return g_strdup_printf ("%s%u", stem, count);
}

static const char *
text_of (const cJSON *node, const char *key)
{
  return cJSON_GetStringValue (cJSON_GetObjectItem (node, key));
}

static void
set_name (cJSON *node, const char *name)
{
  cJSON_ReplaceItemInObject (node, "name", cJSON_CreateString (name));
}

/* Renames the parameters that an operator is the first to read: "fullyconnected3_weight". */
static void
rename_parameters (cJSON *nodes, const cJSON *node, const char *name)
{
  const cJSON *input;

  cJSON_ArrayForEach (input, cJSON_GetObjectItem (node, "inputs"))
  {
    int         from = (int) cJSON_GetNumberValue (cJSON_GetArrayItem (input, 0));
    cJSON      *variable = cJSON_GetArrayItem (nodes, from);
    const char *was = text_of (variable, "name"), *end = strrchr (was, '_');

    if (strcmp (text_of (variable, "op"), "null") == 0 && end &&
        (strcmp (end, "_weight") == 0 || strcmp (end, "_bias") == 0) &&
        !cJSON_GetObjectItem (variable, "renamed"))
      {
        g_autofree char *new_name = g_strconcat (name, end, NULL);

        set_name (variable, new_name);
        cJSON_AddTrueToObject (variable, "renamed");
      }
  }
}

static void
rename_all (const char *from, const char *to)
{
  g_autoptr (GHashTable) counters = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autofree char *text = NULL, *renamed = NULL;
  g_autoptr (cJSON) root = NULL;
  cJSON *nodes, *node;

  g_assert_true (g_file_get_contents (from, &text, NULL, NULL));
  root = cJSON_Parse (text);
  nodes = cJSON_GetObjectItem (root, "nodes");
  cJSON_ArrayForEach (node, nodes)
  {
    g_autofree char *name = NULL;

    if (strcmp (text_of (node, "op"), "null") == 0)
      continue;
    name = made_up_name (counters, text_of (node, "op"));
    set_name (node, name);
    rename_parameters (nodes, node, name);
  }
  cJSON_ArrayForEach (node, nodes) cJSON_DeleteItemFromObject (node, "renamed");
  renamed = cJSON_PrintUnformatted (root);
  g_assert_true (g_file_set_contents (to, renamed, -1, NULL));
}

/* The boxes and arrows of a diagram without their texts. */
static VizDiagram *
without_texts (const VizDiagram *from)
{
  VizDiagramBuilder *builder = viz_diagram_builder_new (NULL);

  for (guint32 i = 1; i < viz_diagram_n_boxes (from); i++)
    {
      const VizBox *box = viz_diagram_box (from, i);
      guint32       copy = viz_diagram_builder_add_box (builder, &(VizBoxInfo){ .title = "x",
                                                                                .kind = box->kind,
                                                                                .category = box->category,
                                                                                .flags = box->flags,
                                                                                .user = VIZ_NO_USER });

      if (box->flags & VIZ_BOX_HEADER)
        viz_diagram_builder_set_header (builder, copy, box->layer);
      else if (box->step >= 0)
        viz_diagram_builder_set_step (builder, copy, box->step, box->layer);
    }
  for (guint32 i = 1; i < viz_diagram_n_boxes (from); i++)
    viz_diagram_builder_set_parent (builder, i, viz_diagram_box (from, i)->parent);
  for (guint32 i = 0; i < viz_diagram_n_arrows (from); i++)
    {
      const VizArrow *arrow = viz_diagram_arrow (from, i);

      viz_diagram_builder_add_arrow (builder, &(VizArrowInfo){ .tail = arrow->tail,
                                                               .head = arrow->head,
                                                               .output = arrow->output,
                                                               .kind = arrow->kind });
    }
  return viz_diagram_builder_freeze (builder);
}

static void
assert_same_folds (const VizDiagram *named, const VizDiagram *renamed)
{
  g_assert_cmpuint (viz_diagram_n_boxes (renamed), ==, viz_diagram_n_boxes (named));
  g_assert_cmpuint (viz_diagram_n_arrows (renamed), ==, viz_diagram_n_arrows (named));
  for (guint32 i = 1; i < viz_diagram_n_boxes (named); i++)
    {
      const VizBox *a = viz_diagram_box (named, i), *b = viz_diagram_box (renamed, i);

      g_assert_cmpint (b->kind, ==, a->kind);
      g_assert_cmpuint (b->parent, ==, a->parent);
      g_assert_cmpint (b->step, ==, a->step);
      g_assert_cmpint (b->layer, ==, a->layer);
      g_assert_cmpuint (b->flags, ==, a->flags);
    }
}

static void
assert_same_places (const VizDiagram *named, const VizDiagram *renamed)
{
  g_autoptr (VizDiagram) a = without_texts (named), b = without_texts (renamed);
  g_autoptr (VizPicture) left = viz_layout_diagram (a, NULL, NULL, NULL, NULL);
  g_autoptr (VizPicture) right = viz_layout_diagram (b, NULL, NULL, NULL, NULL);

  g_assert_cmpuint (viz_picture_n_items (left), ==, viz_picture_n_items (right));
  for (guint32 i = 0; i < viz_picture_n_items (left); i++)
    {
      const VizItem *one = viz_picture_item (left, i), *other = viz_picture_item (right, i);

      g_assert_cmpfloat (one->x, ==, other->x);
      g_assert_cmpfloat (one->y, ==, other->y);
      g_assert_cmpfloat (one->width, ==, other->width);
      g_assert_cmpfloat (one->height, ==, other->height);
    }
}

static guint
count_cells (const VizDiagram *diagram)
{
  guint n = 0;

  for (guint32 i = 1; i < viz_diagram_n_boxes (diagram); i++)
    n += viz_diagram_box (diagram, i)->step >= 0;
  return n;
}

static void
test_made_up_names (Fixture *fixture, gconstpointer data)
{
  const char      *model = data;
  g_autofree char *line =
      g_strdup_printf ("hscope convert 'gallery:%s' --to unrolled --output net || "
                       "hscope new '%s' --output net",
                       model, model);
  g_autofree char *file = in_folder (fixture, "net-symbol.json");
  g_autofree char *other = in_folder (fixture, "auto-symbol.json");
  g_autoptr (VizDiagram) named = NULL, renamed = NULL;

  fixture_run_line (fixture, line);
  rename_all (file, other);
  named = models_diagram (file, NULL);
  renamed = models_diagram (other, NULL);
  g_assert_nonnull (named);
  g_assert_nonnull (renamed);
  g_assert_cmpuint (count_cells (named), >, 4);
  assert_same_folds (named, renamed);
  assert_same_places (named, renamed);
}

TEST_PROGRAM (test_auto_names)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (models); i++)
    {
      g_autofree char *path =
          g_strconcat ("/pictures/made-up-names-look-as-given-ones/", models[i], NULL);

      g_test_add (path, Fixture, models[i], fixture_set_up, test_made_up_names, fixture_tear_down);
    }
  return g_test_run ();
}
