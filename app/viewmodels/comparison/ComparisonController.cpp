#include "app/viewmodels/comparison/ComparisonController.h"

#include "app/viewmodels/text/HumanText.h"
#include "app/viewmodels/text/RunWording.h"
#include "app/viewmodels/text/ShownText.h"
#include "app/viewmodels/window/Theme.h"
#include "core/figures/comparison/ComparisonFigure.h"
#include "core/figures/comparison/ComparisonLoad.h"
#include "core/figures/runs/RunFigures.h"
#include "core/plot/comparison/ComparisonText.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace trainscope::app {
namespace {

const QString kSavedKey = QStringLiteral("saved");

// Numbers of iterations that all runs have.
std::vector<std::int64_t> commonIterations(const plot::ComparisonData& data) {
    std::vector<std::int64_t> common;
    for (std::size_t run = 0; run < data.measured.size(); ++run) {
        std::vector<std::int64_t> own;
        for (const auto& figures : data.measured[run]->iterations)
            own.push_back(figures.iteration.index);
        std::sort(own.begin(), own.end());
        std::vector<std::int64_t> both;
        std::set_intersection(
            common.begin(), common.end(), own.begin(), own.end(), std::back_inserter(both));
        common = run == 0 ? own : both;
    }
    return common;
}

} // namespace

ComparisonController::ComparisonController(QObject* parent)
    : DrawnView(true, parent) {
    connect(&m_library, &ComparisonLibrary::changed, this, &ComparisonController::savedChanged);
    connect(&m_library, &ComparisonLibrary::saved, this, &ComparisonController::setSaved);
    connect(&m_library, &ComparisonLibrary::renamed, this,
        [this](const QString& from, const QString& to) {
            if (from == m_saved)
                setSaved(to);
        });
    connect(&m_library, &ComparisonLibrary::removed, this, [this](const SavedComparison& gone) {
        const QString name = QString::fromStdString(gone.name);
        if (name == m_saved)
            setSaved({});
        showNotice(QStringLiteral("The comparison “%1” was removed.").arg(name),
            [this, gone] { m_library.putBack(gone); });
    });
    connect(&m_library, &ComparisonLibrary::failed, this,
        [this](const Error& error) { showNotice(shownText(error)); });
    connect(Theme::instance(), &Theme::changed, this, &ComparisonController::savedChanged);
    connect(this, &DatabaseView::viewsChanged, this, [this] {
        if (views() != nullptr)
            connect(views(), &Views::comparisonWanted, this, &ComparisonController::takeWanted,
                Qt::UniqueConnection);
    });
    refreshRows();
}

ComparisonController::~ComparisonController() {
    m_metricsTask.cancel();
    m_capturesTask.cancel();
}

void ComparisonController::restore() {
    const QJsonObject json = savedSettings(Views::Compare);
    m_saved = json.value(kSavedKey).toString();
    take(decodeComparison(json));
    Q_EMIT savedChanged();
}

void ComparisonController::take(const ComparisonSettings& settings) {
    m_settings = settings;
    refreshRows();
    Q_EMIT settingsChanged();
    Q_EMIT runsChanged();
    Q_EMIT savedChanged();
    load();
    Q_EMIT repaintNeeded();
}

void ComparisonController::keep() {
    QJsonObject json = encodeComparison(m_settings);
    json.insert(kSavedKey, m_saved);
    saveSettings(Views::Compare, json);
}

void ComparisonController::refreshRows() {
    m_rows.setRows(comparisonSettings().rows(m_settings, m_offers));
}

void ComparisonController::choose(const QString& key, int choice) {
    change(comparisonSettings().with(m_settings, m_offers, key, choice));
}

void ComparisonController::change(const ComparisonSettings& settings) {
    if (settings == m_settings)
        return;
    take(settings);
    keep();
}

void ComparisonController::setStacked(bool stacked) {
    ComparisonSettings changed = m_settings;
    changed.stacked = stacked;
    change(changed);
}

void ComparisonController::setPerStage(bool perStage) {
    ComparisonSettings changed = m_settings;
    changed.perStage = perStage;
    change(changed);
}

void ComparisonController::setStretched(bool stretched) {
    ComparisonSettings changed = m_settings;
    changed.query.stretched = stretched;
    change(changed);
}

QList<bool> ComparisonController::panelsShown() const {
    QList<bool> shown;
    for (const auto panel : plot::kComparisonPanels)
        shown.append(m_settings.shows(panel));
    return shown;
}

void ComparisonController::togglePanel(int panel) {
    if (panel < 0 || panel >= static_cast<int>(plot::kComparisonPanels.size()))
        return;
    const auto toggled = plot::kComparisonPanels[static_cast<std::size_t>(panel)];
    ComparisonSettings changed = m_settings;
    changed.panels.clear();
    for (const auto one : plot::kComparisonPanels) {
        if (m_settings.shows(one) != (one == toggled))
            changed.panels.push_back(one);
    }
    if (changed.panels.empty())
        return;
    if (changed.panels.size() == plot::kComparisonPanels.size())
        changed.panels.clear();
    change(changed);
}

void ComparisonController::forget() {
    m_data.reset();
    m_offers = {};
    m_captures.reset();
    forgetSelection();
    m_library.setWorkspace(workspace());
    dismissNotice();
    pictureChanged();
    Q_EMIT runsChanged();
}

void ComparisonController::readMetrics() {
    m_metricsTask.ask(
        workspace()->readers(),
        [](const store::Store& store, const TaskStage<std::vector<plot::FigureChoice>>&) {
            return figures::figureMetrics(store, {});
        },
        [this](Result<std::vector<plot::FigureChoice>> metrics) {
            // An error here shows when the comparison is read.
            if (!metrics.hasValue())
                return;
            m_offers.metrics = std::move(metrics).value();
            refreshRows();
        });
}

void ComparisonController::load() {
    if (isActive() && workspace() != nullptr && !m_captures)
        readCaptures();
    takeWanted();
    Q_EMIT runsChanged();
    Q_EMIT savedChanged();
    const auto runs = comparedRuns();
    if (runs.size() < 2) {
        endReading();
        nothingRead();
        return;
    }
    if (!isActive())
        return;
    if (m_offers.metrics.empty())
        readMetrics();
    const auto query = queryOf(m_settings, runs);
    if (m_data && m_data->query == query) {
        // A reading under way is of settings that were taken back.
        if (isLoading())
            endReading();
        return;
    }
    read<plot::ComparisonData>(
        {},
        [query, before = m_data](const store::Store& store, const Progress& progress) {
            return figures::loadComparison({store, progress}, query, before.get());
        },
        [this](plot::ComparisonData data) { show(std::move(data)); });
}

void ComparisonController::readGrowth() {
    const auto runs = comparedRuns();
    if (!m_data || runs.size() < 2)
        return;
    readQuietly<plot::ComparisonData>(
        [query = queryOf(m_settings, runs)](const store::Store& store, const Progress& progress) {
            return figures::loadComparison({store, progress}, query);
        },
        [this, settings = m_settings](plot::ComparisonData data) {
            if (m_data && m_settings == settings)
                show(std::move(data));
        });
}

// The colours of the run list; further captures of a run have others that no run has.
void ComparisonController::colour(plot::ComparisonData& data) const {
    std::set<std::size_t> taken;
    for (const auto& shown : workspace()->shownRuns())
        taken.insert(shown.color);
    std::set<RunId> seen;
    for (auto& run : data.runs) {
        if (!seen.insert(run.named.id).second) {
            run.color = 0;
            while (!taken.insert(run.color).second)
                ++run.color;
            continue;
        }
        for (const auto& shown : workspace()->shownRuns()) {
            if (shown.id == run.named.id)
                run.color = shown.color;
        }
    }
}

void ComparisonController::show(plot::ComparisonData data) {
    colour(data);
    m_offers.iterations = commonIterations(data);
    m_offers.runs = data.runs.size();
    m_offers.quantities.clear();
    for (const auto& quantity : data.quantities)
        m_offers.quantities.push_back({quantity.key, quantity.axis.title});
    m_data = std::make_shared<const plot::ComparisonData>(std::move(data));
    refreshRows();
    Q_EMIT runsChanged();
    pictureChanged();
}

void ComparisonController::nothingRead() {
    m_data.reset();
    pictureChanged();
}

bool ComparisonController::isReady() const {
    return m_data != nullptr && !m_data->isEmpty();
}

QString ComparisonController::emptyText() const {
    const auto* open = workspace();
    if (!isAtRest() || isReady())
        return {};
    if (open->runs().empty())
        return noRunsText();
    const auto shown = comparedRuns().size();
    if (shown < 2 && hasCaptures())
        return open->runs().size() == 1
            ? QStringLiteral("Choose two captures of the run, or the run and a capture.")
            : QStringLiteral(
                "Choose captures of the run, or a second run on the left with Ctrl+click.");
    if (open->runs().size() == 1)
        return QStringLiteral("There is one run only. Import another one to compare them.");
    if (shown < 2)
        return shown == 0
            ? QStringLiteral("Choose two runs on the left: click one, Ctrl+click the other.")
            : QStringLiteral("Choose a second run on the left with Ctrl+click.");
    return m_data ? QString::fromStdString(m_data->emptyText) : QString();
}

QString ComparisonController::title() const {
    return m_data && m_data->verdict ? QString::fromStdString(m_data->verdict->headline)
                                     : QString();
}

QString ComparisonController::caption() const {
    return m_data ? QString::fromStdString(m_data->caption) : QString();
}

QString ComparisonController::notes() const {
    return m_data ? linesOf(m_data->notes) : QString();
}

QString ComparisonController::text() const {
    QStringList lines;
    if (!isReady())
        return {};
    for (const auto& run : m_data->runs)
        lines.append(
            QString::fromStdString(run.mark + ": " + run.named.name + ", " + run.named.cluster));
    if (m_data->verdict) {
        lines.append(QString::fromStdString(m_data->verdict->headline));
        for (const auto& statement : m_data->verdict->statements)
            lines.append(QStringLiteral("- ") + QString::fromStdString(statement));
    }
    for (const auto& quantity : m_data->quantities) {
        for (std::size_t run = 1; quantity.isCard && run < m_data->runs.size(); ++run)
            lines.append(QString::fromStdString(quantity.axis.title + ", " + m_data->runs[run].mark
                + " to " + m_data->runs[0].mark + ": " + plot::changeText(quantity, run) + " "
                + plot::weightText(*m_data, quantity, run)));
    }
    return lines.join(QLatin1Char('\n'));
}

figures::Figure ComparisonController::figure() const {
    return figures::comparisonFigure(
        m_data, {m_settings.panels, m_settings.stacked, m_settings.perStage});
}

void ComparisonController::laidOut() {
    if (!m_wantedScroll)
        return;
    m_scroll = *std::exchange(m_wantedScroll, std::nullopt);
    // Scrolls once the window knows its height too.
    QMetaObject::invokeMethod(this, &ComparisonController::scrollWanted, Qt::QueuedConnection);
}

ExportJob ComparisonController::exportJob() const {
    if (!isReady())
        return {};
    return exportJobOf(m_saved.isEmpty() ? QStringLiteral("comparison") : m_saved, figure());
}

} // namespace trainscope::app
