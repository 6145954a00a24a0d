#include "core/work/StatedWork.h"

#include "core/model/AsciiText.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

namespace trainscope::work {

namespace {

using Json = nlohmann::json;

ElementType typeOfShape(std::string_view shape) {
    constexpr std::array<std::pair<std::string_view, ElementType>, 12> kTypes{
        {{"bf16", ElementType::BFloat16}, {"f16", ElementType::Float16},
            {"f32", ElementType::Float32}, {"f64", ElementType::Float64},
            {"f8", ElementType::Float8}, {"f4", ElementType::Float4}, {"s64", ElementType::Int64},
            {"s32", ElementType::Int32}, {"s16", ElementType::Int16}, {"s8", ElementType::Int8},
            {"pred", ElementType::Bool}, {"c64", ElementType::Complex64}}};
    const std::size_t first = shape.find_first_not_of('(');
    shape.remove_prefix(std::min(first, shape.size()));
    const auto found = std::find_if(kTypes.begin(), kTypes.end(),
        [&](const auto& one) { return shape.starts_with(one.first); });
    return found == kTypes.end() ? ElementType::Unknown : found->second;
}

bool isProduct(std::string_view text) {
    constexpr std::array<std::string_view, 4> kWords{"convolution", "dot", "gemm", "matmul"};
    return std::any_of(kWords.begin(), kWords.end(),
        [&](std::string_view word) { return containsIgnoringCase(text, word); });
}

std::optional<double> numberAt(const Json& detail, std::string_view key) {
    const auto found = detail.find(key);
    if (found == detail.end() || !found->is_number())
        return std::nullopt;
    const double value = found->get<double>();
    return std::isfinite(value) && value >= 0.0 ? std::optional(value) : std::nullopt;
}

std::string textAt(const Json& detail, std::string_view key) {
    const auto found = detail.find(key);
    return found != detail.end() && found->is_string() ? found->get<std::string>() : std::string();
}

} // namespace

std::optional<TracedWork> statedWorkOf(std::string_view operatorName, std::string_view detail) {
    constexpr std::string_view kOpen = "{\"";
    if (!detail.starts_with(kOpen) || !detail.substr(kOpen.size()).starts_with(kHloCategory))
        return std::nullopt;
    const Json read = Json::parse(detail.begin(), detail.end(), nullptr, false);
    if (!read.is_object())
        return std::nullopt;
    const auto flop = numberAt(read, kStatedFlop);
    const auto bytes = numberAt(read, kStatedBytes);
    if (!flop && !bytes)
        return std::nullopt;
    TracedWork work;
    work.flop = flop.value_or(0.0);
    work.bytes = bytes.value_or(0.0);
    work.type = typeOfShape(textAt(read, kStatedShape));
    const bool isOnMatrixUnits
        = work.flop > 0.0 && (isProduct(textAt(read, kHloCategory)) || isProduct(operatorName));
    work.units = isOnMatrixUnits ? Units::Matrix : Units::Vector;
    if (work.type == ElementType::Unknown)
        work.type = ElementType::BFloat16;
    return work;
}

} // namespace trainscope::work
