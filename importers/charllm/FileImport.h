#pragma once
// Telemetry files into series: opened and read ahead by jobs, handed to the sink file by file and
// block by block in their order, whatever the number of threads.

#include "importers/charllm/RunPlan.h"
#include "importers/common/FileLines.h"
#include "importers/common/Importer.h"
#include "importers/common/SampleStatistics.h"

namespace trainscope::importers::charllm {

// The samples in one block of a telemetry file. A pure function of the block, so that blocks can be
// read at the same time; FileTally (FileImport.h) puts together what they say of the file.

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

// Sums over the blocks of one telemetry file: rows, warnings with their line in the file,
// statistics.
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

// The first block of a file, read by a job, and the rest if there is one. Owns all it needs but the
// tree.
struct FileStart {
    std::unique_ptr<LineBlocks> rest; // absent where everything is in `block`
    std::optional<SampleBlock> block;
    std::optional<Error> failure; // the file cannot be opened or read
    std::uint64_t bytesConsumed = 0;
};
FileStart startFile(const SourceTree& tree, const std::string& path);

struct FileOutcome {
    SampleStatistics statistics;
    std::uint64_t bytes = 0; // as the file lies on disk
    bool isBroken = false; // the file could not be read, or not to its end
    std::string found; // the text that stood there instead of a usable line
};

// Told how many bytes of the file on disk are behind; false stops the import.
using FileProgress = std::function<bool(std::uint64_t bytes)>;

// Goes on from the file's start. Counts rows, samples and warnings into `report`. The series is
// made in the sink with the file's first usable line, of a run that `run` names. Fails only where
// the sink does or on request.
Result<FileOutcome> importFile(const SourceTree& tree, const TelemetryFile& file, FileStart start,
    RunId run, Sink& sink, ImportReport& report, const FileProgress& progress);

} // namespace trainscope::importers::charllm
