/* gallery.h — the example models and models of plug-ins: list, files, input shapes and thumbnails.
 *
 * Their code runs only in a child process, never in the window.  Their files are kept in the user's
 * cache.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "viz/diagram/palette.h"

#include <gtk/gtk.h>

typedef struct
{
  char *name;
  char *summary;
} ScopeExample;

/* Requests from hscope the list of examples. */
void scope_gallery_list_async (GCancellable       *cancellable,
                               GAsyncReadyCallback callback,
                               gpointer            user_data);
/* (transfer full) Array of ScopeExample; NULL and an error: hscope failed. */
GPtrArray *scope_gallery_list_finish (GAsyncResult *result, GError **error);

/* Writes an example into the cache, unless it is there. */
void scope_gallery_trace_async (const char         *name,
                                GCancellable       *cancellable,
                                GAsyncReadyCallback callback,
                                gpointer            user_data);
/* Writes the model of a plug-in that the user allowed into the cache.  hash: of the module. */
void scope_gallery_trace_plugin_async (const char         *model,
                                       const char         *hash,
                                       GCancellable       *cancellable,
                                       GAsyncReadyCallback callback,
                                       gpointer            user_data);
/* The symbol file, (transfer full); NULL and an error: hscope failed. */
GFile *scope_gallery_trace_finish (GAsyncResult *result, GError **error);
/* Requests from hscope the shapes of an example's inputs, which its files do not contain. */
void scope_gallery_shapes_async (const char         *name,
                                 GCancellable       *cancellable,
                                 GAsyncReadyCallback callback,
                                 gpointer            user_data);
/* The same for the model of a plug-in that the user allowed. */
void scope_gallery_shapes_of_plugin_async (const char         *model,
                                           GCancellable       *cancellable,
                                           GAsyncReadyCallback callback,
                                           gpointer            user_data);
/* "NAME=1,3" for each input, (transfer full); NULL and an error: hscope failed. */
char **scope_gallery_shapes_finish (GAsyncResult *result, GError **error);

/* Shows a thumbnail of an example in picture when it is ready.  cancellable: (nullable) */
void scope_gallery_load_thumbnail (const char     *name,
                                   GtkPicture     *picture,
                                   const VizTheme *theme,
                                   GCancellable   *cancellable);
