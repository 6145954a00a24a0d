#pragma once
// A value for each value of an enumeration, whose values count from 0.

#include <array>
#include <cstddef>

namespace trainscope {

template <typename Enum, std::size_t Count, typename T>
class ByEnum {
public:
    T& operator[](Enum of) { return m_values[static_cast<std::size_t>(of)]; }
    const T& operator[](Enum of) const { return m_values[static_cast<std::size_t>(of)]; }
    bool operator==(const ByEnum&) const = default;

private:
    std::array<T, Count> m_values{};
};

} // namespace trainscope
