#include "importers/nvsmi/Unit.h"

#include "core/model/AsciiText.h"

#include <array>

namespace trainscope::importers::nvsmi {

namespace {

struct Spelling {
    std::string_view text;
    Unit unit;
};
constexpr double kKibi = 1024.0;
constexpr double kMebi = kKibi * 1024.0;
constexpr double kGibi = kMebi * 1024.0;

constexpr std::array kSpellings{
    Spelling{"w", {"W", 1.0}},
    Spelling{"watt", {"W", 1.0}},
    Spelling{"watts", {"W", 1.0}},
    Spelling{"mw", {"W", 1e-3}},
    Spelling{"milliwatts", {"W", 1e-3}},
    Spelling{"kw", {"W", 1e3}},
    Spelling{"c", {"°C", 1.0}},
    Spelling{"°c", {"°C", 1.0}},
    Spelling{"degc", {"°C", 1.0}},
    Spelling{"celsius", {"°C", 1.0}},
    Spelling{"hz", {"Hz", 1.0}},
    Spelling{"khz", {"Hz", 1e3}},
    Spelling{"mhz", {"Hz", 1e6}},
    Spelling{"ghz", {"Hz", 1e9}},
    Spelling{"%", {"1", 0.01}},
    Spelling{"pct", {"1", 0.01}},
    Spelling{"percent", {"1", 0.01}},
    Spelling{"b", {"B", 1.0}},
    Spelling{"bytes", {"B", 1.0}},
    Spelling{"kib", {"B", kKibi}},
    Spelling{"kb", {"B", kKibi}},
    Spelling{"mib", {"B", kMebi}},
    Spelling{"mb", {"B", kMebi}},
    Spelling{"gib", {"B", kGibi}},
    Spelling{"gb", {"B", kGibi}},
    Spelling{"b/s", {"B/s", 1.0}},
    Spelling{"kb/s", {"B/s", 1e3}},
    Spelling{"mb/s", {"B/s", 1e6}},
    Spelling{"gb/s", {"B/s", 1e9}},
    Spelling{"kib/s", {"B/s", kKibi}},
    Spelling{"mib/s", {"B/s", kMebi}},
    Spelling{"gib/s", {"B/s", kGibi}},
    Spelling{"j", {"J", 1.0}},
    Spelling{"mj", {"J", 1e-3}},
    Spelling{"s", {"s", 1.0}},
    Spelling{"sec", {"s", 1.0}},
    Spelling{"seconds", {"s", 1.0}},
    Spelling{"ms", {"s", 1e-3}},
    Spelling{"us", {"s", 1e-6}},
};

} // namespace

std::optional<Unit> findUnit(std::string_view text) {
    for (const Spelling& spelling : kSpellings) {
        if (equalsIgnoringCase(text, spelling.text))
            return spelling.unit;
    }
    return std::nullopt;
}

} // namespace trainscope::importers::nvsmi
