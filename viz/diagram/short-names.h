/* short-names.h — shorter names for boxes: operators by a table, nodes by their group.
 *
 * Only drawn texts are shortened; tooltips, the inspector and the titles in SVG files keep full names.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/diagram/diagram.h"

/* The short name of an operator: of the table in short-names.c, or its name without leading underscores.
 * Some operators are named by an attribute ("relu" for Activation); *attribute is then its index, which
 * need not be drawn again, otherwise -1.  attribute may be NULL.  (transfer full) */
char *viz_short_title (const VizDiagram *diagram, guint32 box, gint32 *attribute);

/* The short name of an operator of which only the name is known.  (transfer full) */
char *viz_short_operator (const char *name);

/* The name of a box without the part that its group's name already shows, and without the ending "_fwd"
 * that Gluon adds to every node.  Points into box or is owned by the caller.  (transfer full) (nullable) */
char *viz_short_subtitle (const VizDiagram *diagram, guint32 box);

/* The part of name that follows the words that it shares with prefix; words end at “_”, “.” or “/”.  At
 * least one word stays.  Points into name. */
const char *viz_without_prefix (const char *name, const char *prefix);
