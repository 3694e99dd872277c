/* guess-images.h — the shape of images that a network reads; private to the guesses of shapes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/analysis/guess-trial.h"

/* Completes the shape of images, of which the rank is known, and adds the reason; FALSE if no size is accepted. */
gboolean hyb_guess_image (HybGuess *guess, HybShape *shape);
/* Whether an output has ten classes, as collections of digits and of small images have. */
gboolean hyb_guess_has_ten_classes (const HybGuess *guess);
