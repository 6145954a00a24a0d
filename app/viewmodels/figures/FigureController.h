#pragma once
// One view of figures (heat map, sweep, spectrum): its settings, and the numbers that a
// worker reads for them. GUI thread.

#include <QQmlEngine>

#include "app/viewmodels/workspace/DrawnView.h"
#include "app/viewmodels/workspace/Setting.h"

namespace trainscope::app {

using FigurePtr = KeptPages<plot::FigureData>::Page;

class FigureController : public trainscope::app::DrawnView {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(
        trainscope::app::Views::View view READ view WRITE setView NOTIFY viewChanged REQUIRED FINAL)

    Q_PROPERTY(trainscope::app::SettingListModel* settings READ settings CONSTANT FINAL)
    Q_PROPERTY(bool wholeRun READ wholeRun WRITE setWholeRun NOTIFY settingsChanged FINAL)

public:
    explicit FigureController(QObject* parent = nullptr);

    [[nodiscard]] Views::View view() const { return m_view; }
    void setView(Views::View view);

    [[nodiscard]] SettingListModel* settings() { return &m_rows; }
    Q_INVOKABLE void choose(const QString& key, int choice) {
        change(figureSettings().with(m_settings, m_metrics, key, choice));
    }
    [[nodiscard]] bool wholeRun() const { return m_settings.query.wholeRun; }
    void setWholeRun(bool whole);

    [[nodiscard]] bool isReady() const override { return m_data != nullptr && !m_data->isEmpty(); }
    [[nodiscard]] ExportJob exportJob() const override;
    [[nodiscard]] const FigurePtr& data() const { return m_data; }

Q_SIGNALS:
    void viewChanged();
    void settingsChanged();

private:
    void restore() override { takeSettings(restoredSettings(m_view, savedSettings(m_view))); }
    void forget() override;
    void load() override;
    void readGrowth() override;
    void nothingRead() override { show(nullptr); }
    [[nodiscard]] figures::Figure figure() const override;
    [[nodiscard]] plot::SheetTexts texts() const override { return textsOf(m_data); }
    [[nodiscard]] Needs needs() const override {
        return m_settings.shownRunsOnly ? Needs::ShownRuns : Needs::Runs;
    }
    void takeSettings(const FigureSettings& settings);
    void change(const FigureSettings& settings); // by the user
    void start(const plot::FigureQuery& query);
    void keep(const plot::FigureQuery& query, plot::FigureData data);
    void show(FigurePtr data);
    [[nodiscard]] plot::FigureQuery wantedQuery() const;

    Views::View m_view = Views::Heatmap;
    FigureSettings m_settings;
    Metrics m_metrics;
    SettingListModel m_rows;

    KeptPages<plot::FigureData> m_kept;
    FigurePtr m_data;
};

} // namespace trainscope::app
