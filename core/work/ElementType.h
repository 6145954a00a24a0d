#pragma once
// ElementType: what a tensor's elements are, as PyTorch's profiler writes it. Pure; any thread.

#include <optional>
#include <string_view>

namespace trainscope::work {

enum class ElementType {
    Unknown,
    Float64,
    Float32,
    Float16,
    BFloat16,
    Float8,
    Float4, // two in a byte
    Int64,
    Int32,
    Int16,
    Int8,
    Bool,
    Complex64,
    Complex128,
};
std::string_view toString(ElementType type); // "fp64", "fp32", "fp16", "bf16", "fp8", "int64", …

// Of "c10::BFloat16", "float", "long int", "c10::Float8_e4m3fn"; Unknown of anything else, which
// "Scalar", "ScalarList" and "TensorList" are.
ElementType elementTypeFrom(std::string_view traced);
// Of the numbers that PyTorch gives its types in arguments (c10::ScalarType): 6 is float.
ElementType elementTypeFrom(int scalarType);

// Of an element as shapes count it: of Float4 a pair, one byte. Absent of Unknown.
std::optional<double> bytesOf(ElementType type);

// What arithmetic on both gives: the floating one, else the wider.
ElementType promoted(ElementType a, ElementType b);

} // namespace trainscope::work
