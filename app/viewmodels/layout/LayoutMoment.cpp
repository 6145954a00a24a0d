#include "app/viewmodels/layout/LayoutMoment.h"

#include "app/viewmodels/text/Texts.h"
#include "core/model/Try.h"
#include "core/text/Times.h"

#include <cstdlib>
#include <iterator>

namespace trainscope::app {

namespace {

constexpr std::array kSpeeds{1, 2, 4, 8, 16, 32, 64};
constexpr int kUsualSpeed = 3;
constexpr int kPictureMs = 16;
constexpr double kPicturesPerSecond = 60.0;
constexpr double kNudge = 0.01;
constexpr double kMsToNs = 1e6;
constexpr double kSecondToNs = 1e9;

using analysis::RankSeries;

Result<std::shared_ptr<const RankSeries>> seriesOf(const store::Store& store, const Run& run,
    const std::string& metric, std::shared_ptr<const RankSeries> known) {
    if (known)
        return known;
    ASSIGN_OR_RETURN(auto opened, RankSeries::open({store, run}, metric));
    return std::make_shared<const RankSeries>(std::move(opened));
}

constexpr int kShareMs = 250;

} // namespace

Playback::Playback(QObject* parent)
    : QObject(parent)
    , m_speed(kUsualSpeed)
    , m_clock([this] { return m_elapsed.elapsed(); }) {
    m_elapsed.start();
    m_timer.setTimerType(Qt::PreciseTimer);
    m_timer.setInterval(kPictureMs);
    connect(&m_timer, &QTimer::timeout, this, &Playback::tick);
}

void Playback::setRange(TimeRange range) {
    if (range == m_range)
        return;
    setPlaying(false);
    const bool hasGrown
        = !m_range.isEmpty() && range.begin == m_range.begin && range.end > m_range.end;
    m_range = range;
    m_held = false;
    Q_EMIT rangeChanged();
    if (hasGrown)
        return;
    m_time = m_range.begin + DurationNs{m_range.length().ns / 2};
    Q_EMIT moved();
}

void Playback::setPlaying(bool playing) {
    if (playing == isPlaying() || (playing && !isAvailable()))
        return;
    m_held = false;
    if (playing) {
        if (m_time >= m_range.end)
            seek(m_range.begin);
        m_last = m_clock();
        m_timer.start();
    } else {
        m_timer.stop();
    }
    Q_EMIT playingChanged();
}

void Playback::setSpeed(int speed) {
    if (speed == m_speed || speed < 0 || speed >= static_cast<int>(kSpeeds.size()))
        return;
    m_speed = speed;
    Q_EMIT speedChanged();
}

QStringList Playback::speeds() const {
    QStringList texts;
    for (const int speed : kSpeeds)
        texts.append(QStringLiteral("%1×").arg(speed));
    return texts;
}

double Playback::position() const {
    if (!isAvailable())
        return 0.0;
    return static_cast<double>((m_time - m_range.begin).ns)
        / static_cast<double>(m_range.length().ns);
}

void Playback::setPosition(double position) {
    const double along = std::clamp(position, 0.0, 1.0) * static_cast<double>(m_range.length().ns);
    seek(m_range.begin + DurationNs{std::llround(along)});
}

void Playback::nudge(int steps) {
    setPosition(position() + kNudge * steps);
}

QString Playback::timeText() const {
    constexpr int kTenths = 1;
    const DurationNs since = m_time - m_range.begin;
    if (!isAvailable())
        return {};
    return since.ns < 2 * text::kMinute
        ? QStringLiteral("%1 s").arg(decimalText(since.seconds(), 'f', kTenths))
        : textOf(text::alignedDuration(since));
}

QString Playback::lengthText() const {
    return isAvailable() ? durationText(m_range.length()) : QString();
}

void Playback::seek(TimeNs time) {
    const TimeNs inside = std::clamp(time, m_range.begin, m_range.end);
    if (inside == m_time)
        return;
    m_time = inside;
    m_held = false;
    Q_EMIT moved();
}

DurationNs Playback::frame() const {
    const double seconds = kSpeeds[static_cast<std::size_t>(m_speed)] / kPicturesPerSecond;
    return DurationNs{std::llround(seconds * kSecondToNs)};
}

void Playback::release() {
    m_held = false;
    m_last = m_clock();
}

void Playback::tick() {
    const qint64 now = m_clock();
    if (m_held) {
        m_last = now;
        return;
    }
    const double gone
        = static_cast<double>(now - m_last) * kMsToNs * kSpeeds[static_cast<std::size_t>(m_speed)];
    m_last = now;
    seek(m_time + DurationNs{std::llround(gone)});
    if (m_time >= m_range.end)
        setPlaying(false);
}

PlaybackCache::PlaybackCache(QObject* parent)
    : QObject(parent) { }

void PlaybackCache::clear() {
    m_blockTask.cancel();
    m_exactTask.cancel();
    m_blocks.clear();
    m_series.reset();
    m_reading.reset();
    m_next.reset();
    m_metric.clear();
}

void PlaybackCache::setSource(ReaderPool& readers, const Run& run, const std::string& metric) {
    if (run.id == m_run.id && run.range == m_run.range && metric == m_metric)
        return;
    clear();
    m_readers = &readers;
    m_run = run;
    m_metric = metric;
}

TimeRange PlaybackCache::windowOf(std::int64_t block) const {
    const DurationNs length{m_frame.ns * kPictures};
    const TimeNs begin = m_run.range.begin + DurationNs{length.ns * block};
    return {begin, begin + length};
}

std::optional<analysis::RankValues> PlaybackCache::picture(TimeNs t, DurationNs frame) {
    if (m_metric.empty() || !m_readers || frame.ns <= 0)
        return std::nullopt;
    if (frame != m_frame) {
        m_blockTask.cancel();
        m_reading.reset();
        m_blocks.clear();
        m_frame = frame;
    }
    const std::int64_t block
        = std::max<std::int64_t>((t - m_run.range.begin).ns, 0) / (frame.ns * kPictures);
    const auto found = m_blocks.find(block);
    const bool hasNext
        = m_blocks.contains(block + 1) || windowOf(block + 1).begin >= m_run.range.end;
    if (found == m_blocks.end())
        read(block);
    else if (!hasNext)
        read(block + 1);
    if (found == m_blocks.end())
        return std::nullopt;
    return found->second.at(found->second.frameAt(t));
}

void PlaybackCache::read(std::int64_t block) {
    if (m_reading) {
        if (*m_reading != block)
            m_next = block;
        return;
    }
    m_reading = block;
    m_blockTask.ask(
        *m_readers,
        [block, run = m_run, metric = m_metric, known = m_series, window = windowOf(block)](
            const store::Store& store, const TaskStage<Block>& stage) -> Result<Block> {
            ASSIGN_OR_RETURN(auto series, seriesOf(store, run, metric, known));
            ASSIGN_OR_RETURN(
                auto frames, series->frames(store, window, kPictures, stage.progress()));
            return Block{block, std::move(series), std::move(frames)};
        },
        [this](Result<Block> result) { take(std::move(result)); });
}

void PlaybackCache::take(Result<Block> block) {
    m_reading.reset();
    if (!block.hasValue()) {
        m_next.reset();
        Q_EMIT failed(block.error());
        return;
    }
    m_series = block.value().series;
    const std::int64_t index = block.value().index;
    m_blocks.insert_or_assign(index, std::move(block.value().frames));
    while (m_blocks.size() > kBlocks) {
        // The farther end goes.
        const auto first = m_blocks.begin();
        const auto last = std::prev(m_blocks.end());
        m_blocks.erase(
            std::abs(first->first - index) > std::abs(last->first - index) ? first : last);
    }
    if (const auto next = std::exchange(m_next, std::nullopt); next && !m_blocks.contains(*next))
        read(*next);
    Q_EMIT arrived();
}

void PlaybackCache::ask(TimeNs t) {
    if (m_metric.empty() || !m_readers)
        return;
    m_exactTask.ask(
        *m_readers,
        [t, run = m_run, metric = m_metric, known = m_series](
            const store::Store& store, const TaskStage<Exact>&) -> Result<Exact> {
            ASSIGN_OR_RETURN(auto series, seriesOf(store, run, metric, known));
            ASSIGN_OR_RETURN(auto values, series->at(store, t));
            return Exact{std::move(series), std::move(values)};
        },
        [this](const Result<Exact>& result) {
            if (!result.hasValue()) {
                Q_EMIT failed(result.error());
                return;
            }
            m_series = result.value().series;
            Q_EMIT exact(result.value().values);
        });
}

LayoutMoment::LayoutMoment(QObject* parent)
    : QObject(parent) {
    m_shareTimer.setSingleShot(true);
    m_shareTimer.setInterval(kShareMs);
    connect(&m_playback, &Playback::moved, this, [this] {
        show();
        if (!m_isFollowing && !m_shareTimer.isActive())
            m_shareTimer.start();
    });
    connect(&m_playback, &Playback::playingChanged, this, &LayoutMoment::show);
    connect(&m_shareTimer, &QTimer::timeout, this, [this] {
        share();
        Q_EMIT settled();
    });
    connect(&m_cache, &PlaybackCache::arrived, this, [this] {
        if (m_playback.isPlaying()) {
            m_playback.release();
            show();
        }
    });
    connect(&m_cache, &PlaybackCache::exact, this, [this](const analysis::RankValues& exact) {
        if (!m_playback.isPlaying())
            Q_EMIT values(exact);
    });
    connect(&m_cache, &PlaybackCache::failed, this, [this](const Error& error) {
        m_playback.setPlaying(false);
        Q_EMIT failed(error);
    });
}

void LayoutMoment::setViews(Views* views) {
    if (m_views)
        m_views->disconnect(this);
    m_views = views;
    if (views != nullptr)
        connect(views, &Views::cursorMoved, this, &LayoutMoment::takeCursor);
}

void LayoutMoment::setRun(const std::optional<Run>& run) {
    m_run = run;
    follow([this] { m_playback.setRange(m_run ? m_run->range : TimeRange{{0}, {0}}); });
}

void LayoutMoment::setMetric(const std::string& metric) {
    if (m_run && m_views && m_views->workspace() != nullptr)
        m_cache.setSource(m_views->workspace()->readers(), *m_run, metric);
}

void LayoutMoment::setShown(bool shown) {
    const bool isNew = shown && !m_isShown;
    m_isShown = shown;
    if (!shown)
        m_playback.setPlaying(false);
    // The cursor may have moved while nobody saw it.
    if (isNew)
        show();
}

void LayoutMoment::forget() {
    m_playback.setPlaying(false);
    m_cache.clear();
}

// While it plays, a picture that was read ahead; else the value that was held at that moment.
void LayoutMoment::show() {
    if (!m_isShown)
        return;
    if (!m_playback.isPlaying())
        return m_cache.ask(m_playback.time());
    const auto picture = m_cache.picture(m_playback.time(), m_playback.frame());
    if (picture)
        Q_EMIT values(*picture);
    else
        m_playback.hold();
}

void LayoutMoment::share() {
    if (m_views && m_run)
        m_views->setCursor({{m_run->id, m_playback.time()}});
}

// As others say; nothing is told back.
void LayoutMoment::takeCursor() {
    if (!m_views || !m_run || m_playback.isPlaying())
        return;
    const auto time = m_views->cursorOf(m_run->id);
    if (!time)
        return;
    follow([this, time] { m_playback.seek(*time); });
    m_shareTimer.stop();
    Q_EMIT settled();
}

void LayoutMoment::follow(const std::function<void()>& move) {
    m_isFollowing = true;
    move();
    m_isFollowing = false;
}

} // namespace trainscope::app
