#include "app/viewmodels/workspace/DrawnView.h"

#include "app/painting/ScenePainter.h"
#include "app/viewmodels/text/Texts.h"
#include "core/figures/runs/RunFigures.h"

namespace trainscope::app {

namespace {

// A picture is kept as pixels.
constexpr double kHighestPicture = 8000.0;

Evidence evidenceOf(const plot::Hit& part) {
    return {part.run, part.rank, part.range, part.metric};
}

} // namespace

DatabaseView::DatabaseView(QObject* parent)
    : Exportable(parent) {
    connect(this, &DatabaseView::stateChanged, this, &Exportable::figuresChanged);
}

void DatabaseView::setViews(Views* views) {
    if (views == m_views)
        return;
    leaveViews();
    m_views = views;
    if (views != nullptr) {
        connect(views, &Views::restored, this, [this] { restore(); });
        const auto select = [this](const Evidence& evidence) { takeSelection(evidence); };
        connect(views, &Views::selected, this, select);
        connect(views, &Views::timelineWanted, this, select);
    }
    if (views != nullptr && views->workspace() != nullptr) {
        auto* workspace = views->workspace();
        connect(workspace, &Workspace::databaseChanged, this, &DatabaseView::reloadDatabase);
        connect(workspace, &Workspace::runsChanged, this, &DatabaseView::reloadDatabase);
        connect(workspace, &Workspace::shownRunsChanged, this, [this] {
            m_quietTask.cancel();
            load();
        });
        connect(workspace, &Workspace::figuresAged, this, [this] {
            m_isAged = true;
            takeGrowth();
        });
    }
    Q_EMIT viewsChanged();
    restore();
    reloadDatabase();
}

void DatabaseView::leaveViews() {
    if (!m_views)
        return;
    m_views->disconnect(this);
    if (m_views->workspace() != nullptr)
        m_views->workspace()->disconnect(this);
}

void DatabaseView::setActive(bool active) {
    if (active == std::exchange(m_active, active))
        return;
    Q_EMIT activeChanged();
    load();
    takeGrowth();
}

// A view that nobody sees takes growth when it is seen again.
void DatabaseView::takeGrowth() {
    if (!m_isAged || !m_active || m_loading || m_stopped || workspace() == nullptr)
        return;
    m_isAged = false;
    readGrowth();
}

Workspace* DatabaseView::workspace() const {
    auto* workspace = m_views ? m_views->workspace() : nullptr;
    return workspace != nullptr && workspace->isOpen() ? workspace : nullptr;
}

void DatabaseView::askMetrics(std::function<void(Metrics)> take) {
    m_metricsTask.ask(
        workspace()->readers(),
        [](const store::Store& store, const TaskStage<Metrics>&) {
            return figures::figureMetrics(store, {});
        },
        [take = std::move(take)](Result<Metrics> metrics) {
            if (metrics.hasValue())
                take(std::move(metrics).value());
        });
}

void DatabaseView::saveSettings(Views::View view, const QJsonObject& settings) {
    if (m_views)
        m_views->setSettings(Views::keyOf(view), settings);
}

void DatabaseView::reloadDatabase() {
    endReading();
    m_quietTask.cancel();
    m_isAged = false;
    forget();
    load();
}

void DatabaseView::start(const QString& what, Job job) {
    if (workspace() == nullptr)
        return;
    m_loading = true;
    m_stopped = false;
    m_error.clear();
    showStep({QStringLiteral("Reading")});
    m_task.start(
        workspace()->readers(),
        [this, what, job = std::move(job)](
            const store::Store& store, const TaskStage<Finish>& stage) {
            const auto report = [this, &what, &stage](const ProgressState& state) {
                const QString phase = textOf(state.phase);
                const WorkProgress step{
                    what.isEmpty() ? phase : QStringLiteral("%1 · %2").arg(what, phase),
                    fractionOf(state)};
                stage.publish(Finish([this, step] { showStep(step); }));
            };
            const auto tell = [&stage](Finish part) { stage.publish(std::move(part)); };
            stage.publish(job(store, stage.progress(report), tell));
        },
        [this](const Result<Finish>& finish) {
            if (!finish.hasValue())
                return fail(finish.error());
            finish.value()();
        });
}

void DatabaseView::showStep(const WorkProgress& progress) {
    m_progress = progress;
    Q_EMIT stateChanged();
}

void DatabaseView::endReading() {
    m_task.cancel();
    m_loading = false;
    m_stopped = false;
    m_error.clear();
    Q_EMIT stateChanged();
}

void DatabaseView::fail(const Error& error) {
    m_loading = false;
    m_error = shownText(error);
    nothingRead();
    Q_EMIT stateChanged();
}

void DatabaseView::cancel() {
    if (!m_loading)
        return;
    m_task.cancel();
    m_loading = false;
    m_stopped = true;
    nothingRead();
    Q_EMIT stateChanged();
}

void DatabaseView::readAgain() {
    m_stopped = false;
    load();
}

DrawnView::DrawnView(bool isCaptionDrawn, QObject* parent)
    : DatabaseView(parent)
    , m_isCaptionDrawn(isCaptionDrawn) { }

std::shared_ptr<const plot::PlotScene> DrawnView::draw(
    const plot::Theme& theme, const plot::MeasureText& measure, double width, double viewHeight) {
    m_picture.reset();
    const bool hasRoom = width > 0.0 && viewHeight > 0.0;
    if (isReady() && hasRoom) {
        m_picture = std::make_shared<const plot::Picture>(
            layOut({&theme, width, viewHeight, measure, isTitleDrawn(), m_isCaptionDrawn}));
        laidOut();
    }
    const double height = m_picture ? m_picture->scene.height : viewHeight;
    if (height != m_contentHeight) {
        m_contentHeight = height;
        Q_EMIT contentHeightChanged();
    }
    placeSelection();
    return m_picture ? std::shared_ptr<const plot::PlotScene>(m_picture, &m_picture->scene)
                     : nullptr;
}

plot::Picture DrawnView::layOut(plot::FigureStyle style) const {
    const auto shown = figure();
    auto picture = shown.draw(style);
    const double wanted = std::min(picture.preferredHeight, kHighestPicture);
    if (picture.scene.height >= wanted)
        return picture;
    style.height = std::ceil(wanted);
    return shown.draw(style);
}

void DrawnView::pictureChanged() {
    m_picture.reset();
    m_hover.reset();
    Q_EMIT hoverChanged();
    Q_EMIT stateChanged();
    Q_EMIT repaintNeeded();
    placeSelection();
}

QString DrawnView::emptyText() const {
    if (!isAtRest() || isReady())
        return {};
    if (needs() != Needs::Nothing && workspace()->runs().empty())
        return noRunsText();
    if (needs() == Needs::ShownRuns && workspace()->shownRuns().empty())
        return chooseRunText();
    return QString::fromStdString(texts().emptyText);
}

void DrawnView::hoverAt(double x, double y) {
    auto part = partAt({x, y});
    const bool same = part && m_hover && part->outline == m_hover->outline;
    if (same || (!part && !m_hover))
        return;
    m_hover = std::move(part);
    Q_EMIT hoverChanged();
}

void DrawnView::leave() {
    if (!m_hover)
        return;
    m_hover.reset();
    Q_EMIT hoverChanged();
}

void DrawnView::clickAt(double x, double y) {
    select(partAt({x, y}));
    if (m_selected && m_selected->choice)
        chooseOffered(*m_selected->choice);
}

void DrawnView::select(Part part) {
    m_evidence.reset();
    if (part && part->run.isValid()) {
        m_evidence = evidenceOf(*part);
        if (views() != nullptr)
            views()->select(*m_evidence);
    }
    // Selects the part that was pointed at, not only its run and rank.
    setSelected(std::move(part));
}

void DrawnView::setSelected(Part part) {
    m_selected = std::move(part);
    std::vector<Fact> facts;
    if (m_selected) {
        for (const auto& [label, text] : m_selected->facts)
            facts.push_back({QString::fromStdString(label), QString::fromStdString(text)});
    }
    m_facts.setFacts(std::move(facts));
    Q_EMIT selectionChanged();
}

QString DrawnView::openText() const {
    if (m_selected && m_selected->choice)
        return choosingText();
    return m_selected && m_selected->run.isValid() ? QStringLiteral("Show on the timeline")
                                                   : QString();
}

void DrawnView::openSelected() {
    if (m_selected && m_selected->choice)
        return chooseOffered(*m_selected->choice);
    if (views() != nullptr && m_selected && m_selected->run.isValid())
        views()->showOnTimeline(evidenceOf(*m_selected));
}

bool DrawnView::step(int columns, int rows) {
    // Another picture is still to be drawn.
    if (!m_picture)
        return false;
    auto next = m_selected ? m_picture->neighbour(m_selected->outline, columns, rows)
                           : m_picture->first();
    if (!next)
        return false;
    select(std::move(next));
    return true;
}

DrawnView::Part DrawnView::find(const Evidence& evidence) const {
    Part own;
    if (!m_picture)
        return own;
    for (auto& place : m_picture->placesOf(evidence.run, evidence.rank)) {
        const bool isSame
            = m_selected && place.title == m_selected->title && place.facts == m_selected->facts;
        if (isSame)
            return std::move(place);
        if (place.isOwn && !own)
            own = std::move(place);
    }
    return own;
}

void DrawnView::takeSelection(const Evidence& evidence) {
    m_evidence = evidence;
    placeSelection();
}

DrawnView::Part DrawnView::findAgain() const {
    if (!m_selected || !m_selected->choice || !m_picture)
        return std::nullopt;
    auto same = m_picture->offered(m_selected->choice, m_selected->title);
    return same ? same : m_picture->offered({}, m_selected->title);
}

void DrawnView::placeSelection() {
    // Between two pictures nothing is known of it.
    if (!m_evidence && !m_picture && m_selected && m_selected->choice)
        return;
    setSelected(m_evidence ? find(*m_evidence) : findAgain());
}

QRectF DrawnView::hovered() const {
    return m_hover ? toQt(m_hover->outline) : QRectF();
}

QString DrawnView::hoverText() const {
    QStringList lines;
    if (m_hover) {
        for (const auto& [label, text] : m_hover->facts)
            lines.append(QStringLiteral("%1  %2").arg(
                QString::fromStdString(label), QString::fromStdString(text)));
    }
    return lines.join(QLatin1Char('\n'));
}

QRectF DrawnView::selected() const {
    return m_selected ? toQt(m_selected->outline) : QRectF();
}

} // namespace trainscope::app
