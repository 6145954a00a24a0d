#include "core/plot/operators/OperatorsText.h"

#include "core/analysis/operators/CallFrames.h"
#include "core/analysis/traces/KernelCategory.h"
#include "core/model/AsciiText.h"
#include "core/plot/Palette.h"
#include "core/plot/TextFit.h"
#include "core/plot/Theme.h"
#include "core/text/Times.h"

namespace trainscope::plot {

namespace {

using analysis::FrameKind;
using analysis::StepPass;

constexpr std::string_view kModulePrefix = "nn.Module: ";

std::string told(double value, std::string_view unit) {
    return text::quantity(value, unit, text::Digits::Three);
}

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

std::string frameTitle(FrameKind kind, std::string_view name) {
    if (kind == FrameKind::Root)
        return "All work";
    if (kind == FrameKind::Module && name.starts_with(kModulePrefix))
        name.remove_prefix(kModulePrefix.size());
    // Numbered ones are one frame, which ends where their numbers began.
    if (kind == FrameKind::Annotation && name.size() > 1 && name.ends_with('#'))
        name.remove_suffix(1);
    if (kind == FrameKind::Self)
        return frameTitle(FrameKind::Annotation, name) + " itself";
    return std::string(kind == FrameKind::Kernel ? shortKernelName(name) : name);
}

std::string comparedTitle(FrameKind kind, std::string_view name) {
    return kind == FrameKind::Root ? "Outside of operators" : frameTitle(kind, name);
}

std::string passTitle(StepPass pass) {
    return pass == StepPass::None ? "Other" : capitalised(toString(pass));
}

// Forward and backward passes look as in pipeline schedules.
Color passColor(StepPass pass) {
    switch (pass) {
    case StepPass::Forward:
        return seriesColor(1);
    case StepPass::Backward:
        return seriesColor(0);
    case StepPass::Recomputation:
        return seriesColor(3);
    case StepPass::Optimizer:
        return categoryColor("optimizer");
    case StepPass::None:
        break;
    }
    return categoryColor({});
}

std::string categoryTitle(std::string_view category) {
    return category.empty() ? "Copies and sets"
                            : std::string(analysis::KernelCategories::label(category));
}

std::vector<std::uint32_t> leadingWork(const analysis::CallTree& tree) {
    const auto& nodes = tree.nodes;
    std::vector<std::uint32_t> longest(nodes.size(), 0); // child
    std::vector<std::uint32_t> leading(nodes.size());
    for (auto at = static_cast<std::uint32_t>(nodes.size()); at-- > 0;) {
        leading[at] = longest[at] == 0 ? at : leading[longest[at]];
        const std::uint32_t caller = nodes[at].parent;
        if (caller == analysis::CallNode::kNone)
            continue;
        const std::uint32_t known = longest[caller];
        if (known == 0 || nodes[at].sums.time >= nodes[known].sums.time)
            longest[caller] = at;
    }
    return leading;
}

std::string roofText(const Roof& roof) {
    return roof.name + ' ' + text::quantity(roof.flopPerSecond, "FLOP/s", text::Digits::Three);
}

std::string memoryText(double bytesPerSecond) {
    return "memory " + text::quantity(bytesPerSecond, "B/s", text::Digits::Three);
}

std::string gapText(bool hasHost, bool hasShapes, bool hasPeaks, std::string_view gpuModel) {
    if (!hasHost)
        return "The trace has no calls on the host, so that all work hangs under the root: record "
               "CPU activities with the GPU's.";
    if (!hasShapes)
        return "The trace has no shapes, so that FLOP and bytes are not known: record with "
               "record_shapes=True.";
    if (hasPeaks)
        return {};
    return gpuModel.empty() ? "The kind of GPU is not known, so that there is no roofline."
                            : "The catalogue has no peaks of " + std::string(gpuModel)
            + ", so that there is no roofline.";
}

std::string bandwidthText(const analysis::MeasuredBandwidth& measured, double nominal) {
    return measured.name + " moves " + told(measured.bytesPerSecond, "B/s") + ", "
        + text::roundedPercent(measured.bytesPerSecond / nominal) + " of what the memory can";
}

std::string sharesText(const analysis::OperatorMfu& mfu) {
    std::string text = text::percent(*mfu.mfu, 1);
    if (mfu.recomputedFlop > 0.0)
        text += ", with recomputation " + text::percent(*mfu.hfu, 1);
    return text;
}

std::string mfuText(const analysis::OperatorMfu& mfu, const std::optional<double>& byFormula) {
    std::string text = "MFU by operators " + sharesText(mfu) + "; work is known of "
        + text::percent(mfu.knownShare, 0) + " of the kernels' time";
    if (byFormula)
        text += "; MFU by the model's formula " + text::percent(*byFormula, 1);
    return text;
}

OperatorFacts sourceFacts(std::string_view name) {
    std::string list;
    for (const std::string& source : analysis::fusedOperators(name))
        list += (list.empty() ? "" : ", ") + source;
    if (list.empty())
        return {};
    return {{"Fused from", std::move(list)}};
}

std::string_view timeTitle(bool isOfHost) {
    return isOfHost ? "host self time" : "kernel time";
}

OperatorFacts factsOf(const analysis::FrameSums& sums, bool isOfHost) {
    OperatorFacts facts;
    if (isOfHost) {
        facts.emplace_back("Host self time", text::duration(sums.time));
        if (sums.ownWorks > 0 && sums.ownWorks != sums.works)
            facts.emplace_back("Of it by itself", text::duration(sums.ownTime));
        if (sums.calls > 0)
            facts.emplace_back("Calls", text::number(static_cast<double>(sums.calls), 9));
        if (sums.hostTime.ns > 0)
            facts.emplace_back("From begin to end", text::duration(sums.hostTime));
        return facts;
    }
    facts = {{"Kernel time", text::duration(sums.time)}, {"Busy", text::duration(sums.busy)}};
    if (sums.ownWorks > 0 && sums.ownWorks != sums.works)
        facts.emplace_back("Of it by itself", text::duration(sums.ownTime));
    facts.emplace_back("Kernels and copies", text::number(static_cast<double>(sums.works), 9));
    if (sums.calls > 0)
        facts.emplace_back("Calls", text::number(static_cast<double>(sums.calls), 9));
    if (sums.hostTime.ns > 0)
        facts.emplace_back("On the host", text::duration(sums.hostTime));
    return facts;
}

OperatorFacts factsOf(const analysis::WorkEfficiency& efficiency) {
    OperatorFacts facts;
    const auto add
        = [&facts](const char* label, const std::optional<double>& value, std::string_view unit) {
              if (value)
                  facts.emplace_back(label, told(*value, unit));
          };
    add("Work", efficiency.flop, "FLOP");
    add("Bytes", efficiency.bytes, "B");
    add("Speed", efficiency.flopPerSecond, "FLOP/s");
    add("Memory", efficiency.bytesPerSecond, "B/s");
    add("Intensity", efficiency.intensity, "FLOP/B");
    if (efficiency.rooflineFraction) {
        facts.emplace_back("Of the roofline",
            text::roundedPercent(*efficiency.rooflineFraction)
                + (efficiency.isMemoryBound ? ", bound by memory" : ", bound by arithmetic"));
    }
    add("Could be saved", efficiency.savable, "s");
    const bool isPart = !facts.empty() && efficiency.knownShare < 0.995;
    if (isPart)
        facts.emplace_back("Known of the time", text::roundedPercent(efficiency.knownShare));
    for (auto& assumption : assumptionsOf(efficiency))
        facts.push_back(std::move(assumption));
    return facts;
}

OperatorFacts assumptionsOf(const analysis::WorkEfficiency& efficiency) {
    return efficiency.isTypeAssumed ? OperatorFacts{{"Type of lists", "32 bits, assumed"}}
                                    : OperatorFacts();
}

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
