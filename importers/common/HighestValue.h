#pragma once
// Numbers that no reading has. Drivers and exporters give the highest number of an integer where
// they do not know the value, and counters that ran over give shares of thousands of percent
// (github.com/NVIDIA/DCGM/issues/199, github.com/NVIDIA/go-dcgm/issues/75).

#include "core/model/Series.h"

namespace trainscope::importers {

// Numbers of the source up to here are readings; those above may be.
double certainlyPossible(const SeriesDescription& what);
bool isPossible(const SeriesDescription& what, double number);

} // namespace trainscope::importers
