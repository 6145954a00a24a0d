#include "app/cli/ProgressLine.h"

#include "app/cli/Quantity.h"
#include "app/cli/TextTable.h"

#include <algorithm>
#include <cmath>
#include <ostream>

namespace trainscope::cli {

namespace {

constexpr auto kRedraw = std::chrono::milliseconds(100);
constexpr std::size_t kPhaseWidth = 32;
constexpr std::size_t kBarWidth = 20;

std::string bar(double fraction) {
    const auto filled
        = static_cast<std::size_t>(std::clamp(fraction, 0.0, 1.0) * static_cast<double>(kBarWidth));
    return "[" + std::string(filled, '#') + std::string(kBarWidth - filled, '.') + "]";
}

} // namespace

std::string progressText(std::string_view phase, std::uint64_t bytesDone, std::uint64_t bytesTotal,
    double elapsedSeconds) {
    const double done = static_cast<double>(bytesDone);
    const double total = static_cast<double>(bytesTotal);
    std::string text = elided(phase, kPhaseWidth);
    if (bytesTotal > 0)
        text += "  " + bar(done / total) + "  " + bytesText(done) + " of " + bytesText(total);
    else
        text += "  " + bytesText(done);
    if (elapsedSeconds < 0.5 || bytesDone == 0)
        return text;
    const double rate = done / elapsedSeconds;
    text += "  " + bytesText(rate) + "/s";
    if (bytesTotal > bytesDone)
        text += "  " + std::to_string(std::lround(std::ceil((total - done) / rate))) + " s left";
    return text;
}

ProgressLine::ProgressLine(const Console& console)
    : m_console(console) { }

ProgressLine::~ProgressLine() {
    clear();
}

void ProgressLine::update(
    std::string_view phase, std::uint64_t bytesDone, std::uint64_t bytesTotal) {
    const auto now = Clock::now();
    if (!m_console.errIsTerminal() || (m_visible && now - m_drawn < kRedraw))
        return;
    m_drawn = now;
    m_visible = true;
    const double elapsed = std::chrono::duration<double>(now - m_start).count();
    m_console.err() << "\r\033[K" << progressText(phase, bytesDone, bytesTotal, elapsed)
                    << std::flush;
}

void ProgressLine::clear() {
    if (m_visible)
        m_console.err() << "\r\033[K" << std::flush;
    m_visible = false;
}

} // namespace trainscope::cli
