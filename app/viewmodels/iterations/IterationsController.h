#pragma once
// The view Iterations: those of the chosen run, of several the first, as a picture and as rows,
// the slowest first; a chosen one against the median, or two against each other, and for whom
// ranks waited in it. GUI thread.

#include <QQmlEngine>

#include "app/viewmodels/workspace/DrawnView.h"
#include "app/viewmodels/workspace/Setting.h"
#include "app/viewmodels/workspace/TableModel.h"
#include "core/plot/iterations/IterationsFigure.h"

namespace trainscope::app {

class IterationsController : public trainscope::app::DrawnView {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(trainscope::app::SettingListModel* settings READ settings CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::TableModel* rows READ rows CONSTANT FINAL)
    Q_PROPERTY(int row READ row NOTIFY chosenChanged FINAL) // the one chosen last; -1: none
    Q_PROPERTY(QString comparison READ comparison NOTIFY chosenChanged FINAL) // its title
    // A sentence; and those on the waiting in it, once the choice rests.
    Q_PROPERTY(QString comparisonText READ comparisonText NOTIFY chosenChanged FINAL)
    Q_PROPERTY(QString waits READ waits NOTIFY chosenChanged FINAL)

public:
    explicit IterationsController(QObject* parent = nullptr);

    [[nodiscard]] SettingListModel* settings() { return &m_settings; }
    Q_INVOKABLE void choose(const QString& key, int choice); // the rank
    [[nodiscard]] TableModel* rows() { return &m_rows; }
    [[nodiscard]] int row() const {
        return last() ? m_rows.placeOf(static_cast<std::int64_t>(*last())) : -1;
    }
    // `beside`: it is compared with the one that was chosen before.
    Q_INVOKABLE void pick(int row, bool beside);
    void openSelected() override;
    [[nodiscard]] QString comparison() const {
        return m_data.comparison ? textOf(m_data.comparison->title) : QString();
    }
    [[nodiscard]] QString comparisonText() const {
        return m_data.comparison ? textOf(m_data.comparison->text) : QString();
    }
    [[nodiscard]] const QString& waits() const { return m_waits; }

    [[nodiscard]] bool isReady() const override { return m_table && !m_table->rows.empty(); }
    [[nodiscard]] ExportJob exportJob() const override;

Q_SIGNALS:
    void chosenChanged();

private:
    using Table = analysis::IterationTable;
    using TablePtr = KeptPages<Table>::Page;
    using Row = std::optional<std::size_t>;

    void restore() override { load(); }
    void forget() override;
    void load() override;
    void readGrowth() override;
    void nothingRead() override { show(nullptr); }
    [[nodiscard]] figures::Figure figure() const override;
    [[nodiscard]] plot::SheetTexts texts() const override { return m_data; }
    void takeSelection(const trainscope::app::Evidence& evidence) override;
    void chooseOffered(std::size_t choice) override {
        pick(m_rows.placeOf(std::int64_t(choice)), false);
    }
    void laidOut() override { selectOffered(m_data.chosen); }
    [[nodiscard]] bool isTitleDrawn() const override { return true; }

    void show(TablePtr table);
    void showRows(bool isOther);
    void setChosen(Row row, Row against);
    void askWaits();
    [[nodiscard]] Row last() const { return m_data.against ? m_data.against : m_data.chosen; }
    [[nodiscard]] Evidence evidenceOf(std::size_t row) const {
        return {m_table->run.id, m_rank, m_table->rows[row].iteration.range, {}};
    }

    std::optional<int> m_rank;
    SettingListModel m_settings;
    KeptPages<Table> m_kept;
    TablePtr m_table;
    plot::IterationsFigureData m_data; // as drawn, with the choice
    TableModel m_rows;
    QString m_waits;
    QTimer m_rest;
};

} // namespace trainscope::app
