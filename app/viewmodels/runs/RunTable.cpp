#include "app/viewmodels/runs/RunTable.h"

#include "app/viewmodels/text/RunWording.h"
#include "app/viewmodels/text/Texts.h"
#include "app/viewmodels/window/Theme.h"
#include "core/text/Names.h"
#include "core/text/Numbers.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace trainscope::app {

namespace {

constexpr double kNarrowestColumn = 56.0;
constexpr double kNarrowestLabel = 128.0; // an editable one
constexpr double kWidestText = 240.0;
constexpr double kWidestName = 320.0;
constexpr double kCellMargins = 20.0;
constexpr double kSortMark = 14.0;
constexpr double kRunMark = 24.0; // before the name
constexpr int kDigits = 4;
const QString kNotYet = QStringLiteral("…");

text::ShownUnit runUnitFor(const report::RunColumn& column, double magnitude) {
    if (column.unit == "%")
        return {"%", 100.0};
    if (column.unit == "1" || column.unit.starts_with("1/"))
        return column.isWhole ? text::ShownUnit{} : text::shownCount(magnitude);
    return text::shownUnit(column.unit, magnitude);
}

double largestOf(const RunTableView& view, const report::RunColumn& column) {
    double largest = 0.0;
    for (const std::size_t row : view.rows) {
        const auto value = column.value((*view.runs)[row]);
        if (const auto* number = std::get_if<double>(&value))
            largest = std::max(largest, std::abs(*number));
    }
    return largest;
}

QString textOfCell(
    const report::RunColumn& column, const report::RunRecord& run, const text::ShownUnit& unit) {
    const auto value = column.value(run);
    if (const auto* number = std::get_if<double>(&value))
        return QString::fromStdString(column.isWhole ? std::to_string(std::llround(*number))
                                                     : text::number(*number * unit.scale, kDigits));
    if (!report::isMissing(value))
        return QString::fromStdString(column.cell(run).inWords({column.title}, text::Digits::Four));
    const bool isLabel = column.key == "tags" || column.key == "note";
    if (isLabel)
        return {};
    return column.isMeasured && !run.figures ? kNotYet : QString::fromUtf8(text::kMissing);
}

struct ShownColumn {
    std::size_t place = 0; // in runColumns()
    text::ShownUnit unit;
};

// Content of rows, made once.
struct ShownRuns {
    const std::vector<report::RunRecord>* runs = nullptr;
    std::vector<ShownColumn> columns;
    std::vector<std::string> names; // by run
};

QString cellOf(const ShownRuns& shown, const ShownColumn& column, std::size_t row) {
    const report::RunRecord& run = (*shown.runs)[row];
    const report::RunColumn& of = report::runColumns()[column.place];
    return of.key == "name" ? QString::fromStdString(shown.names[row])
                            : textOfCell(of, run, column.unit);
}

TableRow runRow(const ShownRuns& shown, std::size_t place) {
    const report::RunRecord& run = (*shown.runs)[place];
    TableRow row;
    row.name = QString::fromStdString(run.run.name);
    for (const ShownColumn& column : shown.columns) {
        row.cells.append(cellOf(shown, column, place));
        row.tips.append(QString::fromStdString(report::runColumns()[column.place].absentWhy(run)));
    }
    if (row.cells.front() != row.name)
        row.tips.front() = row.name;
    row.spoken = row.cells.join(QStringLiteral(", "));
    return row;
}

TableHead headOf(const ShownRuns& shown, const ShownColumn& column, const RunTableView& view) {
    const report::RunColumn& of = report::runColumns()[column.place];
    TableHead head;
    head.title = QString::fromStdString(of.title);
    head.unit = QString::fromStdString(column.unit.unit);
    head.tip = QString::fromStdString(of.definition);
    head.key = QString::fromStdString(of.key);
    head.isNumber = of.isNumber;
    head.isEditable = of.key == "tags" || of.key == "note";
    head.isLargestFirst = of.isMeasured;
    QStringList cells;
    for (const std::size_t row : view.rows)
        cells.append(cellOf(shown, column, row));
    const Theme& theme = *Theme::instance();
    const bool isName = of.key == "name";
    const double widest = std::max(
        {widestOf(cells, theme.bodySize()), widestOf({head.title}, theme.smallSize()) + kSortMark,
            widestOf({head.unit}, theme.smallSize())});
    const double least = head.isEditable ? kNarrowestLabel : kNarrowestColumn;
    head.width = std::clamp(std::ceil(widest + kCellMargins + (isName ? kRunMark : 0.0)), least,
        isName ? kWidestName : kWidestText);
    return head;
}

} // namespace

TableContent runContent(const RunTableView& view) {
    std::vector<text::Named> names;
    for (const auto& run : *view.runs)
        names.push_back(namedRun(run.run));
    auto shown = std::make_shared<ShownRuns>();
    shown->runs = view.runs;
    shown->names = text::fittedNames(text::tellingNames(names), [](std::string_view one) {
        return widestOf({textOf(one)}, Theme::instance()->bodySize())
            <= kWidestName - kRunMark - kCellMargins;
    });
    TableContent content;
    content.isDescending = view.isDescending;
    for (const std::size_t place : view.columns) {
        const report::RunColumn& column = report::runColumns()[place];
        shown->columns.push_back({place,
            column.isNumber ? runUnitFor(column, largestOf(view, column)) : text::ShownUnit{}});
        if (place == view.sortColumn)
            content.sortColumn = static_cast<int>(content.heads.size());
        content.heads.push_back(headOf(*shown, shown->columns.back(), view));
    }
    content.rows.assign(view.rows.begin(), view.rows.end());
    content.row
        = [shown](std::int64_t row) { return runRow(*shown, static_cast<std::size_t>(row)); };
    return content;
}

} // namespace trainscope::app
