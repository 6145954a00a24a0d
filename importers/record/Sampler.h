#pragma once
// Sampler: asks probes for their readings, on threads of its own that do nothing else, so that
// neither the disk nor the program that is watched shifts a sample. One thread keeps the steady
// pace of the rounds, with all readings that are answered at once; a second one asks for what takes
// longer, so that no call delays the others. Each reading has a period of its own
// (ReadingSchedule).

#include "importers/record/Probe.h"

#include <condition_variable>
#include <mutex>
#include <thread>

namespace trainscope::record {

// ReadingSchedule: how long a reading may wait until it is asked for again, from what its call
// costs, measured as it runs, and from when its counters wrap.
//
//   Round    with every sample; one that costs more than 1 % of a core would, so seldom that it
//            costs that
//   Lagging  the same, every 100 ms at most, as drivers renew it
//   Running  so seldom that it costs its part of 0.01 % of a core at 50 ms between samples, and of
//            shorter intervals as much more, 0.03 % at most; every fourth sample or 200 ms at most,
//            after ten minutes every tenth or 500 ms, within 2 s. A counter of 32 bits three times
//            in two wraps at the rate just seen, and with every sample where it nearly wrapped
//            since the last reading: its rate may be higher than it seems. Never longer than eight
//            times the median so far: ten times would be a hole in the series
//   Seldom   every second
//   Setting  every five seconds
//   Total    every ten seconds
//
// Never before the next sample is due.

class ReadingSchedule {
public:
    // `part`: of what a running reading may cost; those of a probe that has many share.
    ReadingSchedule(Pace pace, DurationNs interval, double part = 1.0);

    // A call took so many seconds of a processor. Among its counters of 32 bits the fastest went
    // `wraps` of a whole wrap since the call before, `seconds` ago; 0 where there are none.
    void asked(double cost, double wraps, double seconds);
    [[nodiscard]] DurationNs period() const { return m_period; }
    [[nodiscard]] double cost() const { return m_cost; } // s of a processor, of late calls

private:
    [[nodiscard]] double affordable() const; // s
    [[nodiscard]] double affordableRunning() const; // s
    [[nodiscard]] std::int64_t withoutHole(std::int64_t period);

    Pace m_pace;
    DurationNs m_interval;
    double m_part;
    DurationNs m_period;
    double m_cost = 0.0;
    double m_since = 0.0; // s since the first call
    bool m_isFirst = true;
    // Numbers of long periods, by length: from the interval times a power of two on.
    std::array<std::int64_t, 24> m_octaves{};
};

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

// PowerChoice: which of two accounts of one GPU's power is written: what it was asked for with each
// sample, or the samples that its driver kept by itself, by their own stamps.
//
// The driver's are taken where they resolve more: over the same time they change half as often
// again at least, and go up and down as much (an average of a second changes often and goes
// nowhere). As long as too few changes of either have been seen what was asked for is written,
// after two seconds in which either could be taken from the begin on.

class PowerChoice {
public:
    // In order of time, each; source numbers, NaN for missing.
    void addAsked(KeptSample sample);
    void addKept(KeptSample sample);

    // Samples to write now, behind those taken before. `isLast`: nothing comes any more.
    std::vector<KeptSample> take(TimeNs now, bool isLast);

    // True once the driver's samples are of no use any longer.
    [[nodiscard]] bool hasLeftKept() const { return m_source == Source::Asked; }
    // For people: "the driver's own samples, …".
    [[nodiscard]] std::string words() const;

private:
    enum class Source { Undecided, Asked, Kept };

    void decide();
    std::vector<KeptSample> unwritten(const std::vector<KeptSample>& samples);

    Source m_source = Source::Undecided;
    std::vector<KeptSample> m_asked; // late ones: not written, or needed to decide
    std::vector<KeptSample> m_kept; // likewise
    std::optional<TimeNs> m_begin; // the asked ones'
    TimeNs m_written; // the last
    double m_askedPerSecond = 0.0; // changes, when it was decided
    double m_keptPerSecond = 0.0;
    std::string m_why;
};

} // namespace trainscope::record
