#include "core/work/Call.h"

#include <cmath>

namespace trainscope::work {

namespace {

// A matrix or a row of matrices; `leading` are the dimensions before its last two.
struct Matrices {
    std::vector<std::int64_t> leading;
    double rows = 1.0;
    double columns = 1.0;
};

double sizeOf(std::int64_t size) {
    return static_cast<double>(size);
}

// A vector is a row on the left of a product and a column on its right.
std::optional<Matrices> matricesOf(const Tensor* tensor, bool isTransposed, bool isOnLeft) {
    if (tensor == nullptr || tensor->dims.empty())
        return std::nullopt;
    const auto& dims = tensor->dims;
    Matrices found;
    if (dims.size() == 1) {
        (isOnLeft ? found.columns : found.rows) = sizeOf(dims.front());
        return found;
    }
    found.leading.assign(dims.begin(), dims.end() - 2);
    found.rows = sizeOf(dims[dims.size() - 2]);
    found.columns = sizeOf(dims.back());
    if (isTransposed)
        std::swap(found.rows, found.columns);
    return found;
}

std::optional<double> batchOf(
    const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
    double batch = 1.0;
    for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
        const std::int64_t first = i < a.size() ? a[a.size() - 1 - i] : 1;
        const std::int64_t second = i < b.size() ? b[b.size() - 1 - i] : 1;
        if (first != second && first != 1 && second != 1)
            return std::nullopt;
        batch *= sizeOf(first == 1 ? second : first);
    }
    return batch;
}

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

std::optional<ProductSize> productSizeOf(const Call& call) {
    const auto a = matricesOf(call.tensor("a"), call.truth("transposed_a").value_or(false), true);
    const auto b = matricesOf(call.tensor("b"), call.truth("transposed_b").value_or(false), false);
    if (!a || !b)
        return std::nullopt;
    const auto batch = batchOf(a->leading, b->leading);
    // Weights of 2:4 sparsity are stored as half of their columns.
    const bool isSparse = call.truth("sparse").value_or(false);
    if (!batch || (isSparse ? 2.0 : 1.0) * a->columns != b->rows)
        return std::nullopt;
    return ProductSize{*batch, a->rows, b->columns, b->rows};
}

namespace {

ElementType resultTypeOf(const Call& call) {
    if (call.tensor("result") != nullptr && call.typeOf("result") != ElementType::Unknown)
        return call.typeOf("result");
    if (const auto number = call.whole("result_type"); number && *number >= 0 && *number < 100)
        return elementTypeFrom(static_cast<int>(*number));
    return call.typeOf("a");
}

bool isZero(std::string_view number) {
    return !number.empty() && number.find_first_not_of("0.") == std::string_view::npos;
}

struct ProductTypes {
    ElementType type = ElementType::Unknown;
    ProductBytes bytes;
};

std::optional<ProductTypes> productTypesOf(const Call& call) {
    const auto a = bytesOf(call.typeOf("a"));
    const auto b = bytesOf(call.typeOf("b"));
    const auto result = bytesOf(resultTypeOf(call));
    if (!a || !b || !result)
        return std::nullopt;
    return ProductTypes{call.typeOf("a"), {*a, *b, *result}};
}

} // namespace

std::optional<TracedWork> productWork(const Call& call) {
    auto size = productSizeOf(call);
    const auto types = productTypesOf(call);
    if (!size || !types)
        return std::nullopt;
    const double results = size->batch * size->m * size->n;
    if (types->type == ElementType::Float4) // pairs of them
        size->k *= 2.0;
    Work sum = product(*size, types->bytes);
    // A broadcast or expanded tensor is read once.
    sum.bytes = types->bytes.a * call.tensor("a")->stored()
        + types->bytes.b * call.tensor("b")->stored() + types->bytes.result * results;
    if (const Tensor* const added = call.tensor("bias");
        added != nullptr && !isZero(call.text("bias_factor"))) {
        const auto each = bytesOf(call.typeOf("bias"));
        if (!each)
            return std::nullopt;
        sum += addition(results, added->stored(), *each);
    }
    const bool isSparse = call.truth("sparse").value_or(false);
    return TracedWork{sum, types->type, isSparse ? Units::SparseMatrix : Units::Matrix};
}

namespace {

std::optional<Work> groupedOf(const Call& call, const ProductTypes& types) {
    const auto& a = call.tensor("a")->dims;
    auto b = call.tensor("b")->dims;
    if (a.size() < 2 || b.size() < 2)
        return std::nullopt;
    if (call.truth("transposed_b").value_or(false))
        std::swap(b[b.size() - 1], b[b.size() - 2]);
    const std::int64_t summed = a.back();
    if (summed != b[b.size() - 2])
        return std::nullopt;
    const double packed = types.type == ElementType::Float4 ? 2.0 : 1.0;
    const ProductSize size{1.0, sizeOf(a[a.size() - 2]), sizeOf(b.back()), sizeOf(summed)};
    Work sum;
    if (a.size() == 2 && b.size() == 3) {
        sum = groupedProduct(sizeOf(b.front()), size, types.bytes);
    } else if (a.size() == 3 && b.size() == 2) { // the columns are in groups
        sum = groupedProduct(sizeOf(a.front()), {1.0, size.n, size.m, size.k},
            {types.bytes.b, types.bytes.a, types.bytes.result});
    } else if (a.size() == 3 && b.size() == 3 && a.front() == b.front()) {
        sum = product({sizeOf(a.front()), size.m, size.n, size.k}, types.bytes);
    } else if (a.size() == 2 && b.size() == 2) {
        const Tensor* const ends = call.tensor("groups");
        if (ends == nullptr)
            return std::nullopt;
        sum = groupedSum(ends->elements(), size, types.bytes);
    } else {
        return std::nullopt;
    }
    sum.flop *= packed;
    return sum;
}

} // namespace

std::optional<TracedWork> groupedProductWork(const Call& call) {
    const auto types = productTypesOf(call);
    if (call.tensor("a") == nullptr || call.tensor("b") == nullptr || !types)
        return std::nullopt;
    const auto sum = groupedOf(call, *types);
    return sum ? std::optional(TracedWork{*sum, types->type, Units::Matrix}) : std::nullopt;
}

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
