/* The loads, each given its arguments without the name. They print one JSON object on one line. */
#ifndef LOADS_H
#define LOADS_H

int load_events(char **arguments);
int fill(char **arguments);
int fan_out(char **arguments);
int catch_up(char **arguments);

#endif
