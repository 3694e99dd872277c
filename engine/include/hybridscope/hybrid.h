/* hybrid.h — the name by which plug-ins and programs include engine/hybrid.h.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/hybrid.h"
