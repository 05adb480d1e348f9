#include "console.h"

const struct console_file *console_files(size_t *count) {
    *count = 0;
    return 0;
}
