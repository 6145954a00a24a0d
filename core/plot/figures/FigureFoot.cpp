#include "core/plot/figures/FigureFoot.h"

#include "core/plot/TextFit.h"

#include <utility>

namespace trainscope::plot {

FigureFoot::FigureFoot(const FigureFrame& frame, double width, int mostLines)
    : m_frame(frame)
    , m_width(width)
    , m_mostLines(mostLines) { }

void FigureFoot::add(const std::string& text) {
    if (text.empty())
        return;
    for (auto& line : wrapped(text, m_width, m_mostLines, m_frame.style.measure, TextRole::Small))
        m_lines.push_back(std::move(line));
}

void FigureFoot::add(const std::string& caption, const std::vector<std::string>& notes) {
    add(caption);
    for (const auto& note : notes)
        add(note);
}

double FigureFoot::height() const {
    return m_lines.empty()
        ? 0.0
        : m_frame.gap() + static_cast<double>(m_lines.size()) * m_frame.lineHeight(TextRole::Small);
}

void FigureFoot::draw(double x, double top) const {
    double y = top + m_frame.gap() + m_frame.size(TextRole::Small);
    for (const auto& line : m_lines) {
        m_frame.text({x, y}, line, m_frame.theme.textSecondary, TextRole::Small);
        y += m_frame.lineHeight(TextRole::Small);
    }
}

} // namespace trainscope::plot
