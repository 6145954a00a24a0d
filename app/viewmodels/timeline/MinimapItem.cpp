#include "app/viewmodels/timeline/MinimapItem.h"

#include "app/viewmodels/window/Theme.h"
#include "core/analysis/statistics/SeriesSelection.h"
#include "core/plot/timeline/TraceClock.h"

#include <QCursor>
#include <QHoverEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>

namespace trainscope::app {
namespace {

constexpr double kGripReach = 6.0; // px
constexpr double kNarrowest = 16.0; // px: a narrower brush is grabbed around
constexpr double kRowGap = 2.0; // px, above each run's row
constexpr double kMinimapZoom = 0.8;
constexpr double kMinimapNotch = 120.0;

} // namespace

MinimapItem::MinimapItem(QQuickItem* parent)
    : QQuickPaintedItem(parent) {
    setOpaquePainting(true);
    setAcceptHoverEvents(true);
    setAcceptedMouseButtons(Qt::LeftButton);
    connect(Theme::instance(), &Theme::changed, this, [this] { update(); });
}

void MinimapItem::setController(TimelineController* controller) {
    if (controller == m_controller)
        return;
    if (m_controller)
        m_controller->disconnect(this);
    m_controller = controller;
    m_task.cancel();
    if (controller != nullptr) {
        connect(controller, &TimelineController::catalogueChanged, this, &MinimapItem::load);
        connect(controller, &TimelineController::engineChanged, this, [this] {
            if (!m_profile.isComplete)
                read();
            Q_EMIT noteChanged();
        });
        connect(controller, &TimelineController::stateChanged, this, [this] {
            if (m_controller && !m_controller->isReady())
                load();
        });
    }
    load();
    Q_EMIT controllerChanged();
}

void MinimapItem::load() {
    if (!m_controller || !m_controller->isReady() || width() < 1.0) {
        m_task.cancel();
        m_profile = {};
        Q_EMIT noteChanged();
        return update();
    }
    m_profile.isComplete = true;
    read();
}

void MinimapItem::read() {
    const int columns = std::max(1, static_cast<int>(width()));
    const auto& context = m_controller->context();
    m_colors.clear();
    for (const auto& run : context.runs)
        m_colors.push_back(run.color);
    m_task.ask(
        context.readers(),
        [catalogue = context.catalogue, runs = context.runs, limits = context.window.limits(),
            columns,
            engines = context.remote](const store::Store& store, const TaskStage<Profile>& stage) {
            return readProfile(
                store, *catalogue, runs, limits, columns, stage.cancelCheck(), engines.get());
        },
        [this](Result<Profile> profile) {
            m_profile = profile.hasValue() ? std::move(profile).value() : Profile{};
            update();
            Q_EMIT noteChanged();
        });
}

QString MinimapItem::note() const {
    if (!m_controller)
        return {};
    if (!m_profile.isComplete)
        return m_controller->engineProblem().isEmpty() ? QStringLiteral("Asking…")
                                                       : QStringLiteral("No engine");
    QStringList told;
    for (const Row& row : m_profile.runs) {
        if (!row.of.empty())
            told.append(QString::fromStdString(row.of));
    }
    told.removeDuplicates();
    return told.join(QStringLiteral(", "));
}

void MinimapItem::paint(QPainter* painter) {
    painter->fillRect(boundingRect(), Theme::instance()->panel());
    const double each
        = height() / static_cast<double>(std::max<std::size_t>(1, m_profile.runs.size()));
    const double gap = std::min(kRowGap, 0.25 * each);
    for (std::size_t run = 0; run < m_profile.runs.size(); ++run) {
        const Row& row = m_profile.runs[run];
        const double base = each * static_cast<double>(run + 1);
        QColor color = Theme::instance()->seriesColor(
            static_cast<int>(run < m_colors.size() ? m_colors[run] : run));
        color.setAlpha(200);
        const double step
            = width() / static_cast<double>(std::max<std::size_t>(1, row.values.size()));
        for (std::size_t i = 0; i < row.values.size(); ++i) {
            if (std::isnan(row.values[i]) || row.highest <= 0.0F)
                continue;
            const double share
                = static_cast<double>(row.values[i]) / static_cast<double>(row.highest);
            const double tall = std::max(1.0, share * (each - gap));
            painter->fillRect(
                QRectF(static_cast<double>(i) * step, base - tall, step, tall), color);
        }
    }
}

void MinimapItem::geometryChange(const QRectF& newGeometry, const QRectF& oldGeometry) {
    QQuickPaintedItem::geometryChange(newGeometry, oldGeometry);
    if (newGeometry.width() != oldGeometry.width())
        load();
}

MinimapItem::Grip MinimapItem::gripAt(double x) const {
    const double begin = m_controller->navigation()->brushBegin() * width();
    const double end = m_controller->navigation()->brushEnd() * width();
    const bool narrow = end - begin < kNarrowest;
    if (!narrow && std::abs(x - begin) <= kGripReach)
        return Grip::Begin;
    if (!narrow && std::abs(x - end) <= kGripReach)
        return Grip::End;
    const double reach = narrow ? kGripReach : 0.0;
    return x >= begin - reach && x <= end + reach ? Grip::Brush : Grip::None;
}

void MinimapItem::mousePressEvent(QMouseEvent* event) {
    event->accept();
    if (!m_controller || !m_controller->isReady())
        return;
    m_pressed = event->position().x();
    m_grip = gripAt(m_pressed);
    if (m_grip == Grip::None) {
        const double half
            = (m_controller->navigation()->brushEnd() - m_controller->navigation()->brushBegin())
            / 2.0;
        const double middle = m_pressed / width();
        m_controller->navigation()->setBrush(middle - half, middle + half);
        m_grip = Grip::Brush;
    }
    m_begin = m_controller->navigation()->brushBegin();
    m_end = m_controller->navigation()->brushEnd();
}

void MinimapItem::mouseMoveEvent(QMouseEvent* event) {
    if (m_controller && m_controller->isReady())
        dragTo(event->position().x());
}

void MinimapItem::dragTo(double x) {
    const double moved = (x - m_pressed) / width();
    const double at = std::clamp(x / width(), 0.0, 1.0);
    if (m_grip == Grip::Brush)
        m_controller->navigation()->setBrush(m_begin + moved, m_end + moved);
    else if (m_grip == Grip::Begin)
        m_controller->navigation()->setBrush(std::min(at, m_end), std::max(at, m_end));
    else if (m_grip == Grip::End)
        m_controller->navigation()->setBrush(std::min(at, m_begin), std::max(at, m_begin));
}

void MinimapItem::mouseReleaseEvent(QMouseEvent*) {
    m_grip = Grip::None;
}

void MinimapItem::hoverMoveEvent(QHoverEvent* event) {
    if (!m_controller || !m_controller->isReady())
        return unsetCursor();
    const Grip grip = gripAt(event->position().x());
    if (grip == Grip::Begin || grip == Grip::End)
        setCursor(Qt::SizeHorCursor);
    else if (grip == Grip::Brush)
        setCursor(Qt::OpenHandCursor);
    else
        unsetCursor();
}

void MinimapItem::wheelEvent(QWheelEvent* event) {
    event->accept();
    if (!m_controller || !m_controller->isReady())
        return;
    const double middle = event->position().x() / width();
    const double factor = std::pow(kMinimapZoom, event->angleDelta().y() / kMinimapNotch);
    const double begin = middle - (middle - m_controller->navigation()->brushBegin()) * factor;
    m_controller->navigation()->setBrush(
        begin, middle + (m_controller->navigation()->brushEnd() - middle) * factor);
}

namespace {

using Column = std::vector<float>;

// Mean over the values there are.
class MeanColumns {
public:
    explicit MeanColumns(int columns)
        : m_sum(static_cast<std::size_t>(columns), 0.0)
        , m_count(static_cast<std::size_t>(columns), 0) { }
    void add(std::size_t column, double value) {
        m_sum[column] += value;
        ++m_count[column];
    }
    [[nodiscard]] Column finished() const {
        Column means(m_sum.size(), std::numeric_limits<float>::quiet_NaN());
        for (std::size_t i = 0; i < m_sum.size(); ++i) {
            if (m_count[i] > 0)
                means[i] = static_cast<float>(m_sum[i] / m_count[i]);
        }
        return means;
    }

private:
    std::vector<double> m_sum;
    std::vector<int> m_count;
};

Status addSeries(const store::Store& store, const Series& series, TimeRange window, int columns,
    MeanColumns& means) {
    ASSIGN_OR_RETURN(const auto buckets, store.buckets(series.id, window, columns));
    for (std::size_t i = 0; i < buckets.size(); ++i) {
        // A column without a sample has the value that holds there.
        if (!std::isnan(buckets[i].mean))
            means.add(i, static_cast<double>(buckets[i].mean));
    }
    return {};
}

// In the order of what tells most of a whole run.
constexpr auto kProfiled = std::to_array<std::string_view>(
    {metric::kGpuPower, metric::kGpuPowerAverage, metric::kModulePower, metric::kNodePower,
        metric::kTokenRate, metric::kSampleRate, metric::kReportedFlops, metric::kStepTime,
        metric::kTorchAllocated, metric::kGpuUtilization, metric::kMemUsed, metric::kLoss});

// Series of the first of those metrics that the run has; each GPU once, whatever number of sources
// recorded it.
std::vector<Series> profiledSeries(const RunFacts& facts) {
    for (const std::string_view name : kProfiled) {
        std::vector<Series> found;
        std::copy_if(facts.series.begin(), facts.series.end(), std::back_inserter(found),
            [name](const Series& series) {
                return series.description.metric.name == name && series.count != series.missing;
            });
        if (!found.empty())
            return analysis::seriesByMetric(found).begin()->second;
    }
    return {};
}

bool hasTracks(const RunFacts& facts, TrackKind kind) {
    return std::ranges::any_of(facts.tracks,
        [kind](const Track& track) { return track.description.kind == kind && track.count > 0; });
}

// Together, as far as the engine has told.
Status addRemote(EngineLanes& engines, const RunFacts& facts, const std::vector<Series>& profiled,
    TimeRange window, int columns, const std::function<bool()>& isCancelled, MeanColumns& means,
    bool& isComplete) {
    constexpr int pixels = 4; // a column
    figures::RemoteQuestion question;
    question.run = facts.run.id;
    question.isTogether = true;
    question.window = window;
    question.columns = std::max(1, columns / pixels);
    for (const Series& series : profiled) {
        if (engines.has(series)) {
            question.metric = series.description.metric;
            question.series.push_back(&series);
        }
    }
    if (question.series.empty())
        return {};
    ASSIGN_OR_RETURN(const auto answer, engines.lane(question, isCancelled));
    isComplete = isComplete && answer.isComplete;
    const auto& buckets = answer.buckets.front();
    for (std::size_t i = 0; i < static_cast<std::size_t>(columns); ++i) {
        const Bucket& bucket = buckets[i * buckets.size() / static_cast<std::size_t>(columns)];
        if (!std::isnan(bucket.mean))
            means.add(i, static_cast<double>(bucket.mean));
    }
    return {};
}

Status addTrack(const store::Store& store, const plot::ShownRun& shown, const Track& track,
    const TimeRange& shownWindow, int columns, MeanColumns& means) {
    const TimeRange window = plot::ownRange(shown, track.description.rank, shownWindow);
    const double width = static_cast<double>(window.length().ns) / columns;
    ASSIGN_OR_RETURN(const auto groups,
        store.lodNodes(track.id, window, DurationNs{static_cast<std::int64_t>(width)}));
    std::vector<double> busy(static_cast<std::size_t>(columns), 0.0);
    for (const auto& group : groups) {
        if (group.depth > 0)
            continue;
        const double first = static_cast<double>((group.range.begin - window.begin).ns) / width;
        const double last = static_cast<double>((group.range.end - window.begin).ns) / width;
        for (int i = std::max(0, static_cast<int>(first)); i < columns && i < last; ++i) {
            const double share = std::min(last, i + 1.0) - std::max(first, static_cast<double>(i));
            busy[static_cast<std::size_t>(i)] += share * static_cast<double>(group.busyFraction);
        }
    }
    for (std::size_t i = 0; i < busy.size(); ++i)
        means.add(i, std::min(1.0, busy[i]));
    return {};
}

Result<MinimapItem::Row> profileOf(const store::Store& store, const RunFacts& facts,
    const plot::ShownRun& shown, TimeRange window, int columns,
    const std::function<bool()>& isCancelled, EngineLanes* engines, bool& isComplete) {
    MeanColumns means(columns);
    const std::vector<Series> profiled = profiledSeries(facts);
    if (engines != nullptr)
        RETURN_IF_ERROR(
            addRemote(*engines, facts, profiled, window, columns, isCancelled, means, isComplete));
    for (const auto& series : profiled) {
        if (isCancelled())
            return cancelled();
        if (engines != nullptr && engines->has(series))
            continue;
        RETURN_IF_ERROR(addSeries(store, series, window, columns, means));
    }
    if (!profiled.empty())
        return MinimapItem::Row{profiled.front().description.metric.label, means.finished()};
    const bool isOfDevices = hasTracks(facts, TrackKind::Stream);
    const TrackKind kind = isOfDevices ? TrackKind::Stream : TrackKind::Thread;
    if (!hasTracks(facts, kind))
        return MinimapItem::Row{{}, means.finished()};
    for (const auto& track : facts.tracks) {
        if (isCancelled())
            return cancelled();
        if (track.description.kind == kind)
            RETURN_IF_ERROR(addTrack(store, shown, track, window, columns, means));
    }
    return MinimapItem::Row{isOfDevices ? "GPU activity" : "Host activity", means.finished()};
}

// Runs that have the same share a scale.
void shareScale(std::vector<MinimapItem::Row>& rows) {
    std::map<std::string, float> highest;
    for (const auto& row : rows) {
        float& most = highest[row.of];
        for (const float value : row.values)
            most = std::max(most, std::isnan(value) ? most : value);
    }
    for (auto& row : rows)
        row.highest = highest[row.of];
}

} // namespace

Result<MinimapItem::Profile> MinimapItem::readProfile(const store::Store& store,
    const TimelineCatalogue& catalogue, const std::vector<plot::ShownRun>& runs,
    plot::ViewWindow limits, int columns, const std::function<bool()>& isCancelled,
    EngineLanes* engines) {
    Profile profile;
    for (std::size_t i = 0; i < std::min(runs.size(), catalogue.runs.size()); ++i) {
        const TimeRange window{runs[i].origin + limits.begin, runs[i].origin + limits.end};
        ASSIGN_OR_RETURN(auto row,
            profileOf(store, catalogue.facts(i), runs[i], window, columns, isCancelled, engines,
                profile.isComplete));
        profile.runs.push_back(std::move(row));
    }
    shareScale(profile.runs);
    return profile;
}

} // namespace trainscope::app
