/* capture-builder.h — putting a capture together.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/capture/capture.h"

typedef struct _ProfBuilder ProfBuilder;

ProfBuilder *prof_builder_new (void);
void         prof_builder_free (ProfBuilder *builder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProfBuilder, prof_builder_free)

ProfText prof_builder_text (ProfBuilder *builder, const char *text); /* NULL: empty */
void     prof_builder_add_facts (ProfBuilder *builder, const ProfFacts *facts);

/* Both return an index.  Names of nodes are taken apart: scope, folded and step are
 * filled in here.  edges: rows, which may be told later. */
guint32
prof_builder_add_graph (ProfBuilder *builder, const char *name, guint32 parent, guint32 body);
guint32     prof_builder_add_node (ProfBuilder *builder, const ProfNode *node);
ProfNode   *prof_builder_get_node (ProfBuilder *builder, guint32 row); /* until the next add */
guint       prof_builder_n_nodes (const ProfBuilder *builder);
const char *prof_builder_get_text (const ProfBuilder *builder, ProfText text);
void prof_builder_set_edges (ProfBuilder *builder, guint32 row, const guint32 *edges, guint n);

void prof_builder_add_sample (ProfBuilder *builder, ProfSampleKind kind, guint run, double seconds);
void prof_builder_add_event (ProfBuilder *builder, const ProfEvent *event);
void prof_builder_add_memory (ProfBuilder *builder, guint32 row, guint64 bytes);
void prof_builder_set_symbol (ProfBuilder *builder, const char *text, gsize length);

/* The file.  (transfer full) */
GBytes *prof_builder_finish (ProfBuilder *builder);

/* “lstm_t12_i2h”: 12, and “lstm_t*_i2h” in *folded (may be NULL); PROF_NONE: no step. */
guint32 prof_name_step (const char *name, char **folded);
/* “lstm” of “lstm_t*_i2h”, “net_dense0” of “net_dense0_fwd”.  (transfer full) */
char *prof_name_scope (const char *folded);
