/* short-names.c — the table of short names, and how names lose the words of their group.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "viz/diagram/short-names.h"

#include <string.h>

#define LONG_OUTPUT 16 /* bytes of the name of an output */

typedef struct
{
  const char *name, *title;
  /* (nullable) An attribute whose value is the better name; with %s in title: its place there. */
  const char *attribute, *fallback; /* the value if the attribute has its default */
} ShortName;

/* Sorted by name, for the eye only. */
static const ShortName table[] = {
  { "Activation", "%s", "act_type", NULL },
  { "BatchNorm", "batch norm", NULL, NULL },
  { "BlockGrad", "stop gradient", NULL, NULL },
  { "Convolution", "conv", NULL, NULL },
  { "Convolution_v1", "conv", NULL, NULL },
  { "Deconvolution", "deconv", NULL, NULL },
  { "ElementWiseSum", "add", NULL, NULL },
  { "Embedding", "embedding", NULL, NULL },
  { "FullyConnected", "FC", NULL, NULL },
  { "GroupNorm", "group norm", NULL, NULL },
  { "InstanceNorm", "instance norm", NULL, NULL },
  { "LayerNorm", "layer norm", NULL, NULL },
  { "LeakyReLU", "%s ReLU", "act_type", "leaky" },
  { "Pooling", "%s pool", "pool_type", "max" },
  { "Pooling_v1", "%s pool", "pool_type", "max" },
  { "SequenceLast", "last step", NULL, NULL },
  { "SequenceMask", "mask steps", NULL, NULL },
  { "SequenceReverse", "reverse steps", NULL, NULL },
  { "SliceChannel", "split", NULL, NULL },
  { "SoftmaxActivation", "softmax", NULL, NULL },
  { "SoftmaxOutput", "softmax loss", NULL, NULL },
  { "SwapAxis", "swap axes", NULL, NULL },
  { "UpSampling", "upsample", NULL, NULL },
  { "_contrib_AdaptiveAvgPooling2D", "adaptive pool", NULL, NULL },
  { "_contrib_BilinearResize2D", "resize", NULL, NULL },
  { "_contrib_MultiBoxDetection", "detect boxes", NULL, NULL },
  { "_contrib_MultiBoxPrior", "prior boxes", NULL, NULL },
  { "_contrib_MultiBoxTarget", "match boxes", NULL, NULL },
  { "_contrib_arange_like", "arange", NULL, NULL },
  { "_contrib_box_nms", "box NMS", NULL, NULL },
  { "_contrib_dequantize", "dequantize", NULL, NULL },
  { "_contrib_div_sqrt_dim", "÷ √dim", NULL, NULL },
  { "_contrib_interleaved_matmul_encdec_qk", "attention scores", NULL, NULL },
  { "_contrib_interleaved_matmul_encdec_valatt", "attention output", NULL, NULL },
  { "_contrib_interleaved_matmul_selfatt_qk", "self-attention scores", NULL, NULL },
  { "_contrib_interleaved_matmul_selfatt_valatt", "self-attention output", NULL, NULL },
  { "_contrib_quantize", "quantize", NULL, NULL },
  { "_contrib_quantize_v2", "quantize", NULL, NULL },
  { "_contrib_quantized_act", "%s int8", "act_type", "relu" },
  { "_contrib_quantized_batch_norm", "batch norm int8", NULL, NULL },
  { "_contrib_quantized_concat", "concat int8", NULL, NULL },
  { "_contrib_quantized_conv", "conv int8", NULL, NULL },
  { "_contrib_quantized_elemwise_add", "add int8", NULL, NULL },
  { "_contrib_quantized_flatten", "flatten int8", NULL, NULL },
  { "_contrib_quantized_fully_connected", "FC int8", NULL, NULL },
  { "_contrib_quantized_pooling", "%s pool int8", "pool_type", "max" },
  { "_contrib_requantize", "requantize", NULL, NULL },
  { "_copy", "copy", NULL, NULL },
  { "_div_scalar", "÷ %s", "scalar", "1" },
  { "_equal_scalar", "= %s", "scalar", "1" },
  { "_greater_equal_scalar", "≥ %s", "scalar", "1" },
  { "_greater_scalar", "> %s", "scalar", "1" },
  { "_lesser_equal_scalar", "≤ %s", "scalar", "1" },
  { "_lesser_scalar", "< %s", "scalar", "1" },
  { "_maximum_scalar", "max %s", "scalar", "1" },
  { "_minimum_scalar", "min %s", "scalar", "1" },
  { "_minus_scalar", "− %s", "scalar", "1" },
  { "_mul_scalar", "× %s", "scalar", "1" },
  { "_not_equal_scalar", "≠ %s", "scalar", "1" },
  { "_plus_scalar", "+ %s", "scalar", "1" },
  { "_power_scalar", "power %s", "scalar", "1" },
  { "_rdiv_scalar", "%s ÷", "scalar", "1" },
  { "_rminus_scalar", "%s −", "scalar", "1" },
  { "_sg_mkldnn_conv", "conv fused", NULL, NULL },
  { "_sg_mkldnn_fully_connected", "FC fused", NULL, NULL },
  { "_sg_onednn_conv", "conv fused", NULL, NULL },
  { "_sg_onednn_fully_connected", "FC fused", NULL, NULL },
  { "broadcast_add", "add", NULL, NULL },
  { "broadcast_div", "divide", NULL, NULL },
  { "broadcast_like", "broadcast", NULL, NULL },
  { "broadcast_maximum", "max", NULL, NULL },
  { "broadcast_minimum", "min", NULL, NULL },
  { "broadcast_mul", "mul", NULL, NULL },
  { "broadcast_sub", "sub", NULL, NULL },
  { "elemwise_add", "add", NULL, NULL },
  { "elemwise_div", "divide", NULL, NULL },
  { "elemwise_mul", "mul", NULL, NULL },
  { "elemwise_sub", "sub", NULL, NULL },
  { "expand_dims", "expand", NULL, NULL },
  { "slice_axis", "slice", NULL, NULL },
  { "slice_like", "slice like", NULL, NULL },
};

/* Whether name ends where a word ends. */
static gboolean
ends_word (char c)
{
  return c == '_' || c == '.' || c == '/';
}

const char *
viz_without_prefix (const char *name, const char *prefix)
{
  gsize shared = 0;

  for (gsize i = 0; prefix && name[i] != '\0'; i++)
    {
      gboolean ends = ends_word (name[i]) && name[i + 1] != '\0';

      if (prefix[i] == '\0' && ends)
        shared = i + 1;
      if (prefix[i] == '\0' || name[i] != prefix[i])
        break;
      if (ends)
        shared = i + 1;
    }
  return name + shared;
}

/* The index of the attribute with this name, and its value; -1 if the box has none. */
static gint32
find_attribute (const VizDiagram *diagram, guint32 box, const char *name, const char **value)
{
  gsize length = strlen (name);

  for (guint32 i = 0; i < viz_diagram_box (diagram, box)->n_attributes; i++)
    {
      const char *attribute = viz_diagram_attribute (diagram, box, i);

      if (strncmp (attribute, name, length) == 0 && attribute[length] == ' ')
        {
          *value = attribute + length + 1;
          return (gint32) i;
        }
    }
  return -1;
}

/* The part of a box's name that neither its group nor the whole picture shows. */
static const char *
own_part (const VizDiagram *diagram, guint32 box, const char *name)
{
  const VizBox *shown = viz_diagram_box (diagram, box);
  const VizBox *group = viz_diagram_box (diagram, shown->parent);
  const char   *above = group->subtitle ? group->subtitle : group->title;
  const char   *common = viz_diagram_common_prefix (diagram);
  /* Paths of modules begin with “/”, the names of their groups do not. */
  const char *path = name[0] == '/' && above && above[0] != '/' ? name + 1 : name;
  const char *own = shown->parent != VIZ_ROOT ? viz_without_prefix (path, above) : path;

  own = own == path ? name : own;
  if (own == name && g_str_has_prefix (name, common) && name[strlen (common)] != '\0')
    own += strlen (common);
  return own;
}

/* A name without the underscores before it; titles of frames come without them. */
static const char *
without_underscores (const char *name)
{
  while (*name == '_' && name[1] != '\0')
    name++;
  return name;
}

/* The name of the loop or branch that an output leaves, or NULL: its title shows that name. */
static const char *
loop_before (const VizDiagram *diagram, guint32 output)
{
  guint32        n_arrows;
  const guint32 *arrows = viz_diagram_incoming (diagram, output, &n_arrows);
  const VizBox  *tail;

  if (n_arrows != 1)
    return NULL;
  tail = viz_diagram_box (diagram, viz_diagram_arrow (diagram, arrows[0])->tail);
  return tail->kind == VIZ_BOX_FRAME ? tail->subtitle : NULL;
}

/* The name of an output without the common beginning of all names; if it is long, also without the name of
 * its loop. */
static char *
output_title (const VizDiagram *diagram, guint32 output, const char *title)
{
  const char *own = without_underscores (own_part (diagram, output, title));
  gsize       length;

  if (strlen (own) > LONG_OUTPUT)
    own = MAX (own, viz_without_prefix (title, loop_before (diagram, output)));
  length = strlen (own);
  return g_str_has_suffix (own, "_output") && length > strlen ("_output")
             ? g_strndup (own, length - strlen ("_output"))
             : g_strdup (own);
}

char *
viz_short_operator (const char *name)
{
  const char *title = without_underscores (name);

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    if (!table[i].attribute && strcmp (without_underscores (table[i].name), title) == 0)
      return g_strdup (table[i].title);
  if (g_str_has_prefix (title, "contrib_") && title[strlen ("contrib_")] != '\0')
    title = without_underscores (title + strlen ("contrib_"));
  return g_strdup (title);
}

char *
viz_short_title (const VizDiagram *diagram, guint32 box, gint32 *attribute)
{
  const VizBox *shown = viz_diagram_box (diagram, box);
  const char   *title = shown->title ? shown->title : "", *value = NULL;
  gint32        ignored;

  attribute = attribute ? attribute : &ignored;
  *attribute = -1;
  if (shown->kind == VIZ_BOX_SCOPE || shown->kind == VIZ_BOX_STEPS)
    return g_strdup (own_part (diagram, box, title));
  if (shown->kind == VIZ_BOX_OUTPUT)
    return output_title (diagram, box, title);
  if (shown->kind != VIZ_BOX_OPERATOR && shown->kind != VIZ_BOX_FRAME)
    return g_strdup (title);
  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      const char *place = strstr (table[i].title, "%s");

      if (!table[i].attribute || strcmp (table[i].name, title) != 0)
        continue;
      *attribute = find_attribute (diagram, box, table[i].attribute, &value);
      value = *attribute < 0 ? table[i].fallback : value;
      if (!value)
        break;
      return g_strdup_printf ("%.*s%s%s", (int) (place - table[i].title), table[i].title, value,
                              place + strlen ("%s"));
    }
  return viz_short_operator (title);
}

char *
viz_short_subtitle (const VizDiagram *diagram, guint32 box)
{
  const VizBox *shown = viz_diagram_box (diagram, box);
  const VizBox *group = viz_diagram_box (diagram, shown->parent);
  char         *name;

  /* The titles of a chain and its layers name all of their cells. */
  if (!shown->subtitle ||
      (shown->step >= 0 && group->kind == VIZ_BOX_STEPS && (group->flags & VIZ_BOX_BLOCKS) == 0))
    return NULL;
  name = g_strdup (own_part (diagram, box, shown->subtitle));
  while (name[0] == '_' && name[1] != '\0')
    memmove (name, name + 1, strlen (name));
  if (g_str_has_suffix (name, "_fwd") && strlen (name) > strlen ("_fwd"))
    name[strlen (name) - strlen ("_fwd")] = '\0';
  return name;
}
