#pragma once
// The findings of the shown runs, or of all, read run by run in a worker and kept. GUI thread.

#include <QPointer>
#include <QQmlEngine>

#include "app/viewmodels/BenchState.h"
#include "app/viewmodels/Exportable.h"
#include "app/viewmodels/FindingListModel.h"
#include "app/viewmodels/StoreWorker.h"

#include <map>
#include <vector>

namespace trainscope::app {

class FindingsController : public trainscope::app::Exportable {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(trainscope::app::BenchState* bench READ bench WRITE setBench NOTIFY benchChanged
            REQUIRED FINAL)
    Q_PROPERTY(bool active READ isActive WRITE setActive NOTIFY activeChanged FINAL)
    Q_PROPERTY(bool allRuns READ allRuns WRITE setAllRuns NOTIFY settingsChanged FINAL)
    Q_PROPERTY(trainscope::app::FindingListModel* findings READ findings CONSTANT FINAL)
    Q_PROPERTY(bool loading READ isLoading NOTIFY stateChanged FINAL)
    Q_PROPERTY(bool stopped READ isStopped NOTIFY stateChanged FINAL)
    Q_PROPERTY(QString progressText READ progressText NOTIFY stateChanged FINAL)
    Q_PROPERTY(double progress READ progress NOTIFY stateChanged FINAL) // -1: unknown
    Q_PROPERTY(QString errorText READ errorText NOTIFY stateChanged FINAL)
    Q_PROPERTY(QString headline READ headline NOTIFY stateChanged FINAL) // "7 findings in 3 runs"
    // Why the list is empty, and what was looked at.
    Q_PROPERTY(QString emptyTitle READ emptyTitle NOTIFY stateChanged FINAL)
    Q_PROPERTY(QString emptyText READ emptyText NOTIFY stateChanged FINAL)

public:
    explicit FindingsController(QObject* parent = nullptr);
    ~FindingsController() override;

    [[nodiscard]] BenchState* bench() const { return m_bench; }
    void setBench(BenchState* bench);
    [[nodiscard]] bool isActive() const { return m_active; }
    void setActive(bool active);
    [[nodiscard]] bool allRuns() const { return m_allRuns; }
    void setAllRuns(bool all);

    [[nodiscard]] FindingListModel* findings() { return &m_findings; }
    [[nodiscard]] bool isLoading() const { return m_loading; }
    [[nodiscard]] bool isStopped() const { return m_stopped; }
    [[nodiscard]] QString progressText() const { return m_progressText; }
    [[nodiscard]] double progress() const { return m_progress; }
    [[nodiscard]] QString errorText() const { return m_error; }
    [[nodiscard]] QString headline() const;
    [[nodiscard]] QString emptyTitle() const;
    [[nodiscard]] QString emptyText() const;

    // The timeline at the finding's evidence.
    Q_INVOKABLE void open(int row);
    Q_INVOKABLE [[nodiscard]] QString textOf(int row) const { return m_findings.textOf(row); }
    Q_INVOKABLE [[nodiscard]] QString text() const { return m_findings.text(); }
    Q_INVOKABLE void cancel();
    Q_INVOKABLE void readAgain();

    [[nodiscard]] ExportJob exportJob() const override;

Q_SIGNALS:
    void benchChanged();
    void activeChanged();
    void settingsChanged();
    void stateChanged();

private:
    // The findings of one run, or a step of their reading.
    struct Reading {
        RunId run;
        std::vector<FindingRow> rows;
        bool finished = false; // of this run
        bool last = false; // of all
        QString phase;
        double fraction = -1.0;
    };

    void restore();
    void reloadDatabase();
    void load();
    void start(std::vector<Run> runs);
    void takeReading(Result<Reading> reading);
    void refresh();
    [[nodiscard]] std::vector<Run> wantedRuns() const;

    QPointer<BenchState> m_bench;
    bool m_active = false;
    bool m_allRuns = false;
    StoreWorker m_worker;
    LatestTask<Reading> m_task{m_worker};
    std::map<RunId, std::vector<FindingRow>> m_known;
    FindingListModel m_findings;
    bool m_loading = false;
    bool m_stopped = false;
    QString m_progressText;
    double m_progress = -1.0;
    QString m_error;
};

} // namespace trainscope::app
