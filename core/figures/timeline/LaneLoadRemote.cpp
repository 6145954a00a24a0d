#include "core/figures/timeline/LaneLoad.h"
#include "core/model/Try.h"

#include <algorithm>
#include <map>

namespace trainscope::figures {

using namespace plot;

namespace {

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

} // namespace

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

} // namespace trainscope::figures
