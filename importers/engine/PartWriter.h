#pragma once
// Writes what slices bring of one part into a sink: each channel is one series, whatever labels its
// samples came under. If two label sets have samples of the same time (two jobs scrape one
// exporter) one of them is taken; where one ends and another begins (a restart) they follow each
// other.

#include "importers/common/SampleStatistics.h"
#include "importers/engine/Answer.h"
#include "importers/engine/Asking.h"
#include "importers/engine/Catalogue.h"

#include <deque>

namespace trainscope::importers::engine {

// The samples of parts, slice of time by slice of time, in order: several questions are under way
// while the answers before them are worked on. A slice is as long as an answer of useful size; one
// that the engine finds too much is asked again in halves, of time first, then of metrics.
//
// Raw samples come by an instant query of a range vector; with a step, the last sample of each step
// by query_range, 11,000 points of a series at most. A sample that an engine puts on both sides of
// a border (ranges are closed on the left in some) is in the later slice alone.

struct CopyRequest {
    Selector selector;
    TimeRange range; // whole milliseconds
    std::optional<DurationNs> step; // absent: every sample
    int questionsAtOnce = 4;
    std::int64_t samplesPerAnswer = 250'000; // aimed at
};

// Content of one answer.
struct Slice {
    std::size_t part = 0;
    TimeRange range;
    std::vector<AnsweredSeries> series; // with samples inside the range only
    AnswerFacts facts;
    std::uint64_t wireBytes = 0;
    bool endsPart = false;
};

class SliceFeed {
public:
    // Refer to what outlives them.
    SliceFeed(Fetcher& fetcher, const CopyRequest& request, const std::vector<Part>& parts);
    ~SliceFeed();
    // The next one; absent behind the last.
    Result<std::optional<Slice>> next(const IsCancelled& isCancelled);

private:
    struct Asked {
        std::size_t part = 0;
        TimeRange range;
        std::vector<std::string> names;
        bool endsPart = false;
        std::unique_ptr<Question> question;
    };
    [[nodiscard]] HttpRequest requestOf(const Asked& asked) const;
    void plan();
    Status split(Asked asked, const Reply& reply);
    Result<Slice> read(const Asked& asked, const Reply& reply);
    void adapt(const Slice& slice);
    [[nodiscard]] std::int64_t lengthFor(std::size_t part) const; // ms

    Fetcher& m_fetcher;
    const CopyRequest& m_request;
    const std::vector<Part>& m_parts;
    std::deque<Asked> m_asked; // in order
    std::size_t m_part = 0; // planned next
    TimeNs m_from; // likewise
    double m_samplesPerMs = 0.0; // a series has, as met
};

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
