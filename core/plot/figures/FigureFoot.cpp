#include "core/plot/figures/FigureFoot.h"

#include <utility>

namespace trainscope::plot {

double titleHeight(const Canvas& canvas) {
    return canvas.lineHeight(TextRole::Body) + 2.0 * canvas.gap();
}

void drawTitle(const Canvas& canvas, const std::string& title, Point corner, double width) {
    const double baseline = corner.y + canvas.size(TextRole::Body);
    canvas.heading({corner.x, baseline}, title, width, TextRole::Body);
}

void drawEmptyText(const Canvas& canvas, const std::string& text, Rect area) {
    constexpr int kMostLines = 4;
    double y = area.y + area.height / 2.0;
    for (const auto& line : canvas.wrapped(text, 0.8 * area.width, kMostLines, TextRole::Body)) {
        canvas.text({area.x + area.width / 2.0, y}, line, canvas.theme.textSecondary,
            TextRole::Body, Align::Centre);
        y += canvas.lineHeight(TextRole::Body);
    }
}

FigureFoot::FigureFoot(const Canvas& canvas, double width)
    : m_canvas(canvas)
    , m_width(width) { }

void FigureFoot::add(const std::string& text) {
    if (text.empty())
        return;
    m_texts.push_back(text);
    wrap(text, static_cast<int>(text.size()));
}

void FigureFoot::keepTo(int mostLines) {
    m_lines.clear();
    for (const std::string& text : m_texts)
        wrap(text, mostLines);
}

void FigureFoot::wrap(const std::string& text, int mostLines) {
    for (auto& line : m_canvas.wrapped(text, m_width, mostLines))
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
        : m_canvas.gap() + static_cast<double>(m_lines.size()) * m_canvas.lineHeight();
}

void FigureFoot::draw(double x, double top) const {
    double y = top + m_canvas.gap() + m_canvas.size();
    for (const auto& line : m_lines) {
        m_canvas.note({x, y}, line);
        y += m_canvas.lineHeight();
    }
}

} // namespace trainscope::plot
