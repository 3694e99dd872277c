/* test-kernels.c — NVRTC compiles our kernels to machine code without spilled registers, and the table of
 * engine/cuda/README.md says what they use.
 *
 * No GPU is needed.  --table prints the table for the README; --all compiles for every chip that NVRTC
 * names and for more element types, which takes minutes for each of them; --arch=75 does so for sm_75
 * alone, --file=bias.cu for one file of kernels/.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/cuda/compile.h"
#include "engine/cuda/ops/pointwise.h"

#include <stdio.h>
#include <string.h>

/* The chips of the table: the oldest, and the newest of two later kinds. */
static const int shown[] = { 75, 90, 120 };

/* A file of kernels/ and what is defined before it, for one element type. */
static const struct
{
  const char *file, *defines;
} files[] = {
  { "bias.cu", "#define Stored float\n" },
  { "gates.cu", "" },
  { "gather.cu", "#define Stored float\n#define Result float\n#define Index float\n" },
  { "lines.cu", "#define GROUP 256\n#define LANE_STRIDE 1\n#define REAL float\n"
                "#define FIRST const T c0 = (T) a.s[0];\n"
                "#define LOAD const T x0 = (T) To<T>::from (get ((const float *) a.x[0], at));\n"
                "#define COUNT a.length\n"
                "#define PASSES PASS (r0, T, -INFINITE, (t > s ? t : s), (x0 * c0))"
                " PASS (r1, double, 0, (s + t), (m_exp (x0 * c0 - r0)))\n"
                "#define THEN const T factor = (T) (1 / r1);\n"
                "#define STORE put ((float *) a.y[0], at, m_exp (x0 * c0 - r0) * factor);\n"
                "#define STORE_LINE\n" },
  { "lookup.cu", "#define Stored float\n#define Result float\n#define Index float\n" },
  { "move.cu", "#define Item U32\n" },
  { "pad.cu", "#define Stored float\n#define Result float\n#define Sum double\n" },
  { "pooling.cu",
    "#define Stored float\n#define REAL float\n#define LOWEST -3.40282346638528859812e38\n"
    "#define MODE POOL_MAX\n" },
  { "rank.cu", "#define Stored float\n#define Result float\n#define Index I32\n#define IndexResult "
               "I32\n#define ENTRIES 4096\n" },
  { "random.cu", "#define Stored float\n#define Result float\n" },
  { "random.cu", "#define Stored float\n#define Result float\n#define Parameter float\n"
                 "#define DRAW scaled (p, q, normal (seed, i))\n" },
  { "reduce.cu",
    "#define Given float\n#define GivenResult float\n#define Stored float\n#define Result float\n"
    "#define Number double\n#define Sum double\n#define START 0\n#define COMBINE(s, t) (s + t)\n"
    "#define STEP(s, t) (s + t)\n#define FINISH(s, n) (s)\n#define READS 2\n"
    "#define TERM (w > 0 ? 0 : x * w)\n" },
  { "sequence.cu", "#define Stored float\n#define Result float\n#define Length float\n" },
  { "update.cu", "#define Stored float\n#define Result float\n" },
};

typedef struct
{
  char *name;
  int   registers, shared, spilled; /* bytes but for registers */
} Kernel;

static gboolean       wants_table, wants_all;
static int            wanted_arch; /* 0: all */
static const char    *wanted_file; /* NULL: all, and the pointwise formulas */
static const HybCuda *cuda;

static void
clear_kernel (gpointer kernel)
{
  g_free (((Kernel *) kernel)->name);
}

/* FALSE and a skipped test where NVRTC is not installed. */
static gboolean
load (void)
{
  g_autoptr (GError) error = NULL;

  cuda = hyb_cuda_load (&error);
  if (!cuda && strstr (error->message, "libnvrtc"))
    g_test_skip (error->message);
  else
    g_assert_no_error (error);
  return cuda != NULL;
}

/* The number in front of a word of a line; 0 if it is not there. */
static int
number_before (const char *line, const char *word)
{
  const char *at = strstr (line, word);

  while (at > line && g_ascii_isdigit (at[-1]))
    at--;
  return at ? atoi (at) : 0;
}

/* What ptxas says of each kernel. */
static GArray *
read_log (const char *log)
{
  GArray *kernels = g_array_new (FALSE, TRUE, sizeof (Kernel));
  g_auto (GStrv) lines = g_strsplit (log, "\n", -1);

  g_array_set_clear_func (kernels, clear_kernel);
  for (guint i = 0; lines[i]; i++)
    {
      Kernel *last = kernels->len > 0 ? &g_array_index (kernels, Kernel, kernels->len - 1) : NULL;
      char   *name = strstr (lines[i], "Compiling entry function '");

      if (name)
        {
          Kernel kernel = { .name = g_strdup (name + strlen ("Compiling entry function '")) };

          *strchrnul (kernel.name, '\'') = 0;
          g_array_append_val (kernels, kernel);
        }
      else if (last && strstr (lines[i], "spill stores"))
        last->spilled = number_before (lines[i], " bytes spill stores");
      else if (last && strstr (lines[i], "registers"))
        {
          last->registers = number_before (lines[i], " registers");
          last->shared = number_before (lines[i], " bytes smem");
        }
    }
  return kernels;
}

/* The kernels of a text, compiled for a chip; a text that does not compile fails the test. */
static GArray *
compile (const char *text, int arch)
{
  const char *const names[] = { "prelude.cuh", "arguments.h" };
  const char *const headers[] = { hyb_cuda_kernel_text (names[0]),
                                  hyb_cuda_kernel_text (names[1]) };
  g_autofree char  *chip = g_strdup_printf ("-arch=sm_%d", arch);
  const char *const options[] = { chip, "-fmad=true", "-lineinfo", "--ptxas-options=-v" };
  nvrtcProgram      program;
  g_autofree char  *log = NULL;
  gsize             bytes = 0;
  nvrtcResult       result;

  g_assert_cmpint (cuda->call.nvrtcCreateProgram (&program, text, "kernel.cu", 2, headers, names),
                   ==, 0);
  result = cuda->call.nvrtcCompileProgram (program, G_N_ELEMENTS (options), options);
  cuda->call.nvrtcGetProgramLogSize (program, &bytes);
  log = g_malloc0 (bytes + 1);
  cuda->call.nvrtcGetProgramLog (program, log);
  cuda->call.nvrtcDestroyProgram (&program);
  if (result)
    g_error ("for sm_%d: %s\n%s", arch, log, text);
  return read_log (log);
}

/* Per cent of the warps of a multiprocessor that run at once in blocks of 256 threads. */
static int
occupancy (const Kernel *kernel, int arch)
{
  int warps = arch == 75 ? 32 : arch == 80 || (arch >= 90 && arch < 120) ? 64 : 48;
  int of_warp = (kernel->registers * 32 + 255) / 256 * 256;
  int blocks = MIN (warps / 8, 65536 / (of_warp * 8));
  int shared = 1024 * (arch == 75 ? 64 : arch >= 90 && arch < 120 ? 228 : 100);

  if (kernel->shared > 0)
    blocks = MIN (blocks, shared / (kernel->shared + (arch == 75 ? 0 : 1024)));
  return blocks * 8 * 100 / warps;
}

/* --- The table --- */

/* Rows: file and kernel, then registers and occupancy for each chip, then shared memory. */
static char *
make_table (void)
{
  GString *table = g_string_new ("| kernel |");

  for (guint k = 0; k < G_N_ELEMENTS (shown); k++)
    g_string_append_printf (table, " sm_%d |", shown[k]);
  g_string_append (table, " shared memory |\n|---|---|---|---|---|\n");
  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *text =
          g_strconcat (files[i].defines, hyb_cuda_kernel_text (files[i].file), NULL);
      GArray *compiled[G_N_ELEMENTS (shown)];

      for (guint k = 0; k < G_N_ELEMENTS (shown); k++)
        compiled[k] = compile (text, shown[k]);
      for (guint row = 0; row < compiled[0]->len; row++)
        {
          const Kernel *first = &g_array_index (compiled[0], Kernel, row);

          g_string_append_printf (table, "| `%s` of `%s` |", first->name, files[i].file);
          for (guint k = 0; k < G_N_ELEMENTS (shown); k++)
            for (guint other = 0; other < compiled[k]->len; other++)
              {
                const Kernel *kernel = &g_array_index (compiled[k], Kernel, other);

                if (strcmp (kernel->name, first->name) == 0)
                  g_string_append_printf (table, " %d, %d %% |", kernel->registers,
                                          occupancy (kernel, shown[k]));
              }
          g_string_append_printf (table, " %d |\n", first->shared);
        }
      for (guint k = 0; k < G_N_ELEMENTS (shown); k++)
        g_array_unref (compiled[k]);
    }
  return g_string_free (table, FALSE);
}

/* The table depends on the version of NVRTC that made it, which the README names. */
static void
test_table (void)
{
  g_autofree char *path = g_build_filename (SOURCE_ROOT, "engine/cuda/README.md", NULL);
  g_autofree char *readme = NULL, *table = NULL, *version = NULL;
  g_autoptr (GError) error = NULL;

  if (!load ())
    return;
  g_file_get_contents (path, &readme, NULL, &error);
  g_assert_no_error (error);
  version = g_strdup_printf ("NVRTC %d.%d", cuda->nvrtc[0], cuda->nvrtc[1]);
  table = make_table ();
  if (!strstr (readme, version))
    g_test_message ("the README shows the table of another version than %s", version);
  else if (!strstr (readme, table))
    g_error ("the table of engine/cuda/README.md is not that of %s:\n%s", version, table);
}

/* --- Spills --- */

/* Compiles a text; fails if a kernel keeps registers in memory. */
static guint
check_spills (const char *what, const char *text, int arch)
{
  g_autoptr (GArray) kernels = compile (text, arch);

  g_assert_cmpuint (kernels->len, >, 0);
  for (guint i = 0; i < kernels->len; i++)
    {
      const Kernel *kernel = &g_array_index (kernels, Kernel, i);

      g_assert_cmpint (kernel->registers, >, 0);
      if (kernel->spilled > 0)
        g_error ("%s, kernel %s for sm_%d spills %d bytes", what, kernel->name, arch,
                 kernel->spilled);
    }
  return kernels->len;
}

/* Values for attributes that have no default, and the one on which the formula depends. */
static gpointer
parse_attributes (const HybPointwise *row, const HybOp *op)
{
  static const char *const values[][2] = {
    { "scalar", "0.5" },    { "value", "1" },    { "a_min", "0" }, { "a_max", "1" },
    { "N", "3" },           { "start", "0" },    { "stop", "3" },  { "num", "3" },
    { "dtype", "float32" }, { "num_args", "3" },
  };
  g_autoptr (GPtrArray) attributes = g_ptr_array_new ();
  g_autoptr (GError) error = NULL;
  const HybParam  *choice = row->choice ? hyb_params_find (op->params, row->choice) : NULL;
  g_autofree char *number = g_strdup_printf ("%d", row->value);
  gpointer         params;

  if (!op->params)
    return NULL;
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    {
      const HybParam *param = hyb_params_find (op->params, values[i][0]);

      if (param && !param->fallback)
        {
          g_ptr_array_add (attributes, (gpointer) values[i][0]);
          g_ptr_array_add (attributes, (gpointer) values[i][1]);
        }
    }
  if (choice)
    {
      g_ptr_array_add (attributes, (gpointer) choice->name);
      g_ptr_array_add (attributes,
                       choice->choices ? (gpointer) choice->choices[row->value] : number);
    }
  g_ptr_array_add (attributes, NULL);
  params = hyb_params_parse (op->params, op->params_size, (const char *const *) attributes->pdata,
                             NULL, &error);
  g_assert_no_error (error);
  return params;
}

/* The text of a formula for operands of one type and shape; (transfer full). */
static char *
formula_text (const HybPointwise *row, HybDType dtype)
{
  const HybOp *op = hyb_op_find (row->op);
  gpointer     params = parse_attributes (row, op);
  HybType      types[EACH_MOST + 1];
  HybCall      call = {
         .op = op, .params = params, .n_inputs = 2, .n_outputs = 1, .input = types + 1, .output = types
  };
  g_autoptr (GError) error = NULL;
  char *text;

  if (op->arity)
    op->arity (params, &call.n_inputs, &call.n_outputs);
  else
    for (call.n_inputs = 0; op->inputs[call.n_inputs];)
      call.n_inputs++;
  g_assert_cmpuint (call.n_inputs, <=, EACH_MOST);
  for (guint i = 0; i <= EACH_MOST; i++)
    types[i] = (HybType){ hyb_shape_2d (5, 7), dtype };
  text = hyb_pointwise_dup_text (&call, &error);
  g_assert_no_error (error);
  hyb_params_unref (params);
  return text;
}

static void
test_no_kernel_spills (void)
{
  static const HybDType dtypes[] = { HYB_F32, HYB_F64, HYB_F16, HYB_I32 };
  int                   archs[64] = { shown[0] }, n_archs = 1;
  guint                 n = 0;

  if (!load ())
    return;
  if (wants_all)
    {
      cuda->call.nvrtcGetNumSupportedArchs (&n_archs);
      g_assert_cmpint (n_archs, <=, 64);
      cuda->call.nvrtcGetSupportedArchs (archs);
    }
  for (int k = 0; k < n_archs; k++)
    {
      if (wanted_arch > 0 && archs[k] != wanted_arch)
        continue;
      for (guint i = 0; i < G_N_ELEMENTS (files); i++)
        {
          g_autofree char *text =
              g_strconcat (files[i].defines, hyb_cuda_kernel_text (files[i].file), NULL);

          if (wanted_file && strcmp (wanted_file, files[i].file) != 0)
            continue;
          n += check_spills (files[i].file, text, archs[k]);
        }
      for (const HybPointwise *row = hyb_pointwise_formulas; row->op && !wanted_file; row++)
        for (guint i = 0; i < (wants_all ? G_N_ELEMENTS (dtypes) : 1); i++)
          {
            g_autofree char *text = formula_text (row, dtypes[i]);

            n += check_spills (row->op, text, archs[k]);
          }
      g_test_message ("sm_%d: %u kernels so far", archs[k], n);
    }
  g_assert_cmpuint (n, >,
                    0); /* 0: NVRTC does not name the chip of --arch, or there is no such file */
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (int i = 1; i < argc; i++)
    {
      wants_table |= strcmp (argv[i], "--table") == 0;
      wants_all |= strcmp (argv[i], "--all") == 0 || g_str_has_prefix (argv[i], "--arch=") ||
                   g_str_has_prefix (argv[i], "--file=");
      if (g_str_has_prefix (argv[i], "--file="))
        wanted_file = argv[i] + strlen ("--file=");
      if (g_str_has_prefix (argv[i], "--arch="))
        wanted_arch = (int) g_ascii_strtoll (argv[i] + strlen ("--arch="), NULL, 10);
    }
  if (wants_table && load ())
    {
      g_autofree char *table = make_table ();

      fputs (table, stdout);
      return 0;
    }
  g_test_add_func ("/engine/cuda/kernels/the-readme-has-their-table", test_table);
  g_test_add_func ("/engine/cuda/kernels/none-spills", test_no_kernel_spills);
  return g_test_run ();
}
