// Two runs beside each other: what differs most, as bars from the middle, to the left what the
// second run does faster, to the right what it does slower.
#include "core/plot/Palette.h"
#include "core/plot/Sheet.h"
#include "core/plot/operators/OperatorsText.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace trainscope::plot {

namespace {

using analysis::Change;
using analysis::ComparedOperator;
using analysis::ComparedSide;

constexpr double kComparedNames = 0.34; // share of the width, at most

std::string secondsText(const std::optional<ComparedSide>& side) {
    return side ? text::quantity(side->seconds, "s", text::Digits::Three) : text::kMissing;
}

std::string changeText(const ComparedOperator& one) {
    switch (one.times.change()) {
    case Change::New:
        return "new";
    case Change::Gone:
        return "gone";
    default:
        break;
    }
    const auto ratio = one.times.ratio();
    return ratio ? fmt::format("× {}", text::number(*ratio)) : text::kMissing;
}

void tellDifference(const ComparedOperator& one, Hit& hit) {
    hit.title = comparedTitle(one.kind, one.name);
    if (!one.path.empty())
        hit.facts.emplace_back("Called by", one.path);
    if (one.pass != analysis::StepPass::None)
        hit.facts.emplace_back("Pass", passTitle(one.pass));
    hit.facts.emplace_back("A", secondsText(one.times.a));
    hit.facts.emplace_back("B", secondsText(one.times.b));
    hit.facts.emplace_back(
        "B − A", text::quantity(one.times.difference(), "s", text::Digits::Three));
    hit.facts.emplace_back("B / A", changeText(one));
}

class DifferenceBuilder {
public:
    DifferenceBuilder(const DifferenceFigureData& data, const FigureStyle& style)
        : m_data(data)
        , m_sheet(m_picture, style)
        , m_count(std::min(data.operators.size(), data.most)) { }

    Picture build() {
        if (m_data.isEmpty()) {
            m_sheet.drawEmpty(m_data.head);
            return std::move(m_picture);
        }
        m_sheet.setLegend({{"faster in B", faster()}, {"slower in B", slower()}});
        const Rect area
            = m_sheet.open(m_data.head, headHeight() + static_cast<double>(m_count) * wantedRow());
        m_sheet.close();
        layOut(area);
        m_picture.areas.push_back(m_area);
        drawHead(area);
        for (std::size_t i = 0; i < m_count; ++i)
            drawRow(i, area);
        const double middle = m_area.x + m_area.width / 2.0;
        m_sheet.line({middle, m_area.y}, {middle, m_area.y + static_cast<double>(m_count) * m_row},
            m_sheet.theme.textSecondary);
        return std::move(m_picture);
    }

private:
    static Color faster() { return seriesColor(0); }
    static Color slower() { return seriesColor(1); }
    [[nodiscard]] double wantedRow() const { return 2.0 * m_sheet.size(); }
    [[nodiscard]] double headHeight() const {
        return 3.0 * m_sheet.lineHeight() + 2.0 * m_sheet.gap();
    }
    [[nodiscard]] double between() const { return 3.0 * m_sheet.gap(); }

    void layOut(const Rect& area) {
        m_a = m_sheet.width("A");
        m_b = m_sheet.width("B");
        m_ratio = m_sheet.width("B / A");
        for (std::size_t i = 0; i < m_count; ++i) {
            const ComparedOperator& one = m_data.operators[i];
            m_names = std::max(m_names, m_sheet.width(comparedTitle(one.kind, one.name)));
            m_a = std::max(m_a, m_sheet.width(secondsText(one.times.a)));
            m_b = std::max(m_b, m_sheet.width(secondsText(one.times.b)));
            m_ratio = std::max(m_ratio, m_sheet.width(changeText(one)));
            m_most = std::max(m_most, std::abs(one.times.difference()));
        }
        m_names = std::min(m_names, kComparedNames * area.width);
        const double left = area.x + m_names + m_a + m_b + 3.0 * between();
        const double right = area.right() - m_ratio - between();
        const double top = area.y + headHeight();
        m_area = {left, top, std::max(right - left, 1.0), std::max(area.bottom() - top, 1.0)};
        m_row = std::min(wantedRow(), m_area.height / static_cast<double>(m_count));
    }

    [[nodiscard]] double rightOfA(const Rect& area) const {
        return area.x + m_names + between() + m_a;
    }
    [[nodiscard]] double rightOfB(const Rect& area) const {
        return rightOfA(area) + between() + m_b;
    }

    void drawHead(const Rect& area) const {
        const double line = m_sheet.lineHeight();
        double baseline = area.y + m_sheet.size();
        m_sheet.text({area.x, baseline}, m_sheet.fitted("A: " + m_data.nameA, area.width),
            m_sheet.theme.text);
        m_sheet.text({area.x, baseline + line}, m_sheet.fitted("B: " + m_data.nameB, area.width),
            m_sheet.theme.text);
        baseline += 2.0 * line + m_sheet.gap();
        m_sheet.note({area.x, baseline}, "operator");
        m_sheet.note({rightOfA(area), baseline}, "A", Align::Right);
        m_sheet.note({rightOfB(area), baseline}, "B", Align::Right);
        m_sheet.note({m_area.x + m_area.width / 2.0, baseline}, "B − A", Align::Centre);
        m_sheet.note({area.right(), baseline}, "B / A", Align::Right);
    }

    void drawRow(std::size_t index, const Rect& area) const {
        const ComparedOperator& one = m_data.operators[index];
        const Rect row{area.x, m_area.y + static_cast<double>(index) * m_row, area.width, m_row};
        Shown shown;
        shown.choice = index;
        m_sheet.target(row, shown, [&one](Hit& hit) { tellDifference(one, hit); });
        drawBar(one, row);
        if (m_row < m_sheet.size())
            return;
        const double baseline = m_sheet.centred(row);
        const auto cell = [&](double right, std::string words) {
            m_sheet.text({right, baseline}, std::move(words), m_sheet.theme.text, TextRole::Small,
                Align::Right);
        };
        m_sheet.text({area.x, baseline}, m_sheet.fitted(comparedTitle(one.kind, one.name), m_names),
            m_sheet.theme.text);
        cell(rightOfA(area), secondsText(one.times.a));
        cell(rightOfB(area), secondsText(one.times.b));
        cell(area.right(), changeText(one));
    }

    // Hatched where one of the runs does not have it.
    void drawBar(const ComparedOperator& one, const Rect& row) const {
        const double difference = one.times.difference();
        const double half = m_area.width / 2.0;
        const double wide = m_most > 0.0 ? half * std::abs(difference) / m_most : 0.0;
        const double middle = m_area.x + half;
        const double inset = 0.18 * m_row;
        const Rect bar{
            difference < 0.0 ? middle - wide : middle, row.y + inset, wide, m_row - 2.0 * inset};
        m_sheet.fill(bar, difference < 0.0 ? faster() : slower());
        if (!one.times.a || !one.times.b)
            m_sheet.hatch(bar, m_sheet.theme.window);
    }

    const DifferenceFigureData& m_data;
    Picture m_picture;
    Sheet m_sheet;
    Rect m_area; // area of the bars
    std::size_t m_count;
    double m_names = 0.0;
    double m_a = 0.0; // widths
    double m_b = 0.0;
    double m_ratio = 0.0;
    double m_most = 0.0; // s
    double m_row = 0.0; // height
};

} // namespace

Picture buildDifference(const DifferenceFigureData& data, const FigureStyle& style) {
    return DifferenceBuilder(data, style).build();
}

} // namespace trainscope::plot
