// A management library as AMD's, for machines without GPUs. TRAINSCOPE_FAKE_AMDSMI is its version:
//   5  averaged power first, degrees, power cap in watts
//   6  current and averaged power, thousandths of degrees, power cap in microwatts
//   7  64 bits of power before both
// GPU g of two draws 100·(g+1) W.

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

std::array<int, 2> numbers{0, 1};
constexpr std::uint32_t kGood = 0;
constexpr std::uint32_t kNotSupportedHere = 2;
constexpr std::uint32_t kAbsent = UINT32_MAX;

int version() {
    const char* text = std::getenv("TRAINSCOPE_FAKE_AMDSMI");
    return text == nullptr ? 6 : std::atoi(text);
}

int numberOf(void* handle) {
    return *static_cast<int*>(handle);
}

template <typename T>
void put(void* to, std::size_t byte, T value) {
    std::memcpy(static_cast<char*>(to) + byte, &value, sizeof value);
}

} // namespace

extern "C" {

std::uint32_t amdsmi_init(std::uint64_t) {
    return kGood;
}
std::uint32_t amdsmi_shut_down() {
    return kGood;
}
std::uint32_t amdsmi_get_socket_handles(std::uint32_t* count, void** handles) {
    *count = static_cast<std::uint32_t>(numbers.size());
    for (std::size_t i = 0; handles != nullptr && i < numbers.size(); ++i)
        handles[i] = &numbers[i];
    return kGood;
}
std::uint32_t amdsmi_get_processor_handles(void* socket, std::uint32_t* count, void** handles) {
    *count = 1;
    if (handles != nullptr)
        handles[0] = socket;
    return kGood;
}
std::uint32_t amdsmi_get_gpu_device_uuid(void* handle, unsigned*, char* text) {
    std::sprintf(text, "uuid-%d", numberOf(handle));
    return kGood;
}
std::uint32_t amdsmi_get_gpu_asic_info(void*, void* info) {
    std::strcpy(static_cast<char*>(info), "AMD Instinct MI300X");
    return kGood;
}
std::uint32_t amdsmi_get_power_info(void* handle, void* info) {
    const auto watts = static_cast<std::uint32_t>(100 * (numberOf(handle) + 1));
    if (version() == 5) {
        put(info, 0, watts); // averaged
        put(info, 4, std::uint32_t{800}); // voltage
    } else if (version() == 6) {
        put(info, 0, numberOf(handle) == 0 ? watts : kAbsent); // current: of MI300 alone
        put(info, 4, watts);
    } else {
        put(info, 0, std::uint64_t{watts});
        put(info, 8, watts);
        put(info, 12, kAbsent);
        put(info, 188, std::uint32_t{0});
    }
    return kGood;
}
std::uint32_t amdsmi_get_power_cap_info(void*, std::uint32_t, void* info) {
    put(info, 0, version() == 5 ? std::uint64_t{750} : std::uint64_t{750'000'000});
    return kGood;
}
std::uint32_t amdsmi_get_energy_count(
    void*, std::uint64_t* count, float* resolution, std::uint64_t* time) {
    *count = 2'000'000;
    *resolution = 15.3F;
    *time = 1;
    return kGood;
}
std::uint32_t amdsmi_get_temp_metric(
    void*, std::uint32_t sensor, std::uint32_t, std::int64_t* value) {
    if (sensor == 0)
        return kNotSupportedHere; // MI300 has no sensor at the edge
    *value = (sensor == 1 ? 71 : 65) * (version() == 6 ? 1000 : 1);
    return kGood;
}
std::uint32_t amdsmi_get_clock_info(void*, std::uint32_t kind, void* info) {
    put(info, 0, std::uint32_t{kind == 0 ? 2100U : 1300U});
    return kGood;
}
std::uint32_t amdsmi_get_gpu_activity(void*, void* info) {
    put(info, 0, std::uint32_t{88});
    put(info, 4, std::uint32_t{UINT16_MAX}); // not measured
    return kGood;
}
std::uint32_t amdsmi_get_gpu_memory_usage(void*, std::uint32_t, std::uint64_t* bytes) {
    *bytes = 150'000'000'000;
    return kGood;
}

} // extern "C"
