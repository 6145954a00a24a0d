#include "core/analysis/traces/SpanPhases.h"

#include "core/model/Try.h"

#include <algorithm>
#include <array>

namespace trainscope::analysis {

namespace {

Mark markOf(const DeviceWork& work) {
    if (work.kernel != nullptr)
        return work.telling.mark;
    return work.launch ? work.launch->telling.mark : Mark::None;
}

} // namespace

// Phases of compute without a mark are known only at the end of the walk.
class SpanPhases::Recorder : public DeviceVisitor {
public:
    explicit Recorder(std::size_t streams)
        : m_streams(streams) { }

    Status work(const DeviceWork& work) override {
        const bool isCompute = work.kernel != nullptr && !work.kernel->isCommunication;
        const Told told{work.span.start, markOf(work), isCompute};
        auto& all = m_streams[work.stream];
        if (all.empty() || all.back().mark != told.mark || all.back().isCompute != told.isCompute)
            all.push_back(told);
        return {};
    }

    [[nodiscard]] std::vector<Change> changes(std::size_t stream, Phase unmarked) const {
        std::vector<Change> result;
        for (const Told& told : m_streams[stream]) {
            auto phase = phaseOf(told.mark);
            if (!phase && told.isCompute)
                phase = unmarked;
            result.push_back({told.from, phase});
        }
        return result;
    }

private:
    struct Told {
        TimeNs from;
        Mark mark = Mark::None;
        bool isCompute = false;
    };
    std::vector<std::vector<Told>> m_streams;
};

Result<SpanPhases> SpanPhases::read(
    const store::Store& store, const DeviceTracks& device, const Progress& progress) {
    Recorder recorder(device.streams.size());
    const std::array<DeviceVisitor*, 1> visitors{&recorder};
    ASSIGN_OR_RETURN(const auto evidence, walkDevice(store, device, kAllTime, visitors, progress));
    SpanPhases phases;
    for (std::size_t i = 0; i < device.streams.size(); ++i)
        phases.m_changes[device.streams[i].id] = recorder.changes(i, evidence.unmarked());
    return phases;
}

std::optional<Phase> SpanPhases::of(TrackId stream, const Span& span) const {
    const auto found = m_changes.find(stream);
    if (found == m_changes.end())
        return std::nullopt;
    const auto& changes = found->second;
    const auto after = std::upper_bound(changes.begin(), changes.end(), span.start,
        [](TimeNs time, const Change& change) { return time < change.from; });
    return after == changes.begin() ? std::nullopt : std::prev(after)->phase;
}

} // namespace trainscope::analysis
