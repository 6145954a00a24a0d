#include "core/work/Call.h"

#include <algorithm>
#include <cstddef>
#include <utility>

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

} // namespace trainscope::work
