#pragma once
// Activity: what a GPU does at a moment, as far as its power depends on it.

#include <array>
#include <cstddef>
#include <string_view>

namespace trainscope::predict {

enum class Activity {
    Gemm, // matrix products, grouped ones included
    Attention,
    Memory, // norms, activations, optimizer, copies: bound by memory bandwidth
    Communication, // exposed: a collective alone
    Waiting, // for another GPU or the host
};
inline constexpr std::size_t kActivities = 5;
inline constexpr std::array<Activity, kActivities> kAllActivities{Activity::Gemm,
    Activity::Attention, Activity::Memory, Activity::Communication, Activity::Waiting};
std::string_view toString(Activity activity); // "gemm", "attention", "memory", …

// A value for each activity.
template <typename T>
class ByActivity {
public:
    T& operator[](Activity activity) { return m_values[static_cast<std::size_t>(activity)]; }
    const T& operator[](Activity activity) const {
        return m_values[static_cast<std::size_t>(activity)];
    }
    bool operator==(const ByActivity&) const = default;

private:
    std::array<T, kActivities> m_values{};
};

} // namespace trainscope::predict
