/* capture-builder.h — puts a capture together.
 *
 * Add facts, graphs, nodes, samples and events in any order, then finish.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "profiler/capture/capture.h"

typedef struct _ProfBuilder ProfBuilder;

/* An empty builder.  (transfer full) */
ProfBuilder *prof_builder_new (void);
/* Frees builder; NULL is allowed. */
void prof_builder_free (ProfBuilder *builder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProfBuilder, prof_builder_free)

/* Adds a text and returns its offset; equal texts share one.  NULL is the empty text. */
ProfText prof_builder_text (ProfBuilder *builder, const char *text);
/* A text that was added.  Valid until the next one is added. */
const char *prof_builder_get_text (const ProfBuilder *builder, ProfText text);
/* Appends all facts. */
void prof_builder_add_facts (ProfBuilder *builder, const ProfFacts *facts);

/* Adds a graph and returns its index.  parent, body: as in ProfGraph. */
guint32
prof_builder_add_graph (ProfBuilder *builder, const char *name, guint32 parent, guint32 body);
/* Adds a node and returns its row.  Scope, folded name and step are derived from the name:
 * “lstm_t12_i2h” has the scope “lstm”, the folded name “lstm_t*_i2h” and the step 12;
 * “net_dense0_fwd” has the scope “net_dense0” and no step. */
guint32 prof_builder_add_node (ProfBuilder *builder, const ProfNode *node);
/* A node that was added.  Valid until the next one is added. */
ProfNode *prof_builder_get_node (ProfBuilder *builder, guint32 row);
/* The number of nodes. */
guint prof_builder_n_nodes (const ProfBuilder *builder);
/* Sets the types of a node's inputs, as a text. */
void prof_builder_set_inputs (ProfBuilder *builder, guint32 row, const char *inputs);
/* Sets the bytes that one execution of a node takes. */
void prof_builder_set_allocated (ProfBuilder *builder, guint32 row, double bytes);
/* Sets how a node is computed, in a few words; setting it again has no effect. */
void prof_builder_set_kernel (ProfBuilder *builder, guint32 row, const char *kernel);
/* Adds a node of the model to the sources of a node that ran; adding one twice has no effect. */
void prof_builder_add_origin (ProfBuilder *builder, const ProfOrigin *origin);
/* Sets the rows that a node reads.  They may be added later. */
void prof_builder_set_edges (ProfBuilder *builder, guint32 row, const guint32 *edges, guint n);

/* Appends the time of a run. */
void prof_builder_add_sample (ProfBuilder *builder, ProfSampleKind kind, guint run, double seconds);
/* Appends the facts about a run of a kind. */
void prof_builder_add_sample_facts (ProfBuilder           *builder,
                                    ProfSampleKind         kind,
                                    guint                  run,
                                    const ProfSampleFacts *facts);
/* Appends an event, whose node is a row and whose graph is an index. */
void prof_builder_add_event (ProfBuilder *builder, const ProfEvent *event);
/* Appends the memory in use while a node ran. */
void prof_builder_add_memory (ProfBuilder *builder, guint32 row, guint64 bytes);
/* Stores the model's graph as MXNet's JSON, compressed. */
void prof_builder_set_symbol (ProfBuilder *builder, const char *text, gsize length);

/* The bytes of the file.  (transfer full) */
GBytes *prof_builder_finish (ProfBuilder *builder);
