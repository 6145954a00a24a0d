#include "app/viewmodels/runs/RunsController.h"

#include "app/viewmodels/text/Texts.h"
#include "app/viewmodels/window/Theme.h"
#include "core/store/RunNotes.h"

#include <QJsonArray>

namespace trainscope::app {
namespace {

constexpr double kNarrowestColumn = 56.0;
constexpr double kNarrowestLabel = 128.0; // an editable one
constexpr double kWidestText = 240.0;
constexpr double kWidestName = 320.0;
constexpr double kCellMargins = 20.0;
constexpr std::string_view kLength = "duration_s"; // column
constexpr double kSortMark = 14.0;
constexpr double kRunMark = 24.0; // before the name
constexpr int kDigits = 4;
const QString kNotYet = QStringLiteral("…");

// Content of the table: the columns and rows by their places in runColumns() and among the runs.
struct RunTableView {
    const std::vector<report::RunRecord>* runs = nullptr; // asked as long as the content is shown
    std::vector<std::size_t> columns;
    std::vector<std::size_t> rows;
    std::size_t sortColumn = 0;
    bool isDescending = false;
};

text::ShownUnit runUnitFor(const report::RunColumn& column, double magnitude) {
    if (column.unit == "%")
        return {"%", 100.0};
    if (column.unit == "1" || column.unit.starts_with("1/"))
        return column.isWhole ? text::ShownUnit{} : text::shownCount(magnitude);
    // Lengths of runs are told as everywhere: "2 h 41 min".
    return column.key == kLength ? text::ShownUnit{} : text::shownUnit(column.unit, magnitude);
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
        return QString::fromStdString(column.key == kLength ? text::seconds(*number)
                : column.isWhole                            ? std::to_string(std::llround(*number))
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
        theme.grown(isName ? kWidestName : kWidestText));
    return head;
}

// Numbers of a column are in one unit, that of its largest; names are without what all runs share.
// No row is chosen yet.
TableContent runContent(const RunTableView& view) {
    std::vector<text::Named> names;
    for (const auto& run : *view.runs)
        names.push_back(namedRun(run.run));
    auto shown = std::make_shared<ShownRuns>();
    shown->runs = view.runs;
    shown->names = text::fittedNames(text::tellingNames(names), [](std::string_view one) {
        return widestOf({textOf(one)}, Theme::instance()->bodySize())
            <= Theme::instance()->grown(kWidestName) - kRunMark - kCellMargins;
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

// So long a batch of runs is measured before the table shows them.
constexpr std::chrono::milliseconds kBatchTime{400};

const QString kColumnsKey = QStringLiteral("columns");
const QString kSortKey = QStringLiteral("sort");
const QString kDescendingKey = QStringLiteral("descending");
const QString kExpressionKey = QStringLiteral("expression");

std::vector<std::size_t> usualColumns() {
    std::vector<std::size_t> columns;
    const auto& all = report::runColumns();
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].isUsual)
            columns.push_back(i);
    }
    return columns;
}

// A batch of figures, and what could not be measured.
struct Measured {
    std::vector<analysis::RunQuantities> figures;
    std::map<RunId, Error> unreadable;
};

Result<Measured> measureBatch(const store::Store& store,
    const std::vector<analysis::UnmeasuredRun>& runs, std::size_t all, const Progress& progress) {
    using Clock = std::chrono::steady_clock;
    const auto until = Clock::now() + kBatchTime;
    const std::size_t before = all - runs.size();
    Measured made;
    for (std::size_t i = 0; i < runs.size() && (i == 0 || Clock::now() < until); ++i) {
        const auto report = [&](const ProgressState& state) {
            return !progress || progress({state.phase, before + i, all});
        };
        auto figures = analysis::measureQuantities(store, runs[i], report);
        if (figures.hasValue())
            made.figures.push_back(std::move(figures).value());
        else if (figures.error().code == ErrorCode::Cancelled)
            return figures.error();
        else
            made.unreadable.emplace(runs[i].run.id, figures.error());
    }
    return made;
}

} // namespace

RunsController::RunsController(QObject* parent)
    : DatabaseView(parent)
    , m_columns(usualColumns()) {
    m_filter = report::parseRunExpression({}).value();
    connect(&m_table, &TableModel::sortWanted, this, &RunsController::sortBy);
    connect(&m_labelling, &RunLabelling::changed, this, &RunsController::labelsChanged);
    connect(&m_labelling, &RunLabelling::failed, this, [this](const Error& error) {
        if (views() != nullptr)
            views()->report(error);
    });
}

void RunsController::restore() {
    const QJsonObject saved = savedSettings(Views::Runs);
    m_columns.clear();
    for (const auto& key : saved.value(kColumnsKey).toArray()) {
        const auto place = report::runColumnIndex(key.toString().toStdString());
        if (place && std::ranges::find(m_columns, *place) == m_columns.end())
            m_columns.push_back(*place);
    }
    if (m_columns.empty() || m_columns.front() != 0)
        m_columns = usualColumns();
    m_sortColumn
        = report::runColumnIndex(saved.value(kSortKey).toString().toStdString()).value_or(0);
    m_isDescending = saved.value(kDescendingKey).toBool();
    m_expression = saved.value(kExpressionKey).toString();
    applyExpression();
    refresh();
}

void RunsController::keepSettings() {
    QJsonArray keys;
    for (const std::size_t column : m_columns)
        keys.append(QString::fromStdString(report::runColumns()[column].key));
    saveSettings(Views::Runs,
        {{kColumnsKey, keys},
            {kSortKey, QString::fromStdString(report::runColumns()[m_sortColumn].key)},
            {kDescendingKey, m_isDescending}, {kExpressionKey, m_expression}});
}

void RunsController::forget() {
    auto* open = workspace();
    if (open != nullptr)
        connect(open, &Workspace::labelsChanged, this, &RunsController::refreshLabels,
            Qt::UniqueConnection);
    m_labelling.setWorkspace(open);
    m_runs.clear();
    m_unmeasured.clear();
    m_unreadable.clear();
    m_toKeep.clear();
    m_keepProblem.clear();
    m_rangeBegin.reset();
    m_isKeptRead = false;
    if (open != nullptr) {
        for (const Run& run : open->runs())
            m_runs.emplace_back(run, open->folder(run.id), open->labels(run.id));
    }
    refresh();
}

void RunsController::load() {
    refreshChosen();
    if (workspace() == nullptr || !isActive() || isLoading() || isStopped())
        return;
    if (!m_isKeptRead)
        readKept();
    else if (!m_unmeasured.empty())
        measureNext();
}

// Their figures are kept when the run is finished: the recorder writes meanwhile.
void RunsController::readGrowth() {
    for (report::RunRecord& record : m_runs) {
        if (const Run* run = workspace()->findRun(record.run.id))
            record.run = *run;
    }
    refresh();
    if (!m_isKeptRead || !m_unmeasured.empty())
        return;
    readQuietly<Quantities>(
        [runs = workspace()->runs()](
            const store::Store& store, const Progress& progress) -> Result<Quantities> {
            ASSIGN_OR_RETURN(auto kept, analysis::knownQuantities(store, runs));
            for (const analysis::UnmeasuredRun& run : kept.unknown) {
                auto figures = analysis::measureQuantities(store, run, progress);
                if (figures.hasValue())
                    kept.known.push_back(std::move(figures).value());
                else if (figures.error().code == ErrorCode::Cancelled)
                    return figures.error();
            }
            return std::move(kept.known);
        },
        [this](const Quantities& figures) { takeFigures(figures); });
}

void RunsController::readKept() {
    read<analysis::KnownQuantities>(
        {},
        [runs = workspace()->runs()](const store::Store& store, const Progress&) {
            return analysis::knownQuantities(store, runs);
        },
        [this](const analysis::KnownQuantities& kept) {
            m_isKeptRead = true;
            m_unmeasured = kept.unknown;
            takeFigures(kept.known);
            load();
        });
}

void RunsController::measureNext() {
    read<Measured>(
        {},
        [runs = m_unmeasured, all = m_runs.size()](const store::Store& store,
            const Progress& progress) { return measureBatch(store, runs, all, progress); },
        [this](const Measured& measured) {
            const std::size_t count = measured.figures.size() + measured.unreadable.size();
            m_unmeasured.erase(m_unmeasured.begin(),
                m_unmeasured.begin()
                    + static_cast<std::ptrdiff_t>(std::min(count, m_unmeasured.size())));
            for (const auto& [run, error] : measured.unreadable)
                m_unreadable[run] = shownText(error);
            takeFigures(measured.figures);
            keepFigures(measured.figures);
            load();
        });
}

void RunsController::takeFigures(const Quantities& figures) {
    std::map<RunId, const analysis::RunQuantities*> byRun;
    for (const auto& one : figures)
        byRun[one.run] = &one;
    for (report::RunRecord& run : m_runs) {
        if (const auto found = byRun.find(run.run.id); found != byRun.end()) {
            run.figures = *found->second;
            m_unreadable.erase(run.run.id);
        }
    }
    refresh();
}

void RunsController::keepFigures(const Quantities& figures) {
    for (const auto& one : figures)
        m_toKeep.push_back(analysis::keptFrom(one));
    if (m_toKeep.empty() || !m_keepProblem.isEmpty())
        return;
    workspace()->change([kept = std::exchange(m_toKeep, {})](
                            store::Store& store) { return store::keepFigures(store, kept); },
        [self = QPointer(this)](const Status& written) {
            if (!self || written.hasValue())
                return;
            self->m_keepProblem
                = QStringLiteral("The figures cannot be kept and will be computed again: %1")
                      .arg(QString::fromStdString(written.error().message));
            Q_EMIT self->tableChanged();
        });
}

void RunsController::refreshLabels() {
    if (workspace() == nullptr)
        return;
    for (report::RunRecord& run : m_runs)
        run.labels = workspace()->labels(run.run.id);
    refresh();
}

void RunsController::setExpression(const QString& expression) {
    if (expression == std::exchange(m_expression, expression))
        return;
    applyExpression();
    if (m_expressionError.isEmpty())
        refresh();
    keepSettings();
}

void RunsController::applyExpression() {
    auto parsed = report::parseRunExpression(m_expression.toStdString());
    m_expressionError
        = parsed.hasValue() ? QString() : QString::fromStdString(parsed.error().message);
    if (parsed.hasValue())
        m_filter = std::move(parsed).value();
    Q_EMIT expressionChanged();
}

std::vector<std::size_t> RunsController::listedRows() const {
    std::vector<std::size_t> rows = report::sortedRuns(m_runs, m_sortColumn, m_isDescending);
    std::erase_if(rows, [this](std::size_t row) { return !m_filter.holds(m_runs[row]); });
    return rows;
}

void RunsController::refresh() {
    auto content = runContent({&m_runs, m_columns, listedRows(), m_sortColumn, m_isDescending});
    content.row = [this, known = content.row](std::int64_t at) {
        TableRow row = known(at);
        complete(m_runs[static_cast<std::size_t>(at)], row);
        return row;
    };
    m_table.show(std::move(content));
    Q_EMIT tableChanged();
    Q_EMIT chosenChanged();
}

void RunsController::complete(const report::RunRecord& run, TableRow& row) const {
    const auto why = m_unreadable.find(run.run.id);
    for (std::size_t i = 0; why != m_unreadable.end() && i < m_columns.size(); ++i) {
        if (!report::runColumns()[m_columns[i]].isMeasured)
            continue;
        const auto column = static_cast<qsizetype>(i);
        row.cells[column] = QString::fromUtf8(text::kMissing);
        row.tips[column] = why->second;
    }
    if (workspace() == nullptr)
        return;
    for (const auto& shown : workspace()->shownRuns()) {
        if (shown.id == run.run.id) {
            row.isChosen = true;
            row.mark = Theme::instance()->seriesColor(static_cast<int>(shown.color));
        }
    }
}

void RunsController::refreshChosen() {
    m_table.changed();
    Q_EMIT chosenChanged();
}

QString RunsController::headline() const {
    const auto all = static_cast<int>(m_runs.size());
    const QString runs = countedText(all, "run");
    return m_table.count() == all ? runs
                                  : QStringLiteral("%1 of %2").arg(m_table.count()).arg(runs);
}

QString RunsController::emptyTitle() const {
    if (workspace() == nullptr || m_table.count() > 0)
        return {};
    return m_runs.empty() ? noRunsText() : QStringLiteral("No run meets the filter.");
}

QString RunsController::measuringText() const {
    if (!isLoading() || m_unmeasured.empty())
        return {};
    if (m_runs.size() == 1)
        return QStringLiteral("Measuring the run");
    return QStringLiteral("%1 of %2 runs measured")
        .arg(m_runs.size() - m_unmeasured.size())
        .arg(m_runs.size());
}

QString RunsController::notes() const {
    QStringList notes;
    if (m_filter.asksMeasured && !m_unmeasured.empty())
        notes.append(m_unmeasured.size() == 1
                ? QStringLiteral(
                    "1 run is not measured yet: the filter cannot tell whether it belongs here.")
                : QStringLiteral(
                    "%1 runs are not measured yet: the filter cannot tell whether they belong "
                    "here.")
                      .arg(m_unmeasured.size()));
    if (!m_unreadable.empty())
        notes.append(m_unreadable.size() == 1
                ? QStringLiteral("1 run could not be measured: its cells say why.")
                : QStringLiteral("%1 runs could not be measured: their cells say why.")
                      .arg(m_unreadable.size()));
    if (!m_keepProblem.isEmpty())
        notes.append(m_keepProblem);
    return notes.join(QLatin1Char('\n'));
}

QList<bool> RunsController::columnsShown() const {
    QList<bool> shown(static_cast<qsizetype>(report::runColumns().size()), false);
    for (const std::size_t column : m_columns)
        shown[static_cast<qsizetype>(column)] = true;
    return shown;
}

void RunsController::toggleColumn(int column) {
    const auto place = static_cast<std::size_t>(column);
    if (column <= 0 || place >= report::runColumns().size())
        return;
    if (std::erase(m_columns, place) == 0)
        m_columns.insert(std::ranges::upper_bound(m_columns, place), place);
    keepSettings();
    refresh();
}

void RunsController::showColumn(const QString& key) {
    const auto place = report::runColumnIndex(key.toStdString());
    if (place && std::ranges::find(m_columns, *place) == m_columns.end())
        toggleColumn(static_cast<int>(*place));
}

void RunsController::showUsualColumns() {
    m_columns = usualColumns();
    keepSettings();
    refresh();
}

void RunsController::sortBy(int head, bool isDescending) {
    m_sortColumn = m_columns[static_cast<std::size_t>(head)];
    m_isDescending = isDescending;
    keepSettings();
    refresh();
}

std::optional<RunId> RunsController::runAt(int row) const {
    const auto place = m_table.rowAt(row);
    return place ? std::optional(m_runs[static_cast<std::size_t>(*place)].run.id) : std::nullopt;
}

void RunsController::chooseOnly(int row) {
    beginRange(row);
    if (m_rangeBegin && workspace() != nullptr)
        workspace()->showOnly({*m_rangeBegin});
}

void RunsController::toggle(int row) {
    beginRange(row);
    if (m_rangeBegin && workspace() != nullptr)
        workspace()->toggleShown({*m_rangeBegin});
}

void RunsController::chooseRange(int row, bool besideOthers) {
    if (!m_table.isThere(row) || workspace() == nullptr)
        return;
    const int begin = m_rangeBegin ? rowOf(m_rangeBegin->value) : -1;
    const auto [first, last] = std::minmax(begin < 0 ? row : begin, row);
    std::vector<RunId> runs;
    for (int at = first; at <= last; ++at)
        runs.push_back(*runAt(at));
    if (besideOthers)
        workspace()->showBeside(runs);
    else
        workspace()->showOnly(runs);
}

void RunsController::chooseAll() {
    std::vector<RunId> runs;
    for (const std::int64_t row : m_table.rows())
        runs.push_back(m_runs[static_cast<std::size_t>(row)].run.id);
    if (workspace() != nullptr)
        workspace()->showOnly(runs);
}

void RunsController::open(Views::View view) {
    if (views() != nullptr)
        views()->openWithShownRuns(view);
}

void RunsController::predict() {
    if (workspace() != nullptr && !workspace()->shownRuns().empty())
        views()->predict(workspace()->shownRuns().front().id);
}

// Chosen runs may be among those that the filter leaves out.
QString RunsController::chosenText() const {
    const int chosen = chosenCount();
    const auto ids = chosenIds();
    const std::set<RunId> isChosen(ids.begin(), ids.end());
    const auto listed = static_cast<int>(
        std::ranges::count_if(m_table.rows(), [this, &isChosen](std::int64_t row) {
            return isChosen.contains(m_runs[static_cast<std::size_t>(row)].run.id);
        }));
    const QString text = QStringLiteral("%1 chosen").arg(chosen);
    return listed == chosen
        ? text
        : QStringLiteral("%1, %2 of them not listed").arg(text).arg(chosen - listed);
}

QString RunsController::labelText(int row, const QString& key) const {
    const auto run = runAt(row);
    if (!run || workspace() == nullptr)
        return {};
    const auto labels = workspace()->labels(*run);
    if (key == QLatin1String("note"))
        return QString::fromStdString(labels.note);
    return listOf(labels.tags).join(QStringLiteral(", "));
}

qlonglong RunsController::runIdAt(int row) const {
    return runAt(row).value_or(RunId{0}).value;
}

int RunsController::rowOf(qlonglong run) const {
    int row = 0;
    while (const auto at = runAt(row)) {
        if (at->value == run)
            return row;
        ++row;
    }
    return -1;
}

void RunsController::setLabel(qlonglong run, const QString& key, const QString& text) {
    if (key == QLatin1String("tags"))
        m_labelling.setTags(RunId{run}, text);
    else if (key == QLatin1String("note"))
        m_labelling.setNote(RunId{run}, text);
}

text::Table RunsController::chosenTable() const {
    auto rows = listedRows();
    const auto chosen = chosenIds();
    std::erase_if(rows, [&](std::size_t row) {
        return std::ranges::find(chosen, m_runs[row].run.id) == chosen.end();
    });
    return report::runsTable(m_runs, rows, m_columns);
}

ExportJob RunsController::exportJob() const {
    figures::Figure figure;
    figure.csv = [text = csv().toStdString()] { return text; };
    return exportJobOf(Views::keyOf(Views::Runs), std::move(figure));
}

QString RunsController::expressionHelp() const {
    QStringList words;
    for (const auto& column : report::runColumns()) {
        if (column.isUsual && column.words.size() > 1)
            words.append(QString::fromStdString(column.words[1]));
        else if (column.isUsual)
            words.append(QString::fromStdString(column.words.front()));
    }
    return QStringLiteral(
        "power > 600 and model ~ llama\n"
        "status = ok and not (throttled > 5 % or step >= 2 s)\n"
        "tag = paper or note ~ \"fan 3\"\n\n"
        "= != < <= > >= compare, ~ and !~ look for a part of a text. and, or, not and ( ) join.\n"
        "Numbers are in SI units unless a unit follows: 0.6 kW, 250 ms, 5 %.\n"
        "step = missing finds runs without a value.\n\n"
        "Columns: %1; tp pp dp cp ep gpus nodes gpu micro_batch global_batch mfu energy "
        "duration folder and all others.")
        .arg(words.join(QLatin1Char(' ')));
}

} // namespace trainscope::app
