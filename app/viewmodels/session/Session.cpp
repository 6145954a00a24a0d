#include "app/viewmodels/session/Session.h"

#include "app/sample/Sample.h"
#include "app/viewmodels/text/RunWording.h"

#include <QClipboard>
#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>
#include <QGuiApplication>

#include <algorithm>

namespace trainscope::app {

namespace {

std::filesystem::path toPath(const QString& text) {
    return text.toStdString();
}

bool isSqlite(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) && file.read(15) == QByteArray("SQLite format 3");
}

// Files of other names may be run databases too; SQLite files of other programs may be sources.
bool isRunDatabase(const QString& path) {
    if (QFileInfo(path).isDir())
        return false;
    if (path.endsWith(QLatin1String(".trainscope"), Qt::CaseInsensitive))
        return true;
    return isSqlite(path) && store::Store::open(toPath(path), store::OpenMode::ReadOnly).hasValue();
}

} // namespace

Session::Session(QObject* parent)
    : QObject(parent) {
    m_views.setWorkspace(&m_workspace);
    connect(&m_views, &Views::failed, &m_notices, &NoticeModel::error);
    connect(&m_workspace, &Workspace::shownRunsChanged, this, &Session::factsChanged);
    connect(&m_workspace, &Workspace::shownRunsChanged, this, [this] {
        const Run* shown = shownRun();
        m_importing.setShownRun(shown == nullptr ? QString() : QString::fromStdString(shown->name));
    });
    connect(&m_workspace, &Workspace::databaseChanged, this, [this] {
        m_importing.setOpenDatabase(m_workspace.databasePath());
        m_maintenance.setDatabase(m_workspace.databasePath());
        m_reports.setEntries({});
    });
    connect(&m_importing, &ImportController::imported, this, &Session::takeImport);
    connect(&m_importing, &ImportController::failed, &m_notices, &NoticeModel::error);
    connect(&m_maintenance, &MaintenanceController::informed, &m_notices, &NoticeModel::inform);
    connect(&m_maintenance, &MaintenanceController::failed, &m_notices, &NoticeModel::error);
    connect(&m_maintenance, &MaintenanceController::changed, this, [this](const QString& text) {
        m_notices.inform(text);
        if (const auto reloaded = m_workspace.reload(); !reloaded.hasValue())
            m_notices.error(reloaded.error());
    });
}

const Run* Session::shownRun() const {
    const auto& shown = m_workspace.shownRuns();
    const auto& runs = m_workspace.runs();
    const auto found = std::find_if(runs.begin(), runs.end(),
        [&shown](const Run& run) { return !shown.empty() && run.id == shown.front().id; });
    return found == runs.end() ? nullptr : &*found;
}

QString Session::facts() const {
    const auto& shown = m_workspace.shownRuns();
    if (shown.empty())
        return m_workspace.isOpen() ? tr("No run is shown") : QString();
    const Run* found = shownRun();
    if (found == nullptr)
        return {};
    if (shown.size() == 1)
        return runFacts(*found);
    return tr("%1 runs · %2 and others").arg(shown.size()).arg(QString::fromStdString(found->name));
}

bool Session::simulated() const {
    const auto& runs = m_workspace.runs();
    return std::any_of(
        m_workspace.shownRuns().begin(), m_workspace.shownRuns().end(), [&runs](const auto& shown) {
            return std::any_of(runs.begin(), runs.end(),
                [&shown](const Run& run) { return run.id == shown.id && run.simulated; });
        });
}

QString Session::version() const {
    return QStringLiteral(TRAINSCOPE_VERSION);
}

void Session::openPaths(const QStringList& paths) {
    if (paths.isEmpty())
        return;
    QStringList full;
    for (const auto& path : paths)
        full.append(QFileInfo(path).absoluteFilePath());
    if (full.size() == 1 && isRunDatabase(full.first())) {
        openDatabase(full.first());
        return;
    }
    if (!m_importing.begin(full))
        m_notices.inform(tr("An import is under way: wait for it or stop it first."));
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
    openDatabase(path);
}

void Session::openSample() {
    const auto sample = sampleDatabase();
    if (!sample.hasValue())
        return m_notices.error(sample.error());
    m_views.setFirstView(Views::Compare);
    if (const auto opened = m_workspace.open(sample.value()); !opened.hasValue())
        return m_notices.error(opened.error());
    // They are made to be compared.
    std::vector<RunId> all;
    for (const auto& run : m_workspace.runs())
        all.push_back(run.id);
    m_workspace.setShown(all);
}

void Session::closeDatabase() {
    m_workspace.close();
}

bool Session::openDatabase(const QString& path) {
    m_views.setFirstView(Views::Timeline);
    const auto opened = m_workspace.open(toPath(path));
    if (!opened.hasValue()) {
        m_notices.error(opened.error());
        m_recent.refresh();
        return false;
    }
    m_recent.add(path);
    return true;
}

void Session::takeImport(const QString& database, const QStringList& runNames) {
    if (m_workspace.isOpen() && QFileInfo(database) == QFileInfo(m_workspace.databasePath())) {
        if (const auto reloaded = m_workspace.reload(); !reloaded.hasValue())
            return m_notices.error(reloaded.error());
    } else if (!openDatabase(database)) {
        return;
    }
    for (const auto& run : m_workspace.runs()) {
        if (runNames.contains(QString::fromStdString(run.name)))
            return m_workspace.setShown({run.id});
    }
}

void Session::renameRun(const QString& name, const QString& newName) {
    const auto wanted = newName.trimmed();
    if (wanted.isEmpty() || wanted == name)
        return;
    m_maintenance.renameRun(name, wanted);
}

void Session::removeRun(const QString& name) {
    m_maintenance.removeRun(name);
}

void Session::readReports() {
    if (!m_workspace.isOpen())
        return;
    const auto sources = m_workspace.store()->sources();
    if (!sources.hasValue())
        return m_notices.error(sources.error());
    std::vector<ImportReportModel::Entry> entries;
    for (const auto& source : sources.value())
        entries.push_back(ImportReportModel::entryOf(source, m_workspace.runs()));
    m_reports.setEntries(std::move(entries));
}

void Session::copyText(const QString& text) {
    QGuiApplication::clipboard()->setText(text);
    m_notices.inform(tr("Copied."));
}

} // namespace trainscope::app
