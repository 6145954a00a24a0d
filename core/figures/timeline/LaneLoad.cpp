#include "core/figures/timeline/LaneLoad.h"
#include "core/analysis/statistics/SeriesSelection.h"
#include "core/model/Try.h"
#include "core/plot/timeline/SpanMix.h"
#include "core/plot/timeline/TraceClock.h"

#include <fmt/format.h>

#include <tuple>

namespace trainscope::figures {

using namespace plot;

using namespace plot;

using namespace plot;

namespace {

// "pt_autograd_0 (524)" of the thread 524: by the name that its program gave it.
std::string threadName(const TrackDescription& track) {
    const std::string numbered = "thread " + track.thread + " (";
    if (track.name.starts_with(numbered) && track.name.ends_with(')'))
        return track.name.substr(numbered.size(), track.name.size() - numbered.size() - 1) + " ("
            + track.thread + ")";
    const bool isNumbered = track.name.find(track.thread) != std::string::npos;
    return isNumbered ? track.name : fmt::format("{} ({})", track.name, track.thread);
}

std::string trackLabel(const TrackDescription& track, bool severalDevices) {
    const std::string name = track.name.empty() ? "track " + track.thread
        : track.kind == TrackKind::Thread       ? threadName(track)
                                                : track.name;
    if (track.rank < 0)
        return name;
    if (severalDevices && track.device >= 0)
        return fmt::format("rank {} · device {} · {}", track.rank, track.device, name);
    return fmt::format("rank {} · {}", track.rank, name);
}

bool hasSeveralDevices(const std::vector<SelectedTrack>& tracks) {
    std::set<std::pair<int, int>> devices;
    std::set<int> ranks;
    for (const auto& selected : tracks) {
        devices.insert({selected.track->description.rank, selected.track->description.device});
        ranks.insert(selected.track->description.rank);
    }
    return devices.size() > ranks.size();
}

std::size_t rankCount(const std::vector<SelectedTrack>& tracks) {
    std::set<std::pair<std::size_t, int>> ranks;
    for (const auto& selected : tracks)
        ranks.insert({selected.run, selected.track->description.rank});
    return ranks.size();
}

// Captures of a rank each have their part of a stream or thread; it counts once.
std::size_t countOnce(const std::vector<SelectedTrack>& tracks) {
    std::set<std::tuple<std::size_t, int, int, std::string>> different;
    for (const auto& selected : tracks) {
        const auto& description = selected.track->description;
        different.emplace(selected.run, description.rank, description.device, description.name);
    }
    return different.size();
}

void setTexts(LaneData& lane, const std::vector<SelectedTrack>& tracks) {
    const bool threads = lane.spec.style == LaneStyle::Thread;
    lane.title = threads ? "Host threads" : "Kernels";
    if (lane.spec.rank)
        lane.title += fmt::format(" · rank {}", *lane.spec.rank);
    if (tracks.empty()) {
        lane.subtitle = "no trace of these runs";
        return;
    }
    const std::size_t ranks = rankCount(tracks);
    const std::size_t count = countOnce(tracks);
    lane.subtitle = threads ? fmt::format("{} thread{}", count, count == 1 ? "" : "s")
                            : fmt::format("{} rank{}, {} stream{}", ranks, ranks == 1 ? "" : "s",
                                count, count == 1 ? "" : "s");
}

constexpr double kMostSpans = 500'000.0; // read one by one for the mixes of a lane
constexpr double kMostParts = 2'000'000.0; // parts of its groups, if it has more spans

// Narrower groups than a pixel's, from which the mix of a pixel's is told: single spans where these
// are few enough to be read. Absent: the mixes would cost too much.
std::optional<DurationNs> partWidth(const LaneRequest& request,
    const std::vector<SelectedTrack>& tracks, DurationNs pixel, LaneStyle style) {
    if (style != LaneStyle::Kernels)
        return std::nullopt;
    double spans = 0.0;
    for (const auto& selected : tracks) {
        const TimeNs origin = request.runs[selected.run].origin;
        const TimeRange& whole = selected.track->range;
        const std::int64_t seen = (std::min(whole.end, origin + request.window.end)
            - std::max(whole.begin, origin + request.window.begin))
                                      .ns;
        const auto length = static_cast<double>(std::max<std::int64_t>(whole.length().ns, 1));
        spans += static_cast<double>(selected.track->count)
            * std::clamp(static_cast<double>(seen) / length, 0.0, 1.0);
    }
    if (spans <= kMostSpans)
        return DurationNs{0};
    const double groups
        = static_cast<double>(tracks.size()) * static_cast<double>(std::max(request.columns, 1));
    const auto parts = static_cast<std::int64_t>(std::min(kMostParts / groups, 16.0));
    return parts < 2 ? std::nullopt : std::optional(DurationNs{pixel.ns / parts});
}

bool mergesAny(const std::vector<store::LodNode>& groups) {
    return std::ranges::any_of(groups, [](const store::LodNode& group) { return group.count > 1; });
}

using ByRun = std::map<std::size_t, std::vector<const SelectedSeries*>>;

ByRun remoteByRun(const LaneRequest& request, const std::vector<SelectedSeries>& selected) {
    ByRun byRun;
    for (const SelectedSeries& one : selected) {
        if (isRemote(request, *one.series))
            byRun[one.run].push_back(&one);
    }
    return byRun;
}

LaneSeries laneSeries(const SelectedSeries& one, std::vector<Bucket> buckets) {
    const Subject& subject = one.series->description.subject;
    return {one.run, subject, one.node, one.series->id, subjectLabel(subject, one.node),
        std::move(buckets), {}, {}, {}};
}

void addGroups(std::size_t run, std::vector<RemoteAnswer::Group> groups,
    const std::function<void(LaneSeries)>& add) {
    for (auto& group : groups) {
        Subject subject;
        subject.kind = SubjectKind::Node;
        subject.node = group.node;
        add({run, subject, group.node, {}, std::move(group.label), std::move(group.buckets), {}, {},
            {}});
    }
}

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

Result<LaneData> loadSpanLane(const LaneRequest& request, const LaneSpec& spec) {
    LaneData lane;
    lane.spec = spec;
    const auto tracks = selectTracks(request.catalogue, spec);
    setTexts(lane, tracks);
    const bool severalDevices = hasSeveralDevices(tracks);
    const DurationNs pixel{request.window.length().ns / std::max(request.columns, 1)};
    const auto width = partWidth(request, tracks, pixel, spec.style);
    for (const auto& selected : tracks) {
        if (request.isCancelled && request.isCancelled())
            return cancelled();
        const ShownRun& run = request.runs[selected.run];
        const int rank = selected.track->description.rank;
        const TimeRange window = ownRange(
            run, rank, {run.origin + request.window.begin, run.origin + request.window.end});
        ASSIGN_OR_RETURN(auto groups, request.store.lodNodes(selected.track->id, window, pixel));
        std::vector<SpanMix> mixes;
        if (width && mergesAny(groups)) {
            ASSIGN_OR_RETURN(
                const auto parts, request.store.lodNodes(selected.track->id, window, *width));
            mixes = mixesOf(groups, parts, pixel);
        }
        if (run.clocks) {
            for (store::LodNode& group : groups)
                group.range = shownRange(run, rank, group.range);
        }
        const auto& description = selected.track->description;
        lane.spans.push_back({selected.run, description.rank, selected.track->id,
            trackLabel(description, severalDevices), std::max(selected.track->depth, 1),
            std::move(groups), std::move(mixes)});
    }
    return lane;
}

bool isRemote(const LaneRequest& request, const Series& series) {
    return request.remote != nullptr && request.remote->has(series);
}

Result<RemotePart> loadRemote(const LaneRequest& request, LaneStyle style,
    const std::vector<SelectedSeries>& selected, bool isOnly,
    const std::function<void(LaneSeries)>& add) {
    RemotePart part;
    for (const auto& [run, series] : remoteByRun(request, selected)) {
        RemoteQuestion question;
        question.run = request.runs[run].id;
        question.metric = series.front()->series->description.metric;
        question.isOnly = isOnly;
        question.style = style;
        const TimeNs origin = request.runs[run].origin;
        question.window = {origin + request.window.begin, origin + request.window.end};
        question.columns = request.columns;
        for (const SelectedSeries* one : series)
            question.series.push_back(one->series);
        ASSIGN_OR_RETURN(auto answer, request.remote->lane(question, request.isCancelled));
        if (answer.low <= answer.high) {
            part.low = part.low <= part.high ? std::min(part.low, answer.low) : answer.low;
            part.high = std::max(part.high, answer.high);
        }
        if (part.remark.empty())
            part.remark = std::move(answer.remark);
        if (answer.band) {
            answer.band->run = run;
            part.bands.push_back(std::move(*answer.band));
        }
        const bool isGrouped = !answer.groups.empty();
        addGroups(run, std::move(answer.groups), add);
        for (std::size_t i = 0; i < series.size() && !isGrouped; ++i)
            add(laneSeries(*series[i],
                i < answer.buckets.size() ? std::move(answer.buckets[i]) : std::vector<Bucket>()));
    }
    return part;
}

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
