#include "importers/xplane/DeviceEvents.h"

#include "core/analysis/traces/KernelCategory.h"
#include "core/model/AsciiText.h"
#include "core/model/WholeNumber.h"
#include "core/work/StatedWork.h"

#include <algorithm>
#include <array>
#include <utility>

namespace trainscope::importers::xplane {

namespace {

constexpr std::string_view kOperators = "XLA Ops";
constexpr std::string_view kAsyncOperators = "Async XLA Ops";

bool isStream(const Line& line) {
    return line.name.starts_with("Stream");
}

bool has(const Plane& plane, bool (*is)(const Line&)) {
    return std::any_of(plane.lines.begin(), plane.lines.end(),
        [is](const Line& line) { return line.events > 0 && is(line); });
}

// "%fusion.3 = bf16[8] fusion(…)" → "fusion.3".
std::string_view operatorName(std::string_view text) {
    if (!text.starts_with('%'))
        return text;
    text.remove_prefix(1);
    return text.substr(0, text.find(" = "));
}

bool holdsOthers(std::string_view category) {
    return category == "while" || category == "conditional" || category == "call";
}

// The value of "grid" in "regs:32 grid:2,1,1 block:64,1,1".
std::string_view valueOf(std::string_view details, std::string_view key) {
    for (const std::string_view word : words(details, " ;\n")) {
        const std::size_t colon = word.find(':');
        if (colon != std::string_view::npos && word.substr(0, colon) == key)
            return word.substr(colon + 1);
    }
    return {};
}

void describeKernel(std::string_view details, DetailText& detail) {
    for (const std::string_view key : {"grid", "block"}) {
        std::array<std::int64_t, 3> sizes{};
        std::size_t count = 0;
        for (const std::string_view part : words(valueOf(details, key), ",")) {
            if (count < sizes.size())
                sizes[count++] = wholeNumber<std::int64_t>(part).value_or(0);
        }
        if (count == sizes.size())
            detail.add(key, sizes);
    }
    if (const auto registers = wholeNumber<std::int64_t>(valueOf(details, "regs")))
        detail.add("registers per thread", *registers);
    const auto fixed = wholeNumber<std::int64_t>(valueOf(details, "static_shared"));
    const auto dynamic = wholeNumber<std::int64_t>(valueOf(details, "dynamic_shared"));
    if (fixed || dynamic)
        detail.add("shared memory", clampedSum(fixed.value_or(0), dynamic.value_or(0)));
}

void describeOperator(const Stats& stats, bool statesWork, DetailText& detail) {
    if (statesWork || !stats.hloCategory.empty())
        detail.add(work::kHloCategory, stats.hloCategory);
    if (stats.flops)
        detail.add(work::kStatedFlop, *stats.flops);
    if (stats.bytesAccessed)
        detail.add(work::kStatedBytes, *stats.bytesAccessed);
    constexpr std::size_t kMostText = 1024;
    const auto add = [&](std::string_view key, std::string_view text) {
        if (!text.empty())
            detail.add(key, text.substr(0, kMostText));
    };
    add(work::kStatedShape, stats.shape);
    add("hlo op", stats.hloOp);
    add("hlo module", stats.hloModule);
    add("framework op", stats.frameworkOp);
}

} // namespace

bool isAsync(const Line& line) {
    return line.name == kAsyncOperators;
}

bool isOfOperators(const Line& line) {
    return line.name == kOperators || isAsync(line);
}

LineUse useOf(const Plane& plane, const Line& line) {
    constexpr std::array<std::string_view, 6> kDerived{"XLA Modules", "XLA TraceMe",
        "Framework Name Scope", "Framework Ops", "TensorFlow Name Scope", "TensorFlow Ops"};
    constexpr std::array<std::string_view, 3> kUnused{"Source code", "Source", "Launch Stats"};
    if (line.name == "Steps")
        return LineUse::Steps;
    if (std::find(kUnused.begin(), kUnused.end(), line.name) != kUnused.end())
        return LineUse::None;
    if (std::find(kDerived.begin(), kDerived.end(), line.name) != kDerived.end())
        return LineUse::Annotations;
    if (isStream(line))
        return LineUse::Work;
    const bool hasStreams = has(plane, isStream);
    if (isOfOperators(line))
        return hasStreams ? LineUse::Annotations : LineUse::Work;
    return hasStreams || has(plane, isOfOperators) ? LineUse::Annotations : LineUse::Work;
}

std::string copyNameOf(std::string_view name) {
    if (!containsIgnoringCase(name, "memcpy"))
        return {};
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kDirections{
        {{"H2D", "HtoD"}, {"D2H", "DtoH"}, {"D2D", "DtoD"}, {"P2P", "PtoP"}, {"H2H", "HtoH"}}};
    for (const auto& [written, told] : kDirections) {
        if (name.find(written) != std::string_view::npos)
            return "Memcpy " + std::string(told);
    }
    return std::string(name);
}

DeviceEvent deviceEventOf(
    const Line& line, const EventKind* kind, const Stats& stats, DetailText& detail) {
    DeviceEvent event;
    if (kind != nullptr)
        event.name = kind->shortName.empty() ? operatorName(kind->name)
                                             : std::string_view(kind->shortName);
    if (event.name.empty())
        event.name = "?";
    event.holdsOthers = holdsOthers(stats.hloCategory);
    const auto bytes = wholeNumber<std::int64_t>(valueOf(stats.copyDetails, "size"));
    if (!isOfOperators(line)) {
        if (std::string copy = copyNameOf(event.name); !copy.empty()) {
            event.kind = SpanKind::Copy;
            event.name = std::move(copy);
        } else if (containsIgnoringCase(event.name, "memset")) {
            event.kind = SpanKind::Set;
        }
    } else if (isAsync(line)
        && (event.name.starts_with("copy") || event.name.starts_with("slice")
            || event.name.starts_with("dynamic-slice") || event.name.starts_with("async-copy"))) {
        event.kind = SpanKind::Copy;
    }
    const auto moved = bytes ? bytes : stats.bytesAccessed;
    if (event.kind != SpanKind::Kernel) {
        if (moved)
            detail.add("bytes", *moved);
        return event;
    }
    // Links bound what collectives take, which no roofline has.
    const bool isCollective = analysis::KernelCategories::isCommunication(event.name)
        || analysis::KernelCategories::isCommunication(stats.hloCategory);
    event.statesWork = (stats.flops || stats.bytesAccessed) && !isCollective;
    describeOperator(stats, event.statesWork, detail);
    describeKernel(stats.kernelDetails, detail);
    if (isOfOperators(line) && !stats.hloCategory.empty()
        && event.name.find(stats.hloCategory) == std::string::npos)
        event.name.append(" (").append(stats.hloCategory).append(")");
    return event;
}

} // namespace trainscope::importers::xplane
