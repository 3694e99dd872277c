/* test-plan-operands.c — types of operands: equal ones share memory, those that are kept do not.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/exec/plan-operands.h"
#include "tests/program.h"

#include <string.h>

/* What lies behind the rank differs, as it does between types that were made in different ways. */
static HybType
make_type (gint64 rows, gint64 columns, HybDType dtype)
{
  HybType type;

  memset (&type, (int) rows, sizeof type);
  type.shape.rank = 2;
  type.shape.dim[0] = rows;
  type.shape.dim[1] = columns;
  type.dtype = dtype;
  return type;
}

static void
test_equal_types_share (void)
{
  HybOperands *operands = hyb_operands_new ();
  HybType      room[2] = { make_type (3, 4, HYB_F32), make_type (3, 4, HYB_F32) };
  HybType     *first = hyb_operands_share (operands, 2, room);
  HybType     *second;

  memset (&room[0].shape.dim[2], 7, sizeof (gint64));
  second = hyb_operands_share (operands, 2, room);
  g_assert_true (first == second);
  g_assert_true (first != room);
  g_assert_cmpint (first[1].shape.dim[1], ==, 4);
  hyb_operands_free (operands);
}

static void
test_other_types_do_not (void)
{
  HybOperands *operands = hyb_operands_new ();
  HybType      room[3] = { make_type (3, 4, HYB_F32), make_type (3, 4, HYB_F64),
                           make_type (4, 3, HYB_F32) };
  HybType     *found[4];

  for (guint i = 0; i < 3; i++)
    found[i] = hyb_operands_share (operands, 1, &room[i]);
  found[3] = hyb_operands_share (operands, 2, room);
  for (guint i = 0; i < 4; i++)
    for (guint k = 0; k < i; k++)
      g_assert_true (found[i] != found[k]);
  g_assert_cmpint (found[1]->dtype, ==, HYB_F64);
  g_assert_cmpint (found[2]->shape.dim[0], ==, 4);
  hyb_operands_free (operands);
}

static void
test_kept_types_have_room (void)
{
  HybOperands *operands = hyb_operands_new ();
  HybType      type = make_type (3, 4, HYB_F16);
  HybType     *shared = hyb_operands_share (operands, 1, &type);
  HybType     *one = hyb_operands_keep (operands, 1, &type);
  HybType     *other = hyb_operands_keep (operands, 1, &type);

  g_assert_true (one != shared && one != other);
  one[1] = make_type (3, 4, HYB_F32);
  g_assert_cmpint (other[0].dtype, ==, HYB_F16);
  hyb_operands_free (operands);
  hyb_operands_free (NULL);
}

TEST_PROGRAM (test_plan_operands)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/exec/plan-operands/equal-types-share", test_equal_types_share);
  g_test_add_func ("/engine/exec/plan-operands/other-types-do-not", test_other_types_do_not);
  g_test_add_func ("/engine/exec/plan-operands/kept-types-have-room", test_kept_types_have_room);
  return g_test_run ();
}
