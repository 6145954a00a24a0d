#pragma once
// OperatorSignature: shapes, types, strides and values of an operator's arguments, read from the
// detail of its span, where PyTorch's profiler recorded shapes. Plain values; any thread.

#include "core/model/EnumNames.h"

#include <cstdint>
#include <vector>

namespace trainscope::work {

// ElementType: the type of a tensor's elements, as PyTorch's profiler writes it. Pure; any thread.

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

struct Tensor {
    std::vector<std::int64_t> dims; // none: one element
    std::vector<std::int64_t> strides; // in elements; none: not recorded

    [[nodiscard]] double elements() const;
    // Those that lie in memory: an expanded dimension (stride 0) is read once.
    [[nodiscard]] double stored() const;
};

struct Argument {
    // List: tensors whose shapes may be recorded and whose types are not, as profilers write them.
    enum class Kind { None, Tensor, List, Other };

    Kind kind = Kind::None;
    std::vector<Tensor> tensors; // one of Tensor, as many as were recorded of List
    ElementType type = ElementType::Unknown;
    std::string concrete; // the value of what is no tensor, as written: "True", "0.125", "[1, 1]"

    [[nodiscard]] double elements() const; // sum over its tensors
    [[nodiscard]] double stored() const;
};

struct OperatorSignature {
    std::vector<Argument> arguments;
    bool hasValues = false; // "Concrete Inputs" were recorded

    [[nodiscard]] const Argument* at(int index) const; // nullptr beyond the last
    [[nodiscard]] const Tensor* tensor(int index) const; // nullptr where that is no tensor
};

// Parses a detail with "Input Dims", and "Input type", "Input Strides" and "Concrete Inputs" where
// recorded. Absent without shapes and for damaged text.
std::optional<OperatorSignature> parseSignature(std::string_view detail);

// Values as they are written in arguments: "True", "2", "[1, 1]"; absent of other texts.
std::optional<bool> truthFrom(std::string_view concrete);
std::optional<std::int64_t> wholeFrom(std::string_view concrete);
std::optional<std::vector<std::int64_t>> wholesFrom(std::string_view concrete);
std::optional<std::vector<bool>> truthsFrom(std::string_view concrete);

} // namespace trainscope::work
