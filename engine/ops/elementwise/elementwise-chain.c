/* elementwise-chain.c — _elementwise_chain: several pointwise operators, fused into one node by
 * passes/fuse-elementwise.c.
 *
 * The body holds the fused operators, the members.  The values are cut into blocks that fit the
 * cache, and all members compute one block before the next.  Each uses its own forward function, so
 * the results are the same to the last bit.  Start with chain_prepare() and run_block().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/op/op.h"

#include "engine/analysis/subgraph-types.h"
#include "engine/base/parallel.h"
#include "engine/kernels/each.h"
#include "engine/op/rules.h"
#include "engine/op/run.h"

#include <string.h>

/* Elements of a block: 32 KiB for each value in use.  With values of 64 MiB this was faster than
 * 2048 elements, which need four times as many calls. */
#define BLOCK 8192
/* Members that the printed plan names. */
#define MAX_NAMED 6

typedef struct
{
  gint64 num_args;
} ChainParams;

static const HybParam chain_params[] = {
  { HYB_FIELD (ChainParams, num_args), HYB_PARAM_INT, NULL, .low = 1, .high = G_MAXINT32,
    .doc = "number of inputs" },
  { 0 },
};

static void
chain_arity (gconstpointer params, guint *n_inputs, guint *n_outputs)
{
  *n_inputs = (guint) ((const ChainParams *) params)->num_args;
}

/* --- Preparation: which memory each member reads and writes --- */

typedef struct
{
  HybCall whole;         /* the member on a block of full length */
  HybCall rest;          /* the member on the last block */
  guint   first_operand; /* in Chain.operands: the inputs, then the output */
} Member;

/* HybCall.prepared of a chain.
 *
 * Operands are numbered: 0 to n_inputs − 1 are the inputs of the chain, n_inputs is its output, and
 * higher numbers are buffers of one block each. */
typedef struct
{
  gint64   n, block, rest; /* elements: in all, of a block, of the last block */
  gint64   n_blocks;
  gint64   n_slices; /* groups of blocks that run in parallel, each with its own buffers */
  guint    n_buffers;
  guint    n_operands;
  guint    result;   /* the operand that the last member writes */
  guint   *operands; /* of all members, one after the other */
  guint    n_members;
  Member  *members;
  HybType *types; /* of full blocks, then of the last block; all operands of a member are equal */
  /* Each slice of the workspace holds a pointer for every operand, and the buffers. */
  gsize slice_bytes, pointers_bytes, buffer_bytes;
  char *note; /* for the printed plan */
} Chain;

/* The state while members get their operands. */
typedef struct
{
  HybGraph *body;
  guint     n_inputs;
  guint    *operand;  /* for each value of the body: the operand that holds it */
  guint    *n_unread; /* for each value: the members that have yet to read it */
  GArray   *idle;     /* of guint: buffers whose value is no longer needed */
  guint     n_buffers;
} Allocation;

static gboolean
is_buffer (const Allocation *allocation, guint operand)
{
  return operand > allocation->n_inputs;
}

/* An idle buffer, or a new one. */
static guint
take_buffer (Allocation *allocation)
{
  guint operand;

  if (allocation->idle->len == 0)
    return allocation->n_inputs + ++allocation->n_buffers;
  operand = g_array_index (allocation->idle, guint, allocation->idle->len - 1);
  g_array_set_size (allocation->idle, allocation->idle->len - 1);
  return operand;
}

/* TRUE if a member may overwrite this operand: it does not read it, or reads it as input 0 only and
 * can compute in place. */
static gboolean
can_overwrite (const Allocation *allocation, HybNodeId id, guint operand)
{
  const HybNode    *node = hyb_graph_get_node (allocation->body, id);
  const HybValueId *inputs = hyb_graph_get_inputs (allocation->body, id);

  for (guint i = 0; i < node->n_inputs; i++)
    if (allocation->operand[inputs[i]] == operand &&
        (i > 0 || !(node->op->flags & HYB_OP_IN_PLACE)))
      return FALSE;
  return TRUE;
}

/* The operand that a member writes.  The last member writes the chain's output directly, unless it
 * reads input 0 in a way that forbids it: the output may share the memory of input 0. */
static guint
operand_for_output (Allocation *allocation, HybNodeId id)
{
  const HybValueId *inputs = hyb_graph_get_inputs (allocation->body, id);
  HybValueId        output = hyb_graph_get_node (allocation->body, id)->first_output;
  guint             first = allocation->operand[inputs[0]];
  guint             n_heads;

  if (hyb_graph_get_heads (allocation->body, &n_heads)[0] == output &&
      can_overwrite (allocation, id, 0))
    return allocation->n_inputs;
  if (is_buffer (allocation, first) && allocation->n_unread[inputs[0]] == 1 &&
      (hyb_graph_get_node (allocation->body, id)->op->flags & HYB_OP_IN_PLACE))
    return first;
  return take_buffer (allocation);
}

static void
place_member (Allocation *allocation, Chain *chain, HybNodeId id)
{
  const HybNode    *node = hyb_graph_get_node (allocation->body, id);
  const HybValueId *inputs = hyb_graph_get_inputs (allocation->body, id);
  Member           *member = &chain->members[chain->n_members++];
  guint             output = operand_for_output (allocation, id);

  member->whole = (HybCall){
    .op = node->op, .params = node->params, .n_inputs = node->n_inputs, .n_outputs = 1
  };
  member->rest = member->whole;
  member->first_operand = chain->n_operands;
  for (guint i = 0; i < node->n_inputs; i++)
    {
      guint operand = allocation->operand[inputs[i]];

      chain->operands[chain->n_operands++] = operand;
      if (--allocation->n_unread[inputs[i]] == 0 && is_buffer (allocation, operand) &&
          operand != output)
        g_array_append_val (allocation->idle, operand);
    }
  chain->operands[chain->n_operands++] = output;
  allocation->operand[node->first_output] = output;
  chain->result = output;
}

static void
place_members (Chain *chain, HybGraph *body, guint n_inputs)
{
  guint             n_values = MAX (hyb_graph_n_values (body), 1);
  g_autofree guint *operand = g_new0 (guint, n_values);
  g_autofree guint *n_unread = g_new0 (guint, n_values);
  g_autoptr (GArray) idle = g_array_new (FALSE, FALSE, sizeof (guint));
  Allocation allocation = { body, n_inputs, operand, n_unread, idle, 0 };
  guint      n_variables = 0;

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (body); id++)
    {
      HybValueId value = hyb_graph_get_node (body, id)->first_output;

      hyb_graph_get_users (body, value, &n_unread[value]);
      if (hyb_node_is_variable (hyb_graph_get_node (body, id)))
        operand[value] = n_variables++;
    }
  for (HybNodeId id = 0; id < hyb_graph_n_nodes (body); id++)
    if (!hyb_node_is_variable (hyb_graph_get_node (body, id)))
      place_member (&allocation, chain, id);
  chain->n_buffers = allocation.n_buffers;
}

/* The text for the printed plan. */
static char *
name_members (const Chain *chain)
{
  GString *text = g_string_new (NULL);

  for (guint m = 0; m < MIN (chain->n_members, MAX_NAMED); m++)
    g_string_append_printf (text, "%s%s", m > 0 ? ", " : "", chain->members[m].whole.op->name);
  if (chain->n_members > MAX_NAMED)
    g_string_append_printf (text, " and %u more", chain->n_members - MAX_NAMED);
  return g_string_free (text, FALSE);
}

/* Sets the types of all calls; no member has more than max_operands operands. */
static void
fill_types (Chain *chain, guint max_operands, HybDType dtype)
{
  for (guint i = 0; i < max_operands; i++)
    {
      chain->types[i] = (HybType){ hyb_shape_1d (chain->block), dtype };
      chain->types[max_operands + i] = (HybType){ hyb_shape_1d (chain->rest), dtype };
    }
  for (guint m = 0; m < chain->n_members; m++)
    {
      Member *member = &chain->members[m];

      member->whole.input = member->whole.output = chain->types;
      member->rest.input = member->rest.output = chain->types + max_operands;
    }
}

static void
cut_into_slices (Chain *chain)
{
  gint64 grain = HYB_EACH_GRAIN / MIN (chain->n_members, 4);

  chain->n_slices =
      MIN (chain->n_blocks, CLAMP (chain->n / grain, 1, (gint64) hyb_parallel_get_threads ()));
}

static void
measure_slice (Chain *chain, HybDType dtype)
{
  chain->pointers_bytes = 0;
  hyb_workspace_take (&chain->pointers_bytes, chain->n_operands * sizeof (gpointer));
  chain->buffer_bytes = 0;
  hyb_workspace_take (&chain->buffer_bytes, (gsize) chain->block * hyb_dtype_size (dtype));
  chain->slice_bytes = chain->pointers_bytes + chain->n_buffers * chain->buffer_bytes;
}

static gboolean
chain_prepare (HybCall *call, GError **error)
{
  HybGraph *body = call->body[0];
  Chain    *chain;
  guint     n_nodes = hyb_graph_n_nodes (body), n_operands = 0, max_operands = 0;

  if (!hyb_subgraph_check (body, call->n_inputs, 1, "chain", error))
    return FALSE;
  for (HybNodeId id = 0; id < n_nodes; id++)
    {
      guint n = hyb_graph_get_node (body, id)->n_inputs + 1;

      n_operands += n;
      max_operands = MAX (max_operands, n);
    }

  call->prepared = chain = g_new0 (Chain, 1);
  chain->n = hyb_shape_size (&call->output[0].shape);
  chain->block = CLAMP (chain->n, 1, BLOCK);
  chain->n_blocks = (chain->n + chain->block - 1) / chain->block;
  chain->rest = chain->n - (MAX (chain->n_blocks, 1) - 1) * chain->block;
  chain->operands = g_new (guint, n_operands);
  chain->members = g_new (Member, n_nodes);
  chain->types = g_new (HybType, MAX (2 * max_operands, 1));
  place_members (chain, body, call->n_inputs);
  fill_types (chain, max_operands, call->output[0].dtype);
  cut_into_slices (chain);
  measure_slice (chain, call->output[0].dtype);
  chain->note = name_members (chain);
  return TRUE;
}

static void
chain_release (HybCall *call)
{
  Chain *chain = call->prepared;

  if (!chain)
    return;
  g_free (chain->operands);
  g_free (chain->members);
  g_free (chain->types);
  g_free (chain->note);
  g_free (chain);
  call->prepared = NULL;
}

static gsize
chain_workspace (const HybCall *call)
{
  const Chain *chain = call->prepared;

  return (gsize) chain->n_slices * chain->slice_bytes;
}

static const char *
chain_note (const HybCall *call)
{
  return ((const Chain *) call->prepared)->note;
}

/* --- Computation --- */

typedef struct
{
  const HybCall *call;
  const HybRun  *run;
} ChainRun;

/* The memory of an operand's elements in the block that starts at byte `offset`. */
static inline gpointer
find_operand (const ChainRun *chain_run,
              const Chain    *chain,
              char           *buffers,
              guint           operand,
              gsize           offset)
{
  guint n_inputs = chain_run->call->n_inputs;

  if (operand < n_inputs)
    return (char *) chain_run->run->input[operand] + offset;
  if (operand == n_inputs)
    return (char *) chain_run->run->output[0] + offset;
  return buffers + (operand - n_inputs - 1) * chain->buffer_bytes;
}

/* Runs all members on one block.  room is the slice of the workspace; run is a scratch copy. */
static void
run_block (const ChainRun *chain_run, const Chain *chain, HybRun *run, char *room, gint64 block)
{
  gpointer *pointers = (gpointer *) (gpointer) room;
  char     *buffers = room + chain->pointers_bytes;
  gboolean  is_rest = block == chain->n_blocks - 1;
  gsize     size = hyb_dtype_size (chain_run->call->output[0].dtype);
  gsize     offset = (gsize) (block * chain->block) * size;

  for (guint i = 0; i < chain->n_operands; i++)
    pointers[i] = find_operand (chain_run, chain, buffers, chain->operands[i], offset);
  for (guint m = 0; m < chain->n_members; m++)
    {
      const Member  *member = &chain->members[m];
      const HybCall *call = is_rest ? &member->rest : &member->whole;

      run->input = (gconstpointer *) (pointers + member->first_operand);
      run->output = pointers + member->first_operand + call->n_inputs;
      call->op->forward (call, run);
    }
  if (chain->result != chain_run->call->n_inputs)
    memcpy ((char *) chain_run->run->output[0] + offset, pointers[chain->n_operands - 1],
            (gsize) (is_rest ? chain->rest : chain->block) * size);
}

static void
run_slices (gint64 begin, gint64 end, gpointer data)
{
  const ChainRun *chain_run = data;
  const Chain    *chain = chain_run->call->prepared;
  HybRun          run = *chain_run->run;

  run.workspace = NULL;
  for (gint64 slice = begin; slice < end; slice++)
    {
      char  *room = (char *) chain_run->run->workspace + (gsize) slice * chain->slice_bytes;
      gint64 last = chain->n_blocks * (slice + 1) / chain->n_slices;

      for (gint64 block = chain->n_blocks * slice / chain->n_slices; block < last; block++)
        run_block (chain_run, chain, &run, room, block);
    }
}

static void
chain_forward (const HybCall *call, const HybRun *run)
{
  const Chain *chain = call->prepared;
  ChainRun     chain_run = { call, run };

  hyb_parallel_for (chain->n_slices, 1, run_slices, &chain_run);
}

/* The arithmetic of all members, but only the memory traffic of the chain's inputs and outputs:
 * values between members stay in the cache. */
static void
chain_cost (const HybCall *call, HybCost *cost)
{
  hyb_subgraph_add_cost (call->body[0], call->input, call->training, 1, cost);
  hyb_rule_cost_bytes (call, cost);
}

/* --- The body: variable i is input i, head i is output i --- */

static guint
chain_body_variable (gconstpointer params, guint n_inputs, guint body, guint variable)
{
  return variable;
}

static HybPortKind
chain_body_port (gconstpointer params, guint n_inputs, guint body, guint variable)
{
  return HYB_PORT_VALUE;
}

static guint
chain_body_next (gconstpointer params, guint body, guint head)
{
  return G_MAXUINT;
}

static guint
chain_body_result (gconstpointer params, guint body, guint head)
{
  return head;
}

const HybOp hyb_ops_elementwise_chain[] = {
  { .name = "_elementwise_chain",
    .doc = "Fused pointwise operators, computed together block by block.",
    .category = HYB_CATEGORY_ELEMENTWISE,
    .flags = HYB_OP_INTERNAL | HYB_OP_IN_PLACE,
    .inputs = (const char *const[]){ "arg", NULL },
    HYB_PARAMS (chain_params, ChainParams),
    .arity = chain_arity,
    .n_bodies = 1,
    .body_variable = chain_body_variable,
    .body_names = (const char *const[]){ "members" },
    .body_port = chain_body_port,
    .body_next = chain_body_next,
    .body_result = chain_body_result,
    .infer_shape = hyb_rule_same_shape,
    .dtypes = HYB_DTYPES_F32,
    .forward = chain_forward,
    .workspace = chain_workspace,
    .prepare = chain_prepare,
    .release = chain_release,
    .note = chain_note,
    .cost = chain_cost },
  { 0 },
};
