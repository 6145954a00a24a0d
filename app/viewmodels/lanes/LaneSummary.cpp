#include "app/viewmodels/lanes/LaneSummary.h"

#include "app/viewmodels/text/HumanText.h"
#include "app/viewmodels/text/Texts.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trainscope::app {
namespace {

struct Columns {
    std::size_t first = 0;
    std::size_t last = 0;
};

Columns visibleColumns(
    std::size_t count, const plot::ViewWindow& loaded, const plot::ViewWindow& visible) {
    const auto length = static_cast<double>(loaded.length().ns);
    if (length <= 0.0)
        return {};
    const auto place = [&](DurationNs time) {
        const double share = static_cast<double>((time - loaded.begin).ns) / length;
        return std::clamp(share, 0.0, 1.0) * static_cast<double>(count);
    };
    return {static_cast<std::size_t>(place(visible.begin)),
        static_cast<std::size_t>(std::ceil(place(visible.end)))};
}

struct Summary {
    double low = std::numeric_limits<double>::max();
    double high = std::numeric_limits<double>::lowest();
    double sum = 0.0;
    std::size_t filled = 0;

    void add(float min, float max, float mean) {
        if (std::isnan(mean))
            return;
        low = std::min(low, static_cast<double>(min));
        high = std::max(high, static_cast<double>(max));
        sum += static_cast<double>(mean);
        ++filled;
    }
};

// Adds the drawn values: extents and the middle of each column.
void addDrawn(Summary& summary, const std::vector<float>& low, const std::vector<float>& high,
    const std::vector<float>& middle, Columns columns) {
    for (std::size_t i = columns.first; i < std::min(columns.last, middle.size()); ++i)
        summary.add(low[i], high[i], middle[i]);
}

Summary summaryOf(
    const plot::LaneData& lane, const plot::ViewWindow& loaded, const plot::ViewWindow& visible) {
    Summary summary;
    for (const auto& series : lane.series) {
        const auto [first, last] = visibleColumns(series.buckets.size(), loaded, visible);
        for (std::size_t i = first; i < last; ++i)
            summary.add(series.buckets[i].min, series.buckets[i].max, series.buckets[i].mean);
        if (series.buckets.empty())
            addDrawn(summary, series.means, series.means, series.means,
                visibleColumns(series.means.size(), loaded, visible));
    }
    for (const auto& band : lane.bands)
        addDrawn(summary, band.range.low, band.range.high, band.median.low,
            visibleColumns(band.median.low.size(), loaded, visible));
    return summary;
}

} // namespace

QString laneSummary(
    const plot::LaneData& lane, const plot::ViewWindow& loaded, const plot::ViewWindow& visible) {
    const QString title = QString::fromStdString(lane.title);
    if (!lane.spans.empty())
        return QStringLiteral("%1, %2 tracks").arg(title).arg(lane.spans.size());
    const auto [low, high, sum, filled] = summaryOf(lane, loaded, visible);
    if (filled == 0)
        return QStringLiteral("%1: no data in view").arg(title);
    const auto text = [&lane](double si) {
        return QStringLiteral("%1 %2")
            .arg(decimalText(si * lane.displayScale, 'g', 4), QString::fromStdString(lane.unit))
            .trimmed();
    };
    const char* const words = lane.bands.empty() ? "%1, %2 series: %3 to %4, mean %5"
                                                 : "%1, %2 series: %3 to %4, median %5";
    return textOf(words)
        .arg(title)
        .arg(lane.series.size())
        .arg(text(low), text(high), text(sum / static_cast<double>(filled)));
}

} // namespace trainscope::app
