/* finding-place.h — where a finding is, in words.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/base/finding.h"

/* "net-symbol.json, line 12", as much as is known; "" if nothing is.  (transfer full) */
char *scope_finding_dup_place (const HybFinding *finding);
