#include "importers/common/PowerSensor.h"

#include "core/model/AsciiText.h"

#include <algorithm>
#include <array>

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

} // namespace trainscope::importers
