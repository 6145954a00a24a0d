#pragma once
// The open view, and the choices in the views, remembered per database; requests from one view to
// the others pass through here. The seven places of the window, each of one view or several, with
// what the window has of each view; why a place has nothing to say of the chosen runs. GUI thread.

#include "app/viewmodels/workspace/Task.h"
#include "app/viewmodels/workspace/ViewFile.h"
#include "app/viewmodels/workspace/Workspace.h"
#include "core/analysis/traces/RankClocks.h"

#include <QList>
#include <QMetaEnum>
#include <QPointer>
#include <QQmlEngine>
#include <QStringList>

namespace trainscope::app {

// A place in the data that a view points at.
struct Evidence {
    RunId run;
    std::optional<int> rank;
    std::optional<TimeRange> range; // absolute
    std::string metric; // empty: none, or the kernels
    bool operator==(const Evidence&) const = default;
};

// A moment of a run.
struct CursorPlace {
    RunId run;
    TimeNs time; // absolute
    bool operator==(const CursorPlace&) const = default;
};

// Stretch of a run that the timeline shows, and the selected part of it; absolute, as shown.
struct ShownStretch {
    RunId run;
    TimeRange window;
    std::optional<TimeRange> selection;
    // Clocks that the traces of its ranks are shown on; nullptr: each on its own.
    std::shared_ptr<const analysis::RankClocks> clocks = {};
    bool operator==(const ShownStretch&) const = default;
};

// Captures of a run, to be compared with each other.
struct ToCompare {
    RunId run;
    std::vector<std::string> captures; // the first is the base
};

// Names of an enumeration from 0 on, which is known to Qt.
template <typename Enum>
QStringList namesOf() {
    const auto all = QMetaEnum::fromType<Enum>();
    QStringList names;
    for (int value = 0; value < all.keyCount(); ++value)
        names.append(QString::fromLatin1(all.valueToKey(value)));
    return names;
}

class Views : public QObject {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(trainscope::app::Workspace* workspace READ workspace WRITE setWorkspace NOTIFY
            workspaceChanged REQUIRED FINAL)
    Q_PROPERTY(View view READ view WRITE setView NOTIFY viewChanged FINAL)
    Q_PROPERTY(QString title READ title NOTIFY viewChanged FINAL)
    Q_PROPERTY(QString key READ key NOTIFY viewChanged FINAL)
    // In the order of View.
    Q_PROPERTY(QStringList titles READ titles CONSTANT FINAL)

public:
    // Titles and keys of the views are these names.
    enum View {
        Timeline,
        Layout,
        Heatmap,
        Kernels,
        Sweep,
        Spectrum,
        Compare,
        Findings,
        Query,
        Runs,
        Predict,
        Overview,
        Replay,
        Iterations,
        History
    };
    Q_ENUM(View)
    static constexpr int kViews = 15;

    explicit Views(QObject* parent = nullptr);
    explicit Views(Workspace& workspace)
        : Views() {
        setWorkspace(&workspace);
    }
    ~Views() override;

    [[nodiscard]] Workspace* workspace() const { return m_workspace; }
    void setWorkspace(Workspace* workspace);
    [[nodiscard]] View view() const { return m_view; }
    void setView(View view);
    // View for a database in which none was chosen yet; to be set before it is opened.
    void setFirstView(View view) { m_firstView = view; }
    [[nodiscard]] QString title() const { return titles().at(m_view); }
    [[nodiscard]] QStringList titles() const;

    [[nodiscard]] QString key() const { return keyOf(m_view); }
    // "timeline", "heatmap", …: as they are stored and named on the command line.
    static QString keyOf(View view) { return namesOf<View>().at(view).toLower(); }
    // By its key, by that of an older version, or the name of a place: its first view. Absent:
    // there is no such view.
    static std::optional<View> viewNamed(const QString& key);
    // The next database opens there, whatever is remembered of it.
    void openNextAt(View view) { m_nextView = view; }

    // Choices in a view; empty: nothing yet.
    [[nodiscard]] QJsonObject settings(const QString& view) const {
        return m_saved.settings.value(view).toObject();
    }
    void setSettings(const QString& view, const QJsonObject& settings);

    // Opens the view with the runs that are shown, where it could also show all.
    void openWithShownRuns(View view);

    // The one time cursor of all views: who moves it sets it, who shows it listens. Runs that are
    // not among the places have none.
    void setCursor(std::vector<CursorPlace> places);
    [[nodiscard]] std::optional<TimeNs> cursorOf(RunId run) const;

    // The timeline sets them; views that follow it read them when they are seen.
    void setStretches(std::vector<ShownStretch> stretches) { m_stretches = std::move(stretches); }
    [[nodiscard]] std::optional<ShownStretch> stretchOf(RunId run) const;

    // Passes an error in a view on to the window.
    void report(const trainscope::Error& error) { Q_EMIT failed(error); }
    void inform(const QString& text) { Q_EMIT informed(text); }
    // Tells of a removal in `view`, with the function that undoes it while the view is there.
    void offerUndo(const QString& text, QObject* view, std::function<void()> undo);

    // All views take it as their selection.
    void select(const Evidence& evidence) { Q_EMIT selected(evidence); }
    // The same, and opens the timeline there.
    void showOnTimeline(const Evidence& evidence);
    // Opens the prediction with the job of that run, for the view to take it.
    void predict(RunId run);
    Q_INVOKABLE void predictRun(const QString& name);
    // Opens the comparison with these, for the view to take them.
    void compare(const ToCompare& wanted);
    std::optional<ToCompare> takeToCompare() { return std::exchange(m_toCompare, std::nullopt); }
    std::optional<RunId> takeToPredict() { return std::exchange(m_toPredict, std::nullopt); }

Q_SIGNALS:
    void workspaceChanged();
    void viewChanged();
    // settings() gives something else: another database, or other choices.
    void restored();
    void selected(const trainscope::app::Evidence& evidence);
    void cursorMoved();
    void timelineWanted(const trainscope::app::Evidence& evidence);
    void predictionWanted();
    void comparisonWanted();
    void failed(const trainscope::Error& error);
    void informed(const QString& text);
    void undoOffered(const QString& text, const std::function<void()>& undo);

private:
    void reload();
    void take(const SavedViews& saved);
    void takeRead(const SavedViews& saved);
    void save();
    void write();

    QPointer<Workspace> m_workspace;
    std::string m_uuid;
    View m_view = Overview;
    View m_firstView = Overview;
    std::optional<View> m_nextView;
    SavedViews m_saved;
    std::vector<CursorPlace> m_cursor;
    std::vector<ShownStretch> m_stretches;
    std::optional<RunId> m_toPredict;
    std::optional<ToCompare> m_toCompare;
    Task<SavedViews> m_readTask;
    QTimer m_saveTimer;
};

// Data of the chosen runs that decides which places have something to say.
struct PlaceFacts {
    int runs = 0; // in the database
    int chosen = 0;
    int gpus = 0; // in the chosen run with most
    int captures = 0; // different ones, of the chosen run that has most
    bool hasWork = false; // a trace has what ran on a GPU, or what its host did
    bool hasPower = false; // readings of GPUs
    bool hasIterations = false; // a source names some
    bool operator==(const PlaceFacts&) const = default;
};

class Places : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Belongs to the session")
    // In the order of Place.
    Q_PROPERTY(QStringList titles READ titles CONSTANT FINAL)
    // Sentences on why places have nothing to say; empty: it has something.
    Q_PROPERTY(QStringList reasons READ reasons NOTIFY reasonsChanged FINAL)
    // The same of the view whose place has something; the one that may have nothing is Spectrum.
    Q_PROPERTY(QString spectrumReason READ spectrumReason NOTIFY reasonsChanged FINAL)
    Q_PROPERTY(int place READ place NOTIFY placeChanged FINAL)
    // The views of the place, in their order.
    Q_PROPERTY(QList<int> shown READ shown NOTIFY placeChanged FINAL)
    // Keys worth knowing in the open view.
    Q_PROPERTY(QString keys READ keys NOTIFY placeChanged FINAL)

public:
    enum Place { Overview, Timeline, Machine, Kernels, Compare, Predict, Data };
    Q_ENUM(Place)
    static constexpr int kPlaces = 7;

    // `views` must outlive this.
    explicit Places(Views& views, QObject* parent = nullptr);

    [[nodiscard]] QStringList titles() const;
    [[nodiscard]] QStringList reasons() const;
    [[nodiscard]] QString spectrumReason() const;
    [[nodiscard]] int place() const { return m_place; }
    [[nodiscard]] QList<int> shown() const;
    [[nodiscard]] QString keys() const;
    static Place placeOf(Views::View view);
    // The file that shows a view, from another folder of qml.
    Q_INVOKABLE [[nodiscard]] static QString pageOf(int view);
    // The view of it that was open last, else its first; its first from another of its views.
    Q_INVOKABLE void open(int place);

    // The same without a database to ask.
    static QString reasonOf(Place place, const PlaceFacts& facts);

Q_SIGNALS:
    void placeChanged();
    void reasonsChanged();

private:
    void takeView();
    void forget();
    void read();
    void take(const PlaceFacts& facts);

    Views& m_views;
    Place m_place = Overview;
    std::array<Views::View, kPlaces> m_last;
    PlaceFacts m_facts;
    bool m_isRead = false; // else no place is called empty
    Task<PlaceFacts> m_task{Urgency::Background};
};

} // namespace trainscope::app
