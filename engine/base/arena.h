/* arena.h — a reference-counted arena: memory and strings that are freed together.
 *
 * Graphs allocate their nodes and names from one.  The last hyb_arena_unref() frees everything;
 * nothing can be freed alone.  Not thread-safe, except for the reference count.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

typedef struct _HybArena HybArena;

HybArena *hyb_arena_new (void);              /* with one reference */
HybArena *hyb_arena_ref (HybArena *arena);   /* adds a reference and returns arena */
void      hyb_arena_unref (HybArena *arena); /* drops a reference; the last one frees all */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybArena, hyb_arena_unref)

gpointer    hyb_arena_alloc (HybArena *arena, gsize size);        /* 16-byte aligned, not cleared */
const char *hyb_arena_string (HybArena *arena, const char *text); /* a copy */
/* Calls destroy (object) when the arena is freed. */
void hyb_arena_take (HybArena *arena, gpointer object, GDestroyNotify destroy);
const char *
hyb_arena_intern (HybArena *arena, const char *text); /* a copy that equal texts share */
