#pragma once
// One window's session: the workspace and everything around it that is not a view: opening files,
// what was opened lately, imports, messages, changes to the runs. GUI thread only.

#include "app/viewmodels/importing/ConnectController.h"
#include "app/viewmodels/importing/ImportController.h"
#include "app/viewmodels/importing/ImportReportModel.h"
#include "app/viewmodels/session/MaintenanceController.h"
#include "app/viewmodels/session/RecentFiles.h"
#include "app/viewmodels/window/NoticeModel.h"
#include "app/viewmodels/workspace/Places.h"
#include "app/viewmodels/workspace/Task.h"
#include "app/viewmodels/workspace/Views.h"
#include "app/viewmodels/workspace/Workspace.h"

#include <QObject>
#include <QQmlEngine>
#include <QUrl>

#include <filesystem>
#include <functional>

namespace trainscope::app {

class Session : public QObject {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(trainscope::app::Workspace* workspace READ workspace CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::Views* views READ views CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::Places* places READ places CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::RecentFiles* recent READ recent CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::NoticeModel* notices READ notices CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::ImportController* importing READ importing CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::ConnectController* connecting READ connecting CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::MaintenanceController* maintenance READ maintenance CONSTANT FINAL)
    // The reports of everything in the open database; filled by readReports().
    Q_PROPERTY(trainscope::app::ImportReportModel* reports READ reports CONSTANT FINAL)
    Q_PROPERTY(QString facts READ facts NOTIFY factsChanged FINAL)
    // Remark on the shown runs: "simulated", "2 of 3 simulated"; empty: none is.
    Q_PROPERTY(QString simulated READ simulated NOTIFY factsChanged FINAL)
    Q_PROPERTY(QString version READ version CONSTANT FINAL)

public:
    explicit Session(QObject* parent = nullptr);

    [[nodiscard]] Workspace* workspace() { return &m_workspace; }
    [[nodiscard]] Views* views() { return &m_views; }
    [[nodiscard]] Places* places() { return &m_places; }
    [[nodiscard]] RecentFiles* recent() { return &m_recent; }
    [[nodiscard]] NoticeModel* notices() { return &m_notices; }
    [[nodiscard]] ImportController* importing() { return &m_importing; }
    [[nodiscard]] ConnectController* connecting() { return &m_connecting; }
    [[nodiscard]] MaintenanceController* maintenance() { return &m_maintenance; }
    [[nodiscard]] ImportReportModel* reports() { return &m_reports; }
    [[nodiscard]] QString facts() const;
    [[nodiscard]] QString simulated() const;
    [[nodiscard]] QString version() const;

    // A single run database is opened; anything else goes to the import sheet.
    void openPaths(const QStringList& paths);
    Q_INVOKABLE void openUrls(const QList<QUrl>& urls);
    Q_INVOKABLE void openUrl(const QUrl& url);
    Q_INVOKABLE void openRecent(const QString& path);
    Q_INVOKABLE void openSample();
    Q_INVOKABLE void closeDatabase();

    Q_INVOKABLE void readReports();
    Q_INVOKABLE void copyText(const QString& text);

Q_SIGNALS:
    void factsChanged();

private:
    // `then` once it is open; otherwise a notice says why not.
    void openDatabase(const QString& path, const std::function<void()>& then);
    void openOrImport(const QString& path);
    void import(const QStringList& paths);
    void showSample(const Result<std::filesystem::path>& sample);
    void takeImport(const QString& database, const QStringList& runNames);

    Workspace m_workspace;
    Views m_views{m_workspace};
    Places m_places{m_views};
    RecentFiles m_recent;
    NoticeModel m_notices;
    ImportController m_importing;
    ConnectController m_connecting;
    MaintenanceController m_maintenance;
    ImportReportModel m_reports;
    Task<std::vector<store::Source>> m_reportTask;
    // Does with a path what it turned out to be for.
    using Look = std::function<void(Session&)>;
    Task<Look> m_lookTask; // at what is to be opened
    Task<Look> m_sampleTask; // files that are given beside the sample are looked at meanwhile
    Task<bool> m_sameTask; // the database that an import went into is the open one
};

} // namespace trainscope::app
