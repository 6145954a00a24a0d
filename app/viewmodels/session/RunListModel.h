#pragma once
// The runs of the open database as the list on the left shows them: filtered, in groups by the
// folder they were imported from, with names shortened by what those of a group have in common;
// what is shown of them, its colour, and a small curve of the mean GPU power that is read later.
// Also where the list's commands are carried out. GUI thread only.

#include "app/viewmodels/window/RowListModel.h"
#include "app/viewmodels/workspace/Workspace.h"

#include <QList>
#include <QPointer>
#include <QQmlEngine>
#include <QStringList>

namespace trainscope::app {

// The small curve of a run: its mean GPU power over its length. Each GPU once, of the source that
// has more of it. Per column as a fraction of the highest one, NaN where nothing is known; empty
// where there is nothing to draw, it cannot be read, or nobody waits any more.
QList<double> powerCurve(const store::Store& store, const Run& run, int mostColumns,
    const std::function<bool()>& isCancelled);

// A run, or the head of a group. Rows share it with the model, so that folding copies nothing.
struct RunListEntry {
    std::size_t place = 0; // in the list without filter and folding
    std::size_t group = 0;
    bool isHead = false;
    QString label; // shortened, or the group's
    QString whole; // the name, with what tells it from one that reads alike
    // Fields of a run:
    Run run;
    QString search; // lower-case
    QStringList tags; // known facts, then the user's own tags
    QString description;
    int colorIndex = -1; // index into Theme.seriesColor; -1 while not shown
    QList<double> curve; // 0..1, NaN where nothing is known
    std::optional<TimeRange> curveRange; // range of the run when it was read; absent: it was not
    // Fields of a head:
    QString folder; // the whole path
    int members = 0; // members that pass the filter
    int membersShown = 0;
    bool folded = false;
};
using RunListRow = std::shared_ptr<RunListEntry>;

class RunListModel : public RowListModel<RunListRow> {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(trainscope::app::Workspace* workspace READ workspace WRITE setWorkspace NOTIFY
            workspaceChanged REQUIRED FINAL)
    Q_PROPERTY(QString filter READ filter WRITE setFilter NOTIFY filterChanged FINAL)
    Q_PROPERTY(int count READ count NOTIFY countChanged FINAL) // rows, heads among them
    // "5 runs", "2 of 5 runs", and how many of them are shown where that is more than one
    Q_PROPERTY(QString countText READ countText NOTIFY countTextChanged FINAL)
    // Rows of one line each, as many runs begin with.
    Q_PROPERTY(bool dense READ isDense WRITE setDense NOTIFY denseChanged FINAL)
    Q_PROPERTY(bool grouped READ isGrouped NOTIFY countTextChanged FINAL)
    Q_PROPERTY(bool allFolded READ areAllFolded NOTIFY foldedChanged FINAL)

public:
    explicit RunListModel(QObject* parent = nullptr);

    [[nodiscard]] Workspace* workspace() const { return m_workspace; }
    void setWorkspace(Workspace* workspace);
    [[nodiscard]] QString filter() const { return m_filter; }
    void setFilter(const QString& filter);
    [[nodiscard]] QString countText() const;
    [[nodiscard]] bool isDense() const { return m_isDense; }
    void setDense(bool dense);
    [[nodiscard]] bool isGrouped() const { return !m_heads.empty(); }
    [[nodiscard]] bool areAllFolded() const;

    // Actions on a row; on a head they are for all of its runs that the filter leaves. Shows only
    // this run; the next range begins here.
    Q_INVOKABLE void showOnly(int row);
    // Adds it to what is shown or takes it away; the last one stays. The next range begins here.
    Q_INVOKABLE void toggle(int row);
    // Shows the runs from where the range begins to here, in place of others or beside them.
    Q_INVOKABLE void showRange(int row, bool besideOthers = false);
    Q_INVOKABLE void beginRange(int row);
    // All that the filter leaves, folded or not.
    Q_INVOKABLE void showAll();

    Q_INVOKABLE void setFolded(int row, bool folded); // row: a head, or a run in the group
    Q_INVOKABLE void toggleFolded(int row);
    Q_INVOKABLE void foldAll(bool folded);
    Q_INVOKABLE [[nodiscard]] bool isHead(int row) const;
    // The row of the group's head; -1: there is none.
    Q_INVOKABLE [[nodiscard]] int headOf(int row) const;

    Q_INVOKABLE [[nodiscard]] QString nameAt(int row) const; // empty for a head

    // Columns of a curve.
    static constexpr int kCurveColumns = 112;
    // From so many runs on the rows begin dense.
    static constexpr std::size_t kManyRuns = 12;

Q_SIGNALS:
    void workspaceChanged();
    void filterChanged();
    void countTextChanged();
    void denseChanged();
    void foldedChanged();

private:
    struct Curve {
        RunId run;
        TimeRange range;
        QList<double> values;
    };
    void runsChanged();
    void makeEntries();
    void describeRuns();
    void describeAgain();
    void takeGrowth();
    void shownChanged();
    void countMembers();
    // Adds and takes away rows, so that the others stay where they are.
    void refreshRows();
    void readCurves();

    [[nodiscard]] const RunListEntry* entryAt(int row) const; // nullptr: there is none
    [[nodiscard]] bool matches(const RunListEntry& run) const;
    [[nodiscard]] bool isVisible(const RunListEntry& entry) const;
    void addRunsOf(const RunListEntry& entry, std::vector<RunId>& runs) const;
    // The row's runs; later ranges begin there. Absent where there is no such row.
    std::optional<std::vector<RunId>> beginRangeAt(int row);

    QPointer<Workspace> m_workspace;
    std::vector<RunListRow> m_entries; // in the list's order
    std::vector<RunListRow> m_heads; // by group; empty: one folder needs none
    std::vector<RunListRow> m_runs;
    QString m_filter;
    QStringList m_words;
    bool m_isDense = false;
    std::string m_uuid; // the listed database
    RunListRow m_rangeBegin;
    Task<Curve> m_curveTask{Urgency::Background};
};

} // namespace trainscope::app
