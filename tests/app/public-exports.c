/* public-exports.c — public exports, and what the program must make of each without any option.
 *
 * What was used is from tests and examples of the repositories that the exports are from.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/app/public-exports.h"

const PublicExport public_exports[N_PUBLIC_EXPORTS] = {
  { "apache-mxnet/save_000800.json", "data 1,784", NULL, NULL, NULL, FALSE },
  { "apache-mxnet/test-symbol.json.ref", "data 1,784", NULL, NULL, NULL, FALSE },
  { "apache-mxnet/test_mkldnn_test_mkldnn_model_model1.json", "data 1,3,300,300", NULL, NULL, NULL,
    TRUE },
  { "apache-mxnet/test_dnnl_test_dnnl_model_model1.json", "data 1,3,300,300", NULL, NULL, NULL,
    TRUE },
  { "crfasrnn/net-symbol.json", "data0 1,256; data1 1,800; data2 1,16", NULL, NULL, NULL, FALSE },
  { "crfasrnn/ad39c2-net-symbol.json", "data0 1,256; data1 1,800; data2 1,16", NULL, NULL, NULL,
    FALSE },
  { "djl/inceptionv3_ucf101-symbol.json", "data 1,3,299,299", NULL, NULL, NULL, TRUE },
  { "djl/mask_rcnn_resnet18_v1b_coco-symbol.json", "data 1,3,800,800", NULL, NULL, NULL, TRUE },
  { "djl/mlp-symbol.json", "data 1,784", NULL, NULL, NULL, FALSE },
  { "djl/resnet18_v1-symbol.json", "data 1,3,224,224", NULL, NULL, NULL, FALSE },
  { "djl/resnet50_v1-symbol.json", "data 1,3,32,32", NULL, NULL, NULL, FALSE },
  { "djl/simple_pose_resnet18_v1b-symbol.json", "data 1,3,256,192", NULL, NULL, NULL, FALSE },
  { "djl/squeezenet1.0-symbol.json", "data 1,3,224,224", NULL, NULL, NULL, FALSE },
  { "djl/ssd_512_resnet50_v1-symbol.json", "data 1,3,512,512", NULL, NULL, NULL, TRUE },
  { "djl/vgg16_ucf101-symbol.json", "data 1,3,224,224", NULL, NULL, NULL, TRUE },
  { "gluon-cv/mobilenet1.0_int8-symbol.json", "data 1,3,224,224", NULL, "float", NULL, FALSE },
  { "gluon-cv/resnet50_v1_int8-symbol.json", "data 1,3,224,224", NULL, "float", NULL, TRUE },
  { "gluon-cv/ssd_300_vgg16_atrous_voc_int8-symbol.json", "data 1,3,300,300", NULL, "float", NULL,
    TRUE },
  { "improved-parabank/symbol.json", "target 1,35; source 1,35,3; target_label 1,35", NULL, NULL,
    "there is no operator Custom with op_type=positional_encodings", FALSE },
  { "multi-model-server/squeezenet_v1.1-symbol.json", "data 1,3,224,224", NULL, NULL, NULL, FALSE },
  { "multi-model-server/lstm_ptb-symbol.json", "data 35,1; softmax_label 1,35", "60 words",
    "unrolled", NULL, FALSE },
};

char *
public_export_path (const PublicExport *export)
{
  const char      *shared = g_getenv ("HYB_SHARED");
  g_autofree char *path =
      shared ? g_build_filename (shared, "models", export->file, NULL)
             : g_build_filename (SOURCE_ROOT, "..", "shared", "models", export->file, NULL);

  if (g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return g_steal_pointer (&path);
  g_test_skip ("there is no folder of models (HYB_SHARED)");
  return NULL;
}
