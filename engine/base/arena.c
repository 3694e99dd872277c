/* arena.c — a reference-counted arena: memory and strings that are freed together.
 *
 * Memory comes from blocks of BLOCK_SIZE bytes, strings from a GStringChunk.  GLib has no allocator that frees objects
 * of different sizes together; an obstack of the C library aborts when memory is short, has no reference count and calls
 * no destructors.
 * SPDX-License-Identifier: LGPL-2.1-or-later */

#include "engine/base/arena.h"

#define BLOCK_SIZE 65536

typedef struct
{
  gpointer       object;
  GDestroyNotify destroy;
} Owned;

struct _HybArena
{
  gatomicrefcount references;
  GStringChunk   *strings;
  GPtrArray      *blocks;
  char           *next;  /* free memory in the current block */
  gsize           left;  /* bytes of it */
  GArray         *owned; /* of Owned; NULL: nothing */
};

HybArena *
hyb_arena_new (void)
{
  HybArena *arena = g_new0 (HybArena, 1);

  g_atomic_ref_count_init (&arena->references);
  arena->strings = g_string_chunk_new (4096);
  arena->blocks = g_ptr_array_new_with_free_func (g_free);
  return arena;
}

HybArena *
hyb_arena_ref (HybArena *arena)
{
  g_atomic_ref_count_inc (&arena->references);
  return arena;
}

void
hyb_arena_unref (HybArena *arena)
{
  if (!g_atomic_ref_count_dec (&arena->references))
    return;

  for (guint i = 0; arena->owned && i < arena->owned->len; i++)
    {
      Owned *owned = &g_array_index (arena->owned, Owned, i);

      owned->destroy (owned->object);
    }
  g_clear_pointer (&arena->owned, g_array_unref);
  g_ptr_array_unref (arena->blocks);
  g_string_chunk_free (arena->strings);
  g_free (arena);
}

gpointer
hyb_arena_alloc (HybArena *arena, gsize size)
{
  gpointer memory;

  size = (size + 15) & ~(gsize) 15;
  if (size > arena->left)
    {
      /* A large piece gets a block of its own; the current block stays in use. */
      gsize block_size = MAX (size, BLOCK_SIZE);

      memory = g_malloc (block_size);
      g_ptr_array_add (arena->blocks, memory);
      if (block_size > BLOCK_SIZE)
        return memory;
      arena->next = memory;
      arena->left = block_size;
    }
  memory = arena->next;
  arena->next += size;
  arena->left -= size;
  return memory;
}

void
hyb_arena_take (HybArena *arena, gpointer object, GDestroyNotify destroy)
{
  Owned owned = { object, destroy };

  if (!arena->owned)
    arena->owned = g_array_new (FALSE, FALSE, sizeof (Owned));
  g_array_append_val (arena->owned, owned);
}

const char *
hyb_arena_string (HybArena *arena, const char *text)
{
  return g_string_chunk_insert (arena->strings, text);
}

const char *
hyb_arena_intern (HybArena *arena, const char *text)
{
  return g_string_chunk_insert_const (arena->strings, text);
}
