#include "app/viewmodels/LaneSummary.h"

#include "app/viewmodels/QuantityText.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <limits>

namespace trainscope::app {
namespace {

QString translated(const char* text) {
    return QCoreApplication::translate("LaneSummary", text);
}

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

} // namespace

QString laneSummary(
    const plot::LaneData& lane, const plot::ViewWindow& loaded, const plot::ViewWindow& visible) {
    const QString title = QString::fromStdString(lane.title);
    if (!lane.spans.empty())
        return translated("%1, %2 tracks").arg(title).arg(lane.spans.size());
    double low = std::numeric_limits<double>::max();
    double high = std::numeric_limits<double>::lowest();
    double sum = 0.0;
    std::size_t filled = 0;
    for (const auto& series : lane.series) {
        const auto [first, last] = visibleColumns(series.buckets.size(), loaded, visible);
        for (std::size_t i = first; i < last; ++i) {
            const Bucket& bucket = series.buckets[i];
            if (std::isnan(bucket.mean))
                continue;
            low = std::min(low, static_cast<double>(bucket.min));
            high = std::max(high, static_cast<double>(bucket.max));
            sum += static_cast<double>(bucket.mean);
            ++filled;
        }
    }
    if (filled == 0)
        return translated("%1: no data in view").arg(title);
    const auto text = [&lane](double si) {
        return QStringLiteral("%1 %2")
            .arg(si * lane.displayScale, 0, 'g', 4)
            .arg(QString::fromStdString(lane.unit))
            .trimmed();
    };
    return translated("%1, %2 series: %3 to %4, mean %5")
        .arg(title)
        .arg(lane.series.size())
        .arg(text(low), text(high), text(sum / static_cast<double>(filled)));
}

} // namespace trainscope::app
