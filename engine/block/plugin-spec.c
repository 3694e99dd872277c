/* plugin-spec.c — builds a model of a plug-in: parses its options and the types of its inputs,
 * traces its block, and fills example inputs.
 *
 * Start at hyb_model_spec_new() and hyb_model_read_plugin().
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/base/error.h"
#include "engine/base/random.h"
#include "engine/block/block-private.h"
#include "engine/block/plugin-find.h"

#include <string.h>

/* --- Options --- */

static gboolean
refuse_option (const HybModelClass *klass, const char *name, GError **error)
{
  g_autoptr (GString) list = g_string_new (NULL);

  for (const HybParam *option = klass->options; option && option->name; option++)
    g_string_append_printf (list, "%s=%s (%s), ", option->name, option->fallback,
                            option->doc ? option->doc : "");
  g_string_append (list, "seed=0 (of the weights)");
  return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, klass->name, NULL,
                       "there is no option “%s”; there are %s", name, list->str);
}

static gboolean
parse_options (HybModelSpec *spec, const char *text, GError **error)
{
  g_auto (GStrv) pairs = g_strsplit (text, "&", -1);
  g_autoptr (GPtrArray) attributes = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; pairs[i] != NULL; i++)
    {
      char *equals = strchr (pairs[i], '=');

      if (pairs[i][0] == '\0')
        continue;
      if (equals)
        *equals = '\0';
      if (!equals)
        return hyb_error_at (error, HYB_OP_ERROR, HYB_OP_ERROR_ATTRIBUTE, spec->klass->name,
                             "Write options as ?name=value&name=value",
                             "the option “%s” has no value", pairs[i]);
      if (strcmp (pairs[i], "seed") == 0 && !hyb_params_find (spec->klass->options, "seed"))
        {
          if (!g_ascii_string_to_unsigned (equals + 1, 10, 0, G_MAXUINT64, &spec->seed, error))
            {
              g_prefix_error (error, "%s: seed: ", spec->klass->name);
              return FALSE;
            }
          continue;
        }
      if (!hyb_params_find (spec->klass->options, pairs[i]))
        return refuse_option (spec->klass, pairs[i], error);
      g_ptr_array_add (attributes, g_strdup (pairs[i]));
      g_ptr_array_add (attributes, g_strdup (equals + 1));
    }
  g_ptr_array_add (attributes, NULL);
  if (!spec->klass->options)
    return TRUE;

  spec->options = hyb_params_parse (spec->klass->options, spec->klass->options_size,
                                    (const char *const *) attributes->pdata, NULL, error);
  if (!spec->options)
    g_prefix_error (error, "%s: ", spec->klass->name);
  return spec->options != NULL;
}

/* --- Input types --- */

typedef struct
{
  const HybModelSpec *spec;
  const char         *text; /* the whole description, for messages */
  const char         *at;   /* where reading has got to */
  GString            *structure;
  GArray             *types;
} TypeReader;

static gboolean
refuse_types (const TypeReader *reader, GError **error)
{
  return hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MALFORMED,
                       reader->spec->klass->name,
                       "Write types as float32(batch, 3), dimensions as numbers, integer options "
                       "or products of them",
                       "the plug-in describes its inputs as “%s”, which cannot be read from “%s” "
                       "on",
                       reader->text, reader->at);
}

static gint64
factor_value (const TypeReader *reader, const char *word)
{
  const HybModelSpec *spec = reader->spec;
  const HybParam     *option = hyb_params_find (spec->klass->options, word);
  gint64              number;

  if (g_ascii_string_to_signed (word, 10, 0, (gint64) 1 << 40, &number, NULL))
    return number;
  if (!option || option->kind != HYB_PARAM_INT)
    return -1;
  return hyb_params_get_int (option, spec->options, word, -1);
}

/* The value of a dimension such as "batch*2"; -1 if it cannot be read. */
static gint64
dimension_value (const TypeReader *reader, const char *text)
{
  g_auto (GStrv) factors = g_strsplit (text, "*", -1);
  gint64 product = 1;

  for (guint i = 0; factors[i] != NULL; i++)
    {
      gint64 factor = factor_value (reader, g_strstrip (factors[i]));

      if (factor < 0 || __builtin_mul_overflow (product, factor, &product))
        return -1;
    }
  return product;
}

static gboolean
read_type (TypeReader *reader, GError **error)
{
  gsize            length = strcspn (reader->at, "(");
  g_autofree char *dtype = g_strstrip (g_strndup (reader->at, length));
  const char      *close = strchr (reader->at, ')');
  HybType          type = { .dtype = hyb_dtype_from_name (dtype) };
  g_autofree char *inside = NULL;
  g_auto (GStrv) dims = NULL;

  if (type.dtype == HYB_DTYPE_UNKNOWN || !close)
    return refuse_types (reader, error);
  inside = g_strndup (reader->at + length + 1, (gsize) (close - reader->at) - length - 1);
  dims = g_strsplit (inside, ",", -1);
  for (guint i = 0; dims[i] != NULL; i++)
    {
      gint64 dim = dimension_value (reader, dims[i]);

      if (dims[i][strspn (dims[i], " ")] == '\0' && !dims[i + 1])
        break;
      if (dim < 0 || type.shape.rank == HYB_MAX_RANK)
        return refuse_types (reader, error);
      type.shape.dim[type.shape.rank++] = dim;
    }
  g_array_append_val (reader->types, type);
  g_string_append_c (reader->structure, '0');
  reader->at = close + 1;
  return TRUE;
}

static gboolean
read_types (TypeReader *reader, GError **error)
{
  int depth = 0;

  for (reader->at = reader->text; *reader->at != '\0';)
    {
      if (!strchr ("[], ", *reader->at))
        {
          if (!read_type (reader, error))
            return FALSE;
          continue;
        }
      depth += (*reader->at == '[') - (*reader->at == ']');
      if (depth < 0)
        return refuse_types (reader, error);
      g_string_append_c (reader->structure, *reader->at++);
    }
  return depth == 0 || refuse_types (reader, error);
}

static gboolean
parse_inputs (HybModelSpec *spec, GError **error)
{
  const HybModelClass *klass = spec->klass;
  g_autofree char *made = klass->describe_inputs ? klass->describe_inputs (spec->options) : NULL;
  TypeReader       reader = { .spec = spec,
                              .text = made ? made : klass->inputs,
                              .structure = g_string_new (NULL),
                              .types = spec->types };
  gboolean         done = read_types (&reader, error);

  spec->structure = g_string_free (reader.structure, FALSE);
  return done;
}

gboolean
hyb_model_spec_label_type (HybModelSpec *spec, HybType *type, GError **error)
{
  g_return_val_if_fail (spec && type, FALSE);

  g_autoptr (GArray) types = g_array_new (FALSE, FALSE, sizeof (HybType));
  g_autoptr (GString) structure = g_string_new (NULL);
  TypeReader reader = {
    .spec = spec, .text = spec->klass->task.label, .structure = structure, .types = types
  };

  *type = HYB_TYPE_UNKNOWN;
  if (!reader.text)
    return TRUE;
  if (!read_types (&reader, error))
    return FALSE;
  if (types->len != 1)
    return hyb_error_at (error, HYB_FORMAT_ERROR, HYB_FORMAT_ERROR_MALFORMED, spec->klass->name,
                         NULL,
                         "the plug-in describes %u labels as “%s”, but it may describe only one",
                         types->len, reader.text);
  *type = g_array_index (types, HybType, 0);
  return TRUE;
}

const char *
hyb_model_spec_input_name (HybModelSpec *spec, guint index)
{
  g_autofree char *name = g_strdup_printf ("data%u", index);

  g_return_val_if_fail (spec, NULL);
  return g_intern_string (spec->types->len == 1 ? "data" : name);
}

/* --- Building --- */

HybModelSpec *
hyb_model_spec_new (const char *text, GError **error)
{
  g_autoptr (HybModelSpec) spec = g_new0 (HybModelSpec, 1);
  const char *options = "";

  g_return_val_if_fail (text, NULL);
  spec->types = g_array_new (FALSE, FALSE, sizeof (HybType));
  spec->klass = hyb_plugin_find (text, &options, error);
  if (!spec->klass || !parse_options (spec, options, error) || !parse_inputs (spec, error))
    return NULL;
  return g_steal_pointer (&spec);
}

void
hyb_model_spec_free (HybModelSpec *spec)
{
  g_return_if_fail (spec);
  hyb_params_unref (spec->options);
  g_free (spec->structure);
  g_array_unref (spec->types);
  g_free (spec);
}

/* Builds and traces the block; its parameters get their shapes and initial values. */
static HybBlock *
build_and_trace (HybModelSpec *spec, HybGraph **graph, GError **error)
{
  g_autoptr (HybBlock) block = NULL;
  const char *init = spec->klass->init ? spec->klass->init : "xavier";

  hyb_names_reset ();
  block = spec->klass->build (spec->options);
  if (!block)
    {
      hyb_error_at (error, HYB_GRAPH_ERROR, HYB_GRAPH_ERROR_STRUCTURE, spec->klass->name, NULL,
                    "the plug-in built no block");
      return NULL;
    }
  hyb_block_initialize (block, init, spec->seed);
  *graph = hyb_block_trace (block, spec->types->len, spec->structure, FALSE, error);
  if (!*graph || !hyb_block_infer_parameters_typed (block, *graph, spec->types->len,
                                                    (gconstpointer) spec->types->data, error))
    return NULL;
  return g_steal_pointer (&block);
}

HybBlock *
hyb_model_spec_build (HybModelSpec *spec, GError **error)
{
  g_return_val_if_fail (spec, NULL);

  HybGraph *graph = NULL;
  HybBlock *block = build_and_trace (spec, &graph, error);

  if (graph)
    hyb_graph_unref (graph);
  return block;
}

static gboolean
take_parameters (HybModel *model, HybBlock *block, HybGraph *graph, GError **error)
{
  g_autoptr (GPtrArray) parameters = hyb_block_collect_parameters (block);

  for (guint i = 0; i < parameters->len; i++)
    {
      HybParameter *parameter = g_ptr_array_index (parameters, i);
      const char   *name = hyb_parameter_get_name (parameter);
      HybTensor    *data;

      if (hyb_graph_find_variable (graph, name) == HYB_NO_ID)
        continue;
      data = hyb_parameter_get_data (parameter, error);
      if (!data)
        return FALSE;
      hyb_model_set_parameter (model, name, data);
      hyb_model_set_parameter_prefix (model, name,
                                      hyb_parameter_is_auxiliary (parameter) ? HYB_PREFIX_AUX
                                                                             : HYB_PREFIX_ARG);
    }
  return TRUE;
}

/* Random tokens, smaller than the option “vocabulary” if the model has it. */
static void
fill_tokens (HybModelSpec *spec, HybTensor *tensor)
{
  gint64 n = hyb_params_get_int (spec->klass->options, spec->options, "vocabulary", 2);

  for (gint64 i = 0; i < hyb_tensor_get_size (tensor); i++)
    hyb_dtype_set_double (hyb_tensor_get_data (tensor), hyb_tensor_get_dtype (tensor), (gsize) i,
                          (double) (hyb_random_word (spec->seed, (guint64) i) % MAX (n, 1)));
}

/* Sets the inputs of the first batch of the model's task as examples. */
static gboolean
take_examples (HybModel *model, HybModelSpec *spec, GError **error)
{
  const HybTask *task = &spec->klass->task;
  HybBatch       batch = { .n_inputs = spec->types->len };
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) hyb_tensor_unref);
  g_autoptr (HybTensor) label = NULL;
  HybType label_type;

  if (!hyb_model_spec_label_type (spec, &label_type, error))
    return FALSE;
  if (label_type.shape.rank >= 0)
    {
      label = batch.label = hyb_tensor_new_zeros (&label_type, error);
      if (!label)
        return FALSE;
    }
  for (guint i = 0; i < spec->types->len; i++)
    {
      HybTensor *tensor = hyb_tensor_new_zeros (&g_array_index (spec->types, HybType, i), error);

      if (!tensor)
        return FALSE;
      g_ptr_array_add (inputs, tensor);
      hyb_model_set_example (model, hyb_model_spec_input_name (spec, i), tensor);
    }
  batch.inputs = (HybTensor **) inputs->pdata;
  if (task->fill)
    task->fill (spec->options, &batch);
  else if (task->is_text && inputs->len > 0)
    fill_tokens (spec, inputs->pdata[0]);
  return TRUE;
}

gboolean
hyb_model_read_plugin (HybModel *model, const char *text, GError **error)
{
  g_return_val_if_fail (text, FALSE);

  g_autoptr (HybModelSpec) spec = hyb_model_spec_new (text, error);
  g_autoptr (HybBlock) block = NULL;
  HybGraph *graph = NULL;
  gboolean  done;

  if (!spec)
    return FALSE;
  block = build_and_trace (spec, &graph, error);
  done =
      block && take_parameters (model, block, graph, error) && take_examples (model, spec, error);
  if (done)
    {
      hyb_model_set_graph (model, graph);
      hyb_model_set_file (model, text);
      hyb_model_set_weights_file (model, text);
      hyb_model_set_format (model, "plug-in");
      for (guint i = 0; i < spec->types->len; i++)
        hyb_model_set_input_type (model, hyb_model_spec_input_name (spec, i),
                                  &g_array_index (spec->types, HybType, i));
    }
  if (graph)
    hyb_graph_unref (graph);
  if (!done)
    g_prefix_error (error, "%s: ", text);
  return done;
}
