/* machine.h — what the parts of the PTX machine share: registers, decoded instructions,
 * functions, threads and blocks.
 *
 * A function is decoded once into an array of instructions.  Every operand is the number of a
 * register slot: constants and special registers (%tid.x) are slots too, filled before a thread
 * starts, so that an instruction reads all of its operands the same way.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "tests/engine/cuda/ptx/memory-private.h"
#include "tests/engine/cuda/ptx/ptx.h"

typedef struct _PtxThread      PtxThread;
typedef struct _PtxInstruction PtxInstruction;
typedef struct _PtxRun         PtxRun;
typedef struct _PtxShared      PtxShared;

typedef union
{
  guint64 u64;
  gint64  s64;
  guint32 u32;
  gint32  s32;
  guint16 u16;
  gint16  s16;
  guint8  u8;
  gint8   s8;
  float   f32;
  double  f64;
} PtxValue;

/* Generic addresses of the spaces that belong to a block or a thread. */
#define PTX_SHARED_BASE  G_GUINT64_CONSTANT (0x7f01000000000000)
#define PTX_LOCAL_BASE   G_GUINT64_CONSTANT (0x7f02000000000000)
#define PTX_PARAM_BASE   G_GUINT64_CONSTANT (0x7f03000000000000)
#define PTX_CALL_PARAM   0x100000u /* parameters of calls lie behind those of the kernel */
#define PTX_WINDOW_MASK  G_GUINT64_CONSTANT (0x0000ffffffffffff)
#define PTX_WARP         32
#define PTX_MOST_THREADS 1024

/* Modifiers of an instruction that change what its step does. */
enum
{
  PTX_FTZ = 1 << 0,
  PTX_SAT = 1 << 1,
  PTX_RZ = 1 << 2,
  PTX_RM = 1 << 3,
  PTX_RP = 1 << 4,
  PTX_RNI = 1 << 5,
  PTX_RZI = 1 << 6,
  PTX_RMI = 1 << 7,
  PTX_RPI = 1 << 8,
  PTX_GLOBAL = 1 << 9,
  PTX_SHARED = 1 << 10,
  PTX_LOCAL = 1 << 11,
  PTX_PARAM = 1 << 12,
  PTX_CONST = 1 << 13,
  PTX_CC = 1 << 14, /* sets the carry */
  PTX_V2 = 1 << 15,
  PTX_V4 = 1 << 16,
  PTX_WRAP = 1 << 17,
  PTX_AND = 1 << 18, /* setp: combined with a predicate */
  PTX_OR = 1 << 19,
  PTX_XOR = 1 << 20,
};

typedef void (*PtxStep) (PtxThread *thread, const PtxInstruction *in);

/* Where a call puts and takes its parameters. */
typedef struct
{
  char              *name;
  const PtxFunction *function; /* NULL: served by the machine */
  void (*native) (const PtxValue *arguments, PtxValue *result);
  GArray *arguments; /* PtxPlace of the caller's variables */
  GArray *results;
} PtxCall;

/* A variable of the space of parameters. */
typedef struct
{
  guint64 offset;
  gsize   bytes;
} PtxPlace;

struct _PtxInstruction
{
  PtxStep     step;
  gint32      predicate; /* a slot; -1: always */
  guint8      negated;
  guint8      bytes; /* of one element: ld, st, atom, cvt */
  guint8      count; /* elements of a vector */
  guint8      extra; /* what a table of instructions says */
  guint32     flags;
  guint32     d, p;       /* destinations */
  guint32     a, b, c, e; /* sources */
  guint32     list[4];    /* slots of a vector */
  gint64      offset;     /* added to the address in a */
  gint64      target;     /* number of the instruction of a label */
  GArray     *targets;    /* gint64: of brx.idx */
  PtxCall    *call;
  guint32     line; /* of the PTX */
  guint32     file, source_line;
  const char *text;
  guint32     length;
};

/* One row of a table of instructions: "fma.f32" with the modifiers that may stand between, and
 * its operands: d destination, D destination and "|p", a b c e sources, m [address], v vector to
 * be written, w vector to be read, l label; ? before one that may be left out. */
typedef struct
{
  const char *name, *optional, *form;
  PtxStep     step;
  guint8      bytes, extra;
} PtxOpcode;

extern const PtxOpcode ptx_opcodes_integer[], ptx_opcodes_wide[], ptx_opcodes_bits[],
    ptx_opcodes_compare[], ptx_opcodes_float[], ptx_opcodes_approximate[], ptx_opcodes_half[],
    ptx_opcodes_convert[], ptx_opcodes_move[], ptx_opcodes_memory[], ptx_opcodes_atomic[],
    ptx_opcodes_control[], ptx_opcodes_warp[];

/* A slot that holds the same value in every thread. */
typedef struct
{
  guint32 slot;
  enum
  {
    PTX_AS_IT_IS,
    PTX_OWN_SHARED,     /* lies behind the module's shared variables */
    PTX_DYNAMIC_SHARED, /* lies behind all shared variables */
    PTX_ADDRESS_OF,     /* of the module's global variable number VALUE */
  } kind;
  guint64 value;
} PtxConstant;

typedef enum
{
  PTX_TID_X,
  PTX_TID_Y,
  PTX_TID_Z,
  PTX_NTID_X,
  PTX_NTID_Y,
  PTX_NTID_Z,
  PTX_CTAID_X,
  PTX_CTAID_Y,
  PTX_CTAID_Z,
  PTX_NCTAID_X,
  PTX_NCTAID_Y,
  PTX_NCTAID_Z,
  PTX_LANEID,
  PTX_WARPID,
  PTX_WARP_SIZE,
  PTX_LANEMASK_EQ,
  PTX_LANEMASK_LT,
  PTX_LANEMASK_LE,
  PTX_LANEMASK_GT,
  PTX_LANEMASK_GE,
  PTX_SPECIALS,
} PtxSpecial;

typedef struct
{
  guint32    slot;
  PtxSpecial special;
} PtxSpecialSlot;

struct _PtxFunction
{
  char      *name;
  PtxModule *module;
  gboolean   entry;
  GArray    *instructions; /* PtxInstruction */
  GArray    *constants;    /* PtxConstant */
  GArray    *specials;     /* PtxSpecialSlot */
  GArray    *parameters;   /* PtxPlace */
  GArray    *results;      /* PtxPlace, of a function */
  guint32    slots;
  gsize      parameter_bytes; /* of a kernel */
  gsize      call_bytes;      /* parameters of functions and calls */
  gsize      local_bytes, shared_bytes;
  guint      most_threads;
  GPtrArray *calls;
};

typedef struct
{
  char   *name;
  guint64 address;
  gsize   bytes;
  guint8 *start; /* first value, or NULL: zeros */
} PtxGlobal;

struct _PtxModule
{
  char       *text;
  PtxMemory  *memory;
  GHashTable *functions; /* name: PtxFunction */
  GPtrArray  *globals;
  GHashTable *files; /* number: name */
  gsize       shared_bytes;
};

/* --- Running --- */

typedef enum
{
  PTX_RUNNING,
  PTX_AT_BARRIER,
  PTX_AT_MEETING, /* shuffle, vote, __syncwarp */
  PTX_ENDED,
} PtxState;

/* Where a function's registers and memory lie in a thread, found once a launch. */
typedef struct
{
  const PtxFunction *function;
  guint32            slot;
  gsize              local, call;
} PtxFrame;

struct _PtxThread
{
  PtxValue             *r; /* registers of the function that runs */
  const PtxInstruction *in;
  guint64               steps;
  PtxRun               *run;
  guint32               index; /* within the block */
  PtxState              state;
  guint32               carry;
  guint32               clock; /* how often its warp's lanes met: see shared.c */
  PtxValue             *file;  /* registers of all functions */
  guint8               *local, *local_written, *call;
  gsize                 frame_local, frame_call;
  guint                 depth, frame;
  struct
  {
    const PtxInstruction *in; /* the call */
    guint                 frame;
  } stack[16];
};

struct _PtxRun
{
  const PtxFunction *kernel;
  PtxLaunch         *launch;
  PtxMemory         *memory;
  gboolean           ordered;
  PtxBlock          *last; /* the allocation that was used last */
  GArray            *frames;
  PtxThread         *threads;
  guint              count; /* threads of a block */
  guint              at[3]; /* the block */
  PtxShared         *shared;
  gsize              shared_bytes, local_bytes, call_bytes, slots;
  guint32            random;
  GError            *error;
};

/* Notes the first fault of the launch and ends it.  MESSAGE is the part behind the place. */
void ptx_fail (PtxThread *thread, const PtxInstruction *in, PtxError code, const char *message, ...)
    G_GNUC_PRINTF (4, 5);

static inline gboolean
ptx_checks (const PtxThread *thread, PtxError code)
{
  return !(thread->run->launch->unchecked & PTX_CHECK (code));
}

/* Host memory of an access, or NULL: nothing is to be read or written. */
guint8 *ptx_reach (PtxThread            *thread,
                   const PtxInstruction *in,
                   guint64               address,
                   guint                 bytes,
                   gboolean              write);
/* What an access that is not to take place writes to or reads from, for switched off checks. */
guint8 *ptx_nowhere (PtxThread *thread);

/* --- shared.c --- */

typedef enum
{
  PTX_READ,
  PTX_WRITE,
  PTX_ATOMIC, /* reads and writes at once */
} PtxUse;

PtxShared *ptx_shared_new (gsize bytes, guint threads);
void       ptx_shared_free (PtxShared *shared);
void       ptx_shared_clear (PtxShared *shared); /* a new block begins */
void       ptx_shared_pass (PtxShared *shared);  /* all threads passed a barrier, or ended */
/* The lanes MASK of the warp of thread FIRST met. */
void ptx_shared_meet (PtxShared *shared, guint first, guint32 mask);
/* Host memory behind byte AT of shared memory; see ptx_reach(). */
guint8 *
ptx_shared_reach (PtxThread *thread, const PtxInstruction *in, guint64 at, guint bytes, PtxUse use);

/* --- warp.c --- */

/* Lets the lanes go on that have all come to where they meet; TRUE if any did. */
gboolean ptx_warps_meet (PtxRun *run);
/* Complains about lanes that wait for others in vain, when nothing else can run. */
void ptx_warps_stuck (PtxRun *run);

/* --- control.c --- */

/* Ends the current function; FALSE: it was the kernel itself. */
gboolean ptx_return (PtxThread *thread);

/* --- natives.c --- */

/* A function of libm that the machine serves, for compilers without a device library. */
gboolean ptx_find_native (PtxCall *call);

/* --- floats.c --- */

float   ptx_half_to_float (guint16 half);
guint16 ptx_float_to_half (double value, gboolean toward_zero);
float   ptx_bfloat_to_float (guint16 bfloat);
guint16 ptx_float_to_bfloat (float value, gboolean toward_zero);
float   ptx_flush (float value); /* subnormal numbers become zero */
