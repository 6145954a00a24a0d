#include "core/work/TracedWork.h"

#include "core/work/Call.h"
#include "core/work/StatedWork.h"

#include <cmath>

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

std::optional<TracedWork> byFormula(const Call& call, Formula formula) {
    switch (formula) {
    case Formula::Product:
        return productWork(call);
    case Formula::GroupedProduct:
        return groupedProductWork(call);
    case Formula::Convolution:
        return convolutionWork(call);
    case Formula::ConvolutionBackward:
        return convolutionBackwardWork(call);
    case Formula::Attention:
        return attentionWork(call, false);
    case Formula::AttentionBackward:
        return attentionWork(call, true);
    case Formula::Norm:
        return normWork(call);
    case Formula::NormBackward:
        return normBackwardWork(call);
    case Formula::Softmax:
        return softmaxWork(call);
    case Formula::SoftmaxBackward:
        return softmaxBackwardWork(call);
    case Formula::NllLoss:
    case Formula::NllLossBackward:
    case Formula::CrossEntropy:
        return lossWork(call, formula);
    case Formula::Embedding:
        return embeddingWork(call);
    case Formula::EmbeddingBackward:
        return embeddingBackwardWork(call);
    case Formula::Elementwise:
        return elementwiseWork(call);
    case Formula::Copy:
        return copyWork(call);
    case Formula::Fill:
        return fillWork(call);
    case Formula::Concatenation:
        return concatenationWork(call);
    case Formula::Reduction:
        return reductionWork(call);
    case Formula::Scatter:
        return scatterWork(call);
    case Formula::Optimizer:
        return optimizerWork(call);
    case Formula::Foreach:
        return foreachWork(call);
    case Formula::Nothing:
        break;
    }
    return std::nullopt;
}

} // namespace

std::optional<TracedWork> workOf(
    std::string_view operatorName, const OperatorSignature& signature, const WorkTable& table) {
    const WorkRule* const rule = table.find(operatorName);
    if (rule == nullptr)
        return std::nullopt;
    auto found = byFormula(Call(operatorName, *rule, signature), rule->formula);
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
