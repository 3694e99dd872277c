/* label.h — labels that begin at the left, in one style.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gtk/gtk.h>

/* A label of one line.  css_class: (nullable) its style. */
GtkWidget *scope_label_new (const char *text, const char *css_class);
/* A label that is broken into lines where it is wider than its place. */
GtkWidget *scope_label_new_wrapping (const char *text, const char *css_class);
