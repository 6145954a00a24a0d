#include "app/viewmodels/layout/LayoutController.h"

#include "app/importing/DescribedRuns.h"
#include "app/viewmodels/layout/LayoutReading.h"
#include "app/viewmodels/layout/LayoutSchedule.h"
#include "app/viewmodels/text/Texts.h"
#include "app/viewmodels/workspace/DrawnView.h"
#include "app/viewmodels/workspace/Views.h"
#include "core/figures/layout/LayoutFigure.h"
#include "core/store/Writing.h"

namespace trainscope::app {
namespace {

// Files of the layout view: its diagrams, the schedule, the placement. Plain functions; GUI thread.

ExportJob diagramJob(const LayoutContext& context, const QString& timeText) {
    auto data = std::make_shared<plot::LayoutFigureData>(context.reading->figure);
    data->colours = context.colours;
    data->caption = context.coloursCaption.toStdString();
    if (context.showsValuesAtCursor())
        data->caption
            = QStringLiteral("%1 at %2 after the run's begin, on the scale of the whole run.")
                  .arg(QString::fromStdString(context.colours.scale.title), timeText)
                  .toStdString();
    data->query.rank = context.rank;
    return exportJobOf(Views::keyOf(Views::Layout), figures::layoutFigure(data));
}

// Figures that can be written.
QStringList layoutFigures(const LayoutContext& context, const LayoutSchedule& schedule) {
    QStringList titles{QStringLiteral("Diagrams")};
    if (!schedule.data().isEmpty())
        titles.append(QStringLiteral("Pipeline schedule"));
    if (!context.placement.isEmpty())
        titles.append(QStringLiteral("Placement"));
    return titles;
}

// `figure` of those; `timeText` is the moment that the diagrams show.
ExportJob layoutJob(const LayoutContext& context, const LayoutSchedule& schedule, int figure,
    const QString& timeText) {
    if (!context.reading)
        return {};
    const QString title = layoutFigures(context, schedule).value(figure);
    const QString name = Views::keyOf(Views::Layout);
    if (title == QStringLiteral("Pipeline schedule"))
        return exportJobOf(name + QStringLiteral("-schedule"),
            figures::scheduleFigure(std::make_shared<const plot::ScheduleFigureData>(
                schedule.part(context.settings.wholeStep))));
    if (title == QStringLiteral("Placement"))
        return exportJobOf(name + QStringLiteral("-placement"),
            figures::placementFigure(
                std::make_shared<const plot::PlacementFigureData>(context.placement)));
    return diagramJob(context, timeText);
}

} // namespace

LayoutController::LayoutController(QObject* parent)
    : DatabaseView(parent) {
    connectParts();
}

void LayoutController::connectParts() {
    connect(this, &DatabaseView::viewsChanged, this, [this] {
        m_moment.setViews(views());
        m_selection.setViews(views());
    });
    connect(this, &DatabaseView::activeChanged, this,
        [this] { m_moment.setShown(isActive() && isReady() && isMoving()); });
    connect(&m_moment, &LayoutMoment::values, this, &LayoutController::takeValues);
    connect(&m_moment, &LayoutMoment::settled, this, [this] {
        if (isActive())
            m_selection.probe();
    });
    connect(&m_moment, &LayoutMoment::failed, this, [this](const Error& error) {
        if (views() != nullptr)
            views()->report(error);
    });
    connect(&m_schedule, &LayoutSchedule::wanted, this, &LayoutController::readSchedule);
    connect(&m_selection, &LayoutSelection::chosen, &m_moment, &LayoutMoment::share);
    connect(&m_diagrams, &LayoutDiagrams::laidOut, this, [this] {
        if (m_context.hoverRank)
            m_hover.leave();
    });
}

void LayoutController::takeSettings(const LayoutSettings& settings) {
    m_wanted = settings;
    fitSettings();
    refresh();
    Q_EMIT settingsChanged();
    if (isReady())
        readColours();
}

// As they were chosen, as far as the run has it.
void LayoutController::fitSettings() {
    m_context.settings = isReady() ? fittedLayout(m_wanted, choicesOf()) : m_wanted;
}

void LayoutController::choose(const QString& key, int choice) {
    if (key == QLatin1String("run")) {
        const auto runs = candidates();
        if (choice >= 0 && choice < static_cast<int>(runs.size())) {
            setRun(runs[static_cast<std::size_t>(choice)]);
            load();
        }
        return;
    }
    const LayoutSettings& shown = m_context.settings;
    LayoutSettings changed = shown;
    if (isReady())
        changed = layoutSettings().with(shown, choicesOf(), key, choice);
    if (changed == shown)
        return;
    // A choice that this run lacks stays for those that have it.
    if (changed.by == shown.by && changed.metric == shown.metric) {
        changed.by = m_wanted.by;
        changed.metric = m_wanted.metric;
    }
    if (changed.statistic == shown.statistic)
        changed.statistic = m_wanted.statistic;
    if (changed.lit == shown.lit)
        changed.lit = m_wanted.lit;
    saveSettings(Views::Layout, layoutSettings().kept(changed));
    takeSettings(changed);
    Q_EMIT m_diagrams.marksChanged();
}

void LayoutController::setWholeStep(bool whole) {
    if (whole == m_context.settings.wholeStep)
        return;
    m_context.settings.wholeStep = m_wanted.wholeStep = whole;
    saveSettings(Views::Layout, layoutSettings().kept(m_wanted));
    Q_EMIT settingsChanged();
    Q_EMIT m_diagrams.changed();
}

LayoutChoices LayoutController::choicesOf() const {
    LayoutChoices choices;
    const auto runs = candidates();
    for (std::size_t i = 0; i < runs.size(); ++i) {
        choices.runs.append(QString::fromStdString(runs[i].name));
        if (m_context.run && runs[i].id == m_context.run->id)
            choices.run = static_cast<int>(i);
    }
    if (!isReady())
        return choices;
    choices.metrics = m_context.reading->metrics;
    if (const auto* layout = m_context.layout()) {
        choices.hasLayout = true;
        choices.hasExperts = layout->grid.degrees().expert > 1;
        choices.hasContext = layout->grid.degrees().context > 1;
    }
    return choices;
}

void LayoutController::refresh() {
    m_rows.setRows(layoutSettings().rows(m_context.settings, choicesOf()));
    std::vector<Fact> facts;
    if (isReady()) {
        facts = layoutFacts(m_context.reading->figure);
        const auto& nccl = m_context.reading->nccl;
        facts.insert(facts.end(), nccl.begin(), nccl.end());
    }
    m_overview.setFacts(std::move(facts));
}

void LayoutController::forget() {
    m_context.reading.reset();
    fitSettings();
    m_schedule.forget();
    m_moment.forget();
    m_selection.forget();
    m_hover.leave();
}

std::vector<Run> LayoutController::candidates() const {
    const auto* open = workspace();
    return open != nullptr ? open->chosenRuns() : std::vector<Run>();
}

void LayoutController::setRun(std::optional<Run> run) {
    endReading(); // it may still read the run before
    m_context.run = std::move(run);
    m_context.reading.reset();
    fitSettings();
    m_schedule.forget();
    m_selection.forget();
}

// The one that is shown stays while it can be chosen, with what is selected in it.
void LayoutController::chooseRun() {
    const auto& shown = m_context.run;
    const auto runs = candidates();
    const auto same = std::ranges::find_if(runs, [&shown](const Run& run) {
        return shown && run.id == shown->id && run.name == shown->name;
    });
    if (same != runs.end()) {
        m_context.run = *same;
        return;
    }
    setRun(runs.empty() ? std::nullopt : std::optional(runs.front()));
    m_selection.take(std::nullopt);
}

plot::ColourQuery LayoutController::colourQuery() const {
    const auto& [by, metric, statistic, lit, wholeStep] = m_context.settings;
    plot::ColourQuery query;
    query.by = by;
    query.metric = metric;
    query.statistic = statistic;
    if (!isMoving())
        return query;
    const TimeRange& range = m_context.run->range;
    const auto& playback = m_moment.playback();
    query.at = playback.range() == range ? playback.time()
                                         : range.begin + DurationNs{range.length().ns / 2};
    return query;
}

void LayoutController::load() {
    chooseRun();
    refresh();
    if (!m_context.run || !isActive()) {
        if (!m_context.run) {
            m_moment.setRun(std::nullopt);
            endReading();
        }
        return nothingRead();
    }
    m_moment.setRun(m_context.run);
    m_moment.takeCursor();
    const bool withTraces = isReady();
    // A reading supersedes the one before: what that was to bring is still wanted.
    if (withTraces && m_areColoursWanted)
        return readColours();
    if (withTraces && m_isScheduleWanted)
        return readSchedule();
    if (withTraces && m_context.reading->hasTraces)
        return;
    read<LayoutReadingPtr>(
        withTraces ? QStringLiteral("Bytes exchanged") : QString(),
        [run = *m_context.run, colours = colourQuery(), withTraces](
            const store::Store& store, const Progress& progress) {
            return readLayout({store, run, progress}, colours, withTraces);
        },
        [this](const LayoutReadingPtr& reading) { takeReading(reading); });
}

void LayoutController::takeReading(const LayoutReadingPtr& reading) {
    const bool isFirst = !isReady();
    m_context.reading = reading;
    m_schedule.setIterations(reading->iterations);
    m_schedule.setData(reading->schedule);
    const auto& placed = reading->placement;
    m_context.placement
        = placed ? figures::placementFigureOf(reading->run, *placed) : plot::PlacementFigureData{};
    m_placementFacts.setFacts(placed ? app::placementFacts(*placed) : std::vector<Fact>());
    if (isFirst) {
        fitSettings();
        Q_EMIT settingsChanged();
        takeColours({reading->figure.colours, reading->figure.caption}, m_context.settings);
        m_moment.setMetric(m_context.settings.metric);
        m_selection.probe();
    }
    m_isScheduleWanted = m_schedule.hasChoice();
    refresh();
    m_selection.refresh();
    Q_EMIT stateChanged();
    Q_EMIT m_diagrams.changed();
    m_moment.setShown(isActive() && isMoving());
    if (isFirst)
        m_moment.show();
    load();
}

void LayoutController::nothingRead() {
    // A failed reading would fail again.
    if (!errorText().isEmpty())
        m_areColoursWanted = m_isScheduleWanted = false;
    m_moment.playback().setPlaying(false);
    Q_EMIT stateChanged();
    Q_EMIT m_diagrams.changed();
}

void LayoutController::takeValues(const std::vector<std::optional<double>>& values) {
    if (!m_context.showsValuesAtCursor())
        return;
    m_context.colours.values = values;
    m_diagrams.recolour();
    m_hover.refresh();
}

void LayoutController::takeSelection(const Evidence& evidence) {
    if (!m_context.run || evidence.run != m_context.run->id) {
        const auto runs = candidates();
        const auto other = std::ranges::find_if(
            runs, [&evidence](const Run& run) { return run.id == evidence.run; });
        if (other == runs.end() || !evidence.rank)
            return;
        setRun(*other);
        load();
    }
    if (evidence.rank && evidence.rank != m_context.rank)
        m_selection.take(evidence.rank);
}

bool LayoutController::clear() {
    const bool hadSome = m_context.rank || m_context.hoverRank;
    m_hover.leave();
    if (m_context.rank)
        m_selection.take(std::nullopt);
    return hadSome;
}

void LayoutController::beginForm() {
    if (!m_context.run)
        return;
    const int world = std::max(m_context.run->worldSize, m_context.run->gpuCount);
    m_form.begin(isReady() && m_context.reading->known ? m_context.reading->known->request
                                                       : layout::LayoutRequest(),
        world);
}

void LayoutController::saveForm() {
    if (m_form.fits() && m_context.run)
        enter(*m_context.run, m_form.request());
}

void LayoutController::forgetEntered() {
    if (!m_context.run || !isEntered())
        return;
    enter(*m_context.run, std::nullopt);
    views()->offerUndo(QStringLiteral("The entered layout was taken back."), this,
        [this, run = *m_context.run, was = m_context.reading->known->request] { enter(run, was); });
}

bool LayoutController::isEntered() const {
    return isReady() && m_context.reading->known
        && m_context.reading->known->origin == analysis::LayoutOrigin::Entered;
}

QString LayoutController::emptyTitle() const {
    if (!isAtRest() || isReady())
        return {};
    if (workspace()->runs().empty())
        return noRunsText();
    return m_context.run ? QString() : chooseRunText();
}

QString LayoutController::origin() const {
    if (!isReady())
        return {};
    const auto& known = m_context.reading->known;
    return known ? QStringLiteral("Layout from %1").arg(QString::fromStdString(known->wording))
                 : QString();
}

QString LayoutController::placementTitle() const {
    const auto& placed = m_context.placement.placement;
    return placed ? QString::fromStdString(placed->headline) : QString();
}

QString LayoutController::placementText() const {
    if (!isReady())
        return {};
    const auto& placed = m_context.reading->placement;
    return QString::fromStdString(placed ? placed->reason : m_context.reading->placementMissing);
}

QString LayoutController::launchArguments() const {
    const auto& placed = m_context.placement.placement;
    return placed && placed->helps ? QString::fromStdString(analysis::launchArguments(*placed))
                                   : QString();
}

void LayoutController::showPlacement(bool shown) {
    if (shown == m_context.isPlacementShown)
        return;
    m_context.isPlacementShown = shown;
    Q_EMIT placementShownChanged();
    Q_EMIT m_diagrams.changed();
}

QString LayoutController::notes() const {
    if (!isReady())
        return {};
    QStringList lines;
    const auto add = [&lines](const std::string& text) {
        if (!text.empty())
            lines.append(QString::fromStdString(text));
    };
    if (const auto& wanted = m_wanted.metric;
        m_wanted.by == plot::RankColour::Value && wanted != m_context.settings.metric)
        lines.append(QStringLiteral("Not recorded in this run: %1.")
                         .arg(QString::fromStdString(plot::metricTitle(wanted))));
    if (m_context.showsValuesAtCursor())
        lines.append(QStringLiteral("%1 at the cursor's time, on the scale of the whole run.")
                         .arg(QString::fromStdString(m_context.colours.scale.title)));
    else
        add(m_context.coloursCaption.toStdString());
    for (const auto& note : m_context.reading->figure.notes) {
        if (m_context.reading->missing.empty() || !note.ends_with(m_context.reading->missing))
            add(note); // the place of the diagram says why there is none
    }
    const auto& schedule = m_schedule.data();
    add(schedule.emptyText);
    add(schedule.caption);
    for (const auto& note : schedule.notes)
        add(note);
    return lines.join(QLatin1Char('\n'));
}

QStringList LayoutController::figures() const {
    return layoutFigures(m_context, m_schedule);
}

ExportJob LayoutController::exportJob() const {
    return layoutJob(m_context, m_schedule, chosenFigure(), m_moment.playback().timeText());
}

void LayoutController::readColours() {
    m_areColoursWanted = true;
    if (!m_context.run || !isActive())
        return;
    m_moment.setShown(isMoving());
    m_moment.setMetric(m_context.settings.metric);
    read<figures::ColouredRanks>(
        QStringLiteral("Colours"),
        [run = *m_context.run, query = colourQuery()](
            const store::Store& store, const Progress& progress) {
            return figures::colourRanks({store, run, progress}, query);
        },
        [this, settings = m_context.settings](figures::ColouredRanks coloured) {
            takeColours(std::move(coloured), settings);
            Q_EMIT stateChanged();
            Q_EMIT m_diagrams.changed();
            m_moment.show();
            load();
        });
}

// `settings`: what they were read for.
void LayoutController::takeColours(
    figures::ColouredRanks coloured, const LayoutSettings& settings) {
    m_areColoursWanted = false;
    m_context.colours = std::move(coloured.colours);
    // Groups that the run does not have were asked for before that was known.
    if (settings.by != plot::RankColour::Value)
        m_context.colours.by = settings.by;
    m_context.coloursCaption = QString::fromStdString(coloured.caption);
    m_context.momentMetric = settings.isAtCursor() ? settings.metric : std::string();
}

void LayoutController::readSchedule() {
    m_isScheduleWanted = true;
    if (!m_context.run || !isReady() || !isActive())
        return;
    read<plot::ScheduleFigureData>(
        QStringLiteral("Schedule"),
        [query = m_schedule.queryOf(m_context.run->id, m_context.reading->hasTraces)](
            const store::Store& store, const Progress& progress) {
            return figures::loadSchedule(store, query, progress);
        },
        [this](plot::ScheduleFigureData data) {
            m_isScheduleWanted = false;
            m_schedule.setData(std::move(data));
            Q_EMIT stateChanged();
            Q_EMIT m_diagrams.changed();
            load();
        });
}

void LayoutController::readGrowth() {
    chooseRun();
    if (!m_context.run || !isReady() || m_moment.playback().isPlaying())
        return;
    m_moment.setRun(m_context.run);
    m_moment.setMetric(m_context.settings.metric);
    readQuietly<figures::ColouredRanks>(
        [run = *m_context.run, query = colourQuery()](
            const store::Store& store, const Progress& progress) {
            return figures::colourRanks({store, run, progress}, query);
        },
        [this, id = m_context.run->id, settings = m_context.settings](
            figures::ColouredRanks coloured) {
            if (!m_context.run || m_context.run->id != id || m_context.settings != settings)
                return;
            takeColours(std::move(coloured), settings);
            m_diagrams.recolour();
            m_hover.refresh();
            m_selection.refresh();
            m_moment.show();
            Q_EMIT stateChanged();
        });
}

void LayoutController::saveMachine() {
    if (!m_context.run)
        return;
    std::vector<RunId> runs = m_machine.others();
    runs.insert(runs.begin(), m_context.run->id);
    write([runs = std::move(runs), order = m_machine.said(),
              model = m_machine.gpuModel().trimmed().toStdString()](store::Store& store) -> Status {
        for (const RunId run : runs) {
            RETURN_IF_ERROR(store::setAirflow(store, run, order));
            RETURN_IF_ERROR(sayGpuModel(store, run, model));
        }
        return {};
    });
}

void LayoutController::enter(const Run& run, std::optional<layout::LayoutRequest> request) {
    write([run, request = std::move(request)](
              store::Store& store) { return analysis::enterLayout(store, run, request); });
}

void LayoutController::write(Workspace::Change change) {
    if (auto* open = workspace())
        open->write(std::move(change), [views = QPointer(views())](const Status& written) {
            if (views && !written.hasValue())
                views->report(written.error());
        });
}

} // namespace trainscope::app
