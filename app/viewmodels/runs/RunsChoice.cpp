// The part of RunsController that knows which rows are chosen: what becomes of them in other views,
// what is said of them, and what of the table is written out.
#include "app/viewmodels/runs/RunsController.h"

#include "app/viewmodels/text/TabbedText.h"
#include "app/viewmodels/workspace/ShownRuns.h"

#include <algorithm>
#include <set>
#include <utility>

namespace trainscope::app {

std::optional<RunId> RunsController::runAt(int row) const {
    const auto place = m_table.rowAt(row);
    return place ? std::optional(m_runs[static_cast<std::size_t>(*place)].run.id) : std::nullopt;
}

void RunsController::beginRange(int row) {
    m_rangeBegin = runAt(row);
}

void RunsController::chooseOnly(int row) {
    beginRange(row);
    if (m_rangeBegin && workspace() != nullptr)
        showOnly(*workspace(), {*m_rangeBegin});
}

void RunsController::toggle(int row) {
    beginRange(row);
    if (m_rangeBegin && workspace() != nullptr)
        toggleShown(*workspace(), {*m_rangeBegin});
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
        showBeside(*workspace(), runs);
    else
        showOnly(*workspace(), runs);
}

void RunsController::chooseAll() {
    std::vector<RunId> runs;
    for (const std::int64_t row : m_table.rows())
        runs.push_back(m_runs[static_cast<std::size_t>(row)].run.id);
    if (workspace() != nullptr)
        showOnly(*workspace(), runs);
}

void RunsController::open(Views::View view) {
    if (views() != nullptr)
        views()->openWithShownRuns(view);
}

void RunsController::predict() {
    if (workspace() != nullptr && !workspace()->shownRuns().empty())
        views()->predict(workspace()->shownRuns().front().id);
}

int RunsController::chosenCount() const {
    return workspace() == nullptr ? 0 : static_cast<int>(workspace()->shownRuns().size());
}

// Chosen runs may be among those that the filter leaves out.
QString RunsController::chosenText() const {
    const int chosen = chosenCount();
    const auto ids = chosenIds();
    const std::set<RunId> isChosen(ids.begin(), ids.end());
    const auto listed = static_cast<int>(std::count_if(
        m_table.rows().begin(), m_table.rows().end(), [this, &isChosen](std::int64_t row) {
            return isChosen.contains(m_runs[static_cast<std::size_t>(row)].run.id);
        }));
    const QString text = QStringLiteral("%1 chosen").arg(chosen);
    return listed == chosen
        ? text
        : QStringLiteral("%1, %2 of them not listed").arg(text).arg(chosen - listed);
}

std::vector<RunId> RunsController::chosenIds() const {
    std::vector<RunId> runs;
    if (workspace() != nullptr) {
        for (const auto& shown : workspace()->shownRuns())
            runs.push_back(shown.id);
    }
    return runs;
}

QString RunsController::labelText(int row, const QString& key) const {
    const auto run = runAt(row);
    if (!run || workspace() == nullptr)
        return {};
    const auto labels = workspace()->labels(*run);
    if (key == QLatin1String("note"))
        return QString::fromStdString(labels.note);
    QStringList tags;
    for (const std::string& tag : labels.tags)
        tags.append(QString::fromStdString(tag));
    return tags.join(QStringLiteral(", "));
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

void RunsController::tagChosen(const QString& text) {
    m_labelling.addTags(chosenIds(), text);
}

text::Table RunsController::chosenTable() const {
    auto rows = listedRows();
    const auto chosen = chosenIds();
    std::erase_if(rows, [&](std::size_t row) {
        return std::find(chosen.begin(), chosen.end(), m_runs[row].run.id) == chosen.end();
    });
    return report::runsTable(m_runs, rows, m_columns);
}

QString RunsController::chosenRowsText() const {
    return tabbedText(chosenTable());
}

QString RunsController::csv() const {
    return QString::fromStdString(text::csv(report::runsTable(m_runs, listedRows(), m_columns)));
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
