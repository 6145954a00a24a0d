#include "core/text/Numbers.h"

#include "core/model/Metric.h"
#include "core/text/NumberMarks.h"

#include <fmt/ranges.h>

#include <cmath>
#include <iterator>
#include <utility>

namespace trainscope::text {

namespace {

struct Prefix {
    double factor;
    std::string_view symbol;
};
constexpr std::array<Prefix, 9> kPrefixes{{{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"},
    {1e3, "k"}, {1.0, ""}, {1e-3, "m"}, {1e-6, "µ"}, {1e-9, "n"}}};

// Numbers from here on are 1000 when rounded to three digits, or to four.
constexpr double kNearlyOne = 0.9995;
constexpr double kNearlyOneInFour = 0.99995;
// Watts of one GPU stay watts: "1200 W" reads better beside "700 W" than "1.2 kW".
constexpr double kWattsOfReadouts = 5.0;
constexpr double kWattsOfColumns = 10.0;

bool takesPrefix(std::string_view unit) {
    return !unit.empty() && unit != "1" && unit != "°C" && unit != "%" && unit != "K";
}

// Columns keep small numbers in the base unit, so that their points stay below each other, but for
// parts of a second: steps and kernels take milliseconds, of which 0.061 s shows two digits.
bool takesPrefixInColumns(std::string_view unit) {
    constexpr std::array<std::string_view, 6> kUnits{"B", "B/s", "Hz", "J", "W", "FLOP/s"};
    return std::find(kUnits.begin(), kUnits.end(), unit) != kUnits.end();
}

// The prefix takes the place of the 1 in "1/s": "M/s".
std::string withPrefix(std::string_view prefix, std::string_view unit) {
    const bool isCounted = unit.starts_with("1/") && !prefix.empty();
    return fmt::format("{}{}", prefix, isCounted ? unit.substr(1) : unit);
}

ShownUnit prefixed(
    std::string_view unit, double magnitude, double nearly, double watts, double least) {
    for (const auto& prefix : kPrefixes) {
        const double reluctance = unit == "W" && prefix.symbol == "k" ? watts : 1.0;
        if (magnitude >= prefix.factor * reluctance * nearly)
            return {withPrefix(prefix.symbol, unit), 1.0 / prefix.factor};
        if (prefix.factor <= least)
            break;
    }
    return {std::string(unit), 1.0};
}

int digitsBefore(double magnitude) {
    return magnitude > 0.0 ? static_cast<int>(std::floor(std::log10(magnitude) + 1e-12)) + 1 : 1;
}

std::string withoutZeros(std::string text) {
    if (text.find('.') != std::string::npos) {
        text.erase(text.find_last_not_of('0') + 1);
        if (text.ends_with('.'))
            text.pop_back();
    }
    return text == "-0" ? "0" : withMarks(std::move(text));
}

std::string trimmedNumber(double value, int significant, int most) {
    const int before = std::max(digitsBefore(std::abs(value)), 1);
    return withoutZeros(fmt::format("{:.{}f}", value, std::clamp(significant - before, 0, most)));
}

// Four digits with the zeros behind.
std::string alignedNumber(double value) {
    const double size = std::abs(value);
    constexpr double kLarge = 1e7;
    constexpr double kSmall = 1e-3; // else it would be shown as 0
    if (size >= kLarge || (size > 0.0 && size < kSmall))
        return fmt::format("{:.4g}", worded(value));
    const auto reaches = [size](double power) { return size >= power * kNearlyOneInFour; };
    const int decimals = reaches(1000.0) ? 0 : reaches(100.0) ? 1 : reaches(10.0) ? 2 : 3;
    return fmt::format("{:.{}f}", worded(value), decimals);
}

// Sensors tell watts and degrees no finer than this.
bool isToldInTenths(std::string_view unit) {
    return unit == "W" || unit == "°C" || unit == "%";
}

std::string digitsOf(double shown, Digits digits, std::string_view unit) {
    switch (digits) {
    case Digits::Three:
        return trimmedNumber(shown, 3, 2);
    case Digits::Aligned:
        return alignedNumber(shown);
    case Digits::Four:
        break;
    }
    return trimmedNumber(shown, 4, isToldInTenths(unit) ? 1 : 3);
}

ShownUnit unitFor(std::string_view unit, double magnitude, Digits digits, std::string_view metric) {
    if (isShownAsPercent(metric, unit))
        return {"%", 100.0};
    if (unit == "1")
        return {"", 1.0};
    switch (digits) {
    case Digits::Three:
        // Kernels differ by nanoseconds; of other units so little is nothing.
        return takesPrefix(unit)
            ? prefixed(unit, magnitude, kNearlyOne, 1.0, unit == "s" ? 1e-9 : 1e-6)
            : ShownUnit{std::string(unit), 1.0};
    case Digits::Aligned:
        if (unit == "s" && magnitude > 0.0 && magnitude < kNearlyOneInFour)
            return prefixed(unit, magnitude, kNearlyOneInFour, 1.0, 1e-9);
        return takesPrefixInColumns(unit)
            ? prefixed(unit, magnitude, kNearlyOneInFour, kWattsOfColumns, 1.0)
            : ShownUnit{std::string(unit), 1.0};
    case Digits::Four:
        break;
    }
    return takesPrefix(unit) ? prefixed(unit, magnitude, kNearlyOneInFour, kWattsOfReadouts, 1e-9)
                             : ShownUnit{std::string(unit), 1.0};
}

// A percentage, which is nothing where so many decimals show nothing of it: not "-0.0".
double shownPercentage(double fraction, int decimals) {
    const double shown = 100.0 * fraction;
    return std::abs(shown) < 0.5 * std::pow(10.0, -decimals) ? 0.0 : shown;
}

// Minutes, hours or days; absent below two minutes, in these digits.
std::optional<std::string> longDuration(double seconds, Digits digits) {
    if (!std::isfinite(seconds))
        return std::nullopt;
    constexpr double kMost = 9e9; // seconds; nanoseconds count up to about here
    const double size = std::abs(seconds);
    // Rounded as a whole, or the rest of 179.97 s would be 60.0 s; each from the seconds, or
    // 1785.477 s would be 1785.5 s and so 29 min 46 s.
    const double counted = std::min(size, kMost);
    const std::int64_t tenths = std::llround(10.0 * counted);
    const std::int64_t whole = std::llround(counted);
    const bool isLong = digits == Digits::Three ? whole >= 120 : tenths >= 1'200;
    if (!isLong)
        return std::nullopt;
    const bool isAligned = digits == Digits::Aligned;
    std::string text = seconds >= 0.0 ? "" : isAligned ? "-" : "−";
    if (isAligned && tenths < 36'000)
        return text
            + fmt::format(
                "{} min {:.1f} s", tenths / 600, worded(static_cast<double>(tenths % 600) / 10.0));
    if (isAligned)
        return text
            + fmt::format("{} h {} min {} s", whole / 3'600, whole % 3'600 / 60, whole % 60);
    if (digits == Digits::Four && tenths < 6'000)
        return text
            + fmt::format(
                "{} min {} s", tenths / 600, number(static_cast<double>(tenths % 600) / 10.0));
    if (whole < 3'600)
        return text + fmt::format("{} min {} s", whole / 60, whole % 60);
    const std::int64_t minutes = std::llround(counted / 60.0);
    constexpr std::int64_t kTwoDays = 48LL * 60;
    if (minutes < kTwoDays)
        return text + fmt::format("{} h {} min", minutes / 60, minutes % 60);
    return text + number(size / 86'400.0, digits == Digits::Three ? 3 : 4) + " days";
}

// "<0.1 %" of a share that is not nothing, but less than so many decimals show; else empty.
std::string leastPercentage(double fraction, int decimals) {
    constexpr double kNothing = 1e-9; // as sums of fractions miss 0 by
    const bool isShown = !(fraction > kNothing) || shownPercentage(fraction, decimals) > 0.0;
    return isShown ? std::string() : fmt::format("<{} %", number(std::pow(10.0, -decimals)));
}

} // namespace

ShownUnit shownUnit(std::string_view unit, double magnitude, std::string_view metric) {
    if (isShownAsPercent(metric, unit))
        return {"%", 100.0};
    if (unit == "1")
        return {"", 1.0};
    if (!takesPrefix(unit) || !(magnitude > 0.0) || !std::isfinite(magnitude))
        return {std::string(unit), 1.0};
    return prefixed(unit, magnitude, kNearlyOne, kWattsOfReadouts, 1e-9);
}

ShownUnit shownCount(double magnitude) {
    constexpr double kFirst = 1e4;
    return magnitude < kFirst * kNearlyOne ? ShownUnit{}
                                           : prefixed("", magnitude, kNearlyOne, 1.0, 1.0);
}

std::string number(double value, int significant, int mostDecimals) {
    const double magnitude = std::abs(value);
    if (magnitude == 0.0)
        return "0";
    if (magnitude < 1e-4)
        return fmt::format("{:.{}e}", worded(value), significant - 1);
    return withoutZeros(fmt::format(
        "{:.{}f}", value, std::clamp(significant - digitsBefore(magnitude), 0, mostDecimals)));
}

std::string quantity(double value, std::string_view unit, Digits digits, std::string_view metric) {
    if (!std::isfinite(value))
        return kNoData;
    if (auto words = unit == "s" ? longDuration(value, digits) : std::nullopt)
        return *std::move(words);
    const ShownUnit shown = unitFor(unit, std::abs(value), digits, metric);
    // Plain numbers have no scale of their own: a loss of 2.676, a learning rate of 0.00015.
    if (unit == "1" && shown.unit.empty() && digits == Digits::Four)
        return number(value, 4);
    const std::string text = digitsOf(value * shown.scale, digits, shown.unit);
    return shown.unit.empty() ? text : fmt::format("{} {}", text, shown.unit);
}

std::string quantity(const std::optional<double>& value, std::string_view unit, Digits digits,
    std::string_view metric) {
    return value ? quantity(*value, unit, digits, metric) : kMissing;
}

std::string withInterval(
    double value, double low, double high, std::string_view unit, Digits digits) {
    if (unit == "s" && longDuration(value, digits))
        return fmt::format("{} ({} to {})", quantity(value, unit, digits),
            quantity(low, unit, digits), quantity(high, unit, digits));
    const double scale = unitFor(unit, std::abs(value), digits, {}).scale;
    const int bounds = digits == Digits::Three ? 3 : 4;
    return fmt::format("{} ({} to {})", quantity(value, unit, digits), number(low * scale, bounds),
        number(high * scale, bounds));
}

std::string rounded(double value, std::string_view unit) {
    return quantity(value, unit, Digits::Three);
}

std::string roundedPercent(double fraction) {
    return percent(fraction, Digits::Three);
}

std::string aligned(
    const std::optional<double>& value, std::string_view unit, std::string_view metric) {
    return quantity(value, unit, Digits::Aligned, metric);
}

std::string alignedPercent(const std::optional<double>& fraction) {
    return percent(fraction, Digits::Aligned);
}

std::string percent(double fraction, int decimals) {
    if (auto least = leastPercentage(fraction, decimals); !least.empty())
        return least;
    return fmt::format("{:.{}f} %", worded(shownPercentage(fraction, decimals)), decimals);
}

std::string percent(const std::optional<double>& fraction, int decimals) {
    return fraction ? percent(*fraction, decimals) : kMissing;
}

std::string signedPercent(double fraction, int decimals) {
    return fmt::format("{:+.{}f} %", worded(shownPercentage(fraction, decimals)), decimals);
}

std::string percent(double fraction, Digits digits) {
    constexpr int kOfThree = 2;
    const int decimals = digits == Digits::Three ? kOfThree : 1;
    if (auto least = leastPercentage(fraction, decimals);
        digits != Digits::Aligned && !least.empty())
        return least;
    return digitsOf(100.0 * fraction, digits, "%") + " %";
}

std::string percent(const std::optional<double>& fraction, Digits digits) {
    return fraction ? percent(*fraction, digits) : kMissing;
}

std::string counted(std::int64_t count, std::string_view noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string counted(std::int64_t count, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string numberList(const std::set<int>& numbers, std::size_t most) {
    std::vector<std::string> parts;
    std::size_t shown = 0;
    for (auto first = numbers.begin(); first != numbers.end() && parts.size() < most;) {
        auto last = first;
        ++shown;
        while (std::next(last) != numbers.end() && *std::next(last) == *last + 1) {
            ++last;
            ++shown;
        }
        parts.push_back(
            *first == *last ? fmt::format("{}", *first) : fmt::format("{}-{}", *first, *last));
        first = std::next(last);
    }
    std::string text = fmt::format("{}", fmt::join(parts, ", "));
    if (shown < numbers.size())
        text += fmt::format(" and {} more", numbers.size() - shown);
    return text;
}

std::string rankList(const std::vector<int>& ranks) {
    if (ranks.empty())
        return {};
    const int step = ranks.size() > 1 ? ranks[1] - ranks[0] : 1;
    bool isEven = step > 1;
    for (std::size_t i = 1; i < ranks.size(); ++i)
        isEven = isEven && ranks[i] - ranks[i - 1] == step;
    constexpr std::size_t kFew = 4;
    if (isEven && ranks.size() > kFew)
        return fmt::format("{}-{} step {}", ranks.front(), ranks.back(), step);
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < ranks.size();) {
        std::size_t end = i + 1;
        while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1)
            ++end;
        if (end - i >= 3) {
            parts.push_back(fmt::format("{}-{}", ranks[i], ranks[end - 1]));
        } else {
            for (std::size_t one = i; one < end; ++one)
                parts.push_back(fmt::format("{}", ranks[one]));
        }
        i = end;
    }
    return fmt::format("{}", fmt::join(parts, ", "));
}

} // namespace trainscope::text
