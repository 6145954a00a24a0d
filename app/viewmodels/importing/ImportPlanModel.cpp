#include "app/viewmodels/importing/ImportPlanModel.h"

#include "app/viewmodels/text/HumanText.h"
#include "app/viewmodels/text/Translated.h"
#include "importers/registry/Registry.h"

#include <algorithm>
#include <utility>

namespace trainscope::app {

namespace {

using importers::ClockKind;
using importers::ImportUnit;
using Row = ImportRow;

QString importerLabel(const std::string& id) {
    const auto* importer = importers::findImporter(id);
    if (importer == nullptr)
        return QString::fromStdString(id);
    return textOf(importer->format.name);
}

QString clockText(ClockKind clock) {
    switch (clock) {
    case ClockKind::Utc:
        return ImportPlanModel::tr("UTC");
    case ClockKind::Local:
        return ImportPlanModel::tr("local time");
    case ClockKind::None:
        return ImportPlanModel::tr("no time stamps");
    }
    return {};
}

QString runOf(const ImportUnit& unit) {
    return QString::fromStdString(importers::runText(unit));
}

bool isNamed(const ImportUnit& unit) {
    return !runOf(unit).trimmed().isEmpty();
}

bool isSelected(const Row& row) {
    return row.unit.enabled;
}

bool hasLocalClock(const Row& row) {
    return row.unit.clock == ClockKind::Local;
}

QString pathOf(const Row& row) {
    return row.unit.path.empty() ? ImportPlanModel::tr("(the dropped folder)")
                                 : QString::fromStdString(row.unit.path);
}

} // namespace

ImportPlanModel::ImportPlanModel(QObject* parent)
    : RowListModel(
        {{"path", pathOf},
            {"importer", [](const Row& row) { return importerLabel(row.unit.importer); }},
            {"runName", [](const Row& row) { return runOf(row.unit); }},
            {"runNameFaulty", [](const Row& row) { return !isNamed(row.unit); }},
            {"rank", &Row::rank},
            {"rankEditable", [](const Row& row) { return row.unit.rank || row.rankFaulty; }},
            {"rankFaulty", &Row::rankFaulty},
            {"clock", [](const Row& row) { return clockText(row.unit.clock); }},
            {"offset", &Row::offset}, {"offsetEditable", hasLocalClock},
            {"offsetFaulty", &Row::offsetFaulty},
            {"sizeText", [](const Row& row) { return bytesText(row.unit.bytes); }},
            {"summary", [](const Row& row) { return QString::fromStdString(row.unit.summary); }},
            {"notes", [](const Row& row) { return linesOf(row.unit.notes); }},
            {"selected", isSelected}},
        parent) { }

void ImportPlanModel::setUnits(std::vector<ImportUnit> units) {
    std::vector<Row> rows;
    for (auto& unit : units) {
        Row row;
        row.rank = unit.rank ? QString::number(*unit.rank) : QString();
        row.offset = unit.clock == ClockKind::Local
            ? utcOffsetText(unit.utcOffsetSeconds.value_or(0))
            : QString();
        row.unit = std::move(unit);
        rows.push_back(std::move(row));
    }
    resetRows(std::move(rows));
    Q_EMIT changed();
}

std::vector<ImportUnit> ImportPlanModel::units() const {
    std::vector<ImportUnit> units;
    for (const auto& row : rows())
        units.push_back(row.unit);
    return units;
}

int ImportPlanModel::selectedCount() const {
    return static_cast<int>(std::count_if(rows().begin(), rows().end(), isSelected));
}

bool ImportPlanModel::hasLocalClocks() const {
    return std::any_of(rows().begin(), rows().end(), hasLocalClock);
}

QString ImportPlanModel::totalText() const {
    std::uint64_t bytes = 0;
    for (const auto& row : rows())
        bytes += row.unit.enabled ? row.unit.bytes : 0;
    return tr("%1 of %2 sources, %3").arg(selectedCount()).arg(count()).arg(bytesText(bytes));
}

QString ImportPlanModel::problem() const {
    if (selectedCount() == 0)
        return tr("Choose at least one source.");
    for (const auto& row : rows()) {
        if (!row.unit.enabled)
            continue;
        const auto path = QString::fromStdString(row.unit.path);
        if (!isNamed(row.unit))
            return row.unit.machine ? tr("%1 describes the machine of a run: name the run, or drop "
                                         "it together with the run's files.")
                                          .arg(path)
                                    : tr("%1 needs the name of a run.").arg(path);
        if (row.rankFaulty)
            return tr("The rank of %1 must be a whole number from 0.").arg(path);
        if (row.offsetFaulty)
            return tr("The time zone of %1 must be an offset such as +02:00.").arg(path);
    }
    return {};
}

void ImportPlanModel::setSelected(int row, bool selected) {
    auto* found = rowAt(row);
    if (found == nullptr || found->unit.enabled == selected)
        return;
    found->unit.enabled = selected;
    edited(row);
}

void ImportPlanModel::selectAll(bool selected) {
    for (auto& row : ownRows())
        row.unit.enabled = selected;
    if (count() > 0)
        Q_EMIT dataChanged(index(0), index(count() - 1));
    Q_EMIT changed();
}

void ImportPlanModel::setRunName(int row, const QString& text) {
    auto* found = rowAt(row);
    const auto name = text.trimmed().toStdString();
    if (found == nullptr || found->unit.runName == name)
        return;
    const auto before = std::exchange(found->unit.runName, name);
    if (!found->unit.machine)
        followRun(before, name);
    edited(row);
}

void ImportPlanModel::followRun(const std::string& before, const std::string& now) {
    const bool isLeft = std::none_of(rows().begin(), rows().end(),
        [&](const Row& row) { return !row.unit.machine && row.unit.runName == before; });
    for (int row = 0; row < count(); ++row) {
        auto& machine = rowAt(row)->unit.machine;
        if (!machine)
            continue;
        const auto known = std::find(machine->runs.begin(), machine->runs.end(), before);
        if (known == machine->runs.end())
            continue;
        if (isLeft)
            machine->runs.erase(known);
        if (std::find(machine->runs.begin(), machine->runs.end(), now) == machine->runs.end())
            machine->runs.push_back(now);
        edited(row);
    }
}

void ImportPlanModel::setRank(int row, const QString& text) {
    auto* found = rowAt(row);
    if (found == nullptr || found->rank == text)
        return;
    bool isNumber = false;
    const int rank = text.trimmed().toInt(&isNumber);
    found->rank = text;
    found->rankFaulty = !isNumber || rank < 0;
    if (!found->rankFaulty)
        found->unit.rank = rank;
    edited(row);
}

void ImportPlanModel::setOffset(int row, const QString& text) {
    auto* found = rowAt(row);
    if (found == nullptr || found->unit.clock != ClockKind::Local || found->offset == text)
        return;
    const auto seconds = parseUtcOffset(text);
    found->offsetFaulty = !seconds;
    found->offset = seconds ? utcOffsetText(*seconds) : text;
    if (seconds)
        found->unit.utcOffsetSeconds = seconds;
    edited(row);
}

void ImportPlanModel::setOffsetForAll(const QString& text) {
    for (int row = 0; row < count(); ++row)
        setOffset(row, text);
}

ImportRow* ImportPlanModel::rowAt(int row) {
    return isThere(row) ? &ownRows()[static_cast<std::size_t>(row)] : nullptr;
}

void ImportPlanModel::edited(int row) {
    rowChanged(row);
    Q_EMIT changed();
}

UnrecognisedModel::UnrecognisedModel(QObject* parent)
    : RowListModel(
        {{"path",
             [](const importers::Unrecognised& file) { return QString::fromStdString(file.path); }},
            {"reason",
                [](const importers::Unrecognised& file) {
                    return QString::fromStdString(file.reason);
                }}},
        parent) { }

} // namespace trainscope::app
