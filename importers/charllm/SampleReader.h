#pragma once
// The samples of one telemetry file, block by block with bounded memory. Lines that cannot be
// understood are counted in the report; the first few are kept there as warnings with their number.

#include "core/model/Import.h"
#include "importers/charllm/TelemetryLine.h"
#include "importers/common/Source.h"

#include <memory>
#include <string>
#include <vector>

namespace trainscope::importers::charllm {

class SampleReader {
public:
    // `report` outlives this.
    SampleReader(std::unique_ptr<ByteStream> stream, std::string file, ImportReport& report);

    // Appends the samples of the next block (256 KiB), NaN for missing. False at the end. Fails
    // where the stream does, after everything before was delivered; the line that broke off there
    // is not read.
    Result<bool> readBlock(std::vector<TimeNs>& times, std::vector<double>& values);

    [[nodiscard]] std::uint64_t bytesConsumed() const { return m_stream->bytesConsumed(); }
    // The start of the first line that was not understood, printable; empty if there is none.
    [[nodiscard]] const std::string& firstBadText() const { return m_firstBad; }
    // To be called once behind the last block: sums up what was skipped beyond the warnings kept.
    void finish();

private:
    void readLines(const char* begin, const char* end, std::vector<TimeNs>& times,
        std::vector<double>& values);
    void readOddLine(
        std::string_view text, std::vector<TimeNs>& times, std::vector<double>& values);
    void skip(std::string_view text, const char* problem);
    void keepRest(std::size_t from);

    std::unique_ptr<ByteStream> m_stream;
    std::string m_file;
    ImportReport& m_report;
    std::vector<char> m_block;
    std::size_t m_size = 0; // bytes in the block that belong to a line not yet complete
    std::int64_t m_line = 0;
    std::int64_t m_skipped = 0;
    bool m_isTooLong = false; // inside a line whose start was already given up
    bool m_atEnd = false;
    std::string m_firstBad;
};

} // namespace trainscope::importers::charllm
