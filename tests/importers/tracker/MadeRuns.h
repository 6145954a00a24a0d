#pragma once
// Files of experiment trackers made in memory: logs of W&B, events of TensorBoard, folders and
// databases of MLflow. Checksums are computed bit by bit, from the polynomials.

#include "importers/support/MadeDatabase.h"
#include "importers/xplane/MadeSpace.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trainscope::test {

inline std::uint32_t crcOf(std::string_view bytes, std::uint32_t reflectedPolynomial) {
    std::uint32_t crc = ~0U;
    for (const char byte : bytes) {
        crc ^= static_cast<unsigned char>(byte);
        for (int bit = 0; bit < 8; ++bit)
            crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? reflectedPolynomial : 0U);
    }
    return ~crc;
}
inline std::string little(std::uint64_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i)
        text.push_back(static_cast<char>(value >> (8 * i) & 0xFFU));
    return text;
}

using JsonItems = std::vector<std::pair<std::string, std::string>>;

// A log of W&B under construction; records are cut at blocks of 32 KiB.
class MadeWandb {
public:
    MadeWandb& record(const MadeMessage& message) {
        std::string_view rest = message.text();
        bool isFirst = true;
        while (true) {
            const std::size_t left = kBlock - m_bytes.size() % kBlock;
            if (left < 7) {
                m_bytes.append(left, '\0');
                continue;
            }
            const std::size_t size = std::min(rest.size(), left - 7);
            const bool isLast = size == rest.size();
            const char type = isFirst ? (isLast ? 1 : 2) : (isLast ? 4 : 3);
            const std::string data = type + std::string(rest.substr(0, size));
            m_bytes += little(crcOf(data, 0xEDB88320), 4) + little(size, 2) + data;
            rest.remove_prefix(size);
            isFirst = false;
            if (isLast)
                return *this;
        }
    }
    MadeWandb& history(std::int64_t step, const JsonItems& items) {
        MadeMessage history;
        for (const auto& item : items)
            history.bytes(1, itemOf(item));
        history.bytes(2, MadeMessage().number(1, step).text());
        return record(MadeMessage().number(1, ++m_number).bytes(2, history.text()));
    }
    MadeWandb& stats(std::int64_t seconds, std::int64_t nanos, const JsonItems& items) {
        MadeMessage stats;
        stats.bytes(2, MadeMessage().number(1, seconds).number(2, nanos).text());
        for (const auto& item : items)
            stats.bytes(3, itemOf(item));
        return record(MadeMessage().number(1, ++m_number).bytes(7, stats.text()));
    }
    MadeWandb& config(const JsonItems& items) {
        MadeMessage config;
        for (const auto& item : items)
            config.bytes(1, itemOf(item));
        return record(MadeMessage().bytes(5, config.text()));
    }
    [[nodiscard]] const std::string& bytes() const { return m_bytes; }

private:
    static constexpr std::size_t kBlock = 32768;
    static std::string itemOf(const std::pair<std::string, std::string>& item) {
        return MadeMessage().bytes(1, item.first).bytes(16, item.second).text();
    }

    std::string m_bytes = std::string(":W&B") + "\xE1\xBE" + '\0';
    std::int64_t m_number = 0;
};

// Events of TensorBoard under construction.
class MadeEvents {
public:
    MadeEvents() { event(MadeMessage().real(1, 1.5e9).bytes(3, "brain.Event:2")); }

    MadeEvents& event(const MadeMessage& message) {
        const std::string& data = message.text();
        const std::string length = little(data.size(), 8);
        m_bytes += length + masked(length) + data + masked(data);
        return *this;
    }
    MadeEvents& value(double time, std::int64_t step, const MadeMessage& value) {
        return event(MadeMessage().real(1, time).number(2, step).bytes(
            5, MadeMessage().bytes(1, value.text()).text()));
    }
    MadeEvents& scalar(double time, std::int64_t step, const std::string& tag, float number) {
        return value(time, step, MadeMessage().bytes(1, tag).single(2, number));
    }
    // As writers of TensorFlow 2 have scalars.
    MadeEvents& tensor(double time, std::int64_t step, const std::string& tag, float number) {
        const auto bits = std::bit_cast<std::uint32_t>(number);
        const auto tensor = MadeMessage().number(1, 1).bytes(2, "").bytes(4, little(bits, 4));
        return value(time, step, MadeMessage().bytes(1, tag).bytes(8, tensor.text()));
    }
    MadeEvents& text(const std::string& tag, const std::string& text) {
        const auto tensor = MadeMessage().number(1, 7).bytes(8, text);
        return value(
            1.5e9, 0, MadeMessage().bytes(1, tag + "/text_summary").bytes(8, tensor.text()));
    }
    [[nodiscard]] const std::string& bytes() const { return m_bytes; }

private:
    static std::string masked(std::string_view bytes) {
        return little(std::rotr(crcOf(bytes, 0x82F63B78), 15) + 0xA282EAD8U, 4);
    }
    std::string m_bytes;
};

using NamedFiles = std::vector<std::pair<std::string, std::string>>;

inline std::string mlflowMeta(const std::string& name, const std::string& id) {
    return "artifact_uri: file:///mlruns/0/" + id + "/artifacts\nrun_id: " + id
        + "\nrun_name: " + name + "\nstart_time: 1700000000000\nstatus: 3\n";
}
// One run with two steps and three readings of a GPU.
inline NamedFiles mlflowFolder() {
    const std::string run = "mlruns/0/0123456789abcdef/";
    return {{run + "meta.yaml", mlflowMeta("calm-fox-1", "0123456789abcdef")},
        {run + "params/num_layers", "24"}, {run + "params/micro_batch_size", "4"},
        {run + "tags/mlflow.user", "someone"},
        {run + "metrics/train/loss", "1700000010000 4.5 10\n1700000020000 3.5 20\n"},
        {run + "metrics/lr", "1700000010001 0.001 10\n1700000020001 0.002 20\n"},
        {run + "metrics/system/gpu_0_power_usage_watts",
            "1700000005000 100.0 0\n1700000015000 300.0 1\n1700000025000 200.0 2\n"},
        {run + "metrics/system/gpu_0_memory_usage_megabytes",
            "1700000005000 1000.0 0\n1700000015000 2000.5 1\n1700000025000 2000.5 2\n"},
        {run + "metrics/system/cpu_utilization_percentage", "1700000005000 12.5 0\n"}};
}
// Two runs, of which the second trains on one GPU; and one that was deleted.
inline std::string mlflowDatabase() {
    MadeDatabase made;
    made.run("CREATE TABLE runs(run_uuid TEXT PRIMARY KEY, name TEXT, start_time INTEGER, "
             "lifecycle_stage TEXT);"
             "CREATE TABLE metrics(key TEXT, value REAL, timestamp INTEGER, run_uuid TEXT, "
             "step INTEGER, is_nan INTEGER);"
             "CREATE TABLE latest_metrics(key TEXT, value REAL, run_uuid TEXT);"
             "CREATE TABLE params(key TEXT, value TEXT, run_uuid TEXT);");
    const std::int64_t start = 1'700'000'000'000;
    for (const std::string id : {"aaaaaaaaaaaa", "bbbbbbbbbbbb", "cccccccccccc"}) {
        made.add("runs",
            {id, std::string("same"), start, std::string(id[0] == 'c' ? "deleted" : "active")});
        made.add("latest_metrics", {std::string("loss"), 1.0, id});
    }
    const auto metric = [&](const char* id, const char* key, double value, std::int64_t s,
                            std::int64_t step) {
        made.add("metrics",
            {std::string(key), value, start + s * 1000, std::string(id), step, std::int64_t{0}});
    };
    metric("aaaaaaaaaaaa", "loss", 5.0, 10, 1);
    metric("bbbbbbbbbbbb", "loss", 4.0, 10, 1);
    metric("bbbbbbbbbbbb", "loss", 3.0, 14, 3);
    metric("bbbbbbbbbbbb", "system/gpu_1_power_usage_watts", 250.0, 12, 0);
    made.add("params", {std::string("num_layers"), std::string("32"), std::string("bbbbbbbbbbbb")});
    return made.bytes();
}

} // namespace trainscope::test
