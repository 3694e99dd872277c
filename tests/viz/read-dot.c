/* read-dot.c — reads DOT text with cgraph, to check what viz_dot_write() wrote.
 *
 * Start reading at dot_read().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/viz/read-dot.h"

#include "viz/diagram/error.h"

#include <graphviz/cgraph.h>
#include <string.h>

static const char *
attribute (void *thing, const char *name)
{
  const char *value = agget (thing, (char *) name);

  return value && *value != '\0' ? value : NULL;
}

/* Adds clusters as groups; other subgraphs only share attributes.  The depth is limited, because this
 * recurses. */
static void
read_clusters (VizDiagramBuilder *builder,
               Agraph_t          *graph,
               guint32            parent,
               GHashTable        *boxes,
               guint              depth)
{
  for (Agraph_t *sub = agfstsubg (graph); sub && depth < 64; sub = agnxtsubg (sub))
    {
      gboolean is_cluster = g_str_has_prefix (agnameof (sub), "cluster");
      guint32  group = parent;

      if (is_cluster)
        {
          group =
              viz_diagram_builder_add_box (builder,
                                           &(VizBoxInfo){ .id = agnameof (sub),
                                                          .title = attribute (sub, "label")
                                                                       ? attribute (sub, "label")
                                                                       : agnameof (sub),
                                                          .kind = VIZ_BOX_SCOPE,
                                                          .flags = VIZ_BOX_OPEN,
                                                          .parent = parent,
                                                          .user = VIZ_NO_USER });
          for (Agnode_t *node = agfstnode (sub); node != NULL; node = agnxtnode (sub, node))
            viz_diagram_builder_set_parent (builder,
                                            GPOINTER_TO_UINT (
                                                g_hash_table_lookup (boxes, agnameof (node))),
                                            group);
        }
      read_clusters (builder, sub, group, boxes, depth + 1);
    }
}

static VizDiagram *
read_graph (Agraph_t *graph)
{
  VizDiagramBuilder *builder = viz_diagram_builder_new (agnameof (graph));
  g_autoptr (GHashTable) boxes = g_hash_table_new (g_str_hash, g_str_equal);
  guint32 n = 0;

  for (Agnode_t *node = agfstnode (graph); node != NULL; node = agnxtnode (graph, node))
    {
      const char *label = attribute (node, "label");
      guint32     box;

      if (!label || strcmp (label, "\\N") == 0)
        label = agnameof (node);
      box = viz_diagram_builder_add_box (builder, &(VizBoxInfo){ .id = agnameof (node),
                                                                 .title = label,
                                                                 .user = n++ });
      g_hash_table_insert (boxes, agnameof (node), GUINT_TO_POINTER (box));
    }
  for (Agnode_t *node = agfstnode (graph); node != NULL; node = agnxtnode (graph, node))
    for (Agedge_t *edge = agfstout (graph, node); edge != NULL; edge = agnxtout (graph, edge))
      viz_diagram_builder_add_arrow (builder,
                                     &(VizArrowInfo){
                                         .tail = GPOINTER_TO_UINT (
                                             g_hash_table_lookup (boxes, agnameof (agtail (edge)))),
                                         .head = GPOINTER_TO_UINT (
                                             g_hash_table_lookup (boxes, agnameof (aghead (edge)))),
                                         .label = attribute (edge, "label") });
  read_clusters (builder, graph, VIZ_ROOT, boxes, 0);
  return viz_diagram_builder_freeze (builder);
}

VizDiagram *
dot_read (const char *text, GError **error)
{
  Agraph_t   *graph;
  VizDiagram *diagram;

  agseterr (AGMAX);
  graph = agmemread (text);
  if (!graph)
    {
      g_set_error (error, VIZ_ERROR, VIZ_ERROR_FORMAT,
                   "The text is not valid DOT%s%s. Check it with “dot -v”.",
                   aglasterr () ? ": " : "", aglasterr () ? aglasterr () : "");
      return NULL;
    }
  diagram = read_graph (graph);
  agclose (graph);
  return diagram;
}
