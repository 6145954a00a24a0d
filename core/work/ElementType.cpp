#include "core/work/ElementType.h"

#include "core/model/EnumNames.h"

#include <array>
#include <utility>

namespace trainscope::work {

namespace {

constexpr auto kTypeNames = enumNames<ElementType>({{ElementType::Unknown, "unknown"},
    {ElementType::Float64, "fp64"}, {ElementType::Float32, "fp32"}, {ElementType::Float16, "fp16"},
    {ElementType::BFloat16, "bf16"}, {ElementType::Float8, "fp8"}, {ElementType::Float4, "fp4"},
    {ElementType::Int64, "int64"}, {ElementType::Int32, "int32"}, {ElementType::Int16, "int16"},
    {ElementType::Int8, "int8"}, {ElementType::Bool, "bool"}, {ElementType::Complex64, "complex64"},
    {ElementType::Complex128, "complex128"}});

using TracedName = std::pair<std::string_view, ElementType>;
constexpr std::array<TracedName, 22> kTraced{{
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

int rankOf(ElementType type) { // floating above whole above truth
    switch (type) {
    case ElementType::Unknown:
        return 0;
    case ElementType::Bool:
        return 1;
    case ElementType::Int8:
        return 2;
    case ElementType::Int16:
        return 3;
    case ElementType::Int32:
        return 4;
    case ElementType::Int64:
        return 5;
    case ElementType::Float4:
        return 6;
    case ElementType::Float8:
        return 7;
    case ElementType::Float16:
        return 8;
    case ElementType::BFloat16:
        return 9;
    case ElementType::Float32:
        return 10;
    case ElementType::Float64:
        return 11;
    case ElementType::Complex64:
        return 12;
    case ElementType::Complex128:
        return 13;
    }
    return 0;
}

} // namespace

std::string_view toString(ElementType type) {
    return kTypeNames.nameOf(type);
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
    return kTypeNames.find(traced).value_or(ElementType::Unknown);
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
    switch (type) {
    case ElementType::Unknown:
        return std::nullopt;
    case ElementType::Float8:
    case ElementType::Float4:
    case ElementType::Int8:
    case ElementType::Bool:
        return 1.0;
    case ElementType::Float16:
    case ElementType::BFloat16:
    case ElementType::Int16:
        return 2.0;
    case ElementType::Float32:
    case ElementType::Int32:
        return 4.0;
    case ElementType::Float64:
    case ElementType::Int64:
    case ElementType::Complex64:
        return 8.0;
    case ElementType::Complex128:
        return 16.0;
    }
    return std::nullopt;
}

ElementType promoted(ElementType a, ElementType b) {
    const bool areHalves = (a == ElementType::Float16 && b == ElementType::BFloat16)
        || (a == ElementType::BFloat16 && b == ElementType::Float16);
    if (areHalves)
        return ElementType::Float32;
    return rankOf(a) >= rankOf(b) ? a : b;
}

} // namespace trainscope::work
