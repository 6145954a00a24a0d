#pragma once
// The tables of nccl-tests below a folder, in its output or in logs, as timings of exchanges: sizes
// in bytes as the test counts them, times of the exchange out of place. The folder names the fabric
// where it is called "nccl_NAME", else its own name does.

#include "core/predict/profile/Timings.h"
#include "importers/common/Source.h"

namespace trainscope::importers::nccl {

struct BandwidthTables {
    std::vector<predict::CollectiveTimings> collectives;
    std::size_t files = 0; // with a table that is used
    ImportReport report; // tables left out with their reasons, as warnings
};

// Files without a table are passed over.
Result<BandwidthTables> readBandwidthTables(const SourceTree& tree, const Progress& progress);

} // namespace trainscope::importers::nccl
