/* measure_report: this machine's figures as a table for people, each with what stands behind it. */
#ifndef RIDGE_MEASURE_REPORT_H
#define RIDGE_MEASURE_REPORT_H

#include <stdio.h>

#include "model/world.h"

void measure_report(FILE *f, const struct device *here);

#endif
