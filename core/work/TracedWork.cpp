#include "core/work/TracedWork.h"

#include "core/work/Call.h"
#include "core/work/StatedWork.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace trainscope::work {

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

} // namespace

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

} // namespace trainscope::work
