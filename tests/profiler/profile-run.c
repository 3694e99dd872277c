/* profile-run.c — small models for the profiler's tests, and captures of them.
 *
 * Parameters are small random numbers, always the same.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/profiler/profile-run.h"

#include "engine/base/random.h"
#include "engine/graph/builder.h"

static HybTensor *
make_tensor (guint64 seed, int rank, const gint64 *dims)
{
  HybType    type = { hyb_shape_make (rank, dims), HYB_F32 };
  HybTensor *tensor = hyb_tensor_new (&type, NULL);
  float     *data = hyb_tensor_get_data (tensor);

  for (gint64 i = 0; i < hyb_tensor_get_size (tensor); i++)
    data[i] = (float) (0.2 * hyb_random_uniform (seed, (guint64) i) - 0.1);
  return tensor;
}

static HybValueId
add_variable (TestModel *model, HybBuilder *builder, const char *name, int rank, const gint64 *dims)
{
  g_ptr_array_add (model->values, make_tensor (model->values->len + 1, rank, dims));
  return hyb_builder_add_variable (builder, name, NULL);
}

static TestModel *
new_model (void)
{
  TestModel *model = g_new0 (TestModel, 1);

  model->values = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
  return model;
}

static HybValueId
call (HybBuilder *builder, const char *op, guint step, const char *role, const HybNodeSpec *inputs)
{
  g_autofree char *name = g_strdup_printf ("net_lstm0_t%u_%s", step, role);
  g_autoptr (GError) error = NULL;
  HybNodeSpec spec = *inputs;
  HybValueId  value;

  spec.name = name;
  value = hyb_builder_call (builder, op, &spec, &error);

  g_assert_no_error (error);
  return value;
}

TestModel *
test_model_unrolled (guint n_steps, guint hidden, guint batch)
{
  TestModel        *model = new_model ();
  HybBuilder       *builder = hyb_builder_new ();
  g_autofree char  *units = g_strdup_printf ("%u", hidden);
  g_autofree char  *number = g_strdup_printf ("%u", n_steps);
  const char *const split[] = { "axis", "0", "num_outputs", number, "squeeze_axis", "1", NULL };
  const char *const width[] = { "num_hidden", units, NULL };
  const gint64      data[] = { n_steps, batch, hidden }, state[] = { batch, hidden };
  const gint64      square[] = { hidden, hidden }, flat[] = { hidden };
  HybValueId        x = add_variable (model, builder, "data", 3, data);
  HybValueId        w = add_variable (model, builder, "net_lstm0_i2h_weight", 2, square);
  HybValueId        b = add_variable (model, builder, "net_lstm0_i2h_bias", 1, flat);
  HybValueId        u = add_variable (model, builder, "net_lstm0_h2h_weight", 2, square);
  HybValueId        h = add_variable (model, builder, "begin_state", 2, state);
  HybValueId        rows;
  g_autoptr (GError) error = NULL;

  rows = hyb_builder_call (builder, "SliceChannel",
                           &(HybNodeSpec){ .name = "net_split0",
                                           .n_inputs = 1,
                                           .inputs = &x,
                                           .attributes = split },
                           &error);
  g_assert_no_error (error);
  for (guint t = 0; t < n_steps; t++)
    {
      const char *const no_bias[] = { "no_bias", "True", "num_hidden", units, NULL };
      HybValueId        i2h = call (builder, "FullyConnected", t, "i2h",
                                    &(HybNodeSpec){ .n_inputs = 3,
                                                    .inputs = (HybValueId[]){ rows + t, w, b },
                                                    .attributes = width });
      HybValueId        h2h =
          call (builder, "FullyConnected", t, "h2h",
                &(HybNodeSpec){
                    .n_inputs = 2, .inputs = (HybValueId[]){ h, u }, .attributes = no_bias });
      HybValueId sum = call (builder, "elemwise_add", t, "plus0",
                             &(HybNodeSpec){ .n_inputs = 2, .inputs = (HybValueId[]){ i2h, h2h } });

      h = call (builder, "tanh", t, "out", &(HybNodeSpec){ .n_inputs = 1, .inputs = &sum });
    }
  hyb_builder_add_head (builder, h);
  model->graph = hyb_builder_freeze (builder);
  return model;
}

TestModel *
test_model_foreach (guint n_steps)
{
  static const char *const attributes[] = {
    "num_args",     "4",    "num_outputs", "2",    "num_out_data", "1", "in_state_locs", "(1,)",
    "in_data_locs", "(0,)", "remain_locs", "(2,)", NULL,
  };
  TestModel   *model = new_model ();
  HybBuilder  *body = hyb_builder_new ();
  HybBuilder  *builder = hyb_builder_new ();
  const gint64 data[] = { n_steps, 64 }, state[] = { 64 };
  HybValueId   row = hyb_builder_add_variable (body, "row", NULL);
  HybValueId   sum = hyb_builder_add_variable (body, "sum", NULL);
  HybValueId   scale = hyb_builder_add_variable (body, "scale", NULL);
  HybValueId   inner[3];
  HybValueId   heads;
  g_autoptr (GError) error = NULL;
  g_autoptr (HybGraph) step = NULL;
  HybNodeSpec spec = { .type = "_foreach",
                       .name = "loop",
                       .attributes = attributes,
                       .n_inputs = 3,
                       .inputs = inner,
                       .n_bodies = 1 };

  row = hyb_builder_call (body, "broadcast_mul",
                          &(HybNodeSpec){ .name = "scaled",
                                          .n_inputs = 2,
                                          .inputs = (HybValueId[]){ row, scale } },
                          &error);
  sum =
      hyb_builder_call (body, "elemwise_add",
                        &(HybNodeSpec){
                            .name = "added", .n_inputs = 2, .inputs = (HybValueId[]){ row, sum } },
                        &error);
  g_assert_no_error (error);
  hyb_builder_add_head (body, row);
  hyb_builder_add_head (body, sum);
  step = hyb_builder_freeze (body);

  inner[0] = add_variable (model, builder, "data", 2, data);
  inner[1] = add_variable (model, builder, "state", 1, state);
  inner[2] = add_variable (model, builder, "scale", 1, state);
  spec.op = hyb_op_find ("_foreach");
  spec.bodies = &step;
  heads = hyb_builder_output (builder, hyb_builder_add (builder, &spec, &error), 0);
  g_assert_no_error (error);
  hyb_builder_add_head (builder, heads);
  hyb_builder_add_head (builder, heads + 1);
  model->graph = hyb_builder_freeze (builder);
  return model;
}

void
test_model_free (TestModel *model)
{
  hyb_graph_unref (model->graph);
  g_ptr_array_unref (model->values);
  g_free (model);
}

ProfSubject *
test_model_subject (const TestModel *model, HybMode mode, gboolean backward)
{
  ProfSubjectOptions options = {
    .name = "test", .mode = mode, .training = backward, .backward = backward, .no_passes = TRUE
  };
  g_autoptr (GError) error = NULL;
  ProfSubject *subject =
      prof_subject_new (model->graph, (HybTensor *const *) model->values->pdata, &options, &error);

  g_assert_no_error (error);
  return subject;
}

ProfCapture *
test_subject_capture (ProfSubject *subject, guint n_traced)
{
  ProfMeasureOptions options = { .warmup = 1, .repeat = 5, .traced = n_traced, .seconds = 30 };
  ProfSeries         series;
  ProfCapture       *capture;
  g_autoptr (GError) error = NULL;

  prof_series_init (&series);
  prof_measure (&subject, 1, &series, &options, &error);
  g_assert_no_error (error);
  capture = prof_capture_measurement (subject, &series, NULL, &error);
  g_assert_no_error (error);
  prof_series_clear (&series);
  return capture;
}

ProfCapture *
test_model_capture (const TestModel *model, HybMode mode, gboolean backward)
{
  g_autoptr (ProfSubject) subject = test_model_subject (model, mode, backward);

  return test_subject_capture (subject, 5);
}
