#pragma once
// ElementType: the type of a tensor's elements, as PyTorch's profiler writes it. Pure; any thread.

#include "core/model/EnumNames.h"

#include <optional>
#include <string_view>

namespace trainscope::work {

// Floating types above whole ones above truth values, each the wider above the narrower.
enum class ElementType {
    Unknown,
    Bool,
    Int8,
    Int16,
    Int32,
    Int64,
    Float4, // two in a byte
    Float8,
    Float16,
    BFloat16,
    Float32,
    Float64,
    Complex64,
    Complex128,
};
constexpr auto namesOf(ElementType) {
    return enumNames("unknown", "bool", "int8", "int16", "int32", "int64", "fp4", "fp8", "fp16",
        "bf16", "fp32", "fp64", "complex64", "complex128");
}

// The type that a trace names: "c10::BFloat16", "float", "long int", "c10::Float8_e4m3fn"; Unknown
// for other texts, such as "Scalar", "ScalarList" and "TensorList".
ElementType elementTypeFrom(std::string_view traced);
// The type of a number in PyTorch's arguments (c10::ScalarType): 6 is float.
ElementType elementTypeFrom(int scalarType);

// Bytes of an element as shapes count it; for Float4 those of a pair, one byte. Absent for Unknown.
std::optional<double> bytesOf(ElementType type);

// The type that arithmetic on both gives: the floating one, else the wider.
ElementType promoted(ElementType a, ElementType b);

} // namespace trainscope::work
