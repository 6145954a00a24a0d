#include "app/viewmodels/workspace/Places.h"

#include "core/analysis/traces/CaptureWindows.h"
#include "core/model/Try.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace trainscope::app {
namespace {

using View = Views::View;

const std::array<std::vector<View>, Places::kPlaces>& viewsOfPlaces() {
    static const std::array<std::vector<View>, Places::kPlaces> all{{
        {View::Overview, View::Findings, View::Spectrum},
        {View::Timeline},
        {View::Layout, View::Heatmap},
        {View::Kernels, View::Operators},
        {View::Compare, View::Sweep},
        {View::Predict},
        {View::Runs, View::Query},
    }};
    return all;
}

const std::vector<View>& viewsOf(Places::Place place) {
    return viewsOfPlaces()[static_cast<std::size_t>(place)];
}

Status addFacts(const store::Store& store, const Run& run, PlaceFacts& facts) {
    facts.gpus = std::max({facts.gpus, run.gpuCount, run.worldSize});
    ASSIGN_OR_RETURN(const auto tracks, store.tracks(run.id));
    facts.hasWork
        = facts.hasWork || std::any_of(tracks.begin(), tracks.end(), [](const Track& track) {
              const TrackKind kind = track.description.kind;
              return track.count > 0 && (kind == TrackKind::Stream || kind == TrackKind::Thread);
          });
    ASSIGN_OR_RETURN(auto captures, store.captures(run.id));
    const auto parts = analysis::partsByCapture(std::move(captures));
    facts.captures = std::max(facts.captures, static_cast<int>(parts.size()));
    return {};
}

} // namespace

Places::Places(QObject* parent)
    : QObject(parent) {
    forget();
}

Places::~Places() {
    m_task.cancel();
}

void Places::setViews(Views* views) {
    if (views == m_views)
        return;
    if (m_views)
        m_views->disconnect(this);
    m_views = views;
    if (views != nullptr) {
        connect(views, &Views::viewChanged, this, &Places::takeView);
        Workspace* workspace = views->workspace();
        if (workspace != nullptr) {
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
    Q_EMIT viewsChanged();
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
    const auto& views = viewsOf(m_place);
    return {views.begin(), views.end()};
}

Places::Place Places::placeOf(View view) {
    for (int place = 0; place < kPlaces; ++place) {
        const auto& views = viewsOf(static_cast<Place>(place));
        if (std::find(views.begin(), views.end(), view) != views.end())
            return static_cast<Place>(place);
    }
    return Overview;
}

void Places::open(int place) {
    if (m_views && place >= 0 && place < kPlaces)
        m_views->setView(m_last[static_cast<std::size_t>(place)]);
}

void Places::takeView() {
    m_place = placeOf(m_views->view());
    m_last[static_cast<std::size_t>(m_place)] = m_views->view();
    Q_EMIT placeChanged();
}

void Places::forget() {
    for (int place = 0; place < kPlaces; ++place)
        m_last[static_cast<std::size_t>(place)] = viewsOf(static_cast<Place>(place)).front();
    m_task.cancel();
    m_isRead = false;
    Q_EMIT reasonsChanged();
}

void Places::read() {
    Workspace* workspace = m_views ? m_views->workspace() : nullptr;
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
