/* state.h — what the calls of the pretend driver share: streams, work, events, graphs, memory of the
 * host, settings and faults.
 *
 * Nothing is done when it is asked for: each call adds work to a stream, and work runs when somebody
 * waits, in an order that is drawn among all the streams.  Each piece of work has a vector clock
 * that says after which work of every stream it comes.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "tests/engine/cuda/pretend/driver-types.h"
#include "tests/engine/cuda/pretend/pretend.h"
#include "tests/engine/cuda/ptx/ptx.h"

typedef struct _PretendWork    PretendWork;
typedef struct _PretendNode    PretendNode;
typedef struct _PretendCapture PretendCapture;

typedef enum
{
  PRETEND_CONTEXT,
  PRETEND_STREAM,
  PRETEND_EVENT,
  PRETEND_MODULE,
  PRETEND_FUNCTION,
  PRETEND_GRAPH,
  PRETEND_EXEC,
  PRETEND_ALLOCATION,
  PRETEND_PINNED,
  PRETEND_BLAS,
  PRETEND_BLASLT,
  PRETEND_BLASLT_DESCRIPTOR,
  PRETEND_DNN,
  PRETEND_DNN_DESCRIPTOR,
  PRETEND_KINDS,
} PretendKind;

#define PRETEND_MOST_DEVICES 4

/* --- Work --- */

typedef enum
{
  PRETEND_OTHER,
  PRETEND_KERNEL,
  PRETEND_COPY,
  PRETEND_FILL,
} PretendDeedKind;

/* What a trace tells of a deed. */
typedef struct
{
  PretendDeedKind kind;
  const char     *kernel; /* interned */
  guint           grid[3], block[3], dynamic_shared, static_shared;
  guint64         bytes;
  guint           value; /* of a fill */
  gboolean        to_device, from_device;
} PretendFacts;

/* One thing that a stream does: a copy, a kernel, a product. */
typedef struct
{
  char *name; /* for messages */
  gboolean (*run) (gpointer data, GError **error);
  gpointer     data;    /* reference counted, so that a graph can run it again */
  double       seconds; /* of the pretended clock */
  PretendFacts facts;
} PretendDeed;

PretendDeed *pretend_deed_new (char *name, gboolean (*run) (gpointer, GError **), gpointer data);
PretendDeed *pretend_deed_ref (PretendDeed *deed);
void         pretend_deed_unref (PretendDeed *deed);

struct _PretendWork
{
  guint32 number;
  guint   stream;   /* its index in the vector clocks */
  guint32 sequence; /* within the stream */
  /* guint32: work up to this sequence of each stream comes before; NULL once the host knows this work */
  GArray      *clock;
  PretendDeed *deed; /* NULL: an event or a join */
  gboolean     done;
  double       time;        /* when it ended on the pretended clock */
  guint32      correlation; /* of the call that asked for it */
  guint64      node;        /* of a graph; 0: none */
};

struct CUstream_st
{
  guint           index;
  gboolean        blocking;
  guint32         sequence;
  GQueue          queue; /* PretendWork that waits to be run */
  GArray         *clock; /* of its last work, and of what it waits for */
  double          time;
  PretendCapture *capture;
  GPtrArray      *last; /* PretendNode that the next node comes after */
  gboolean        origin;
};

struct CUevent_st
{
  gboolean        timing;
  PretendWork    *work;    /* NULL: never recorded */
  PretendCapture *capture; /* recorded while capturing */
  GPtrArray      *nodes;
};

/* --- Graphs --- */

struct _PretendNode
{
  guint64      id;
  PretendDeed *deed;
  guint        lane; /* which of the captured streams */
  GPtrArray   *after;
};

struct CUgraph_st
{
  GPtrArray *nodes;
  guint      lanes;
};

struct _PretendCapture
{
  CUgraph    graph;
  GPtrArray *streams;
  gboolean   broken;
};

struct CUgraphExec_st
{
  GPtrArray *nodes;
  GPtrArray *lanes; /* streams of its own */
};

typedef struct
{
  guint64            start, end;
  const PretendWork *work;
} PretendCopy;

/* What a profiler is told; libcupti.so.13 sets it. */
typedef struct
{
  /* A call of the driver ended; times in nanoseconds since 1970. */
  void (*called) (const char *name, guint32 correlation, guint64 start, CUresult result);
  void (*worked) (const PretendWork *work, guint64 start, guint64 end);
  /* NODE was recorded, or made of FROM when a graph was instantiated. */
  void (*made_node) (PretendNode *node, PretendNode *from);
} PretendObserver;

/* --- Everything --- */

/* Which products are wrong. */
typedef enum
{
  PRETEND_RIGHT,
  PRETEND_WRONG_PRODUCTS, /* all, by a thousandth */
  PRETEND_WRONG_FLOAT16,  /* those of float16, by half */
  PRETEND_WRONG_RUNS,     /* every fifth one of float32, by a millionth */
} PretendWrong;

typedef struct
{
  GRecMutex    lock;
  gboolean     started, no_device, leaks_fail, needs_lengths, sets_gradients;
  PretendWrong wrong;
  guint64      most;
  guint64      others; /* bytes that other programs take each time somebody asks for what is left */
  guint64      n_asked;
  int          version; /* of CUDA, as cuDriverGetVersion() gives it */
  guint        arch, unchecked;
  PtxOrder     order;
  GRand       *rand;
  PtxMemory   *memory;
  GHashTable  *calls;    /* name: count */
  GPtrArray   *failures; /* of char *: "cuLaunchKernel:17:700" */
  GString     *problems;
  CUresult     sticky;  /* the error that every later call gives */
  GHashTable  *handles; /* pointer or address: PretendOwner, 0 once destroyed */
  guint        live[PRETEND_KINDS];
  GPtrArray   *streams; /* all, by index, also destroyed ones */
  GPtrArray   *works;   /* by number - 1 */
  GPtrArray   *clocked; /* those that have a clock */
  GArray      *host;    /* clock of the host */
  GPtrArray   *pinned;  /* of PretendPinned */
  GArray      *copies;  /* PretendCopy: memory of the host that work will read or write */
  GPtrArray   *attic;   /* streams, work and handles from before pretend_configure() */
  guint64      steps;
  guint64      host_bytes;            /* of copies between host and device */
  const PretendObserver *observer;    /* or NULL */
  guint32                correlation; /* of the call that goes on */
  guint64                called_at;   /* when it began */
  const char            *calling;     /* its name */
  guint64                node_ids;
  gsize                  cudnn;      /* CUDA that the pretend cuDNN is for, 13000 for 13.0 */
  gboolean               no_endings; /* the pretend cuBLASLt has no algorithm that adds a bias */
  gboolean               has_algorithms; /* of recurrent layers, beside the standard one */
  gboolean               gaps;           /* in the weight spaces of recurrent layers */
  gsize                  shift;          /* bytes that are added to the places of weights there */
  gsize                  drop;           /* records of a profiler that are lost */
  guint                  timeless;       /* its records of kernels without times */
  gsize                  kernel_extra;   /* bytes of them beyond those that are known */
  gboolean               is_split;       /* two records for each kernel */
  gboolean               is_cut;         /* its buffers end in an incomplete record */
  guint                  n_devices;
  guint                  retained[PRETEND_MOST_DEVICES]; /* how often the primary context was */
  guint                  captures;                       /* that are going on */
  PretendWork           *now;                            /* the work that runs */
} PretendState;

extern PretendState pretend;

/* Checks that are not the machine's, beside its PtxError. */
enum
{
  PRETEND_CHECK_LEAKS = 28,
  PRETEND_CHECK_CAPTURE,
  PRETEND_CHECK_HOST,
};

static inline gboolean
pretend_checks (guint check)
{
  return !(pretend.unchecked & PTX_CHECK (check));
}

/* --- settings.c, problems.c --- */

/* Begins a call of the function NAME: locks, counts, and gives the error that it shall fail with. */
CUresult pretend_begin (const char *name);
CUresult pretend_end (CUresult result);
void     pretend_problem (const char *format, ...) G_GNUC_PRINTF (1, 2);
/* The error that the driver gives for a fault that the machine found; it is noted, and sticky. */
CUresult pretend_fault (const char *who, const GError *error);

void     pretend_made (gconstpointer handle, PretendKind kind);
gboolean pretend_destroyed (gconstpointer handle, PretendKind kind);
/* Whether HANDLE was made and not destroyed; otherwise the use is a problem. */
gboolean pretend_lives (gconstpointer handle, PretendKind kind);

/* Of a call that needs no context. */
#define PRETEND_BEGIN_ANYWHERE()                  \
  do                                              \
    {                                             \
      CUresult begun_ = pretend_begin (__func__); \
      if (begun_)                                 \
        return pretend_end (begun_);              \
    }                                             \
  while (0)

#define PRETEND_BEGIN()                                  \
  do                                                     \
    {                                                    \
      PRETEND_BEGIN_ANYWHERE ();                         \
      if (!pretend_has_context (__func__))               \
        return pretend_end (CUDA_ERROR_INVALID_CONTEXT); \
    }                                                    \
  while (0)

/* Nanoseconds since 1970. */
guint64 pretend_nanoseconds (void);
/* The kind of a handle by its value in PretendState.handles; PRETEND_KINDS if it was destroyed. */
PretendKind pretend_kind (gconstpointer owner);

/* --- device-calls.c --- */

/* Whether this thread has made a context its own that lives; otherwise the call is a problem. */
gboolean pretend_has_context (const char *call);
/* The number of the GPU whose context is that of this thread; 0 without one. */
guint pretend_device (void);

/* --- work.c --- */

CUstream pretend_stream_new (gboolean blocking);
/* The stream of a handle, the default one for NULL; NULL if it does not live. */
CUstream pretend_stream (CUstream stream);
/* Adds DEED, of which it takes the reference, to STREAM; while the stream captures, to its graph. */
CUresult pretend_add (CUstream stream, PretendDeed *deed);
/* Work without a deed, which comes after the clock AFTER too (or NULL). */
PretendWork *pretend_mark (CUstream stream, const GArray *after);
/* Runs work until WORK is done, and lets the host know of it. */
CUresult pretend_wait (PretendWork *work);
CUresult pretend_wait_stream (CUstream stream);
CUresult pretend_wait_all (void);
/* One piece of work of some stream, if any is left. */
void     pretend_some_work (void);
void     pretend_join (GArray *clock, const GArray *other);
gboolean pretend_host_knows (const PretendWork *work);
guint    pretend_captures (void); /* captures that are going on */

/* --- host-memory.c --- */

typedef struct
{
  guint8 *host, *alias; /* two views of the same memory; the first is what the program has */
  gsize   bytes;
  GArray *hidden; /* of PretendHidden */
} PretendPinned;

gpointer pretend_pinned_new (gsize bytes);
gboolean pretend_pinned_free (gpointer host);
/* The view that the driver may always use, or HOST itself where it is no pinned memory. */
gpointer pretend_alias (gconstpointer host);
gboolean pretend_is_pinned (gconstpointer host, gsize bytes);
/* From now until the host knows of the last work of STREAM, the program may not touch the bytes,
 * or where READS only not change them. */
void pretend_hide (gconstpointer host, gsize bytes, const PretendWork *until, gboolean reads);
/* Shows what the host may touch again. */
void pretend_show (void);
void pretend_watch_faults (void);

/* --- capture.c --- */

CUresult pretend_capture_deed (CUstream stream, PretendDeed *deed);
void     pretend_break_captures (void);
