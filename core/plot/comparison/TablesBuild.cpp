// Tables: the kernels with their time in a step, and what is configured differently.
#include "core/plot/TextFit.h"
#include "core/plot/comparison/ComparisonFrame.h"
#include "core/plot/comparison/ComparisonText.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainscope::plot {

namespace {

constexpr std::size_t kMostKernels = 12;
constexpr double kLeastName = 0.3; // of the width

// A first column of names and one for each run.
class RunTable {
public:
    RunTable(const ComparisonFrame& frame, Rect area, double column)
        : m_frame(frame)
        , m_area(area) {
        const auto runs = static_cast<double>(frame.data.runs.size());
        m_column = std::min(column, (1.0 - kLeastName) * area.width / runs);
    }
    [[nodiscard]] double row() const { return 1.55 * m_frame.draw.size(TextRole::Small); }
    [[nodiscard]] double nameWidth() const {
        return m_area.width
            - m_column * static_cast<double>(m_frame.data.runs.size() + (m_extra ? 1 : 0));
    }
    void addColumn() { m_extra = true; }

    void head(const std::string& extra) const {
        for (std::size_t run = 0; run < m_frame.data.runs.size(); ++run)
            cell(0, run, m_frame.mark(run), m_frame.inkOf(run), true);
        if (m_extra)
            cell(0, m_frame.data.runs.size(), extra, m_frame.theme().textSecondary, false);
        const double y = m_area.y + row();
        m_frame.draw.line(
            {m_area.x, y}, {m_area.right(), y}, m_frame.theme().line, m_frame.theme().lineWidth);
    }
    void cell(
        std::size_t line, std::size_t column, const std::string& text, Color ink, bool bold) const {
        const double right = m_area.x + nameWidth() + m_column * static_cast<double>(column + 1);
        m_frame.draw.text({right, baseline(line)},
            m_frame.fitted(text, m_column - m_frame.gap(), TextRole::Small, bold), ink,
            TextRole::Small, Align::Right, bold);
    }
    [[nodiscard]] double baseline(std::size_t line) const {
        return m_frame.draw.centred(
            m_area.y + row() * (static_cast<double>(line) + 0.5), TextRole::Small);
    }
    [[nodiscard]] Rect rect(std::size_t line) const {
        return {m_area.x, m_area.y + row() * static_cast<double>(line), m_area.width, row()};
    }

private:
    const ComparisonFrame& m_frame;
    Rect m_area;
    double m_column = 0.0;
    bool m_extra = false;
};

double tableHeight(const ComparisonFrame& frame, std::size_t rows) {
    return 1.55 * frame.draw.size(TextRole::Small) * static_cast<double>(rows + 1);
}

std::size_t kernelRows(const ComparisonFrame& frame) {
    return std::min(frame.data.kernels.size(), kMostKernels);
}

} // namespace

double kernelsHeight(const ComparisonFrame& frame, double) {
    return tableHeight(frame, kernelRows(frame));
}

void drawKernels(const ComparisonFrame& frame, Rect area) {
    const double size = frame.draw.size(TextRole::Small);
    RunTable table(frame, area, 6.5 * size);
    const bool isPair = frame.data.runs.size() == 2;
    if (isPair)
        table.addColumn();
    table.head(fmt::format("{} / {}", frame.mark(isPair ? 1 : 0), frame.mark(0)));
    for (std::size_t i = 0; i < kernelRows(frame); ++i) {
        const auto& kernel = frame.data.kernels[i];
        const double y = table.baseline(i + 1);
        frame.draw.fill(
            {area.x, y - 0.7 * size, 0.7 * size, 0.7 * size}, categoryFill(frame, kernel.category));
        frame.draw.text({area.x + 1.2 * size, y},
            frame.fitted(std::string(shortKernelName(kernel.name)), table.nameWidth() - 1.5 * size,
                TextRole::Small),
            frame.theme().text, TextRole::Small);
        for (std::size_t run = 0; run < frame.data.runs.size(); ++run)
            table.cell(i + 1, run,
                kernel.seconds[run] ? secondsText(*kernel.seconds[run]) : std::string("—"),
                frame.theme().text, false);
        const bool ratio
            = isPair && kernel.seconds[0] && kernel.seconds[1] && *kernel.seconds[0] > 0.0;
        if (ratio)
            table.cell(i + 1, 2, fmt::format("{:.2f} ×", *kernel.seconds[1] / *kernel.seconds[0]),
                frame.theme().textSecondary, false);
        frame.target(table.rect(i + 1), ComparisonPanel::Kernels, i, 0);
    }
}

double configurationHeight(const ComparisonFrame& frame, double) {
    return tableHeight(frame, frame.data.configuration.size());
}

void drawConfiguration(const ComparisonFrame& frame, Rect area) {
    double widest = 4.0 * frame.draw.size(TextRole::Small);
    for (const auto& fact : frame.data.configuration) {
        for (const auto& value : fact.values)
            widest = std::max(widest, frame.draw.width(value, TextRole::Small));
    }
    RunTable table(frame, area, widest + 3.0 * frame.gap());
    table.head({});
    for (std::size_t i = 0; i < frame.data.configuration.size(); ++i) {
        const auto& fact = frame.data.configuration[i];
        frame.draw.text({area.x, table.baseline(i + 1)},
            frame.fitted(fact.title, table.nameWidth() - frame.gap(), TextRole::Small),
            frame.theme().textSecondary, TextRole::Small);
        for (std::size_t run = 0; run < fact.values.size(); ++run)
            table.cell(i + 1, run, fact.values[run], frame.theme().text, false);
    }
}

} // namespace trainscope::plot
