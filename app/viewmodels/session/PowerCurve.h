#pragma once
// The small curve of a run in lists: its mean GPU power over its length. Plain function; any thread
// that owns the store.

#include "core/model/Run.h"
#include "core/store/Store.h"

#include <QList>

#include <functional>

namespace trainscope::app {

// Each GPU once, of the source that has more of it. Per column as a fraction of the highest one,
// NaN where nothing is known; empty where there is nothing to draw, it cannot be read, or nobody
// waits any more.
QList<double> powerCurve(const store::Store& store, const Run& run, int mostColumns,
    const std::function<bool()>& isCancelled);

} // namespace trainscope::app
