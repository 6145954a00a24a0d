#include "core/plot/RunInk.h"

#include "core/plot/Palette.h"
#include "core/plot/SceneParts.h"

#include <cmath>
#include <numeric>
#include <span>

namespace trainscope::plot {

namespace {

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
