#include "app/importing/OtherTimes.h"

#include "core/analysis/statistics/SeriesSelection.h"
#include "core/text/Numbers.h"
#include "core/text/Times.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace trainscope::app {

void OtherTimes::look(RunId run) {
    if (!m_looked.insert(run).second)
        return;
    const auto known = m_store.series(run);
    if (!known.hasValue())
        return;
    for (const Series& one : known.value())
        m_before[keyOf(run, one.description)].push_back({one.source, one.range});
}

OtherTimes::Key OtherTimes::keyOf(RunId run, const SeriesDescription& description) {
    const Subject& subject = description.subject;
    return {run, description.metric.name, subject.kind, subject.rank, subject.node, subject.device};
}

void OtherTimes::add(RunId run, SeriesId series, const SeriesDescription& description) {
    Key key = keyOf(run, description);
    if (m_before.contains(key))
        m_given.try_emplace(series, Given{description, std::move(key), {}});
}

void OtherTimes::add(SeriesId series, std::span<const TimeNs> times) {
    const auto found = m_given.find(series);
    if (found == m_given.end() || times.empty())
        return;
    const auto [first, last] = std::minmax_element(times.begin(), times.end());
    TimeRange& range = found->second.range;
    const TimeRange added{*first, *last + DurationNs{1}};
    range = range.isEmpty()
        ? added
        : TimeRange{std::min(range.begin, added.begin), std::max(range.end, added.end)};
}

const OtherTimes::Recorded* OtherTimes::otherOf(const Given& given) const {
    const auto& recorded = m_before.at(given.key);
    const bool isApart = !given.range.isEmpty()
        && std::none_of(recorded.begin(), recorded.end(),
            [&given](const Recorded& one) { return one.range.overlaps(given.range); });
    return isApart ? &recorded.front() : nullptr;
}

std::optional<std::string> OtherTimes::warning(const std::string& sourcePath) const {
    std::vector<std::pair<const Given*, const Recorded*>> apart;
    for (const auto& [series, given] : m_given) {
        if (const Recorded* other = otherOf(given))
            apart.emplace_back(&given, other);
    }
    if (apart.empty())
        return std::nullopt;
    const auto sources = m_store.sources().valueOr({});
    const auto pathOf = [&sources](SourceId id) {
        const auto found = std::find_if(sources.begin(), sources.end(),
            [id](const store::Source& one) { return one.id == id; });
        return found == sources.end() ? std::string() : found->path;
    };
    std::erase_if(apart, [&](const auto& pair) {
        const std::string path = pathOf(pair.second->source);
        return path.empty() || path == sourcePath;
    });
    if (apart.empty())
        return std::nullopt;
    const auto& [given, other] = apart.front();
    const std::int64_t more = std::ssize(apart) - 1;
    return fmt::format("{} of {}{} from {} too, at another time (from {}): of two such series only "
                       "the one with more values counts. If these are two jobs, import one of them "
                       "under a name of its own.",
        given->description.metric.name, analysis::subjectText(given->description.subject),
        more > 0 ? " and " + text::counted(more, "more series", "more series") + " come" : " comes",
        pathOf(other->source), text::moment(other->range.begin));
}

} // namespace trainscope::app
