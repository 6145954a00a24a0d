#pragma once
// Two columns of a query's rows as a chart. Plain functions; any thread.

#include "app/viewmodels/query/QueryRows.h"
#include "app/viewmodels/workspace/Setting.h"
#include "core/figures/Figure.h"
#include "core/plot/figures/ColumnChart.h"

#include <memory>

namespace trainscope::app {

struct ChartColumns {
    int x = -1;
    int y = -1;
    bool isLine = false;
    bool operator==(const ChartColumns&) const = default;
};

// The first two columns of numbers, a line where x ascends as time does; −1 where there are none.
ChartColumns usualColumns(const QueryRows& rows);

// The columns as settings, where there are two of numbers at least.
using ChartSettingList = SettingList<ChartColumns, QueryRowsPtr>;
const ChartSettingList& chartSettings();

// Rows without a number in one of the columns are left out, and so are those beyond what a chart
// shows. Times in nanoseconds since the epoch become seconds since the first.
plot::ColumnChart columnChart(const QueryRows& rows, const ChartColumns& columns);

figures::Figure chartFigure(const std::shared_ptr<const plot::ColumnChart>& chart);

} // namespace trainscope::app
