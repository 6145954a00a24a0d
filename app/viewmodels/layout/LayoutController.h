#pragma once
// The layout view: where the ranks of one run sit and what they exchange, as a physical and a
// logical diagram with the pipeline's schedule; coloured by group, statistic or a moment, with
// playback. What is drawn is decided once per size; a picture of the playback changes the cells'
// colours only, and pointing repaints marks only. GUI thread.
//
// Positions are logical pixels of a diagram.

#include <QPointF>
#include <QQmlEngine>
#include <QRectF>
#include <QTimer>

#include "app/viewmodels/layout/LayoutForm.h"
#include "app/viewmodels/layout/LayoutReading.h"
#include "app/viewmodels/layout/LayoutSchedule.h"
#include "app/viewmodels/layout/LayoutSettings.h"
#include "app/viewmodels/layout/Playback.h"
#include "app/viewmodels/layout/PlaybackCache.h"
#include "app/viewmodels/workspace/DatabaseView.h"
#include "app/viewmodels/workspace/FactListModel.h"
#include "app/viewmodels/workspace/SettingListModel.h"
#include "core/plot/layout/PlacementFigure.h"

#include <array>
#include <functional>
#include <memory>
#include <optional>

namespace trainscope::app {

class LayoutController : public trainscope::app::DatabaseView {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(trainscope::app::SettingListModel* settings READ settings CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::Playback* playback READ playback CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::LayoutForm* form READ form CONSTANT FINAL)
    // The diagrams show the moment of the cursor.
    Q_PROPERTY(bool moving READ isMoving NOTIFY settingsChanged FINAL)

    Q_PROPERTY(bool ready READ isReady NOTIFY stateChanged FINAL)
    Q_PROPERTY(QString emptyTitle READ emptyTitle NOTIFY stateChanged FINAL)
    Q_PROPERTY(QString emptyText READ emptyText NOTIFY stateChanged FINAL)
    Q_PROPERTY(QString title READ title NOTIFY stateChanged FINAL)
    Q_PROPERTY(QString origin READ origin NOTIFY stateChanged FINAL) // "from the launch file"
    Q_PROPERTY(bool entered READ isEntered NOTIFY stateChanged FINAL) // by hand
    Q_PROPERTY(bool enterable READ isEnterable NOTIFY stateChanged FINAL) // there is a run
    Q_PROPERTY(QString notes READ notes NOTIFY stateChanged FINAL) // one a line
    Q_PROPERTY(bool hasLogical READ hasLogical NOTIFY stateChanged FINAL)
    Q_PROPERTY(trainscope::app::LayoutSchedule* schedule READ schedule CONSTANT FINAL)
    Q_PROPERTY(bool wholeStep READ isWholeStep WRITE setWholeStep NOTIFY settingsChanged FINAL)

    Q_PROPERTY(QString hoverTitle READ hoverTitle NOTIFY hoverChanged FINAL)
    Q_PROPERTY(QString hoverText READ hoverText NOTIFY hoverChanged FINAL)
    Q_PROPERTY(int hoverPart READ hoverPart NOTIFY hoverChanged FINAL) // a Part; -1: nothing
    Q_PROPERTY(QRectF hovered READ hovered NOTIFY hoverChanged FINAL) // in that part
    Q_PROPERTY(int rank READ rank NOTIFY selectionChanged FINAL) // -1: none
    Q_PROPERTY(trainscope::app::FactListModel* facts READ facts CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::FactListModel* overview READ overview CONSTANT FINAL)

    // A placement that allows for heat, an estimate; or why there is none.
    Q_PROPERTY(QString placementTitle READ placementTitle NOTIFY stateChanged FINAL)
    Q_PROPERTY(QString placementText READ placementText NOTIFY stateChanged FINAL)
    Q_PROPERTY(bool placed READ isPlaced NOTIFY stateChanged FINAL) // there are arguments to copy
    Q_PROPERTY(trainscope::app::FactListModel* placement READ placement CONSTANT FINAL)
    // Its diagram, before and after, is among the others.
    Q_PROPERTY(bool placementShown READ isPlacementShown WRITE setPlacementShown NOTIFY
            settingsChanged FINAL)

    // What there is to export, and which of it is.
    Q_PROPERTY(QStringList figures READ figures NOTIFY stateChanged FINAL)
    Q_PROPERTY(int figure READ figure WRITE setFigure NOTIFY settingsChanged FINAL)

public:
    enum Part { Physical, Legend, Logical, Schedule, Placed };
    Q_ENUM(Part)
    static constexpr std::size_t kParts = 5;

    explicit LayoutController(QObject* parent = nullptr);

    [[nodiscard]] SettingListModel* settings() { return &m_rows; }
    [[nodiscard]] Playback* playback() { return &m_playback; }
    [[nodiscard]] LayoutForm* form() { return &m_form; }
    Q_INVOKABLE void choose(const QString& key, int choice);
    [[nodiscard]] bool isMoving() const { return m_settings.isAtCursor(); }
    [[nodiscard]] bool isWholeStep() const { return m_settings.wholeStep; }
    void setWholeStep(bool whole);

    [[nodiscard]] bool isReady() const { return m_reading != nullptr; }
    [[nodiscard]] QString emptyTitle() const;
    [[nodiscard]] QString emptyText() const;
    [[nodiscard]] QString title() const;
    [[nodiscard]] QString origin() const;
    [[nodiscard]] bool isEntered() const;
    [[nodiscard]] bool isEnterable() const { return m_run.has_value(); }
    [[nodiscard]] QString notes() const;
    [[nodiscard]] bool hasLogical() const;
    [[nodiscard]] LayoutSchedule* schedule() { return &m_schedule; }

    // The form, begun with the layout that is shown.
    Q_INVOKABLE void beginForm();
    // Keeps what the form says in the database; or takes back what was kept.
    Q_INVOKABLE void saveForm();
    Q_INVOKABLE void forgetEntered();

    Q_INVOKABLE void hoverAt(trainscope::app::LayoutController::Part part, double x, double y);
    Q_INVOKABLE void leave();
    Q_INVOKABLE void clickAt(trainscope::app::LayoutController::Part part, double x, double y);
    Q_INVOKABLE void selectRank(int rank); // -1: none
    // To the neighbour of the selected rank in the physical diagram; true if there is one.
    Q_INVOKABLE bool step(int columns, int rows);
    Q_INVOKABLE bool clear(); // selection and hover; false where there was none
    // The timeline of the selected rank.
    Q_INVOKABLE void openSelected();

    [[nodiscard]] QString hoverTitle() const { return m_hover.title; }
    [[nodiscard]] QString hoverText() const { return m_hover.text; }
    [[nodiscard]] int hoverPart() const { return m_hover.title.isEmpty() ? -1 : m_hoverPart; }
    [[nodiscard]] QRectF hovered() const { return m_hoverPlace; }
    [[nodiscard]] int rank() const { return m_rank.value_or(-1); }
    [[nodiscard]] FactListModel* facts() { return &m_facts; }
    [[nodiscard]] FactListModel* overview() { return &m_overview; }

    [[nodiscard]] QString placementTitle() const;
    [[nodiscard]] QString placementText() const;
    [[nodiscard]] bool isPlaced() const;
    [[nodiscard]] FactListModel* placement() { return &m_placement; }
    Q_INVOKABLE [[nodiscard]] QString launchArguments() const;
    [[nodiscard]] bool isPlacementShown() const { return m_placementShown; }
    void setPlacementShown(bool shown);

    [[nodiscard]] QStringList figures() const;
    [[nodiscard]] int figure() const { return m_figure; }
    void setFigure(int figure);

    // For the items that paint. Lays a part out anew; its scene's height is what it wants.
    void layOut(Part part, const plot::DiagramStyle& style);
    [[nodiscard]] const plot::PlotScene& scene(Part part) const {
        return m_scenes[static_cast<std::size_t>(part)].scene;
    }
    // Above the scene: the groups of the rank that is pointed at, or selected.
    [[nodiscard]] plot::PlotScene marks(Part part, const plot::Theme& theme) const;

    [[nodiscard]] ExportJob exportJob() const override;
    [[nodiscard]] const plot::RankColours& colours() const { return m_colours; }

Q_SIGNALS:
    void settingsChanged();
    void hoverChanged();
    void selectionChanged();
    void geometryChanged(); // parts are to be laid out anew
    void recoloured(); // scenes have other colours
    void marksChanged();

protected:
    void restore() override;
    void forget() override;
    void load() override;
    void nothingRead() override;
    void takeSelection(const trainscope::app::Evidence& evidence) override;

private:
    // Readings of one rank at a moment.
    struct Probe {
        int rank = -1;
        std::shared_ptr<const std::vector<Series>> series; // of that rank
        std::vector<Fact> facts;
    };

    // LayoutController.cpp
    [[nodiscard]] std::vector<Run> candidates() const;
    void chooseRun();
    void takeReading(const LayoutReadingPtr& reading);
    void takeSettings(const LayoutSettings& settings);
    void refreshRows();
    void readColours();
    void write(std::optional<layout::LayoutRequest> request);
    [[nodiscard]] plot::ColourQuery colourQuery() const;
    [[nodiscard]] LayoutChoices choicesOf() const;

    // LayoutMoments.cpp: what is shown at the cursor.
    void connectPlayback();
    void momentChanged();
    void takeValues(const analysis::RankValues& values);
    void shareCursor();
    void takeCursor();
    void follow(const std::function<void()>& move); // of the moment, which nobody is told
    void readProbe();
    void layOutLegend(const plot::DiagramStyle& style);
    void layOutSchedule(const plot::DiagramStyle& style);
    void recolourScenes();

    // LayoutPointer.cpp
    [[nodiscard]] std::optional<int> rankIn(Part part, double x, double y) const;
    [[nodiscard]] QRectF placeOf(Part part, int rank) const;
    void setHover(
        Part part, std::optional<int> rank, std::optional<std::size_t> edge, QRectF place);
    void setRank(std::optional<int> rank);
    void refreshFacts();
    void hoverPass(double x, double y);
    void hoverPlaced(double x, double y);
    template <typename Hit>
    void takeHit(Part part, const std::optional<Hit>& hit);

    // LayoutExport.cpp
    void readSchedule();
    [[nodiscard]] ExportJob diagramJob() const;

    SettingListModel m_rows;
    LayoutSettings m_settings;
    Playback m_playback;
    LayoutForm m_form;
    PlaybackCache m_cache;
    SteadyTask<Probe> m_probeTask;

    std::optional<Run> m_run; // that is shown
    LayoutReadingPtr m_reading;
    plot::RankColours m_colours;
    QString m_coloursCaption;

    std::array<plot::RankDiagram, kParts> m_scenes; // of legend and schedule only the scene
    LayoutSchedule m_schedule;
    plot::ScheduleFigureData m_shownSchedule; // the part of the step that is drawn
    plot::ScheduleGeometry m_chart;
    plot::PlacementFigureData m_placementData;
    plot::PlacementGeometry m_placementChart;
    bool m_placementShown = false;
    int m_figure = 0;

    std::optional<int> m_hoverRank;
    int m_hoverPart = 0;
    QRectF m_hoverPlace;
    HoverText m_hover;
    std::optional<int> m_rank;
    std::shared_ptr<const std::vector<Series>> m_probeSeries; // of the selected rank
    std::vector<Fact> m_probed; // at the cursor, of the selected rank
    FactListModel m_facts;
    FactListModel m_overview;
    FactListModel m_placement;
    bool m_following = false;
    QTimer m_shareTimer; // the cursor is told to others now and then while it plays
};

} // namespace trainscope::app
