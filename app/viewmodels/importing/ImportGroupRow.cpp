#include "app/viewmodels/importing/ImportGroupRow.h"

#include "app/viewmodels/importing/GroupWording.h"
#include "app/viewmodels/text/HumanText.h"
#include "app/viewmodels/text/ShownText.h"

#include <QStringList>

#include <algorithm>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>

namespace trainscope::app {

namespace {

using importers::ClockKind;
using Line = ImportGroupRow;

// Value that all of them share; absent where they differ.
template <typename Of>
auto commonOf(const std::vector<const ImportRow*>& rows, const Of& of)
    -> std::optional<std::decay_t<decltype(of(*rows.front()))>> {
    auto first = of(*rows.front());
    const bool isCommon = std::all_of(
        rows.begin(), rows.end(), [&](const ImportRow* row) { return of(*row) == first; });
    return isCommon ? std::optional(std::move(first)) : std::nullopt;
}

int clockChoiceOf(const ImportRow& row) {
    return row.offset.isEmpty() ? kClockAsUtc : kClockLocal;
}

// Recorded models go before those told by names; sources that tell nothing do not count.
QString gpuHintOf(const std::vector<const ImportRow*>& sources) {
    QStringList recorded;
    QStringList told;
    for (const ImportRow* row : sources) {
        if (!row->gpuHint.isEmpty())
            (row->unit.gpuModel.empty() ? told : recorded).append(row->gpuHint);
    }
    QStringList& hints = recorded.isEmpty() ? told : recorded;
    hints.removeDuplicates();
    if (hints.isEmpty())
        return QStringLiteral("as recorded");
    return hints.size() == 1 ? hints.front() : QStringLiteral("several");
}

// Fills in the start of a source without dates.
void fillStart(const std::vector<const ImportRow*>& sources, Line& line) {
    if (sources.size() != 1 || sources.front()->unit.clock != ClockKind::None
        || !sources.front()->unit.part.empty())
        return;
    line.offset = sources.front()->offset;
    line.offsetHint = isToldByPower(*sources.front()) ? QStringLiteral("as power tells")
                                                      : QStringLiteral("start");
    line.offsetFaulty = sources.front()->offsetFaulty;
}

// Order of dates and columns of tables, where the source leaves them open.
void fillTables(const std::vector<const ImportRow*>& rows, Line& line) {
    std::vector<const ImportRow*> asking;
    std::vector<const ImportRow*> tables;
    for (const ImportRow* row : rows) {
        if (row->unit.asksDates)
            asking.push_back(row);
        if (!row->unit.columns.empty())
            tables.push_back(row);
    }
    line.datesEditable = !asking.empty();
    if (line.datesEditable) {
        const auto order
            = commonOf(asking, [](const ImportRow& row) { return row.unit.saidDates; });
        line.dateChoice = static_cast<int>(order.value_or(importers::DateOrder::Unknown)) - 1;
    }
    line.columnsEditable = !tables.empty();
    if (line.columnsEditable) {
        line.columns = commonOf(tables, [](const ImportRow& row) {
            return row.columns;
        }).value_or(QString());
        line.columnsFaulty = std::any_of(
            tables.begin(), tables.end(), [](const ImportRow* row) { return row->columnsFaulty; });
    }
}

// Clock, offset and model of the GPUs.
void fillCells(const std::vector<const ImportRow*>& rows, Line& line) {
    std::vector<const ImportRow*> local;
    std::vector<const ImportRow*> sources;
    for (const ImportRow* row : rows) {
        if (row->unit.clock == ClockKind::Local)
            local.push_back(row);
        if (row->isSource())
            sources.push_back(row);
    }
    fillTables(rows, line);
    const QString several = QStringLiteral("several");
    line.clockEditable = !local.empty();
    if (line.clockEditable) {
        const auto offset = commonOf(local, [](const ImportRow& row) { return row.offset; });
        line.clockChoice = commonOf(local, clockChoiceOf).value_or(kClocksDiffer);
        line.offset = offset.value_or(QString());
        const bool isTold = std::all_of(local.begin(), local.end(), [](const ImportRow* row) {
            return isToldByPower(*row) && !row->unit.utcOffsetSeconds;
        });
        line.offsetHint = !offset ? several
            : isTold              ? QStringLiteral("as power tells")
                                  : QStringLiteral("UTC");
        line.offsetFaulty = std::any_of(
            local.begin(), local.end(), [](const ImportRow* row) { return row->offsetFaulty; });
    } else if (!sources.empty()) {
        const auto clock = commonOf(sources, [](const ImportRow& row) { return row.unit.clock; });
        line.clock = clock ? clockName(*clock) : several;
        fillStart(sources, line);
    }
    line.gpuEditable = !sources.empty();
    if (line.gpuEditable) {
        const auto model = commonOf(sources, [](const ImportRow& row) { return row.gpuModel; });
        line.gpuModel = model.value_or(QString());
        line.gpuHint = model ? gpuHintOf(sources) : several;
        const auto air = commonOf(sources, [](const ImportRow& row) { return row.airflow; });
        line.airflow = air.value_or(QString());
        line.airflowHint = air ? QStringLiteral("as temperatures tell") : several;
        line.airflowFaulty = std::any_of(sources.begin(), sources.end(),
            [](const ImportRow* row) { return row->airflowFaulty; });
    }
}

} // namespace

ImportGroupRow rowOfRun(const std::vector<const ImportRow*>& sources) {
    Line line;
    std::uint64_t bytes = 0;
    std::size_t selected = 0;
    for (const ImportRow* source : sources) {
        bytes += source->unit.bytes;
        selected += source->unit.enabled ? 1 : 0;
        if (source->unit.enabled && line.problem.isEmpty())
            line.problem = ImportPlanModel::problemOf(*source);
    }
    const auto& first = sources.front()->unit;
    line.isMachine = first.machine.has_value();
    line.isDatabase = isRunDatabase(first);
    line.title = line.run = shownLine(line.isDatabase ? first.path : importers::runText(first));
    line.runFaulty = line.title.trimmed().isEmpty();
    line.detail = groupDetail(sources);
    line.sizeText = bytesText(bytes);
    line.checkState = selected == 0  ? Qt::Unchecked
        : selected == sources.size() ? Qt::Checked
                                     : Qt::PartiallyChecked;
    fillCells(sources, line);
    return line;
}

ImportGroupRow rowOfSource(const ImportRow& source) {
    const auto& unit = source.unit;
    Line line;
    line.isMachine = unit.machine.has_value();
    line.title = unit.path.empty() ? QStringLiteral("(the dropped folder)") : shownLine(unit.path);
    if (!unit.part.empty())
        line.title = QStringLiteral("%1 (%2)").arg(line.title, shownLine(unit.part));
    line.detail = shownLine(unit.summary);
    line.problem = unit.enabled ? ImportPlanModel::problemOf(source) : QString();
    line.isDatabase = isRunDatabase(unit);
    line.run
        = line.isDatabase ? QStringLiteral("all its runs") : shownLine(importers::runText(unit));
    line.runFaulty = line.run.trimmed().isEmpty() || !source.misfit.isEmpty();
    line.sizeText = bytesText(unit.bytes);
    line.rank = source.rank;
    line.rankEditable = unit.rank || source.rankFaulty;
    line.rankFaulty = source.rankFaulty;
    line.period = source.period;
    line.periodEditable = unit.hasNoStamps;
    line.periodFaulty = source.periodFaulty;
    line.checkState = unit.enabled ? Qt::Checked : Qt::Unchecked;
    fillCells({&source}, line);
    return line;
}

} // namespace trainscope::app
