#pragma once
// A sink that keeps everything in memory, for tests of importers. `failAt` makes the n-th call from
// 1 fail.

#include "core/model/Import.h"

#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace trainscope::test {

struct RecordedSeries {
    RunId run;
    SeriesDescription description;
    std::vector<TimeNs> times;
    std::vector<double> values; // as stored, NaN: missing

    [[nodiscard]] std::int64_t missing() const {
        std::int64_t count = 0;
        for (const double value : values)
            count += std::isnan(value) ? 1 : 0;
        return count;
    }
};

struct RecordedTrack {
    RunId run;
    TrackDescription description;
    std::vector<Span> spans;
};

class RecordingSink final : public Sink {
public:
    Result<RunId> run(const Run& run) override {
        if (auto status = called(); !status.hasValue())
            return status.error();
        for (std::size_t i = 0; i < runs.size(); ++i) {
            if (runs[i].name == run.name) {
                merge(runs[i], run);
                return RunId{static_cast<std::int64_t>(i) + 1};
            }
        }
        runs.push_back(run);
        return RunId{static_cast<std::int64_t>(runs.size())};
    }

    Status gpu(RunId run, const Gpu& gpu) override {
        if (auto status = called(); !status.hasValue())
            return status;
        gpus[{run.value, gpu.rank}] = gpu;
        return {};
    }

    Result<SeriesId> series(RunId run, const SeriesDescription& description) override {
        if (auto status = called(); !status.hasValue())
            return status.error();
        allSeries.push_back({run, description, {}, {}});
        return SeriesId{static_cast<std::int64_t>(allSeries.size())};
    }

    Status samples(
        SeriesId id, std::span<const TimeNs> times, std::span<const double> values) override {
        if (auto status = called(); !status.hasValue())
            return status;
        if (times.size() != values.size())
            return Error{ErrorCode::Internal, "times and values differ in length", {}};
        RecordedSeries& target = allSeries.at(static_cast<std::size_t>(id.value - 1));
        target.times.insert(target.times.end(), times.begin(), times.end());
        target.values.insert(target.values.end(), values.begin(), values.end());
        return {};
    }

    Status counterBits(SeriesId series, int bits) override {
        if (auto status = called(); !status.hasValue())
            return status;
        allSeries[static_cast<std::size_t>(series.value) - 1].description.counterBits = bits;
        return {};
    }

    Result<TrackId> track(RunId run, const TrackDescription& description) override {
        if (auto status = called(); !status.hasValue())
            return status.error();
        tracks.push_back({run, description, {}});
        return TrackId{static_cast<std::int64_t>(tracks.size())};
    }

    Status spans(TrackId id, std::span<const Span> spans) override {
        if (auto status = called(); !status.hasValue())
            return status;
        auto& target = tracks.at(static_cast<std::size_t>(id.value - 1)).spans;
        target.insert(target.end(), spans.begin(), spans.end());
        return {};
    }

    Result<NameId> intern(std::string_view text) override {
        if (auto status = called(); !status.hasValue())
            return status.error();
        const auto next = NameId{static_cast<std::int64_t>(nameIds.size()) + 1};
        const auto [entry, isNew] = nameIds.try_emplace(std::string(text), next);
        if (isNew)
            names.emplace_back(text);
        return entry->second;
    }

    Status iteration(RunId run, const Iteration& iteration) override {
        if (auto status = called(); !status.hasValue())
            return status;
        iterations.emplace_back(run, iteration);
        return {};
    }

    Status capture(RunId run, const Capture& capture) override {
        if (auto status = called(); !status.hasValue())
            return status;
        captures.emplace_back(run, capture);
        return {};
    }

    // The text of an interned name; empty for none.
    [[nodiscard]] std::string name(NameId id) const {
        return id.isValid() ? names.at(static_cast<std::size_t>(id.value - 1)) : std::string{};
    }

    // The only series of that metric and subject, or nullptr.
    [[nodiscard]] const RecordedSeries* find(
        const std::string& metric, const Subject& subject) const {
        for (const RecordedSeries& one : allSeries) {
            if (one.description.metric.name == metric && one.description.subject == subject)
                return &one;
        }
        return nullptr;
    }
    [[nodiscard]] const RecordedSeries* ofGpu(const std::string& metric, int rank) const {
        return find(metric, {SubjectKind::Gpu, rank, -1, {}});
    }

    std::vector<Run> runs; // id = index + 1
    std::map<std::pair<std::int64_t, int>, Gpu> gpus; // by run and rank
    std::vector<RecordedSeries> allSeries; // id = index + 1
    std::vector<RecordedTrack> tracks; // id = index + 1
    std::vector<std::pair<RunId, Iteration>> iterations;
    std::vector<std::pair<RunId, Capture>> captures;
    std::vector<std::string> names; // id = index + 1
    std::map<std::string, NameId> nameIds;
    int calls = 0;
    int failAt = 0; // 0: never

private:
    Status called() {
        if (++calls == failAt)
            return Error{ErrorCode::Io, "the disk is full", "sink"};
        return {};
    }

    static void merge(Run& into, const Run& from) {
        if (from.status != RunStatus::Ok)
            into.status = from.status;
        if (into.gpuModel.empty())
            into.gpuModel = from.gpuModel;
        if (into.worldSize == 0)
            into.worldSize = from.worldSize;
        if (into.launch == LaunchConfig{})
            into.launch = from.launch;
    }
};

} // namespace trainscope::test
