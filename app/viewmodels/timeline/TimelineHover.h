#pragma once
// Words for the point under the pointer: the series with its value, the span, the throttle
// episodes; and the place of the tip that has them. Plain functions; GUI thread.

#include "app/viewmodels/timeline/TimelineContext.h"

#include <QPointF>
#include <QRectF>
#include <QSizeF>

namespace trainscope::app {

// `overlays` of the shown runs, in their order; nullptr: not shown. `readout`: the value of the
// lane there, empty where it is not known yet. May be empty.
QString hoverText(const TimelineContext& context, const std::vector<plot::RunOverlay>* overlays,
    const TimelineHit& hit, const QString& readout, double y);

// "Iteration 12", or "Iterations 12" for what comes behind it.
QString stretchName(const StretchHit& stretch, bool isPlural = false);

// Upper left corner of a tip of that size: below what it is about, else above it, beside the
// pointer, within the view, and over neither that nor the selected span.
QPointF tipPlace(const QSizeF& tip, const QPointF& pointer, const QRectF& about,
    const QRectF& selected, const QRectF& view);

} // namespace trainscope::app
