/* test-suggest.c — which name is suggested for a misspelt one.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/suggest.h"
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
    g_assert_cmpstr (hyb_suggest_name (names, G_N_ELEMENTS (names), cases[i].text),
                     ==,
                     cases[i].found);
}

TEST_PROGRAM (test_suggest)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/op/suggest/at-most-two-changes-of-a-long-name", test_distance);
  return g_test_run ();
}
