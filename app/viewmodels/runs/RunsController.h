#pragma once
// The table of all runs: which columns and which rows it shows in which order, its figures, which
// are read from what the database keeps and measured where it keeps none, what people say of runs,
// and the way from chosen rows to the other views. GUI thread.

#include <QQmlEngine>

#include "app/viewmodels/runs/RunLabelling.h"
#include "app/viewmodels/workspace/DrawnView.h"
#include "app/viewmodels/workspace/TableModel.h"
#include "core/analysis/comparison/RunQuantities.h"
#include "core/report/RunColumns.h"
#include "core/report/RunExpression.h"

namespace trainscope::app {

class RunsController : public trainscope::app::DatabaseView {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(trainscope::app::TableModel* table READ table CONSTANT FINAL)
    Q_PROPERTY(QString headline READ headline NOTIFY tableChanged FINAL)
    Q_PROPERTY(QString emptyTitle READ emptyTitle NOTIFY tableChanged FINAL)
    // "Figures of 120 of 386 runs" while they are measured; empty: all are, or nobody does.
    Q_PROPERTY(QString measuringText READ measuringText NOTIFY stateChanged FINAL)
    // Remarks: runs left out, and values that could not be kept.
    Q_PROPERTY(QString notes READ notes NOTIFY tableChanged FINAL)

    // Filter of the listed runs (RunExpression.h); a wrong one changes nothing and says why.
    Q_PROPERTY(
        QString expression READ expression WRITE setExpression NOTIFY expressionChanged FINAL)
    Q_PROPERTY(QString expressionError READ expressionError NOTIFY expressionChanged FINAL)
    Q_PROPERTY(QString expressionHelp READ expressionHelp CONSTANT FINAL)

    // All columns there are, and which of them are shown; the name always is.
    Q_PROPERTY(QStringList columnTitles READ columnTitles CONSTANT FINAL)
    Q_PROPERTY(QStringList columnDefinitions READ columnDefinitions CONSTANT FINAL)
    Q_PROPERTY(QList<bool> columnsShown READ columnsShown NOTIFY tableChanged FINAL)

    Q_PROPERTY(int chosenCount READ chosenCount NOTIFY chosenChanged FINAL)
    Q_PROPERTY(QString chosenText READ chosenText NOTIFY chosenChanged FINAL)
    Q_PROPERTY(bool canUndo READ canUndo NOTIFY labelsChanged FINAL)
    Q_PROPERTY(bool canRedo READ canRedo NOTIFY labelsChanged FINAL)

public:
    explicit RunsController(QObject* parent = nullptr);

    [[nodiscard]] TableModel* table() { return &m_table; }
    [[nodiscard]] QString headline() const;
    [[nodiscard]] QString emptyTitle() const;
    [[nodiscard]] QString measuringText() const;
    [[nodiscard]] QString notes() const;

    [[nodiscard]] QString expression() const { return m_expression; }
    void setExpression(const QString& expression);
    [[nodiscard]] QString expressionError() const { return m_expressionError; }
    [[nodiscard]] QString expressionHelp() const;

    [[nodiscard]] QStringList columnTitles() const {
        return listOf(report::runColumns(), &report::RunColumn::title);
    }
    [[nodiscard]] QStringList columnDefinitions() const {
        return listOf(report::runColumns(), &report::RunColumn::definition);
    }
    [[nodiscard]] QList<bool> columnsShown() const;
    Q_INVOKABLE void toggleColumn(int column); // index into columnTitles
    Q_INVOKABLE void showUsualColumns();
    Q_INVOKABLE void showColumn(const QString& key); // no effect if it is shown

    // The chosen runs are those that are shown in all views.
    Q_INVOKABLE void chooseOnly(int row);
    Q_INVOKABLE void toggle(int row);
    Q_INVOKABLE void beginRange(int row) { m_rangeBegin = runAt(row); }
    Q_INVOKABLE void chooseRange(int row, bool besideOthers = false);
    Q_INVOKABLE void chooseAll(); // every listed run
    Q_INVOKABLE void open(trainscope::app::Views::View view);
    // The job of the first of them, to be predicted otherwise.
    Q_INVOKABLE void predict();
    [[nodiscard]] int chosenCount() const {
        return workspace() == nullptr ? 0 : static_cast<int>(workspace()->shownRuns().size());
    }
    [[nodiscard]] QString chosenText() const;

    // "tags" or "note" of a row as it is edited. Rows move while figures come: what is edited is
    // the run.
    Q_INVOKABLE [[nodiscard]] QString labelText(int row, const QString& key) const;
    Q_INVOKABLE [[nodiscard]] qlonglong runIdAt(int row) const; // 0: none
    Q_INVOKABLE [[nodiscard]] int rowOf(qlonglong run) const; // -1: it is not listed
    Q_INVOKABLE void setLabel(qlonglong run, const QString& key, const QString& text);
    Q_INVOKABLE void tagChosen(const QString& text) { m_labelling.addTags(chosenIds(), text); }
    [[nodiscard]] bool canUndo() const { return m_labelling.canUndo(); }
    [[nodiscard]] bool canRedo() const { return m_labelling.canRedo(); }
    Q_INVOKABLE void undo() { m_labelling.undo(); }
    Q_INVOKABLE void redo() { m_labelling.redo(); }

    // The chosen rows that are listed, with heads, tab-separated and in words; and all listed rows
    // as CSV in SI.
    Q_INVOKABLE [[nodiscard]] QString chosenRowsText() const { return tabbedText(chosenTable()); }
    Q_INVOKABLE [[nodiscard]] QString csv() const {
        return QString::fromStdString(
            text::csv(report::runsTable(m_runs, listedRows(), m_columns)));
    }
    [[nodiscard]] ExportJob exportJob() const override;

Q_SIGNALS:
    void tableChanged();
    void expressionChanged();
    void chosenChanged();
    void labelsChanged();

private:
    using Quantities = std::vector<analysis::RunQuantities>;
    void restore() override;
    void forget() override;
    void load() override;
    void readGrowth() override;
    void keepSettings();

    void readKept();
    void measureNext();
    void takeFigures(const Quantities& figures);
    void keepFigures(const Quantities& figures);
    void refreshLabels();
    void refresh();
    void refreshChosen();
    void sortBy(int head, bool isDescending);
    // Adds the reason that a run could not be measured, and the colour that shows it.
    void complete(const report::RunRecord& run, TableRow& row) const;
    void applyExpression();
    [[nodiscard]] std::vector<std::size_t> listedRows() const;
    [[nodiscard]] std::optional<RunId> runAt(int row) const;
    [[nodiscard]] std::vector<RunId> chosenIds() const {
        return workspace() == nullptr ? std::vector<RunId>() : workspace()->shownIds();
    }
    [[nodiscard]] text::Table chosenTable() const;

    TableModel m_table;
    RunLabelling m_labelling;
    std::vector<report::RunRecord> m_runs; // in the database's order
    std::vector<analysis::UnmeasuredRun> m_unmeasured;
    bool m_isKeptRead = false;
    std::vector<store::KeptFigures> m_toKeep; // not yet taken by the database
    QString m_keepProblem;
    std::map<RunId, QString> m_unreadable; // reason, by run that could not be measured

    std::vector<std::size_t> m_columns; // shown, the name first
    std::size_t m_sortColumn = 0;
    bool m_isDescending = false;
    QString m_expression;
    QString m_expressionError;
    report::RunExpression m_filter;
    std::optional<RunId> m_rangeBegin;
};

} // namespace trainscope::app
