#pragma once
// A sink that keeps everything in memory, for asking afterwards.

#include "core/model/Import.h"

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace trainscope::test {

struct CollectedTrack {
    TrackDescription description;
    std::vector<Span> spans;
};
struct CollectedSeries {
    SeriesDescription description;
    std::vector<TimeNs> times;
    std::vector<double> values;
};

class CollectingSink final : public Sink {
public:
    Result<RunId> run(const Run& run) override {
        runs[run.name] = run;
        return RunId{1};
    }
    Status gpu(RunId /*run*/, const Gpu& gpu) override {
        gpus.push_back(gpu);
        return {};
    }
    Result<SeriesId> series(RunId /*run*/, const SeriesDescription& description) override {
        seriesList.push_back({description, {}, {}});
        return SeriesId{static_cast<std::int64_t>(seriesList.size())};
    }
    Status samples(
        SeriesId id, std::span<const TimeNs> times, std::span<const double> values) override {
        auto& series = seriesList[static_cast<std::size_t>(id.value - 1)];
        series.times.insert(series.times.end(), times.begin(), times.end());
        series.values.insert(series.values.end(), values.begin(), values.end());
        return {};
    }
    Result<TrackId> track(RunId /*run*/, const TrackDescription& description) override {
        tracks.push_back({description, {}});
        return TrackId{static_cast<std::int64_t>(tracks.size())};
    }
    Status spans(TrackId id, std::span<const Span> spans) override {
        auto& track = tracks[static_cast<std::size_t>(id.value - 1)];
        track.spans.insert(track.spans.end(), spans.begin(), spans.end());
        return {};
    }
    Result<NameId> intern(std::string_view text) override {
        const auto [found, isNew] = m_ids.try_emplace(std::string(text), names.size() + 1);
        if (isNew)
            names.emplace_back(text);
        return NameId{static_cast<std::int64_t>(found->second)};
    }
    Status iteration(RunId /*run*/, const Iteration& iteration) override {
        iterations.push_back(iteration);
        return {};
    }

    [[nodiscard]] std::string name(NameId id) const {
        return id.isValid() ? names[static_cast<std::size_t>(id.value - 1)] : std::string();
    }
    // Everything as sortable lines, for comparing two imports.
    [[nodiscard]] std::multiset<std::string> lines() const {
        std::multiset<std::string> result;
        for (const CollectedTrack& track : tracks) {
            const TrackDescription& at = track.description;
            for (const Span& span : track.spans)
                result.insert(std::string(toString(at.kind)) + '|' + std::to_string(at.device) + '|'
                    + at.process + '|' + at.thread + '|' + at.name + '|'
                    + std::to_string(span.start.ns) + '|' + std::to_string(span.duration.ns) + '|'
                    + name(span.name) + '|' + std::string(toString(span.kind)) + '|'
                    + std::to_string(span.correlation) + '|' + name(span.detail));
        }
        return result;
    }

    std::map<std::string, Run> runs;
    std::vector<Gpu> gpus;
    std::vector<CollectedSeries> seriesList;
    std::vector<CollectedTrack> tracks;
    std::vector<std::string> names;
    std::vector<Iteration> iterations;

private:
    std::map<std::string, std::size_t> m_ids;
};

} // namespace trainscope::test
