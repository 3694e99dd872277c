/* nvrtc.c — an NVRTC that compiles nothing: every program has an error, which its log tells.
 *
 * HYB_STUB_NVRTC="12.4" makes it another version.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOG "kernel.cu(7): error: this is the stub of a compiler\nkernel.cu(8): error: another\n"
#define API __attribute__ ((visibility ("default")))

#define DECLARE(result, name, parameters) API result name parameters;
HYB_CUDA_NVRTC_FUNCTIONS (DECLARE)

/* Codes of nvrtc.h. */
#define COMPILATION_FAILED 6

nvrtcResult
nvrtcVersion (int *major, int *minor)
{
  const char *given = getenv ("HYB_STUB_NVRTC");

  *major = 13;
  *minor = 0;
  if (given)
    sscanf (given, "%d.%d", major, minor);
  return 0;
}

const char *
nvrtcGetErrorString (nvrtcResult result)
{
  return "an error of the stub";
}

nvrtcResult
nvrtcGetNumSupportedArchs (int *count)
{
  *count = 1;
  return 0;
}

nvrtcResult
nvrtcGetSupportedArchs (int *archs)
{
  archs[0] = 75;
  return 0;
}

nvrtcResult
nvrtcCreateProgram (nvrtcProgram      *program,
                    const char        *text,
                    const char        *name,
                    int                n_headers,
                    const char *const *headers,
                    const char *const *names)
{
  *program = malloc (1);
  return 0;
}

nvrtcResult
nvrtcDestroyProgram (nvrtcProgram *program)
{
  free (*program);
  *program = NULL;
  return 0;
}

nvrtcResult
nvrtcCompileProgram (nvrtcProgram program, int n, const char *const *options)
{
  return COMPILATION_FAILED;
}

nvrtcResult
nvrtcGetProgramLogSize (nvrtcProgram program, size_t *bytes)
{
  *bytes = sizeof LOG;
  return 0;
}

nvrtcResult
nvrtcGetProgramLog (nvrtcProgram program, char *log)
{
  memcpy (log, LOG, sizeof LOG);
  return 0;
}

nvrtcResult
nvrtcGetPTXSize (nvrtcProgram program, size_t *bytes)
{
  return COMPILATION_FAILED;
}

nvrtcResult
nvrtcGetPTX (nvrtcProgram program, char *ptx)
{
  return COMPILATION_FAILED;
}

nvrtcResult
nvrtcGetCUBINSize (nvrtcProgram program, size_t *bytes)
{
  return COMPILATION_FAILED;
}

nvrtcResult
nvrtcGetCUBIN (nvrtcProgram program, char *cubin)
{
  return COMPILATION_FAILED;
}
