#include "app/viewmodels/importing/ImportPlanModel.h"

#include "app/importing/DescribedRuns.h"
#include "app/viewmodels/importing/GroupWording.h"
#include "app/viewmodels/text/HumanText.h"
#include "app/viewmodels/text/ShownText.h"
#include "app/viewmodels/text/TextOf.h"
#include "core/analysis/telemetry/Temperature.h"
#include "core/catalogue/GpuGuess.h"
#include "importers/common/Cells.h"
#include "importers/registry/Registry.h"

#include <QCryptographicHash>
#include <QSettings>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
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

QString runOf(const ImportUnit& unit) {
    return shownLine(importers::runText(unit));
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
    return row.unit.path.empty() ? QStringLiteral("(the dropped folder)")
                                 : shownLine(row.unit.path);
}

Result<std::vector<int>> airflowOf(const QString& text) {
    return analysis::parseAirflow(text.simplified().remove(QLatin1Char(' ')).toStdString());
}

// Each index once; whether all are there is known when the run is.
bool isOrder(Result<std::vector<int>> order) {
    if (!order.hasValue())
        return false;
    auto& indices = order.value();
    std::sort(indices.begin(), indices.end());
    return std::adjacent_find(indices.begin(), indices.end()) == indices.end();
}

// True: the row has changed. Text that is no moment makes it faulty, unless it was said of several
// sources at once, of which it may be a time zone.
bool setSaidStart(Row& row, const QString& text, bool isOnly) {
    const bool isEmpty = text.trimmed().isEmpty();
    const auto start = isEmpty ? std::nullopt : saidMoment(text.toStdString());
    if (!start && !isEmpty && !isOnly)
        return false;
    row.offset = isEmpty ? QString() : text;
    row.offsetFaulty = !isEmpty && !start;
    row.unit.saidStart = start;
    return true;
}

bool setSaidPeriod(Row& row, const QString& text) {
    if (!row.unit.hasNoStamps || row.period == text)
        return false;
    const bool isEmpty = text.trimmed().isEmpty();
    const auto period
        = isEmpty ? std::nullopt : importers::parsePeriod(text.trimmed().toStdString());
    row.period = isEmpty ? QString() : text;
    row.periodFaulty = !isEmpty && !period;
    row.unit.saidPeriod = period;
    return true;
}

bool setSaidColumns(Row& row, const QString& text) {
    if (row.unit.columns.empty() || row.columns == text)
        return false;
    auto said = importers::saidColumnsIn(text.trimmed().toStdString());
    row.columns = text;
    row.columnsFaulty = !said.hasValue();
    row.unit.saidColumns = said.hasValue() ? std::move(said).value() : importers::SaidColumns{};
    return true;
}

// The setting that keeps what is said of the columns of tables with these heads.
QString columnsKey(const std::string& heads) {
    const auto hash
        = QCryptographicHash::hash(QByteArray::fromStdString(heads), QCryptographicHash::Sha256);
    return QStringLiteral("importColumns/") + QString::fromLatin1(hash.toHex());
}

// Empty: UTC, or what the power of its run tells.
void setSaidZone(Row& row, const QString& text) {
    const bool isEmpty = text.trimmed().isEmpty();
    const auto seconds
        = isEmpty ? std::optional<std::int64_t>(0) : saidZone(text.toStdString(), row.unit.start);
    row.offsetFaulty = !seconds;
    row.offset = isEmpty ? QString() : seconds ? utcOffsetText(*seconds) : text;
    if (isEmpty && isToldByPower(row))
        row.unit.utcOffsetSeconds.reset();
    else if (seconds)
        row.unit.utcOffsetSeconds = seconds;
}

std::optional<QString> gpuNamedIn(std::vector<std::string> names) {
    catalogue::GpuTraces traces;
    traces.names = std::move(names);
    const auto guess = catalogue::guessGpuModel(traces);
    return guess ? std::optional(QString::fromStdString(catalogue::inferredName(*guess->model)))
                 : std::nullopt;
}

void addGpuHints(std::vector<ImportRow>& rows) {
    for (ImportRow& row : rows) {
        if (!row.unit.gpuModel.empty()) {
            row.gpuHint = shownLine(row.unit.gpuModel);
            continue;
        }
        std::vector<std::string> own{row.unit.runName, row.unit.path};
        own.insert(own.end(), row.unit.files.begin(), row.unit.files.end());
        row.gpuHint = gpuNamedIn(std::move(own)).value_or(QString());
    }
}

} // namespace

bool isToldByPower(const ImportRow& row) {
    const auto* importer = importers::findImporter(row.unit.importer);
    return importer != nullptr && importer->work != nullptr;
}

ImportPlanModel::ImportPlanModel(QObject* parent)
    : RowListModel(
        {{"path", pathOf},
            {"importer", [](const Row& row) { return importerLabel(row.unit.importer); }},
            {"runName", [](const Row& row) { return runOf(row.unit); }},
            {"runNameFaulty", [](const Row& row) { return !isNamed(row.unit); }},
            {"rank", &Row::rank},
            {"rankEditable", [](const Row& row) { return row.unit.rank || row.rankFaulty; }},
            {"rankFaulty", &Row::rankFaulty},
            {"clock", [](const Row& row) { return clockName(row.unit.clock); }},
            {"offset", &Row::offset}, {"offsetFaulty", &Row::offsetFaulty},
            {"period", &Row::period}, {"periodFaulty", &Row::periodFaulty},
            {"sizeText", [](const Row& row) { return bytesText(row.unit.bytes); }},
            {"summary", [](const Row& row) { return shownLine(row.unit.summary); }},
            {"notes", [](const Row& row) { return linesOf(row.unit.notes); }},
            {"selected", isSelected}},
        parent) { }

void ImportPlanModel::setUnits(std::vector<ImportUnit> units) {
    std::vector<Row> rows;
    for (auto& unit : units) {
        Row row;
        row.rank = unit.rank ? QString::number(*unit.rank) : QString();
        if (unit.clock == ClockKind::Local && unit.utcOffsetSeconds)
            row.offset = utcOffsetText(*unit.utcOffsetSeconds);
        row.plannedRun = unit.runName;
        row.unit = std::move(unit);
        if (!row.unit.columns.empty())
            setSaidColumns(row, QSettings().value(columnsKey(row.unit.heads)).toString());
        rows.push_back(std::move(row));
    }
    addGpuHints(rows);
    resetRows(std::move(rows));
    checkMachines();
    Q_EMIT changed();
}

void ImportPlanModel::changeProposals(
    const std::vector<ImportUnit>& before, const std::vector<ImportUnit>& now) {
    const std::size_t count = std::min({rows().size(), before.size(), now.size()});
    for (std::size_t i = 0; i < count; ++i) {
        Row& row = ownRows()[i];
        ImportUnit& unit = row.unit;
        if (unit.runName == before[i].runName) {
            unit.runName = now[i].runName;
            row.plannedRun = now[i].runName;
            if (unit.machine)
                unit.machine->runs = now[i].machine->runs;
        }
        if (unit.rank == before[i].rank && !row.rankFaulty) {
            unit.rank = now[i].rank;
            row.rank = unit.rank ? QString::number(*unit.rank) : QString();
        }
        if (unit.clock == ClockKind::Local && unit.utcOffsetSeconds == before[i].utcOffsetSeconds
            && !row.offsetFaulty) {
            unit.utcOffsetSeconds = now[i].utcOffsetSeconds;
            row.offset = unit.utcOffsetSeconds ? utcOffsetText(*unit.utcOffsetSeconds) : QString();
        }
        unit.place = now[i].place;
        unit.notes = now[i].notes;
    }
    if (count > 0)
        edited(0, static_cast<int>(count) - 1);
}

std::vector<ImportUnit> ImportPlanModel::units() const {
    const auto ofRuns = gpuModels();
    std::vector<ImportUnit> units;
    for (const auto& row : rows()) {
        units.push_back(row.unit);
        const auto ofRun = ofRuns.find(row.unit.runName);
        const std::string said = row.gpuModel.trimmed().toStdString();
        if (!row.unit.machine && (ofRun == ofRuns.end() || ofRun->second != said))
            units.back().saidGpuModel = said;
    }
    return units;
}

void ImportPlanModel::setKnownRuns(std::vector<Run> runs) {
    m_knownRuns = std::move(runs);
    checkMachines();
    Q_EMIT changed();
}

std::map<std::string, std::string> ImportPlanModel::gpuModels() const {
    std::map<std::string, std::map<std::string, int>> said; // run → model → by how many units
    for (const Row& row : rows()) {
        if (row.unit.enabled && !row.unit.machine)
            ++said[row.unit.runName][row.gpuModel.trimmed().toStdString()];
    }
    std::map<std::string, std::string> models;
    for (const auto& [run, counts] : said) {
        const auto most = std::max_element(counts.begin(), counts.end(),
            [](const auto& a, const auto& b) { return a.second < b.second; });
        if (!most->first.empty())
            models[run] = most->first;
    }
    return models;
}

std::map<std::string, SaidMachine> ImportPlanModel::machines() const {
    std::map<std::string, SaidMachine> machines;
    for (auto& [run, model] : gpuModels())
        machines[run].gpuModel = model;
    for (const Row& row : rows()) {
        if (!row.unit.enabled || row.unit.machine || row.airflow.trimmed().isEmpty())
            continue;
        if (auto order = airflowOf(row.airflow); order.hasValue())
            machines[row.unit.runName].airflow = std::move(order).value();
    }
    return machines;
}

int ImportPlanModel::selectedCount() const {
    return static_cast<int>(std::count_if(rows().begin(), rows().end(), isSelected));
}

std::uint64_t ImportPlanModel::selectedBytes() const {
    std::uint64_t bytes = 0;
    for (const auto& row : rows())
        bytes += row.unit.enabled ? row.unit.bytes : 0;
    return bytes;
}

QString ImportPlanModel::totalText() const {
    if (count() == 1)
        return selectedCount() == 1 ? QStringLiteral("1 source, %1").arg(bytesText(selectedBytes()))
                                    : QStringLiteral("No source");
    return QStringLiteral("%1 of %2 sources, %3")
        .arg(selectedCount())
        .arg(count())
        .arg(bytesText(selectedBytes()));
}

template <typename Change>
void ImportPlanModel::edit(const Units& units, const Change& change) {
    int first = count();
    int last = -1;
    for (const int row : units) {
        auto* found = rowAt(row);
        if (found == nullptr || !change(*found))
            continue;
        first = std::min(first, row);
        last = std::max(last, row);
    }
    if (last >= 0)
        edited(first, last);
}

void ImportPlanModel::edited(int first, int last) {
    checkMachines();
    Q_EMIT dataChanged(index(first), index(last));
    Q_EMIT changed();
}

void ImportPlanModel::setSelected(const Units& units, bool selected) {
    edit(units,
        [selected](Row& row) { return std::exchange(row.unit.enabled, selected) != selected; });
}

void ImportPlanModel::selectAll(bool selected) {
    setSelected(allUnits(), selected);
}

void ImportPlanModel::setRunName(const Units& units, const QString& text) {
    const auto name = text.trimmed().toStdString();
    bool isChanged = false;
    for (const int row : units) {
        auto* found = rowAt(row);
        if (found == nullptr || isRunDatabase(found->unit) || found->unit.runName == name)
            continue;
        const auto before = std::exchange(found->unit.runName, name);
        if (!found->unit.machine)
            followRun(before, name);
        isChanged = true;
    }
    if (isChanged)
        edited(0, count() - 1);
}

void ImportPlanModel::followRun(const std::string& before, const std::string& now) {
    const bool isLeft = std::none_of(rows().begin(), rows().end(),
        [&](const Row& row) { return !row.unit.machine && row.unit.runName == before; });
    for (Row& row : ownRows()) {
        auto& machine = row.unit.machine;
        if (!machine)
            continue;
        const auto known = std::find(machine->runs.begin(), machine->runs.end(), before);
        if (known == machine->runs.end())
            continue;
        if (isLeft)
            machine->runs.erase(known);
        if (std::find(machine->runs.begin(), machine->runs.end(), now) == machine->runs.end())
            machine->runs.push_back(now);
    }
}

void ImportPlanModel::setRank(int row, const QString& text) {
    edit({row}, [&text](Row& found) {
        if (found.rank == text)
            return false;
        bool isNumber = false;
        const int rank = text.trimmed().toInt(&isNumber);
        found.rank = text;
        found.rankFaulty = !isNumber || rank < 0;
        if (!found.rankFaulty)
            found.unit.rank = rank;
        return true;
    });
}

void ImportPlanModel::setGpuModel(const Units& units, const QString& text) {
    edit(units, [&text](Row& row) {
        if (!row.isSource() || row.gpuModel == text)
            return false;
        row.gpuModel = text;
        return true;
    });
}

void ImportPlanModel::setAirflow(const Units& units, const QString& text) {
    edit(units, [&text](Row& row) {
        if (!row.isSource() || row.airflow == text)
            return false;
        row.airflow = text;
        row.airflowFaulty = !text.trimmed().isEmpty() && !isOrder(airflowOf(text));
        return true;
    });
}

void ImportPlanModel::setOffset(const Units& units, const QString& text) {
    edit(units, [&text, isOnly = units.size() == 1](Row& row) {
        if (row.unit.clock == ClockKind::None && row.offset != text)
            return setSaidStart(row, text, isOnly);
        if (!hasLocalClock(row) || row.offset == text)
            return false;
        setSaidZone(row, text);
        return true;
    });
}

void ImportPlanModel::setPeriod(int row, const QString& text) {
    edit({row}, [&text](Row& found) { return setSaidPeriod(found, text); });
}

void ImportPlanModel::setDates(const Units& units, importers::DateOrder order) {
    edit(units, [order](Row& row) {
        if (!row.unit.asksDates || row.unit.saidDates == order)
            return false;
        row.unit.saidDates = order;
        return true;
    });
}

void ImportPlanModel::setColumns(const Units& units, const QString& text) {
    edit(units, [&text](Row& row) { return setSaidColumns(row, text); });
}

void ImportPlanModel::keepColumns() const {
    QSettings settings;
    for (const Row& row : rows()) {
        if (row.unit.columns.empty() || !row.unit.enabled || row.columnsFaulty)
            continue;
        const QString key = columnsKey(row.unit.heads);
        if (row.columns.trimmed().isEmpty())
            settings.remove(key);
        else
            settings.setValue(key, row.columns.trimmed());
    }
}

void ImportPlanModel::setUtc(const Units& units, bool isUtc) {
    edit(units, [isUtc](Row& row) {
        if (!hasLocalClock(row) || row.offset.isEmpty() == isUtc)
            return false;
        const std::int64_t here = zoneHere(row.unit.start);
        row.unit.utcOffsetSeconds = isUtc ? 0 : here;
        row.offset = isUtc ? QString() : utcOffsetText(here);
        row.offsetFaulty = false;
        return true;
    });
}

ImportPlanModel::Units ImportPlanModel::allUnits() const {
    Units all(static_cast<std::size_t>(count()));
    std::iota(all.begin(), all.end(), 0);
    return all;
}

std::vector<Gpu> ImportPlanModel::nodeOf(
    const std::string& run, const importers::MachineUnit& machine) const {
    std::string model;
    int gpus = 0;
    for (const Row& row : rows()) {
        if (row.unit.machine || row.unit.runName != run)
            continue;
        const std::string said = row.gpuModel.trimmed().toStdString();
        model = !said.empty() ? said : model.empty() ? row.unit.gpuModel : model;
        gpus = std::max(gpus, row.unit.gpusPerNode);
    }
    const auto known = std::find_if(
        m_knownRuns.begin(), m_knownRuns.end(), [&run](const Run& one) { return one.name == run; });
    if (known != m_knownRuns.end()) {
        model = model.empty() ? known->gpuModel : model;
        gpus = std::max(gpus, known->gpuCount / std::max(known->nodeCount, 1));
    }
    std::vector<Gpu> node;
    for (int local = 0; local < gpus; ++local)
        node.push_back({local, 0, local, model, {}});
    // The model is known before the number of GPUs.
    if (node.empty() && !model.empty())
        node.push_back({0, 0, machine.gpus.front(), model, {}});
    return node;
}

QString ImportPlanModel::misfitOf(const ImportUnit& unit) const {
    const auto& machine = *unit.machine;
    if (machine.gpus.empty())
        return {};
    const std::vector<std::string> runs
        = unit.runName.empty() ? machine.runs : std::vector<std::string>{unit.runName};
    QString first;
    for (const std::string& run : runs) {
        const auto fit = fitOf(machine, nodeOf(run, machine));
        if (!fit.isRefused)
            return {};
        first = first.isEmpty() ? shownText(fit.text) : first;
    }
    return first;
}

void ImportPlanModel::checkMachines() {
    for (Row& row : ownRows())
        row.misfit = row.unit.machine ? misfitOf(row.unit) : QString();
}

ImportRow* ImportPlanModel::rowAt(int row) {
    return isThere(row) ? &ownRows()[static_cast<std::size_t>(row)] : nullptr;
}

QString ImportPlanModel::problem() const {
    if (selectedCount() == 0)
        return QStringLiteral("Choose at least one source.");
    for (const auto& row : rows()) {
        if (!row.unit.enabled)
            continue;
        if (const QString text = problemOf(row); !text.isEmpty())
            return text;
    }
    return {};
}

QString ImportPlanModel::problemOf(const ImportRow& row) {
    const auto path = shownLine(row.unit.path);
    if (isRunDatabase(row.unit))
        return {};
    if (!isNamed(row.unit))
        return row.unit.machine
            ? QStringLiteral("%1 describes the machine of a run: name the run, or drop it "
                             "together with the run's files.")
                  .arg(path)
            : QStringLiteral("%1 needs the name of a run.").arg(path);
    if (!row.misfit.isEmpty())
        return QStringLiteral(
            "%1 cannot be the machine of %2: %3 Choose another run, or leave it out.")
            .arg(path, shownLine(importers::runText(row.unit)), row.misfit);
    if (row.rankFaulty)
        return QStringLiteral("The rank of %1 must be a whole number from 0.").arg(path);
    if (row.offsetFaulty && row.unit.clock == importers::ClockKind::None)
        return QStringLiteral(
            "The start of %1 must be a date with a time, such as 2026-04-22 00:08:54.")
            .arg(path);
    if (row.offsetFaulty)
        return QStringLiteral(
            "The time zone of %1 must be an offset such as +02:00, or a name such as "
            "Europe/Berlin.")
            .arg(path);
    if (row.periodFaulty)
        return QStringLiteral("The period of %1 must be a time such as 100 ms or 1.5 s.").arg(path);
    if (row.columnsFaulty)
        return QStringLiteral(
            "Columns of %1 are said as NAME=METRIC[unit], such as P_tot=gpu_power[mW], "
            "several with semicolons between.")
            .arg(path);
    if (row.airflowFaulty)
        return QStringLiteral(
            "The order of the air of %1 must name the GPUs of a node once each, as in "
            "4, 5, 6, 7, 0, 1, 2, 3.")
            .arg(runOf(row.unit));
    return {};
}

UnrecognisedModel::UnrecognisedModel(QObject* parent)
    : RowListModel({{"path", &UnrecognisedRow::path}, {"brief", &UnrecognisedRow::brief},
                       {"reason", &UnrecognisedRow::reason}},
        parent) { }

void UnrecognisedModel::setFiles(const std::vector<importers::Unrecognised>& files) {
    QStringList paths;
    for (const importers::Unrecognised& file : files)
        paths.append(shownLine(file.path));
    const QStringList briefs = briefNames(paths);
    std::vector<UnrecognisedRow> rows;
    for (std::size_t i = 0; i < files.size(); ++i) {
        const auto at = static_cast<qsizetype>(i);
        rows.push_back({paths[at], briefs[at], shownText(files[i].reason)});
    }
    resetRows(std::move(rows));
}

} // namespace trainscope::app
