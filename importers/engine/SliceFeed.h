#pragma once
// The samples of parts, slice of time by slice of time, in order: several questions are under way
// while the answers before them are worked on. A slice is as long as an answer of useful size; one
// that the engine finds too much is asked again in halves, of time first, then of metrics.
//
// Raw samples come by an instant query of a range vector; with a step, the last sample of each step
// by query_range, 11,000 points of a series at most. A sample that an engine puts on both sides of
// a border (ranges are closed on the left in some) is in the later slice alone.

#include "importers/engine/Answer.h"
#include "importers/engine/Asking.h"
#include "importers/engine/Catalogue.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace trainscope::importers::engine {

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

} // namespace trainscope::importers::engine
