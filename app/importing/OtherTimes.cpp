#include "app/importing/OtherTimes.h"

#include "core/analysis/statistics/SeriesSelection.h"
#include "core/text/Numbers.h"
#include "core/text/Times.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace trainscope::app {

void OtherTimes::look(RunId run) {
    const auto [before, isNew] = m_before.try_emplace(run);
    if (isNew)
        before->second = m_store.series(run).valueOr({});
}

void OtherTimes::add(RunId run, SeriesId series, const SeriesDescription& description) {
    if (!m_before.at(run).empty())
        m_given.try_emplace(series, Given{run, description, {}});
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

// The first such series, where none is of the same time.
const Series* OtherTimes::otherOf(const Given& given) const {
    const Series* other = nullptr;
    for (const Series& one : m_before.at(given.run)) {
        if (one.description.metric.name != given.description.metric.name
            || one.description.subject != given.description.subject)
            continue;
        if (given.range.isEmpty() || one.range.overlaps(given.range))
            return nullptr;
        other = other == nullptr ? &one : other;
    }
    return other;
}

std::optional<std::string> OtherTimes::warning(const std::string& sourcePath) const {
    const auto sources = m_store.sources().valueOr({});
    std::vector<std::pair<const Given*, const Series*>> apart;
    std::string otherPath;
    for (const auto& [series, given] : m_given) {
        const Series* other = otherOf(given);
        const auto source = std::ranges::find_if(sources,
            [&](const store::Source& one) { return other != nullptr && one.id == other->source; });
        if (source == sources.end() || source->path == sourcePath)
            continue;
        if (apart.empty())
            otherPath = source->path;
        apart.emplace_back(&given, other);
    }
    if (apart.empty())
        return std::nullopt;
    const auto& [given, other] = apart.front();
    const std::int64_t more = std::ssize(apart) - 1;
    return fmt::format("{} of {}{} from {} too, at another time (from {}): of two such series only "
                       "the one with more values counts. If these are two jobs, import one of them "
                       "under a name of its own.",
        given->description.metric.name, analysis::subjectText(given->description.subject),
        more > 0 ? " and " + text::counted(more, "more series", "more series") + " come" : " comes",
        otherPath, text::moment(other->range.begin));
}

} // namespace trainscope::app
