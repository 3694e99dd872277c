/* test-suggest.c — which name is suggested for a misspelt one.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/suggest.h"

#include "engine/op/op.h"
#include "tests/program.h"

static void
test_distance (void)
{
  static const char *const names[] = { "Convolution", "FullyConnected", "Pooling", "relu", "tanh" };
  static const struct
  {
    const char *text, *found;
  } cases[] = {
    { "Convolution", "Convolution" },
    { "Convolutoin", "Convolution" }, /* two letters swapped */
    { "Convoluion", "Convolution" },
    { "Convvolutiom", "Convolution" }, /* two changes */
    { "Convvoluttiom", NULL },         /* three changes */
    { "oCnvolutino", "Convolution" },
    { "oCnvlutino", NULL },
    { "fullyconnected", "FullyConnected" },
    { "rel", "relu" }, /* one change of three letters */
    { "re", NULL },
    { "tahn", "tanh" },
    { "", NULL },
    { "tnha", NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_cmpstr (hyb_suggest_name (names, G_N_ELEMENTS (names), cases[i].text), ==,
                     cases[i].found);
}

static void
test_choices (void)
{
  static const struct
  {
    const char *text, *meant;
  } cases[] = {
    { "maximum", "max" }, { "Max", "max" },   { "average", "avg" },
    { "mxa", "max" },     { "median", NULL }, { "max", NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_cmpstr (hyb_suggest_choice (hyb_op_find ("Pooling")->params,
                                         (const char *const[]){ "kernel", "(2, 2)", "pool_type",
                                                                cases[i].text, NULL }),
                     ==, cases[i].meant);
}

TEST_PROGRAM (test_suggest)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/op/suggest/at-most-two-changes-of-a-long-name", test_distance);
  g_test_add_func ("/engine/op/suggest/the-nearest-word-of-a-list", test_choices);
  return g_test_run ();
}
