#include "app/viewmodels/query/QueryChart.h"

#include "core/model/HarmlessText.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace trainscope::app {
namespace {

constexpr double kEarliestEpoch = 1e17; // ns: 1973; what is below is a length of time

bool isMoment(const QueryRows& rows, std::size_t column) {
    if (!rows.names()[column].ends_with("_ns"))
        return false;
    for (std::size_t row = 0; row < rows.rows(); ++row) {
        if (rows.isNumber(row, column))
            return rows.number(row, column) >= kEarliestEpoch;
    }
    return false;
}

double leastOf(const QueryRows& rows, std::size_t column) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t row = 0; row < rows.rows(); ++row) {
        if (rows.isNumber(row, column))
            least = std::min(least, rows.number(row, column));
    }
    return std::isfinite(least) ? least : 0.0;
}

// SQL may call a column anything.
std::string shownName(const QueryRows& rows, std::size_t column) {
    return harmlessLine(rows.names()[column]);
}

// Conversion of a column's numbers into those of an axis.
struct Axis {
    std::string title;
    std::string unit;
    bool isMoment = false;
    std::int64_t first = 0;

    [[nodiscard]] double of(const QueryRows& rows, std::size_t row, std::size_t column) const {
        if (!isMoment)
            return rows.number(row, column);
        const auto value = rows.value(row, column);
        const double since = value.type == store::SqlValue::Type::Integer
            ? static_cast<double>(value.integer - first)
            : value.real - static_cast<double>(first);
        return since * 1e-9;
    }
};

Axis axisFor(const QueryRows& rows, std::size_t column) {
    Axis axis{shownName(rows, column), {}, isMoment(rows, column), 0};
    if (!axis.isMoment)
        return axis;
    axis.title += ", since the first";
    axis.unit = "s";
    axis.first = static_cast<std::int64_t>(leastOf(rows, column));
    return axis;
}

using ChartSetting = Setting<ChartColumns, QueryRowsPtr>;

std::vector<SettingChoice> numberColumns(const QueryRowsPtr& rows) {
    std::vector<SettingChoice> columns;
    for (std::size_t column = 0; rows && column < rows->columns(); ++column) {
        if (rows->isNumeric(column))
            columns.push_back(
                {QString::fromStdString(shownName(*rows, column)), static_cast<int>(column)});
    }
    return columns;
}

ChartSetting axisSetting(const char* key, const char* label, int ChartColumns::*column) {
    return {QLatin1String(key), [column](const auto& chosen) { return chosen.*column; },
        [column](auto& chosen, const auto& value) { chosen.*column = value.toInt(); },
        [label](const auto&, const auto& rows) -> std::optional<SettingControl> {
            SettingControl control{QLatin1String(label), {}, numberColumns(rows)};
            return control.choices.size() < 2 ? std::nullopt : std::optional(control);
        }};
}

ChartSetting lineSetting() {
    return {QStringLiteral("chartLine"), [](const auto& chosen) { return chosen.isLine; },
        [](auto& chosen, const auto& value) { chosen.isLine = value.toBool(); },
        [](const auto&, const auto& rows) -> std::optional<SettingControl> {
            if (numberColumns(rows).size() < 2)
                return std::nullopt;
            return switchControl(
                QStringLiteral("Line"), QStringLiteral("Join the points in their order across"));
        }};
}

bool ascends(const QueryRows& rows, std::size_t column) {
    for (std::size_t row = 1; row < rows.rows(); ++row) {
        if (!(rows.number(row - 1, column) < rows.number(row, column)))
            return false;
    }
    return rows.rows() > 2;
}

} // namespace

const ChartSettingList& chartSettings() {
    static const ChartSettingList list({axisSetting("chartX", "Across", &ChartColumns::x),
        axisSetting("chartY", "Up", &ChartColumns::y), lineSetting()});
    return list;
}

ChartColumns usualColumns(const QueryRows& rows) {
    ChartColumns columns;
    for (std::size_t column = 0; column < rows.columns(); ++column) {
        if (!rows.isNumeric(column))
            continue;
        if (columns.x < 0) {
            columns.x = static_cast<int>(column);
        } else {
            columns.y = static_cast<int>(column);
            columns.isLine = ascends(rows, static_cast<std::size_t>(columns.x));
            break;
        }
    }
    return columns;
}

plot::ColumnChart columnChart(const QueryRows& rows, const ChartColumns& columns) {
    plot::ColumnChart chart;
    const auto within = [&rows](int column) {
        return column >= 0 && static_cast<std::size_t>(column) < rows.columns();
    };
    if (!within(columns.x) || !within(columns.y))
        return chart;
    const auto x = static_cast<std::size_t>(columns.x);
    const auto y = static_cast<std::size_t>(columns.y);
    const Axis across = axisFor(rows, x);
    const Axis up = axisFor(rows, y);
    std::vector<double> xs;
    std::vector<double> ys;
    for (std::size_t row = 0; row < rows.rows(); ++row) {
        const plot::Point point{across.of(rows, row, x), up.of(rows, row, y)};
        if (!std::isfinite(point.x) || !std::isfinite(point.y))
            continue;
        chart.points.push_back(point);
        xs.push_back(point.x);
        ys.push_back(point.y);
    }
    chart.isLine = columns.isLine;
    chart.title = fmt::format("{} against {}", shownName(rows, y), shownName(rows, x));
    chart.x = plot::columnAxis(across.title, across.unit, xs);
    chart.y = plot::columnAxis(up.title, up.unit, ys);
    if (chart.points.size() < rows.rows())
        chart.notes.push_back(
            fmt::format("{} of {} rows have no number in one of the columns and are left out.",
                rows.rows() - chart.points.size(), rows.rows()));
    if (rows.isCut())
        chart.notes.push_back(
            fmt::format("The query has more rows; these are the first {}.", rows.rows()));
    return chart;
}

figures::Figure chartFigure(const std::shared_ptr<const plot::ColumnChart>& chart) {
    figures::Figure figure;
    figure.kind = "query";
    figure.title = chart->title;
    figure.draw = figures::drawing(chart, plot::buildColumnChart);
    figure.csv = [chart] { return plot::columnChartCsv(*chart); };
    return figure;
}

} // namespace trainscope::app
