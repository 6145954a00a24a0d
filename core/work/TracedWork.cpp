#include "core/work/TracedWork.h"

#include "core/model/AsciiText.h"
#include "core/work/Call.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace trainscope::work {
namespace {

using WorkOf = std::optional<TracedWork> (*)(const Call& call);
constexpr std::array<std::pair<Formula, WorkOf>, 23> kWork{{
    {Formula::Product, productWork},
    {Formula::GroupedProduct, groupedProductWork},
    {Formula::Convolution, convolutionWork},
    {Formula::ConvolutionBackward, convolutionBackwardWork},
    {Formula::Attention, [](const Call& call) { return attentionWork(call, false); }},
    {Formula::AttentionBackward, [](const Call& call) { return attentionWork(call, true); }},
    {Formula::Norm, normWork},
    {Formula::NormBackward, normBackwardWork},
    {Formula::Softmax, softmaxWork},
    {Formula::SoftmaxBackward, softmaxBackwardWork},
    {Formula::NllLoss, [](const Call& call) { return lossWork(call, Formula::NllLoss); }},
    {Formula::NllLossBackward,
        [](const Call& call) { return lossWork(call, Formula::NllLossBackward); }},
    {Formula::CrossEntropy, [](const Call& call) { return lossWork(call, Formula::CrossEntropy); }},
    {Formula::Embedding, embeddingWork},
    {Formula::EmbeddingBackward, embeddingBackwardWork},
    {Formula::Elementwise, elementwiseWork},
    {Formula::Copy, copyWork},
    {Formula::Fill, fillWork},
    {Formula::Concatenation, concatenationWork},
    {Formula::Reduction, reductionWork},
    {Formula::Scatter, scatterWork},
    {Formula::Optimizer, optimizerWork},
    {Formula::Foreach, foreachWork},
}};

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

void takeTensor(const Call& call, std::string_view part, TracedShape& shape) {
    if (const Tensor* const tensor = call.tensor(part)) {
        shape.tensor = *tensor;
        shape.type = call.typeOf(part);
    }
}

void takeEmbedding(const Call& call, TracedShape& shape) {
    const Tensor* const table = call.tensor("weight");
    const Tensor* const indices = call.tensor("indices");
    if (table == nullptr || indices == nullptr || table->dims.size() != 2)
        return;
    shape.tensor = *indices;
    shape.tensor->dims.push_back(table->dims.back());
    shape.tensor->strides.clear();
    shape.tableRows = static_cast<double>(table->dims.front());
    shape.type = call.typeOf("weight");
}

void takeFirst(const OperatorSignature& signature, TracedShape& shape) {
    if (const Tensor* const tensor = signature.tensor(0)) {
        shape.tensor = *tensor;
        shape.type = signature.at(0)->type;
    }
}

std::optional<double> densePeak(
    const catalogue::GpuModel& gpu, ElementType type, SinglePrecision precision) {
    switch (type) {
    case ElementType::Float32:
        return precision == SinglePrecision::Full ? gpu.fp32Flops
            : precision == SinglePrecision::Tf32  ? gpu.tf32Flops
                                                  : std::nullopt;
    case ElementType::Float16:
        return gpu.fp16Flops;
    case ElementType::BFloat16:
        return gpu.bf16Flops;
    case ElementType::Float8:
        return gpu.fp8Flops;
    case ElementType::Float4:
        return gpu.fp4Flops;
    default:
        return std::nullopt;
    }
}

} // namespace

const Argument* Call::argument(std::string_view part) const {
    const Setting* const setting = m_rule.find(part);
    return setting != nullptr && setting->argument ? m_signature.at(*setting->argument) : nullptr;
}

const Tensor* Call::tensor(std::string_view part) const {
    const Setting* const setting = m_rule.find(part);
    return setting != nullptr && setting->argument ? m_signature.tensor(*setting->argument)
                                                   : nullptr;
}

ElementType Call::typeOf(std::string_view part) const {
    const Argument* const found = argument(part);
    return found != nullptr ? found->type : ElementType::Unknown;
}

std::optional<double> Call::storedBytes(std::string_view part) const {
    const Tensor* const found = tensor(part);
    if (found == nullptr)
        return 0.0;
    const auto each = bytesOf(typeOf(part));
    return each ? std::optional(*each * found->stored()) : std::nullopt;
}

std::string_view Call::text(std::string_view part) const {
    const Setting* const setting = m_rule.find(part);
    if (setting == nullptr)
        return {};
    if (!setting->argument)
        return setting->constant;
    const Argument* const found = m_signature.at(*setting->argument);
    return found != nullptr ? std::string_view(found->concrete) : std::string_view();
}

std::optional<bool> Call::truth(std::string_view part) const {
    return truthFrom(text(part));
}

std::optional<std::int64_t> Call::whole(std::string_view part) const {
    return wholeFrom(text(part));
}

std::optional<std::vector<std::int64_t>> Call::wholes(std::string_view part) const {
    return wholesFrom(text(part));
}

std::optional<TracedWork> workOf(
    std::string_view operatorName, const OperatorSignature& signature, const WorkTable& table) {
    const WorkRule* const rule = table.find(operatorName);
    const auto* const by = std::find_if(kWork.begin(), kWork.end(),
        [rule](const auto& one) { return rule != nullptr && one.first == rule->formula; });
    if (by == kWork.end())
        return std::nullopt;
    auto found = by->second(Call(operatorName, *rule, signature));
    if (!found || !std::isfinite(found->flop) || !std::isfinite(found->bytes))
        return std::nullopt;
    found->formula = rule->formula;
    return found;
}

std::optional<TracedWork> workOf(
    std::string_view operatorName, std::string_view detail, const WorkTable& table) {
    if (const auto stated = statedWorkOf(operatorName, detail))
        return stated;
    if (table.find(operatorName) == nullptr)
        return std::nullopt;
    const auto signature = parseSignature(detail);
    return signature ? workOf(operatorName, *signature, table) : std::nullopt;
}

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

std::optional<TracedShape> shapeOf(
    std::string_view operatorName, const OperatorSignature& signature, const WorkTable& table) {
    const WorkRule* const rule = table.find(operatorName);
    if (rule == nullptr)
        return std::nullopt;
    const Call call(operatorName, *rule, signature);
    TracedShape shape;
    shape.formula = rule->formula;
    switch (rule->formula) {
    case Formula::Product:
        shape.product = productSizeOf(call);
        shape.type = call.typeOf("a");
        break;
    case Formula::Attention:
    case Formula::AttentionBackward:
        shape.attention = tracedAttentionOf(call);
        shape.type = call.typeOf("query");
        break;
    case Formula::Norm:
    case Formula::NormBackward:
    case Formula::Softmax:
    case Formula::CrossEntropy:
        takeTensor(call, "input", shape);
        break;
    case Formula::SoftmaxBackward:
        takeTensor(call, "gradient", shape);
        break;
    case Formula::Embedding:
        takeEmbedding(call, shape);
        break;
    case Formula::Elementwise:
    case Formula::Copy:
        takeFirst(signature, shape);
        break;
    default:
        break;
    }
    const bool isKnown = shape.product || shape.attention || shape.tensor;
    return isKnown ? std::optional(shape) : std::nullopt;
}

SinglePrecision singlePrecisionOf(std::string_view kernelName) {
    constexpr std::array<std::string_view, 3> kTf32{"tf32", "tensorop", "s1688"};
    constexpr std::array<std::string_view, 4> kFull{"sgemm", "simt", "scudnn", "ffma"};
    const auto has
        = [&](std::string_view word) { return kernelName.find(word) != std::string_view::npos; };
    if (std::any_of(kTf32.begin(), kTf32.end(), has))
        return SinglePrecision::Tf32;
    const bool isTensile = kernelName.substr(0, 5) == "Cijk_";
    if (isTensile ? has("_SB_") : std::any_of(kFull.begin(), kFull.end(), has))
        return SinglePrecision::Full;
    return SinglePrecision::Unknown;
}

Roof roofOf(
    const catalogue::GpuModel& gpu, ElementType type, Units units, SinglePrecision precision) {
    Roof roof;
    roof.bandwidth = gpu.memoryBandwidth;
    if (units == Units::Vector)
        return roof;
    roof.flops = densePeak(gpu, type, precision);
    if (roof.flops && units == Units::SparseMatrix)
        *roof.flops *= 2.0;
    return roof;
}

std::optional<Attainable> attainable(const TracedWork& work, const Roof& roof) {
    if (!roof.bandwidth || *roof.bandwidth <= 0.0)
        return std::nullopt;
    Attainable least{work.bytes / *roof.bandwidth, Bound::Memory, false};
    if (work.units == Units::Vector)
        return least;
    if (!roof.flops || *roof.flops <= 0.0) {
        least.isPeakUnknown = true;
        return least;
    }
    const double computing = work.flop / *roof.flops;
    if (computing > least.seconds)
        least = {computing, Bound::Compute, false};
    return least;
}

std::optional<double> intensityOf(const Work& work) {
    return work.bytes > 0.0 ? std::optional(work.flop / work.bytes) : std::nullopt;
}

} // namespace trainscope::work
