#include "app/cli/console/ProgressLine.h"

#include "core/model/HarmlessText.h"
#include "core/text/Table.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ostream>
#include <utility>

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

} // namespace

std::string progressText(std::string_view phase, const ProgressFigures& figures, bool bar) {
    const std::string done = text::aligned(static_cast<double>(figures.bytesDone), "B");
    std::string text = text::elided(harmlessLine(phase), kPhaseWidth);
    if (figures.bytesTotal > 0 && bar)
        text += "  " + barText(figures.fraction);
    text += "  " + done;
    if (figures.bytesTotal > 0)
        text += " of " + text::aligned(static_cast<double>(figures.bytesTotal), "B");
    if (figures.rate)
        text += "  " + text::aligned(*figures.rate, "B") + "/s";
    if (figures.secondsLeft && *figures.secondsLeft > 0.0)
        text += "  " + std::to_string(std::lround(std::ceil(*figures.secondsLeft))) + " s left";
    return text;
}

ProgressLine::ProgressLine(const Console& console)
    : ProgressLine(console, steadyMilliseconds) { }

ProgressLine::ProgressLine(const Console& console, Clock clock)
    : m_console(console)
    , m_clock(std::move(clock))
    , m_shown(m_clock()) { }

ProgressLine::~ProgressLine() {
    clear();
}

void ProgressLine::update(std::string_view phase, std::uint64_t bytesDone, std::uint64_t bytesTotal,
    std::optional<double> fraction) {
    const std::int64_t now = m_clock();
    if (now - m_metered < kRedraw)
        return;
    m_metered = now;
    const double share
        = bytesTotal == 0 ? -1.0 : static_cast<double>(bytesDone) / static_cast<double>(bytesTotal);
    m_meter.add(now, bytesDone, fraction.value_or(share));
    const ProgressFigures figures{
        bytesDone, bytesTotal, fraction.value_or(share), m_meter.rate(), m_meter.secondsLeft()};
    if (m_console.errIsTerminal()) {
        m_visible = true;
        m_console.err() << "\r\033[K" << progressText(phase, figures, true) << std::flush;
    } else if (now - m_shown >= kLine) {
        m_shown = now;
        m_console.err() << progressText(phase, figures, false) << '\n' << std::flush;
    }
}

void ProgressLine::clear() {
    if (m_visible)
        m_console.err() << "\r\033[K" << std::flush;
    m_visible = false;
}

} // namespace trainscope::cli
