#include "app/viewmodels/query/QueryRows.h"

#include "app/viewmodels/text/Texts.h"
#include "app/viewmodels/window/Theme.h"
#include "core/model/HarmlessText.h"
#include "core/report/QueryText.h"

#include <numeric>

namespace trainscope::app {

namespace {

constexpr std::size_t kTextOverhead = 64; // bytes per text in its table

constexpr std::size_t kMeasuredRows = 200; // their widths decide those of the columns
constexpr double kLeastWidth = 56.0;
constexpr double kMostWidth = 360.0;
constexpr double kCellPadding = 28.0; // with room for the sign of the order
constexpr int kMostCellCharacters = 400;
constexpr int kShownDigits = 12; // for reals; copies and files have all

QString queryCell(const store::SqlValue& value) {
    if (value.type == store::SqlValue::Type::Null)
        return QStringLiteral("NULL");
    if (value.type == store::SqlValue::Type::Real)
        return decimalText(value.real, 'g', kShownDigits);
    // A character has at most four bytes.
    const std::string text
        = report::plainText(value).substr(0, std::size_t{4} * kMostCellCharacters);
    return shownLine(text).left(kMostCellCharacters);
}

// The rows of a column of numbers that have its least and its greatest, which are the widest.
std::vector<std::size_t> extremeRows(const QueryRows& rows, std::size_t column) {
    std::optional<std::size_t> least;
    std::optional<std::size_t> greatest;
    for (std::size_t row = 0; rows.isNumeric(column) && row < rows.rows(); ++row) {
        if (rows.isNull(row, column))
            continue;
        const double value = rows.number(row, column);
        if (!least || value < rows.number(*least, column))
            least = row;
        if (!greatest || value > rows.number(*greatest, column))
            greatest = row;
    }
    return least ? std::vector{*least, *greatest} : std::vector<std::size_t>();
}

TableHead queryHead(const QueryRows& rows, std::size_t column) {
    TableHead head;
    head.title = shownLine(rows.names()[column]);
    head.isNumber = rows.isNumeric(column);
    QStringList texts{head.title};
    for (std::size_t row = 0; row < std::min(kMeasuredRows, rows.rows()); ++row)
        texts.push_back(queryCell(rows.value(row, column)));
    for (const std::size_t row : extremeRows(rows, column))
        texts.push_back(queryCell(rows.value(row, column)));
    head.width = std::clamp(widestOf(texts, Theme::instance()->secondarySize()) + kCellPadding,
        kLeastWidth, Theme::instance()->grown(kMostWidth));
    return head;
}

TableRow queryRow(const QueryRows& rows, std::size_t at) {
    TableRow row;
    for (std::size_t column = 0; column < rows.columns(); ++column) {
        row.cells.push_back(queryCell(rows.value(at, column)));
        row.missing.push_back(rows.isNull(at, column));
    }
    row.name = row.cells.value(0);
    row.spoken = row.cells.mid(1).join(QStringLiteral(", "));
    return row;
}

text::Table copiedRows(const QueryRows& rows, const std::vector<std::int64_t>& places) {
    text::Table table;
    for (const std::string& name : rows.names())
        table.columns.push_back({name});
    for (const std::int64_t place : places) {
        std::vector<text::Cell> cells;
        for (const auto& value : rows.row(static_cast<std::size_t>(place)))
            cells.emplace_back(report::plainText(value));
        table.add(std::move(cells));
    }
    return table;
}

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

void QueryRows::begin(std::vector<std::string> names) {
    *this = {};
    m_numeric.assign(names.size(), true);
    m_names = std::move(names);
}

bool QueryRows::add(const std::vector<store::SqlValue>& values) {
    m_isCut = m_rows >= kMostRows || m_cells.size() + values.size() > kMostCells
        || m_textBytes > kMostText;
    if (m_isCut)
        return false;
    for (std::size_t i = 0; i < values.size(); ++i) {
        Cell& cell = m_cells.emplace_back();
        cell.type = values[i].type;
        if (cell.type == Type::Integer)
            cell.integer = values[i].integer;
        else if (cell.type == Type::Real)
            cell.real = values[i].real;
        else if (cell.type != Type::Null)
            cell.text = placeOf(values[i].text);
        m_numeric[i] = m_numeric[i] && cell.type != Type::Text && cell.type != Type::Blob;
    }
    ++m_rows;
    return true;
}

std::uint64_t QueryRows::placeOf(const std::string& text) {
    const auto [place, isNew] = m_places.try_emplace(text, m_texts.size());
    if (isNew) {
        m_texts.push_back(place->first);
        m_textBytes += text.size() + kTextOverhead;
    }
    return place->second;
}

bool QueryRows::isNumber(std::size_t row, std::size_t column) const {
    const Type type = at(row, column).type;
    return type == Type::Integer || type == Type::Real;
}

double QueryRows::number(std::size_t row, std::size_t column) const {
    const Cell& cell = at(row, column);
    if (cell.type == Type::Integer)
        return static_cast<double>(cell.integer);
    return cell.type == Type::Real ? cell.real : std::numeric_limits<double>::quiet_NaN();
}

store::SqlValue QueryRows::value(std::size_t row, std::size_t column) const {
    const Cell& cell = at(row, column);
    store::SqlValue value;
    value.type = cell.type;
    if (cell.type == Type::Integer)
        value.integer = cell.integer;
    else if (cell.type == Type::Real)
        value.real = cell.real;
    else if (cell.type != Type::Null)
        value.text = m_texts[cell.text];
    return value;
}

std::vector<store::SqlValue> QueryRows::row(std::size_t row) const {
    std::vector<store::SqlValue> values;
    for (std::size_t column = 0; column < columns(); ++column)
        values.push_back(value(row, column));
    return values;
}

// Neither is NULL.
bool QueryRows::isLess(const Cell& a, const Cell& b) const {
    const auto isText
        = [](const Cell& cell) { return cell.type == Type::Text || cell.type == Type::Blob; };
    const auto real = [](const Cell& cell) {
        return cell.type == Type::Integer ? static_cast<double>(cell.integer) : cell.real;
    };
    if (isText(a) != isText(b))
        return isText(b);
    if (isText(a))
        return m_texts[a.text] < m_texts[b.text];
    if (a.type == Type::Integer && b.type == Type::Integer)
        return a.integer < b.integer;
    return real(a) < real(b);
}

std::vector<std::uint32_t> QueryRows::sorted(std::size_t column, bool isDescending) const {
    std::vector<std::uint32_t> order(m_rows);
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, [&](std::uint32_t left, std::uint32_t right) {
        const Cell& a = at(left, column);
        const Cell& b = at(right, column);
        if (a.type == Type::Null || b.type == Type::Null)
            return a.type != Type::Null && b.type == Type::Null;
        return isDescending ? isLess(b, a) : isLess(a, b);
    });
    return order;
}

TableContent queryContent(const QueryRowsPtr& rows) {
    TableContent content;
    content.isOther = true;
    if (!rows)
        return content;
    for (std::size_t column = 0; column < rows->columns(); ++column)
        content.heads.push_back(queryHead(*rows, column));
    content.rows = rowsInOrder(rows->rows());
    content.canBeUnsorted = true;
    content.row = [rows](std::int64_t at) { return queryRow(*rows, static_cast<std::size_t>(at)); };
    content.copied = [rows](const auto& places) { return copiedRows(*rows, places); };
    return content;
}

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
