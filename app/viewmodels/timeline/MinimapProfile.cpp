// Profile of a run for the minimap.
#include "app/viewmodels/timeline/MinimapItem.h"
#include "core/analysis/statistics/SeriesSelection.h"
#include "core/model/Metric.h"
#include "core/model/Try.h"

#include "core/plot/timeline/TraceClock.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace trainscope::app {
namespace {

using Column = std::vector<float>;

// Mean over the values there are.
class MeanColumns {
public:
    explicit MeanColumns(int columns)
        : m_sum(static_cast<std::size_t>(columns), 0.0)
        , m_count(static_cast<std::size_t>(columns), 0) { }
    void add(std::size_t column, double value) {
        m_sum[column] += value;
        ++m_count[column];
    }
    [[nodiscard]] Column finished() const {
        Column means(m_sum.size(), std::numeric_limits<float>::quiet_NaN());
        for (std::size_t i = 0; i < m_sum.size(); ++i) {
            if (m_count[i] > 0)
                means[i] = static_cast<float>(m_sum[i] / m_count[i]);
        }
        return means;
    }

private:
    std::vector<double> m_sum;
    std::vector<int> m_count;
};

Status addSeries(const store::Store& store, const Series& series, TimeRange window, int columns,
    MeanColumns& means) {
    ASSIGN_OR_RETURN(const auto buckets, store.buckets(series.id, window, columns));
    for (std::size_t i = 0; i < buckets.size(); ++i) {
        // A column without a sample has the value that holds there.
        if (!std::isnan(buckets[i].mean))
            means.add(i, static_cast<double>(buckets[i].mean));
    }
    return {};
}

// Each GPU once, whatever number of sources recorded it.
std::vector<Series> powersOf(const RunFacts& facts) {
    std::vector<Series> powers;
    std::copy_if(facts.series.begin(), facts.series.end(), std::back_inserter(powers),
        [](const Series& series) { return series.description.metric.name == metric::kGpuPower; });
    return powers.empty() ? powers : analysis::seriesByMetric(powers).begin()->second;
}

// Together, as far as the engine has told.
Status addRemote(EngineLanes& engines, const RunFacts& facts, const std::vector<Series>& powers,
    TimeRange window, int columns, const std::function<bool()>& isCancelled, MeanColumns& means,
    bool& isComplete) {
    constexpr int pixels = 4; // a column
    figures::RemoteQuestion question;
    question.run = facts.run.id;
    question.isTogether = true;
    question.window = window;
    question.columns = std::max(1, columns / pixels);
    for (const Series& series : powers) {
        if (engines.has(series)) {
            question.metric = series.description.metric;
            question.series.push_back(&series);
        }
    }
    if (question.series.empty())
        return {};
    ASSIGN_OR_RETURN(const auto answer, engines.lane(question, isCancelled));
    isComplete = isComplete && answer.isComplete;
    const auto& buckets = answer.buckets.front();
    for (std::size_t i = 0; i < static_cast<std::size_t>(columns); ++i) {
        const Bucket& bucket = buckets[i * buckets.size() / static_cast<std::size_t>(columns)];
        if (!std::isnan(bucket.mean))
            means.add(i, static_cast<double>(bucket.mean));
    }
    return {};
}

Status addTrack(const store::Store& store, const plot::ShownRun& shown, const Track& track,
    const TimeRange& shownWindow, int columns, MeanColumns& means) {
    const TimeRange window = plot::ownRange(shown, track.description.rank, shownWindow);
    const double width = static_cast<double>(window.length().ns) / columns;
    ASSIGN_OR_RETURN(const auto groups,
        store.lodNodes(track.id, window, DurationNs{static_cast<std::int64_t>(width)}));
    std::vector<double> busy(static_cast<std::size_t>(columns), 0.0);
    for (const auto& group : groups) {
        if (group.depth > 0)
            continue;
        const double first = static_cast<double>((group.range.begin - window.begin).ns) / width;
        const double last = static_cast<double>((group.range.end - window.begin).ns) / width;
        for (int i = std::max(0, static_cast<int>(first)); i < columns && i < last; ++i) {
            const double share = std::min(last, i + 1.0) - std::max(first, static_cast<double>(i));
            busy[static_cast<std::size_t>(i)] += share * static_cast<double>(group.busyFraction);
        }
    }
    for (std::size_t i = 0; i < busy.size(); ++i)
        means.add(i, std::min(1.0, busy[i]));
    return {};
}

Result<Column> profileOf(const store::Store& store, const RunFacts& facts,
    const plot::ShownRun& shown, TimeRange window, int columns,
    const std::function<bool()>& isCancelled, EngineLanes* engines, bool& isComplete) {
    MeanColumns means(columns);
    const std::vector<Series> powers = powersOf(facts);
    if (engines != nullptr)
        RETURN_IF_ERROR(
            addRemote(*engines, facts, powers, window, columns, isCancelled, means, isComplete));
    for (const auto& series : powers) {
        if (isCancelled())
            return cancelled();
        if (engines != nullptr && engines->has(series))
            continue;
        RETURN_IF_ERROR(addSeries(store, series, window, columns, means));
    }
    for (const auto& track : facts.tracks) {
        if (isCancelled())
            return cancelled();
        if (!powers.empty() || track.description.kind != TrackKind::Stream)
            continue;
        RETURN_IF_ERROR(addTrack(store, shown, track, window, columns, means));
    }
    return means.finished();
}

} // namespace

Result<MinimapItem::Profile> MinimapItem::readProfile(const store::Store& store,
    const TimelineCatalogue& catalogue, const std::vector<plot::ShownRun>& runs,
    plot::ViewWindow limits, int columns, const std::function<bool()>& isCancelled,
    EngineLanes* engines) {
    Profile profile;
    for (std::size_t i = 0; i < std::min(runs.size(), catalogue.runs.size()); ++i) {
        const TimeRange window{runs[i].origin + limits.begin, runs[i].origin + limits.end};
        ASSIGN_OR_RETURN(auto values,
            profileOf(store, catalogue.facts(i), runs[i], window, columns, isCancelled, engines,
                profile.isComplete));
        for (const float value : values) {
            if (value > profile.highest)
                profile.highest = value;
        }
        profile.runs.push_back(std::move(values));
    }
    return profile;
}

} // namespace trainscope::app
