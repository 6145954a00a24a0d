#include "core/plot/Palette.h"

#include "core/model/Metric.h"
#include "core/plot/SceneParts.h"
#include "core/plot/Theme.h"

#include <cmath>
#include <numeric>
#include <span>

namespace trainscope::plot {
namespace {

struct NamedColor {
    std::string_view name;
    Color color;
};

constexpr std::array kSeries{rgb(0x56B4E9), rgb(0xE69F00), rgb(0x009E73), rgb(0xCC79A7),
    rgb(0x0072B2), rgb(0xD55E00), rgb(0xF0E442), rgb(0x999999)};

constexpr std::array<NamedColor, 18> kCategories{{
    {"gemm", rgb(0x4477AA)},
    {"attention", rgb(0x66CCEE)},
    {"all_reduce", rgb(0xEE6677)},
    {"reduce_scatter", rgb(0xEE6677)},
    {"all_gather", rgb(0xEE9955)},
    {"all_to_all", rgb(0xAA8833)},
    {"broadcast", rgb(0xDDBB99)},
    {"communication", rgb(0xBB7777)},
    {"send_recv", rgb(0xCCBB44)},
    {"normalisation", rgb(0x8899CC)},
    {"elementwise", rgb(0x9AA0AA)},
    {"optimizer", rgb(0xAA3377)},
    // CharLLM-PPT's classes.
    {"compute", rgb(0x4477AA)},
    {"memory_elementwise", rgb(0x9AA0AA)},
    {"layer_norm", rgb(0x8899CC)},
    {"other", rgb(0xB9BEC6)},
    {"copy", rgb(0x44AA99)},
    {"idle", rgb(0xE3E7EC)},
}};

// Matplotlib's perceptually uniform maps (CC0), sampled at equal steps; between them linear in
// sRGB.
constexpr std::array kInferno{rgb(0x000004), rgb(0x1B0C41), rgb(0x4A0C6B), rgb(0x781C6D),
    rgb(0xA52C60), rgb(0xCF4446), rgb(0xED6925), rgb(0xFB9B06), rgb(0xF7D13D), rgb(0xFCFFA4)};
constexpr std::array kViridis{rgb(0x440154), rgb(0x482878), rgb(0x3E4989), rgb(0x31688E),
    rgb(0x26828E), rgb(0x1F9E89), rgb(0x35B779), rgb(0x6ECE58), rgb(0xB5DE2B), rgb(0xFDE725)};

Color sample(std::span<const Color> stops, double fraction) {
    // Also catches NaN.
    const double clamped = fraction > 0.0 ? std::min(fraction, 1.0) : 0.0;
    const double position = clamped * static_cast<double>(stops.size() - 1);
    const auto index = std::min(static_cast<std::size_t>(position), stops.size() - 2);
    return blend(stops[index], stops[index + 1], position - static_cast<double>(index));
}

double linear(std::uint8_t channel) {
    const double value = channel / 255.0;
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

double luminance(Color color) {
    return 0.2126 * linear(color.r) + 0.7152 * linear(color.g) + 0.0722 * linear(color.b);
}

// FNV-1a: the same colour for the same name on every machine.
std::size_t stableHash(std::string_view text) {
    std::uint32_t hash = 2166136261U;
    for (const char c : text)
        hash = (hash ^ static_cast<std::uint8_t>(c)) * 16777619U;
    return hash;
}

// Contrasts with the paper, neighbours far apart.
constexpr std::array kContrasts{10.0, 3.0, 6.0, 4.2};

// Drawn and left out in turns, in widths of the line.
constexpr std::array kDashes{9.0, 5.0};
constexpr std::array kDots{2.0, 3.0};
constexpr std::array kDashDots{9.0, 3.0, 2.0, 3.0};
constexpr std::array kPatterns{std::span<const double>(), std::span<const double>(kDashes),
    std::span<const double>(kDots), std::span<const double>(kDashDots)};

// Legible colours only: lighter by mixing with the background, darker as legibleOn.
Color atContrast(Color color, Color background, double ratio) {
    for (int percent = 0; percent < 100 && contrast(color, background) > ratio; percent += 4) {
        const Color lighter = blend(color, background, 0.04);
        if (contrast(lighter, background) < ratio)
            break;
        color = lighter;
    }
    return legibleOn(color, background, ratio);
}

} // namespace

double contrast(Color a, Color b) {
    const double first = luminance(a) + 0.05;
    const double second = luminance(b) + 0.05;
    return std::max(first, second) / std::min(first, second);
}

Color blend(Color under, Color over, double fraction) {
    const auto mix = [fraction](std::uint8_t from, std::uint8_t to) {
        return static_cast<std::uint8_t>(std::lround(from + (to - from) * fraction));
    };
    return {mix(under.r, over.r), mix(under.g, over.g), mix(under.b, over.b), 255};
}

Color legibleOn(Color color, Color background, double ratio) {
    const Color towards = luminance(background) > 0.18 ? rgb(0x000000) : rgb(0xFFFFFF);
    for (int percent = 0; percent < 100; percent += 4) {
        const Color candidate = blend(color, towards, percent / 100.0);
        if (contrast(candidate, background) >= ratio)
            return candidate;
    }
    return towards;
}

Color spanKindColor(SpanKind kind) {
    switch (kind) {
    case SpanKind::Kernel:
        return categoryColor("other");
    case SpanKind::Copy:
    case SpanKind::Set:
        return categoryColor("copy");
    case SpanKind::Runtime:
        return rgb(0xC7A26B);
    case SpanKind::CpuOp:
        return rgb(0x7FA3C7);
    case SpanKind::Annotation:
    case SpanKind::GpuAnnotation:
        return rgb(0x8FBF9F);
    case SpanKind::Python:
        return rgb(0xB5A8D0);
    case SpanKind::Overhead:
    case SpanKind::Sync:
        return rgb(0xC98C8C);
    case SpanKind::Other:
        break;
    }
    return rgb(0xA9AFB8);
}

bool isShownAsHeat(std::string_view metric) {
    return metric.find("temperature") != std::string_view::npos
        || metric.find("power") != std::string_view::npos;
}

Color seriesColor(std::size_t index) {
    return kSeries[index % kSeries.size()];
}

Color metricColor(std::string_view metric) {
    // A formula keeps its colour under another name.
    if (const std::size_t sign = metric.find('='); sign != std::string_view::npos)
        metric.remove_prefix(metric.find_first_not_of("= ", sign) == std::string_view::npos
                ? sign
                : metric.find_first_not_of("= ", sign));
    const std::string_view suffix = "_rate";
    if (metric.ends_with(suffix))
        metric.remove_suffix(suffix.size());
    if (const KnownMetric* known = findMetric(metric); known != nullptr && known->color)
        return rgb(*known->color);
    return kSeries[stableHash(metric) % kSeries.size()];
}

Color categoryColor(std::string_view category) {
    for (const auto& known : kCategories) {
        if (known.name == category)
            return known.color;
    }
    return rgb(0xB9BEC6);
}

Color inferno(double fraction) {
    return sample(kInferno, fraction);
}

Color viridis(double fraction) {
    return sample(kViridis, fraction);
}

Color readableOn(Color background) {
    const Color black = rgb(0x0B0D10);
    const Color white = rgb(0xFFFFFF);
    const Color better = contrast(black, background) >= contrast(white, background) ? black : white;
    // Between the two lie colours that only the deepest black stands out from.
    constexpr double kReadable = 4.5;
    return contrast(better, background) >= kReadable ? better : rgb(0x000000);
}

bool isPrinted(const Theme& theme) {
    return &theme == &paperTheme();
}

Color runInk(Color base, std::size_t place, const Theme& theme, Color background) {
    if (!isPrinted(theme))
        return legibleOn(base, background);
    return atContrast(base, background, kContrasts[place % kContrasts.size()]);
}

bool isInked(std::size_t place, double along) {
    const auto pattern = kPatterns[place % kPatterns.size()];
    if (pattern.empty())
        return true;
    double left = std::fmod(along, std::accumulate(pattern.begin(), pattern.end(), 0.0));
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        if (left < pattern[i])
            return i % 2 == 0;
        left -= pattern[i];
    }
    return true;
}

void drawInkSample(
    const Canvas& canvas, std::size_t place, Point left, double length, double width, Color ink) {
    if (!isPrinted(canvas.theme))
        return canvas.line(left, {left.x + length, left.y}, ink, width);
    const double step = canvas.theme.lineWidth;
    forEachStretch(
        static_cast<std::size_t>(length / step),
        [place](std::size_t i) { return isInked(place, static_cast<double>(i)); },
        [&](std::size_t first, std::size_t end) {
            const double from = left.x + step * static_cast<double>(first);
            const double to = left.x + step * static_cast<double>(end);
            canvas.line({from, left.y}, {to, left.y}, ink, width);
        });
}

double inkSampleLength(const Theme& theme) {
    constexpr double kWidths = 42.0; // three dashes
    return kWidths * theme.lineWidth;
}

} // namespace trainscope::plot
