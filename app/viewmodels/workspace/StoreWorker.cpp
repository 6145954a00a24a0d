#include "app/viewmodels/workspace/StoreWorker.h"

namespace trainscope::app {

struct StoreWorker::State {
    std::int64_t epoch = 0;
    std::optional<Result<store::Store>> store;
    std::atomic<bool> stopped = false;
};

namespace {

Error nothingOpen() {
    return {ErrorCode::NotFound, "No run database is open.", {}};
}

} // namespace

StoreWorker::StoreWorker(QObject* parent)
    : QObject(parent)
    , m_state(std::make_shared<State>()) {
    m_pool.setMaxThreadCount(1);
    m_pool.setExpiryTimeout(-1);
}

StoreWorker::~StoreWorker() {
    m_state->stopped = true;
    m_pool.clear();
    m_pool.waitForDone();
}

void StoreWorker::setDatabase(const std::filesystem::path& path) {
    m_path = path;
    ++m_epoch;
}

void StoreWorker::post(Job job) {
    m_pool.start([state = m_state, job = std::move(job), path = m_path, epoch = m_epoch] {
        if (state->stopped)
            return;
        if (state->epoch != epoch || !state->store) {
            state->store.reset();
            state->store.emplace(path.empty()
                    ? Result<store::Store>(nothingOpen())
                    : store::Store::open(path, store::OpenMode::ReadOnly));
            state->epoch = epoch;
        }
        job(*state->store);
    });
}

void StoreWorker::reply(std::function<void()> call) {
    QMetaObject::invokeMethod(this, std::move(call), Qt::QueuedConnection);
}

} // namespace trainscope::app
