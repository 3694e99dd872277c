/* arena.h — memory and strings that die together, with whoever holds them last.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

typedef struct _HybArena HybArena;

HybArena *hyb_arena_new (void);
HybArena *hyb_arena_ref (HybArena *arena);
void      hyb_arena_unref (HybArena *arena);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HybArena, hyb_arena_unref)

gpointer    hyb_arena_alloc (HybArena *arena, gsize size); /* aligned for pointers; not cleared */
const char *hyb_arena_string (HybArena *arena, const char *text);
const char *hyb_arena_intern (HybArena *arena, const char *text); /* equal texts share one copy */
