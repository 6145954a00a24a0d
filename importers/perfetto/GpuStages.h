#pragma once
// Stages and counters of GPUs (gpu_render_stage_event.proto, gpu_counter_event.proto) as kernels,
// copies and annotations on the stream that their queue is, edges of graphs of them, and samples of
// the process "GPU N Counters".

#include "importers/kineto/EventBatch.h"
#include "importers/perfetto/Packets.h"

namespace trainscope::importers::perfetto {

// Events as PyTorch's Kineto writes them, with its categories and arguments, so that one importer
// understands both, and a trace has the same spans in either.

struct MadeEvent {
    char phase = 'X';
    std::string_view category;
    std::string_view name;
    std::string_view process; // JSON, as are the next and `id`
    std::string_view thread;
    std::int64_t ns = 0;
    std::optional<std::int64_t> duration = {};
    const Members* arguments = nullptr;
    std::string_view id = {};
};

class EventWriter {
public:
    // To keep views of the event is to take the text that they lie in.
    using Take = std::function<void(const kineto::TraceEvent& event, std::string& text)>;

    explicit EventWriter(Take take)
        : m_take(std::move(take)) { }
    void write(const MadeEvent& event);

private:
    Take m_take;
    kineto::TraceEvent m_event;
    std::string m_text;
};

// Waits of stages for other stages, by their ids. Bounded: waits beyond kMost are counted.
class StageWaits {
public:
    static constexpr std::size_t kMost = 1'000'000;
    // One end of an edge between two stages, which has a number.
    struct End {
        std::int64_t edge = 0;
        bool isWaiting = false;
    };

    void take(std::string_view stage);
    [[nodiscard]] auto endsAt(std::uint64_t stage) const { return m_ends.equal_range(stage); }
    [[nodiscard]] std::int64_t leftOut() const { return m_leftOut; }

private:
    std::unordered_multimap<std::uint64_t, End> m_ends; // by stage
    std::int64_t m_leftOut = 0;
};

class GpuStages {
public:
    GpuStages(EventWriter& writer, const StageWaits& waits)
        : m_writer(writer)
        , m_waits(waits) { }

    void addStage(const Packet& packet);
    void addCounters(const Packet& packet);

private:
    struct Counters {
        std::int64_t gpu = 0;
        std::map<std::uint64_t, std::string> names;
    };
    Counters& countersOf(const Packet& packet);

    EventWriter& m_writer;
    const StageWaits& m_waits;
    std::map<std::pair<std::uint64_t, std::uint64_t>, Counters>
        m_counters; // by sequence and number of their description; without one, by GPU
    Members m_members;
};

} // namespace trainscope::importers::perfetto
