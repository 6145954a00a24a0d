#pragma once
// Findings as people read them: the sentence, its numbers, its rule and the whole that it is a
// share of; and the view with those of the shown runs, or of all, read run by run and kept. Rows
// are made by any thread that owns the store; the rest is of the GUI thread.

#include "app/viewmodels/window/RowListModel.h"
#include "app/viewmodels/workspace/DrawnView.h"
#include "app/viewmodels/workspace/Views.h"
#include "core/analysis/RunStudy.h"
#include "core/analysis/findings/Findings.h"
#include "core/model/Import.h"

#include <QQmlEngine>

namespace trainscope::app {

struct FindingRow {
    QString run;
    QString text;
    QString rule; // the question, and the value from which the finding is told
    QString denominator; // the whole that shares refer to
    QString place; // "rank 5 · 12.3 s to 14.0 s"; empty: of the whole run
    QString severityText; // "costly", "notable", "to know"
    int severity = 0; // 0 to know, 1 notable, 2 costly
    QStringList labels; // labels of the numbers
    QStringList values; // ready to read
    std::map<std::string, double> numbers; // SI; their names end in their unit
    Evidence evidence;
    bool operator==(const FindingRow&) const = default;
};

class FindingListModel : public RowListModel<FindingRow> {
    Q_OBJECT
    QML_ANONYMOUS
    Q_PROPERTY(int count READ count NOTIFY countChanged FINAL)

public:
    explicit FindingListModel(QObject* parent = nullptr);
    // One finding, or all of them, as plain text.
    Q_INVOKABLE [[nodiscard]] QString textOf(int row) const;
    Q_INVOKABLE [[nodiscard]] QString text() const;
};

// In the order they are shown in. Cancelled by progress.
Result<std::vector<FindingRow>> findingRows(const analysis::RunStudy& study);

// Its values with their units, which their names and the finding's metric tell.
FindingRow findingRow(const Run& run, const analysis::Finding& finding);

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
