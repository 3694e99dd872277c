/* test-tab-titles.c — titles of tabs keep what differs.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/window/tab-titles.h"
#include "tests/program.h"

static void
assert_titles (const ScopeTab *tabs, guint n, guint room, const char *expected)
{
  g_auto (GStrv) titles = scope_tab_titles_new (tabs, n, room);
  g_autofree char *joined = g_strjoinv (" | ", titles);

  g_assert_cmpuint (g_strv_length (titles), ==, n);
  g_assert_cmpstr (joined, ==, expected);
}

#define ASSERT_TITLES(expected, ...)                        \
  G_STMT_START                                              \
  {                                                         \
    const ScopeTab tabs[] = { __VA_ARGS__ };                \
                                                            \
    assert_titles (tabs, G_N_ELEMENTS (tabs), 0, expected); \
  }                                                         \
  G_STMT_END

static void
test_one_name_is_whole (void)
{
  ASSERT_TITLES ("resnet50_v1_imagenet", { "resnet50_v1_imagenet", "/models" });
  assert_titles (NULL, 0, 0, "");
}

static void
test_ends_that_are_shared_are_cut (void)
{
  ASSERT_TITLES ("resnet18… | resnet50… | mlp", { "resnet18_imagenet", "/m" },
                 { "resnet50_imagenet", "/m" }, { "mlp", "/m" });
}

static void
test_beginnings_that_are_shared_are_cut (void)
{
  ASSERT_TITLES ("…large | …small", { "speech-model-large", "/m" }, { "speech-model-small", "/m" });
}

/* Cutting both ends would leave “v1” of two of them. */
static void
test_the_rest_differs (void)
{
  ASSERT_TITLES ("resnet18_v1… | resnet18_v1b… | resnet50_v1…",
                 { "resnet18_v1_classification", "/m" }, { "resnet18_v1b_classification", "/m" },
                 { "resnet50_v1_classification", "/m" });
}

static void
test_equal_names_have_their_folders (void)
{
  ASSERT_TITLES ("a/net | b/net | lstm", { "net", "/models/a" }, { "net", "/models/b" },
                 { "lstm", NULL });
  ASSERT_TITLES ("net | net | ", { "net", NULL }, { "net", NULL }, { "", NULL });
}

/* Words are not cut, nor short ends. */
static void
test_short_ends_stay (void)
{
  ASSERT_TITLES ("a_net | b_net", { "a_net", "/m" }, { "b_net", "/m" });
  ASSERT_TITLES ("détaché | détachée", { "détaché", "/m" }, { "détachée", "/m" });
}

/* The tab of a comparison has the name of its model. */
static void
test_a_whole_name_stays (void)
{
  ASSERT_TITLES ("lstm-unrolled | Compare: lstm-unrolled", { "lstm-unrolled", "/m" },
                 { "Compare: lstm-unrolled", "/m" });
}

/* “lstm… | gru…” says less than there is room for. */
static void
test_names_with_room_stay (void)
{
  const ScopeTab tabs[] = { { "lstm-foreach", "/m" }, { "gru-foreach", "/m" } };

  assert_titles (tabs, 2, 8, "lstm… | gru…");
  assert_titles (tabs, 2, 11, "lstm… | gru-foreach");
  assert_titles (tabs, 2, 12, "lstm-foreach | gru-foreach");
}

TEST_PROGRAM (test_tab_titles)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/tab-titles/one-name-is-whole", test_one_name_is_whole);
  g_test_add_func ("/app/tab-titles/ends-that-are-shared-are-cut",
                   test_ends_that_are_shared_are_cut);
  g_test_add_func ("/app/tab-titles/beginnings-that-are-shared-are-cut",
                   test_beginnings_that_are_shared_are_cut);
  g_test_add_func ("/app/tab-titles/the-rest-differs", test_the_rest_differs);
  g_test_add_func ("/app/tab-titles/equal-names-have-their-folders",
                   test_equal_names_have_their_folders);
  g_test_add_func ("/app/tab-titles/short-ends-stay", test_short_ends_stay);
  g_test_add_func ("/app/tab-titles/a-whole-name-stays", test_a_whole_name_stays);
  g_test_add_func ("/app/tab-titles/names-with-room-stay", test_names_with_room_stay);
  return g_test_run ();
}
