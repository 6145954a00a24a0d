#pragma once
// One window's session: the workspace and everything around it that is not a view: opening files,
// what was opened lately, imports, messages, changes to the runs. GUI thread only.

#include "app/viewmodels/importing/ConnectController.h"
#include "app/viewmodels/importing/ImportController.h"
#include "app/viewmodels/importing/ImportReportModel.h"
#include "app/viewmodels/session/MaintenanceController.h"
#include "app/viewmodels/window/NoticeModel.h"
#include "app/viewmodels/window/RowListModel.h"
#include "app/viewmodels/workspace/Task.h"
#include "app/viewmodels/workspace/Views.h"
#include "app/viewmodels/workspace/Workspace.h"

#include <QQmlEngine>

namespace trainscope::app {

// The run databases opened lately, newest first, kept in the user's settings. Their existence is
// checked in the background, since they may lie on a network drive that sleeps.

struct RecentFile {
    QString path;
    bool missing = false;
    bool operator==(const RecentFile&) const = default;
};

class RecentFiles : public RowListModel<RecentFile> {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(int count READ count NOTIFY countChanged FINAL)

public:
    explicit RecentFiles(QObject* parent = nullptr);

    [[nodiscard]] QStringList paths() const { return listOf(rows(), &RecentFile::path); }

    void add(const QString& path);
    Q_INVOKABLE void remove(int row);
    Q_INVOKABLE void clear();
    // Looks again which of them exist.
    void refresh();

    static constexpr int kKept = 12;

private:
    void save() const;

    Task<QStringList> m_task{Asking::InTurn}; // those that are missing
};

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
    // Name of what is being opened while it is not known what it is; empty: nothing.
    Q_PROPERTY(QString opening READ opening NOTIFY openingChanged FINAL)
    Q_PROPERTY(QString version READ version CONSTANT FINAL)
    // Runs of the open database that came with imports of this window, the last first to be undone.
    Q_PROPERTY(bool hasImports READ hasImports NOTIFY factsChanged FINAL)

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
    [[nodiscard]] QString opening() const { return m_opening; }
    [[nodiscard]] QString version() const { return QStringLiteral(TRAINSCOPE_VERSION); }

    // A single run database is opened; anything else goes to the import sheet.
    void openPaths(const QStringList& paths);
    Q_INVOKABLE void openUrls(const QList<QUrl>& urls);
    Q_INVOKABLE void openUrl(const QUrl& url) { openUrls({url}); }
    Q_INVOKABLE void openRecent(const QString& path);
    Q_INVOKABLE void openSample();
    Q_INVOKABLE void closeDatabase();

    [[nodiscard]] bool hasImports() const;
    Q_INVOKABLE void undoImport();
    Q_INVOKABLE void readReports();
    Q_INVOKABLE void copyText(const QString& text);

Q_SIGNALS:
    void factsChanged();
    void openingChanged();

private:
    void setOpening(const QString& name);
    // `then` once it is open; otherwise a notice says why not.
    void openDatabase(const QString& path, const std::function<void()>& then);
    void openOrImport(const QString& path);
    void import(const QStringList& paths);
    void showSample(const Result<std::filesystem::path>& sample);
    void takeImport(const QString& database, const QStringList& runNames);
    void offerUndo(const QStringList& runNames, const QStringList& before);

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
    QString m_opening;
    // Does with a path what it turned out to be for.
    using Look = std::function<void(Session&)>;
    Task<Look> m_lookTask; // at what is to be opened
    Task<Look> m_sampleTask; // files that are given beside the sample are looked at meanwhile
    std::vector<std::pair<QString, QStringList>> m_imports; // databases, and the runs added to them
    Task<bool> m_sameTask; // the database that an import went into is the open one
};

} // namespace trainscope::app
