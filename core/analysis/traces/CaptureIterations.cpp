#include "core/analysis/traces/CaptureIterations.h"

#include "core/analysis/statistics/TimeRanges.h"
#include "core/analysis/traces/DevicePass.h"
#include "core/analysis/traces/TraceWindow.h"
#include "core/model/Gather.h"

#include <fmt/format.h>

namespace trainscope::analysis {

namespace {

constexpr std::size_t kMostCapturesListed = 20;

Error notFound(const Run& run, const std::string& name, const std::vector<Capture>& all) {
    std::vector<std::string> names;
    for (const Capture& one : all) {
        if (std::ranges::find(names, one.name) == names.end())
            names.push_back(one.name);
    }
    if (names.empty())
        return {ErrorCode::NotFound,
            "There is no capture '" + name + "': the run has none. Import its traces first.",
            run.name};
    std::string list;
    for (std::size_t i = 0; i < std::min(names.size(), kMostCapturesListed); ++i)
        list += (i == 0 ? "" : ", ") + names[i];
    if (names.size() > kMostCapturesListed)
        list += ", and " + std::to_string(names.size() - kMostCapturesListed) + " more";
    return {ErrorCode::NotFound,
        "There is no capture '" + name + "'. The captures of the run are: " + list + ".", run.name};
}

constexpr double kLeastOfCut = 0.5; // share of an iteration that lies in the capture
constexpr double kTogether = 0.25; // share of the longest time between steps; closer ones are one
constexpr const char* kByOptimizer = "the optimizer's steps in its trace";
constexpr const char* kWhyNone
    = "neither a mark, nor a ProfilerStep, nor two steps of an optimizer tell an iteration of the "
      "capture";

bool isZeroGrad(const std::string& name) {
    return name.find("zero_grad") != std::string::npos
        || name.find("zerograd") != std::string::npos;
}

// Finds when the kernels of each optimizer step ended on a device, by the annotation that launched
// them.
class OptimizerSteps : public DeviceVisitor {
public:
    explicit OptimizerSteps(const store::Store& store)
        : m_store(store) { }

    Status work(const DeviceWork& work) override {
        const bool isLaunched = work.launch && work.launch->telling.mark == Mark::Optimizer;
        const Telling& telling = isLaunched ? work.launch->telling : work.telling;
        if (telling.mark != Mark::Optimizer || !telling.since)
            return {};
        auto known = m_names.find(telling.name);
        if (known == m_names.end()) {
            ASSIGN_OR_RETURN(const auto name, m_store.name(telling.name));
            known = m_names.emplace(telling.name, !isZeroGrad(name)).first;
        }
        if (!known->second)
            return {};
        TimeNs& end = (isLaunched ? m_launched : m_annotated)[telling.name]
                          .try_emplace(*telling.since, work.span.start)
                          .first->second;
        end = std::max(end, work.span.start + work.span.duration);
        return {};
    }

    // Ends of the optimizer that steps most often; those that follow each other at once are one
    // step.
    [[nodiscard]] std::vector<TimeNs> ends() const {
        std::vector<TimeNs> found;
        for (const auto& [name, steps] : m_launched.empty() ? m_annotated : m_launched) {
            if (steps.size() < found.size())
                continue;
            std::vector<TimeNs> own = vectorOf(steps, [](const auto& one) { return one.second; });
            std::ranges::sort(own);
            if (own.size() > found.size() || own.back() > found.back())
                found = std::move(own);
        }
        return together(found);
    }

private:
    static std::vector<TimeNs> together(const std::vector<TimeNs>& ends) {
        DurationNs longest;
        for (std::size_t i = 1; i < ends.size(); ++i)
            longest = std::max(longest, ends[i] - ends[i - 1]);
        std::vector<TimeNs> steps;
        for (const TimeNs end : ends) {
            if (!steps.empty() && (end - steps.back()).seconds() < kTogether * longest.seconds())
                steps.back() = end;
            else
                steps.push_back(end);
        }
        return steps;
    }

    using Steps = std::map<NameId, std::map<TimeNs, TimeNs>>; // by annotation, begin → end

    const store::Store& m_store;
    std::map<NameId, bool> m_names; // true: the name is a step
    Steps m_launched; // by the host thread that launched them
    Steps m_annotated; // by their stream's annotation
};

class CaptureReader {
public:
    CaptureReader(
        const RunStudy& study, const CaptureWindows& capture, const RunIterations& iterations)
        : m_study(study)
        , m_capture(capture)
        , m_all(iterations) { }

    Result<CaptureIterations> read() {
        m_made.window = m_capture.window;
        m_made.iterations.origin = kWhyNone;
        const bool isRecorded = m_all.basis == IterationBasis::Recorded;
        if (!(isRecorded && takeWhole()) && !takeOfRanks()) {
            ASSIGN_OR_RETURN(const bool hasSteps, takeOptimizerSteps());
            if (!hasSteps && !takeWhole() && isRecorded)
                takeCut();
        }
        takeState();
        return std::move(m_made);
    }

private:
    static std::vector<Iteration> inside(const std::vector<Iteration>& all, TimeRange window) {
        std::vector<Iteration> kept;
        std::ranges::copy_if(all, std::back_inserter(kept), [window](const Iteration& one) {
            return !one.range.isEmpty() && shared(one.range, window) == one.range;
        });
        return kept;
    }

    void keepRanks() {
        for (const auto& [rank, own] : m_all.byRank) {
            auto kept = inside(own, rank < 0 ? m_capture.window : m_capture.of(rank));
            if (!kept.empty())
                m_made.iterations.byRank[rank] = std::move(kept);
        }
    }

    bool takeWhole() {
        auto whole = inside(m_all.iterations, m_capture.window);
        if (whole.empty())
            return false;
        RunIterations& made = m_made.iterations;
        made = m_all;
        made.iterations = std::move(whole);
        made.byRank.clear();
        keepRanks();
        return true;
    }

    // Recorded by ranks where the run's iterations are others, as the period of its power.
    bool takeOfRanks() {
        keepRanks();
        RunIterations& made = m_made.iterations;
        const auto first
            = std::ranges::find_if(made.byRank, [](const auto& own) { return own.first >= 0; });
        if (first == made.byRank.end())
            return false;
        made.basis = IterationBasis::Recorded;
        made.origin = "the iterations in its trace";
        made.iterations = first->second;
        for (Iteration& one : made.iterations)
            one.rank = -1;
        return true;
    }

    // Ranks step together: the first device that tells its steps speaks for all.
    Result<bool> takeOptimizerSteps() {
        ASSIGN_OR_RETURN(const auto devices, tracedDevices(m_study));
        for (const DeviceTracks& device : devices) {
            const TimeRange own = m_capture.of(device.rank);
            const auto traced = shared(device.captures, own);
            if (traced.empty())
                continue;
            OptimizerSteps steps(m_study.store);
            const DeviceReading reading{m_study.store, device, m_study.progress, own.begin};
            RETURN_IF_ERROR(reading.walk(own, steps));
            ASSIGN_OR_RETURN(auto found, between(steps.ends(), device, traced));
            if (found.empty())
                continue;
            RETURN_IF_ERROR(putOnReference(device.rank, found));
            m_made.iterations.basis = IterationBasis::Recorded;
            m_made.iterations.origin = kByOptimizer;
            m_made.iterations.iterations = std::move(found);
            return true;
        }
        return false;
    }

    Result<std::vector<Iteration>> between(const std::vector<TimeNs>& ends,
        const DeviceTracks& device, const std::vector<TimeRange>& traced) const {
        std::vector<TimeNs> bounds;
        ASSIGN_OR_RETURN(const bool isFirstWhole, beginsWithZeroGrad(device, traced.front().begin));
        if (isFirstWhole)
            bounds.push_back(traced.front().begin);
        bounds.insert(bounds.end(), ends.begin(), ends.end());
        std::vector<Iteration> found;
        for (std::size_t i = 1; i < bounds.size(); ++i) {
            const TimeRange range{bounds[i - 1], bounds[i]};
            // Several traces of one name have time between them that nobody saw.
            if (lengthOf(shared(traced, range)) == range.length())
                found.push_back({static_cast<std::int64_t>(found.size()) + 1, range, -1, false});
        }
        return found;
    }

    Result<bool> beginsWithZeroGrad(const DeviceTracks& device, TimeNs firstWork) const {
        ASSIGN_OR_RETURN(const auto names, m_study.store.names(m_study.run.id));
        bool isFound = false;
        for (const auto& [id, text] : names) {
            if (!isZeroGrad(text))
                continue;
            for (const Track& thread : device.threads)
                RETURN_IF_ERROR(
                    m_study.store.forEachSpanNamed(thread.id, id, [&](std::span<const Span> spans) {
                        for (const Span& span : spans)
                            isFound = isFound
                                || (span.start >= m_capture.of(device.rank).begin
                                    && span.start <= firstWork);
                        return !isFound;
                    }));
        }
        return isFound;
    }

    Status putOnReference(int rank, std::vector<Iteration>& iterations) const {
        if (m_capture.byRank.size() < 2)
            return {};
        ASSIGN_OR_RETURN(const auto clocks, differingClocks(m_study));
        for (Iteration& one : iterations)
            one.range = onReference(clocks, rank, one.range);
        return {};
    }

    void takeCut() {
        RunIterations& made = m_made.iterations;
        for (const Iteration& one : m_all.iterations) {
            const double within = shared(one.range, m_capture.window).length().seconds();
            if (!one.range.isEmpty() && within >= kLeastOfCut * one.range.length().seconds())
                made.iterations.push_back(one);
        }
        if (made.iterations.empty())
            return;
        made.basis = IterationBasis::Recorded;
        made.origin = m_all.origin;
        m_made.areCut = true;
        for (const Iteration& one : made.iterations)
            m_made.window = spanned(m_made.window, one.range);
    }

    void takeState() {
        SteadyState& state = m_made.state;
        const auto& found = m_made.iterations.iterations;
        state.window = m_capture.window;
        state.basis = SteadyBasis::Capture;
        state.isWholeRun = false;
        state.iterations = m_made.areCut ? 0 : static_cast<std::int64_t>(found.size());
        state.wording = m_capture.wording();
        if (found.empty())
            return;
        const std::string which = found.size() == 1
            ? fmt::format("iteration {}", found.front().index)
            : fmt::format("iterations {} to {}", found.front().index, found.back().index);
        state.wording += fmt::format("; {} (by {}){}", which, m_made.iterations.origin,
            m_made.areCut ? ", cut by its edges" : "");
    }

    const RunStudy& m_study;
    const CaptureWindows& m_capture;
    const RunIterations& m_all;
    CaptureIterations m_made;
};

} // namespace

TimeRange CaptureWindows::of(int rank) const {
    return valueAt(byRank, rank, window);
}

std::string CaptureWindows::wording() const {
    return "the capture '" + name + "'";
}

std::vector<Capture> capturesByName(std::vector<Capture> captures) {
    std::ranges::stable_sort(captures, {}, &Capture::name);
    std::vector<Capture> merged;
    for (Capture& capture : captures) {
        if (merged.empty() || merged.back().name != capture.name) {
            merged.push_back(std::move(capture));
            continue;
        }
        TimeRange& range = merged.back().range;
        range = spanned(range, capture.range);
    }
    std::ranges::stable_sort(merged, {}, [](const Capture& one) { return one.range.begin; });
    return merged;
}

std::vector<Capture> namedCaptures(std::vector<Capture> captures) {
    std::map<int, std::string_view> nameOfRank;
    bool isOneEach = true;
    bool hasSeveral = false;
    for (const Capture& one : captures) {
        hasSeveral = hasSeveral || one.name != captures.front().name;
        isOneEach = isOneEach && nameOfRank.emplace(one.rank, one.name).first->second == one.name;
    }
    return hasSeveral && isOneEach ? std::vector<Capture>() : captures;
}

std::vector<Capture> partsByCapture(std::vector<Capture> captures) {
    return capturesByName(namedCaptures(std::move(captures)));
}

Result<CaptureWindows> captureWindows(const RunStudy& study, const std::string& name) {
    ASSIGN_OR_RETURN(const auto all, study.store.captures(study.run.id));
    CaptureWindows found{name, {}, kNoTime};
    for (const Capture& one : all) {
        if (one.name != name)
            continue;
        const auto [own, isFirst] = found.byRank.emplace(one.rank, one.range);
        own->second = spanned(own->second, one.range);
    }
    if (found.byRank.empty())
        return notFound(study.run, name, all);
    RankClocksPtr clocks; // null for one rank: its own clock
    if (found.byRank.size() > 1) {
        ASSIGN_OR_RETURN(clocks, differingClocks(study));
    }
    for (const auto& [rank, range] : found.byRank)
        found.window = spanned(found.window, onReference(clocks, rank, range));
    return found;
}

Result<CaptureIterations> captureIterations(const RunStudy& study, const CaptureWindows& capture) {
    ASSIGN_OR_RETURN(const auto iterations, iterationsOf(study));
    return CaptureReader(study, capture, iterations).read();
}

} // namespace trainscope::analysis
