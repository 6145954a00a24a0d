#include "importers/meters/FileProbe.h"

#include "importers/common/HeadLines.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace trainscope::importers::meters {

namespace {

constexpr std::int64_t kQuarterNs = std::int64_t{900} * 1'000'000'000;
constexpr std::int64_t kNearNs = std::int64_t{120} * 1'000'000'000; // files do not start at once

class NoSink final : public Sink {
public:
    Result<RunId> run(const Run&) override { return RunId{1}; }
    Status gpu(RunId, const Gpu&) override { return {}; }
    Result<SeriesId> series(RunId, const SeriesDescription&) override { return SeriesId{1}; }
    Status samples(SeriesId, std::span<const TimeNs>, std::span<const double>) override {
        return {};
    }
    Result<TrackId> track(RunId, const TrackDescription&) override { return TrackId{1}; }
    Status spans(TrackId, std::span<const Span>) override { return {}; }
    Result<NameId> intern(std::string_view) override { return NameId{1}; }
    Status iteration(RunId, const Iteration&) override { return {}; }
};

} // namespace

FileProbe probeMeters(const SourceTree& tree, const std::string& path) {
    FileProbe probe;
    const auto text = readHead(tree, path, kHeadOfLines);
    if (!text.hasValue())
        return probe;
    probe.format = meterFormatOf(meterHead(text.value()));
    if (probe.format == nullptr)
        return probe;
    NoSink sink;
    ImportReport report;
    MeterTable table(sink, RunId{1}, report, 0);
    table.startFile(std::nullopt);
    MeterLog log(table, report, path, {});
    const auto reader = probe.format->open();
    Status status;
    if (probe.format->isDocument) {
        status = reader->take(text.value(), log);
    } else {
        for (const std::string& line : linesOfHead(text.value())) {
            if (status.hasValue())
                status = reader->take(line, log);
        }
    }
    if (!status.hasValue() || !reader->finish(log).hasValue() || !log.finish().hasValue()
        || !table.finish().hasValue())
        return probe;
    probe.gpus = table.gpuCount();
    probe.nodes = table.nodeCount();
    probe.switches = table.countOf(SubjectKind::Switch);
    probe.metrics = table.metrics();
    probe.gpuModel = table.gpuModel();
    probe.clock = log.clockKind();
    probe.start = log.firstStamp();
    probe.isUntimed = log.hasUntimed();
    return probe;
}

std::vector<DurationNs> clockSteps(const std::vector<std::optional<TimeNs>>& starts) {
    std::vector<DurationNs> steps(starts.size());
    std::vector<std::int64_t> known;
    for (const auto& start : starts) {
        if (start)
            known.push_back(start->ns);
    }
    if (known.size() < 2)
        return steps;
    std::sort(known.begin(), known.end());
    const std::int64_t usual = known[known.size() / 2];
    for (std::size_t i = 0; i < starts.size(); ++i) {
        if (!starts[i])
            continue;
        const std::int64_t apart = starts[i]->ns - usual;
        const std::int64_t quarters
            = std::llround(static_cast<double>(apart) / static_cast<double>(kQuarterNs));
        constexpr std::int64_t kMostQuarters = 104; // 26 h: no zones are further apart
        if (quarters != 0 && std::abs(quarters) <= kMostQuarters
            && std::abs(apart - quarters * kQuarterNs) <= kNearNs)
            steps[i] = {quarters * kQuarterNs};
    }
    return steps;
}

} // namespace trainscope::importers::meters
