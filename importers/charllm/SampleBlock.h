#pragma once
// The samples in one block of a telemetry file. A pure function of the block, so that blocks can be
// read at the same time; FileTally (FileImport.h) puts together what they say of the file.

#include "importers/common/LineBlocks.h"
#include "importers/common/SampleStatistics.h"

#include <cstdint>
#include <string>
#include <vector>

namespace trainscope::importers::charllm {

// A line that could not be understood.
struct BadLine {
    std::int64_t line = 0; // in the block, from 1
    const char* problem = "";
    std::string excerpt; // its start, printable
};

struct SampleBlock {
    static constexpr std::size_t kLongestLine = std::size_t{64} << 10;
    static constexpr std::size_t kMaxBad = 5;

    std::vector<TimeNs> times;
    std::vector<double> values; // NaN: missing
    SampleStatistics statistics; // these samples'
    std::int64_t lines = 0;
    std::int64_t skipped = 0; // lines that were not understood
    std::vector<BadLine> bad; // the first kMaxBad of them
    std::uint64_t bytesRead = 0; // decompressed
    std::uint64_t bytesConsumed = 0; // as the file lies on disk, up to here
};

// isFileStart: words in the first line are a header.
SampleBlock readSamples(const LineBlock& block, bool isFileStart);

} // namespace trainscope::importers::charllm
