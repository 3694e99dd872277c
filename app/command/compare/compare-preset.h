/* compare-preset.h — hscope compare --preset control-flow.
 *
 * The control flow benchmark of MXNet, with fixed forms, batches and passes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/compare/comparison.h"

/* Measures every cell (rnn, gru, lstm) × batch (1, 32) × pass (inference, training) as a group
 * of eight candidates, and prints each group as it is done unless --json was given.  Groups that do
 * not fit into the time are listed in self->skipped. */
gboolean scope_compare_preset (ScopeComparison *self, GError **error);
