#include "app/viewmodels/layout/Playback.h"

#include "app/viewmodels/text/HumanText.h"
#include "app/viewmodels/text/Texts.h"
#include "core/text/Times.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace trainscope::app {
namespace {

constexpr std::array kSpeeds{1, 2, 4, 8, 16, 32, 64};
constexpr int kUsualSpeed = 3;
constexpr int kPictureMs = 16;
constexpr double kPicturesPerSecond = 60.0;
constexpr double kNudge = 0.01;
constexpr double kMsToNs = 1e6;
constexpr double kSecondToNs = 1e9;

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

} // namespace trainscope::app
