/* page-form.c — the form of a page's model, and the family of pages that show forms of one model.
 *
 * The form is known for converted models, and recognised in find_form() for others.
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/page/page-private.h"

#include "engine/variants/form.h"

/* The form of the first loop or fused operator; "unrolled" if the diagram has a chain of repeated steps;
 * else NULL. */
static const char *
find_form (ScopeDocument *document)
{
  HybGraph   *graph = scope_document_get_graph (document);
  VizDiagram *diagram = scope_document_get_diagram (document);

  for (HybNodeId id = 0; id < hyb_graph_n_nodes (graph); id++)
    for (guint form = 0; form < HYB_N_FORMS; form++)
      if (hyb_form_class ((HybForm) form)->is_node (hyb_graph_get_node (graph, id)))
        return hyb_form_name ((HybForm) form);
  for (guint32 box = 1; box < viz_diagram_n_boxes (diagram); box++)
    if (viz_diagram_box (diagram, box)->kind == VIZ_BOX_STEPS &&
        (viz_diagram_box (diagram, box)->flags & VIZ_BOX_BLOCKS) == 0)
      return hyb_form_name (HYB_FORM_UNROLLED);
  return NULL;
}

const char *
scope_page_get_form (ScopePage *self)
{
  ScopeDocument *document = scope_workspace_get_document (self->workspace);

  if (!self->form && document)
    return find_form (document);
  return self->form;
}

const char *
scope_page_get_proof (ScopePage *self)
{
  return self->proof;
}

const char *
scope_page_get_family (ScopePage *self)
{
  return self->family ? self->family : scope_workspace_get_model_name (self->workspace);
}

const char *
scope_page_get_family_title (ScopePage *self)
{
  return self->family_title ? self->family_title : scope_workspace_get_title (self->workspace);
}

void
scope_page_set_family (ScopePage *self, ScopePage *from, const char *form, const char *proof)
{
  g_free (self->form);
  g_free (self->proof);
  g_free (self->family);
  g_free (self->family_title);
  self->form = g_strdup (form);
  self->proof = g_strdup (proof);
  self->family = g_strdup (scope_page_get_family (from));
  self->family_title = g_strdup (scope_page_get_family_title (from));
}

void
scope_page_clear_family (ScopePage *self)
{
  g_clear_pointer (&self->form, g_free);
  g_clear_pointer (&self->proof, g_free);
  g_clear_pointer (&self->family, g_free);
  g_clear_pointer (&self->family_title, g_free);
}
