#include "app/viewmodels/workspace/Places.h"

#include "core/analysis/traces/CaptureWindows.h"
#include "core/model/Try.h"

#include <algorithm>

namespace trainscope::app {
namespace {

using View = Views::View;

constexpr const char* kUsualKeys = "Arrows choose   Enter timeline   ? keys";

// A view is a row here and in Views::View, whose name is its title and key.
struct ViewRow {
    View view;
    Places::Place place;
    const char* page; // in qml
    const char* keys = kUsualKeys;
};
// Places and the views in them by their tabs.
constexpr std::array kViewRows{
    ViewRow{View::Overview, Places::Overview, "overview/OverviewView",
        "Arrows choose   Enter opens what proves it   ? keys"},
    ViewRow{View::Findings, Places::Overview, "findings/FindingsView"},
    ViewRow{View::Spectrum, Places::Overview, "figures/FigureView"},
    ViewRow{View::Timeline, Places::Timeline, "timeline/TimelinePage",
        "W S zoom   A D pan   F fit   M mark   ? keys"},
    ViewRow{View::Layout, Places::Machine, "layout/LayoutView",
        "Arrows choose   Space play   Enter timeline   ? keys"},
    ViewRow{View::Heatmap, Places::Machine, "figures/FigureView"},
    ViewRow{View::Kernels, Places::Kernels, "kernels/KernelsView"},
    ViewRow{
        View::Replay, Places::Kernels, "replay/ReplayView", "Arrows choose   / changes   ? keys"},
    ViewRow{View::Compare, Places::Compare, "compare/CompareView"},
    ViewRow{View::Sweep, Places::Compare, "figures/FigureView"},
    ViewRow{View::Predict, Places::Predict, "predict/PredictView"},
    ViewRow{View::Runs, Places::Data, "runs/RunsView"},
    ViewRow{View::Query, Places::Data, "query/QueryView", "Ctrl+Enter run   Esc stop   F1 manual"},
};
static_assert(kViewRows.size() == Views::kViews);

const ViewRow& rowOf(View view) {
    return *std::ranges::find(kViewRows, view, &ViewRow::view);
}

const ViewRow& firstOf(Places::Place place) {
    return *std::ranges::find(kViewRows, place, &ViewRow::place);
}

Status addFacts(const store::Store& store, const Run& run, PlaceFacts& facts) {
    facts.gpus = std::max({facts.gpus, run.gpuCount, run.worldSize});
    ASSIGN_OR_RETURN(const auto tracks, store.tracks(run.id));
    facts.hasWork = facts.hasWork || std::ranges::any_of(tracks, [](const Track& track) {
        const TrackKind kind = track.description.kind;
        return track.count > 0 && (kind == TrackKind::Stream || kind == TrackKind::Thread);
    });
    ASSIGN_OR_RETURN(auto captures, store.captures(run.id));
    const auto parts = analysis::partsByCapture(std::move(captures));
    facts.captures = std::max(facts.captures, static_cast<int>(parts.size()));
    return {};
}

} // namespace

Places::Places(Views& views, QObject* parent)
    : QObject(parent)
    , m_views(views) {
    forget();
    connect(&views, &Views::viewChanged, this, &Places::takeView);
    if (Workspace* workspace = views.workspace()) {
        connect(workspace, &Workspace::databaseChanged, this, [this] {
            forget();
            read();
        });
        connect(workspace, &Workspace::runsChanged, this, &Places::read);
        connect(workspace, &Workspace::shownRunsChanged, this, &Places::read);
        connect(workspace, &Workspace::figuresAged, this, &Places::read);
    }
    takeView();
    read();
}

QStringList Places::titles() const {
    return namesOf<Place>();
}

QString Places::reasonOf(Place place, const PlaceFacts& facts) {
    if (place == Predict)
        return {};
    if (facts.runs == 0)
        return QStringLiteral("The database has no runs: import some.");
    if (place == Compare)
        return facts.runs > 1 || facts.captures > 1
            ? QString()
            : QStringLiteral("There is one run: import another one to compare it with.");
    if (place == Data)
        return {};
    if (facts.chosen == 0)
        return QStringLiteral("No run is chosen: choose one in the list.");
    if (place == Machine && facts.chosen == 1 && facts.gpus <= 1)
        return QStringLiteral(
            "This run has one GPU: there is no layout, and no GPU to compare it with.");
    if (place == Kernels && !facts.hasWork)
        return facts.chosen == 1 ? QStringLiteral("There is no trace in this run.")
                                 : QStringLiteral("There is no trace in these runs.");
    return {};
}

QStringList Places::reasons() const {
    QStringList all;
    for (int place = 0; place < kPlaces; ++place)
        all.append(m_isRead ? reasonOf(static_cast<Place>(place), m_facts) : QString());
    return all;
}

QList<int> Places::shown() const {
    QList<int> views;
    for (const ViewRow& row : kViewRows) {
        if (row.place == m_place)
            views.append(row.view);
    }
    return views;
}

QString Places::keys() const {
    return QString::fromLatin1(rowOf(m_views.view()).keys);
}

Places::Place Places::placeOf(View view) {
    return rowOf(view).place;
}

QString Places::pageOf(int view) {
    return QStringLiteral("../%1.qml").arg(QLatin1String(rowOf(static_cast<View>(view)).page));
}

void Places::open(int place) {
    if (place >= 0 && place < kPlaces)
        m_views.setView(m_last[static_cast<std::size_t>(place)]);
}

void Places::takeView() {
    m_place = placeOf(m_views.view());
    m_last[static_cast<std::size_t>(m_place)] = m_views.view();
    Q_EMIT placeChanged();
}

void Places::forget() {
    for (int place = 0; place < kPlaces; ++place)
        m_last[static_cast<std::size_t>(place)] = firstOf(static_cast<Place>(place)).view;
    m_task.cancel();
    m_isRead = false;
    Q_EMIT reasonsChanged();
}

void Places::read() {
    Workspace* workspace = m_views.workspace();
    if (workspace == nullptr || !workspace->isOpen())
        return;
    const auto chosen = workspace->chosenRuns();
    PlaceFacts known;
    known.runs = static_cast<int>(workspace->runs().size());
    known.chosen = static_cast<int>(chosen.size());
    m_task.ask(
        workspace->readers(),
        [chosen, known](
            const store::Store& store, const TaskStage<PlaceFacts>&) -> Result<PlaceFacts> {
            PlaceFacts facts = known;
            for (const Run& run : chosen)
                RETURN_IF_ERROR(addFacts(store, run, facts));
            return facts;
        },
        [this](const Result<PlaceFacts>& facts) {
            if (facts.hasValue())
                take(facts.value());
        });
}

void Places::take(const PlaceFacts& facts) {
    if (m_isRead && facts == m_facts)
        return;
    m_facts = facts;
    m_isRead = true;
    Q_EMIT reasonsChanged();
}

} // namespace trainscope::app
