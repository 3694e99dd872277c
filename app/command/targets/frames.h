/* frames.h — what hscope here and hscope on a target say to each other: pieces with a kind and a length.
 *
 * A frame is one byte for its kind, four for the length, and at most 1 MiB.  Both ends are pipes.  Each end sends a frame
 * at least every SCOPE_FRAMES_INTERVAL seconds, and takes the other for gone after scope_frames_get_silence() seconds.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

/* Stands before the first frame of a target, because a launcher may print something of its own. */
#define SCOPE_FRAMES_MAGIC "\nHSCOPE-TARGET-1\n"

#define SCOPE_FRAMES_MAX      ((guint) 1 << 20) /* bytes in a frame */
#define SCOPE_FRAMES_INTERVAL 10                /* seconds */

typedef enum
{
  SCOPE_FRAME_HELLO = 'H',    /* from the target: lines of KEY=VALUE */
  SCOPE_FRAME_TIME = 'T',     /* asks for the time, and answers: microseconds as text */
  SCOPE_FRAME_SETTING = 'S',  /* to the target: KEY=VALUE */
  SCOPE_FRAME_ARGUMENT = 'A', /* to the target: one word of the command */
  SCOPE_FRAME_FILE = 'F',     /* a file begins: eight bytes for its size, then its name */
  SCOPE_FRAME_DATA = 'D',     /* the next bytes of the file */
  SCOPE_FRAME_WANTED = 'W',   /* to the target: 'f' and a name, or 'p' and what names begin with */
  SCOPE_FRAME_GO = 'G',       /* to the target: everything is there */
  SCOPE_FRAME_SIGNAL = 'C',   /* to the target: one byte, the number of the signal */
  SCOPE_FRAME_ALIVE = 'K',    /* nothing to say */
  SCOPE_FRAME_OUT = 'O',      /* from the target: stdout of the command */
  SCOPE_FRAME_ERR = 'E',      /* from the target: its stderr */
  SCOPE_FRAME_TROUBLE = 'P',  /* from the target: why the command was not run */
  SCOPE_FRAME_EXIT = 'X',     /* from the target, at last: two bytes, the status and the signal */
} ScopeFrameKind;

typedef struct
{
  ScopeFrameKind kind;
  const guint8  *data; /* valid until the next call */
  guint          n;
} ScopeFrame;

typedef struct
{
  int         in, out; /* not owned */
  GByteArray *buffer;  /* what was read */
  gsize       used;    /* bytes of it that were taken */
  gint64      heard;   /* when something was read last, µs, monotonic */
} ScopeFrames;

/* Begins with two descriptors. */
void scope_frames_init (ScopeFrames *frames, int in, int out);
/* Frees the buffer. */
void scope_frames_clear (ScopeFrames *frames);

/* Sends a frame of at most SCOPE_FRAMES_MAX bytes.  FALSE: the other end is gone. */
gboolean scope_frames_send (ScopeFrames   *frames,
                            ScopeFrameKind kind,
                            gconstpointer  data,
                            gsize          n,
                            GError       **error);
/* Sends a text without its last 0 byte. */
gboolean
scope_frames_send_text (ScopeFrames *frames, ScopeFrameKind kind, const char *text, GError **error);
/* Sends a regular file under a name, in several frames. */
gboolean scope_frames_send_file (ScopeFrames  *frames,
                                 const char   *path,
                                 const char   *name,
                                 GCancellable *cancellable,
                                 GError      **error);

/* Reads once, which waits until something is there.  FALSE: the other end has closed it. */
gboolean scope_frames_read (ScopeFrames *frames);
/* Takes the next whole frame of what was read.  FALSE: there is none yet, or, with an error, what was read is no frame. */
gboolean scope_frames_next (ScopeFrames *frames, ScopeFrame *frame, GError **error);
/* Drops n bytes of what was read that no frame was taken from. */
void scope_frames_skip (ScopeFrames *frames, gsize n);
/* The seconds after which a silent end is taken for gone: 120, or what HYBRIDSCOPE_TARGET_SILENCE says in the environment. */
guint scope_frames_get_silence (void);
/* How long to wait for the other end before scope_frames_is_silent() is asked again, in milliseconds. */
int scope_frames_get_wait (void);
/* Whether the other end has been silent for too long. */
gboolean scope_frames_is_silent (const ScopeFrames *frames);
/* The text of a frame.  (transfer full) NULL: it is none. */
char *scope_frame_dup_text (const ScopeFrame *frame);

/* Writes all of it, in pieces that a pipe takes without waiting.  FALSE: the pipe has no reader. */
gboolean scope_frames_write (int to, gconstpointer data, gsize n);
