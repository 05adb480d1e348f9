#pragma once
#include <stddef.h>

// A file of the console, as it is served. The bytes live as long as the process.
struct console_file {
    const char *name;
    const unsigned char *bytes;
    size_t count;
};

// The files, in the order of their names.
const struct console_file *console_files(size_t *count);
