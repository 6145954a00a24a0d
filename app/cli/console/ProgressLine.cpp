#include "app/cli/console/ProgressLine.h"

#include "core/model/HarmlessText.h"
#include "core/text/Table.h"

#include <cmath>

namespace trainscope::cli {

namespace {

constexpr std::int64_t kRedraw = 100; // ms, on a terminal
constexpr std::int64_t kLine = 10'000; // ms, elsewhere
constexpr std::size_t kPhaseWidth = 32;
constexpr std::size_t kBarWidth = 20;

std::int64_t steadyMilliseconds() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

std::string barText(double fraction) {
    const auto filled
        = static_cast<std::size_t>(std::clamp(fraction, 0.0, 1.0) * static_cast<double>(kBarWidth));
    return "[" + std::string(filled, '#') + std::string(kBarWidth - filled, '.') + "]";
}

// Below 0: not known.
double shareOf(std::uint64_t done, std::uint64_t total) {
    return total == 0 ? -1.0 : static_cast<double>(done) / static_cast<double>(total);
}

} // namespace

std::string progressText(std::string_view phase, const ProgressFigures& figures, bool bar) {
    std::string text = text::elided(harmlessLine(phase), kPhaseWidth);
    if (figures.fraction >= 0.0 && bar)
        text += "  " + barText(figures.fraction);
    if (figures.bytesDone)
        text += "  " + text::aligned(static_cast<double>(*figures.bytesDone), "B");
    else if (figures.fraction >= 0.0)
        text += "  " + text::percent(figures.fraction, 0);
    if (figures.bytesTotal > 0)
        text += " of " + text::aligned(static_cast<double>(figures.bytesTotal), "B");
    if (figures.rate)
        text += "  " + text::aligned(*figures.rate, "B") + "/s";
    if (figures.secondsLeft && *figures.secondsLeft > 0.0)
        text += "  " + text::seconds(std::ceil(*figures.secondsLeft)) + " left";
    return text;
}

ProgressLine::ProgressLine(const Console& console)
    : ProgressLine(console, steadyMilliseconds) { }

ProgressLine::ProgressLine(const Console& console, Clock clock)
    : m_console(console)
    , m_clock(std::move(clock))
    , m_shown(m_clock()) { }

ProgressLine::~ProgressLine() {
    m_console.clearLine();
}

void ProgressLine::update(std::string_view phase, std::uint64_t bytesDone, std::uint64_t bytesTotal,
    std::optional<double> fraction) {
    const bool isNothing = bytesDone == 0 && bytesTotal == 0;
    show(phase, isNothing ? std::nullopt : std::optional(bytesDone), bytesTotal,
        fraction.value_or(shareOf(bytesDone, bytesTotal)));
}

void ProgressLine::updateCount(std::string_view phase, std::uint64_t done, std::uint64_t total) {
    show(phase, std::nullopt, 0, shareOf(done, total));
}

void ProgressLine::show(std::string_view phase, std::optional<std::uint64_t> bytesDone,
    std::uint64_t bytesTotal, double fraction) {
    const std::int64_t now = m_clock();
    if (now - m_metered < kRedraw)
        return;
    m_metered = now;
    m_meter.add(now, bytesDone.value_or(0), fraction);
    const ProgressFigures figures{
        bytesDone, bytesTotal, fraction, m_meter.rate(), m_meter.secondsLeft()};
    if (m_console.errIsTerminal()) {
        m_console.showLine(progressText(phase, figures, true));
    } else if (now - m_shown >= kLine) {
        m_shown = now;
        m_console.err() << progressText(phase, figures, false) << '\n' << std::flush;
    }
}

} // namespace trainscope::cli
