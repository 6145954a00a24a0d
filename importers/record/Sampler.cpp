#include "importers/record/Sampler.h"

#include <ctime>

#include <algorithm>
#include <limits>
#include <utility>

namespace trainscope::record {

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

std::int64_t steadyNow() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * kSecond + now.tv_nsec;
}

// Signals do not shorten it.
void sleepUntil(std::int64_t time) {
    const timespec until{time / kSecond, time % kSecond};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) != 0) { }
}

} // namespace

Sampler::Sampler(std::vector<Probe*> probes, DurationNs interval)
    : m_probes(std::move(probes))
    , m_interval(interval) {
    for (const Probe* probe : m_probes)
        m_values.emplace_back(probe->channels().size(), std::numeric_limits<double>::quiet_NaN());
}

Sampler::~Sampler() {
    stop();
}

void Sampler::start() {
    m_thread = std::thread([this] { run(); });
}

void Sampler::stop() {
    m_stops = true;
    if (m_thread.joinable())
        m_thread.join();
}

Taken Sampler::take() {
    const std::scoped_lock lock(m_mutex);
    return std::exchange(m_taken, {});
}

void Sampler::run() {
    std::int64_t planned = steadyNow();
    std::int64_t nextSlow = planned;
    while (!m_stops) {
        sleepUntil(planned);
        const std::int64_t now = steadyNow();
        const std::int64_t delay = now - planned;
        const bool slow = planned >= nextSlow;
        if (slow)
            nextSlow = planned + std::max(kSecond, m_interval.ns);
        const std::int64_t skipped = delay / m_interval.ns;
        sampleOnce(
            slow, {wallClock() - DurationNs{delay}, static_cast<double>(delay) * 1e-9}, skipped);
        planned += (skipped + 1) * m_interval.ns;
    }
}

void Sampler::sampleOnce(bool slow, Round round, std::int64_t skipped) {
    Taken taken;
    for (std::size_t probe = 0; probe < m_probes.size(); ++probe) {
        const TimeNs time = wallClock();
        m_probes[probe]->read(slow, m_values[probe]);
        const auto& channels = m_probes[probe]->channels();
        for (std::size_t channel = 0; channel < channels.size(); ++channel) {
            if (slow || !channels[channel].isSlow)
                taken.readings.push_back({static_cast<std::uint32_t>(probe),
                    static_cast<std::uint32_t>(channel), time, m_values[probe][channel]});
        }
        if (slow) {
            for (Incident& incident : m_probes[probe]->incidents())
                taken.incidents.push_back(std::move(incident));
        }
    }
    const std::scoped_lock lock(m_mutex);
    m_taken.readings.insert(m_taken.readings.end(), taken.readings.begin(), taken.readings.end());
    m_taken.rounds.push_back(round);
    m_taken.incidents.insert(
        m_taken.incidents.end(), taken.incidents.begin(), taken.incidents.end());
    m_taken.skipped += skipped;
}

} // namespace trainscope::record
