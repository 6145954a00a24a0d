// The part of LayoutController that shows the moment of the cursor: playback, colours, readouts.
#include "app/viewmodels/layout/LayoutController.h"
#include "app/viewmodels/text/HumanText.h"
#include "app/viewmodels/window/Theme.h"
#include "core/model/Metric.h"

#include <algorithm>
#include <array>
#include <utility>

namespace trainscope::app {
namespace {

struct ProbedMetric {
    const char* metric;
    const char* title;
};
constexpr std::array kProbed{
    ProbedMetric{metric::kGpuTemperature, QT_TRANSLATE_NOOP("LayoutController", "Temperature")},
    ProbedMetric{
        metric::kMemTemperature, QT_TRANSLATE_NOOP("LayoutController", "Memory temperature")},
    ProbedMetric{metric::kGpuPower, QT_TRANSLATE_NOOP("LayoutController", "Power")},
    ProbedMetric{metric::kSmClock, QT_TRANSLATE_NOOP("LayoutController", "SM clock")},
    ProbedMetric{metric::kGpuUtilization, QT_TRANSLATE_NOOP("LayoutController", "Utilisation")}};

using SeriesList = std::vector<Series>;

Result<std::shared_ptr<const SeriesList>> seriesOf(
    const store::Store& store, const Run& run, int rank) {
    auto all = store.series(run.id);
    if (!all.hasValue())
        return all.error();
    auto own = std::make_shared<SeriesList>();
    for (Series& series : all.value()) {
        const auto& subject = series.description.subject;
        if (subject.kind == SubjectKind::Gpu && subject.rank == rank)
            own->push_back(std::move(series));
    }
    return std::shared_ptr<const SeriesList>(std::move(own));
}

// What those metrics are at t; metrics that the rank does not have are left out.
Result<std::vector<Fact>> probeRank(const store::Store& store, const SeriesList& series, TimeNs t) {
    std::vector<Fact> facts;
    for (const ProbedMetric& probed : kProbed) {
        const auto found = std::find_if(series.begin(), series.end(),
            [&probed](const Series& one) { return one.description.metric.name == probed.metric; });
        if (found == series.end())
            continue;
        const auto value = store.valueAt(found->id, t);
        if (!value.hasValue())
            return value.error();
        facts.push_back({LayoutController::tr(probed.title),
            value.value()
                ? metricText(probed.metric, *value.value(), found->description.metric.unit)
                : noDataText()});
    }
    return facts;
}

} // namespace

void LayoutController::connectPlayback() {
    connect(&m_playback, &Playback::moved, this, [this] {
        momentChanged();
        if (!m_following && !m_shareTimer.isActive())
            m_shareTimer.start();
    });
    connect(&m_playback, &Playback::playingChanged, this, &LayoutController::momentChanged);
    connect(&m_shareTimer, &QTimer::timeout, this, [this] {
        shareCursor();
        readProbe();
    });
    connect(&m_cache, &PlaybackCache::arrived, this, [this] {
        if (m_playback.isPlaying()) {
            m_playback.release();
            momentChanged();
        }
    });
    connect(&m_cache, &PlaybackCache::exact, this, [this](const analysis::RankValues& values) {
        if (!m_playback.isPlaying())
            takeValues(values);
    });
    connect(&m_cache, &PlaybackCache::failed, this, [this](const Error& error) {
        m_playback.setPlaying(false);
        if (views() != nullptr)
            views()->report(error);
    });
}

// While it plays, a picture that was read ahead; else the value that was held at that moment.
void LayoutController::momentChanged() {
    if (!m_reading || !isMoving() || !isActive())
        return;
    if (!m_playback.isPlaying())
        return m_cache.ask(m_playback.time());
    const auto values = m_cache.picture(m_playback.time(), m_playback.frame());
    if (values)
        takeValues(*values);
    else
        m_playback.hold();
}

void LayoutController::takeValues(const analysis::RankValues& values) {
    if (!isMoving() || m_colours.by != plot::RankColour::Value)
        return;
    m_colours.values = values;
    recolourScenes();
    if (m_hoverRank && m_reading) {
        m_hover = rankHover(m_reading->figure, m_colours, *m_hoverRank, m_settings.lit);
        Q_EMIT hoverChanged();
    }
}

void LayoutController::recolourScenes() {
    if (!m_reading)
        return;
    const auto* layout = m_reading->figure.layout ? &*m_reading->figure.layout : nullptr;
    for (const Part part : {Physical, Logical}) {
        auto& diagram = m_scenes[static_cast<std::size_t>(part)];
        if (!diagram.items.empty())
            plot::recolour(diagram, m_colours, layout, Theme::instance()->plotTheme());
    }
    Q_EMIT recoloured();
}

void LayoutController::shareCursor() {
    if (views() != nullptr && m_run && isActive())
        views()->setCursor({{m_run->id, m_playback.time()}});
}

// As others say; nothing is told back.
void LayoutController::takeCursor() {
    if (views() == nullptr || !m_run || m_playback.isPlaying())
        return;
    const auto time = views()->cursorOf(m_run->id);
    if (!time)
        return;
    follow([this, time] { m_playback.seek(*time); });
    m_shareTimer.stop();
    readProbe();
}

void LayoutController::follow(const std::function<void()>& move) {
    m_following = true;
    move();
    m_following = false;
}

void LayoutController::readProbe() {
    if (!m_run || !m_rank || !isActive() || workspace() == nullptr)
        return;
    m_probeTask.ask(
        workspace()->readers(),
        [run = *m_run, rank = *m_rank, t = m_playback.time(), known = m_probeSeries](
            const store::Store& store, const TaskStage<Probe>& stage) {
            const auto series = known ? Result<std::shared_ptr<const SeriesList>>(known)
                                      : seriesOf(store, run, rank);
            if (!series.hasValue())
                return stage.publish(series.error());
            auto facts = probeRank(store, *series.value(), t);
            if (!facts.hasValue())
                return stage.publish(facts.error());
            stage.publish(Probe{rank, series.value(), std::move(facts).value()});
        },
        [this](Result<Probe> probe) {
            const bool isOfRank = probe.hasValue() && probe.value().rank == m_rank;
            m_probeSeries = isOfRank ? probe.value().series : nullptr;
            m_probed = isOfRank ? std::move(probe.value().facts) : std::vector<Fact>();
            refreshFacts();
        });
}

} // namespace trainscope::app
