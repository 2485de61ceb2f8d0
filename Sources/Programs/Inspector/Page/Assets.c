#include "InspectorPage.h"

// Clang reads #embed in every language that it knows, and warns where the standard is older.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char action_js[] = {
#embed "assets/action.js"
};
static const unsigned char actions_js[] = {
#embed "assets/actions.js"
};
static const unsigned char charts_js[] = {
#embed "assets/charts.js"
};
static const unsigned char code_js[] = {
#embed "assets/code.js"
};
static const unsigned char console_js[] = {
#embed "assets/console.js"
};
static const unsigned char dispatch_js[] = {
#embed "assets/dispatch.js"
};
static const unsigned char dom_js[] = {
#embed "assets/dom.js"
};
static const unsigned char door_js[] = {
#embed "assets/door.js"
};
static const unsigned char filter_js[] = {
#embed "assets/filter.js"
};
static const unsigned char first_js[] = {
#embed "assets/first.js"
};
static const unsigned char format_js[] = {
#embed "assets/format.js"
};
static const unsigned char help_js[] = {
#embed "assets/help.js"
};
static const unsigned char icon_svg[] = {
#embed "assets/icon.svg"
};
static const unsigned char index_html[] = {
#embed "assets/index.html"
};
static const unsigned char link_js[] = {
#embed "assets/link.js"
};
static const unsigned char log_js[] = {
#embed "assets/log.js"
};
static const unsigned char main_js[] = {
#embed "assets/main.js"
};
static const unsigned char name_js[] = {
#embed "assets/name.js"
};
static const unsigned char panes_js[] = {
#embed "assets/panes.js"
};
static const unsigned char rows_js[] = {
#embed "assets/rows.js"
};
static const unsigned char state_js[] = {
#embed "assets/state.js"
};
static const unsigned char store_js[] = {
#embed "assets/store.js"
};
static const unsigned char style_css[] = {
#embed "assets/style.css"
};
static const unsigned char timeline_js[] = {
#embed "assets/timeline.js"
};
static const unsigned char times_js[] = {
#embed "assets/times.js"
};
static const unsigned char tree_js[] = {
#embed "assets/tree.js"
};
static const unsigned char units_js[] = {
#embed "assets/units.js"
};

static const struct PageFile files[] = {
  {"/action.js", "text/javascript; charset=utf-8", action_js, sizeof action_js},
  {"/actions.js", "text/javascript; charset=utf-8", actions_js, sizeof actions_js},
  {"/charts.js", "text/javascript; charset=utf-8", charts_js, sizeof charts_js},
  {"/code.js", "text/javascript; charset=utf-8", code_js, sizeof code_js},
  {"/console.js", "text/javascript; charset=utf-8", console_js, sizeof console_js},
  {"/dispatch.js", "text/javascript; charset=utf-8", dispatch_js, sizeof dispatch_js},
  {"/dom.js", "text/javascript; charset=utf-8", dom_js, sizeof dom_js},
  {"/door.js", "text/javascript; charset=utf-8", door_js, sizeof door_js},
  {"/filter.js", "text/javascript; charset=utf-8", filter_js, sizeof filter_js},
  {"/first.js", "text/javascript; charset=utf-8", first_js, sizeof first_js},
  {"/format.js", "text/javascript; charset=utf-8", format_js, sizeof format_js},
  {"/help.js", "text/javascript; charset=utf-8", help_js, sizeof help_js},
  {"/icon.svg", "image/svg+xml", icon_svg, sizeof icon_svg},
  {"/index.html", "text/html; charset=utf-8", index_html, sizeof index_html},
  {"/link.js", "text/javascript; charset=utf-8", link_js, sizeof link_js},
  {"/log.js", "text/javascript; charset=utf-8", log_js, sizeof log_js},
  {"/main.js", "text/javascript; charset=utf-8", main_js, sizeof main_js},
  {"/name.js", "text/javascript; charset=utf-8", name_js, sizeof name_js},
  {"/panes.js", "text/javascript; charset=utf-8", panes_js, sizeof panes_js},
  {"/rows.js", "text/javascript; charset=utf-8", rows_js, sizeof rows_js},
  {"/state.js", "text/javascript; charset=utf-8", state_js, sizeof state_js},
  {"/store.js", "text/javascript; charset=utf-8", store_js, sizeof store_js},
  {"/style.css", "text/css; charset=utf-8", style_css, sizeof style_css},
  {"/timeline.js", "text/javascript; charset=utf-8", timeline_js, sizeof timeline_js},
  {"/times.js", "text/javascript; charset=utf-8", times_js, sizeof times_js},
  {"/tree.js", "text/javascript; charset=utf-8", tree_js, sizeof tree_js},
  {"/units.js", "text/javascript; charset=utf-8", units_js, sizeof units_js},
};

const struct PageFile *page_file(size_t index) {
  return index < sizeof files / sizeof files[0] ? &files[index] : NULL;
}
