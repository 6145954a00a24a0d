#pragma once
// The machine of a run: its GPUs in the order of the air, and their links from what is known of the
// kind of GPU (core/catalogue). Any thread that owns the store.

#include "core/analysis/machine/RunMachine.h"
#include "core/layout/Cluster.h"
#include "core/layout/Layout.h"
#include "core/store/Store.h"

namespace trainscope::analysis {

// `layout`: of the run, nullptr where it is not known; ranks that it has and the run has no data
// of are there too. NotFound for a run without GPUs.
Result<layout::Cluster> clusterOf(
    const store::Store& store, const Run& run, const layout::Layout* layout);

} // namespace trainscope::analysis
