#pragma once
// One view of figures (heat map, kernels, sweep, spectrum): its settings, the numbers that a worker
// reads for them, what the pointer is over and what is selected. It keeps the figures that were
// read last, so that going back costs nothing. GUI thread.
//
// Positions are logical pixels of the figure, which may be higher than the view.

#include <QQmlEngine>
#include <QRectF>

#include "app/viewmodels/BenchView.h"
#include "app/viewmodels/FactListModel.h"
#include "app/viewmodels/FigureSettings.h"
#include "app/viewmodels/SettingListModel.h"
#include "core/plot/figures/FigureGeometry.h"

#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace trainscope::app {

using FigurePtr = std::shared_ptr<const plot::FigureData>;

class FigureController : public trainscope::app::BenchView {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(trainscope::app::BenchState::View view READ view WRITE setView NOTIFY viewChanged
            REQUIRED FINAL)

    Q_PROPERTY(trainscope::app::SettingListModel* settings READ settings CONSTANT FINAL)
    Q_PROPERTY(bool wholeRun READ wholeRun WRITE setWholeRun NOTIFY settingsChanged FINAL)

    Q_PROPERTY(bool ready READ isReady NOTIFY stateChanged FINAL) // there is a figure
    Q_PROPERTY(QString emptyText READ emptyText NOTIFY stateChanged FINAL)
    Q_PROPERTY(QString title READ title NOTIFY stateChanged FINAL)
    Q_PROPERTY(QString caption READ caption NOTIFY stateChanged FINAL)
    Q_PROPERTY(QString notes READ notes NOTIFY stateChanged FINAL) // one a line
    Q_PROPERTY(double contentHeight READ contentHeight NOTIFY contentHeightChanged FINAL)

    Q_PROPERTY(QRectF hovered READ hovered NOTIFY hoverChanged FINAL) // empty: nothing
    Q_PROPERTY(QString hoverTitle READ hoverTitle NOTIFY hoverChanged FINAL)
    Q_PROPERTY(QString hoverText READ hoverText NOTIFY hoverChanged FINAL)
    Q_PROPERTY(QRectF selected READ selected NOTIFY selectionChanged FINAL)
    Q_PROPERTY(QString selectedTitle READ selectedTitle NOTIFY selectionChanged FINAL)
    Q_PROPERTY(trainscope::app::FactListModel* selectedFacts READ selectedFacts CONSTANT FINAL)

public:
    explicit FigureController(QObject* parent = nullptr);
    ~FigureController() override;

    [[nodiscard]] BenchState::View view() const { return m_view; }
    void setView(BenchState::View view);

    [[nodiscard]] SettingListModel* settings() { return &m_rows; }
    Q_INVOKABLE void choose(const QString& key, int choice);
    [[nodiscard]] bool wholeRun() const { return m_settings.query.wholeRun; }
    void setWholeRun(bool whole);

    [[nodiscard]] bool isReady() const { return m_data != nullptr && !m_data->isEmpty(); }
    [[nodiscard]] QString emptyText() const;
    [[nodiscard]] QString title() const;
    [[nodiscard]] QString caption() const;
    [[nodiscard]] QString notes() const;
    [[nodiscard]] double contentHeight() const { return m_contentHeight; }

    // For the item that paints; nullptr while there is nothing. The figure is at least as high as
    // the view.
    std::shared_ptr<const plot::FigureGeometry> layOut(const plot::Theme& theme,
        const plot::MeasureText& measure, double width, double viewHeight);

    Q_INVOKABLE void hoverAt(double x, double y);
    Q_INVOKABLE void leave();
    Q_INVOKABLE void clickAt(double x, double y);
    // The timeline of what is selected.
    Q_INVOKABLE void openSelected();
    // To the neighbour of what is selected, by columns and rows; true if there is one.
    Q_INVOKABLE bool step(int columns, int rows);

    [[nodiscard]] QRectF hovered() const;
    [[nodiscard]] QString hoverTitle() const;
    [[nodiscard]] QString hoverText() const;
    [[nodiscard]] QRectF selected() const;
    [[nodiscard]] QString selectedTitle() const;
    [[nodiscard]] FactListModel* selectedFacts() { return &m_facts; }

    [[nodiscard]] ExportJob exportJob() const override;
    [[nodiscard]] const FigurePtr& data() const { return m_data; }

Q_SIGNALS:
    void viewChanged();
    void settingsChanged();
    void contentHeightChanged();
    void hoverChanged();
    void selectionChanged();
    void repaintNeeded();

private:
    using Metrics = std::vector<plot::FigureChoice>;

    void restore() override;
    void forget() override;
    void load() override;
    void nothingRead() override;
    void takeSelection(const trainscope::app::Evidence& evidence) override;
    void takeSettings(const FigureSettings& settings);
    void readMetrics();
    void start(const plot::FigureQuery& query);
    void show(FigurePtr data);
    [[nodiscard]] plot::FigureQuery wantedQuery() const;
    [[nodiscard]] FigurePtr kept(const plot::FigureQuery& query) const;
    void placeSelection();
    void setSelected(std::optional<plot::FigureHit> hit);
    [[nodiscard]] std::optional<plot::FigureHit> find(const Evidence& evidence) const;
    [[nodiscard]] Evidence evidenceOf(const plot::FigureHit& hit) const;

    BenchState::View m_view = BenchState::Heatmap;
    LatestTask<Metrics> m_metricsTask{worker()};
    FigureSettings m_settings;
    Metrics m_metrics;
    SettingListModel m_rows;

    std::deque<FigurePtr> m_kept; // newest first
    FigurePtr m_data;
    double m_contentHeight = 0.0;
    std::shared_ptr<const plot::FigureGeometry> m_geometry;
    std::optional<plot::FigureHit> m_hover;
    std::optional<Evidence> m_evidence;
    std::optional<plot::FigureHit> m_selected;
    FactListModel m_facts;
};

} // namespace trainscope::app
