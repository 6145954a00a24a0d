// A management library as AMD's, for machines without GPUs. TRAINSCOPE_FAKE_AMDSMI is its version:
//   5  averaged power first, degrees, power cap in watts, a table of metrics that ends with 1.3
//   6  current and averaged power, thousandths of degrees, power cap in microwatts
//   7  64 bits of power before both, a table of metrics of more than 4 KiB
// and, behind commas, whichever of these is so at the moment:
//   fan     it has one, which turns at 128 of 255
//   memhot  its memory is too hot
//   na      it measures nothing: every value is all ones
//   lost    every function fails
// GPU g of two draws 100·(g+1) W, at bus 41+g; seven xGMI links, of which link l of GPU g received
// 1000·(l+1)·(g+1) KiB and sent twice as much. Its own power limit holds back GPU 1 all the time.
// Built with TRAINSCOPE_OLD_AMDSMI it has the functions of the first versions alone.

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

bool is(const char* word) {
    const char* text = std::getenv("TRAINSCOPE_FAKE_AMDSMI");
    return text != nullptr && std::strstr(text, word) != nullptr;
}

template <typename T>
void put(void* to, std::size_t byte, T value) {
    std::memcpy(static_cast<char*>(to) + byte, &value, sizeof value);
}

// Outputs of a function are made all ones where nothing is measured.
std::uint32_t given(void* to, std::size_t size) {
    if (is("lost"))
        return kNotSupportedHere;
    if (is("na"))
        std::memset(to, 0xff, size);
    return kGood;
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
    return given(info, 16);
}
std::uint32_t amdsmi_get_power_cap_info(void*, std::uint32_t, void* info) {
    put(info, 0, version() == 5 ? std::uint64_t{750} : std::uint64_t{750'000'000});
    return given(info, 8);
}
std::uint32_t amdsmi_get_energy_count(
    void*, std::uint64_t* count, float* resolution, std::uint64_t* time) {
    *count = 2'000'000;
    *resolution = 15.3F;
    *time = 1;
    return given(count, sizeof *count);
}
std::uint32_t amdsmi_get_temp_metric(
    void*, std::uint32_t sensor, std::uint32_t, std::int64_t* value) {
    if (sensor == 0)
        return kNotSupportedHere; // MI300 has no sensor at the edge
    *value = (sensor == 1 ? 71 : 65) * (version() == 6 ? 1000 : 1);
    if (is("na"))
        *value = INT64_MAX;
    return is("lost") ? kNotSupportedHere : kGood;
}
std::uint32_t amdsmi_get_clock_info(void*, std::uint32_t kind, void* info) {
    put(info, 0, std::uint32_t{kind == 0 ? 2100U : 1300U});
    return given(info, 4);
}
std::uint32_t amdsmi_get_gpu_activity(void*, void* info) {
    put(info, 0, std::uint32_t{88});
    put(info, 4, std::uint32_t{UINT16_MAX}); // not measured
    return given(info, 8);
}
std::uint32_t amdsmi_get_gpu_memory_usage(void*, std::uint32_t, std::uint64_t* bytes) {
    *bytes = 150'000'000'000;
    return given(bytes, sizeof *bytes);
}
#ifndef TRAINSCOPE_OLD_AMDSMI
std::uint32_t amdsmi_get_gpu_device_bdf(void* handle, std::uint64_t* address) {
    *address = static_cast<std::uint64_t>(0x41 + numberOf(handle)) << 8U;
    return kGood;
}
std::uint32_t amdsmi_topo_get_link_type(void*, void*, std::uint64_t* hops, std::uint32_t* type) {
    *hops = 1;
    *type = 2; // xGMI
    return kGood;
}
std::uint32_t amdsmi_get_gpu_fan_speed(void*, std::uint32_t, std::int64_t* speed) {
    *speed = 128;
    return is("fan") ? kGood : kNotSupportedHere;
}
std::uint32_t amdsmi_get_gpu_total_ecc_count(void* handle, void* counts) {
    put(counts, 0, std::uint64_t{3}); // corrected
    put(counts, 8, static_cast<std::uint64_t>(numberOf(handle))); // not corrected
    put(counts, 16, std::uint64_t{9}); // deferred
    return given(counts, 24);
}
std::uint32_t amdsmi_get_pcie_info(void* handle, void* info) {
    if (version() == 5)
        return kNotSupportedHere;
    put(info, 104, static_cast<std::uint32_t>(8000 * (numberOf(handle) + 1))); // Mb/s
    return given(info, 108);
}
std::uint32_t amdsmi_get_gpu_metrics_info(void* handle, void* table) {
    const auto gpu = static_cast<std::uint64_t>(numberOf(handle));
    static std::array<std::uint64_t, 2> calls{};
    const std::uint64_t call = ++calls[gpu];
    put(table, 22, static_cast<std::uint16_t>(100 * (gpu + 1)));
    if (version() == 5) {
        constexpr std::uint64_t powerAndMemoryHot = 1U | std::uint64_t{1} << 34U;
        put(table, 112, gpu == 1 ? powerAndMemoryHot : 0);
        return given(table, 120);
    }
    put(table, 112, UINT64_MAX);
    put(table, 120, static_cast<std::uint16_t>(100 * (gpu + 1)));
    for (std::size_t link = 0; link < 8; ++link) {
        const std::uint64_t kibibytes = link < 7 ? 1000 * (link + 1) * (gpu + 1) : UINT64_MAX;
        put(table, 184 + link * 8, kibibytes);
        put(table, 248 + link * 8, link < 7 ? 2 * kibibytes : UINT64_MAX);
    }
    put(table, 424, 10 * call); // cycles; then processor hot, power, socket, regulator, memory
    put(table, 432, std::uint64_t{7});
    put(table, 440, gpu == 1 ? call : std::uint64_t{7});
    put(table, 448, std::uint64_t{7});
    put(table, 456, UINT64_MAX);
    put(table, 464, is("memhot") ? call : std::uint64_t{0});
    if (version() == 7)
        put(table, 4600, std::uint64_t{0});
    return given(table, 472);
}
#endif

} // extern "C"
