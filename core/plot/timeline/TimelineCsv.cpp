#include "core/plot/timeline/Timeline.h"
#include "core/text/Table.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace trainscope::plot {

namespace {

std::string number(float value) {
    return std::isnan(value) ? std::string() : fmt::format("{}", value);
}

// Millions of lines: what they share is written once.
void writeSeries(
    std::string& out, const TimelineData& data, const LaneData& lane, const LaneSeries& series) {
    const auto& run = data.runs[series.run];
    const std::string head = fmt::format("{},{},{},{},{},{},", toString(lane.spec.style),
        text::csvCell(lane.spec.metric), text::csvCell(run.name),
        series.subject.rank < 0 ? "" : fmt::format("{}", series.subject.rank),
        series.node < 0 ? "" : fmt::format("{}", series.node),
        text::csvCell(series.subject.device));
    const double step = static_cast<double>(data.window.length().ns) / data.columns;
    for (std::size_t i = 0; i < series.buckets.size(); ++i) {
        const Bucket& bucket = series.buckets[i];
        if (std::isnan(bucket.mean))
            continue;
        const auto at = static_cast<double>(i);
        const TimeNs begin = run.origin + data.window.begin + DurationNs{std::llround(step * at)};
        const TimeNs end
            = run.origin + data.window.begin + DurationNs{std::llround(step * (at + 1.0))};
        fmt::format_to(std::back_inserter(out), "{}{},{},{},{},{},{},,\n", head, begin.ns, end.ns,
            lane.states.empty() ? number(bucket.mean) : std::string(), number(bucket.min),
            number(bucket.max), bucket.count);
    }
}

void writeSpans(
    std::string& out, const TimelineData& data, const LaneData& lane, const LaneSpans& track) {
    const auto& run = data.runs[track.run];
    const std::string head
        = fmt::format("{},{},{},{},,{},", toString(lane.spec.style), "", text::csvCell(run.name),
            track.rank < 0 ? "" : fmt::format("{}", track.rank), text::csvCell(track.label));
    for (const auto& group : track.spans) {
        const auto name = data.names.find(group.name);
        const bool known = name != data.names.end();
        fmt::format_to(std::back_inserter(out), "{}{},{},{},,,{},{},{}\n", head,
            group.range.begin.ns, group.range.end.ns, number(group.busyFraction), group.count,
            known ? text::csvCell(name->second.text) : "",
            known ? text::csvCell(name->second.category) : "");
    }
}

} // namespace

std::string timelineCsv(const TimelineData& data) {
    std::string out
        = "lane,metric,run,rank,node,device,start_ns,end_ns,mean,min,max,count,name,category\n";
    for (const auto& lane : data.lanes) {
        for (const auto& series : lane.series)
            writeSeries(out, data, lane, series);
        for (const auto& track : lane.spans)
            writeSpans(out, data, lane, track);
    }
    return out;
}

} // namespace trainscope::plot
