#include "app/viewmodels/layout/LayoutMoment.h"

namespace trainscope::app {
namespace {

constexpr int kShareMs = 250;

} // namespace

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
