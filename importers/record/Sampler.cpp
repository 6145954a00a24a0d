#include "importers/record/Sampler.h"

#include "core/model/Gather.h"
#include "core/text/Times.h"

#include <chrono>
#include <cmath>
#include <ctime>
#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>

namespace trainscope::record {
namespace {

constexpr double kNanoseconds = 1e9; // in a second
constexpr double kRoundShare = 0.01; // share of a core
constexpr double kRunningShare = 0.0001; // at kUsualInterval
constexpr double kMostRunningShare = 0.0003;
constexpr double kUsualInterval = 0.05; // s
constexpr double kShortestRunning = 0.2;
constexpr double kShortestRunningSamples = 4.0;
constexpr double kLongRecording = 600.0; // s
constexpr double kOfLongRecording = 2.5; // times the shortest: nobody reads days by 200 ms
constexpr double kLongestRunning = 2.0;
constexpr double kLagging = 0.1; // s
constexpr double kSeldom = 1.0;
constexpr double kSetting = 5.0;
constexpr double kTotal = 10.0;
constexpr double kSmoothing = 0.25; // weight of the latest cost
constexpr double kNearlyWrapped = 0.85;
constexpr double kOfAWrap = 2.0 / 3.0;

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr double kOfSecond = 1e-9;
constexpr double kLongCall = 100e-6; // s, from which on a call is no part of a round
constexpr double kLongShare = 0.02; // share of the interval, likewise
constexpr double kShareOfRound = 0.25; // share of the interval that a round may take
constexpr double kQuickCall = 5e-6; // s
constexpr int kCallsToJudge = 8;
constexpr std::int64_t kFewStalls = 2; // as many happen to any call
constexpr std::int64_t kStalledPart = 200; // part of the rounds, likewise
constexpr std::int64_t kEarlyPart = 10; // part of a period that a reading may be early
constexpr int kWrappingBits = 32;
constexpr double kWrap = 4'294'967'296.0;

std::int64_t nowOf(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return now.tv_sec * kSecond + now.tv_nsec;
}
std::int64_t steadyNow() {
    return nowOf(CLOCK_MONOTONIC);
}

// Signals do not shorten it.
void sleepUntil(std::int64_t time) {
    const timespec until{time / kSecond, time % kSecond};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) != 0) { }
}

// This thread, before all usual ones, where the system allows it: it works for moments, which
// should not wait behind the slices of a busy machine.
void goFirst() {
    const sched_param lowest{1};
    (void)pthread_setschedparam(pthread_self(), SCHED_RR, &lowest);
}

double partOfRunning(const Probe& probe) {
    constexpr double share = 3.0;
    const auto& readings = probe.readings();
    const auto count = std::ranges::count(readings, Pace::Running, &Reading::pace);
    return std::min(1.0, share / std::max(1.0, static_cast<double>(count)));
}

constexpr DurationNs kHeld{2'000'000'000}; // while either may be taken from the begin on
constexpr DurationNs kCompared{20'000'000'000}; // in the past, at most
constexpr DurationNs kSilent{5'000'000'000}; // so that the driver has ceased to keep samples
constexpr DurationNs kStrange{2'000'000'000}; // between stamps and the clock
constexpr int kEnoughChanges = 10;
constexpr double kMoreChanges = 1.5;
constexpr double kAsMuch = 0.8;

struct Movement {
    int changes = 0;
    double way = 0.0; // sum of the steps up and down
};

Movement movementOf(const std::vector<KeptSample>& samples, TimeNs begin, TimeNs end) {
    Movement moved;
    const KeptSample* before = nullptr;
    for (const KeptSample& sample : samples) {
        if (sample.time < begin || sample.time > end || std::isnan(sample.value))
            continue;
        if (before != nullptr && before->value != sample.value) {
            ++moved.changes;
            moved.way += std::abs(sample.value - before->value);
        }
        before = &sample;
    }
    return moved;
}

void forget(std::vector<KeptSample>& samples, TimeNs before) {
    const auto kept = std::find_if(samples.begin(), samples.end(),
        [before](const KeptSample& sample) { return sample.time >= before; });
    samples.erase(samples.begin(), kept);
}

} // namespace

ReadingSchedule::ReadingSchedule(Pace pace, DurationNs interval, double part)
    : m_pace(pace)
    , m_interval(interval)
    , m_part(part)
    , m_period(interval) { }

double ReadingSchedule::affordable() const {
    switch (m_pace) {
    case Pace::Round:
        return m_cost / kRoundShare;
    case Pace::Lagging:
        return std::max(kLagging, m_cost / kRoundShare);
    case Pace::Running:
        return affordableRunning();
    case Pace::Seldom:
        return kSeldom;
    case Pace::Setting:
        return kSetting;
    case Pace::Total:
        break;
    }
    return kTotal;
}

double ReadingSchedule::affordableRunning() const {
    const double interval = m_interval.seconds();
    const double share
        = std::min(kMostRunningShare, kRunningShare * std::max(1.0, kUsualInterval / interval));
    const double shortest = std::min(kShortestRunning, kShortestRunningSamples * interval)
        * (m_since > kLongRecording ? kOfLongRecording : 1.0);
    return std::clamp(
        m_cost / m_part / share, std::min(shortest, kLongestRunning), kLongestRunning);
}

std::int64_t ReadingSchedule::withoutHole(std::int64_t period) {
    const std::int64_t all = summed<std::int64_t>(m_octaves);
    std::size_t median = 0;
    for (std::int64_t below = m_octaves[0]; 2 * below < all; below += m_octaves[median])
        ++median;
    constexpr std::int64_t timesTheMedian = 8;
    if (all > 0)
        period = std::min(period, timesTheMedian * (m_interval.ns << median));
    std::size_t octave = 0;
    while (octave + 1 < m_octaves.size() && m_interval.ns << (octave + 1) <= period)
        ++octave;
    ++m_octaves[octave];
    return period;
}

void ReadingSchedule::asked(double cost, double wraps, double seconds) {
    m_cost = m_isFirst ? cost : m_cost + kSmoothing * (cost - m_cost);
    m_since += m_isFirst ? 0.0 : seconds;
    m_isFirst = false;
    double period = affordable();
    if (wraps >= kNearlyWrapped)
        period = 0.0;
    else if (wraps > 0.0)
        period = std::min(period, kOfAWrap * seconds / wraps);
    const auto longest = std::max<std::int64_t>(m_interval.ns, std::llround(period * kNanoseconds));
    m_period = DurationNs{m_pace == Pace::Running ? withoutHole(longest) : longest};
}

Sampler::Sampler(std::vector<Probe*> probes, DurationNs interval, bool keptPower)
    : m_probes(std::move(probes))
    , m_interval(interval)
    , m_powerUntil(m_probes.size()) {
    for (std::size_t probe = 0; probe < m_probes.size(); ++probe) {
        m_values.emplace_back(
            m_probes[probe]->channels().size(), std::numeric_limits<double>::quiet_NaN());
        m_keepsPower.push_back(keptPower && m_probes[probe]->keepsPower());
        const auto& readings = m_probes[probe]->readings();
        const double part = partOfRunning(*m_probes[probe]);
        for (std::size_t i = 0; i < readings.size(); ++i) {
            Asked asked{static_cast<std::uint32_t>(probe), static_cast<std::uint32_t>(i),
                readings[i].pace, ReadingSchedule(readings[i].pace, interval, part)};
            asked.before.assign(
                readings[i].channels.size(), std::numeric_limits<double>::quiet_NaN());
            m_quick.push_back(std::move(asked));
        }
    }
}

Sampler::~Sampler() {
    stop();
}

void Sampler::start() {
    measure();
    m_rounds = std::thread([this] { run(); });
    m_aside = std::thread([this] { runAside(); });
}

void Sampler::stop() {
    if (!m_rounds.joinable())
        return;
    {
        const std::scoped_lock lock(m_asideMutex);
        m_stops = true;
    }
    m_wake.notify_all();
    m_rounds.join();
    if (m_aside.joinable()) // the system may have had a thread for one of them alone
        m_aside.join();
    Taken taken;
    for (auto* all : {&m_quick, &m_slow, &m_moved}) {
        for (Asked& asked : *all) {
            if (asked.pace == Pace::Running || asked.pace == Pace::Total)
                ask(asked, {}, Clock::Processor, taken);
        }
    }
    readKeptPower(taken);
    add(taken);
}

Taken Sampler::take() {
    Taken next;
    const std::scoped_lock lock(m_mutex);
    next.readings.reserve(m_taken.readings.size());
    next.rounds.reserve(m_taken.rounds.size());
    return std::exchange(m_taken, std::move(next));
}

void Sampler::leaveKeptPower(std::uint32_t probe) {
    const std::scoped_lock lock(m_asideMutex);
    m_keepsPower[probe] = false;
}

// A first call may be the slowest, of a second one the quicker counts. Totals are not asked in
// vain.
void Sampler::measure() {
    Taken begin;
    Taken ignored;
    for (Asked& asked : m_quick) {
        const bool isTotal = asked.pace == Pace::Total;
        ask(asked, {}, Clock::Processor, isTotal ? begin : ignored);
        if (!isTotal)
            ask(asked, {}, Clock::Processor, ignored);
        asked.typical = std::exchange(asked.quickest, 0.0);
        asked.calls = 0;
        asked.due = isTotal ? asked.last + asked.schedule.period().ns : 0;
    }
    makeRoom();
    add(begin);
}

bool Sampler::isLong(const Asked& asked) const {
    return asked.pace == Pace::Total
        || asked.typical > std::min(kLongCall, kLongShare * m_interval.seconds());
}

// In the rounds stays what is answered at once, and no more than they have time for.
void Sampler::makeRoom() {
    double all = summed<double>(m_quick, &Asked::typical);
    const bool isQuick
        = std::ranges::none_of(m_quick, [this](const Asked& asked) { return isLong(asked); });
    if (isQuick && all <= kShareOfRound * m_interval.seconds())
        return;
    std::vector<Asked> quick;
    all = 0.0;
    for (Asked& asked : m_quick) {
        if (isLong(asked)) {
            putAside(std::move(asked));
            continue;
        }
        all += asked.typical;
        quick.push_back(std::move(asked));
    }
    while (all > kShareOfRound * m_interval.seconds() && !quick.empty()) {
        const auto longest = std::ranges::max_element(quick, {}, &Asked::typical);
        all -= longest->typical;
        putAside(std::move(*longest));
        quick.erase(longest);
    }
    m_quick = std::move(quick);
}

void Sampler::putAside(Asked asked) {
    const std::scoped_lock lock(m_asideMutex);
    m_moved.push_back(std::move(asked));
    m_wake.notify_all();
}

void Sampler::run() {
    const auto stops = [this] {
        const std::scoped_lock lock(m_asideMutex);
        return m_stops;
    };
    goFirst();
    for (std::int64_t planned = steadyNow(); !stops();) {
        sleepUntil(planned);
        const std::int64_t delay = steadyNow() - planned;
        const std::int64_t skipped = delay / m_interval.ns;
        sampleRound(planned,
            {wallClock() - DurationNs{delay}, static_cast<double>(delay) * kOfSecond}, skipped);
        planned += (skipped + 1) * m_interval.ns;
    }
}

void Sampler::sampleRound(std::int64_t planned, Round round, std::int64_t skipped) {
    m_round.rounds.push_back(round);
    m_round.skipped = skipped;
    bool mayBeLong = false;
    std::optional<TimeNs> shown; // one moment for a probe: its series share it
    std::uint32_t probe = 0;
    for (Asked& asked : m_quick) {
        if (asked.due > planned + m_interval.ns / 2)
            continue;
        if (asked.probe != std::exchange(probe, asked.probe))
            shown.reset();
        shown = ask(asked, shown, Clock::Wall, m_round);
        asked.due = planned + asked.schedule.period().ns;
        mayBeLong = mayBeLong || asked.calls == 0;
    }
    if (mayBeLong)
        makeRoom();
    if (planned >= m_nextIncidents) {
        m_nextIncidents = planned + kSecond;
        (void)ranThrough();
        for (Probe* one : m_probes) {
            for (Incident& incident : one->incidents())
                m_round.incidents.push_back(std::move(incident));
        }
    }
    add(m_round);
}

void Sampler::runAside() {
    std::int64_t nextPower = steadyNow() + kSecond;
    std::unique_lock lock(m_asideMutex);
    while (!m_stops) {
        std::move(m_moved.begin(), m_moved.end(), std::back_inserter(m_slow));
        m_moved.clear();
        const bool asksPower
            = std::find(m_keepsPower.begin(), m_keepsPower.end(), true) != m_keepsPower.end();
        lock.unlock();
        const std::int64_t now = steadyNow();
        std::int64_t next = askDue(now);
        if (asksPower && nextPower <= now) {
            Taken taken;
            readKeptPower(taken);
            add(taken);
            nextPower = now + kSecond;
        }
        if (asksPower)
            next = std::min(next, nextPower);
        const auto rest = std::chrono::nanoseconds(std::max<std::int64_t>(next - steadyNow(), 0));
        lock.lock();
        if (!m_stops && m_moved.empty())
            m_wake.wait_for(lock, rest);
    }
}

// Asks the readings that are due; returns the moment of the next call.
std::int64_t Sampler::askDue(std::int64_t now) {
    Taken taken;
    std::int64_t next = now + kSecond;
    for (Asked& asked : m_slow) {
        // Readings that are seldom due are asked together: waking up costs too.
        const std::int64_t period = asked.schedule.period().ns;
        const std::int64_t early = period >= kSecond / 2 ? period / kEarlyPart : 0;
        if (asked.due - early <= now) {
            ask(asked, {}, Clock::Processor, taken);
            const std::int64_t pause = asked.schedule.period().ns;
            asked.due = std::max(asked.due + pause, now + pause / 2);
        }
        next = std::min(next, asked.due);
    }
    if (!taken.readings.empty())
        add(taken);
    return next;
}

TimeNs Sampler::ask(Asked& asked, std::optional<TimeNs> shown, Clock clock, Taken& taken) {
    Probe& probe = *m_probes[asked.probe];
    std::vector<double>& values = m_values[asked.probe];
    const bool isQuick = clock == Clock::Wall; // to ask for the other costs as much as such a call
    const std::int64_t processor = isQuick ? 0 : nowOf(CLOCK_THREAD_CPUTIME_ID);
    const std::int64_t begin = steadyNow();
    const TimeNs time = probe.read(asked.reading, values);
    const double wall = static_cast<double>(steadyNow() - begin) * kOfSecond;
    // The thread may have been interrupted.
    const double most = 2.0 * asked.schedule.cost() + kQuickCall;
    const double cost = isQuick
        ? std::min(wall, most)
        : static_cast<double>(nowOf(CLOCK_THREAD_CPUTIME_ID) - processor) * kOfSecond;
    for (const std::size_t channel : probe.readings()[asked.reading].channels)
        taken.readings.push_back({asked.probe, static_cast<std::uint32_t>(channel),
            shown.value_or(time), values[channel]});
    asked.schedule.asked(
        cost, takeWraps(asked), static_cast<double>(begin - asked.last) * kOfSecond);
    asked.last = begin;
    asked.quickest = asked.calls == 0 ? wall : std::min(asked.quickest, wall);
    ++asked.calls;
    if (asked.calls == kCallsToJudge) {
        asked.typical = asked.quickest;
        asked.calls = 0;
    }
    if (isQuick)
        judge(asked, wall);
    return shown.value_or(time);
}

// A call that is quick mostly, and again and again takes what a round has, is slow.
void Sampler::judge(Asked& asked, double seconds) {
    ++asked.rounds;
    if (seconds <= kShareOfRound * m_interval.seconds() || !ranThrough())
        return;
    ++asked.stalled;
    if (asked.stalled <= kFewStalls || asked.stalled * kStalledPart < asked.rounds)
        return;
    asked.typical = seconds;
    asked.calls = 0;
}

// True where nothing took the processor from this thread since it was asked last: a call that took
// long is slow itself.
bool Sampler::ranThrough() {
    rusage used{};
    if (getrusage(RUSAGE_THREAD, &used) != 0)
        return false;
    return std::exchange(m_interruptions, used.ru_nivcsw) == used.ru_nivcsw;
}

// Largest part of a wrap that a counter of 32 bits went since the call before.
double Sampler::takeWraps(Asked& asked) const {
    const Probe& probe = *m_probes[asked.probe];
    const auto& channels = probe.readings()[asked.reading].channels;
    double wraps = 0.0;
    for (std::size_t i = 0; i < channels.size(); ++i) {
        if (probe.channels()[channels[i]].description.counterBits != kWrappingBits)
            continue;
        const double value = m_values[asked.probe][channels[i]];
        const double went = value - std::exchange(asked.before[i], value);
        if (!std::isnan(went))
            wraps = std::max(wraps, (went < 0.0 ? went + kWrap : went) / kWrap);
    }
    return wraps;
}

void Sampler::readKeptPower(Taken& taken) {
    std::vector<bool> keeps;
    {
        const std::scoped_lock lock(m_asideMutex);
        keeps = m_keepsPower;
    }
    for (std::size_t probe = 0; probe < m_probes.size(); ++probe) {
        if (!keeps[probe])
            continue;
        for (const KeptSample& sample : m_probes[probe]->keptPower(m_powerUntil[probe])) {
            taken.power.push_back({static_cast<std::uint32_t>(probe), sample});
            m_powerUntil[probe] = sample.time;
        }
    }
}

// Hands on what was taken, and keeps its room.
void Sampler::add(Taken& taken) {
    const std::scoped_lock lock(m_mutex);
    const auto append = [](auto& to, auto& from) {
        to.insert(
            to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
        from.clear();
    };
    append(m_taken.readings, taken.readings);
    append(m_taken.power, taken.power);
    append(m_taken.rounds, taken.rounds);
    append(m_taken.incidents, taken.incidents);
    m_taken.skipped += std::exchange(taken.skipped, 0);
}

void PowerChoice::addAsked(KeptSample sample) {
    if (!m_begin)
        m_begin = sample.time;
    m_asked.push_back(sample);
}

// Samples that the driver kept from before the recording are not part of it.
void PowerChoice::addKept(KeptSample sample) {
    if (m_begin && sample.time >= *m_begin)
        m_kept.push_back(sample);
}

void PowerChoice::decide() {
    if (m_asked.empty() || m_kept.empty())
        return;
    const TimeNs begin = std::max(m_asked.front().time, m_kept.front().time);
    const TimeNs end = std::min(m_asked.back().time, m_kept.back().time);
    const double seconds = (end - begin).seconds();
    if (m_kept.back().time > m_asked.back().time + kStrange
        || m_kept.back().time + kStrange < m_asked.back().time) {
        m_source = Source::Asked;
        m_why = "the driver's own samples have stamps of another clock";
        return;
    }
    const Movement asked = movementOf(m_asked, begin, end);
    const Movement kept = movementOf(m_kept, begin, end);
    if (std::max(asked.changes, kept.changes) < kEnoughChanges || seconds <= 0.0)
        return;
    const bool isMore
        = kept.changes >= kMoreChanges * asked.changes && kept.way >= kAsMuch * asked.way;
    m_source = isMore ? Source::Kept : Source::Asked;
    m_askedPerSecond = asked.changes / seconds;
    m_keptPerSecond = kept.changes / seconds;
    m_why = kept.changes >= kMoreChanges * asked.changes
        ? fmt::format("the driver's own samples change {:.3g} times a second and are smoother, "
                      "readings {:.3g} times",
            m_keptPerSecond, m_askedPerSecond)
        : fmt::format(
            "the driver's own samples change {:.3g} times a second, readings {:.3g} times",
            m_keptPerSecond, m_askedPerSecond);
}

std::vector<KeptSample> PowerChoice::unwritten(const std::vector<KeptSample>& samples) {
    std::vector<KeptSample> due;
    std::copy_if(samples.begin(), samples.end(), std::back_inserter(due),
        [this](const KeptSample& sample) { return sample.time > m_written; });
    if (!due.empty())
        m_written = due.back().time;
    return due;
}

std::vector<KeptSample> PowerChoice::take(TimeNs now, bool isLast) {
    if (m_source == Source::Undecided)
        decide();
    std::vector<KeptSample> due;
    if (m_source == Source::Kept) {
        due = unwritten(m_kept);
        if (!m_asked.empty() && m_asked.back().time > m_written + kSilent) {
            m_source = Source::Asked;
            m_why = "the driver ceased to keep samples of its own at " + text::moment(m_written);
        }
    }
    const bool mayBeKept = m_begin && now < *m_begin + kHeld && !isLast;
    if (m_source == Source::Asked || (m_source == Source::Undecided && !mayBeKept)) {
        const auto asked = unwritten(m_asked);
        due.insert(due.end(), asked.begin(), asked.end());
    }
    const TimeNs needed = m_source == Source::Undecided ? now - kCompared : m_written;
    forget(m_asked, needed);
    forget(m_kept, needed);
    return due;
}

std::string PowerChoice::words() const {
    if (m_source == Source::Kept)
        return fmt::format("the driver's own samples with their stamps: they change {:.3g} times a "
                           "second, readings {:.3g} times",
            m_keptPerSecond, m_askedPerSecond);
    return m_why.empty()
        ? "readings; the driver's own samples have not changed enough to be compared"
        : "readings; " + m_why;
}

} // namespace trainscope::record
