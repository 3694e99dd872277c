/* describe-proof.h — the result of comparing two models' numbers, as JSON and as text.
 *
 * Shared by hscope convert and prove.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/frame/json-writer.h"
#include "engine/variants/proof/prove.h"

/* Appends the proof's members to an open object. */
void scope_describe_proof (ScopeJson *json, const HybProof *proof);
/* Prints the proof on stdout. */
void scope_print_proof (const HybProof *proof);
