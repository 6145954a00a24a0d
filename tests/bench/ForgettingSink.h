#pragma once
// A sink that takes everything and keeps nothing, for measuring importers alone.

#include "core/model/Import.h"

#include <benchmark/benchmark.h>

namespace trainscope::bench {

class ForgettingSink final : public Sink {
public:
    Result<RunId> run(const Run&) override { return RunId{1}; }
    Status gpu(RunId, const Gpu&) override { return {}; }
    Result<SeriesId> series(RunId, const SeriesDescription&) override { return SeriesId{1}; }
    Status samples(
        SeriesId, std::span<const TimeNs> times, std::span<const double> values) override {
        benchmark::DoNotOptimize(times.data());
        benchmark::DoNotOptimize(values.data());
        return {};
    }
    Result<TrackId> track(RunId, const TrackDescription&) override { return TrackId{1}; }
    Status spans(TrackId, std::span<const Span> spans) override {
        benchmark::DoNotOptimize(spans.data());
        return {};
    }
    Result<NameId> intern(std::string_view) override { return NameId{1}; }
    Status iteration(RunId, const Iteration&) override { return {}; }
};

} // namespace trainscope::bench
