#include "app/viewmodels/layout/LayoutController.h"

#include "app/viewmodels/text/RunWording.h"
#include "core/figures/layout/LayoutFigure.h"
#include "core/figures/layout/RankColouring.h"

#include <algorithm>
#include <utility>

namespace trainscope::app {
namespace {

constexpr int kShareMs = 250;

} // namespace

LayoutController::LayoutController(QObject* parent)
    : DatabaseView(parent) {
    m_shareTimer.setSingleShot(true);
    m_shareTimer.setInterval(kShareMs);
    connectPlayback();
    connect(&m_schedule, &LayoutSchedule::wanted, this, &LayoutController::readSchedule);
    connect(this, &DatabaseView::viewsChanged, this, [this] {
        if (views() != nullptr)
            connect(views(), &Views::cursorMoved, this, &LayoutController::takeCursor,
                Qt::UniqueConnection);
    });
}

void LayoutController::restore() {
    takeSettings(decodeLayout(savedSettings(Views::Layout)));
}

void LayoutController::takeSettings(const LayoutSettings& settings) {
    m_settings = settings;
    refreshRows();
    Q_EMIT settingsChanged();
    if (m_reading)
        readColours();
}

void LayoutController::choose(const QString& key, int choice) {
    if (key == QLatin1String("run")) {
        const auto runs = candidates();
        if (choice >= 0 && choice < static_cast<int>(runs.size())) {
            m_run = runs[static_cast<std::size_t>(choice)];
            m_reading.reset();
            m_schedule.forget();
            load();
        }
        return;
    }
    LayoutSettings changed = m_settings;
    if (m_reading)
        changed = withLayoutSetting(m_settings, choicesOf(), key, choice);
    if (changed == m_settings)
        return;
    saveSettings(Views::Layout, encodeLayout(changed));
    takeSettings(changed);
    Q_EMIT marksChanged();
}

void LayoutController::setWholeStep(bool whole) {
    if (whole == m_settings.wholeStep)
        return;
    m_settings.wholeStep = whole;
    saveSettings(Views::Layout, encodeLayout(m_settings));
    Q_EMIT settingsChanged();
    Q_EMIT geometryChanged();
}

LayoutChoices LayoutController::choicesOf() const {
    LayoutChoices choices;
    const auto runs = candidates();
    for (std::size_t i = 0; i < runs.size(); ++i) {
        choices.runs.append(QString::fromStdString(runs[i].name));
        if (m_run && runs[i].id == m_run->id)
            choices.run = static_cast<int>(i);
    }
    if (!m_reading)
        return choices;
    choices.metrics = m_reading->metrics;
    if (const auto& layout = m_reading->figure.layout) {
        choices.hasLayout = true;
        choices.hasExperts = layout->grid.degrees().expert > 1;
        choices.hasContext = layout->grid.degrees().context > 1;
    }
    return choices;
}

void LayoutController::refreshRows() {
    m_rows.setRows(layoutRows(m_settings, choicesOf()));
}

void LayoutController::forget() {
    m_playback.setPlaying(false);
    m_reading.reset();
    m_schedule.forget();
    m_probeSeries.reset();
    m_probeTask.cancel();
    m_cache.clear();
    setHover(Physical, std::nullopt, std::nullopt, {});
}

std::vector<Run> LayoutController::candidates() const {
    const auto* open = workspace();
    return open != nullptr ? open->chosenRuns() : std::vector<Run>();
}

// The one that is shown stays while it can be chosen, with what is selected in it.
void LayoutController::chooseRun() {
    const auto runs = candidates();
    const auto same = std::find_if(runs.begin(), runs.end(),
        [this](const Run& run) { return m_run && run.id == m_run->id && run.name == m_run->name; });
    if (same != runs.end()) {
        m_run = *same;
        return;
    }
    m_reading.reset();
    m_schedule.forget();
    m_run = runs.empty() ? std::nullopt : std::optional(runs.front());
    setRank(std::nullopt);
}

plot::ColourQuery LayoutController::colourQuery() const {
    plot::ColourQuery query;
    query.by = m_settings.by;
    query.metric = m_settings.metric;
    query.statistic = m_settings.statistic;
    if (!m_settings.isAtCursor())
        return query;
    const bool isOfRun = m_run && m_playback.range() == m_run->range;
    query.at = isOfRun ? m_playback.time()
                       : m_run->range.begin + DurationNs{m_run->range.length().ns / 2};
    return query;
}

void LayoutController::load() {
    chooseRun();
    refreshRows();
    if (!m_run || !isActive()) {
        if (!m_run) {
            follow([this] { m_playback.setRange({{0}, {0}}); });
            endReading();
        }
        return nothingRead();
    }
    follow([this] { m_playback.setRange(m_run->range); });
    takeCursor();
    const bool withTraces = m_reading != nullptr;
    if (withTraces && m_reading->hasTraces)
        return;
    read<LayoutReadingPtr>(
        withTraces ? tr("What is exchanged") : QString(),
        [run = *m_run, colours = colourQuery(), withTraces](
            const store::Store& store, const Progress& progress) {
            return readLayout(store, run, colours, withTraces, progress);
        },
        [this](const LayoutReadingPtr& reading) { takeReading(reading); });
}

void LayoutController::takeReading(const LayoutReadingPtr& reading) {
    const bool isFirst = !m_reading;
    m_reading = reading;
    m_schedule.setIterations(reading->iterations);
    m_schedule.setData(reading->schedule);
    m_placementData = reading->placement
        ? figures::placementFigureOf(reading->run, *reading->placement)
        : plot::PlacementFigureData{};
    if (isFirst) {
        m_colours = reading->figure.colours;
        m_coloursCaption = QString::fromStdString(reading->figure.caption);
        m_cache.setSource(workspace()->readers(), reading->run, m_settings.metric);
    }
    refreshRows();
    refreshFacts();
    Q_EMIT stateChanged();
    Q_EMIT geometryChanged();
    if (isFirst && isMoving())
        momentChanged();
    if (m_schedule.hasChoice())
        readSchedule(); // and goes on
    else
        load();
}

void LayoutController::nothingRead() {
    m_playback.setPlaying(false);
    Q_EMIT stateChanged();
    Q_EMIT geometryChanged();
}

// The diagrams stay; only their colours are read.
void LayoutController::readColours() {
    if (!m_run || !isActive())
        return;
    m_playback.setPlaying(m_playback.isPlaying() && isMoving());
    const plot::ColourQuery query = colourQuery();
    m_cache.setSource(workspace()->readers(), *m_run, m_settings.metric);
    read<figures::ColouredRanks>(
        tr("Colours"),
        [run = *m_run, query](const store::Store& store, const Progress& progress) {
            return figures::colourRanks(store, run, query, progress);
        },
        [this](figures::ColouredRanks coloured) {
            m_colours = std::move(coloured.colours);
            m_coloursCaption = QString::fromStdString(coloured.caption);
            Q_EMIT stateChanged();
            Q_EMIT geometryChanged();
            load();
        });
}

void LayoutController::beginForm() {
    if (!m_run)
        return;
    const int world = std::max(m_run->worldSize, m_run->gpuCount);
    m_form.begin(
        m_reading && m_reading->known ? m_reading->known->request : layout::LayoutRequest(), world);
}

void LayoutController::saveForm() {
    if (m_form.fits())
        write(m_form.request());
}

void LayoutController::forgetEntered() {
    write(std::nullopt);
}

void LayoutController::write(std::optional<layout::LayoutRequest> request) {
    auto* open = workspace();
    if (open == nullptr || !m_run)
        return;
    open->write([run = *m_run, request = std::move(request)](
                    store::Store& store) { return analysis::enterLayout(store, run, request); },
        [views = QPointer(views())](const Status& written) {
            if (views && !written.hasValue())
                views->report(written.error());
        });
}

bool LayoutController::isEntered() const {
    return m_reading && m_reading->known
        && m_reading->known->origin == analysis::LayoutOrigin::Entered;
}

bool LayoutController::hasLogical() const {
    return m_reading && m_reading->figure.layout;
}

QString LayoutController::placementTitle() const {
    return m_reading && m_reading->placement
        ? QString::fromStdString(m_reading->placement->headline)
        : QString();
}

QString LayoutController::placementText() const {
    if (!m_reading)
        return {};
    return QString::fromStdString(
        m_reading->placement ? m_reading->placement->reason : m_reading->placementMissing);
}

bool LayoutController::isPlaced() const {
    return m_reading && m_reading->placement && m_reading->placement->helps;
}

QString LayoutController::launchArguments() const {
    return isPlaced() ? QString::fromStdString(analysis::launchArguments(*m_reading->placement))
                      : QString();
}

QString LayoutController::emptyTitle() const {
    const auto* open = workspace();
    if (isLoading() || isStopped() || !errorText().isEmpty() || open == nullptr || isReady())
        return {};
    if (open->runs().empty())
        return noRunsText();
    return m_run ? QString() : chooseRunText();
}

QString LayoutController::emptyText() const {
    return m_reading ? QString::fromStdString(m_reading->missing) : QString();
}

QString LayoutController::title() const {
    return m_run ? QString::fromStdString(m_run->name) : QString();
}

QString LayoutController::origin() const {
    if (!m_reading)
        return {};
    return m_reading->known
        ? tr("Layout from %1").arg(QString::fromStdString(m_reading->known->wording))
        : tr("The layout is not known");
}

QString LayoutController::notes() const {
    QStringList lines;
    if (!m_reading)
        return {};
    if (isMoving() && m_colours.by == plot::RankColour::Value)
        lines.append(tr("%1 at the cursor's time, on the scale of the whole run.")
                         .arg(QString::fromStdString(m_colours.scale.title)));
    else if (!m_coloursCaption.isEmpty())
        lines.append(m_coloursCaption);
    for (const auto& note : m_reading->figure.notes)
        lines.append(QString::fromStdString(note));
    const auto& schedule = m_schedule.data();
    for (const auto& text : {schedule.emptyText, schedule.caption}) {
        if (!text.empty())
            lines.append(QString::fromStdString(text));
    }
    for (const auto& note : schedule.notes)
        lines.append(QString::fromStdString(note));
    return lines.join(QLatin1Char('\n'));
}

} // namespace trainscope::app
