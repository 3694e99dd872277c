/* compare-beside.h — a model beside the profile that another program made of it: the member "with" of a result.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <cjson/cJSON.h>
#include <gtk/gtk.h>

/* Appends a heading, the time of a run in both programs and a table of nodes.  with: as hscope compare --with --json writes it. */
void scope_compare_beside_append (GtkBox *box, const cJSON *with);
