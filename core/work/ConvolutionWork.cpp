#include "core/work/Call.h"

#include <cmath>
#include <cstddef>

namespace trainscope::work {

namespace {

using Sizes = std::vector<std::int64_t>;

// One for each dimension of space; one number stands for all.
std::optional<Sizes> spatial(const Call& call, const char* part, std::size_t dimensions) {
    auto sizes = call.wholes(part);
    if (sizes && sizes->size() == 1 && dimensions > 1)
        sizes->assign(dimensions, sizes->front());
    return sizes && sizes->size() == dimensions ? sizes : std::nullopt;
}

struct Steps {
    Sizes stride;
    Sizes padding;
    Sizes dilation;
    Sizes outputPadding;
    std::int64_t groups = 1;
    bool isTransposed = false;
    bool keepsSize = false; // padding "same"
};

std::optional<Steps> stepsOf(const Call& call, std::size_t dimensions) {
    const auto stride = spatial(call, "stride", dimensions);
    const auto dilation = spatial(call, "dilation", dimensions);
    auto padding = spatial(call, "padding", dimensions);
    const bool keepsSize = call.text("padding") == "same";
    if (keepsSize || call.text("padding") == "valid")
        padding = Sizes(dimensions, 0);
    const auto groups = call.whole("groups");
    const auto transposed = call.has("transposed") ? call.truth("transposed") : false;
    if (!stride || !dilation || !padding || !groups || !transposed || *groups < 1)
        return std::nullopt;
    auto outputPadding
        = call.has("output_padding") ? spatial(call, "output_padding", dimensions) : std::nullopt;
    if (*transposed && !outputPadding)
        return std::nullopt;
    return Steps{*stride, *padding, *dilation, outputPadding.value_or(Sizes(dimensions, 0)),
        *groups, *transposed, keepsSize};
}

std::optional<double> spaceOf(const Steps& steps, const Sizes& input, const Sizes& kernel) {
    double product = 1.0;
    for (std::size_t i = 0; i < kernel.size(); ++i) {
        const double reach
            = static_cast<double>(steps.dilation[i]) * static_cast<double>(kernel[i] - 1);
        const double padded = 2.0 * static_cast<double>(steps.padding[i]);
        const auto stride = static_cast<double>(steps.stride[i]);
        const auto size = static_cast<double>(input[i]);
        if (stride < 1.0)
            return std::nullopt;
        double result = size;
        if (steps.isTransposed)
            result = (size - 1.0) * stride - padded + reach
                + static_cast<double>(steps.outputPadding[i]) + 1.0;
        else if (!steps.keepsSize)
            result = std::floor((size + padded - reach - 1.0) / stride) + 1.0;
        if (result < 0.0)
            return std::nullopt;
        product *= result;
    }
    return product;
}

// Sizes but for the result.
std::optional<ConvolutionSize> inputsOf(const Call& call, bool isTransposed) {
    const Tensor* const input = call.tensor("input");
    const Tensor* const weight = call.tensor("weight");
    if (input == nullptr || weight == nullptr || weight->dims.size() < 3
        || input->dims.size() + 1 < weight->dims.size() || input->dims.size() > weight->dims.size()
        || weight->dims.front() == 0)
        return std::nullopt;
    ConvolutionSize size;
    size.input = input->elements();
    size.weight = weight->elements();
    size.productsEach = size.weight / static_cast<double>(weight->dims.front());
    size.isTransposed = isTransposed;
    return size;
}

std::optional<ConvolutionSize> forwardSizeOf(const Call& call) {
    const Tensor* const weight = call.tensor("weight");
    const std::size_t dimensions
        = weight != nullptr && weight->dims.size() > 2 ? weight->dims.size() - 2 : 0;
    const auto steps = stepsOf(call, dimensions);
    auto size = steps ? inputsOf(call, steps->isTransposed) : std::nullopt;
    if (!size)
        return std::nullopt;
    const Sizes& input = call.tensor("input")->dims;
    const Sizes& filter = weight->dims;
    const std::int64_t batch = input.size() == filter.size() ? input.front() : 1;
    const std::int64_t channels = input[input.size() - dimensions - 1];
    const bool isTransposed = steps->isTransposed;
    const std::int64_t wanted = isTransposed ? filter[0] : filter[1] * steps->groups;
    const std::int64_t results = isTransposed ? filter[1] * steps->groups : filter[0];
    const auto space
        = spaceOf(*steps, Sizes(input.end() - static_cast<std::ptrdiff_t>(dimensions), input.end()),
            Sizes(filter.begin() + 2, filter.end()));
    if (channels != wanted || !space)
        return std::nullopt;
    size->result = static_cast<double>(batch) * static_cast<double>(results) * *space;
    return size;
}

} // namespace

std::optional<TracedWork> convolutionWork(const Call& call) {
    const auto size = forwardSizeOf(call);
    const auto each = bytesOf(call.typeOf("input"));
    if (!size || !each)
        return std::nullopt;
    Work sum = convolution(*size, *each);
    if (const Tensor* const added = call.tensor("bias"))
        sum += addition(size->result, added->elements(), *each);
    return TracedWork{sum, call.typeOf("input"), Units::Matrix};
}

std::optional<TracedWork> convolutionBackwardWork(const Call& call) {
    const auto transposed = call.has("transposed") ? call.truth("transposed") : false;
    const Tensor* const gradient = call.tensor("gradient");
    const auto wanted = truthsFrom(call.text("gradients"));
    const auto each = bytesOf(call.typeOf("input"));
    auto size = transposed ? inputsOf(call, *transposed) : std::nullopt;
    if (!size || gradient == nullptr || !wanted || wanted->size() < 2 || !each)
        return std::nullopt;
    size->result = gradient->elements();
    const ConvolutionGradients gradients{
        wanted->at(0), wanted->at(1), wanted->size() > 2 && wanted->at(2)};
    return TracedWork{
        convolutionBackward(*size, gradients, *each), call.typeOf("input"), Units::Matrix};
}

} // namespace trainscope::work
