#include "app/viewmodels/figures/FigureController.h"

#include "app/viewmodels/text/Texts.h"
#include "core/figures/runs/RunFigures.h"

namespace trainscope::app {

FigureController::FigureController(QObject* parent)
    : DrawnView(false, parent) { }

void FigureController::setView(Views::View view) {
    if (view == std::exchange(m_view, view))
        return;
    restore();
    Q_EMIT viewChanged();
}

void FigureController::takeSettings(const FigureSettings& settings) {
    m_settings = settings;
    m_rows.setRows(figureSettings().rows(m_settings, m_metrics));
    Q_EMIT settingsChanged();
    load();
}

void FigureController::setWholeRun(bool whole) {
    FigureSettings changed = m_settings;
    changed.query.wholeRun = whole;
    change(changed);
}

void FigureController::change(const FigureSettings& settings) {
    if (settings == m_settings)
        return;
    saveSettings(m_view, figureSettings().kept(settings));
    takeSettings(settings);
}

void FigureController::forget() {
    m_kept.clear();
    m_metrics.clear();
    forgetSelection();
    show(nullptr);
}

plot::FigureQuery FigureController::wantedQuery() const {
    plot::FigureQuery query = m_settings.query;
    query.runs = m_settings.shownRunsOnly ? workspace()->shownIds() : std::vector<RunId>();
    return query;
}

void FigureController::load() {
    const auto* open = workspace();
    const bool nothing = open == nullptr || open->runs().empty()
        || (m_settings.shownRunsOnly && open->shownRuns().empty());
    if (nothing) {
        endReading();
        return show(nullptr);
    }
    if (!isActive())
        return;
    if (m_metrics.empty())
        askMetrics([this](Metrics metrics) {
            m_metrics = std::move(metrics);
            m_rows.setRows(figureSettings().rows(m_settings, m_metrics));
        });
    const plot::FigureQuery query = wantedQuery();
    if (m_data && m_data->query == query && !isLoading())
        return;
    if (const FigurePtr figure
        = m_kept.find([&query](const plot::FigureData& data) { return data.query == query; })) {
        endReading();
        return show(figure);
    }
    start(query);
}

void FigureController::start(const plot::FigureQuery& query) {
    read<plot::FigureData>(
        {},
        [query](const store::Store& store, const Progress& progress) {
            return figures::loadFigure({store, progress}, query);
        },
        [this, query](plot::FigureData data) { keep(query, std::move(data)); });
}

void FigureController::keep(const plot::FigureQuery& query, plot::FigureData data) {
    // The query it is kept by is the one that was asked.
    data.query = query;
    show(m_kept.keep(std::move(data)));
}

void FigureController::readGrowth() {
    m_kept.clear();
    if (!m_data)
        return;
    readQuietly<plot::FigureData>(
        [query = m_data->query](const store::Store& store, const Progress& progress) {
            return figures::loadFigure({store, progress}, query);
        },
        [this, query = m_data->query](plot::FigureData data) {
            if (m_data && m_data->query == query)
                keep(query, std::move(data));
        });
}

void FigureController::show(FigurePtr data) {
    m_data = std::move(data);
    pictureChanged();
}

figures::Figure FigureController::figure() const {
    return figures::runFigure(m_data);
}

ExportJob FigureController::exportJob() const {
    if (!isReady())
        return {};
    const auto shown = figure();
    return exportJobOf(textOf(shown.kind), shown);
}

} // namespace trainscope::app
