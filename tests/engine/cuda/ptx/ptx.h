/* ptx.h — a machine that runs PTX, the assembly text that NVRTC and clang make of CUDA kernels,
 * one thread at a time on the processor, and checks every access.
 *
 * Usual order: ptx_memory_new(), ptx_memory_take(), ptx_module_new(), ptx_module_find(),
 * ptx_launch().  A failure names kernel, block, thread, line of the PTX and, where the text has
 * .loc, the line of the source.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "tests/engine/cuda/ptx/memory.h"

typedef struct _PtxModule   PtxModule;
typedef struct _PtxFunction PtxFunction;

#define PTX_ERROR (ptx_error_quark ())
GQuark ptx_error_quark (void);

/* What a message is about.  The checks can be switched off one by one (PtxLaunch.unchecked). */
typedef enum
{
  PTX_ERROR_TEXT,      /* the PTX cannot be read, or has an instruction that is not known */
  PTX_ERROR_LAUNCH,    /* grid, block, arguments or shared memory do not fit the kernel */
  PTX_ERROR_BOUNDS,    /* outside of every allocation */
  PTX_ERROR_FREED,     /* in an allocation that was given back */
  PTX_ERROR_ALIGNMENT, /* an address that is no multiple of the access */
  PTX_ERROR_UNWRITTEN, /* bytes that were never written are read */
  PTX_ERROR_RACE,      /* shared memory: two threads without a barrier between them */
  PTX_ERROR_BARRIER,   /* threads that never come to a barrier */
  PTX_ERROR_LANES,     /* lanes that never come to a shuffle or vote */
  PTX_ERROR_ORDER,     /* two streams without an event between them */
  PTX_ERROR_FOREVER,   /* more instructions than PtxLaunch.most_steps */
} PtxError;

#define PTX_CHECK(error) (1u << (error))

/* In which order the threads of a block run. */
typedef enum
{
  PTX_FORWARD,
  PTX_REVERSE,
  PTX_MIXED, /* changes from thread to thread at random points */
} PtxOrder;

typedef struct
{
  guint       grid[3], block[3];
  guint       dynamic_shared; /* bytes of extern __shared__ */
  const void *arguments;      /* as the kernel's parameters lie in memory */
  gsize       argument_bytes;
  PtxOrder    order;
  guint32     seed;       /* of PTX_MIXED */
  guint       unchecked;  /* PTX_CHECK (…) of checks that are switched off */
  guint64     most_steps; /* 0: four thousand million instructions */
  guint64     steps;      /* set: instructions that were run */
} PtxLaunch;

/* Reads TEXT and places its global variables in MEMORY, which must outlive the module.
 * NULL and an error if the text is not understood; an unknown instruction is an error. */
PtxModule *ptx_module_new (const char *text, PtxMemory *memory, GError **error);
void       ptx_module_free (PtxModule *module);

/* The kernel NAME, or NULL. */
const PtxFunction *ptx_module_find (const PtxModule *module, const char *name);

/* Address and size of the global variable NAME; FALSE if the module has none. */
gboolean
ptx_module_global (const PtxModule *module, const char *name, guint64 *address, gsize *bytes);

const char *ptx_kernel_name (const PtxFunction *kernel);
gsize       ptx_kernel_argument_bytes (const PtxFunction *kernel);
/* Offset and size of parameter INDEX; FALSE past the last one. */
gboolean ptx_kernel_parameter (const PtxFunction *kernel, guint index, gsize *offset, gsize *bytes);
gsize    ptx_kernel_shared_bytes (const PtxFunction *kernel);
gsize    ptx_kernel_local_bytes (const PtxFunction *kernel);
/* The most threads a block may have: 1024, or .maxntid of the kernel. */
guint ptx_kernel_most_threads (const PtxFunction *kernel);

/* Runs KERNEL to its end.  FALSE and an error at the first fault. */
gboolean ptx_launch (const PtxFunction *kernel, PtxLaunch *launch, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtxModule, ptx_module_free)
