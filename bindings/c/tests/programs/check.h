/* What the programs check with. */
#ifndef CHECK_H
#define CHECK_H

#include "drystone.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

static void expect(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "%s does not hold; last message: %s\n", what, ds_message());
        failures += 1;
    }
}

#define EXPECT(condition) expect(condition, #condition)
#define OK(call) expect((call) == DS_OK, #call)

#endif
