#include "importers/common/PowerDoubts.h"

#include "core/model/AsciiText.h"
#include "core/text/Numbers.h"

#include <cmath>

namespace trainscope::importers {

namespace {

// Words of model names; an entry with '*' matches by its beginning.
constexpr std::array<std::string_view, 27> kInstant{"a100*", "a800*", "a30", "v100*", "p100*",
    "p40", "p4", "p6", "t4", "t4g", "k80", "k40*", "m60", "m40", "m10", "gtx", "titan", "20*",
    "quadro", "t1000", "t2000", "t600", "tesla", "gv100", "cmp", "mx*", "pg506*"};
constexpr std::array<std::string_view, 30> kAveraged{"h100*", "h200*", "h800*", "h20", "gh200*",
    "b100*", "b200*", "b300*", "gb200*", "gb300*", "gb10", "l4", "l40", "l40s", "l20", "l2", "a10",
    "a10g", "a10m", "a16", "a2", "a40", "30*", "40*", "50*", "a2000", "a4000", "a5000", "a6000",
    "ada"};

bool matches(std::string_view word, std::string_view pattern) {
    if (!pattern.ends_with('*'))
        return equalsIgnoringCase(word, pattern);
    pattern.remove_suffix(1);
    return word.size() >= pattern.size()
        && equalsIgnoringCase(word.substr(0, pattern.size()), pattern);
}

template <typename List>
bool anyWord(std::string_view model, const List& patterns) {
    const auto parts = words(model, " -_/");
    return std::any_of(parts.begin(), parts.end(), [&patterns](std::string_view word) {
        return std::any_of(patterns.begin(), patterns.end(),
            [word](std::string_view pattern) { return matches(word, pattern); });
    });
}

} // namespace

SensorKind powerSensorOf(std::string_view gpuModel) {
    // "40GB" is no GeForce 40: memory sizes say nothing.
    std::string model;
    for (const std::string_view word : words(gpuModel, " -_/")) {
        if (!containsIgnoringCase(word, "gb") || lowerChar(word.front()) == 'g')
            model += std::string(word) + " ";
    }
    if (anyWord(model, kAveraged))
        return SensorKind::Averaged;
    return anyWord(model, kInstant) ? SensorKind::Instant : SensorKind::Unknown;
}

std::string describePowerSensor(SensorKind kind) {
    switch (kind) {
    case SensorKind::Instant:
        return "instant";
    case SensorKind::Averaged:
        return "average over 1 s";
    case SensorKind::Unknown:
        break;
    }
    return "not said: NVIDIA's power.draw is an average over 1 s on Ampere (except A100 and A30) "
           "and newer GPUs, an instant on older ones";
}

void PowerDoubts::see(int rank, std::span<const TimeNs> times, const Readings& power,
    const Readings& limit, const Readings& energy, EnergySums& sums) {
    constexpr double kMostTimesLimit = 2.5;
    constexpr double kMostOfGpu = 5000.0; // W; no board is built for so much
    for (std::size_t i = 0; i < power.values.size(); ++i) {
        const double watts = power.at(i);
        m_powers += std::isnan(watts) ? 0 : 1;
        m_beyondGpus += watts > kMostOfGpu ? 1 : 0;
        const double most = limit.values.empty() ? 0.0 : limit.at(i);
        if (!(most > 0.0) || !(watts > kMostTimesLimit * most))
            continue;
        ++m_spikes.samples;
        if (watts > m_spikes.watts)
            m_spikes = {m_spikes.samples, rank, watts, most};
    }
    if (!power.values.empty() && !energy.values.empty())
        seeSums(rank, times, power, energy, sums);
}

void PowerDoubts::seeSums(int rank, std::span<const TimeNs> times, const Readings& power,
    const Readings& energy, EnergySums& sums) {
    sums.rank = rank;
    for (std::size_t i = 0; i < times.size(); ++i) {
        const double joules = energy.at(i);
        const double watts = power.at(i);
        if (std::isnan(joules) || std::isnan(watts))
            continue;
        if (!std::isnan(sums.lastEnergy)) {
            sums.counted += std::max(0.0, joules - sums.lastEnergy);
            sums.integral += 0.5 * (watts + sums.lastPower) * (times[i] - sums.lastTime).seconds();
        }
        sums.lastEnergy = joules;
        sums.lastPower = watts;
        sums.lastTime = times[i];
    }
}

bool PowerDoubts::isOfRows(
    std::span<const TimeNs> times, const Readings& energy, const Readings& power) {
    constexpr double kLess = 0.5; // share of the amount by the power
    constexpr double kMore = 2.0;
    std::int64_t steps = 0;
    std::int64_t falls = 0;
    std::int64_t resets = 0; // begins of a counter anew
    std::int64_t asRows = 0;
    std::int64_t asCounter = 0;
    for (std::size_t i = 1; i < energy.values.size(); ++i) {
        const double now = energy.at(i);
        const double before = energy.at(i - 1);
        if (std::isnan(now) || std::isnan(before))
            continue;
        ++steps;
        falls += now < before ? 1 : 0;
        resets += now < kLess * before ? 1 : 0;
        if (power.values.empty())
            continue;
        const double joules = power.at(i) * (times[i] - times[i - 1]).seconds();
        asRows += now > kLess * joules && now < kMore * joules ? 1 : 0;
        asCounter += now - before > kLess * joules && now - before < kMore * joules ? 1 : 0;
    }
    const bool fallsOften = (falls > 1 || falls > resets) && 4 * falls >= steps;
    const bool isProduct = steps > 1 && 5 * asRows >= 4 * steps && 2 * asCounter < steps;
    return fallsOften || isProduct;
}

void PowerDoubts::compare(const EnergySums& sums) {
    const double less = std::min(sums.counted, sums.integral);
    const double more = std::max(sums.counted, sums.integral);
    const double apart = less > 0.0 ? more / less : more > 0.0 ? 1e9 : 1.0;
    if (sums.rank < 0 || apart <= m_apart)
        return;
    m_apart = apart;
    m_worst = sums;
}

void PowerDoubts::tell(ImportReport& report, const std::string& shown) {
    const auto ranksOf = [](std::vector<int>& ranks) {
        std::sort(ranks.begin(), ranks.end());
        return std::string(ranks.size() > 1 ? "s " : " ") + text::rankList(ranks);
    };
    if (!m_ranksOfOtherPower.empty())
        report.warn(shown, 0,
            "Where the other GPUs have their power there are no values of rank"
                + ranksOf(m_ranksOfOtherPower) + "; the power reading beside it is used there.");
    if (2 * m_beyondGpus > m_powers)
        report.warn(shown, 0,
            "Most readings of power are beyond 5 kW, which no GPU draws: their numbers are of "
            "another unit than the head says, perhaps milliwatts. They are kept as written; "
            "say the unit as --column NAME=gpu_power[mW].");
    else if (m_spikes.samples > 0)
        report.warn(shown, 0,
            text::counted(m_spikes.samples, "reading")
                + " of power cannot be: " + text::number(m_spikes.watts, 15, 0) + " W on rank "
                + std::to_string(m_spikes.rank) + ", where the limit is "
                + text::number(m_spikes.limit, 15, 0) + " W. They are kept as written.");
    if (!m_ranksOfRowEnergy.empty())
        report.warn(shown, 0,
            "The energy column of rank" + ranksOf(m_ranksOfRowEnergy)
                + " is no counter: each row has the energy since the row before. It is kept as "
                  "energy_of_row; the energy of the run is that of its power.");
    if (m_worst.rank >= 0)
        report.warn(shown, 0,
            "The energy counter of rank " + std::to_string(m_worst.rank) + " counts "
                + text::number(m_worst.counted, 15, 1) + " J, where the power beside it amounts to "
                + text::number(m_worst.integral, 15, 1)
                + " J: the column is no counter, or its unit is another. Both are kept as "
                  "written.");
}

} // namespace trainscope::importers
