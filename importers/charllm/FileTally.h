#pragma once
// What the blocks of one telemetry file add up to: rows, warnings with their line in the file,
// statistics.

#include "core/model/Import.h"
#include "importers/charllm/SampleBlock.h"

#include <string>

namespace trainscope::importers::charllm {

class FileTally {
public:
    // `report` outlives this; bytes, skipped lines and warnings go there.
    FileTally(std::string file, ImportReport& report);

    // In the order of the file. Takes the block's statistics out of it.
    void add(SampleBlock& block);
    // To be called once behind the last block: sums up what was skipped beyond the warnings kept.
    void finish();

    [[nodiscard]] const SampleStatistics& statistics() const { return m_statistics; }
    // The start of the first line that was not understood, printable; empty if there is none.
    [[nodiscard]] const std::string& firstBadText() const { return m_firstBad; }

private:
    std::string m_file;
    ImportReport& m_report;
    SampleStatistics m_statistics;
    std::int64_t m_lines = 0;
    std::int64_t m_skipped = 0;
    std::int64_t m_warned = 0;
    std::string m_firstBad;
};

} // namespace trainscope::importers::charllm
