#pragma once
// Physical quantities as distinct types, so that watts cannot be handed over as joules. Series
// samples stay plain doubles (their unit is the metric's); results of analyses carry these types.

#include "core/model/Time.h"

#include <compare>

namespace trainscope {

template <typename Unit>
struct Quantity {
    double value = 0.0;

    auto operator<=>(const Quantity&) const = default;
    Quantity& operator+=(Quantity other) {
        value += other.value;
        return *this;
    }
    friend constexpr Quantity operator+(Quantity a, Quantity b) { return {a.value + b.value}; }
    friend constexpr Quantity operator-(Quantity a, Quantity b) { return {a.value - b.value}; }
    friend constexpr Quantity operator*(Quantity a, double k) { return {a.value * k}; }
    friend constexpr double operator/(Quantity a, Quantity b) { return a.value / b.value; }
};

using Watts = Quantity<struct WattUnit>;
using Joules = Quantity<struct JouleUnit>;
using Celsius = Quantity<struct CelsiusUnit>;
using Hertz = Quantity<struct HertzUnit>;
using Seconds = Quantity<struct SecondUnit>;
using Bytes = Quantity<struct ByteUnit>;
using Fraction = Quantity<struct FractionUnit>; // 0..1

constexpr Joules operator*(Watts power, DurationNs time) {
    return {power.value * (static_cast<double>(time.ns) * 1e-9)};
}

} // namespace trainscope
