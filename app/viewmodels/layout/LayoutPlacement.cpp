#include "app/viewmodels/layout/LayoutPlacement.h"

#include "core/figures/layout/LayoutFigure.h"

namespace trainscope::app {

const analysis::Placement* LayoutPlacement::placement() const {
    const auto& reading = m_context.reading;
    return reading && reading->placement ? &*reading->placement : nullptr;
}

QString LayoutPlacement::title() const {
    return placement() != nullptr ? QString::fromStdString(placement()->headline) : QString();
}

QString LayoutPlacement::text() const {
    if (placement() != nullptr)
        return QString::fromStdString(placement()->reason);
    return m_context.reading ? QString::fromStdString(m_context.reading->placementMissing)
                             : QString();
}

bool LayoutPlacement::helps() const {
    return placement() != nullptr && placement()->helps;
}

QString LayoutPlacement::launchArguments() const {
    return helps() ? QString::fromStdString(analysis::launchArguments(*placement())) : QString();
}

void LayoutPlacement::setShown(bool shown) {
    if (shown == m_context.isPlacementShown)
        return;
    m_context.isPlacementShown = shown;
    Q_EMIT shownChanged();
}

void LayoutPlacement::refresh() {
    m_context.placement = placement() != nullptr
        ? figures::placementFigureOf(m_context.reading->run, *placement())
        : plot::PlacementFigureData{};
    m_facts.setFacts(placement() != nullptr ? placementFacts(*placement()) : std::vector<Fact>());
    Q_EMIT changed();
}

} // namespace trainscope::app
