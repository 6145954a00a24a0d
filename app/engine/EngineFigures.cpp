#include "app/engine/EngineFigures.h"

#include "app/engine/EngineLink.h"
#include "core/model/InteractiveThread.h"

#include <fmt/format.h>

#include <utility>

namespace trainscope::app {

namespace {

constexpr std::size_t kMostKept = 256; // metrics of stretches
constexpr std::chrono::seconds kAskAgainAfter{15};
constexpr std::chrono::milliseconds kLookAgain{100};

} // namespace

EngineFigures::EngineFigures(std::function<bool()> isBusy, std::function<void()> changed)
    : m_isBusy(std::move(isBusy))
    , m_changed(std::move(changed))
    , m_thread([this] { work(); }) { }

EngineFigures::~EngineFigures() {
    assertMayBlock("waits for the thread of an engine's figures");
    {
        const std::lock_guard lock(m_mutex);
        m_isStopping = true;
    }
    m_wake.notify_all();
    m_thread.join();
}

std::string EngineFigures::keyOf(const Wanted& wanted, const std::string& metric) {
    return fmt::format("{} {} {}", wanted.link->keyOf({metric, TileRows::Series, 0, {}, 0}),
        wanted.stretch.begin.ns, wanted.stretch.end.ns);
}

StretchFigures EngineFigures::of(const std::shared_ptr<EngineLink>& link, TimeRange stretch) {
    StretchFigures figures;
    const auto metrics = link->metrics();
    figures.metrics = metrics.size();
    const std::lock_guard lock(m_mutex);
    const Wanted wanted{link, stretch};
    for (const std::string& metric : metrics) {
        auto kept = m_kept.find(keyOf(wanted, metric));
        Wanted& shown = m_shown[{link->run(), metric}];
        if (kept != m_kept.end())
            shown = wanted;
        // A live run shows the values of the stretch before until those of the present one are
        // there.
        else if (link->link().isLive && shown.stretch.length() == stretch.length())
            kept = m_kept.find(keyOf({link, shown.stretch}, metric));
        if (kept == m_kept.end())
            continue;
        ++figures.told;
        figures.series.insert(figures.series.end(), kept->second.begin(), kept->second.end());
    }
    m_wanted[link->run()] = wanted;
    figures.error = m_error;
    m_wake.notify_one();
    return figures;
}

void EngineFigures::forgetError() {
    const std::lock_guard lock(m_mutex);
    m_error.reset();
    m_wake.notify_one();
}

std::optional<EngineFigures::Job> EngineFigures::next() {
    if (m_error && std::chrono::steady_clock::now() - m_failed < kAskAgainAfter)
        return std::nullopt;
    for (const auto& [run, wanted] : m_wanted) {
        for (const std::string& metric : wanted.link->metrics()) {
            std::string key = keyOf(wanted, metric);
            if (!m_kept.contains(key))
                return Job{wanted, metric, std::move(key)};
        }
    }
    return std::nullopt;
}

bool EngineFigures::isWanted(const Wanted& wanted) {
    const std::lock_guard lock(m_mutex);
    const auto at = m_wanted.find(wanted.link->run());
    return !m_isStopping && at != m_wanted.end() && at->second == wanted;
}

void EngineFigures::keep(const std::string& key, Figures figures) {
    m_kept[key] = std::move(figures);
    m_order.push_back(key);
    if (m_order.size() > kMostKept) {
        m_kept.erase(m_order.front());
        m_order.pop_front();
    }
}

void EngineFigures::work() {
    while (!m_isStopping) {
        std::optional<Job> job;
        {
            std::unique_lock lock(m_mutex);
            job = next();
            if (!job) {
                m_wake.wait(lock);
                continue;
            }
        }
        if (m_isBusy && m_isBusy()) {
            std::unique_lock lock(m_mutex);
            m_wake.wait_for(lock, kLookAgain, [this] { return m_isStopping.load(); });
            continue;
        }
        auto figures = job->wanted.link->figures(
            job->metric, job->wanted.stretch, [&] { return !isWanted(job->wanted); });
        {
            const std::lock_guard lock(m_mutex);
            if (figures.hasValue()) {
                m_error.reset();
                keep(job->key, std::move(figures).value());
            } else if (figures.error().code == ErrorCode::Cancelled) {
                continue;
            } else {
                m_error = figures.error();
                m_failed = std::chrono::steady_clock::now();
            }
        }
        if (m_changed)
            m_changed();
    }
}

} // namespace trainscope::app
