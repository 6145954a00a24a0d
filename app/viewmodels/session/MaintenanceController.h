#pragma once
// Work on the open database: renaming and removing a run, giving unused space back, checking every
// chunk, writing the report and the web page.
// One at a time, in the background, with progress. Stopping leaves the database as it was. GUI
// thread only.

#include "app/viewmodels/workspace/Task.h"

#include <QQmlEngine>
#include <QStringList>
#include <QTimer>
#include <QUrl>

namespace trainscope::app {

class MaintenanceController : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Belongs to the session")
    Q_PROPERTY(bool working READ working NOTIFY stateChanged FINAL)
    // True while there is something to show: work that takes a while, or a result to read.
    Q_PROPERTY(bool showing READ showing NOTIFY stateChanged FINAL)
    Q_PROPERTY(QString title READ title NOTIFY stateChanged FINAL)
    Q_PROPERTY(trainscope::app::WorkProgress progress READ progress NOTIFY progressChanged FINAL)
    Q_PROPERTY(bool stopping READ stopping NOTIFY progressChanged FINAL)
    // Result of the work, in a sentence and in lines; empty while it runs.
    Q_PROPERTY(QString headline READ headline NOTIFY stateChanged FINAL)
    Q_PROPERTY(QStringList details READ details NOTIFY stateChanged FINAL)

public:
    explicit MaintenanceController(QObject* parent = nullptr);
    ~MaintenanceController() override;

    // The database that work is about; empty: none.
    void setDatabase(const QString& path) { m_database = path; }
    // The runs that a report and a page are of.
    void setChosen(std::vector<RunId> runs) { m_chosen = std::move(runs); }
    Q_INVOKABLE void renameRun(const QString& name, const QString& typed);
    // Cannot be undone other than by importing again.
    Q_INVOKABLE void removeRuns(const QStringList& names);
    Q_INVOKABLE void check();
    Q_INVOKABLE void vacuum();
    // Forms that a report can be written in, for a file dialog: PDF on the usual paper first.
    Q_INVOKABLE [[nodiscard]] static QStringList reportForms();
    // Name for it, beside the database: "report-runs.pdf".
    Q_INVOKABLE [[nodiscard]] QUrl reportFile() const {
        return fileBeside("report", QStringLiteral(".pdf"));
    }
    // In the form of that index, or HTML by the file's suffix. Asks where the file is there
    // already, unless it `replaces`.
    Q_INVOKABLE void writeReport(const QUrl& wanted, int form, bool replaces = false);
    // The page that zooms of the chosen runs, and a name for it: "page-runs.html". Asks likewise,
    // with a form that writeReport() knows.
    Q_INVOKABLE [[nodiscard]] QUrl pageFile() const {
        return fileBeside("page", QStringLiteral(".html"));
    }
    Q_INVOKABLE void writePage(const QUrl& wanted, bool replaces = false);
    Q_INVOKABLE void stop();
    // The result has been read.
    Q_INVOKABLE void dismiss();

    [[nodiscard]] bool working() const { return m_task.isRunning(); }
    [[nodiscard]] bool showing() const { return m_showing; }
    [[nodiscard]] QString title() const { return m_title; }
    [[nodiscard]] const WorkProgress& progress() const { return m_progress; }
    [[nodiscard]] bool stopping() const { return working() && m_isStopping; }
    [[nodiscard]] QString headline() const { return m_headline; }
    [[nodiscard]] QStringList details() const { return m_details; }

Q_SIGNALS:
    void stateChanged();
    void progressChanged();
    // The database holds something else than before; `text` says what was done.
    void changed(const QString& text);
    void informed(const QString& text);
    void failed(const trainscope::Error& error);
    // To be answered by writeReport() with `replaces`.
    void replaceWanted(const QUrl& file, const QString& name, int form);

private:
    static constexpr int kPage = -1; // the form of a page that zooms
    struct Report {
        QUrl file;
        int form = 0;
    };
    struct Outcome {
        QString headline;
        bool hasChanged = false;
        bool isToRead = false; // shown until dismissed, else said in passing
        QStringList details = {};
        std::optional<Report> inTheWay = {}; // a file that is there already
    };
    using Work = std::function<Result<Outcome>(store::Store&, const Progress&)>;

    [[nodiscard]] QUrl fileBeside(const std::string& kind, const QString& suffix) const;
    void begin(const QString& title, store::OpenMode mode, Work work);
    void takeOutcome(const Result<Outcome>& result);
    void setShowing(bool showing);

    QString m_database;
    std::vector<RunId> m_chosen;
    QString m_title;
    QString m_headline;
    QStringList m_details;
    bool m_showing = false;
    WorkProgress m_progress;
    bool m_isStopping = false;
    Task<Outcome> m_task;
    QTimer m_patience; // short work shows nothing
};

} // namespace trainscope::app
