/* tiles.c — the cache of tiles, and the workers that paint them.
 *
 * A tile belongs to a generation: picture, colours and zoom.  When one of them changes, the current
 * table of tiles becomes the stale one and a new table starts; results of older generations are
 * dropped.  Start reading with scope_tiles_draw().
 * SPDX-License-Identifier: LGPL-2.1-or-later */
#include "app/widgets/tiles.h"

#include "app/process/worker.h"

#include <math.h>

#define MAX_TILES      200
#define OVERVIEW_SIDE  1400.0
#define ZOOM_SETTLE_MS 100
#define N_WORKERS      2

typedef struct
{
  gint64           key;
  cairo_surface_t *surface; /* NULL: requested */
  guint            used;    /* number of the last drawing that used it */
} Tile;

struct _ScopeTiles
{
  GObject parent_instance;

  VizPicture     *picture;
  VizOverlay     *overlay;
  const VizTheme *theme;

  GHashTable *tiles; /* key → Tile */
  double      zoom;  /* of the tiles; 0: nothing was drawn yet */
  int         factor;
  GHashTable *stale;
  double      stale_zoom, stale_dx, stale_dy;
  int         stale_factor;

  cairo_surface_t *overview;
  double           overview_scale;
  guint            overview_generation;

  gint   generation; /* atomic, read by workers */
  guint  now;        /* number of the current drawing */
  guint  n_waiting;
  guint  settle;
  double requested_zoom;
  gint64 zoomed_at;
};

G_DEFINE_FINAL_TYPE (ScopeTiles, scope_tiles, G_TYPE_OBJECT)

static guint arrived_signal;

typedef struct
{
  ScopeTiles      *tiles;
  VizPicture      *picture;
  VizOverlay      *overlay;
  const VizTheme  *theme;
  double           zoom;
  int              column, row, factor;
  gint             generation;
  guint            serial;
  gboolean         is_overview;
  cairo_surface_t *surface;
} TileJob;

/* --- Workers --- */

static void
tile_job_free (gpointer data)
{
  TileJob *job = data;

  g_clear_pointer (&job->surface, cairo_surface_destroy);
  scope_worker_free (g_steal_pointer (&job->picture), (GDestroyNotify) viz_picture_unref);
  g_clear_pointer (&job->overlay, viz_overlay_unref);
  g_clear_object (&job->tiles);
  g_free (job);
}

static gint64
tile_key (int column, int row)
{
  return (gint64) column * ((gint64) 1 << 32) + (guint32) row;
}

static void
tile_free (gpointer data)
{
  Tile *tile = data;

  g_clear_pointer (&tile->surface, cairo_surface_destroy);
  g_free (tile);
}

/* Main thread. */
static gboolean
job_arrived (gpointer data)
{
  TileJob    *job = data;
  ScopeTiles *self = job->tiles;
  gint64      key = tile_key (job->column, job->row);
  Tile       *tile;

  if (job->is_overview)
    {
      if (job->generation == (gint) self->overview_generation && job->surface)
        {
          g_clear_pointer (&self->overview, cairo_surface_destroy);
          self->overview = g_steal_pointer (&job->surface);
          self->overview_scale = job->zoom;
          g_signal_emit (self, arrived_signal, 0);
        }
      return G_SOURCE_REMOVE;
    }
  if (job->generation != self->generation)
    return G_SOURCE_REMOVE;
  self->n_waiting -= self->n_waiting > 0;
  tile = g_hash_table_lookup (self->tiles, &key);
  if (!tile)
    return G_SOURCE_REMOVE;
  if (!job->surface) /* skipped by a worker; may be requested again */
    g_hash_table_remove (self->tiles, &key);
  else
    tile->surface = g_steal_pointer (&job->surface);
  g_signal_emit (self, arrived_signal, 0);
  return G_SOURCE_REMOVE;
}

static void
paint_job (TileJob *job)
{
  double          side = job->is_overview ? 0 : SCOPE_TILE_SIZE / job->zoom;
  VizRect         area = { job->column * side, job->row * side, side, side };
  int             width = SCOPE_TILE_SIZE, height = SCOPE_TILE_SIZE;
  VizPaintOptions options = {
    .theme = job->theme,
    .overlay = job->overlay,
    .area = job->is_overview ? NULL : &area,
    .scale = job->zoom,
  };
  cairo_t *cr;

  if (job->is_overview)
    {
      width = (int) ceil (viz_picture_width (job->picture) * job->zoom);
      height = (int) ceil (viz_picture_height (job->picture) * job->zoom);
    }
  job->surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, MAX (width, 1) * job->factor,
                                             MAX (height, 1) * job->factor);
  cairo_surface_set_device_scale (job->surface, job->factor, job->factor);
  cr = cairo_create (job->surface);
  if (!job->is_overview)
    cairo_translate (cr, -job->column * SCOPE_TILE_SIZE, -job->row * SCOPE_TILE_SIZE);
  cairo_scale (cr, job->zoom, job->zoom);
  viz_paint (job->picture, cr, &options);
  cairo_destroy (cr);
  cairo_surface_flush (job->surface);
}

static void
run_job (gpointer data, gpointer unused G_GNUC_UNUSED)
{
  TileJob *job = data;

  scope_worker_lower_priority ();
  if (job->is_overview || g_atomic_int_get (&job->tiles->generation) == job->generation)
    paint_job (job);
  /* The last reference to the object must be dropped in the main thread. */
  g_idle_add_full (G_PRIORITY_HIGH_IDLE, job_arrived, job, tile_job_free);
}

/* Newest first: older requests may have left the screen. */
static int
compare_jobs (gconstpointer a, gconstpointer b, gpointer unused G_GNUC_UNUSED)
{
  const TileJob *one = a, *other = b;

  return one->serial < other->serial ? 1 : one->serial > other->serial ? -1 : 0;
}

static GThreadPool *
get_workers (void)
{
  static GThreadPool *workers;

  if (!workers)
    {
      workers = g_thread_pool_new (run_job, NULL, N_WORKERS, FALSE, NULL);
      g_thread_pool_set_sort_function (workers, compare_jobs, NULL);
    }
  return workers;
}

static void
push_job (ScopeTiles *self, int column, int row, double zoom, gboolean is_overview)
{
  static guint serial;
  TileJob     *job = g_new0 (TileJob, 1);

  job->tiles = g_object_ref (self);
  job->picture = viz_picture_ref (self->picture);
  job->overlay = self->overlay ? viz_overlay_ref (self->overlay) : NULL;
  job->theme = self->theme;
  job->zoom = zoom;
  job->column = column;
  job->row = row;
  job->factor = is_overview ? 1 : self->factor;
  job->generation = is_overview ? (gint) self->overview_generation : self->generation;
  job->serial = is_overview ? 0 : ++serial;
  job->is_overview = is_overview;
  g_thread_pool_push (get_workers (), job, NULL);
}

/* --- Generations --- */

static GHashTable *
new_table (void)
{
  return g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, tile_free);
}

/* Starts a new table.  The old one becomes the stale table, unless it is incomplete and there is a stale
 * table already. */
static void
start_generation (ScopeTiles *self, double dx, double dy)
{
  if (self->n_waiting == 0 || !self->stale)
    {
      g_clear_pointer (&self->stale, g_hash_table_unref);
      self->stale = self->tiles;
      self->stale_zoom = self->zoom;
      self->stale_factor = self->factor;
      self->stale_dx = dx;
      self->stale_dy = dy;
    }
  else
    {
      g_hash_table_unref (self->tiles);
      self->stale_dx += dx;
      self->stale_dy += dy;
    }
  self->tiles = new_table ();
  self->n_waiting = 0;
  g_atomic_int_inc (&self->generation);
}

static void
request_overview (ScopeTiles *self)
{
  double longest;

  self->overview_generation++;
  if (!self->picture)
    {
      g_clear_pointer (&self->overview, cairo_surface_destroy);
      return;
    }
  longest = MAX (viz_picture_width (self->picture), viz_picture_height (self->picture));
  push_job (self, 0, 0, MIN (OVERVIEW_SIDE / MAX (longest, 1), 1), TRUE);
}

void
scope_tiles_set_picture (ScopeTiles *self, VizPicture *picture, double dx, double dy)
{
  if (self->picture == picture)
    return;
  scope_worker_free (g_steal_pointer (&self->picture), (GDestroyNotify) viz_picture_unref);
  self->picture = picture ? viz_picture_ref (picture) : NULL;
  g_clear_pointer (&self->overview, cairo_surface_destroy);
  start_generation (self, dx, dy);
  if (!picture)
    g_clear_pointer (&self->stale, g_hash_table_unref);
  request_overview (self);
}

void
scope_tiles_set_style (ScopeTiles *self, VizOverlay *overlay, const VizTheme *theme)
{
  if (self->overlay == overlay && self->theme == theme)
    return;
  g_clear_pointer (&self->overlay, viz_overlay_unref);
  self->overlay = overlay ? viz_overlay_ref (overlay) : NULL;
  self->theme = theme;
  start_generation (self, 0, 0);
  request_overview (self);
}

/* --- Drawing --- */

static gboolean
on_settled (gpointer data)
{
  ScopeTiles *self = data;

  self->settle = 0;
  g_signal_emit (self, arrived_signal, 0);
  return G_SOURCE_REMOVE;
}

/* While the zoom changes, existing tiles are scaled; exact ones are requested when it has been constant for
 * ZOOM_SETTLE_MS.  TRUE if the tiles have the camera's zoom. */
static gboolean
adopt_zoom (ScopeTiles *self, const ScopeCamera *camera)
{
  gint64 now = g_get_monotonic_time ();

  if (self->zoom == camera->zoom && self->factor == camera->factor)
    return TRUE;
  if (self->zoom == 0)
    {
      self->zoom = camera->zoom;
      self->factor = camera->factor;
      return TRUE;
    }
  if (self->requested_zoom != camera->zoom)
    {
      self->requested_zoom = camera->zoom;
      self->zoomed_at = now;
    }
  if (now - self->zoomed_at < ZOOM_SETTLE_MS * 1000)
    {
      if (self->settle == 0)
        self->settle = g_timeout_add (ZOOM_SETTLE_MS, on_settled, self);
      return FALSE;
    }
  start_generation (self, 0, 0);
  self->zoom = camera->zoom;
  self->factor = camera->factor;
  return TRUE;
}

/* Makes a surface the source, with its corner at pixel x, y. */
static void
set_source (cairo_t *cr, cairo_surface_t *surface, double x, double y, double scale)
{
  cairo_translate (cr, x, y);
  cairo_scale (cr, scale, scale);
  cairo_set_source_surface (cr, surface, 0, 0);
  cairo_pattern_set_filter (cairo_get_source (cr),
                            scale == 1 ? CAIRO_FILTER_NEAREST : CAIRO_FILTER_BILINEAR);
}

/* Edge pixels are extended, so that scaled tiles have no seams between them. */
static void
blit_surface (cairo_t *cr, cairo_surface_t *surface, double x, double y, double scale)
{
  cairo_save (cr);
  set_source (cr, surface, x, y, scale);
  cairo_pattern_set_extend (cairo_get_source (cr), CAIRO_EXTEND_PAD);
  cairo_set_antialias (cr, CAIRO_ANTIALIAS_NONE);
  cairo_rectangle (cr, 0, 0, SCOPE_TILE_SIZE, SCOPE_TILE_SIZE);
  cairo_fill (cr);
  cairo_restore (cr);
}

static void
blit_overview (ScopeTiles *self, cairo_t *cr, const ScopeCamera *camera)
{
  cairo_save (cr);
  set_source (cr, self->overview, -floor (camera->x * camera->zoom),
              -floor (camera->y * camera->zoom), camera->zoom / self->overview_scale);
  cairo_set_antialias (cr, CAIRO_ANTIALIAS_NONE);
  cairo_paint (cr);
  cairo_restore (cr);
}

/* Draws the tiles of a table that were painted for another zoom. */
static void
blit_table (cairo_t *cr, GHashTable *table, double table_zoom, const ScopeCamera *camera)
{
  double         scale = camera->zoom / table_zoom;
  double         side = SCOPE_TILE_SIZE * scale;
  double         left = floor (camera->x * camera->zoom);
  double         top = floor (camera->y * camera->zoom);
  GHashTableIter iter;
  Tile          *tile;

  g_hash_table_iter_init (&iter, table);
  while (g_hash_table_iter_next (&iter, NULL, (gpointer *) &tile))
    {
      int    column = (int) (tile->key >> 32), row = (gint32) (tile->key & 0xffffffff);
      double x = column * side - left, y = row * side - top;

      if (tile->surface && x < camera->width && y < camera->height && x + side > 0 && y + side > 0)
        blit_surface (cr, tile->surface, x, y, scale);
    }
}

static gboolean
is_old (gpointer key G_GNUC_UNUSED, gpointer value, gpointer data)
{
  const Tile *tile = value;

  return tile->surface && tile->used < *(guint *) data;
}

/* Evicts the tiles that were not drawn for the longest time. */
static void
limit_cache (ScopeTiles *self)
{
  for (guint age = 32; g_hash_table_size (self->tiles) > MAX_TILES && age > 0; age /= 2)
    {
      guint before = self->now - MIN (age, self->now);

      g_hash_table_foreach_remove (self->tiles, is_old, &before);
    }
}

static gboolean
draw_tile (ScopeTiles *self, cairo_t *cr, const ScopeCamera *camera, int column, int row)
{
  gint64 key = tile_key (column, row);
  Tile  *tile = g_hash_table_lookup (self->tiles, &key);

  if (!tile)
    {
      tile = g_new0 (Tile, 1);
      tile->key = key;
      g_hash_table_insert (self->tiles, &tile->key, tile);
      self->n_waiting++;
      push_job (self, column, row, self->zoom, FALSE);
    }
  tile->used = self->now;
  if (!tile->surface)
    return FALSE;
  blit_surface (cr, tile->surface, column * SCOPE_TILE_SIZE - floor (camera->x * camera->zoom),
                row * SCOPE_TILE_SIZE - floor (camera->y * camera->zoom), 1);
  return TRUE;
}

/* Only tiles inside the picture exist. */
static void
draw_exact (ScopeTiles *self, cairo_t *cr, const ScopeCamera *camera)
{
  double left = floor (camera->x * camera->zoom), top = floor (camera->y * camera->zoom);
  int    first_column = MAX ((int) floor (left / SCOPE_TILE_SIZE), 0);
  int    first_row = MAX ((int) floor (top / SCOPE_TILE_SIZE), 0);
  double right = MIN (left + camera->width, viz_picture_width (self->picture) * camera->zoom);
  double bottom = MIN (top + camera->height, viz_picture_height (self->picture) * camera->zoom);

  for (int row = first_row; row * SCOPE_TILE_SIZE < bottom; row++)
    for (int column = first_column; column * SCOPE_TILE_SIZE < right; column++)
      draw_tile (self, cr, camera, column, row);
  limit_cache (self);
}

void
scope_tiles_draw (ScopeTiles *self, cairo_t *cr, const ScopeCamera *camera)
{
  gboolean is_exact;

  if (!self->picture)
    return;
  self->now++;
  is_exact = adopt_zoom (self, camera);
  if (!is_exact || self->n_waiting > 0 || g_hash_table_size (self->tiles) == 0)
    {
      gboolean moved = self->stale_dx != 0 || self->stale_dy != 0;

      if (self->overview && (!moved || !self->stale))
        blit_overview (self, cr, camera);
      if (self->stale && self->stale_zoom > 0)
        {
          ScopeCamera moved_camera = *camera;

          moved_camera.x -= self->stale_dx;
          moved_camera.y -= self->stale_dy;
          blit_table (cr, self->stale, self->stale_zoom, &moved_camera);
        }
    }
  if (is_exact)
    draw_exact (self, cr, camera);
  else
    blit_table (cr, self->tiles, self->zoom, camera);
  if (is_exact && self->n_waiting == 0)
    {
      g_clear_pointer (&self->stale, g_hash_table_unref);
      self->stale_dx = self->stale_dy = 0;
    }
}

gboolean
scope_tiles_is_complete (ScopeTiles *self)
{
  return !self->picture || (self->n_waiting == 0 && self->settle == 0 && self->now > 0);
}

cairo_surface_t *
scope_tiles_get_overview (ScopeTiles *self, double *scale)
{
  *scale = self->overview_scale;
  return self->overview;
}

static void
scope_tiles_dispose (GObject *object)
{
  ScopeTiles *self = SCOPE_TILES (object);

  g_clear_handle_id (&self->settle, g_source_remove);
  g_clear_pointer (&self->tiles, g_hash_table_unref);
  g_clear_pointer (&self->stale, g_hash_table_unref);
  g_clear_pointer (&self->overview, cairo_surface_destroy);
  scope_worker_free (g_steal_pointer (&self->picture), (GDestroyNotify) viz_picture_unref);
  g_clear_pointer (&self->overlay, viz_overlay_unref);
  G_OBJECT_CLASS (scope_tiles_parent_class)->dispose (object);
}

static void
scope_tiles_class_init (ScopeTilesClass *class)
{
  G_OBJECT_CLASS (class)->dispose = scope_tiles_dispose;
  arrived_signal = g_signal_new ("arrived", SCOPE_TYPE_TILES, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                 NULL, G_TYPE_NONE, 0);
}

static void
scope_tiles_init (ScopeTiles *self)
{
  self->tiles = new_table ();
  self->factor = 1;
  self->theme = viz_theme_find (NULL);
}

ScopeTiles *
scope_tiles_new (void)
{
  return g_object_new (SCOPE_TYPE_TILES, NULL);
}
