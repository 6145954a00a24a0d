#pragma once
// Profiles of XLA made in memory: the wire format of protocol buffers, written by hand from
// xplane.proto, in the order in which the official libraries write fields.

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace trainscope::test {

// A message under construction.
class MadeMessage {
public:
    MadeMessage& number(unsigned field, std::int64_t value) {
        varint(field << 3U);
        varint(std::bit_cast<std::uint64_t>(value));
        return *this;
    }
    MadeMessage& fixed(unsigned field, std::int64_t value) {
        varint(field << 3U | 1U);
        const auto bits = std::bit_cast<std::uint64_t>(value);
        for (unsigned i = 0; i < 8; ++i)
            m_bytes.push_back(static_cast<char>(bits >> (8 * i) & 0xFFU));
        return *this;
    }
    MadeMessage& real(unsigned field, double value) {
        return fixed(field, std::bit_cast<std::int64_t>(value));
    }
    MadeMessage& single(unsigned field, float value) {
        varint(field << 3U | 5U);
        const auto bits = std::bit_cast<std::uint32_t>(value);
        for (unsigned i = 0; i < 4; ++i)
            m_bytes.push_back(static_cast<char>(bits >> (8 * i) & 0xFFU));
        return *this;
    }
    MadeMessage& bytes(unsigned field, std::string_view value) {
        varint(field << 3U | 2U);
        varint(value.size());
        m_bytes.append(value);
        return *this;
    }
    [[nodiscard]] const std::string& text() const { return m_bytes; }

private:
    void varint(std::uint64_t value) {
        for (; value >= 0x80U; value >>= 7U)
            m_bytes.push_back(static_cast<char>((value & 0x7FU) | 0x80U));
        m_bytes.push_back(static_cast<char>(value));
    }
    std::string m_bytes;
};

// A fact: a text that begins with '&' is a reference to a name of the plane.
using MadeFact = std::pair<std::string, std::variant<std::int64_t, double, std::string>>;
using MadeFacts = std::vector<MadeFact>;

// A plane, whose tables fill while its events are added.
class MadePlane {
public:
    explicit MadePlane(std::string name)
        : m_name(std::move(name)) { }

    std::int64_t kind(
        const std::string& name, const std::string& shown = {}, const MadeFacts& facts = {}) {
        const auto id = static_cast<std::int64_t>(m_kinds.size()) + 1;
        MadeMessage kind;
        kind.number(1, id).bytes(2, name);
        if (!shown.empty())
            kind.bytes(4, shown);
        for (const MadeFact& fact : facts)
            kind.bytes(5, stat(fact));
        m_kinds.push_back(MadeMessage().number(1, id).bytes(2, kind.text()).text());
        return id;
    }
    void line(const std::string& name, std::int64_t startNs) {
        m_lines.emplace_back();
        m_lines.back()
            .number(1, static_cast<std::int64_t>(m_lines.size()))
            .bytes(2, name)
            .number(3, startNs);
    }
    // Adds an event to the last line.
    void event(std::int64_t kind, std::int64_t offsetPs, std::int64_t durationPs,
        const MadeFacts& facts = {}) {
        MadeMessage event;
        event.number(1, kind).number(2, offsetPs).number(3, durationPs);
        for (const MadeFact& fact : facts)
            event.bytes(4, stat(fact));
        m_lines.back().bytes(4, event.text());
    }
    void raw(unsigned field, std::string_view event) { m_lines.back().bytes(field, event); }
    void fact(const MadeFact& fact) { m_facts.push_back(stat(fact)); }

    [[nodiscard]] std::string text(std::int64_t id) const {
        MadeMessage plane;
        if (id != 0)
            plane.number(1, id);
        plane.bytes(2, m_name);
        for (const MadeMessage& line : m_lines)
            plane.bytes(3, line.text());
        for (const std::string& kind : m_kinds)
            plane.bytes(4, kind);
        for (const auto& [name, number] : m_statNames)
            plane.bytes(5,
                MadeMessage()
                    .number(1, number)
                    .bytes(2, MadeMessage().number(1, number).bytes(2, name).text())
                    .text());
        for (const std::string& fact : m_facts)
            plane.bytes(6, fact);
        return plane.text();
    }

private:
    std::int64_t nameOf(const std::string& text) {
        return m_statNames.try_emplace(text, static_cast<std::int64_t>(m_statNames.size()) + 1)
            .first->second;
    }
    std::string stat(const MadeFact& fact) {
        MadeMessage stat;
        stat.number(1, nameOf(fact.first));
        if (const auto* whole = std::get_if<std::int64_t>(&fact.second))
            stat.number(4, *whole);
        else if (const auto* real = std::get_if<double>(&fact.second))
            stat.real(2, *real);
        else if (const auto& text = std::get<std::string>(fact.second); text.starts_with('&'))
            stat.number(7, nameOf(text.substr(1)));
        else
            stat.bytes(5, text);
        return stat.text();
    }

    std::string m_name;
    std::vector<MadeMessage> m_lines;
    std::vector<std::string> m_kinds;
    std::map<std::string, std::int64_t> m_statNames;
    std::vector<std::string> m_facts;
};

inline std::string madeSpace(
    std::initializer_list<const MadePlane*> planes, const std::string& host = "host7") {
    MadeMessage space;
    std::int64_t id = 0;
    for (const MadePlane* plane : planes)
        space.bytes(1, plane->text(id++));
    return space.bytes(4, host).text();
}

inline constexpr std::int64_t kProfileStart = 1'760'000'000'000'000'000; // unix ns

// Two steps of a TPU: a loop of a product and an all-reduce, a copy beside them.
inline std::string tpuSpace() {
    MadePlane device("/device:TPU:0");
    device.fact({"device_type_string", "TPU v4"});
    device.fact({"peak_teraflops_per_second", 275.0});
    const auto product = device.kind("%fusion.3 = bf16[128,512]{1,0} fusion(...)", "fusion.3",
        {{"hlo_category", "&convolution fusion"}, {"flops", std::int64_t{4'000'000'000}},
            {"bytes_accessed", std::int64_t{2'000'000}},
            {"shape_with_layout", "bf16[128,512]{1,0}"}, {"tf_op", "jit(step)/dot_general"}});
    const auto sum = device.kind("%all-reduce.1 = f32[8]{0} all-reduce(...)", "all-reduce.1",
        {{"hlo_category", "all-reduce"}, {"flops", std::int64_t{1000}},
            {"bytes_accessed", std::int64_t{64}}});
    const auto loop
        = device.kind("%while.7 = (s32[]) while(...)", "while.7", {{"hlo_category", "while"}});
    const auto outer
        = device.kind("%fusion.9 = ...", "fusion.9", {{"hlo_category", "loop fusion"}});
    const auto copy = device.kind("copy-start.2", "", {{"bytes_accessed", std::int64_t{4096}}});
    const auto module = device.kind("jit_step(123)");
    const auto step4 = device.kind("4");
    const auto step5 = device.kind("5");
    device.line("Steps", 1000);
    device.event(step4, 0, 40'000'000);
    device.event(step5, 50'000'000, 40'000'000);
    device.line("XLA Modules", 1000);
    device.event(module, 0, 40'000'000, {{"run_id", std::int64_t{1}}});
    device.line("XLA Ops", 1000);
    // Times in ps: 1 µs to 31 µs and so on, one with half a nanosecond.
    device.event(loop, 1'000'000, 30'000'000);
    device.event(product, 1'000'000, 20'000'500);
    device.event(sum, 21'000'500, 9'999'500);
    device.event(outer, 32'000'000, 5'000'000);
    device.event(product, 51'000'000, 20'000'000);
    device.line("Async XLA Ops", 1000);
    device.event(copy, 2'000'000, 8'000'000);
    MadePlane environment("Task Environment");
    environment.fact({"profile_start_time", std::int64_t{kProfileStart}});
    return madeSpace({&device, &environment});
}

// A GPU's streams with the calls that launched their work, and two GPUs.
inline std::string gpuSpace() {
    MadePlane host("/host:CPU");
    const auto step = host.kind("train");
    const auto call = host.kind("PjitFunction(step)");
    const auto launch = host.kind("cuLaunchKernel");
    const auto python = host.kind("$train.py:12 main");
    host.line("python", kProfileStart);
    host.event(python, 0, 100'000'000);
    host.event(step, 1'000'000, 40'000'000, {{"step_num", std::int64_t{7}}});
    host.event(call, 2'000'000, 30'000'000);
    host.event(launch, 3'000'000, 1'000'000, {{"correlation_id", std::int64_t{77}}});
    MadePlane first("/device:GPU:0");
    const auto gemm = first.kind("sm90_xmma_gemm_bf16");
    const auto toDevice = first.kind("MemcpyH2D");
    const auto zero = first.kind("Memset");
    const auto derived = first.kind("fusion.1");
    first.line("Stream #14(Compute)", kProfileStart);
    first.event(gemm, 10'000'000, 5'000'000,
        {{"correlation_id", std::int64_t{77}}, {"hlo_op", "&dot.1"}, {"hlo_module", "jit_step"},
            {"kernel_details",
                "regs:168 static_shared:16 dynamic_shared:1024 grid:4,2,1 "
                "block:384,1,1 occ_pct:12.5"}});
    first.line("Stream #15(MemcpyH2D,Memset)", kProfileStart);
    first.event(toDevice, 6'000'000, 2'000'000,
        {{"memcpy_details", "kind_src:pageable kind_dst:device size:4096 dest:0 async:1"}});
    first.event(zero, 9'000'000, 1'000'000, {{"memset_details", "size:512"}});
    first.line("XLA Ops", kProfileStart);
    first.event(derived, 10'000'000, 5'000'000);
    MadePlane second("/device:GPU:1");
    const auto reduce = second.kind("ncclDevKernel_AllReduce_Sum_bf16_RING_LL");
    second.line("Stream #20(Compute)", kProfileStart);
    second.event(reduce, 16'000'000, 4'000'000);
    return madeSpace({&first, &second, &host});
}

} // namespace trainscope::test
