// SPDX-License-Identifier: Apache-2.0
// The process: attnc_run in the world that the system gives, and the only place that ends it.
#include <signal.h>
#include <stdlib.h>

#include "gen/attnc.h"

int main(int argc, char *argv[]) {
    signal(SIGPIPE, SIG_IGN); // a reader that went away is an error of output, not a death
    return attnc_run(argc, argv, malloc);
}
