/* known-types.h — types of a model's values as info and check show them.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/frame/command.h"
#include "engine/graph/model.h"

/* The shapes that follow from the files and the options; if these contradict each other, the agreeing ones, with the shapes that
 * the user gave.  agreed: (nullable) what hyb_diagnose() found not to contradict each other, which otherwise is called and adds
 * findings to the model.  conflict: (nullable) is set to the contradiction.  (transfer full) NULL and an error: wrong usage. */
HybType *scope_known_types_new (const ScopeCommonOptions *common,
                                HybModel                 *model,
                                const HybType            *agreed,
                                GError                  **conflict,
                                GError                  **error);
