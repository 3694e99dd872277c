/* test-tensor-slice.c — which elements a slice shows, at the edges of axes and of huge tensors.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/adapt/tensor-slice.h"
#include "tests/program.h"

#include <math.h>

/* A tensor whose elements are their indices. */
static HybTensor *
new_counting (int rank, const gint64 *dims)
{
  HybTensor *tensor = hyb_tensor_new_float (rank, dims, NULL);
  float     *data = hyb_tensor_get_data (tensor);

  for (gint64 i = 0; i < hyb_tensor_get_size (tensor); i++)
    data[i] = (float) i;
  return tensor;
}

static void
assert_slice (const ScopeSlice *slice, const char *expected)
{
  g_autofree char *text = scope_slice_to_string (slice);

  g_assert_cmpstr (text, ==, expected);
}

static void
assert_refused (const char *text, const char *why)
{
  HybShape   shape = hyb_shape_4d (2, 3, 4, 5);
  ScopeSlice slice;
  g_autoptr (GError) error = NULL;

  scope_slice_init (&slice, &shape);
  g_assert_false (scope_slice_parse (&slice, text, &error));
  g_assert_cmpstr (error->message, ==, why);
  assert_slice (&slice, "[0, 0, :, :]");
}

static void
test_text (void)
{
  HybShape   shape = hyb_shape_4d (2, 3, 4, 5);
  ScopeSlice slice;

  scope_slice_init (&slice, &shape);
  assert_slice (&slice, "[0, 0, :, :]");
  g_assert_true (scope_slice_parse (&slice, " :,2, -1 ,: ", NULL));
  assert_slice (&slice, "[:, 2, 3, :]");
  g_assert_true (scope_slice_parse (&slice, "[1, 0, 0, :]", NULL));
  g_assert_cmpint (scope_slice_get_plane (&slice).rows, ==, 5);
  g_assert_cmpint (scope_slice_get_plane (&slice).columns, ==, 1);
  assert_refused ("0, 3, :, :", "index 3 is outside axis 1, which has 3 elements");
  assert_refused ("-3, 0, :, :", "index -3 is outside axis 0, which has 2 elements");
  assert_refused ("0, :, :", "3 indices are given, but the tensor has 4 axes");
  assert_refused (":, :, :, 0", "3 axes have a colon; at most two can be shown");
  assert_refused ("0, x, :, :", "“x” is neither an index nor a colon");
}

static void
test_elements (void)
{
  HybShape   shape = hyb_shape_4d (2, 3, 4, 5);
  ScopeSlice slice;
  ScopePlane plane;

  scope_slice_init (&slice, &shape);
  g_assert_true (scope_slice_parse (&slice, "[:, 2, 3, :]", NULL));
  plane = scope_slice_get_plane (&slice);
  g_assert_cmpint (scope_plane_locate (&plane, 0, 0), ==, 55);
  g_assert_cmpint (scope_plane_locate (&plane, 1, 4), ==, 119);
  g_assert_cmpint (scope_plane_locate (&plane, 2, 0), ==, -1);
  g_assert_cmpint (scope_plane_locate (&plane, 0, 5), ==, -1);
  g_assert_cmpint (scope_plane_locate (&plane, 0, -1), ==, -1);
}

/* Showing an element and locating it there lead to the same element, whatever the axes. */
static void
test_show (void)
{
  static const char *const texts[] = { "0,0,:,:", ":,0,0,:", "0,:,:,0", "0,0,0,:", "0,0,0,0" };
  HybShape                 shape = hyb_shape_4d (2, 3, 4, 5);

  for (guint t = 0; t < G_N_ELEMENTS (texts); t++)
    for (gint64 element = 0; element < 120; element++)
      {
        ScopeSlice slice;
        ScopePlane plane;
        gint64     row, column;

        scope_slice_init (&slice, &shape);
        g_assert_true (scope_slice_parse (&slice, texts[t], NULL));
        scope_slice_show (&slice, element, &row, &column);
        plane = scope_slice_get_plane (&slice);
        g_assert_cmpint (scope_plane_locate (&plane, row, column), ==, element);
      }
}

static void
test_steps (void)
{
  HybShape   shape = hyb_shape_4d (2, 3, 4, 5);
  ScopeSlice slice;

  scope_slice_init (&slice, &shape);
  g_assert_false (scope_slice_step (&slice, -1));
  g_assert_true (scope_slice_step (&slice, 2));
  assert_slice (&slice, "[0, 2, :, :]");
  g_assert_true (scope_slice_step (&slice, 1));
  assert_slice (&slice, "[1, 0, :, :]");
  g_assert_true (scope_slice_step (&slice, 2));
  g_assert_false (scope_slice_step (&slice, 1));
  assert_slice (&slice, "[1, 2, :, :]");
}

static void
test_small_ranks (void)
{
  HybShape         scalar = hyb_shape_make (0, NULL), vector = hyb_shape_1d (3);
  HybShape         empty = hyb_shape_3d (2, 0, 3);
  ScopeSlice       slice;
  g_autofree char *first = NULL;

  scope_slice_init (&slice, &scalar);
  g_assert_cmpint (scope_slice_get_plane (&slice).rows, ==, 1);
  g_assert_cmpint (scope_slice_get_plane (&slice).columns, ==, 1);
  scope_slice_init (&slice, &vector);
  g_assert_cmpint (scope_slice_get_plane (&slice).rows, ==, 3);
  assert_slice (&slice, "[:]");
  scope_slice_init (&slice, &empty);
  g_assert_cmpint (scope_slice_get_plane (&slice).rows, ==, 0);
  g_assert_false (scope_slice_step (&slice, 2));
  first = scope_element_to_string (&vector, 2);
  g_assert_cmpstr (first, ==, "[2]");
}

/* The table of a kernel of 1 × 1 is more than one number. */
static void
test_axes_of_one (void)
{
  static const struct
  {
    gint64      dims[4];
    const char *slice;
  } all[] = { { { 64, 32, 1, 1 }, "[:, :, 0, 0]" },
              { { 8, 1, 5, 1 }, "[:, 0, :, 0]" },
              { { 1, 1, 1, 9 }, "[0, 0, :, :]" },
              { { 1, 9, 1, 1 }, "[0, :, :, 0]" },
              { { 2, 3, 4, 5 }, "[0, 0, :, :]" } };

  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    {
      HybShape   shape = hyb_shape_make (4, all[i].dims);
      ScopeSlice slice;

      scope_slice_init (&slice, &shape);
      assert_slice (&slice, all[i].slice);
    }
}

/* Parts end where the plane does. */
static void
test_reading (void)
{
  g_autoptr (HybTensor) tensor = new_counting (3, (gint64[]){ 2, 3, 4 });
  ScopeSlice slice;
  ScopePlane plane;
  ScopePart  part = { 1, 2, 9, 9 };
  g_autoptr (HybTensor) table = NULL;
  g_autofree char *text = NULL;

  scope_slice_init (&slice, hyb_tensor_get_shape (tensor));
  g_assert_true (scope_slice_parse (&slice, ":,1,:", NULL));
  plane = scope_slice_get_plane (&slice);
  table = scope_plane_read (&plane, tensor, &part, NULL, NULL);
  g_assert_cmpint (part.n_rows, ==, 1);
  g_assert_cmpint (part.n_columns, ==, 2);
  text = scope_table_to_text (table);
  g_assert_cmpstr (text, ==, "18\t19\n");
  hyb_tensor_unref (table);
  part = (ScopePart){ 2, 0, 5, 5 };
  table = scope_plane_read (&plane, tensor, &part, NULL, NULL);
  g_assert_cmpint (part.n_rows, ==, 0);
  g_assert_cmpint (hyb_tensor_get_size (table), ==, 0);
}

static void
test_image (void)
{
  g_autoptr (HybTensor) tensor = new_counting (2, (gint64[]){ 4, 4 });
  float             *data = hyb_tensor_get_data (tensor);
  ScopeSlice         slice;
  ScopePlane         plane;
  g_autofree double *image = NULL;

  data[5] = -99;
  data[15] = NAN;
  scope_slice_init (&slice, hyb_tensor_get_shape (tensor));
  plane = scope_slice_get_plane (&slice);
  image = scope_plane_draw (&plane, tensor, 2, 2, NULL);
  g_assert_cmpfloat (image[0], ==, -99);
  g_assert_cmpfloat (image[1], ==, 7);
  g_assert_cmpfloat (image[2], ==, 13);
  g_assert_true (isnan (image[3]));
}

/* Indices beyond 32 bits, in a tensor of which only the shape exists. */
static void
test_huge (void)
{
  HybShape   shape = hyb_shape_3d (3, 70000, 70000);
  ScopeSlice slice;
  ScopePlane plane;
  gint64     row, column;

  scope_slice_init (&slice, &shape);
  scope_slice_show (&slice, G_GINT64_CONSTANT (14699999999), &row, &column);
  assert_slice (&slice, "[2, :, :]");
  g_assert_cmpint (row, ==, 69999);
  g_assert_cmpint (column, ==, 69999);
  plane = scope_slice_get_plane (&slice);
  g_assert_cmpint (scope_plane_locate (&plane, row, column), ==, G_GINT64_CONSTANT (14699999999));
}

TEST_PROGRAM (test_tensor_slice)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/adapt/tensor-slice/is-written-as-in-numpy", test_text);
  g_test_add_func ("/app/adapt/tensor-slice/knows-the-edges-of-each-axis", test_elements);
  g_test_add_func ("/app/adapt/tensor-slice/shows-any-element", test_show);
  g_test_add_func ("/app/adapt/tensor-slice/steps-from-slice-to-slice", test_steps);
  g_test_add_func ("/app/adapt/tensor-slice/leaves-out-axes-of-one-element", test_axes_of_one);
  g_test_add_func ("/app/adapt/tensor-slice/has-scalars-vectors-and-empty-tensors",
                   test_small_ranks);
  g_test_add_func ("/app/adapt/tensor-slice/reads-parts-up-to-the-edge", test_reading);
  g_test_add_func ("/app/adapt/tensor-slice/draws-the-largest-magnitude-and-nan", test_image);
  g_test_add_func ("/app/adapt/tensor-slice/counts-beyond-32-bits", test_huge);
  return g_test_run ();
}
