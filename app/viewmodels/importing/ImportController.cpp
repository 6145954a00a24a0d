#include "app/viewmodels/importing/ImportController.h"

#include "app/sample/Sample.h"
#include "app/viewmodels/text/Texts.h"
#include "core/model/InteractiveThread.h"
#include "core/model/Try.h"
#include "core/store/Writing.h"
#include "core/store/database/StoreFile.h"
#include "importers/registry/JoinSuggestions.h"
#include "importers/registry/Registry.h"

#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>

#include <system_error>

namespace trainscope::app {
namespace {

QString baseName(const QFileInfo& source) {
    if (source.isDir())
        return source.fileName().isEmpty() ? QStringLiteral("runs") : shownLine(source.fileName());
    auto name = source.fileName();
    for (const auto* suffix : {".gz", ".zst", ".json", ".pt.trace", ".csv", ".txt", ".log"}) {
        if (name.endsWith(QLatin1String(suffix), Qt::CaseInsensitive))
            name.chop(static_cast<qsizetype>(qstrlen(suffix)));
    }
    return name.isEmpty() ? QStringLiteral("runs") : shownLine(name);
}

bool isSample(const QString& database) {
    const auto sample = sampleDatabase();
    return sample.hasValue()
        && QFileInfo(QString::fromStdString(sample.value().string())) == QFileInfo(database);
}

// A database is a quarter of the text that it is made of, or less.
constexpr std::uint64_t kSourcePerDatabase = 4;

TargetCheck writingInto(const QString& database, std::uint64_t sourceBytes) {
    if (database.trimmed().isEmpty())
        return {QStringLiteral("Say which database takes the runs.")};
    if (QFileInfo(database).isRelative())
        return {QStringLiteral("Give the whole path of the database, from /.")};
    if (isSample(database))
        return {QStringLiteral("The built-in sample takes no runs.")};
    const std::filesystem::path path = database.toStdString();
    if (const Status status = store::checkWritable(path); !status.hasValue())
        return {shownText(status.error().message)};
    const auto room = store::freeSpaceAt(path.parent_path());
    if (room && *room < sourceBytes / kSourcePerDatabase)
        return {{}, QStringLiteral("Only %1 are free on its disk.").arg(bytesText(*room))};
    return {};
}

constexpr int kTargetInterval = 2000; // ms
const auto kSuffix = QStringLiteral(".trainscope");
constexpr double kUnknown = -1.0;

ImportProgress seenOf(const ProgressState& state) {
    ImportProgress seen;
    seen.phase = state.phase;
    seen.bytesDone = state.bytesDone;
    seen.bytesTotal = state.bytesTotal;
    seen.fraction = std::max(0.0, fractionOf(state));
    return seen;
}

// The open database can be merged into another one only.
void leaveOutTarget(std::vector<importers::ImportUnit>& units, const importers::SourceTree& tree,
    const std::filesystem::path& target) {
    for (auto& unit : units) {
        std::error_code failure;
        if (isRunDatabase(unit)
            && std::filesystem::equivalent(tree.displayPath(unit.path), target, failure)) {
            unit.enabled = false;
            unit.notes.push_back(
                QStringLiteral("It is the database that takes the runs.").toStdString());
        }
    }
}

// Attempts are a line for each folder; copies of them are counted there.
std::vector<importers::Unrecognised> leftOut(const std::vector<importers::Unrecognised>& files) {
    std::vector<importers::Unrecognised> rows;
    for (const std::string& line : importers::attemptLines(files))
        rows.push_back({line.substr(0, line.find(": ")), line.substr(line.find(": ") + 2)});
    std::ranges::copy(importers::onlyAttempts(files, false), std::back_inserter(rows));
    return rows;
}

} // namespace

QString suggestedDatabase(const QStringList& sources) {
    assertMayBlock("looks for a folder that can be written");
    const QFileInfo first(QDir::cleanPath(sources.first()));
    // A run database goes into another one.
    const bool isMerge = store::StoreFile(first.filePath().toStdString()).isRunDatabase();
    const auto name = isMerge ? QStringLiteral("merged.trainscope")
                              : QStringLiteral("%1.trainscope").arg(baseName(first));
    if (QFileInfo(first.path()).isWritable())
        return QDir(first.path()).filePath(name);
    const auto documents = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
    const bool usable = QFileInfo(documents).isWritable();
    return QDir(usable ? documents : QDir::homePath()).filePath(name);
}

bool canAddTo(const QString& database) {
    assertMayBlock("asks whether a database can be written");
    const QFileInfo file(database);
    return file.isWritable() && QFileInfo(file.path()).isWritable() && !isSample(database);
}

TargetCheck checkTarget(const QString& database, std::uint64_t sourceBytes) {
    assertMayBlock("asks whether a database can be written");
    TargetCheck check = writingInto(database, sourceBytes);
    check.exists = QFileInfo::exists(database);
    return check;
}

TargetAnswer answerOf(const TargetQuestion& question) {
    TargetAnswer answer;
    answer.canUseOpen = !question.openDatabase.isEmpty() && canAddTo(question.openDatabase);
    const bool isOpen = question.prefersOpen && answer.canUseOpen;
    answer.target
        = checkTarget(isOpen ? question.openDatabase : question.newDatabase, question.sourceBytes);
    return answer;
}

ImportController::ImportController(QObject* parent)
    : QObject(parent) {
    m_recheck.setInterval(kTargetInterval);
    connect(&m_recheck, &QTimer::timeout, this, &ImportController::checkTargetAgain);
    connect(&m_plan, &ImportPlanModel::changed, this, &ImportController::problemChanged);
}

ImportController::~ImportController() {
    m_planning.stop();
    m_importing.stop();
    m_planning.ending().waitForFinished();
    m_importing.ending().waitForFinished();
}

Result<ImportController::Drop> ImportController::planDrop(
    const QStringList& paths, const QString& open, const Progress& progress) {
    Drop drop;
    drop.openTarget = !open.isEmpty() && canAddTo(open) ? open : QString();
    ImportSources sources;
    for (const QString& path : paths)
        sources.paths.push_back(path.toStdString());
    sources.database = drop.openTarget.toStdString();
    ASSIGN_OR_RETURN(drop.import, planGiven(sources, progress));
    const auto& failures = drop.import.given.failures;
    if (failures.size() == sources.paths.size())
        return failures.front();
    for (const Error& failure : failures)
        drop.import.plan.unrecognised.push_back({failure.where, failure.message});
    leaveOutTarget(drop.import.unitsThere, *drop.import.given.tree, sources.database);
    std::erase_if(drop.import.plan.units, [&drop](const auto& unit) {
        if (!unit.copyOf.empty())
            drop.import.plan.unrecognised.push_back({unit.path, "a copy of " + unit.copyOf});
        return !unit.copyOf.empty();
    });
    std::erase_if(drop.import.unitsThere, [](const auto& unit) { return !unit.copyOf.empty(); });
    drop.newTarget = suggestedDatabase(paths);
    drop.isFolder = QFileInfo(paths.first()).isDir();
    return drop;
}

bool ImportController::begin(const QStringList& paths) {
    // Names and merges of a review would be lost.
    const bool isReviewed = m_stage == Stage::Review && m_plan.count() > 0;
    // Dialogs of some desktops tell of one choice twice.
    if (paths == m_paths && (m_stage == Stage::Planning || isReviewed))
        return true;
    if (paths.isEmpty() || m_stage == Stage::Planning || isReviewed || m_stage == Stage::Importing)
        return false;
    m_paths = paths;
    m_newDatabase.clear();
    m_openIsWritable = false;
    m_useOpen = true;
    m_plan.setUnits({});
    m_unrecognised.setRows({});
    m_isStopping = false;
    m_progress = {};
    m_planning.ask(
        *QThreadPool::globalInstance(),
        [this, paths, open = m_openDatabase](const TaskStage<Drop>& stage) {
            return planDrop(paths, open, stage.progress([this, &stage](const ProgressState& state) {
                stage.tell([this, seen = seenOf(state)] { takeProgress(seen); });
            }));
        },
        [this](Result<Drop> planned) { takePlan(std::move(planned)); });
    setStage(Stage::Planning);
    takeTarget();
    return true;
}

void ImportController::takePlan(Result<Drop> planned) {
    if (!planned.hasValue()) {
        setStage(Stage::Idle);
        Q_EMIT failed(planned.error());
        return;
    }
    if (m_isStopping)
        return setStage(Stage::Idle);
    m_planned = std::make_shared<Drop>(std::move(planned).value());
    m_newDatabase = m_planned->newTarget;
    m_openIsWritable = !m_openDatabase.isEmpty() && m_openDatabase == m_planned->openTarget;
    proposeShownRun();
    const PlannedImport& import = m_planned->import;
    m_isForOpen = useOpen() && !import.unitsThere.empty();
    m_plan.setUnits(m_isForOpen ? import.unitsThere : import.plan.units);
    m_unrecognised.setRows(unrecognisedRows(leftOut(import.plan.unrecognised)));
    Q_EMIT suggestionsChanged();
    setStage(Stage::Review);
    takeTarget();
}

QStringList ImportController::suggestions() const {
    QStringList sentences;
    for (std::size_t i = 0; m_planned && i < m_planned->import.plan.suggestions.size(); ++i) {
        const importers::JoinSuggestion& one = m_planned->import.plan.suggestions[i];
        sentences
            += shownLine(importers::listNames(one.runs) + " could be one run: " + one.why + ".");
    }
    return sentences;
}

// On a worker, since traces are read for the GPUs that they ran on.
void ImportController::joinSuggested(int row) {
    if (m_stage != Stage::Review || row < 0 || row >= suggestions().size())
        return;
    Drop drop = *m_planned;
    drop.newTarget = m_newDatabase;
    drop.import.plan.units = m_plan.units();
    m_planning.ask(
        *QThreadPool::globalInstance(),
        [drop = std::move(drop), row](const TaskStage<Drop>&) -> Result<Drop> {
            Drop joined = drop;
            PlannedImport& import = joined.import;
            const auto runs = import.plan.suggestions[static_cast<std::size_t>(row)].runs;
            RETURN_IF_ERROR(importers::joinRuns(*import.given.tree, import.plan, runs));
            if (!import.unitsThere.empty())
                import.unitsThere = import.plan.units;
            return joined;
        },
        [this](Result<Drop> joined) { takePlan(std::move(joined)); });
}

void ImportController::proposeShownRun() {
    if (!useOpen() || m_shownRun.isEmpty())
        return;
    for (auto& unit : m_planned->import.unitsThere) {
        if (!unit.machine || !unit.machine->runs.empty())
            continue;
        unit.runName = m_shownRun.toStdString();
        unit.notes
            = {QStringLiteral("Describes the machine of a run; proposed is the one that is shown.")
                    .toStdString()};
    }
}

void ImportController::start() {
    if (m_stage != Stage::Review || !m_plan.valid())
        return;
    settleTarget();
    m_startsWhenChecked = true;
}

void ImportController::importInto(const QString& database) {
    m_plan.keepColumns();
    m_planned->import.plan.units = m_plan.units();
    m_planned->import.machines = m_plan.machines();
    m_isStopping = false;
    m_progress = {};
    m_meter.restart();
    m_importedInto = database;
    m_runsBefore.reset();
    if (useOpen() || !m_target.exists)
        m_runsBefore.emplace();
    for (std::size_t i = 0; useOpen() && i < m_openRuns.size(); ++i)
        m_runsBefore->append(QString::fromStdString(m_openRuns[i].name));
    const std::filesystem::path path = database.toStdString();
    m_importing.ask(
        *QThreadPool::globalInstance(),
        [this, planned = m_planned, path](const TaskStage<Imported>& stage) -> Result<Imported> {
            Imported imported;
            ASSIGN_OR_RETURN(imported.outcomes,
                importPlanned(planned->import, path,
                    [this, &stage, pace = TaskPace()](const ImportProgress& progress) mutable {
                        if (pace.isDue())
                            stage.tell([this, progress] { takeProgress(progress); });
                        return !stage.isCancelled();
                    }));
            imported.runs = importedRuns(imported.outcomes, path, stage.progress());
            return imported;
        },
        [this](const Result<Imported>& imported) { takeOutcomes(imported); });
    setStage(Stage::Importing);
}

void ImportController::takeOutcomes(const Result<Imported>& made) {
    if (!made.hasValue()) {
        setStage(m_isStopping ? Stage::Idle : Stage::Review);
        Q_EMIT failed(made.error());
        return;
    }
    std::vector<ImportReportModel::Entry> entries;
    QStringList runNames;
    for (const auto& outcome : made.value().outcomes) {
        runNames += listOf(outcome.runs);
        const auto path = m_planned->import.given.tree->displayPath(outcome.unit.path);
        entries.push_back(ImportReportModel::entryOf(outcome, QString::fromStdString(path)));
    }
    const auto& runs = made.value().runs;
    m_report.setEntries(std::move(entries), runs.valueOr({}));
    m_planned.reset();
    setStage(Stage::Finished);
    if (!runs.hasValue() && runs.error().code != ErrorCode::Cancelled)
        Q_EMIT failed(runs.error());
    if (!runNames.isEmpty())
        Q_EMIT imported(m_importedInto, runNames);
}

void ImportController::cancel() {
    if (m_stage == Stage::Planning || m_stage == Stage::Importing) {
        m_planning.stop();
        m_importing.stop();
        m_isStopping = true;
        Q_EMIT progressChanged();
        return;
    }
    m_planned.reset();
    setStage(Stage::Idle);
}

void ImportController::takeProgress(const ImportProgress& progress) {
    m_progress = progress;
    m_meter.add(QDateTime::currentMSecsSinceEpoch(), m_progress.bytesDone, fraction());
    Q_EMIT progressChanged();
}

void ImportController::setStage(Stage stage) {
    m_stage = stage;
    m_startsWhenChecked = false;
    if (stage == Stage::Review) {
        m_recheck.start();
    } else {
        m_recheck.stop();
        m_targetTask.cancel();
    }
    Q_EMIT stageChanged();
    Q_EMIT progressChanged();
}

void ImportController::setOpenDatabase(const QString& path) {
    if (path != m_openDatabase)
        m_openIsWritable = false;
    m_openDatabase = path;
    takeTarget();
}

void ImportController::setOpenRuns(std::vector<Run> runs) {
    m_openRuns = std::move(runs);
    takeTarget();
}

void ImportController::setTarget(const QUrl& file) {
    setTargetText(file.isLocalFile() ? file.toLocalFile() : file.toString());
    settleTarget();
}

void ImportController::setTargetText(const QString& path) {
    if (path == targetPath())
        return;
    m_newDatabase = path;
    m_useOpen = false;
    m_startsWhenChecked = false;
    takeTarget();
}

void ImportController::settleTarget() {
    const bool isWhole = m_newDatabase.isEmpty() || m_newDatabase.endsWith(kSuffix)
        || m_newDatabase.endsWith(QLatin1Char('/'));
    if (!useOpen() && !isWhole)
        m_newDatabase += kSuffix;
    takeTarget();
}

void ImportController::checkTargetAgain() {
    if (m_stage != Stage::Review)
        return;
    const TargetQuestion question{m_openDatabase, m_newDatabase, m_useOpen, m_plan.selectedBytes()};
    m_targetTask.ask(
        diskThreads(), [question](const TaskStage<TargetAnswer>&) { return answerOf(question); },
        [this](const Result<TargetAnswer>& answer) { takeAnswer(answer.value()); });
}

void ImportController::takeTarget() {
    if (m_stage != Stage::Review)
        m_target = {};
    checkTargetAgain();
    tellTarget();
}

void ImportController::takeAnswer(const TargetAnswer& answer) {
    if (answer != TargetAnswer{m_target, m_openIsWritable}) {
        m_target = answer.target;
        m_openIsWritable = answer.canUseOpen;
        tellTarget();
    }
    if (std::exchange(m_startsWhenChecked, false) && problem().isEmpty())
        importInto(targetPath());
}

// Also which runs topologies can describe there, and which runs the sources are of.
void ImportController::tellTarget() {
    const bool isForOpen = useOpen() && m_planned && !m_planned->import.unitsThere.empty();
    if (m_stage == Stage::Review && m_planned && isForOpen != m_isForOpen) {
        const auto& alone = m_planned->import.plan.units;
        const auto& joined = m_planned->import.unitsThere;
        m_plan.changeProposals(isForOpen ? alone : joined, isForOpen ? joined : alone);
        m_isForOpen = isForOpen;
    }
    m_plan.setKnownRuns(useOpen() ? m_openRuns : std::vector<Run>());
    Q_EMIT targetChanged();
    Q_EMIT problemChanged();
}

QString ImportController::problem() const {
    const QString ofPlan = m_plan.problem();
    return ofPlan.isEmpty() ? m_target.problem : ofPlan;
}

void ImportController::setUseOpen(bool use) {
    if (use == std::exchange(m_useOpen, use))
        return;
    m_startsWhenChecked = false;
    takeTarget();
}

QStringList ImportController::formats() {
    QStringList lines;
    for (const importers::Importer* importer : importers::registry())
        lines.append(textOf(importer->format.description));
    return lines;
}

QString ImportController::emptyText() const {
    return m_unrecognised.count() == 0
        ? QStringLiteral("There is nothing in %1.").arg(sourceText())
        : QStringLiteral("Nothing in %1 can be read as a run.").arg(sourceText());
}

QString ImportController::sourceText() const {
    if (m_paths.size() == 1)
        return shownLine(m_paths.first());
    return QStringLiteral("%1 files and folders").arg(m_paths.size());
}

QString ImportController::targetNote() const {
    QStringList parts{useOpen() ? QStringLiteral("Adds to the database that is open.")
            : m_target.exists   ? QStringLiteral("This database exists: the runs are added to it.")
                                : QStringLiteral("A new database."),
        m_target.remark};
    parts.removeAll(QString());
    return parts.join(QLatin1Char(' '));
}

double ImportController::fraction() const {
    return m_progress.bytesTotal == 0 ? kUnknown : m_progress.fraction;
}

QVariantMap ImportController::progress() const {
    const bool isKnown = m_progress.bytesTotal > 0;
    const auto rate = m_meter.rate();
    const auto left = m_meter.secondsLeft();
    QString unit;
    if (m_planned && m_progress.unit < m_planned->import.plan.units.size()) {
        const PlannedImport& import = m_planned->import;
        unit = shownLine(import.given.tree->displayPath(import.plan.units[m_progress.unit].path));
    }
    return {{QStringLiteral("fraction"), fraction()},
        {QStringLiteral("unitFraction"),
            m_progress.unitBytesTotal == 0 ? kUnknown : m_progress.unitFraction},
        // The phase may name a file.
        {QStringLiteral("phase"),
            stopping() ? QStringLiteral("Stopping…") : shownLine(m_progress.phase)},
        {QStringLiteral("unit"), unit},
        {QStringLiteral("amount"),
            isKnown ? QStringLiteral("%1 of %2")
                          .arg(bytesText(m_progress.bytesDone), bytesText(m_progress.bytesTotal))
                    : QString()},
        {QStringLiteral("rate"), rate ? bytesRateText(*rate) : QString()},
        {QStringLiteral("timeLeft"),
            left ? QStringLiteral("%1 left").arg(waitText(*left)) : QString()}};
}

} // namespace trainscope::app
