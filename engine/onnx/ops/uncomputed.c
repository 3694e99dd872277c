/* uncomputed.c — operators of the specification that are known and drawn, but not computed.
 *
 * Their types are those that the file declares.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/onnx-op.h"

static const char *const inputs[] = { "input", NULL };

#define ROW(NAME, CATEGORY)                                                             \
  { .op = { HYB_ONNX_ROW, .name = NAME, .doc = "Not computed by this program.",         \
            .category = CATEGORY, .inputs = inputs },                                   \
    .since = 1 }
#define ML(NAME)                                                                        \
  { .op = { HYB_ONNX_ROW, .name = NAME, .doc = "Not computed by this program.",         \
            .category = HYB_CATEGORY_DATA, .inputs = inputs },                          \
    .domain = "ai.onnx.ml", .since = 1 }

/* clang-format off */
const HybOnnxOp hyb_onnx_ops_uncomputed[] = {
  ROW ("AffineGrid", HYB_CATEGORY_MOVEMENT), ROW ("Attention", HYB_CATEGORY_LINEAR),
  ROW ("BitCast", HYB_CATEGORY_MOVEMENT), ROW ("BlackmanWindow", HYB_CATEGORY_DATA),
  ROW ("CausalConvWithState", HYB_CATEGORY_CONVOLUTION), ROW ("CenterCropPad", HYB_CATEGORY_MOVEMENT),
  ROW ("Col2Im", HYB_CATEGORY_MOVEMENT), ROW ("ConcatFromSequence", HYB_CATEGORY_MOVEMENT),
  ROW ("CumProd", HYB_CATEGORY_REDUCTION), ROW ("DFT", HYB_CATEGORY_LINEAR),
  ROW ("DeformConv", HYB_CATEGORY_CONVOLUTION), ROW ("Det", HYB_CATEGORY_LINEAR),
  ROW ("GridSample", HYB_CATEGORY_MOVEMENT), ROW ("HammingWindow", HYB_CATEGORY_DATA),
  ROW ("HannWindow", HYB_CATEGORY_DATA), ROW ("ImageDecoder", HYB_CATEGORY_DATA),
  ROW ("LinearAttention", HYB_CATEGORY_LINEAR), ROW ("MaxRoiPool", HYB_CATEGORY_REDUCTION),
  ROW ("MaxUnpool", HYB_CATEGORY_MOVEMENT), ROW ("MelWeightMatrix", HYB_CATEGORY_DATA),
  ROW ("NegativeLogLikelihoodLoss", HYB_CATEGORY_LOSS), ROW ("NonMaxSuppression", HYB_CATEGORY_REDUCTION),
  ROW ("Optional", HYB_CATEGORY_DATA), ROW ("OptionalGetElement", HYB_CATEGORY_DATA),
  ROW ("OptionalHasElement", HYB_CATEGORY_DATA), ROW ("RegexFullMatch", HYB_CATEGORY_DATA),
  ROW ("RoiAlign", HYB_CATEGORY_REDUCTION), ROW ("RotaryEmbedding", HYB_CATEGORY_ELEMENTWISE),
  ROW ("STFT", HYB_CATEGORY_LINEAR), ROW ("SequenceAt", HYB_CATEGORY_DATA),
  ROW ("SequenceConstruct", HYB_CATEGORY_DATA), ROW ("SequenceEmpty", HYB_CATEGORY_DATA),
  ROW ("SequenceErase", HYB_CATEGORY_DATA), ROW ("SequenceInsert", HYB_CATEGORY_DATA),
  ROW ("SequenceLength", HYB_CATEGORY_DATA), ROW ("SequenceMap", HYB_CATEGORY_DATA),
  ROW ("SoftmaxCrossEntropyLoss", HYB_CATEGORY_LOSS), ROW ("SplitToSequence", HYB_CATEGORY_MOVEMENT),
  ROW ("StringConcat", HYB_CATEGORY_DATA), ROW ("StringNormalizer", HYB_CATEGORY_DATA),
  ROW ("StringSplit", HYB_CATEGORY_DATA), ROW ("SwiGLU", HYB_CATEGORY_ELEMENTWISE),
  ROW ("TensorScatter", HYB_CATEGORY_MOVEMENT), ROW ("TfIdfVectorizer", HYB_CATEGORY_DATA),
  ROW ("Unique", HYB_CATEGORY_MOVEMENT),
  ML ("ArrayFeatureExtractor"), ML ("Binarizer"), ML ("CastMap"), ML ("CategoryMapper"), ML ("DictVectorizer"),
  ML ("FeatureVectorizer"), ML ("Imputer"), ML ("LabelEncoder"), ML ("LinearClassifier"), ML ("LinearRegressor"),
  ML ("Normalizer"), ML ("OneHotEncoder"), ML ("SVMClassifier"), ML ("SVMRegressor"), ML ("Scaler"),
  ML ("TreeEnsemble"), ML ("TreeEnsembleClassifier"), ML ("TreeEnsembleRegressor"), ML ("ZipMap"),
  { .since = 0 },
};
/* clang-format on */
