#include "app/viewmodels/session/Session.h"

#include "app/sample/Sample.h"
#include "app/viewmodels/text/Texts.h"
#include "core/store/database/StoreFile.h"

#include <QClipboard>
#include <QDir>
#include <QFileInfo>
#include <QGuiApplication>
#include <QSettings>

namespace trainscope::app {

namespace {

constexpr auto kKey = "recentFiles";

QStringList missingOf(const QStringList& paths) {
    QStringList missing;
    for (const auto& path : paths) {
        if (!QFileInfo::exists(path))
            missing.append(path);
    }
    return missing;
}

std::filesystem::path toPath(const QString& text) {
    return text.toStdString();
}

enum class Dropped { Database, Sqlite, Source }; // kind that a path is taken for

// Files of other names may be run databases too; SQLite files of other programs may be sources.
Dropped kindOf(const QString& path) {
    const bool isNamed = path.endsWith(QLatin1String(".trainscope"), Qt::CaseInsensitive);
    if (isNamed && !QFileInfo(path).isDir())
        return Dropped::Database;
    return store::StoreFile(toPath(path)).isSqlite() ? Dropped::Sqlite : Dropped::Source;
}

} // namespace

RecentFiles::RecentFiles(QObject* parent)
    : RowListModel(
        {{"name",
             [](const RecentFile& file) { return shownLine(QFileInfo(file.path).fileName()); }},
            {"path", &RecentFile::path},
            {"folder",
                [](const RecentFile& file) { return shownLine(QFileInfo(file.path).path()); }},
            {"missing", &RecentFile::missing}},
        parent) {
    std::vector<RecentFile> files;
    for (const auto& path : QSettings().value(QLatin1String(kKey)).toStringList())
        files.push_back({path});
    resetRows(std::move(files));
    refresh();
}

void RecentFiles::add(const QString& path) {
    const auto full = QFileInfo(path).absoluteFilePath();
    if (count() > 0 && rows().front().path == full)
        return refresh();
    auto files = rows();
    std::erase_if(files, [&full](const RecentFile& file) { return file.path == full; });
    files.insert(files.begin(), RecentFile{full});
    files.resize(std::min<std::size_t>(files.size(), kKept));
    resetRows(std::move(files));
    save();
    refresh();
}

void RecentFiles::remove(int row) {
    if (!isThere(row))
        return;
    eraseRows(row);
    save();
}

void RecentFiles::clear() {
    resetRows({});
    save();
}

void RecentFiles::refresh() {
    m_task.ask(
        diskThreads(),
        [paths = paths()](const TaskStage<QStringList>&) { return missingOf(paths); },
        [this](const Result<QStringList>& missing) {
            auto files = rows();
            for (auto& file : files)
                file.missing = missing.value().contains(file.path);
            setRows(std::move(files));
        });
}

void RecentFiles::save() const {
    QSettings().setValue(QLatin1String(kKey), paths());
}

Session::Session(QObject* parent)
    : QObject(parent) {
    connect(&m_views, &Views::failed, &m_notices, &NoticeModel::error);
    connect(&m_views, &Views::informed, &m_notices, &NoticeModel::tell);
    connect(&m_views, &Views::undoOffered, &m_notices, &NoticeModel::offerUndo);
    connect(&m_workspace, &Workspace::unreachable, &m_notices, &NoticeModel::error);
    connect(&m_workspace, &Workspace::shownRunsChanged, this, &Session::factsChanged);
    connect(&m_workspace, &Workspace::runsGrew, this, &Session::factsChanged);
    connect(&m_workspace, &Workspace::shownRunsChanged, this, [this] {
        const Run* shown = leadingRun(&m_workspace);
        std::vector<RunId> chosen;
        for (const Run& run : m_workspace.chosenRuns())
            chosen.push_back(run.id);
        m_maintenance.setChosen(std::move(chosen));
        m_importing.setShownRun(shown == nullptr ? QString() : QString::fromStdString(shown->name));
    });
    connect(&m_workspace, &Workspace::databaseChanged, this, [this] {
        setOpening({});
        m_importing.setOpenDatabase(m_workspace.databasePath());
        m_connecting.setOpenDatabase(m_workspace.databasePath());
        m_maintenance.setDatabase(m_workspace.databasePath());
        m_reportTask.cancel();
        m_reports.setEntries({});
        m_notices.withdrawUndo();
    });
    connect(&m_workspace, &Workspace::runsChanged, this,
        [this] { m_importing.setOpenRuns(m_workspace.runs()); });
    connect(&m_importing, &ImportController::imported, this, &Session::takeImport);
    connect(&m_connecting, &ConnectController::imported, this, &Session::takeImport);
    connect(&m_importing, &ImportController::failed, &m_notices, &NoticeModel::error);
    connect(&m_maintenance, &MaintenanceController::informed, &m_notices, &NoticeModel::inform);
    connect(&m_maintenance, &MaintenanceController::failed, &m_notices, &NoticeModel::error);
    connect(&m_maintenance, &MaintenanceController::changed, this, [this](const QString& text) {
        m_notices.inform(text);
        m_workspace.reload([this](const Status& reloaded) {
            if (!reloaded.hasValue())
                m_notices.error(reloaded.error());
        });
    });
}

void Session::setOpening(const QString& name) {
    if (std::exchange(m_opening, name) != name)
        Q_EMIT openingChanged();
}

QString Session::facts() const {
    const auto& shown = m_workspace.shownRuns();
    if (shown.empty())
        return m_workspace.isOpen() ? QStringLiteral("No run is shown") : QString();
    const Run* found = leadingRun(&m_workspace);
    if (found == nullptr)
        return {};
    if (shown.size() == 1)
        return runFacts(*found);
    std::vector<std::string> names;
    for (const plot::ShownRun& one : shown)
        names.push_back(one.name);
    constexpr std::size_t kMostNamed = 3;
    names = text::tellingNames(names);
    if (names.size() > kMostNamed) {
        const std::size_t others = names.size() - (kMostNamed - 1);
        names.resize(kMostNamed - 1);
        names.push_back(fmt::format("{} others", others));
    }
    return QStringLiteral("%1 runs · %2")
        .arg(shown.size())
        .arg(QString::fromStdString(text::joined(names)));
}

QString Session::simulated() const {
    const auto runs = m_workspace.chosenRuns();
    const auto count = std::ranges::count_if(runs, &Run::simulated);
    if (count == 0)
        return {};
    return count == static_cast<std::ptrdiff_t>(runs.size())
        ? QStringLiteral("simulated")
        : QStringLiteral("%1 of %2 simulated").arg(count).arg(runs.size());
}

void Session::openPaths(const QStringList& paths) {
    if (paths.isEmpty())
        return;
    QStringList full;
    for (const auto& path : paths)
        full.append(QDir::cleanPath(QFileInfo(path).absoluteFilePath()));
    if (full.size() > 1)
        return import(full);
    setOpening(QFileInfo(full.first()).fileName());
    m_lookTask.ask(
        diskThreads(),
        [path = full.first()](const TaskStage<Look>&) {
            const Dropped kind = kindOf(path);
            return Look([kind, path](Session& session) {
                if (kind == Dropped::Source)
                    session.import({path});
                else if (kind == Dropped::Database)
                    session.openDatabase(path, {});
                else
                    session.openOrImport(path);
            });
        },
        [this](const Result<Look>& look) { look.value()(*this); });
}

void Session::openOrImport(const QString& path) {
    m_views.setFirstView(Views::Overview);
    m_workspace.open(toPath(path), [this, path](const Status& opened) {
        if (opened.hasValue())
            m_recent.add(path);
        else
            import({path});
    });
}

void Session::import(const QStringList& paths) {
    setOpening({});
    if (!m_importing.begin(paths))
        m_notices.inform(QStringLiteral("An import is under way: finish or close it first."));
}

void Session::openUrls(const QList<QUrl>& urls) {
    QStringList paths;
    for (const auto& url : urls) {
        if (url.isLocalFile())
            paths.append(url.toLocalFile());
        else
            m_notices.error({ErrorCode::Unreadable,
                "Only files and folders of this machine can be opened. Copy it here first.",
                url.toDisplayString().toStdString()});
    }
    openPaths(paths);
}

void Session::openRecent(const QString& path) {
    m_lookTask.cancel();
    m_sampleTask.cancel();
    openDatabase(path, {});
}

void Session::openSample() {
    m_sampleTask.ask(
        diskThreads(),
        [](const TaskStage<Look>&) {
            return Look(
                [sample = sampleDatabase()](Session& session) { session.showSample(sample); });
        },
        [this](const Result<Look>& look) { look.value()(*this); });
}

void Session::showSample(const Result<std::filesystem::path>& sample) {
    if (!sample.hasValue())
        return m_notices.error(sample.error());
    m_views.setFirstView(Views::Compare);
    m_workspace.open(sample.value(), [this](const Status& opened) {
        if (!opened.hasValue())
            return m_notices.error(opened.error());
        // One job on two clusters; beside them stands a recording of another.
        std::vector<RunId> simulated;
        for (const auto& run : m_workspace.runs()) {
            if (run.simulated)
                simulated.push_back(run.id);
        }
        m_workspace.setShown(simulated);
    });
}

void Session::closeDatabase() {
    m_lookTask.cancel();
    m_sampleTask.cancel();
    m_workspace.close();
}

void Session::openDatabase(const QString& path, const std::function<void()>& then) {
    m_views.setFirstView(Views::Overview);
    m_workspace.open(toPath(path), [this, path, then](const Status& opened) {
        setOpening({});
        if (!opened.hasValue()) {
            m_notices.error(opened.error());
            m_recent.refresh();
            return;
        }
        m_recent.add(path);
        if (then)
            then();
    });
}

void Session::takeImport(const QString& database, const QStringList& runNames) {
    const auto show = [this, runNames] {
        const Run* richest = m_workspace.richestRun([&runNames](const Run& run) {
            return runNames.contains(QString::fromStdString(run.name));
        });
        if (richest != nullptr)
            m_workspace.setShown({richest->id});
        m_views.setView(Views::Overview);
        if (const auto before = m_importing.takeRunsBefore())
            offerUndo(runNames, *before);
    };
    const QString open = m_workspace.databasePath();
    m_sameTask.ask(
        diskThreads(),
        [database, open](const TaskStage<bool>&) { return QFileInfo(database) == QFileInfo(open); },
        [=, this](const Result<bool>& same) {
            if (!m_workspace.isOpen() || !same.value() || m_workspace.databasePath() != open)
                return openDatabase(database, show);
            m_workspace.reload([this, show](const Status& reloaded) {
                if (!reloaded.hasValue())
                    return m_notices.error(reloaded.error());
                show();
            });
        });
}

bool Session::hasImports() const {
    return std::ranges::any_of(
        m_imports, [this](const auto& one) { return one.first == m_workspace.databasePath(); });
}

// Runs that were there before keep what they got.
void Session::offerUndo(const QStringList& runNames, const QStringList& before) {
    QStringList added;
    std::int64_t old = 0;
    for (const Run& run : m_workspace.runs()) {
        const QString name = QString::fromStdString(run.name);
        if (before.contains(name))
            old += runNames.contains(name) ? 1 : 0;
        else if (runNames.contains(name))
            added.append(name);
    }
    const QString kept = old == 0
        ? QString()
        : QStringLiteral("%1 there before got more, which stays.").arg(countedText(old, "run"));
    if (added.isEmpty())
        return m_notices.inform(kept);
    m_notices.offerUndo(countedText(added.size(), "run") + QStringLiteral(" added. ") + kept,
        [this] { undoImport(); });
    m_imports.emplace_back(m_workspace.databasePath(), std::move(added));
    Q_EMIT factsChanged();
}

void Session::undoImport() {
    if (!hasImports() || m_maintenance.working())
        return;
    auto last = std::prev(m_imports.end());
    while (last->first != m_workspace.databasePath())
        --last;
    m_maintenance.removeRuns(last->second);
    m_imports.erase(last);
    m_notices.withdrawUndo();
    Q_EMIT factsChanged();
}

void Session::readReports() {
    if (!m_workspace.isOpen())
        return;
    using Sources = std::vector<store::Source>;
    m_reportTask.ask(
        m_workspace.readers(),
        [](const store::Store& store, const TaskStage<Sources>&) { return store.sources(); },
        [this](const Result<Sources>& sources) {
            if (!sources.hasValue())
                return m_notices.error(sources.error());
            std::vector<ImportReportModel::Entry> entries;
            for (const auto& source : sources.value())
                entries.push_back(ImportReportModel::entryOf(source, m_workspace.runs()));
            m_reports.setEntries(std::move(entries));
        });
}

void Session::copyText(const QString& text) {
    QGuiApplication::clipboard()->setText(forFiles(text));
    m_notices.inform(QStringLiteral("Copied."));
}

} // namespace trainscope::app
