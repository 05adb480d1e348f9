#include "console.h"

// The compiler takes in each file as it is (C23, 6.10.4), and lists it as a dependency: a changed file
// compiles this one again.
#pragma clang diagnostic ignored "-Wc23-extensions"

#define FILE_NAMED(name, bytes) {name, bytes, sizeof(bytes)}

static const unsigned char acts_js[] = {
#embed "web/acts.js"
};
static const unsigned char console_css[] = {
#embed "web/console.css"
};
static const unsigned char diagram_js[] = {
#embed "web/diagram.js"
};
static const unsigned char dom_js[] = {
#embed "web/dom.js"
};
static const unsigned char grove_js[] = {
#embed "web/grove.js"
};
static const unsigned char icon_svg[] = {
#embed "web/icon.svg"
};
static const unsigned char index_html[] = {
#embed "web/index.html"
};
static const unsigned char instance_js[] = {
#embed "web/instance.js"
};
static const unsigned char link_js[] = {
#embed "web/link.js"
};
static const unsigned char machine_js[] = {
#embed "web/machine.js"
};
static const unsigned char main_js[] = {
#embed "web/main.js"
};
static const unsigned char overview_js[] = {
#embed "web/overview.js"
};
static const unsigned char serverpage_js[] = {
#embed "web/serverpage.js"
};
static const unsigned char timeline_js[] = {
#embed "web/timeline.js"
};

static const struct console_file files[] = {
    FILE_NAMED("acts.js", acts_js),
    FILE_NAMED("console.css", console_css),
    FILE_NAMED("diagram.js", diagram_js),
    FILE_NAMED("dom.js", dom_js),
    FILE_NAMED("grove.js", grove_js),
    FILE_NAMED("icon.svg", icon_svg),
    FILE_NAMED("index.html", index_html),
    FILE_NAMED("instance.js", instance_js),
    FILE_NAMED("link.js", link_js),
    FILE_NAMED("machine.js", machine_js),
    FILE_NAMED("main.js", main_js),
    FILE_NAMED("overview.js", overview_js),
    FILE_NAMED("serverpage.js", serverpage_js),
    FILE_NAMED("timeline.js", timeline_js),
};

const struct console_file *console_files(size_t *count) {
    *count = sizeof(files) / sizeof(files[0]);
    return files;
}
