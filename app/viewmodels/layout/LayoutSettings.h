#pragma once
// Settings of the layout view: the run, the quantity that colours its ranks, and the groups that
// light up; as rows of controls and as JSON to be remembered. Plain functions; any thread.

#include <QJsonObject>
#include <QString>

#include "app/viewmodels/workspace/SettingListModel.h"
#include "core/figures/layout/RankColouring.h"
#include "core/layout/Dimensions.h"
#include "core/model/Metric.h"

#include <optional>
#include <vector>

namespace trainscope::app {

struct LayoutSettings {
    plot::RankColour by = plot::RankColour::Value;
    std::string metric = metric::kGpuTemperature;
    std::optional<plot::FigureStatistic> statistic; // absent: at the cursor
    std::optional<layout::CommunicatorKind> lit; // only these groups; absent: all of a rank
    bool wholeStep = false; // of the schedule, else its first micro-batches

    [[nodiscard]] bool isAtCursor() const { return by == plot::RankColour::Value && !statistic; }
    bool operator==(const LayoutSettings&) const = default;
};

// A metric that is not among those becomes the first of them; a statistic that it does not have,
// or that was of another one, its usual one.
void fitMetric(const std::vector<plot::FigureChoice>& metrics, std::string& metric,
    std::optional<plot::FigureStatistic>& statistic);

QJsonObject encodeLayout(const LayoutSettings& settings);
// A setting that cannot be understood becomes the default.
LayoutSettings decodeLayout(const QJsonObject& json);

// Choices of the controls.
struct LayoutChoices {
    QStringList runs;
    int run = 0;
    std::vector<plot::FigureChoice> metrics;
    bool hasLayout = false;
    bool hasExperts = false;
    bool hasContext = false;
};
std::vector<SettingRow> layoutRows(const LayoutSettings& settings, const LayoutChoices& choices);
// As far as these can be chosen: without a metric, or by groups that there are not, by node; of
// groups that there are not, all light up.
LayoutSettings fittedLayout(const LayoutSettings& settings, const LayoutChoices& choices);
// The settings after that choice; the run is not theirs. Unknown keys and choices change nothing.
LayoutSettings withLayoutSetting(
    const LayoutSettings& settings, const LayoutChoices& choices, const QString& key, int choice);

} // namespace trainscope::app
