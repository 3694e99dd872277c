/* schema.c — finds the schema of an operator and checks nodes against it.
 *
 * schema-list.h has the schemas, sorted by domain, name and version.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "engine/onnx/schema.h"

#include "engine/op/suggest.h"

#include <string.h>

static const HybOnnxSchema schemas[] = {
#define HYB_ONNX_SCHEMA(domain, name, since, min_in, max_in, min_out, max_out, removed, \
                        attributes, types)                                              \
  { domain, name, since, min_in, max_in, min_out, max_out, removed, attributes, types },
#include "engine/onnx/schema-list.h"
#undef HYB_ONNX_SCHEMA
};

static int
compare (const HybOnnxSchema *schema, const char *domain, const char *name)
{
  int order = strcmp (schema->domain, domain);

  return order != 0 ? order : strcmp (schema->name, name);
}

/* The first version of an operator; the number of schemas if there is none. */
static guint
find_first (const char *domain, const char *name)
{
  guint low = 0, high = G_N_ELEMENTS (schemas);

  while (low < high)
    {
      guint middle = (low + high) / 2;

      if (compare (&schemas[middle], domain, name) < 0)
        low = middle + 1;
      else
        high = middle;
    }
  return low < G_N_ELEMENTS (schemas) && compare (&schemas[low], domain, name) == 0
             ? low
             : G_N_ELEMENTS (schemas);
}

const HybOnnxSchema *
hyb_onnx_schema_find (const char *domain, const char *name, gint64 opset)
{
  const HybOnnxSchema *found = NULL;

  for (guint i = find_first (domain, name);
       i < G_N_ELEMENTS (schemas) && compare (&schemas[i], domain, name) == 0; i++)
    if (schemas[i].since <= opset)
      found = &schemas[i];
  return found && !found->is_removed ? found : NULL;
}

gint64
hyb_onnx_schema_find_version (const char *domain, const char *name, gint64 opset)
{
  gint64 found = 0;
  guint  first = find_first (domain, name);

  opset = CLAMP (opset, 0, HYB_ONNX_NEWEST_OPSET + 1);
  for (guint i = first; i < G_N_ELEMENTS (schemas) && compare (&schemas[i], domain, name) == 0; i++)
    {
      gint64 version = schemas[i].is_removed ? schemas[i].since - 1 : schemas[i].since;

      if (i == first && schemas[i].is_removed) /* never was a version that stands */
        continue;
      if (found == 0 || ABS (version - opset) < ABS (found - opset))
        found = version;
    }
  return found;
}

const char *
hyb_onnx_schema_suggest (const char *domain, const char *name)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (guint i = 0; i < G_N_ELEMENTS (schemas); i++)
    if (strcmp (schemas[i].domain, domain) == 0)
      g_ptr_array_add (names, (gpointer) schemas[i].name);
  return hyb_suggest_name ((const char *const *) names->pdata, names->len, name);
}

/* --- Checking a node --- */

/* The letter of a kind in a schema. */
static char
kind_letter (HybOnnxAttributeKind kind)
{
  static const char letters[] = { [HYB_ONNX_ATTRIBUTE_NONE] = '-',
                                  [HYB_ONNX_ATTRIBUTE_FLOAT] = 'f',
                                  [HYB_ONNX_ATTRIBUTE_INT] = 'i',
                                  [HYB_ONNX_ATTRIBUTE_STRING] = 's',
                                  [HYB_ONNX_ATTRIBUTE_TENSOR] = 't',
                                  [HYB_ONNX_ATTRIBUTE_GRAPH] = 'g',
                                  [HYB_ONNX_ATTRIBUTE_FLOATS] = 'F',
                                  [HYB_ONNX_ATTRIBUTE_INTS] = 'I',
                                  [HYB_ONNX_ATTRIBUTE_STRINGS] = 'S',
                                  [HYB_ONNX_ATTRIBUTE_TENSORS] = 'T',
                                  [HYB_ONNX_ATTRIBUTE_GRAPHS] = 'G',
                                  [HYB_ONNX_ATTRIBUTE_SPARSE_TENSOR] = 'p',
                                  [HYB_ONNX_ATTRIBUTE_SPARSE_TENSORS] = 'P',
                                  [HYB_ONNX_ATTRIBUTE_TYPE_PROTO] = 'y',
                                  [HYB_ONNX_ATTRIBUTE_TYPE_PROTOS] = 'Y' };

  return kind < G_N_ELEMENTS (letters) ? letters[kind] : '?';
}

static const char *
kind_name (char letter)
{
  static const struct
  {
    char        letter;
    const char *name;
  } names[] = { { 'f', "a float" },
                { 'i', "an integer" },
                { 's', "a string" },
                { 't', "a tensor" },
                { 'g', "a graph" },
                { 'F', "a list of floats" },
                { 'I', "a list of integers" },
                { 'S', "a list of strings" },
                { 'T', "a list of tensors" },
                { 'G', "a list of graphs" },
                { 'p', "a sparse tensor" },
                { 'y', "a type" } };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (names[i].letter == letter)
      return names[i].name;
  return "of a kind without a value";
}

/* The entry of an attribute in a schema, “i=1”, which ends at a space; NULL if there is none. */
static const char *
find_attribute (const HybOnnxSchema *schema, const char *name)
{
  gsize n = strlen (name);

  for (const char *at = schema->attributes; *at; at += strcspn (at, " "), at += *at == ' ')
    if (strncmp (at, name, n) == 0 && at[n] == ':')
      return at + n + 1;
  return NULL;
}

char *
hyb_onnx_schema_dup_default (const HybOnnxSchema *schema, const char *attribute)
{
  const char *found = find_attribute (schema, attribute);

  return found && found[1] == '=' ? g_strndup (found + 2, strcspn (found + 2, " ")) : NULL;
}

static char *
check_attributes (const HybOnnxSchema *schema, const HybOnnxNode *node, const char **code)
{
  for (guint i = 0; i < node->n_attributes; i++)
    {
      const HybOnnxAttribute *attribute = &node->attributes[i];
      const char             *expected = find_attribute (schema, attribute->name);

      if (!expected)
        {
          *code = "unknown-attribute";
          return g_strdup_printf ("version %" G_GINT64_FORMAT " of %s has no attribute “%s”",
                                  schema->since, node->op_type, attribute->name);
        }
      if (attribute->reference || *expected == kind_letter (attribute->kind))
        continue;
      *code = "bad-attribute";
      return g_strdup_printf ("the attribute “%s” of %s is %s instead of %s", attribute->name,
                              node->op_type, kind_name (kind_letter (attribute->kind)),
                              kind_name (*expected));
    }
  return NULL;
}

char *
hyb_onnx_schema_check (const HybOnnxSchema *schema, const HybOnnxNode *node, const char **code)
{
  *code = "bad-node";
  if (node->n_inputs < schema->min_inputs || node->n_inputs > schema->max_inputs)
    return g_strdup_printf ("%s has %u inputs; its version %" G_GINT64_FORMAT " has %u to %u",
                            node->op_type, node->n_inputs, schema->since, schema->min_inputs,
                            schema->max_inputs);
  if (node->n_outputs < schema->min_outputs || node->n_outputs > schema->max_outputs)
    return g_strdup_printf ("%s has %u outputs; its version %" G_GINT64_FORMAT " has %u to %u",
                            node->op_type, node->n_outputs, schema->since, schema->min_outputs,
                            schema->max_outputs);
  return check_attributes (schema, node, code);
}

/* --- Checking element types --- */

/* The constraint of an input: a digit; 0 if it may be of any type. */
static char
find_constraint (const char *types, guint input)
{
  guint n_formal = (guint) strcspn (types, ";");
  char  digit = n_formal == 0 ? '.' : types[MIN (input, n_formal - 1)];

  return digit == '.' ? 0 : digit;
}

/* The letters of constraint number `index`; *n: how many. */
static const char *
get_letters (const char *types, guint index, gsize *n)
{
  const char *at = types + strcspn (types, ";");

  for (guint i = 0; i < index; i++)
    at += 1 + strcspn (at + 1, ";");
  *n = strcspn (at + 1, ";");
  return at + 1;
}

static gboolean
is_allowed (const char *types, char digit, HybDType dtype)
{
  guint       index = (guint) (g_ascii_isdigit (digit) ? digit - '0' : digit - 'a' + 10);
  gsize       n;
  const char *letters = get_letters (types, index, &n);

  /* Without any type of an array it is a list of arrays. */
  return n == 0 || (n == 1 && letters[0] == '*') || memchr (letters, 'a' + (int) dtype, n);
}

/* An earlier input with the same constraint but another type; `input` itself if there is none. */
static guint
find_rival (const HybOnnxSchema *schema, const HybDType *dtypes, guint input)
{
  char digit = find_constraint (schema->types, input);

  for (guint i = 0; i < input; i++)
    if (find_constraint (schema->types, i) == digit && dtypes[i] != HYB_DTYPE_UNKNOWN &&
        dtypes[i] != dtypes[input])
      return i;
  return input;
}

char *
hyb_onnx_schema_check_types (const HybOnnxSchema *schema,
                             const HybOnnxNode   *node,
                             const HybDType      *dtypes)
{
  for (guint i = 0; i < node->n_inputs; i++)
    {
      char  digit = find_constraint (schema->types, i);
      guint rival;

      if (digit == 0 || dtypes[i] == HYB_DTYPE_UNKNOWN)
        continue;
      if (!is_allowed (schema->types, digit, dtypes[i]))
        return g_strdup_printf ("input %u “%s” is %s, which version %" G_GINT64_FORMAT
                                " of %s does not take",
                                i, node->inputs[i], hyb_dtype_name (dtypes[i]), schema->since,
                                schema->name);
      rival = find_rival (schema, dtypes, i);
      if (rival < i)
        return g_strdup_printf ("input %u “%s” is %s but input %u “%s” is %s: %s takes only one "
                                "type for both",
                                rival, node->inputs[rival], hyb_dtype_name (dtypes[rival]), i,
                                node->inputs[i], hyb_dtype_name (dtypes[i]), schema->name);
    }
  return NULL;
}
