// Data of monitoring engines for the shown runs that are linked.
#include "app/viewmodels/importing/EngineLogins.h"
#include "app/viewmodels/text/ShownText.h"
#include "app/viewmodels/timeline/TimelineController.h"
#include "core/store/RunLinks.h"

#include <QStandardPaths>

#include <memory>
#include <mutex>

namespace trainscope::app {

namespace {

constexpr int kGatherMs = 120;
constexpr int kFollowMs = 2000;
constexpr int kAskAgainMs = 16'000; // after the engine was gone; lanes refuse for 15 s

} // namespace

struct TimelineController::EngineCall {
    std::mutex mutex;
    TimelineController* controller = nullptr; // nullptr: it is gone
};

void TimelineController::disconnectEngines() {
    const std::lock_guard lock(m_engineCall->mutex);
    m_engineCall->controller = nullptr;
}

void TimelineController::connectEngines() {
    m_engineCall = std::make_shared<EngineCall>();
    m_engineCall->controller = this;
    m_answered.setSingleShot(true);
    m_live.setInterval(kFollowMs);
    connect(&m_answered, &QTimer::timeout, this, &TimelineController::engineAnswered);
    connect(&m_live, &QTimer::timeout, this, &TimelineController::followEngines);
}

EngineLanes::Settings TimelineController::engineSettings() {
    EngineLanes::Settings settings;
    settings.cacheFolder = (QStandardPaths::writableLocation(QStandardPaths::CacheLocation)
        + QStringLiteral("/engine"))
                               .toStdString();
    settings.access = loginOf;
    settings.changed = [call = m_engineCall] {
        const std::lock_guard lock(call->mutex);
        auto* const controller = call->controller;
        if (controller == nullptr)
            return;
        QMetaObject::invokeMethod(
            controller,
            [controller] {
                QTimer& gathering = controller->m_answered;
                if (!gathering.isActive() || gathering.remainingTime() > kGatherMs)
                    gathering.start(kGatherMs);
            },
            Qt::QueuedConnection);
    };
    return settings;
}

void TimelineController::engineAnswered() {
    m_loader.invalidate();
    requestData();
    m_cursor.probe();
    m_selection.engineAnswered();
    if (!engineProblem().isEmpty())
        m_answered.start(kAskAgainMs);
    Q_EMIT engineChanged();
}

// Runs that go on until now are as long as it is late.
void TimelineController::followEngines() {
    const std::vector<RunId> live = m_remote ? m_remote->liveRuns() : std::vector<RunId>();
    if (live.empty() || !m_context.workspace)
        return m_live.stop();
    if (!m_live.isActive())
        m_live.start();
    if (m_remote->state().error)
        return;
    m_context.workspace->change(
        [live](store::Store& store) -> Status {
            for (const RunId run : live) {
                if (auto status = store::extendLink(store, run, wallClock()); !status.hasValue())
                    return status;
            }
            return {};
        },
        [](const Status&) { /* A database that cannot be written to shows what it has. */ });
}

bool TimelineController::isAsking() const {
    return m_remote && m_remote->state().isAsking;
}

QString TimelineController::engineProblem() const {
    const auto state = m_remote ? m_remote->state() : EngineState();
    return state.error ? shownText(state.error->message) : QString();
}

void TimelineController::askEngineAgain() {
    if (m_remote)
        m_remote->tryAgain();
}

} // namespace trainscope::app
