#pragma once
// Turns events into records, one batch after another, by plans that tell how to read events of one
// template.

#include "importers/kineto/EventBatch.h"
#include "importers/kineto/EventFacts.h"
#include "importers/trace/StringTable.h"

namespace trainscope::importers::kineto {

// Plan for reading events of one template: equal category and phase, the same arguments in the same
// order.
struct EventPlan {
    static constexpr std::size_t kNoArgument = ~std::size_t{0};

    // Neighbouring arguments that are kept as detail: [first, last] of the event's args.
    struct Details {
        std::size_t first = 0;
        std::size_t last = 0;
        std::size_t lead = 0; // bytes from the first one's key to its value
    };

    char phase = '\0'; // 0: none, or more than one character
    std::uint32_t category = 0; // among those of the RecordMaker
    EventKind kind;
    bool isForwardBackward = false; // an arrow from a forward operator to a backward one
    std::size_t correlation = kNoArgument; // index in args, of the last of that name
    std::size_t function = kNoArgument; // operators' and annotations'
    std::size_t sequence = kNoArgument; // operators'
    std::size_t forwardThread = kNoArgument; // operators' in the backward pass: not 0
    std::size_t stream = kNoArgument;
    std::size_t device = kNoArgument;
    std::size_t external = kNoArgument; // the number of an operator, and of what it launched
    std::vector<Details> details;
};

// Remembers the texts and tracks it has met, which saves work and changes no result. One thread at
// a time.
class RecordMaker {
public:
    // Following events go into `batch`, which is emptied, until the next call.
    void begin(EventBatch& batch);
    // `end`: offset of what follows the event.
    void add(const TraceEvent& event, const EventPlan& plan, std::size_t end);
    // The plan of events like this one, which lies in one piece of text.
    void plan(const TraceEvent& event, EventPlan& plan);
    // True for events that come back among the batch's others.
    [[nodiscard]] static bool isTakenWhole(char phase);
    // Changes when plans made before are no longer good.
    [[nodiscard]] unsigned generation() const { return m_generation; }

private:
    // Something that was met, and where it stands in the last batch that has it.
    template <typename T>
    struct Known {
        T value;
        unsigned batch = 0;
        std::uint32_t index = 0;
    };

    void forgetWhenLarge();
    std::uint32_t categoryIndex(std::string_view name);
    bool isDetail(SpanKind kind, std::string_view key);
    void planDetails(const TraceEvent& event, EventPlan& plan);
    void count(const TraceEvent& event, const EventPlan& plan);
    void addComplete(const TraceEvent& event, const EventPlan& plan, EventRecord& record);
    void addFlow(const TraceEvent& event, const EventPlan& plan, EventRecord& record);
    void addOther(const TraceEvent& event, EventRecord& record);
    std::uint32_t nameOf(const JsonToken& token);
    std::uint32_t detailOf(const TraceEvent& event, const EventPlan& plan);
    std::uint32_t trackOf(const TraceEvent& event, const EventPlan& plan);
    // Its place in the batch at hand; where it has none yet, `add` puts it at `next`.
    template <typename T, typename Add>
    std::uint32_t inBatch(Known<T>& known, std::size_t next, Add&& add);
    std::uint32_t textInBatch(Known<std::string>& text);

    EventBatch* m_batch = nullptr;
    unsigned m_batchNumber = 0;
    unsigned m_generation = 0;
    std::vector<Known<std::string>> m_categories;
    StringTable m_nameTable;
    StringTable m_detailTable;
    StringTable m_trackTable;
    std::vector<Known<std::string>> m_names;
    std::vector<Known<std::string>> m_details;
    std::vector<Known<TrackLabel>> m_tracks;
    std::array<TextMap<bool>, 16> m_detailKeys; // by SpanKind
    std::string m_key;
    std::string m_storage;
};

} // namespace trainscope::importers::kineto
