/* hybrid.h — the public header: includes all that a model or an operator in C, or a program that runs models, needs.
 *
 *   #include <hybridscope/hybrid.h>
 *   cc mine.c -shared -fPIC -o mine.so $(pkg-config --cflags --libs hybridscope-engine)
 *   hscope trace mine.so --output mine
 * resources/gallery has models to start from, and a template in its README.md; docs/custom-operators.md explains
 * operators.
 * Threads: each header says what threads may share.  In short: graphs and operators are constant, references are
 * counted atomically, and any other object belongs to one thread at a time while it changes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/autograd/check-gradient.h"
#include "engine/autograd/tape.h"
#include "engine/base/error.h"
#include "engine/base/parallel.h"
#include "engine/base/random.h"
#include "engine/base/version.h"
#include "engine/block/block.h"
#include "engine/block/control.h"
#include "engine/block/layers.h"
#include "engine/block/plugin.h"
#include "engine/block/trace.h"
#include "engine/exec/executor.h"
#include "engine/formats/array-file.h"
#include "engine/gradient/gradient.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"
#include "engine/open/model-predict.h"
#include "engine/open/open.h"
#include "engine/rnn/bucket.h"
#include "engine/rnn/cell.h"
#include "engine/rnn/checkpoint.h"
#include "engine/rnn/layer.h"
#include "engine/train/gluon-trainer.h"
#include "engine/train/trainer.h"
#include "engine/variants/proof/model-forms.h"
