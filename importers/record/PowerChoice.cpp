#include "importers/record/PowerChoice.h"

#include "core/text/Times.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace trainscope::record {

namespace {

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
