#include "core/plot/operators/OperatorColours.h"

#include "core/plot/Palette.h"
#include "core/plot/operators/OperatorsText.h"

#include <algorithm>

namespace trainscope::plot {

namespace {

void tellOperator(const MeasuredOperator& shown, Hit& hit) {
    hit.title = shown.name;
    if (const std::string shapes = analysis::shapeText(shown.signature); !shapes.empty())
        hit.facts.emplace_back("Inputs", shapes);
    analysis::FrameSums sums;
    sums.time = sums.ownTime = shown.time;
    sums.busy = sums.ownBusy = shown.busy;
    sums.works = sums.ownWorks = shown.works;
    sums.calls = shown.sums.calls;
    for (auto& fact : factsOf(sums, shown.isOfHost))
        hit.facts.push_back(std::move(fact));
    for (auto& fact : factsOf(shown.efficiency))
        hit.facts.push_back(std::move(fact));
}

} // namespace

OperatorColours::OperatorColours(const std::vector<MeasuredOperator>& operators)
    : m_byPass(std::ranges::any_of(operators,
        [](const MeasuredOperator& one) { return one.pass != analysis::StepPass::None; })) { }

Color OperatorColours::of(const MeasuredOperator& one) const {
    return m_byPass ? passColor(one.pass) : categoryColor(one.category);
}

void OperatorColours::draw(const MeasuredOperator& one) {
    m_passes[static_cast<std::size_t>(one.pass)] = true;
    m_categories.insert(one.category);
}

Sheet::Legend OperatorColours::legend() const {
    Sheet::Legend entries;
    for (std::size_t i = 0; i < m_passes.size() && m_byPass; ++i) {
        const auto pass
            = static_cast<analysis::StepPass>((i + 1) % m_passes.size()); // "Other" last
        if (m_passes[static_cast<std::size_t>(pass)])
            entries.emplace_back(passTitle(pass), passColor(pass));
    }
    for (const std::string& category : m_categories) {
        if (!m_byPass && !category.empty())
            entries.emplace_back(categoryTitle(category), categoryColor(category));
    }
    return entries;
}

void addOperator(const Sheet& sheet, Rect rect, const std::vector<MeasuredOperator>& operators,
    std::size_t index) {
    Shown shown;
    shown.choice = index;
    sheet.target(rect, shown, [&one = operators[index]](Hit& hit) { tellOperator(one, hit); });
}

} // namespace trainscope::plot
