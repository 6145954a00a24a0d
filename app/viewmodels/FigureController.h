#pragma once
// One view of figures (heat map, kernels, sweep, spectrum): its settings, the numbers that a worker
// reads for them, what the pointer is over and what is selected. It keeps the figures that were
// read last, so that going back costs nothing. GUI thread.
//
// Positions are logical pixels of the figure, which may be higher than the view.

#include <QElapsedTimer>
#include <QPointer>
#include <QQmlEngine>
#include <QRectF>

#include "app/viewmodels/BenchState.h"
#include "app/viewmodels/Exportable.h"
#include "app/viewmodels/FactListModel.h"
#include "app/viewmodels/FigureSettings.h"
#include "app/viewmodels/SettingListModel.h"
#include "app/viewmodels/StoreWorker.h"
#include "core/plot/figures/FigureGeometry.h"

#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace trainscope::app {

using FigurePtr = std::shared_ptr<const plot::FigureData>;

class FigureController : public trainscope::app::Exportable {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(trainscope::app::BenchState* bench READ bench WRITE setBench NOTIFY benchChanged
            REQUIRED FINAL)
    Q_PROPERTY(trainscope::app::BenchState::View view READ view WRITE setView NOTIFY benchChanged
            REQUIRED FINAL)
    // Only a view that is seen reads.
    Q_PROPERTY(bool active READ isActive WRITE setActive NOTIFY activeChanged FINAL)

    Q_PROPERTY(trainscope::app::SettingListModel* settings READ settings CONSTANT FINAL)
    Q_PROPERTY(bool wholeRun READ wholeRun WRITE setWholeRun NOTIFY settingsChanged FINAL)

    Q_PROPERTY(bool ready READ isReady NOTIFY stateChanged FINAL) // there is a figure
    Q_PROPERTY(bool loading READ isLoading NOTIFY stateChanged FINAL)
    Q_PROPERTY(bool stopped READ isStopped NOTIFY stateChanged FINAL)
    Q_PROPERTY(QString progressText READ progressText NOTIFY stateChanged FINAL)
    Q_PROPERTY(double progress READ progress NOTIFY stateChanged FINAL) // 0..1; -1: unknown
    Q_PROPERTY(QString errorText READ errorText NOTIFY stateChanged FINAL)
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

    [[nodiscard]] BenchState* bench() const { return m_bench; }
    void setBench(BenchState* bench);
    [[nodiscard]] BenchState::View view() const { return m_view; }
    void setView(BenchState::View view);
    [[nodiscard]] bool isActive() const { return m_active; }
    void setActive(bool active);

    [[nodiscard]] SettingListModel* settings() { return &m_rows; }
    Q_INVOKABLE void choose(const QString& key, int choice);
    [[nodiscard]] bool wholeRun() const { return m_settings.query.wholeRun; }
    void setWholeRun(bool whole);

    [[nodiscard]] bool isReady() const { return m_data != nullptr && !m_data->isEmpty(); }
    [[nodiscard]] bool isLoading() const { return m_loading; }
    [[nodiscard]] bool isStopped() const { return m_stopped; }
    [[nodiscard]] QString progressText() const { return m_progressText; }
    [[nodiscard]] double progress() const { return m_progress; }
    [[nodiscard]] QString errorText() const { return m_error; }
    [[nodiscard]] QString emptyText() const;
    [[nodiscard]] QString title() const;
    [[nodiscard]] QString caption() const;
    [[nodiscard]] QString notes() const;
    [[nodiscard]] double contentHeight() const { return m_contentHeight; }
    Q_INVOKABLE void cancel();
    Q_INVOKABLE void readAgain();

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
    void benchChanged();
    void activeChanged();
    void settingsChanged();
    void stateChanged();
    void contentHeightChanged();
    void hoverChanged();
    void selectionChanged();
    void repaintNeeded();

private:
    // A step of the reading, or its end.
    struct Reading {
        FigurePtr data;
        QString phase;
        double fraction = -1.0;
    };
    using Metrics = std::vector<plot::FigureChoice>;

    void reloadDatabase();
    void restore();
    void takeSettings(const FigureSettings& settings);
    void readMetrics();
    void load();
    void start(const plot::FigureQuery& query);
    void takeReading(Result<Reading> reading);
    void show(FigurePtr data);
    [[nodiscard]] plot::FigureQuery wantedQuery() const;
    [[nodiscard]] FigurePtr kept(const plot::FigureQuery& query) const;
    void takeSelection(const Evidence& evidence);
    void placeSelection();
    void setSelected(std::optional<plot::FigureHit> hit);
    [[nodiscard]] std::optional<plot::FigureHit> find(const Evidence& evidence) const;
    [[nodiscard]] Evidence evidenceOf(const plot::FigureHit& hit) const;

    QPointer<BenchState> m_bench;
    BenchState::View m_view = BenchState::Heatmap;
    bool m_active = false;
    StoreWorker m_worker;
    LatestTask<Metrics> m_metricsTask{m_worker};
    LatestTask<Reading> m_task{m_worker};
    FigureSettings m_settings;
    Metrics m_metrics;
    SettingListModel m_rows;

    std::deque<FigurePtr> m_kept; // newest first
    FigurePtr m_data;
    bool m_loading = false;
    bool m_stopped = false;
    QString m_progressText;
    double m_progress = -1.0;
    QString m_error;
    double m_contentHeight = 0.0;
    std::shared_ptr<const plot::FigureGeometry> m_geometry;
    std::optional<plot::FigureHit> m_hover;
    std::optional<Evidence> m_evidence;
    std::optional<plot::FigureHit> m_selected;
    FactListModel m_facts;
};

} // namespace trainscope::app
