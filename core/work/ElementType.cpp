#include "core/work/ElementType.h"

#include <algorithm>
#include <array>
#include <utility>

namespace trainscope::work {

namespace {

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
