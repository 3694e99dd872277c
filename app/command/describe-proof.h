/* describe-proof.h — how two models agree, as JSON and as text.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "app/command/json-writer.h"
#include "engine/variants/prove.h"

/* Members of an open object. */
void scope_describe_proof (ScopeJson *json, const HybProof *proof);
void scope_print_proof (const HybProof *proof);
