#include "app/viewmodels/importing/ImportPlanModel.h"

#include "app/viewmodels/text/HumanText.h"
#include "importers/registry/Registry.h"

#include <algorithm>
#include <utility>

namespace trainscope::app {

namespace {

using importers::ClockKind;
using importers::ImportUnit;

QString importerLabel(const std::string& id) {
    const auto* importer = importers::findImporter(id);
    if (importer == nullptr)
        return QString::fromStdString(id);
    const auto name = importer->format().name;
    return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
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

QString notesOf(const ImportUnit& unit) {
    QStringList notes;
    for (const auto& note : unit.notes)
        notes.append(QString::fromStdString(note));
    return notes.join(QLatin1Char('\n'));
}

QString runOf(const ImportUnit& unit) {
    return QString::fromStdString(importers::runText(unit));
}

bool isNamed(const ImportUnit& unit) {
    return !runOf(unit).trimmed().isEmpty();
}

} // namespace

int ImportPlanModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : count();
}

QVariant ImportPlanModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const auto& row = m_rows[static_cast<std::size_t>(index.row())];
    switch (role) {
    case PathRole:
        return row.unit.path.empty() ? tr("(the dropped folder)")
                                     : QString::fromStdString(row.unit.path);
    case ImporterRole:
        return importerLabel(row.unit.importer);
    case RunNameRole:
        return runOf(row.unit);
    case RunNameFaultyRole:
        return !isNamed(row.unit);
    case RankRole:
        return row.rank;
    case RankEditableRole:
        return row.unit.rank.has_value() || row.rankFaulty;
    case RankFaultyRole:
        return row.rankFaulty;
    case ClockRole:
        return clockText(row.unit.clock);
    case OffsetRole:
        return row.offset;
    case OffsetEditableRole:
        return row.unit.clock == ClockKind::Local;
    case OffsetFaultyRole:
        return row.offsetFaulty;
    case SizeRole:
        return bytesText(row.unit.bytes);
    case SummaryRole:
        return QString::fromStdString(row.unit.summary);
    case NotesRole:
        return notesOf(row.unit);
    case SelectedRole:
        return row.unit.enabled;
    default:
        return {};
    }
}

QHash<int, QByteArray> ImportPlanModel::roleNames() const {
    return {{PathRole, "path"}, {ImporterRole, "importer"}, {RunNameRole, "runName"},
        {RunNameFaultyRole, "runNameFaulty"}, {RankRole, "rank"},
        {RankEditableRole, "rankEditable"}, {RankFaultyRole, "rankFaulty"}, {ClockRole, "clock"},
        {OffsetRole, "offset"}, {OffsetEditableRole, "offsetEditable"},
        {OffsetFaultyRole, "offsetFaulty"}, {SizeRole, "sizeText"}, {SummaryRole, "summary"},
        {NotesRole, "notes"}, {SelectedRole, "selected"}};
}

void ImportPlanModel::setUnits(std::vector<ImportUnit> units) {
    beginResetModel();
    m_rows.clear();
    for (auto& unit : units) {
        Row row;
        row.rank = unit.rank ? QString::number(*unit.rank) : QString();
        row.offset = unit.clock == ClockKind::Local
            ? utcOffsetText(unit.utcOffsetSeconds.value_or(0))
            : QString();
        row.unit = std::move(unit);
        m_rows.push_back(std::move(row));
    }
    endResetModel();
    Q_EMIT changed();
}

std::vector<ImportUnit> ImportPlanModel::units() const {
    std::vector<ImportUnit> units;
    for (const auto& row : m_rows)
        units.push_back(row.unit);
    return units;
}

int ImportPlanModel::selectedCount() const {
    return static_cast<int>(std::count_if(
        m_rows.begin(), m_rows.end(), [](const Row& row) { return row.unit.enabled; }));
}

bool ImportPlanModel::hasLocalClocks() const {
    return std::any_of(m_rows.begin(), m_rows.end(),
        [](const Row& row) { return row.unit.clock == ClockKind::Local; });
}

QString ImportPlanModel::totalText() const {
    std::uint64_t bytes = 0;
    for (const auto& row : m_rows)
        bytes += row.unit.enabled ? row.unit.bytes : 0;
    return tr("%1 of %2 sources, %3").arg(selectedCount()).arg(count()).arg(bytesText(bytes));
}

QString ImportPlanModel::problem() const {
    if (selectedCount() == 0)
        return tr("Choose at least one source.");
    for (const auto& row : m_rows) {
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
    rowChanged(row);
}

void ImportPlanModel::selectAll(bool selected) {
    for (auto& row : m_rows)
        row.unit.enabled = selected;
    if (!m_rows.empty())
        Q_EMIT dataChanged(index(0), index(count() - 1), {SelectedRole});
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
    rowChanged(row);
}

void ImportPlanModel::followRun(const std::string& before, const std::string& now) {
    const bool isLeft = std::none_of(m_rows.begin(), m_rows.end(),
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
        rowChanged(row);
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
    rowChanged(row);
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
    rowChanged(row);
}

void ImportPlanModel::setOffsetForAll(const QString& text) {
    for (int row = 0; row < count(); ++row)
        setOffset(row, text);
}

ImportPlanModel::Row* ImportPlanModel::rowAt(int row) {
    return row < 0 || row >= count() ? nullptr : &m_rows[static_cast<std::size_t>(row)];
}

void ImportPlanModel::rowChanged(int row) {
    Q_EMIT dataChanged(index(row), index(row));
    Q_EMIT changed();
}

int UnrecognisedModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : count();
}

QVariant UnrecognisedModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const auto& file = m_files[static_cast<std::size_t>(index.row())];
    if (role == PathRole)
        return QString::fromStdString(file.path);
    if (role == ReasonRole)
        return QString::fromStdString(file.reason);
    return {};
}

QHash<int, QByteArray> UnrecognisedModel::roleNames() const {
    return {{PathRole, "path"}, {ReasonRole, "reason"}};
}

void UnrecognisedModel::setFiles(std::vector<importers::Unrecognised> files) {
    beginResetModel();
    m_files = std::move(files);
    endResetModel();
    Q_EMIT countChanged();
}

} // namespace trainscope::app
