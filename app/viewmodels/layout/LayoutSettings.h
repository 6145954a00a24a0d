#pragma once
// Settings of the layout view: the run, the quantity that colours its ranks, and the groups that
// light up. Plain functions; any thread.

#include "app/viewmodels/workspace/Setting.h"
#include "core/figures/layout/LayoutFigure.h"
#include "core/layout/RankGrid.h"

namespace trainscope::app {

struct LayoutSettings {
    plot::RankColour by = plot::RankColour::Value;
    std::string metric = metric::kGpuTemperature;
    std::optional<plot::FigureStatistic> statistic; // absent: at the cursor
    std::optional<layout::CommunicatorKind> lit; // only these groups; absent: all of a rank
    bool wholeStep = false; // whole step of the schedule, else its first micro-batches

    [[nodiscard]] bool isAtCursor() const { return by == plot::RankColour::Value && !statistic; }
    bool operator==(const LayoutSettings&) const = default;
};

// A metric that is not among those becomes the first of them; a statistic that it does not have,
// or that was of another one, its usual one.
void fitMetric(const std::vector<plot::FigureChoice>& metrics, std::string& metric,
    std::optional<plot::FigureStatistic>& statistic);

// Choices of the controls.
struct LayoutChoices {
    QStringList runs;
    int run = 0;
    std::vector<plot::FigureChoice> metrics;
    bool hasLayout = false;
    bool hasExperts = false;
    bool hasContext = false;
};
// The run has a control among them and is not one of them.
using LayoutSettingList = SettingList<LayoutSettings, LayoutChoices>;
const LayoutSettingList& layoutSettings();
// As far as these can be chosen: without a metric, or by groups that there are not, by node; of
// groups that there are not, all light up.
LayoutSettings fittedLayout(const LayoutSettings& settings, const LayoutChoices& choices);

} // namespace trainscope::app
