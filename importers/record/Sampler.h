#pragma once
// Sampler: asks probes for their readings, on threads of its own that do nothing else, so that
// neither the disk nor the program that is watched shifts a sample. One thread keeps the steady
// pace of the rounds, with all readings that are answered at once; a second one asks for what takes
// longer, so that no call delays the others. Each reading has a period of its own
// (ReadingSchedule.h).

#include "core/model/Time.h"
#include "importers/record/Probe.h"
#include "importers/record/ReadingSchedule.h"

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace trainscope::record {

// A value of channel `channel` of probe `probe`.
struct TakenReading {
    std::uint32_t probe = 0;
    std::uint32_t channel = 0;
    TimeNs time; // the moment that the probe was asked
    double value = 0.0; // source number, NaN for missing
};

// A sample of power that the device of probe `probe` kept by itself.
struct TakenPower {
    std::uint32_t probe = 0;
    KeptSample sample;
};

// A moment of the steady pace.
struct Round {
    TimeNs time; // planned for
    double delay = 0.0; // s, that it came later
};

struct Taken {
    std::vector<TakenReading> readings; // those of a channel in order of time
    std::vector<TakenPower> power; // likewise
    std::vector<Round> rounds;
    std::vector<Incident> incidents;
    std::int64_t skipped = 0; // rounds that a late one left no time for
};

class Sampler {
public:
    // The probes live longer; interval > 0. With `keptPower` devices that keep samples of their
    // power are asked for them every second.
    Sampler(std::vector<Probe*> probes, DurationNs interval, bool keptPower = false);
    Sampler(const Sampler&) = delete;
    Sampler& operator=(const Sampler&) = delete;
    ~Sampler(); // stops

    // Asks each reading once for its cost, and begins.
    void start();
    // After the last round, with a last reading of what goes on between; takes as long as the
    // devices need to answer.
    void stop();
    // Samples since the last call; any thread.
    Taken take();
    // Says that a probe's own samples of power are not needed any longer; any thread.
    void leaveKeptPower(std::uint32_t probe);

private:
    struct Asked {
        std::uint32_t probe = 0;
        std::uint32_t reading = 0;
        Pace pace = Pace::Round;
        ReadingSchedule schedule;
        std::int64_t due = 0; // by the steady clock, likewise all below
        std::int64_t last = 0; // the moment that it was asked
        std::vector<double> before = {}; // one for each of its channels
        double typical = 0.0; // s that a call takes: the quickest of some
        double quickest = 0.0; // among those since `typical` was set
        int calls = 0; // likewise
        std::int64_t rounds = 0; // rounds that it was asked in
        std::int64_t stalled = 0; // those among them that its call took a large part of
    };

    void measure();
    void run();
    void runAside();
    void sampleRound(std::int64_t planned, Round round, std::int64_t skipped);
    std::int64_t askDue(std::int64_t now);
    // Clock by which the cost of a call is counted.
    enum class Clock { Wall, Processor };
    TimeNs ask(Asked& asked, std::optional<TimeNs> shown, Clock clock, Taken& taken);
    void judge(Asked& asked, double seconds);
    bool ranThrough();
    double takeWraps(Asked& asked) const;
    [[nodiscard]] bool isLong(const Asked& asked) const;
    void makeRoom();
    void putAside(Asked asked);
    void readKeptPower(Taken& taken);
    void add(Taken& taken);

    std::vector<Probe*> m_probes;
    DurationNs m_interval;
    std::vector<std::vector<double>> m_values; // by probe; each written by its reading's thread
    std::vector<Asked> m_quick; // by probe; of the thread of the rounds, as the next three
    Taken m_round; // room for what one round takes
    std::int64_t m_interruptions = 0; // the thread's, as it was asked last
    std::int64_t m_nextIncidents = 0;
    std::vector<Asked> m_slow; // on the other thread
    std::vector<TimeNs> m_powerUntil; // by probe, likewise
    std::thread m_rounds;
    std::thread m_aside;

    std::mutex m_asideMutex; // guards the four below
    std::condition_variable m_wake;
    bool m_stops = false;
    std::vector<Asked> m_moved; // from m_quick to m_slow
    std::vector<bool> m_keepsPower; // by probe

    std::mutex m_mutex; // guards m_taken
    Taken m_taken;
};

} // namespace trainscope::record
