#include "app/viewmodels/importing/ImportPlanModel.h"

#include "app/importing/DescribedRuns.h"
#include "app/viewmodels/text/Texts.h"
#include "core/catalogue/GpuGuess.h"
#include "core/text/Numbers.h"

#include <QCryptographicHash>
#include <QSettings>

#include <numeric>

namespace trainscope::app {

namespace {

using importers::ImportUnit;
using Row = ImportRow;

QString runOf(const ImportUnit& unit) {
    return shownLine(importers::runText(unit));
}

bool isNamed(const ImportUnit& unit) {
    return !runOf(unit).trimmed().isEmpty();
}

bool isSelected(const Row& row) {
    return row.unit.enabled;
}

// The setting that keeps what is said of the columns of tables with these heads.
QString columnsKey(const std::string& heads) {
    const auto hash
        = QCryptographicHash::hash(QByteArray::fromStdString(heads), QCryptographicHash::Sha256);
    return QStringLiteral("importColumns/") + QString::fromLatin1(hash.toHex());
}

std::string gpuNamedIn(std::vector<std::string> names) {
    catalogue::GpuTraces traces;
    traces.names = std::move(names);
    const auto guess = catalogue::guessGpuModel(traces);
    return guess ? catalogue::inferredName(*guess->model) : std::string();
}

std::string gpuHintOf(const ImportUnit& unit) {
    if (!unit.gpuModel.empty())
        return unit.gpuModel;
    std::vector<std::string> own{unit.runName, unit.path};
    own.insert(own.end(), unit.files.begin(), unit.files.end());
    return gpuNamedIn(std::move(own));
}

} // namespace

ImportPlanModel::ImportPlanModel(QObject* parent)
    : RowListModel({{"runName", [](const Row& row) { return runOf(row.unit); }}}, parent) { }

void ImportPlanModel::setUnits(std::vector<ImportUnit> units) {
    std::vector<Row> rows;
    for (auto& unit : units) {
        Row row;
        row.plannedRun = unit.runName;
        row.gpuHint = gpuHintOf(unit);
        row.unit = std::move(unit);
        if (!row.unit.columns.empty())
            say(*findImportField("columns"), row,
                QSettings().value(columnsKey(row.unit.heads)).toString().toStdString());
        rows.push_back(std::move(row));
    }
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
        if (unit.rank == before[i].rank && !row.faulty.contains("rank"))
            unit.rank = now[i].rank;
        if (unit.clock == importers::ClockKind::Local
            && unit.utcOffsetSeconds == before[i].utcOffsetSeconds && !row.faulty.contains("zone"))
            unit.utcOffsetSeconds = now[i].utcOffsetSeconds;
        unit.place = now[i].place;
        unit.notes = now[i].notes;
    }
    if (count > 0)
        edited(0, static_cast<int>(count) - 1);
}

std::vector<ImportUnit> ImportPlanModel::units() const {
    const auto ofRuns = machines();
    std::vector<ImportUnit> units;
    for (const auto& row : rows()) {
        units.push_back(row.unit);
        const auto ofRun = ofRuns.find(row.unit.runName);
        const std::string said = row.saidOf("gpu");
        if (!row.unit.machine && (ofRun == ofRuns.end() || ofRun->second.gpuModel != said))
            units.back().saidGpuModel = said;
    }
    return units;
}

void ImportPlanModel::setKnownRuns(std::vector<Run> runs) {
    m_knownRuns = std::move(runs);
    checkMachines();
    Q_EMIT changed();
}

std::map<std::string, SaidMachine> ImportPlanModel::machines() const {
    std::map<std::string, std::map<std::string, int>> said; // run → model → by how many units
    std::map<std::string, SaidMachine> machines;
    for (const Row& row : rows()) {
        if (!row.unit.enabled || row.unit.machine)
            continue;
        ++said[row.unit.runName][row.saidOf("gpu")];
        if (const std::string order = row.saidOf("airflow"); !order.empty())
            machines[row.unit.runName].airflow = airflowIn(order);
    }
    for (const auto& [run, counts] : said) {
        const auto most = std::ranges::max_element(
            counts, [](const auto& a, const auto& b) { return a.second < b.second; });
        if (!most->first.empty())
            machines[run].gpuModel = most->first;
    }
    return machines;
}

int ImportPlanModel::selectedCount() const {
    return static_cast<int>(std::ranges::count_if(rows(), isSelected));
}

std::uint64_t ImportPlanModel::selectedBytes() const {
    std::uint64_t bytes = 0;
    for (const auto& row : rows())
        bytes += row.unit.enabled ? row.unit.bytes : 0;
    return bytes;
}

QString ImportPlanModel::totalText() const {
    return QStringLiteral("%1 of %2, %3")
        .arg(selectedCount())
        .arg(countedText(count(), "source"), bytesText(selectedBytes()));
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
    Units all(static_cast<std::size_t>(count()));
    std::iota(all.begin(), all.end(), 0);
    setSelected(all, selected);
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
    const bool isLeft = std::ranges::none_of(
        rows(), [&](const Row& row) { return !row.unit.machine && row.unit.runName == before; });
    for (Row& row : ownRows()) {
        auto& machine = row.unit.machine;
        if (!machine)
            continue;
        const auto known = std::ranges::find(machine->runs, before);
        if (known == machine->runs.end())
            continue;
        if (isLeft)
            machine->runs.erase(known);
        if (std::ranges::find(machine->runs, now) == machine->runs.end())
            machine->runs.push_back(now);
    }
}

void ImportPlanModel::set(const Units& units, const QString& key, const QString& text) {
    const ImportField* field = findImportField(key.toStdString());
    if (field != nullptr)
        edit(units, [&](Row& row) { return say(*field, row, text.toStdString()); });
}

void ImportPlanModel::keepColumns() const {
    QSettings settings;
    for (const Row& row : rows()) {
        if (row.unit.columns.empty() || !row.unit.enabled || row.faulty.contains("columns"))
            continue;
        const QString key = columnsKey(row.unit.heads);
        const QString said = QString::fromStdString(row.saidOf("columns"));
        if (said.isEmpty())
            settings.remove(key);
        else
            settings.setValue(key, said);
    }
}

std::vector<Gpu> ImportPlanModel::nodeOf(
    const std::string& run, const importers::MachineUnit& machine) const {
    std::string model;
    int gpus = 0;
    for (const Row& row : rows()) {
        if (row.unit.machine || row.unit.runName != run)
            continue;
        const std::string said = row.saidOf("gpu");
        model = !said.empty() ? said : model.empty() ? row.unit.gpuModel : model;
        gpus = std::max(gpus, row.unit.gpusPerNode);
    }
    const auto known = std::ranges::find(m_knownRuns, run, &Run::name);
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
    for (const ImportField& field : importFields()) {
        if (row.faulty.contains(field.key))
            return QStringLiteral("%1 of %2 takes %3.")
                .arg(textOf(field.label), path, textOf(field.expected));
    }
    return {};
}

std::vector<UnrecognisedRow> unrecognisedRows(const std::vector<importers::Unrecognised>& files) {
    QStringList paths;
    for (const importers::Unrecognised& file : files)
        paths.append(shownLine(file.path));
    const QStringList briefs = briefNames(paths);
    std::vector<UnrecognisedRow> rows;
    for (std::size_t i = 0; i < files.size(); ++i) {
        const auto at = static_cast<qsizetype>(i);
        rows.push_back({paths[at], briefs[at], shownText(files[i].reason)});
    }
    return rows;
}

} // namespace trainscope::app
