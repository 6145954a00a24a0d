#include "app/viewmodels/runs/RunTableModel.h"

#include "app/viewmodels/window/Theme.h"
#include "core/text/Numbers.h"
#include "core/text/SharedWords.h"

#include <QFontMetricsF>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace trainscope::app {

namespace {

constexpr double kNarrowestColumn = 56.0;
constexpr double kNarrowestLabel = 128.0; // that is written in
constexpr double kWidestText = 240.0;
constexpr double kWidestName = 320.0;
constexpr double kCellMargins = 20.0;
constexpr double kSortMark = 14.0;
constexpr double kRunMark = 24.0; // before the name
constexpr int kDigits = 4;
const QString kNotYet = QStringLiteral("…");

// A column of the table: its values in words.
struct ColumnTexts {
    RunTableHead head;
    QStringList cells;
    QStringList whys;
};

text::ShownUnit unitFor(const report::RunColumn& column, double magnitude) {
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

QStringList shortNames(const RunTableView& view) {
    std::vector<std::string> names;
    for (const auto& run : *view.runs)
        names.push_back(run.run.name);
    const auto shared = text::sharedWords(names);
    QStringList shortened;
    for (const std::size_t row : view.rows)
        shortened.append(QString::fromStdString(text::withoutShared(names[row], shared)));
    return shortened;
}

double widthOf(const ColumnTexts& column, bool isName) {
    const Theme& theme = *Theme::instance();
    QFont font(theme.fontFamily());
    font.setPixelSize(theme.bodySize());
    const QFontMetricsF body(font);
    font.setPixelSize(theme.smallSize());
    const QFontMetricsF small(font);
    double widest = std::max(small.horizontalAdvance(column.head.title) + kSortMark,
        small.horizontalAdvance(column.head.unit));
    for (const QString& cell : column.cells)
        widest = std::max(widest, body.horizontalAdvance(cell));
    const double most = isName ? kWidestName : kWidestText;
    const double room = kCellMargins + (isName ? kRunMark : 0.0);
    const double least = column.head.isEditable ? kNarrowestLabel : kNarrowestColumn;
    return std::clamp(std::ceil(widest + room), least, most);
}

ColumnTexts textsOf(const RunTableView& view, std::size_t place) {
    const report::RunColumn& column = report::runColumns()[place];
    const bool isName = column.key == "name";
    const auto unit
        = column.isNumber ? unitFor(column, largestOf(view, column)) : text::ShownUnit{};
    ColumnTexts texts;
    texts.head.title = QString::fromStdString(column.title);
    texts.head.unit = QString::fromStdString(unit.unit);
    texts.head.definition = QString::fromStdString(column.definition);
    texts.head.key = QString::fromStdString(column.key);
    texts.head.isNumber = column.isNumber;
    texts.head.isEditable = column.key == "tags" || column.key == "note";
    if (place == view.sortColumn)
        texts.head.order = view.isDescending ? -1 : 1;
    const QStringList names = isName ? shortNames(view) : QStringList();
    for (std::size_t i = 0; i < view.rows.size(); ++i) {
        const auto& run = (*view.runs)[view.rows[i]];
        texts.cells.append(
            isName ? names[static_cast<qsizetype>(i)] : textOfCell(column, run, unit));
        texts.whys.append(QString::fromStdString(column.absentWhy(run)));
    }
    texts.head.width = widthOf(texts, isName);
    return texts;
}

} // namespace

RunTableHeads::RunTableHeads(QObject* parent)
    : RowListModel({{"title", &RunTableHead::title}, {"unit", &RunTableHead::unit},
                       {"definition", &RunTableHead::definition}, {"key", &RunTableHead::key},
                       {"number", &RunTableHead::isNumber}, {"editable", &RunTableHead::isEditable},
                       {"cellWidth", &RunTableHead::width}, {"order", &RunTableHead::order}},
        parent) { }

int RunTableHeads::columnAt(double x) const {
    double left = 0.0;
    for (int column = 0; column < count(); ++column) {
        const double right = left + rows()[static_cast<std::size_t>(column)].width;
        if (x >= left && x < right)
            return column;
        left = right;
    }
    return -1;
}

double RunTableHeads::leftOf(const QString& key) const {
    double left = 0.0;
    for (const RunTableHead& head : rows()) {
        if (head.key == key)
            return left;
        left += head.width;
    }
    return -1.0;
}

double RunTableHeads::widthOf(const QString& key) const {
    const auto head = std::find_if(
        rows().begin(), rows().end(), [&key](const RunTableHead& one) { return one.key == key; });
    return head == rows().end() ? 0.0 : head->width;
}

QString RunTableHeads::editableAt(double x) const {
    const int column = columnAt(x);
    if (!isThere(column))
        return {};
    const RunTableHead& head = rows()[static_cast<std::size_t>(column)];
    return head.isEditable ? head.key : QString();
}

RunTableModel::RunTableModel(QObject* parent)
    : RowListModel(
        {{"name", &RunTableRow::name}, {"cells", &RunTableRow::cells}, {"whys", &RunTableRow::whys},
            {"description",
                [](const RunTableRow& row) { return row.cells.join(QStringLiteral(", ")); }},
            {"shown", [](const RunTableRow& row) { return row.colorIndex >= 0; }},
            {"colorIndex", &RunTableRow::colorIndex}},
        parent) { }

void RunTableModel::setTable(std::vector<RunTableRow> rows) {
    setRows(std::move(rows));
}

RunTableContent tableContent(const RunTableView& view) {
    RunTableContent content;
    for (const std::size_t row : view.rows) {
        const auto& run = (*view.runs)[row].run;
        content.rows.push_back({run.id, QString::fromStdString(run.name), {}, {}, -1});
    }
    for (const std::size_t place : view.columns) {
        ColumnTexts column = textsOf(view, place);
        content.heads.push_back(column.head);
        for (std::size_t i = 0; i < content.rows.size(); ++i) {
            content.rows[i].cells.append(column.cells[static_cast<qsizetype>(i)]);
            content.rows[i].whys.append(column.whys[static_cast<qsizetype>(i)]);
        }
    }
    return content;
}

} // namespace trainscope::app
