#pragma once
// A sink that keeps nothing, for tests that only ask whether an import survives.

#include "core/model/Import.h"

namespace trainscope::test {

class CountingSink final : public Sink {
public:
    Result<RunId> run(const Run&) override { return RunId{1}; }
    Status gpu(RunId, const Gpu&) override { return {}; }
    Result<SeriesId> series(RunId, const SeriesDescription&) override {
        return SeriesId{++seriesCount};
    }
    Status samples(
        SeriesId, std::span<const TimeNs> times, std::span<const double> values) override {
        balanced = balanced && times.size() == values.size();
        sampleCount += static_cast<std::int64_t>(times.size());
        return {};
    }
    Result<TrackId> track(RunId, const TrackDescription&) override { return TrackId{++trackCount}; }
    Status spans(TrackId, std::span<const Span> spans) override {
        spanCount += static_cast<std::int64_t>(spans.size());
        return {};
    }
    Result<NameId> intern(std::string_view) override { return NameId{1}; }
    Status iteration(RunId, const Iteration&) override { return {}; }

    std::int64_t seriesCount = 0;
    std::int64_t trackCount = 0;
    std::int64_t sampleCount = 0;
    std::int64_t spanCount = 0;
    bool balanced = true;
};

} // namespace trainscope::test
