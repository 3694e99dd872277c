/* messages.h — writes ONNX files field by field, and reads them as documents, for tests.
 *
 * Functions that take a message free it.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "engine/onnx/document.h"

/* The bytes of a message. */
typedef GByteArray Message;

/* Appends a varint, without a key. */
void put_varint (Message *message, guint64 value);
/* Append a field of this number. */
void put_int (Message *message, guint number, gint64 value);
/* n bytes. */
void put_bytes (Message *message, guint number, gconstpointer data, gsize n);
/* A string. */
void put_string (Message *message, guint number, const char *text);
/* A float of 32 bits. */
void put_float (Message *message, guint number, float value);
/* A message.  Takes part. */
void put_message (Message *message, guint number, Message *part);

/* A StringStringEntryProto. */
Message *make_entry (const char *key, const char *value);
/* A model of IR 8 with one graph.  Takes graph. */
Message *make_model (Message *graph);

/* Reads a model from memory of exactly its length.  Takes model. */
HybOnnxDocument *read_model (Message *model, GError **error);
/* Reads a graph that is valid.  Takes graph. */
HybOnnxDocument *read_graph (Message *graph);
/* The model is refused with these words.  Takes model. */
void check_refused (Message *model, const char *words);
