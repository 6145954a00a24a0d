#pragma once
// Sampler: asks probes for their readings at a steady pace, on a thread of its own that does
// nothing else, so that neither the disk nor the program that is watched shifts a sample.

#include "core/model/Time.h"
#include "importers/record/Probe.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace trainscope::record {

// A value of channel `channel` of probe `probe`.
struct TakenReading {
    std::uint32_t probe = 0;
    std::uint32_t channel = 0;
    TimeNs time; // when the probe was asked
    double value = 0.0; // source number, NaN for missing
};

// A moment at which all probes were asked.
struct Round {
    TimeNs time; // planned for
    double delay = 0.0; // s, that it came later
};

struct Taken {
    std::vector<TakenReading> readings; // in order of time
    std::vector<Round> rounds;
    std::vector<Incident> incidents;
    std::int64_t skipped = 0; // rounds that a late one left no time for
};

class Sampler {
public:
    // The probes live longer; interval > 0.
    Sampler(std::vector<Probe*> probes, DurationNs interval);
    Sampler(const Sampler&) = delete;
    Sampler& operator=(const Sampler&) = delete;
    ~Sampler(); // stops

    void start();
    // After the last round, which may take as long as the devices need to answer.
    void stop();
    // What was sampled since the last call; any thread.
    Taken take();

private:
    void run();
    void sampleOnce(bool slow, Round round, std::int64_t skipped);

    std::vector<Probe*> m_probes;
    DurationNs m_interval;
    std::vector<std::vector<double>> m_values; // by probe; of this round
    std::thread m_thread;
    std::atomic<bool> m_stops = false;
    std::mutex m_mutex; // of m_taken
    Taken m_taken;
};

} // namespace trainscope::record
