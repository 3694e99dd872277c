/* body-constants.h — bodies of loops and branches whose constants are written with MXNet's operators.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/graph/graph.h"

/* A body with nodes that make its constants, those of inner bodies included.  A constant that no pattern makes stays.  The body
 * itself if nothing changes.  (transfer full) */
HybGraph *hyb_body_write_constants (HybGraph *body);
