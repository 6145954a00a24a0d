#include "core/work/OperatorSignature.h"

#include "core/model/AsciiText.h"
#include "core/model/Gather.h"
#include "core/model/JsonDepth.h"
#include "core/model/WholeNumber.h"

#include <nlohmann/json.hpp>

namespace trainscope::work {

double Tensor::elements() const {
    double product = 1.0;
    for (const std::int64_t size : dims)
        product *= static_cast<double>(size);
    return product;
}

double Tensor::stored() const {
    if (strides.size() != dims.size())
        return elements();
    double product = 1.0;
    for (std::size_t i = 0; i < dims.size(); ++i)
        product *= strides[i] == 0 && dims[i] > 0 ? 1.0 : static_cast<double>(dims[i]);
    return product;
}

double Argument::elements() const {
    return summed<double>(tensors, &Tensor::elements);
}

double Argument::stored() const {
    return summed<double>(tensors, &Tensor::stored);
}

const Argument* OperatorSignature::at(int index) const {
    return index >= 0 && static_cast<std::size_t>(index) < arguments.size()
        ? &arguments[static_cast<std::size_t>(index)]
        : nullptr;
}

const Tensor* OperatorSignature::tensor(int index) const {
    const Argument* const argument = at(index);
    return argument != nullptr && argument->kind == Argument::Kind::Tensor
            && !argument->tensors.empty()
        ? &argument->tensors.front()
        : nullptr;
}

namespace {

using Json = nlohmann::json;

// Absent of what is no list, and of what holds anything but whole numbers.
std::optional<std::vector<std::int64_t>> sizesOf(const Json& list) {
    if (!list.is_array())
        return std::nullopt;
    std::vector<std::int64_t> sizes;
    for (const Json& item : list) {
        const bool isBeyond
            = item.is_number_unsigned() && !std::in_range<std::int64_t>(item.get<std::uint64_t>());
        if (!item.is_number_integer() || isBeyond)
            return std::nullopt;
        sizes.push_back(item.get<std::int64_t>());
    }
    return sizes;
}

bool areSizes(const std::vector<std::int64_t>& sizes) {
    return std::all_of(sizes.begin(), sizes.end(), [](std::int64_t size) { return size >= 0; });
}

bool isNested(const Json& list) {
    return std::any_of(list.begin(), list.end(), [](const Json& item) { return item.is_array(); });
}

std::optional<Tensor> tensorOf(const Json& dims, const Json* strides) {
    auto sizes = sizesOf(dims);
    if (!sizes || !areSizes(*sizes))
        return std::nullopt;
    Tensor tensor{std::move(*sizes), {}};
    auto steps = strides != nullptr ? sizesOf(*strides) : std::nullopt;
    if (steps && steps->size() == tensor.dims.size())
        tensor.strides = std::move(*steps);
    return tensor;
}

// nullptr where there is no such list.
const Json* listIn(const Json& object, std::string_view key) {
    for (auto member = object.begin(); member != object.end(); ++member) {
        if (equalsIgnoringCase(member.key(), key))
            return member->is_array() ? &*member : nullptr;
    }
    return nullptr;
}

const Json* itemOf(const Json* list, std::size_t index) {
    return list != nullptr && list->is_array() && index < list->size() ? &(*list)[index] : nullptr;
}

// "TensorList[float]" and "GenericList[Tensor(float),Tensor(float)]" say what is in them.
ElementType listedType(std::string_view text) {
    std::size_t begin = text.find("Tensor(");
    begin = begin == std::string_view::npos ? text.find('[') : begin + 6;
    if (begin == std::string_view::npos)
        return ElementType::Unknown;
    const std::size_t end = text.find_first_of(",)]", begin + 1);
    return end == std::string_view::npos ? ElementType::Unknown
                                         : elementTypeFrom(text.substr(begin + 1, end - begin - 1));
}

bool isListType(std::string_view text) {
    return text.starts_with("TensorList") || text.starts_with("GenericList");
}

std::optional<Argument> argumentOf(const Json& dims, const Json* strides, std::string_view type) {
    Argument argument;
    if (isListType(type) || isNested(dims)) {
        argument.kind = Argument::Kind::List;
        argument.type = listedType(type);
        for (std::size_t i = 0; i < dims.size(); ++i) {
            auto tensor = tensorOf(dims[i], itemOf(strides, i));
            if (!tensor)
                return std::nullopt;
            argument.tensors.push_back(std::move(*tensor));
        }
        return argument;
    }
    argument.type = elementTypeFrom(type);
    if ((!dims.is_structured() || dims.empty()) && argument.type == ElementType::Unknown) {
        argument.kind = type.empty() ? Argument::Kind::None : Argument::Kind::Other;
        return argument;
    }
    auto tensor = tensorOf(dims, strides);
    if (!tensor)
        return std::nullopt;
    argument.kind = Argument::Kind::Tensor;
    argument.tensors.push_back(std::move(*tensor));
    return argument;
}

// A string's content; a number or a truth value as JSON writes it.
std::string textOf(const Json* value) {
    if (value == nullptr || value->is_structured())
        return {};
    return value->is_string() ? value->get<std::string>() : value->dump();
}

using TracedName = std::pair<std::string_view, ElementType>;
constexpr std::array<TracedName, 23> kTraced{{
    {"float", ElementType::Float32},
    {"c10::BFloat16", ElementType::BFloat16},
    {"c10::Half", ElementType::Float16},
    {"double", ElementType::Float64},
    {"long int", ElementType::Int64},
    {"long", ElementType::Int64},
    {"int", ElementType::Int32},
    {"short int", ElementType::Int16},
    {"short", ElementType::Int16},
    {"unsigned short", ElementType::Int16},
    {"signed char", ElementType::Int8},
    {"unsigned char", ElementType::Int8},
    {"char", ElementType::Int8},
    {"byte", ElementType::Int8},
    {"bool", ElementType::Bool},
    {"c10::complex<float>", ElementType::Complex64},
    {"c10::complex<double>", ElementType::Complex128},
    {"unsigned int", ElementType::Int32},
    {"unsigned long", ElementType::Int64},
    {"long long", ElementType::Int64},
    {"unsigned long long", ElementType::Int64},
    {"Half", ElementType::Float16},
    {"BFloat16", ElementType::BFloat16},
}};

// By type.
constexpr std::array<double, 14> kBytes{0, 1, 1, 2, 4, 8, 1, 1, 2, 2, 4, 8, 8, 16};

} // namespace

std::optional<OperatorSignature> parseSignature(std::string_view detail) {
    constexpr std::size_t deepest = 32;
    const Json root
        = isNestedTooDeep(detail, deepest) ? Json() : Json::parse(detail, nullptr, false);
    const Json* const dims = root.is_object() ? listIn(root, "Input Dims") : nullptr;
    if (dims == nullptr)
        return std::nullopt;
    const Json* const types = listIn(root, "Input type");
    const Json* const strides = listIn(root, "Input Strides");
    const Json* const values = listIn(root, "Concrete Inputs");
    OperatorSignature signature;
    signature.hasValues = values != nullptr;
    for (std::size_t i = 0; i < dims->size(); ++i) {
        auto argument = argumentOf((*dims)[i], itemOf(strides, i), textOf(itemOf(types, i)));
        if (!argument)
            return std::nullopt;
        argument->concrete = textOf(itemOf(values, i));
        signature.arguments.push_back(std::move(*argument));
    }
    return signature;
}

std::optional<bool> truthFrom(std::string_view concrete) {
    if (equalsIgnoringCase(concrete, "true") || concrete == "1")
        return true;
    if (equalsIgnoringCase(concrete, "false") || concrete == "0")
        return false;
    return std::nullopt;
}

std::optional<std::int64_t> wholeFrom(std::string_view concrete) {
    return wholeNumber<std::int64_t>(trimmed(concrete));
}

namespace {

template <typename Value, typename Read>
std::optional<std::vector<Value>> listFrom(std::string_view concrete, Read read) {
    concrete = trimmed(concrete);
    if (concrete.size() < 2 || concrete.front() != '[' || concrete.back() != ']')
        return std::nullopt;
    std::vector<Value> values;
    for (const std::string_view word : words(concrete.substr(1, concrete.size() - 2), ", ")) {
        const auto value = read(word);
        if (!value)
            return std::nullopt;
        values.push_back(*value);
    }
    return values;
}

} // namespace

std::optional<std::vector<std::int64_t>> wholesFrom(std::string_view concrete) {
    return listFrom<std::int64_t>(concrete, wholeFrom);
}

std::optional<std::vector<bool>> truthsFrom(std::string_view concrete) {
    return listFrom<bool>(concrete, truthFrom);
}

ElementType elementTypeFrom(std::string_view traced) {
    for (const auto& [name, type] : kTraced) {
        if (name == traced)
            return type;
    }
    if (traced.find("Float8_") != std::string_view::npos)
        return ElementType::Float8;
    if (traced.find("Float4_") != std::string_view::npos)
        return ElementType::Float4;
    return fromString(traced, ElementType::Unknown);
}

ElementType elementTypeFrom(int scalarType) {
    constexpr std::array<ElementType, 16> kScalarTypes{ElementType::Int8, ElementType::Int8,
        ElementType::Int16, ElementType::Int32, ElementType::Int64, ElementType::Float16,
        ElementType::Float32, ElementType::Float64, ElementType::Unknown, ElementType::Complex64,
        ElementType::Complex128, ElementType::Bool, ElementType::Unknown, ElementType::Unknown,
        ElementType::Unknown, ElementType::BFloat16};
    if (scalarType >= 0 && scalarType < static_cast<int>(kScalarTypes.size()))
        return kScalarTypes[static_cast<std::size_t>(scalarType)];
    return scalarType >= 23 && scalarType <= 26 ? ElementType::Float8 : ElementType::Unknown;
}

std::optional<double> bytesOf(ElementType type) {
    return type == ElementType::Unknown ? std::nullopt
                                        : std::optional(kBytes[static_cast<std::size_t>(type)]);
}

ElementType promoted(ElementType a, ElementType b) {
    const bool areHalves = (a == ElementType::Float16 && b == ElementType::BFloat16)
        || (a == ElementType::BFloat16 && b == ElementType::Float16);
    return areHalves ? ElementType::Float32 : std::max(a, b);
}

} // namespace trainscope::work
