#include "core/analysis/energy/Efficiency.h"
#include "core/figures/runs/RunFigures.h"

#include <iterator>
#include <tuple>

namespace trainscope::figures {

using namespace plot;

namespace {

struct SweepRun {
    SweepPlace place;
    analysis::SteadyState window;
    analysis::RunSummary summary;
    analysis::Efficiency efficiency;
};

std::string emptyTextOf(FigureKind kind) {
    switch (kind) {
    case FigureKind::OptimizationSweep:
        return "No run says whether it overlaps communication and recomputes activations; launch "
               "configurations or CharLLM-PPT's folder names do.";
    case FigureKind::MicrobatchSweep:
        return "No layout ran with two micro-batch sizes; launch configurations or folder names "
               "ending in mbs say the size.";
    default:
        return "The database holds no runs to compare.";
    }
}

std::string titleOf(FigureKind kind) {
    switch (kind) {
    case FigureKind::OptimizationSweep:
        return "By optimisation";
    case FigureKind::MicrobatchSweep:
        return "By micro-batch size";
    default:
        return "By parallel layout";
    }
}

bool isOom(const SweepRun& run) {
    return run.place.subject.named.status == RunStatus::Oom;
}

Result<std::vector<SweepRun>> readRuns(const FigureContext& context, std::vector<SweepPlace> places,
    const std::vector<std::string>& metrics) {
    std::vector<SweepRun> runs;
    for (auto& place : places) {
        const Run& run = place.subject.run;
        ASSIGN_OR_RETURN(auto window, windowOf(context.query, context.studies.of(run)));
        ASSIGN_OR_RETURN(
            auto summary, analysis::summarise(context.studies.of(run), {window.window, metrics}));
        // Over the whole run: energies of windows of different length do not compare.
        ASSIGN_OR_RETURN(
            auto efficiency, analysis::efficiencyOf(context.studies.of(run), kAllTime));
        runs.push_back(
            {std::move(place), std::move(window), std::move(summary), std::move(efficiency)});
    }
    return runs;
}

std::vector<FigureCategory> categoriesOf(const std::vector<SweepRun>& runs) {
    std::vector<FigureCategory> categories;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        FigureCategory category;
        category.label = runs[i].place.label;
        category.group = runs[i].place.group;
        category.run = i;
        category.outOfMemory = isOom(runs[i]);
        categories.push_back(std::move(category));
    }
    return categories;
}

FigureSet statisticSet(const std::vector<SweepRun>& runs, const std::string& metric,
    FigureStatistic statistic, SetRole role) {
    FigureSet set;
    set.key = toString(statistic);
    set.role = role;
    set.name = role == SetRole::Mean ? "average"
        : role == SetRole::Peak      ? "peak"
                                     : std::string(toString(statistic));
    for (const auto& run : runs)
        set.values.push_back(
            isOom(run) ? std::nullopt : statisticOf(run.summary, metric, statistic));
    return set;
}

// One definition for all runs: by step time and energy, else CharLLM-PPT's where only that is had.
struct EfficiencyPoints {
    FigureSet set;
    std::string definition;
    std::string whyNot;
};
EfficiencyPoints efficiencyOf(const std::vector<SweepRun>& runs) {
    EfficiencyPoints points;
    points.set.role = SetRole::Efficiency;
    points.set.key = "samples_per_s_per_mj";
    points.set.name = "efficiency";
    const auto missing = [&runs](auto has) {
        return std::ranges::count_if(
            runs, [&has](const SweepRun& run) { return !isOom(run) && !has(run.efficiency); });
    };
    const auto byStep = missing([](const auto& e) { return e.samplesPerSPerMj.has_value(); });
    const auto byRun = missing([](const auto& e) { return e.asCharllm.has_value(); });
    const bool useStep = byStep <= byRun;
    points.definition = useStep
        ? "Efficiency: samples per second of step time and megajoule of the whole run."
        : "Efficiency as CharLLM-PPT has it: one global batch over the whole recording.";
    for (const auto& run : runs) {
        std::optional<double> value;
        if (!isOom(run) && useStep)
            value = run.efficiency.samplesPerSPerMj;
        else if (!isOom(run) && run.efficiency.asCharllm)
            value = run.efficiency.asCharllm->samplesPerSPerMj;
        points.set.values.push_back(value);
        if (const auto why = run.efficiency.missing.find("samples_per_s_per_mj");
            !value && points.whyNot.empty() && why != run.efficiency.missing.end())
            points.whyNot = why->second;
    }
    return points;
}

void normaliseByGroup(const std::vector<FigureCategory>& categories, FigureSet& set) {
    std::map<std::string, double> first;
    for (std::size_t i = 0; i < categories.size(); ++i) {
        if (!set.values[i])
            continue;
        const double reference
            = first.try_emplace(categories[i].group, *set.values[i]).first->second;
        set.values[i] = *set.values[i] / reference;
    }
}

std::vector<double> valuesOf(const std::vector<FigureSet>& sets) {
    std::vector<double> values;
    for (const auto& set : sets) {
        for (const auto& value : set.values) {
            if (value)
                values.push_back(*value);
        }
    }
    return values;
}

void addEfficiency(const EfficiencyPoints& points, bool normalise, FigurePanel& panel) {
    FigureSet set = points.set;
    const std::vector<double> known = valuesOf({set});
    if (known.empty())
        return;
    if (normalise)
        normaliseByGroup(panel.categories, set);
    // The SI value is per joule; people and the paper count in megajoules.
    FigureAxis axis = axisOf(normalise ? "efficiency, relative to the first" : "efficiency", {},
        "1", valuesOf({set}), true);
    if (!normalise)
        axis.unit.unit = "samples/(s·MJ)";
    panel.right = axis;
    panel.sets.push_back(std::move(set));
}

void addPanel(const std::vector<SweepRun>& runs, const std::string& name,
    const EfficiencyPoints& points, FigureData& data) {
    FigurePanel panel;
    panel.categories = categoriesOf(runs);
    const auto statistic = data.query.statistic;
    const Metric* known = findMetric(name);
    Metric metric = known != nullptr ? *known : Metric{name, "1", MetricKind::Gauge, name};
    for (const auto& run : runs) {
        if (const auto found = run.summary.metrics.find(name); found != run.summary.metrics.end())
            metric = found->second.metric;
    }
    const FigureStatistic shown = statistic.value_or(usualStatistic(name));
    const bool isSingle = statistic || !isAveraged(metric.kind);
    if (isSingle) {
        panel.sets.push_back(statisticSet(runs, name, shown, SetRole::Single));
    } else {
        panel.sets.push_back(statisticSet(runs, name, FigureStatistic::Mean, SetRole::Mean));
        panel.sets.push_back(statisticSet(runs, name, FigureStatistic::Peak, SetRole::Peak));
    }
    const std::vector<double> values = valuesOf(panel.sets);
    if (values.empty()) {
        data.notes.push_back("No run has " + metricTitle(name) + ".");
        return;
    }
    panel.left = axisOf(isSingle ? statisticTitle(name, shown) : metricTitle(name), name,
        statisticUnit(metric, shown), values, true);
    addEfficiency(points, data.query.normalise, panel);
    data.panels.push_back(std::move(panel));
}

using Subjects = std::vector<const FigureSubject*>;

// Runs of one model and cluster, in the order of the subjects.
std::vector<std::pair<std::string, Subjects>> byGroup(const std::vector<FigureSubject>& subjects) {
    std::vector<std::pair<std::string, Subjects>> groups;
    std::map<std::pair<std::string, std::string>, std::size_t> places;
    for (const auto& subject : subjects) {
        const auto [place, isNew]
            = places.try_emplace({subject.named.model, subject.named.cluster}, groups.size());
        if (isNew)
            groups.emplace_back(groupLabel(subject.named, subjects), Subjects{});
        groups[place->second].second.push_back(&subject);
    }
    return groups;
}

int microBatchOf(const FigureSubject& subject) {
    return subject.named.microBatch.value_or(0);
}

// Recomputation first: it is what most layouts need to fit.
int preference(const std::string& optimisation) {
    return optimisation == "act" ? 0 : optimisation == "base" ? 1 : 2;
}

// The optimisation with which most of the layouts ran.
std::string commonOptimisation(const Subjects& runs) {
    std::map<std::string, std::set<std::string>> layouts;
    for (const auto* run : runs)
        layouts[run->named.optimisation].insert(run->named.layout);
    const auto best = std::ranges::min_element(layouts, [](const auto& a, const auto& b) {
        return std::tuple(b.second.size(), preference(a.first))
            < std::tuple(a.second.size(), preference(b.first));
    });
    return best->first;
}

std::string joined(const std::string& first, const std::string& second) {
    return first.empty() ? second : second.empty() ? first : first + "\n" + second;
}

// Keeps the first of each place; what is first is decided by `isBefore`.
template <typename Key, typename Before>
Subjects firstOfEach(const Subjects& runs, Key key, Before isBefore) {
    Subjects chosen;
    for (const auto* run : runs) {
        const auto same = std::ranges::find_if(
            chosen, [&](const auto* other) { return key(*other) == key(*run); });
        if (same == chosen.end())
            chosen.push_back(run);
        else if (isBefore(*run, **same))
            *same = run;
    }
    return chosen;
}

std::vector<SweepPlace> layoutPlaces(const std::string& group, const Subjects& runs, bool choose) {
    Subjects chosen = runs;
    const std::string common = commonOptimisation(runs);
    if (choose)
        chosen = firstOfEach(
            runs, [](const FigureSubject& run) { return run.named.layout; },
            [&common](const FigureSubject& a, const FigureSubject& b) {
                const auto rank = [&common](const FigureSubject& run) {
                    return std::tuple(run.named.optimisation != common,
                        preference(run.named.optimisation), microBatchOf(run));
                };
                return rank(a) < rank(b);
            });
    std::vector<SweepPlace> places;
    for (const auto* run : chosen)
        places.push_back({*run, run->named.layout, group});
    return places;
}

// Adds the optimisation to the labels below the layout where places differ in it.
void addOptimisations(std::vector<SweepPlace>& places) {
    const bool isUniform = std::ranges::all_of(places, [&](const auto& place) {
        return place.subject.named.optimisation == places.front().subject.named.optimisation;
    });
    for (auto& place : places) {
        if (!isUniform)
            place.label = joined(place.label, place.subject.named.optimisation);
    }
}

std::vector<SweepPlace> optimisationPlaces(
    const std::string& group, const Subjects& runs, bool choose) {
    Subjects known;
    std::copy_if(runs.begin(), runs.end(), std::back_inserter(known),
        [](const auto* run) { return !run->named.optimisation.empty(); });
    if (choose)
        known = firstOfEach(
            known,
            [](const FigureSubject& run) {
                return std::pair(run.named.layout, run.named.optimisation);
            },
            [](const FigureSubject& a, const FigureSubject& b) {
                return microBatchOf(a) < microBatchOf(b);
            });
    static const std::vector<std::string> kOrder{"base", "cc", "act", "cc+act"};
    std::vector<std::string> layouts;
    for (const auto* run : known) {
        if (std::ranges::find(layouts, run->named.layout) == layouts.end())
            layouts.push_back(run->named.layout);
    }
    std::vector<SweepPlace> places;
    for (const auto& layout : layouts) {
        std::vector<SweepPlace> ofLayout;
        for (const auto& optimisation : kOrder) {
            for (const auto* run : known) {
                if (run->named.layout == layout && run->named.optimisation == optimisation)
                    ofLayout.push_back({*run, optimisation, joined(layout, group)});
            }
        }
        // One alone compares with nothing.
        if (ofLayout.size() > 1 || !choose)
            places.insert(places.end(), std::make_move_iterator(ofLayout.begin()),
                std::make_move_iterator(ofLayout.end()));
    }
    return places;
}

std::vector<SweepPlace> microBatchPlaces(
    const std::string& group, const Subjects& runs, bool choose) {
    // One series per layout and optimisation.
    std::vector<std::pair<std::pair<std::string, std::string>, Subjects>> series;
    for (const auto* run : runs) {
        if (!run->named.microBatch)
            continue;
        const std::pair key(run->named.layout, run->named.optimisation);
        const auto known
            = std::ranges::find_if(series, [&key](const auto& one) { return one.first == key; });
        if (known == series.end())
            series.emplace_back(key, Subjects{run});
        else
            known->second.push_back(run);
    }
    std::vector<SweepPlace> places;
    for (auto& [key, members] : series) {
        if (choose)
            members = firstOfEach(
                members, [](const FigureSubject& run) { return run.named.microBatch; },
                [](const FigureSubject&, const FigureSubject&) { return false; });
        if (choose && members.size() < 2)
            continue;
        std::ranges::stable_sort(members,
            [](const auto* a, const auto* b) { return microBatchOf(*a) < microBatchOf(*b); });
        const bool several = std::ranges::any_of(series, [&own = key](const auto& other) {
            return other.first.first == own.first && other.first.second != own.second
                && other.second.size() > 1;
        });
        for (const auto* run : members)
            places.push_back({*run, fmt::format("{}", microBatchOf(*run)),
                joined(several ? key.first + " " + key.second : key.first, group)});
    }
    return places;
}

} // namespace

Status loadSweep(const FigureContext& context, FigureData& data) {
    ASSIGN_OR_RETURN(const auto subjects, figureSubjects(context.studies.store, context.query));
    auto places = sweepPlaces(subjects, context.query, data.notes);
    if (places.empty()) {
        data.emptyText = emptyTextOf(context.query.kind);
        return {};
    }
    std::vector<FigureSubject> shown;
    for (const auto& place : places)
        shown.push_back(place.subject);
    auto metrics = context.query.metrics;
    if (metrics.empty())
        metrics = {metric::kGpuTemperature, metric::kGpuPower, metric::kSmClock};
    ASSIGN_OR_RETURN(const auto runs, readRuns(context, std::move(places), metrics));
    std::vector<analysis::SteadyState> windows;
    for (const auto& run : runs) {
        data.runs.push_back(run.place.subject.named);
        if (!isOom(run))
            windows.push_back(run.window);
    }
    const EfficiencyPoints points = efficiencyOf(runs);
    for (const auto& metric : metrics)
        addPanel(runs, metric, points, data);
    if (data.panels.empty()) {
        data.emptyText = "The runs have no values of " + metricTitle(metrics.front()) + ".";
        return {};
    }
    const std::string common = commonTitle(shown);
    data.title = common.empty() ? titleOf(context.query.kind)
                                : titleOf(context.query.kind) + " · " + common;
    data.caption = windowCaption(windows, context.query);
    if (data.panels.front().right)
        data.caption += " " + points.definition;
    else if (!points.whyNot.empty())
        data.notes.push_back("Efficiency is not known: " + points.whyNot);
    return {};
}

std::vector<SweepPlace> sweepPlaces(const std::vector<FigureSubject>& subjects,
    const FigureQuery& query, std::vector<std::string>& notes) {
    const bool choose = query.runs.empty();
    std::vector<SweepPlace> places;
    for (const auto& [group, runs] : byGroup(subjects)) {
        auto some = query.kind == FigureKind::ParallelismSweep ? layoutPlaces(group, runs, choose)
            : query.kind == FigureKind::OptimizationSweep ? optimisationPlaces(group, runs, choose)
                                                          : microBatchPlaces(group, runs, choose);
        places.insert(places.end(), std::make_move_iterator(some.begin()),
            std::make_move_iterator(some.end()));
    }
    if (query.kind == FigureKind::ParallelismSweep)
        addOptimisations(places);
    if (!places.empty() && places.size() < subjects.size())
        notes.push_back(fmt::format("{} of {} are shown, one for each place of the axis.",
            places.size(), text::counted(std::ssize(subjects), "run")));
    return places;
}

} // namespace trainscope::figures
