/* Puts the same load on Grove and on other servers, and prints what came back as JSON.
 *
 * The processor time of this program ("own_s") is reported with each figure, because the servers
 * run on the same machine. */
#include "loads.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    int (*run)(char **arguments);
    int count;
    const char *arguments;
} loads[] = {
    {"events", load_events, 8,
     "PROTOCOL PORT CONNECTIONS UNDER_WAY COUNTERS WARM_S MEASURE_S SEED"},
    {"fill", fill, 6, "PROTOCOL PORT CONNECTIONS UNDER_WAY COUNTERS EVENTS"},
    {"fan-out", fan_out, 7, "PROTOCOL PORT SUBSCRIBERS WINDOW WARM_S MEASURE_S PAYLOAD"},
    {"catch-up", catch_up, 3, "PROTOCOL PORT RECORDS"},
};

int main(int count, char **arguments) {
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++)
        if (count == loads[i].count + 2 && !strcmp(arguments[1], loads[i].name))
            return loads[i].run(arguments + 2);
    fprintf(stderr, "usage:\n");
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++)
        fprintf(stderr, "  load %s %s\n", loads[i].name, loads[i].arguments);
    return 2;
}
