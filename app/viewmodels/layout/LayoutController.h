#pragma once
// The layout view: where the ranks of one run sit and what they exchange, as a physical and a
// logical diagram with the pipeline's schedule; coloured by group, statistic or a moment, with
// playback. It chooses the run, reads what is shown and keeps a layout entered by hand; its parts
// draw, point, select and play. GUI thread.

#include <QQmlEngine>

#include "app/viewmodels/layout/LayoutDiagrams.h"
#include "app/viewmodels/layout/LayoutForm.h"
#include "app/viewmodels/layout/LayoutMoment.h"
#include "app/viewmodels/workspace/DrawnView.h"
#include "app/viewmodels/workspace/Setting.h"
#include "core/figures/layout/LayoutFigure.h"

namespace trainscope::app {

class LayoutController : public trainscope::app::DatabaseView {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(trainscope::app::SettingListModel* settings READ settings CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::Playback* playback READ playback CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::LayoutForm* form READ form CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::MachineForm* machine READ machine CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::LayoutSchedule* schedule READ schedule CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::LayoutDiagrams* diagrams READ diagrams CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::LayoutHover* hover READ hover CONSTANT FINAL)
    Q_PROPERTY(trainscope::app::LayoutSelection* selection READ selection CONSTANT FINAL)
    // A placement of stages on GPUs that allows for heat, an estimate; or why there is none.
    Q_PROPERTY(QString placementTitle READ placementTitle NOTIFY stateChanged FINAL)
    Q_PROPERTY(QString placementText READ placementText NOTIFY stateChanged FINAL)
    Q_PROPERTY(
        QString launchArguments READ launchArguments NOTIFY stateChanged FINAL) // if it helps
    Q_PROPERTY(trainscope::app::FactListModel* placementFacts READ placementFacts CONSTANT FINAL)
    // Its diagram, before and after, is among the others.
    Q_PROPERTY(bool placementShown READ isPlacementShown WRITE showPlacement NOTIFY
            placementShownChanged FINAL)
    // The diagrams show the moment of the cursor.
    Q_PROPERTY(bool moving READ isMoving NOTIFY settingsChanged FINAL)
    Q_PROPERTY(bool wholeStep READ isWholeStep WRITE setWholeStep NOTIFY settingsChanged FINAL)

    Q_PROPERTY(bool ready READ isReady NOTIFY stateChanged FINAL)
    Q_PROPERTY(QString emptyTitle READ emptyTitle NOTIFY stateChanged FINAL)
    Q_PROPERTY(QString emptyText READ emptyText NOTIFY stateChanged FINAL)
    Q_PROPERTY(QString title READ title NOTIFY stateChanged FINAL)
    Q_PROPERTY(QString origin READ origin NOTIFY stateChanged FINAL) // "from the launch file"
    Q_PROPERTY(bool entered READ isEntered NOTIFY stateChanged FINAL) // by hand
    Q_PROPERTY(bool enterable READ isEnterable NOTIFY stateChanged FINAL) // there is a run
    Q_PROPERTY(QString notes READ notes NOTIFY stateChanged FINAL) // one a line
    Q_PROPERTY(bool hasLogical READ hasLogical NOTIFY stateChanged FINAL)
    Q_PROPERTY(trainscope::app::FactListModel* overview READ overview CONSTANT FINAL)

public:
    explicit LayoutController(QObject* parent = nullptr);

    [[nodiscard]] SettingListModel* settings() { return &m_rows; }
    [[nodiscard]] Playback* playback() { return &m_moment.playback(); }
    [[nodiscard]] LayoutForm* form() { return &m_form; }
    [[nodiscard]] MachineForm* machine() { return &m_machine; }
    [[nodiscard]] LayoutSchedule* schedule() { return &m_schedule; }
    [[nodiscard]] LayoutDiagrams* diagrams() { return &m_diagrams; }
    [[nodiscard]] LayoutHover* hover() { return &m_hover; }
    [[nodiscard]] LayoutSelection* selection() { return &m_selection; }
    [[nodiscard]] QString placementTitle() const;
    [[nodiscard]] QString placementText() const;
    [[nodiscard]] QString launchArguments() const;
    [[nodiscard]] FactListModel* placementFacts() { return &m_placementFacts; }
    [[nodiscard]] bool isPlacementShown() const { return m_context.isPlacementShown; }
    void showPlacement(bool shown);
    Q_INVOKABLE void choose(const QString& key, int choice);
    [[nodiscard]] bool isMoving() const { return m_context.settings.isAtCursor(); }
    [[nodiscard]] bool isWholeStep() const { return m_context.settings.wholeStep; }
    void setWholeStep(bool whole);

    [[nodiscard]] bool isReady() const { return m_context.reading != nullptr; }
    [[nodiscard]] QString emptyTitle() const;
    [[nodiscard]] QString emptyText() const {
        return isReady() ? QString::fromStdString(m_context.reading->missing) : QString();
    }
    [[nodiscard]] QString title() const {
        return m_context.run ? QString::fromStdString(m_context.run->name) : QString();
    }
    [[nodiscard]] QString origin() const;
    [[nodiscard]] bool isEntered() const;
    [[nodiscard]] bool isEnterable() const { return m_context.run.has_value(); }
    [[nodiscard]] QString notes() const;
    [[nodiscard]] bool hasLogical() const { return m_context.layout() != nullptr; }
    [[nodiscard]] FactListModel* overview() { return &m_overview; }

    // The form, begun with the layout that is shown.
    Q_INVOKABLE void beginForm();
    // Keeps what the form says in the database; or takes back what was kept.
    Q_INVOKABLE void saveForm();
    Q_INVOKABLE void forgetEntered();
    // The machine's form, begun with what is known; keeps what it says.
    Q_INVOKABLE void beginMachine() {
        m_machine.begin(isReady() ? m_context.reading->machine : MachineFormFacts());
    }
    Q_INVOKABLE void saveMachine();
    // Nothing is selected or pointed at; false where nothing was.
    Q_INVOKABLE bool clear();

    [[nodiscard]] QStringList figures() const override;
    [[nodiscard]] ExportJob exportJob() const override;
    [[nodiscard]] const plot::RankColours& colours() const { return m_context.colours; }

Q_SIGNALS:
    void settingsChanged();
    void placementShownChanged();

protected:
    void restore() override {
        takeSettings(layoutSettings().restored({}, savedSettings(Views::Layout)));
    }
    void forget() override;
    void load() override;
    void readGrowth() override;
    void nothingRead() override;
    void takeSelection(const trainscope::app::Evidence& evidence) override;

private:
    void connectParts();
    [[nodiscard]] std::vector<Run> candidates() const;
    void chooseRun();
    void setRun(std::optional<Run> run);
    void takeReading(const LayoutReadingPtr& reading);
    void takeSettings(const LayoutSettings& settings);
    void fitSettings();
    void takeValues(const std::vector<std::optional<double>>& values);
    void refresh();
    void readColours();
    void takeColours(figures::ColouredRanks coloured, const LayoutSettings& settings);
    void readSchedule();
    void enter(const Run& run, std::optional<layout::LayoutRequest> request);
    void write(Workspace::Change change);
    [[nodiscard]] plot::ColourQuery colourQuery() const;
    [[nodiscard]] LayoutChoices choicesOf() const;

    LayoutContext m_context;
    LayoutSettings m_wanted; // the context's, whatever the run has
    bool m_areColoursWanted = false; // others than those that are there
    bool m_isScheduleWanted = false;
    LayoutMoment m_moment;
    LayoutSchedule m_schedule;
    LayoutDiagrams m_diagrams{m_context, m_schedule};
    LayoutHover m_hover{m_context, m_diagrams};
    LayoutSelection m_selection{m_context, m_diagrams, m_moment.playback()};
    LayoutForm m_form;
    MachineForm m_machine;
    SettingListModel m_rows;
    FactListModel m_overview;
    FactListModel m_placementFacts;
};

} // namespace trainscope::app
