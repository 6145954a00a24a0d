#include "core/figures/timeline/LaneLoad.h"

#include "core/analysis/statistics/SeriesSelection.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace trainscope::figures {

using namespace plot;

namespace {

bool belongsToRank(const SelectedSeries& selected, const Catalogue::OfRun& run, int rank) {
    const Subject& subject = selected.series->description.subject;
    if (subject.kind == SubjectKind::Gpu)
        return subject.rank == rank;
    return selected.node >= 0 && selected.node == nodeOf(run, rank);
}

auto orderOf(const SelectedSeries& selected) {
    const Subject& subject = selected.series->description.subject;
    return std::tie(selected.run, selected.node, subject.rank, subject.device, selected.series->id);
}

// In the order of selectSeries, which puts the series of one subject side by side.
std::vector<SelectedSeries> withoutTwins(const std::vector<SelectedSeries>& all) {
    std::vector<SelectedSeries> single;
    for (const SelectedSeries& one : all) {
        const bool isTwin = !single.empty() && single.back().run == one.run
            && single.back().series->description.subject == one.series->description.subject;
        if (!isTwin)
            single.push_back(one);
        else if (analysis::speaksFor(*one.series, *single.back().series))
            single.back() = one;
    }
    return single;
}

bool fitsLane(TrackKind kind, LaneStyle style) {
    return style == LaneStyle::Thread ? kind == TrackKind::Thread : kind == TrackKind::Stream;
}

} // namespace

int nodeOf(const Catalogue::OfRun& run, int rank) {
    const auto gpu = std::ranges::find(run.gpus, rank, &Gpu::rank);
    return gpu == run.gpus.end() ? -1 : gpu->node;
}

std::vector<SelectedSeries> selectSeries(const Catalogue& catalogue, const LaneSpec& lane) {
    std::vector<SelectedSeries> chosen;
    for (std::size_t i = 0; i < catalogue.runs.size(); ++i) {
        const auto& run = catalogue.runs[i];
        for (const auto& series : run.series) {
            const auto& description = series.description;
            if (description.metric.name != lane.metric)
                continue;
            const Subject& subject = description.subject;
            const int node
                = subject.kind == SubjectKind::Gpu ? nodeOf(run, subject.rank) : subject.node;
            const SelectedSeries selected{i, node, &series};
            if (!lane.rank || belongsToRank(selected, run, *lane.rank))
                chosen.push_back(selected);
        }
    }
    std::ranges::stable_sort(chosen,
        [](const SelectedSeries& a, const SelectedSeries& b) { return orderOf(a) < orderOf(b); });
    return withoutTwins(chosen);
}

std::vector<SelectedTrack> selectTracks(const Catalogue& catalogue, const LaneSpec& lane) {
    std::vector<SelectedTrack> chosen;
    for (std::size_t i = 0; i < catalogue.runs.size(); ++i) {
        for (const auto& track : catalogue.runs[i].tracks) {
            const bool wanted = !lane.rank || track.description.rank == *lane.rank;
            if (wanted && track.count > 0 && fitsLane(track.description.kind, lane.style))
                chosen.push_back({i, &track});
        }
    }
    std::ranges::stable_sort(chosen, [](const SelectedTrack& a, const SelectedTrack& b) {
        const auto key = [](const SelectedTrack& t) {
            return std::tuple(t.run, t.track->description.rank, t.track->description.device);
        };
        return key(a) < key(b);
    });
    return chosen;
}

SubjectNoun nounOf(SubjectKind kind) {
    switch (kind) {
    case SubjectKind::Gpu:
        return {"GPU", "GPUs"};
    case SubjectKind::Node:
        return {"node", "nodes"};
    case SubjectKind::Link:
        return {"link", "links"};
    case SubjectKind::Switch:
        return {"switch", "switches"};
    case SubjectKind::Run:
        break;
    }
    return {"whole run", "whole run"};
}

std::string subjectLabel(const Subject& subject, int node) {
    if (subject.kind == SubjectKind::Node)
        return fmt::format("node {}", subject.node);
    if (subject.kind == SubjectKind::Link)
        return fmt::format("node {} · {}", subject.node, subject.device);
    if (subject.kind == SubjectKind::Switch)
        return fmt::format("switch {}", subject.device);
    if (subject.kind == SubjectKind::Run)
        return "whole run";
    if (node < 0)
        return fmt::format("rank {}", subject.rank);
    return fmt::format("rank {} · node {}", subject.rank, node);
}

} // namespace trainscope::figures
