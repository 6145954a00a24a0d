#pragma once
// The findings of the shown runs, or of all, read run by run and kept. GUI thread.

#include <QQmlEngine>

#include "app/viewmodels/figures/FindingRows.h"
#include "app/viewmodels/workspace/DatabaseView.h"

#include <map>
#include <vector>

namespace trainscope::app {

class FindingsController : public trainscope::app::DatabaseView {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(bool allRuns READ allRuns WRITE setAllRuns NOTIFY settingsChanged FINAL)
    Q_PROPERTY(trainscope::app::FindingListModel* findings READ findings CONSTANT FINAL)
    Q_PROPERTY(QString headline READ headline NOTIFY stateChanged FINAL) // "7 findings in 3 runs"
    // Reason that the list is empty, and the checks that were made.
    Q_PROPERTY(QString emptyTitle READ emptyTitle NOTIFY stateChanged FINAL)
    Q_PROPERTY(QString emptyText READ emptyText NOTIFY stateChanged FINAL)

public:
    explicit FindingsController(QObject* parent = nullptr);

    [[nodiscard]] bool allRuns() const { return m_allRuns; }
    void setAllRuns(bool all);

    [[nodiscard]] FindingListModel* findings() { return &m_findings; }
    [[nodiscard]] QString headline() const;
    [[nodiscard]] QString emptyTitle() const;
    [[nodiscard]] QString emptyText() const;

    // The timeline at the finding's evidence.
    Q_INVOKABLE void open(int row);

    [[nodiscard]] ExportJob exportJob() const override;

Q_SIGNALS:
    void settingsChanged();

private:
    void restore() override;
    void forget() override;
    void load() override;
    void readGrowth() override;
    void readRun(const Run& run);
    void refresh();
    [[nodiscard]] std::vector<Run> wantedRuns() const;

    bool m_allRuns = false;
    std::map<RunId, std::vector<FindingRow>> m_known;
    std::map<RunId, TimeNs> m_readTo; // the run's end then
    FindingListModel m_findings;
};

} // namespace trainscope::app
