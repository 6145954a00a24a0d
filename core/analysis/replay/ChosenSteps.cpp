#include "core/analysis/replay/KernelGraph.h"

#include "core/analysis/statistics/Means.h"
#include "core/analysis/statistics/TimeRanges.h"
#include "core/analysis/traces/CaptureIterations.h"
#include "core/model/Try.h"

#include <fmt/format.h>

#include <cstdlib>

namespace trainscope::analysis {

namespace {

class StepChooser {
public:
    StepChooser(const RunStudy& study, const StepChoice& choice,
        const std::vector<DeviceTracks>& devices, const RankClocksPtr& clocks)
        : m_study(study)
        , m_choice(choice)
        , m_devices(devices)
        , m_clocks(clocks) { }

    Result<ChosenSteps> choose() {
        RETURN_IF_ERROR(findIterations());
        RETURN_IF_ERROR(m_all.empty() ? takeAll() : take());
        placeOnRanks();
        findWindows();
        return std::move(m_chosen);
    }

private:
    // Those of the capture, else of the run, else of the first capture that tells some.
    Status findIterations() {
        if (m_choice.capture)
            return takeCapture(*m_choice.capture);
        ASSIGN_OR_RETURN(m_run, iterationsOf(m_study));
        keepTraced(tracedOf(m_devices));
        if (!m_all.empty())
            return {};
        ASSIGN_OR_RETURN(auto captures, m_study.store.captures(m_study.run.id));
        for (const Capture& capture : partsByCapture(std::move(captures))) {
            RETURN_IF_ERROR(takeCapture(capture.name));
            if (m_all.empty())
                continue;
            m_chosen.notes.push_back("Iterations are those of the capture '" + capture.name + "'.");
            return {};
        }
        m_capture.reset();
        return {};
    }

    Status takeCapture(const std::string& name) {
        ASSIGN_OR_RETURN(const auto capture, captureWindows(m_study, name));
        ASSIGN_OR_RETURN(auto found, captureIterations(m_study, capture));
        m_capture = capture.window;
        m_chosen.areOfDevice = found.iterations.byRank.empty();
        m_run = found.areCut ? RunIterations() : std::move(found.iterations);
        keepTraced(shared(tracedOf(m_devices), capture.window));
        return {};
    }

    void keepTraced(const std::vector<TimeRange>& traced) {
        m_all = tracedIterations({m_run.iterations, {}}, traced).all;
        if (m_all.empty() && !m_run.byRank.empty())
            m_all = m_run.byRank.begin()->second;
        std::erase_if(m_all, [&](const Iteration& one) {
            const double covered = lengthOf(shared(traced, one.range)).seconds();
            return one.range.isEmpty() || covered < kCoveredOnDevice * one.range.length().seconds();
        });
        if (m_run.basis == IterationBasis::PowerPeriod)
            m_chosen.notes.push_back(
                "Iterations are told by " + m_run.origin + ", so their edges are not exact.");
    }

    // All that was traced, as one iteration.
    Status takeAll() {
        if (m_choice.iteration)
            return notFound();
        TimeRange all = kNoTime;
        for (const DeviceTracks& device : m_devices) {
            const TimeNs begin = std::max(device.countedFrom, device.extent.begin);
            all = spanned(all, onReference(m_clocks, device.rank, {begin, device.extent.end}));
        }
        all = m_capture ? shared(all, *m_capture) : all;
        m_chosen.iterations.push_back({{0, all, -1, false}, true, {}, {}});
        m_chosen.areOfDevice = true;
        m_chosen.notes.emplace_back(
            "Nothing tells iterations of this trace: all of it counts as one.");
        return {};
    }

    [[nodiscard]] Error notFound() const {
        return {ErrorCode::NotFound,
            fmt::format("There is no traced iteration {}.", m_choice.iteration.value_or(0)),
            m_study.run.name};
    }

    Status take() {
        std::vector<std::size_t> wanted;
        for (std::size_t i = 0; i < m_all.size(); ++i) {
            if (m_choice.iteration ? m_all[i].index == *m_choice.iteration : !m_all[i].warmup)
                wanted.push_back(i);
        }
        if (wanted.empty() && m_choice.iteration)
            return notFound();
        if (wanted.empty()) // warm-up alone
            wanted.push_back(m_all.size() - 1);
        if (wanted.size() > 1 && spanCount() > kFewSpans)
            wanted = {nearestMedian(wanted)};
        const std::size_t first = wanted.front() > 0 ? wanted.front() - 1 : 0;
        const std::size_t last = std::min(wanted.back() + 1, m_all.size() - 1);
        for (std::size_t i = first; i <= last; ++i)
            m_chosen.iterations.push_back(
                {m_all[i], std::ranges::binary_search(wanted, i), {}, {}});
        return {};
    }

    [[nodiscard]] std::int64_t spanCount() const {
        std::int64_t count = 0;
        for (const DeviceTracks& device : m_devices) {
            for (const auto* tracks : {&device.streams, &device.threads}) {
                for (const Track& track : *tracks)
                    count += track.count;
            }
        }
        return count;
    }

    [[nodiscard]] std::size_t nearestMedian(const std::vector<std::size_t>& wanted) const {
        std::vector<std::int64_t> lengths;
        for (const std::size_t i : wanted)
            lengths.push_back(m_all[i].range.length().ns);
        const std::int64_t median = upperMedian(lengths);
        const auto nearest = std::ranges::min_element(
            lengths, {}, [&](std::int64_t length) { return std::abs(length - median); });
        return wanted[static_cast<std::size_t>(nearest - lengths.begin())];
    }

    // As the rank recorded it, else the run's on its clock.
    [[nodiscard]] TimeRange onRank(int rank, const Iteration& iteration) const {
        const auto own = m_run.byRank.find(rank);
        if (own == m_run.byRank.end())
            return ownWindow(m_clocks, rank, iteration.range);
        const auto apart = [&](const Iteration& one) {
            const DurationNs gap
                = onReference(m_clocks, rank, one.range).begin - iteration.range.begin;
            return std::pair(one.index != iteration.index, std::abs(gap.ns));
        };
        const auto same = std::ranges::min_element(own->second, {}, apart);
        return same == own->second.end() || same->index != iteration.index
            ? ownWindow(m_clocks, rank, iteration.range)
            : same->range;
    }

    void placeOnRanks() {
        for (const DeviceTracks& device : m_devices) {
            std::vector<TimeRange>& own = m_chosen.byRank[device.rank];
            for (std::size_t i = own.size(); i < m_chosen.iterations.size(); ++i)
                own.push_back(onRank(device.rank, m_chosen.iterations[i].measured));
        }
        // From the middle of the ranks' begins to that of their ends, of two the earlier.
        for (std::size_t i = 0; i < m_chosen.iterations.size(); ++i) {
            std::vector<TimeNs> begins;
            std::vector<TimeNs> ends;
            for (const auto& [rank, ranges] : m_chosen.byRank) {
                const TimeRange own = onReference(m_clocks, rank, ranges[i]);
                begins.push_back(own.begin);
                ends.push_back(own.end);
            }
            m_chosen.iterations[i].measured.range
                = {nearestQuantile(begins, 0.5), nearestQuantile(ends, 0.5)};
        }
    }

    // The iterations beside those that count were read with them; where there are none, as much of
    // the trace. A short one is read to its end, since the host may be ahead of its work by more.
    void findWindows() {
        const bool isShort = spanCount() <= kFewSpans;
        m_chosen.window = kNoTime;
        for (const auto& [rank, own] : m_chosen.byRank) {
            TimeRange window{own.front().begin, own.back().end};
            const DurationNs more = own.front().length();
            if (m_chosen.iterations.front().counts)
                window.begin = window.begin - more;
            if (m_chosen.iterations.back().counts)
                window.end = window.end + more;
            for (const DeviceTracks& device : m_devices) {
                if (isShort && device.rank == rank)
                    window.end = std::max(window.end, device.extent.end);
            }
            if (m_capture)
                window = shared(window, ownWindow(m_clocks, rank, *m_capture));
            m_chosen.windows[rank] = window;
            m_chosen.window = spanned(m_chosen.window, onReference(m_clocks, rank, window));
        }
    }

    const RunStudy& m_study;
    const StepChoice& m_choice;
    const std::vector<DeviceTracks>& m_devices;
    const RankClocksPtr& m_clocks;
    RunIterations m_run;
    std::vector<Iteration> m_all;
    std::optional<TimeRange> m_capture; // on the common clock
    ChosenSteps m_chosen;
};

} // namespace

Result<ChosenSteps> chosenSteps(const RunStudy& study, const StepChoice& choice,
    const std::vector<DeviceTracks>& devices, const RankClocksPtr& clocks) {
    return StepChooser(study, choice, devices, clocks).choose();
}

} // namespace trainscope::analysis
