#include "core/analysis/traces/CaptureIterations.h"
#include "core/analysis/traces/DeviceTraces.h"
#include "core/analysis/traces/KernelCategory.h"
#include "core/analysis/traces/Pipeline.h"
#include "core/figures/runs/RunFigures.h"

namespace trainscope::figures {

using namespace plot;

namespace {

// The kernel time of traced runs by category, rank by rank.

// Category → seconds.
using KernelTimes = std::map<std::string, double>;

struct RankTimes {
    int rank = 0;
    std::optional<int> stage;
    KernelTimes whole; // over the whole trace
    KernelTimes perIteration; // mean over its whole iterations; empty: none is known
};
struct CaptureTimes {
    std::string name;
    std::vector<RankTimes> ranks;
};
struct TracedRun {
    FigureSubject subject;
    std::vector<RankTimes> ranks;
    std::vector<CaptureTimes> captures; // in order of time; empty: not asked for, or fewer than two
};

// Each category's mean over all of them; what one lacks counts as 0.
KernelTimes meanOf(const std::vector<const KernelTimes*>& all) {
    KernelTimes mean;
    for (const KernelTimes* times : all) {
        for (const auto& [category, seconds] : *times)
            mean[category] += seconds / static_cast<double>(all.size());
    }
    return mean;
}

KernelTimes secondsOf(const analysis::TimeBreakdown& window) {
    KernelTimes times;
    for (const auto& [category, time] : window.categories)
        times[category] = time.time.seconds();
    if (window.copy.ns > 0)
        times["copy"] = window.copy.seconds();
    return times;
}

KernelTimes perIteration(const analysis::DeviceBreakdown& device) {
    std::vector<KernelTimes> each;
    for (const auto& iteration : device.iterations) {
        if (!iteration.warmup && iteration.busy.ns > 0)
            each.push_back(secondsOf(iteration));
    }
    std::vector<const KernelTimes*> pointers;
    for (const auto& times : each)
        pointers.push_back(&times);
    return meanOf(pointers);
}

// The rank times of one run, in any window of it.
class TraceOfRun {
public:
    TraceOfRun(const analysis::RunStudy& study, const analysis::KernelCategories& categories)
        : m_study(study)
        , m_categories(categories) { }

    Status read() {
        ASSIGN_OR_RETURN(m_iterations, m_study.store.iterations(m_study.run.id));
        ASSIGN_OR_RETURN(m_stages, analysis::stagesOf(m_study));
        return {};
    }

    [[nodiscard]] Result<std::vector<RankTimes>> ranksIn(TimeRange window) const {
        ASSIGN_OR_RETURN(const auto devices,
            analysis::traceBreakdown(m_study, m_categories, window, {m_iterations, std::nullopt}));
        std::vector<RankTimes> ranks;
        for (const auto& device : devices) {
            if (device.busy.ns == 0)
                continue;
            RankTimes times{device.rank, std::nullopt, secondsOf(device), perIteration(device)};
            if (m_stages && m_stages->stageOf.contains(device.rank))
                times.stage = m_stages->stageOf.at(device.rank);
            ranks.push_back(std::move(times));
        }
        return ranks;
    }

    [[nodiscard]] Result<std::vector<CaptureTimes>> captures() const {
        ASSIGN_OR_RETURN(auto all, m_study.store.captures(m_study.run.id));
        const auto parts = analysis::partsByCapture(std::move(all));
        std::vector<CaptureTimes> named;
        if (parts.size() < 2)
            return named;
        for (const Capture& part : parts) {
            named.push_back({part.name, {}});
            ASSIGN_OR_RETURN(named.back().ranks, ranksIn(part.range));
        }
        return named;
    }

private:
    const analysis::RunStudy& m_study;
    const analysis::KernelCategories& m_categories;
    std::vector<Iteration> m_iterations;
    std::optional<analysis::StageMap> m_stages;
};

Result<TracedRun> traceOf(const FigureContext& context, const FigureSubject& subject,
    const analysis::KernelCategories& categories, bool withCaptures) {
    TraceOfRun trace(context.studies.of(subject.run), categories);
    RETURN_IF_ERROR(trace.read());
    TracedRun traced{subject, {}, {}};
    ASSIGN_OR_RETURN(traced.ranks, trace.ranksIn(kAllTime));
    if (withCaptures && !traced.ranks.empty()) {
        ASSIGN_OR_RETURN(traced.captures, trace.captures());
    }
    return traced;
}

bool hasTrace(const store::Store& store, RunId run) {
    const auto tracks = store.tracks(run);
    return tracks.hasValue() && std::ranges::any_of(tracks.value(), [](const Track& track) {
        return track.description.kind == TrackKind::Stream && track.count > 0;
    });
}

// Those of the runs that have kernels, by the query's table of categories.
Result<std::vector<TracedRun>> readTraces(const FigureContext& context,
    const std::vector<FigureSubject>& subjects, bool withCaptures = false) {
    ASSIGN_OR_RETURN(const auto categories,
        analysis::KernelCategories::fromChoice(
            context.query.categories.empty() ? "default" : context.query.categories));
    std::vector<TracedRun> traced;
    for (const auto& subject : subjects) {
        if (!hasTrace(context.studies.store, subject.run.id))
            continue;
        ASSIGN_OR_RETURN(auto trace, traceOf(context, subject, categories, withCaptures));
        if (!trace.ranks.empty())
            traced.push_back(std::move(trace));
    }
    return traced;
}

constexpr std::size_t kMostStagedRuns = 4;

// The order of display; a user's own categories come behind.
constexpr std::array<std::string_view, 17> kCategoryOrder{"compute", "gemm", "attention",
    "normalisation", "layer_norm", "elementwise", "memory_elementwise", "optimizer", "all_reduce",
    "reduce_scatter", "all_gather", "all_to_all", "send_recv", "broadcast", "communication",
    "other", "copy"};

// A bar: some ranks of a run, their mean.
struct Bar {
    FigureCategory category;
    std::vector<const RankTimes*> ranks;
};

std::vector<Bar> barsOf(const TracedRun& traced, std::size_t run, KernelsPer per) {
    std::vector<Bar> bars;
    if (per == KernelsPer::Capture && !traced.captures.empty()) {
        for (const CaptureTimes& capture : traced.captures) {
            Bar bar;
            bar.category.run = run;
            bar.category.label = capture.name;
            for (const RankTimes& rank : capture.ranks)
                bar.ranks.push_back(&rank);
            bars.push_back(std::move(bar));
        }
        return bars;
    }
    if (per == KernelsPer::Capture)
        per = KernelsPer::Run;
    std::map<int, std::size_t> places;
    for (const auto& rank : traced.ranks) {
        const bool byStage = per == KernelsPer::Stage && rank.stage;
        const int key = per == KernelsPer::Run ? 0 : byStage ? *rank.stage : rank.rank;
        const auto [place, isNew] = places.try_emplace(key, bars.size());
        if (isNew) {
            Bar bar;
            bar.category.run = run;
            bar.category.label
                = per == KernelsPer::Run ? traced.subject.named.label : fmt::format("{}", key);
            if (byStage)
                bar.category.stage = key;
            else if (per != KernelsPer::Run)
                bar.category.rank = key;
            bars.push_back(std::move(bar));
        }
        bars[place->second].ranks.push_back(&rank);
    }
    std::ranges::stable_sort(bars, [](const Bar& a, const Bar& b) {
        const auto key = [](const Bar& bar) {
            return bar.category.stage.value_or(bar.category.rank.value_or(0));
        };
        return key(a) < key(b);
    });
    return bars;
}

std::vector<std::string> inOrder(const std::set<std::string>& present) {
    std::vector<std::string> keys;
    for (const auto category : kCategoryOrder) {
        if (present.contains(std::string(category)))
            keys.emplace_back(category);
    }
    for (const auto& category : present) {
        if (std::ranges::find(kCategoryOrder, category) == kCategoryOrder.end())
            keys.push_back(category);
    }
    return keys;
}

std::vector<KernelTimes> timesOf(const std::vector<Bar>& bars, bool iterations) {
    std::vector<KernelTimes> times;
    for (const auto& bar : bars) {
        std::vector<const KernelTimes*> parts;
        for (const RankTimes* rank : bar.ranks)
            parts.push_back(iterations ? &rank->perIteration : &rank->whole);
        times.push_back(meanOf(parts));
    }
    return times;
}

double sumOf(const KernelTimes& times) {
    double sum = 0.0;
    for (const auto& [category, seconds] : times)
        sum += seconds;
    return sum;
}

// The sets of a panel, without its axis.
FigurePanel panelOf(const std::vector<Bar>& bars, bool iterations, bool normalise) {
    FigurePanel panel;
    const auto times = timesOf(bars, iterations);
    std::set<std::string> present;
    for (const auto& of : times) {
        for (const auto& [category, seconds] : of)
            present.insert(category);
    }
    for (const auto& bar : bars)
        panel.categories.push_back(bar.category);
    for (const auto& key : inOrder(present)) {
        FigureSet set;
        set.key = key;
        set.name = std::string(analysis::KernelCategories::label(key));
        set.role = SetRole::KernelCategory;
        for (std::size_t i = 0; i < bars.size(); ++i) {
            const auto found = times[i].find(key);
            if (bars[i].ranks.empty() || found == times[i].end()) {
                set.values.push_back(std::nullopt);
                continue;
            }
            set.values.push_back(normalise ? found->second / sumOf(times[i]) : found->second);
        }
        panel.sets.push_back(std::move(set));
    }
    return panel;
}

// The numbers below the bars mean nothing by themselves.
std::string_view numbersWord(KernelsPer per) {
    return per == KernelsPer::Rank ? ", by rank" : per == KernelsPer::Stage ? ", by stage" : "";
}

// `ofRanks`: some bar is the mean of several.
void setAxes(
    std::vector<FigurePanel>& panels, bool iterations, bool ofRanks, const FigureQuery& query) {
    std::vector<double> heights;
    for (const auto& panel : panels) {
        for (std::size_t i = 0; i < panel.categories.size(); ++i) {
            double height = 0.0;
            for (const auto& set : panel.sets)
                height += set.values[i].value_or(0.0);
            heights.push_back(height);
        }
    }
    const std::string title = std::string("kernel time ")
        + (iterations ? "per iteration" : "of the trace") + (ofRanks ? ", mean of the ranks" : "");
    const std::string of(numbersWord(query.per));
    FigureAxis axis = query.normalise ? axisOf("share of kernel time" + of, {}, "1", {1.0}, true)
                                      : axisOf(title + of, {}, "s", heights, true);
    if (query.normalise) {
        axis.unit = {"%", 100.0};
        axis.range = {0.0, 1.0};
    }
    for (auto& panel : panels)
        panel.left = axis;
}

// Traced runs that differ in their micro-batch alone, else those with stages.
std::vector<TracedRun> stageRuns(std::vector<TracedRun> traced) {
    const auto isStaged = [](const TracedRun& run) {
        std::set<int> stages;
        for (const auto& rank : run.ranks)
            stages.insert(rank.stage.value_or(-1));
        return stages.size() > 1;
    };
    const auto hasPartner = [&traced](const TracedRun& run) {
        return std::ranges::any_of(traced, [&run](const TracedRun& other) {
            const FigureRun& a = run.subject.named;
            const FigureRun& b = other.subject.named;
            return a.model == b.model && a.layout == b.layout && a.optimisation == b.optimisation
                && a.microBatch && b.microBatch && a.microBatch != b.microBatch;
        });
    };
    std::vector<TracedRun> chosen;
    for (const auto& run : traced) {
        const bool isRepeated = std::ranges::any_of(chosen, [&](const auto& other) {
            return other.subject.named.layout == run.subject.named.layout
                && other.subject.named.model == run.subject.named.model
                && other.subject.named.microBatch == run.subject.named.microBatch;
        });
        if (hasPartner(run) && !isRepeated)
            chosen.push_back(run);
    }
    if (chosen.empty())
        std::copy_if(traced.begin(), traced.end(), std::back_inserter(chosen), isStaged);
    if (chosen.empty())
        chosen = std::move(traced);
    if (chosen.size() > kMostStagedRuns)
        chosen.resize(kMostStagedRuns);
    return chosen;
}

bool allHaveIterations(const std::vector<TracedRun>& traced) {
    const auto have = [](const std::vector<RankTimes>& ranks) {
        return std::ranges::all_of(
            ranks, [](const RankTimes& rank) { return !rank.perIteration.empty(); });
    };
    return std::ranges::all_of(traced, [&have](const TracedRun& run) {
        return have(run.ranks)
            && std::ranges::all_of(
                run.captures, [&have](const CaptureTimes& capture) { return have(capture.ranks); });
    });
}

// Runs out of memory stand among those of their model.
std::vector<FigureSubject> withOom(
    const std::vector<FigureSubject>& subjects, const std::vector<TracedRun>& traced) {
    std::vector<FigureSubject> shown;
    for (const auto& subject : subjects) {
        const bool isTraced = std::ranges::any_of(
            traced, [&](const TracedRun& run) { return run.subject.run.id == subject.run.id; });
        const bool isOomOfModel = subject.named.status == RunStatus::Oom
            && std::ranges::any_of(traced, [&](const TracedRun& run) {
                   return run.subject.named.model == subject.named.model;
               });
        if (isTraced || isOomOfModel)
            shown.push_back(subject);
    }
    return shown;
}

// Keeps only the first of runs that nothing but their names tells apart, a traced one if any.
void leaveOutEqual(std::vector<FigureSubject>& shown, std::vector<std::string>& notes) {
    std::vector<FigureSubject> kept;
    for (auto& subject : shown) {
        const bool isRepeated = std::ranges::any_of(kept, [&](const auto& other) {
            const FigureRun& a = subject.named;
            const FigureRun& b = other.named;
            return a.model == b.model && a.cluster == b.cluster && a.layout == b.layout
                && a.microBatch == b.microBatch && a.optimisation == b.optimisation
                && !a.model.empty();
        });
        if (!isRepeated)
            kept.push_back(std::move(subject));
    }
    if (kept.size() < shown.size())
        notes.push_back(fmt::format("{} of {} are shown, one of each configuration.", kept.size(),
            text::counted(std::ssize(shown), "run")));
    shown = std::move(kept);
}

// Label of a run's bar, and the group of bars that it stands in: a layout groups runs with several
// settings.
struct RunPlace {
    std::string label;
    std::string group;
};
RunPlace placeOf(const FigureSubject& subject, const std::vector<FigureSubject>& shown) {
    const std::string model = groupLabel(subject.named, shown);
    const auto sameLayout = std::ranges::count_if(shown, [&](const auto& other) {
        return other.named.model == subject.named.model
            && other.named.cluster == subject.named.cluster
            && other.named.layout == subject.named.layout;
    });
    const bool areUnique = static_cast<std::size_t>(sameLayout) == 1
        && std::ranges::all_of(shown, [&](const auto& other) {
               return other.named.optimisation == subject.named.optimisation
                   && other.named.microBatch == subject.named.microBatch;
           });
    if (areUnique)
        return {subject.named.layout, model};
    std::string label = subject.named.optimisation;
    const bool severalBatches = std::ranges::any_of(shown,
        [&](const auto& other) { return other.named.microBatch != subject.named.microBatch; });
    if (severalBatches && subject.named.microBatch)
        label += fmt::format("{}mbs {}", label.empty() ? "" : "\n", *subject.named.microBatch);
    if (label.empty())
        return {subject.named.label, model};
    return {label, model.empty() ? subject.named.layout : subject.named.layout + "\n" + model};
}

void addRunBars(const std::vector<FigureSubject>& shown, const std::vector<TracedRun>& traced,
    bool iterations, FigureData& data) {
    std::vector<Bar> bars;
    const bool perRun = data.query.per == KernelsPer::Run;
    for (std::size_t i = 0; i < shown.size(); ++i) {
        const auto trace = std::ranges::find_if(
            traced, [&](const TracedRun& run) { return run.subject.run.id == shown[i].run.id; });
        std::vector<Bar> own;
        if (trace != traced.end()) {
            own = barsOf(*trace, i, data.query.per);
        } else {
            own.emplace_back();
            own.front().category.run = i;
            own.front().category.outOfMemory = true;
        }
        const RunPlace place = placeOf(shown[i], shown);
        for (auto& bar : own) {
            bar.category.group = perRun ? place.group : shown[i].named.label;
            if (perRun)
                bar.category.label = place.label;
            bars.push_back(std::move(bar));
        }
    }
    data.panels.push_back(panelOf(bars, iterations, data.query.normalise));
}

KernelsPer whatTellsMost(const std::vector<TracedRun>& traced) {
    if (traced.size() != 1)
        return KernelsPer::Run;
    if (!traced.front().captures.empty())
        return KernelsPer::Capture;
    return traced.front().ranks.size() > 1 ? KernelsPer::Rank : KernelsPer::Run;
}

std::string captionOf(bool iterations, bool ofRanks) {
    return std::string("Summed kernel time of ")
        + (iterations ? "each traced iteration, warm-up left out" : "the whole trace")
        + (ofRanks ? "; mean over the ranks of a bar" : "")
        + ". Streams run side by side, so sums can exceed the "
        + (iterations ? "iteration." : "trace.");
}

} // namespace

Status loadKernels(const FigureContext& context, FigureData& data) {
    ASSIGN_OR_RETURN(const auto subjects, figureSubjects(context.studies.store, context.query));
    const KernelsPer per = context.query.per;
    const bool withCaptures
        = per == KernelsPer::Capture || (per == KernelsPer::Auto && subjects.size() == 1);
    ASSIGN_OR_RETURN(auto read, readTraces(context, subjects, withCaptures));
    if (per == KernelsPer::Auto)
        data.query.per = whatTellsMost(read);
    const bool isStages = context.query.kind == FigureKind::StageBreakdown;
    std::vector<TracedRun> traced = std::move(read);
    if (isStages && context.query.runs.empty())
        traced = stageRuns(std::move(traced));
    if (traced.empty()) {
        data.emptyText = "No run carries kernel traces. Import Kineto or Nsight Systems traces "
                         "beside the telemetry. Operators shows the calls of the host.";
        return {};
    }
    const bool iterations = allHaveIterations(traced);
    std::vector<FigureSubject> shown;
    if (isStages) {
        data.query.per = KernelsPer::Stage;
        for (const auto& run : traced)
            shown.push_back(run.subject);
    } else {
        shown = withOom(subjects, traced);
        if (context.query.runs.empty())
            leaveOutEqual(shown, data.notes);
    }
    labelRuns(shown);
    addRunBars(shown, traced, iterations, data);
    for (const auto& subject : shown)
        data.runs.push_back(subject.named);
    const bool ofRanks = data.query.per != KernelsPer::Rank
        && std::ranges::any_of(traced, [](const TracedRun& run) { return run.ranks.size() > 1; });
    setAxes(data.panels, iterations, ofRanks, data.query);
    const std::string common = commonTitle(shown);
    data.title = (isStages ? "Kernel time by pipeline stage" : "Kernel time by category")
        + (common.empty() ? std::string() : " · " + common);
    data.caption = captionOf(iterations, ofRanks);
    return {};
}

} // namespace trainscope::figures
