#include "core/figures/runs/SweepRuns.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

namespace trainscope::figures {

using namespace plot;

namespace {

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
