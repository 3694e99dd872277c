/* change.h — one change of a repair to a node or array.
 *
 * The place of the name in the sentence is kept, so that equal changes of many can be reported as
 * one (group-changes.h) without reading sentences.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

typedef struct
{
  char *text;     /* the sentence, with the name in quotation marks */
  char *name;     /* NULL: no node or array is named */
  gsize name_at;  /* where the quoted name begins in text */
  gsize name_end; /* the first byte after it */
} HybChange;

/* Given in place of the name among the arguments of a sentence.  This byte occurs in no UTF-8. */
#define HYB_CHANGE_NAME "\xff"

/* An empty array of HybChange *, which frees them.  (transfer full) */
GPtrArray *hyb_changes_new (void);

/* Appends a change.  name: NULL if the sentence has no HYB_CHANGE_NAME. */
void hyb_changes_add (GPtrArray *changes, const char *name, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

/* Appends a copy of each change of more. */
void hyb_changes_append (GPtrArray *changes, const GPtrArray *more);

/* The sentence of a change; a row of an array of changes. */
const char *hyb_change_text (const GPtrArray *changes, guint i);
