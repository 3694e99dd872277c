/* forest.h — decision trees of ai.onnx.ml in one form, whatever the file's.
 *
 * Every inner node tests x ≤ value, or x = value; other tests are turned around.  A leaf leads to itself.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/onnx/onnx-op.h"

typedef struct
{
  gint64   feature;
  double   value;
  gint64   yes, no;   /* nodes */
  gboolean nan_is_no; /* where NaN leads */
  gboolean is_equal;  /* tests x = value */
  gboolean is_leaf;
} OnnxForestNode;

/* A leaf's contribution to a result. */
typedef struct
{
  gint64 node, target;
  double weight;
} OnnxForestWeight;

typedef struct
{
  GArray *nodes;   /* of OnnxForestNode */
  GArray *roots;   /* of gint64 */
  GArray *weights; /* of OnnxForestWeight */
  guint   depth;   /* tests from a root to the deepest leaf */
} OnnxForest;

/* Reads the trees of TreeEnsembleClassifier or TreeEnsembleRegressor.  kind: “class” or “target”, the first word of its
 * attributes for leaves.  FALSE after a failure; call clear in any case. */
gboolean onnx_forest_read (HybLowering *lowering, OnnxForest *forest, const char *kind);
/* Reads the trees of TreeEnsemble. */
gboolean onnx_forest_read_new (HybLowering *lowering, OnnxForest *forest);
/* Frees the members of the forest. */
void onnx_forest_clear (OnnxForest *forest);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (OnnxForest, onnx_forest_clear)
