/* hybrid.h — forwards to engine/hybrid.h.
 *
 * Plug-ins and programs include it as <hybridscope/hybrid.h>.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/hybrid.h"
