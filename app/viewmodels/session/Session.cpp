#include "app/viewmodels/session/Session.h"

#include "app/sample/Sample.h"
#include "app/viewmodels/text/HumanText.h"
#include "app/viewmodels/text/RunWording.h"
#include "core/store/database/StoreFile.h"
#include "core/text/Names.h"

#include <QClipboard>
#include <QDir>
#include <QFileInfo>
#include <QGuiApplication>

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace trainscope::app {

namespace {

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
        m_importing.setShownRun(shown == nullptr ? QString() : QString::fromStdString(shown->name));
    });
    connect(&m_workspace, &Workspace::databaseChanged, this, [this] {
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

QString Session::version() const {
    return QStringLiteral(TRAINSCOPE_VERSION);
}

void Session::openPaths(const QStringList& paths) {
    if (paths.isEmpty())
        return;
    QStringList full;
    for (const auto& path : paths)
        full.append(QDir::cleanPath(QFileInfo(path).absoluteFilePath()));
    if (full.size() > 1)
        return import(full);
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

void Session::openUrl(const QUrl& url) {
    openUrls({url});
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
