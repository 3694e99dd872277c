/* foreign-operators.c — the table of classes of operators.
 *
 * A name is in one class at most.  Names are those of ONNX's standard and of ONNX Runtime's fused
 * operators, and those of PyTorch's aten library.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "profiler/exchange/foreign-operators.h"

#include <string.h>

#define NAMES(...) ((const char *const[]){ __VA_ARGS__, NULL })
#define OWN(...)   ((const ProfOwnOperator[]){ __VA_ARGS__, { NULL } })

static const ProfOperatorClass classes[] = {
  { "matrix products",
    NAMES ("Gemm",
           "FusedGemm",
           "MatMul",
           "FusedMatMul",
           "aten::linear",
           "aten::addmm",
           "aten::mm",
           "aten::matmul",
           "aten::bmm",
           "aten::baddbmm"),
    OWN ({ "FullyConnected" }, { "dot" }, { "batch_dot" }, { "_linalg_gemm2" }) },
  { "convolutions",
    NAMES ("Conv",
           "FusedConv",
           "aten::conv1d",
           "aten::conv2d",
           "aten::conv3d",
           "aten::convolution",
           "aten::_convolution",
           "aten::mkldnn_convolution"),
    OWN ({ "Convolution" }) },
  { "transposed convolutions",
    NAMES ("ConvTranspose", "aten::conv_transpose1d", "aten::conv_transpose2d"),
    OWN ({ "Deconvolution" }) },
  { "maximum pooling",
    NAMES ("MaxPool",
           "GlobalMaxPool",
           "aten::max_pool1d",
           "aten::max_pool2d",
           "aten::adaptive_max_pool2d"),
    OWN ({ "Pooling", "pool_type", "max" }, { "Pooling", "pool_type", NULL }) },
  { "average pooling",
    NAMES ("AveragePool",
           "GlobalAveragePool",
           "aten::avg_pool1d",
           "aten::avg_pool2d",
           "aten::adaptive_avg_pool2d"),
    OWN ({ "Pooling", "pool_type", "avg" }) },
  { "batch normalisation", NAMES ("BatchNormalization", "aten::batch_norm"),
    OWN ({ "BatchNorm" }) },
  { "layer normalisation", NAMES ("LayerNormalization", "aten::layer_norm"),
    OWN ({ "LayerNorm" }) },
  { "recurrent layers",
    NAMES ("LSTM", "GRU", "RNN", "aten::lstm", "aten::gru", "aten::rnn_tanh", "aten::rnn_relu"),
    OWN ({ "RNN" }) },
  { "rectifiers", NAMES ("Relu", "aten::relu", "aten::relu_"),
    OWN ({ "Activation", "act_type", "relu" }, { "relu" }) },
  { "sigmoids", NAMES ("Sigmoid", "aten::sigmoid", "aten::sigmoid_"),
    OWN ({ "Activation", "act_type", "sigmoid" }, { "sigmoid" }) },
  { "hyperbolic tangents", NAMES ("Tanh", "aten::tanh", "aten::tanh_"),
    OWN ({ "Activation", "act_type", "tanh" }, { "tanh" }) },
  { "soft rectifiers", NAMES ("Softplus", "aten::softplus"),
    OWN ({ "Activation", "act_type", "softrelu" }) },
  { "leaky rectifiers",
    NAMES ("LeakyRelu",
           "PRelu",
           "Elu",
           "Selu",
           "Gelu",
           "aten::leaky_relu",
           "aten::prelu",
           "aten::elu",
           "aten::selu",
           "aten::gelu"),
    OWN ({ "LeakyReLU" }) },
  { "softmax", NAMES ("Softmax", "aten::softmax"), OWN ({ "softmax" }, { "SoftmaxOutput" }) },
  { "logarithmic softmax", NAMES ("LogSoftmax", "aten::log_softmax"), OWN ({ "log_softmax" }) },
  { "embeddings", NAMES ("Gather", "aten::embedding"), OWN ({ "Embedding" }, { "take" }) },
  { "concatenation", NAMES ("Concat", "aten::cat", "aten::concat"), OWN ({ "Concat" }) },
  { "additions", NAMES ("Add", "aten::add", "aten::add_"),
    OWN ({ "elemwise_add" }, { "broadcast_add" }, { "_plus_scalar" }) },
  { "subtractions", NAMES ("Sub", "aten::sub", "aten::sub_", "aten::rsub"),
    OWN ({ "elemwise_sub" }, { "broadcast_sub" }, { "_minus_scalar" }, { "_rminus_scalar" }) },
  { "multiplications", NAMES ("Mul", "aten::mul", "aten::mul_"),
    OWN ({ "elemwise_mul" }, { "broadcast_mul" }, { "_mul_scalar" }) },
  { "divisions", NAMES ("Div", "aten::div", "aten::div_"),
    OWN ({ "elemwise_div" }, { "broadcast_div" }, { "_div_scalar" }) },
  { "flattening", NAMES ("Flatten", "aten::flatten"), OWN ({ "Flatten" }) },
  { "transposition", NAMES ("Transpose", "aten::permute"), OWN ({ "transpose" }) },
  { "dropout", NAMES ("Dropout", "aten::dropout"), OWN ({ "Dropout" }) },
};

guint
prof_n_operator_classes (void)
{
  return G_N_ELEMENTS (classes);
}

const ProfOperatorClass *
prof_operator_class (guint index)
{
  return &classes[index];
}

/* The class by foreign name, counted from 1. */
static GHashTable *
get_index (void)
{
  static gsize       once;
  static GHashTable *index;

  if (g_once_init_enter (&once))
    {
      index = g_hash_table_new (g_str_hash, g_str_equal);
      for (guint i = 0; i < G_N_ELEMENTS (classes); i++)
        for (guint k = 0; classes[i].foreign[k]; k++)
          g_hash_table_insert (index, (gpointer) classes[i].foreign[k], GUINT_TO_POINTER (i + 1));
      g_once_init_leave (&once, 1);
    }
  return index;
}

guint
prof_class_of_foreign (const char *name)
{
  return GPOINTER_TO_UINT (g_hash_table_lookup (get_index (), name)) - 1;
}

static gboolean
is_own (const ProfOwnOperator *own, const HybNode *node)
{
  const char *value;

  if (strcmp (own->op, node->op->name) != 0)
    return FALSE;
  value = own->attribute ? hyb_node_get_attribute (node, own->attribute) : NULL;
  return g_strcmp0 (value, own->value) == 0;
}

guint
prof_class_of_node (const HybNode *node)
{
  for (guint i = 0; i < G_N_ELEMENTS (classes); i++)
    for (const ProfOwnOperator *own = classes[i].own; own->op; own++)
      if (is_own (own, node))
        return i;
  return G_MAXUINT;
}

gboolean
prof_is_foreign_gradient (const char *name)
{
  return g_str_has_prefix (name, "autograd::engine::evaluate_function") ||
         g_str_has_suffix (name, "Backward0");
}
