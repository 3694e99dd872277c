/* scores.h — the treatment of scores by classifiers and regressors of ai.onnx.ml.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/onnx/onnx-op.h"

/* An input of any type of numbers as rows of floats, [rows, features]. */
HybValueId onnx_ml_rows (HybLowering *lowering, guint input);
/* Whether input 0 has the shape of rows.  If that is not known, only the rank of an output is set. */
gboolean onnx_ml_are_rows_known (HybLowering *lowering, guint output);
/* Scores [rows, n] with the attribute post_transform applied. */
HybValueId onnx_ml_transform (HybLowering *lowering, HybValueId scores);
/* The number of classes in the attribute of integers or the attribute of strings. */
guint onnx_ml_n_classes (HybLowering *lowering, const char *ints);
/* Sets output 0 to the labels of classes by number, [rows]; to nothing if labels are strings. */
void onnx_ml_set_labels (HybLowering *lowering, const char *ints, HybValueId classes);
/* Two classes whose only score is s [rows, 1]: sets output 0 to the second label where s is above the threshold. */
void onnx_ml_set_binary (HybLowering *lowering, const char *ints, HybValueId s, double threshold);
/* A constant of floats of that shape.  values: as many doubles. */
HybValueId onnx_ml_floats (HybLowering *lowering, const HybShape *shape, const double *values);
