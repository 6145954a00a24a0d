#pragma once
// Writes what slices bring of one part into a sink: each channel is one series, whatever labels its
// samples came under. If two label sets have samples of the same time (two jobs scrape one
// exporter) one of them is taken; where one ends and another begins (a restart) they follow each
// other.

#include "importers/common/SampleStatistics.h"
#include "importers/engine/Catalogue.h"
#include "importers/engine/SliceFeed.h"

#include <map>
#include <unordered_map>
#include <vector>

namespace trainscope::importers::engine {

class PartWriter {
public:
    // All outlive it. `run` is that of the sink.
    PartWriter(const Catalogue& catalogue, const Mapping& mapping, const Part& part, Sink& sink,
        RunId run);

    Status add(const Slice& slice);
    // Report on the part; `source` names it in warnings.
    [[nodiscard]] ImportReport report(const std::string& source) const;

private:
    struct Written {
        SeriesId id;
        SampleStatistics statistics;
        std::string labels; // the series' that was taken last
    };
    struct Joined {
        std::vector<TimeNs> times;
        std::vector<double> values;
        std::string labels;
    };
    Joined join(std::vector<const AnsweredSeries*> series, const std::string& taken);
    Status write(std::size_t channel, Joined joined);

    const Catalogue& m_catalogue;
    const Mapping& m_mapping;
    const Part& m_part;
    Sink& m_sink;
    RunId m_run;
    std::map<std::size_t, Written> m_written; // by channel
    std::unordered_map<std::string, std::optional<std::size_t>> m_channels; // by labels
    std::int64_t m_doubled = 0; // samples of a series of which another was taken
    std::int64_t m_relabelled = 0; // times that other labels went on
    std::int64_t m_blanks = 0; // numbers that stand for "not known"
    std::int64_t m_notNumbers = 0;
    std::int64_t m_unordered = 0;
    std::uint64_t m_wireBytes = 0;
    std::vector<std::string> m_warnings; // the engine's
};

} // namespace trainscope::importers::engine
